//! The faces of the events and their logos, as they were when the Worker was built. `build.rs` makes the tables from
//! `static/events` and refuses what could not be shown.

include!(concat!(env!("OUT_DIR"), "/faces.rs"));

/// The face of an event as it is written, if it has one.
pub fn of(id: &str) -> Option<&'static str> {
    found(FACES, id)
}

/// What is in the logo of this file name, if a face names it.
pub fn logo(name: &str) -> Option<&'static [u8]> {
    found(LOGOS, name)
}

fn found<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    let (_, found) = table.iter().find(|(known, _)| *known == name)?;
    Some(*found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anteroom_config::face;

    #[test]
    fn a_face_brings_its_logo() {
        let json = of("world-tour").expect("the demo event has a face");
        let name = face::check("world-tour", json)
            .unwrap()
            .logo
            .expect("and a logo");
        assert_eq!(face::check_logo(&name, logo(&name).unwrap()), Ok(()));
        assert_eq!((of("demo"), logo("demo.svg")), (None, None));
    }
}
