//! Where a form or a link leads back to: only ever to a path that its event protects, on the host that was asked, else to
//! where the event's shop begins.

use anteroom_config::Decision;

use crate::deployment::Room;
use crate::local_path::LocalPath;
use crate::visit::Visit;

/// The query parameter with which a form's answer says that no cookie came with the form.
const COOKIES_OFF: &str = "wr-cookies=off";

/// `text` as a path that this event protects on the host that was asked.
pub fn own_path(visit: &Visit, room: Room, text: &str) -> Option<LocalPath> {
    let path = LocalPath::parse(text)?;
    match visit
        .deployment
        .rooms()
        .decide(&visit.incoming.authority, path.path())
    {
        Decision::Event(event) if event.id == room.event.id => Some(path),
        _ => None,
    }
}

/// Where a form leads back to: the address that it names if that is one of this event's, else where its shop begins.
pub fn read(visit: &Visit, room: Room, text: Option<&str>) -> LocalPath {
    text.and_then(|text| own_path(visit, room, text))
        .or_else(|| LocalPath::parse(room.event.front()))
        .unwrap_or_else(LocalPath::root)
}

/// The way back, for a form that brought no cookie.
pub fn with_cookies_off(back: &LocalPath) -> String {
    let joint = if back.as_str().contains('?') {
        '&'
    } else {
        '?'
    };
    format!("{}{joint}{COOKIES_OFF}", back.as_str())
}

/// The address without that remark.
pub fn without_cookies_off(path_and_query: &str) -> String {
    let Some((path, query)) = path_and_query.split_once('?') else {
        return path_and_query.to_owned();
    };
    if !query.contains(COOKIES_OFF) {
        return path_and_query.to_owned();
    }
    let kept: Vec<&str> = query
        .split('&')
        .filter(|pair| *pair != COOKIES_OFF)
        .collect();
    if kept.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", kept.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remark_about_cookies_is_put_on_and_taken_off_again() {
        for address in ["/shop", "/shop?a=1", "/shop?a=%2F&b"] {
            let back = LocalPath::parse(address).unwrap();
            let marked = with_cookies_off(&back);
            assert!(marked.ends_with(COOKIES_OFF));
            assert_eq!(without_cookies_off(&marked), address);
        }
        assert_eq!(
            without_cookies_off("/shop?xwr-cookies=off"),
            "/shop?xwr-cookies=off"
        );
    }
}
