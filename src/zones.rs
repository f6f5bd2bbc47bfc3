//! How far a time zone is from UTC at an instant, for the page without script. The platform knows the zones; an isolate
//! asks it once for each zone and quarter of an hour. Which zones exist it is asked once, when the configuration is read.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anteroom_queue::units::{Millis, UnixMillis};
use wasm_bindgen::{JsCast, JsValue};
use worker::js_sys;

/// Zones change their distance at full hours in UTC, those of St John's, Adelaide or Lord Howe at half ones; a quarter of an
/// hour is the step of every distance that there is.
const KEPT: Millis = Millis(15 * 60 * 1_000);

thread_local! {
    static KNOWN: RefCell<BTreeMap<(String, u64), i32>> = const { RefCell::new(BTreeMap::new()) };
}

/// So many are kept at most: a page of each of 25 events shows about ten instants.
const MAX_KNOWN: usize = 256;

/// Whether the platform knows a zone of this name: it refuses to write a time in one that does not exist.
pub fn exists(zone: &str) -> bool {
    written(zone, UnixMillis(0)).is_some()
}

/// The distance of `zone` from UTC at `at`, in minutes, positive to the east; 0 for a zone that the platform does not
/// know.
pub fn offset_minutes(zone: &str, at: UnixMillis) -> i32 {
    let key = (zone.to_owned(), at.0 / KEPT.0);
    if let Some(minutes) = KNOWN.with_borrow(|known| known.get(&key).copied()) {
        return minutes;
    }
    let minutes = written(zone, at).as_deref().and_then(read).unwrap_or(0);
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, minutes);
    });
    minutes
}

/// The distance at each of these instants, in order.
pub fn offsets(zone: &str, mut instants: Vec<UnixMillis>) -> Vec<(UnixMillis, i32)> {
    instants.sort_unstable();
    instants.dedup();
    let known = instants.into_iter();
    known.map(|at| (at, offset_minutes(zone, at))).collect()
}

/// The instant as the platform writes it with the distance at the end: `3/1/2027, GMT+01:00`.
fn written(zone: &str, at: UnixMillis) -> Option<String> {
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &"timeZone".into(), &zone.into()).ok()?;
    js_sys::Reflect::set(&options, &"timeZoneName".into(), &"longOffset".into()).ok()?;
    let date = js_sys::Date::new(&JsValue::from_f64(at.0 as f64));
    let write = js_sys::Reflect::get(&date, &"toLocaleDateString".into()).ok()?;
    let write: &js_sys::Function = write.dyn_ref()?;
    write
        .call2(&date, &"en-US".into(), &options)
        .ok()?
        .as_string()
}

/// Reads the distance at the end: `GMT`, `GMT+05:30`, `GMT-03:00`.
fn read(written: &str) -> Option<i32> {
    let (_, distance) = written.rsplit_once("GMT")?;
    if distance.is_empty() {
        return Some(0);
    }
    let sign = match distance.chars().next()? {
        '+' => 1,
        '-' | '\u{2212}' => -1,
        _ => return None,
    };
    let (hours, minutes) = distance
        .trim_start_matches(['+', '-', '\u{2212}'])
        .split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.get(..2)?.parse().ok()?);
    Some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_read_from_the_end() {
        let rows = [
            ("3/1/2027, GMT+01:00", Some(60)),
            ("3/1/2027, GMT+05:45", Some(345)),
            ("3/1/2027, GMT-03:30", Some(-210)),
            ("3/1/2027, GMT\u{2212}08:00", Some(-480)),
            ("3/1/2027, GMT", Some(0)),
            ("3/1/2027", None),
            ("3/1/2027, GMT~1", None),
        ];
        for (written, expected) in rows {
            assert_eq!(read(written), expected, "{written}");
        }
    }
}
