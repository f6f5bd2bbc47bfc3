//! When an event takes joins and when it opens.

use anteroom_queue::units::UnixMillis;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::fields::Fields;
use crate::problem::Problem;

const TIME_FORM: &str =
    "a time with its offset (RFC 3339), 1970 or later, for example \"2027-03-01T10:00:00+01:00\"";

/// What a time zone's name has to look like.
pub const ZONE_FORM: &str = "an IANA time zone name, for example \"Europe/Berlin\"";

/// The longest name of a time zone, in bytes: twice the longest that exists.
const MAX_ZONE_BYTES: usize = 64;

/// Reads `prequeue_at` and `opens_at`.
pub fn read(fields: &mut Fields<'_>) -> (Option<UnixMillis>, Option<UnixMillis>) {
    let prequeue_at = fields.text("prequeue_at", TIME_FORM, instant);
    let opens_at = fields.text("opens_at", TIME_FORM, instant);
    let given = |key: &str| {
        fields
            .value(key)
            .map_or("nothing".to_owned(), ToString::to_string)
    };
    let wrong = match (prequeue_at, opens_at) {
        (Some(prequeue), Some(opens)) if opens <= prequeue => Some((
            "opens_at",
            format!("later than prequeue_at ({})", given("prequeue_at")),
        )),
        (Some(_), None) if fields.value("opens_at").is_none() => {
            Some(("opens_at", "required with prequeue_at".to_owned()))
        }
        _ => None,
    };
    if let Some((key, allowed)) = wrong {
        let problem = Problem::new(fields.path_of(key), given(key), allowed);
        fields.problems().push(problem);
    }
    (prequeue_at, opens_at)
}

fn instant(text: &str) -> Option<UnixMillis> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let millis = time.unix_timestamp_nanos().div_euclid(1_000_000);
    u64::try_from(millis).ok().map(UnixMillis)
}

/// A zone's name, checked for its shape only: which zones exist is known to the browser.
pub fn zone(text: &str) -> Option<String> {
    let part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic())
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+'))
    };
    (text.len() <= MAX_ZONE_BYTES && text.split('/').all(part)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_names_one_instant_whatever_its_offset() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2027-03-01T10:00:00+01:00", Some(1_803_891_600_000)),
            ("2027-03-01T09:00:00Z", Some(1_803_891_600_000)),
            ("2027-03-01T09:00:00.250Z", Some(1_803_891_600_250)),
            ("2027-03-01T10:00:00", None),
            ("2027-03-01", None),
            ("2027-02-30T10:00:00Z", None),
            ("2027-03-01T25:00:00Z", None),
            ("1969-12-31T23:59:59Z", None),
            ("tomorrow", None),
            ("", None),
        ] {
            assert_eq!(instant(text).map(|at| at.0), millis, "{text}");
        }
    }

    #[test]
    fn a_time_zone_has_the_shape_of_a_name() {
        for name in [
            "UTC",
            "Europe/Berlin",
            "America/Argentina/Buenos_Aires",
            "Etc/GMT+1",
            "America/Port-au-Prince",
        ] {
            assert!(zone(name).is_some(), "{name}");
        }
        for name in [
            "",
            "/",
            "Europe/",
            "+01:00",
            "Europe/Ber lin",
            "<b>",
            "../etc",
            &"A".repeat(65),
        ] {
            assert!(zone(name).is_none(), "{name}");
        }
    }
}
