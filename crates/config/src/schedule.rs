//! When an event takes joins and when it opens; a line may have an opening of its own.

use anteroom_queue::units::UnixMillis;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::fields::Fields;

const TIME_FORM: &str =
    "a time with its offset (RFC 3339), 1970 or later, for example \"2027-03-01T10:00:00+01:00\"";

/// What a time zone has to be.
pub const ZONE_FORM: &str =
    "the IANA name of a time zone that exists, for example \"Europe/Berlin\"";

/// The longest name of a time zone, in bytes: twice the longest that exists.
const MAX_ZONE_BYTES: usize = 64;

/// The times of an event that hold for all its lines.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// When joins are first taken.
    pub prequeue_at: Option<UnixMillis>,
    /// When lines open that say nothing else.
    pub opens_at: Option<UnixMillis>,
    /// `prequeue_at` as it is written, for messages.
    written: String,
    /// Whether `opens_at` is written, readable or not.
    opens: bool,
}

impl Schedule {
    /// Reads `prequeue_at` and the event's own `opens_at`.
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let prequeue_at = fields.text("prequeue_at", TIME_FORM, instant);
        let mut schedule = Self {
            prequeue_at,
            opens_at: None,
            written: fields
                .value("prequeue_at")
                .map_or(String::new(), ToString::to_string),
            opens: fields.value("opens_at").is_some(),
        };
        schedule.opens_at = schedule.opening(fields);
        if !schedule.opens && prequeue_at.is_some() && fields.value("lines").is_none() {
            fields.refuse("opens_at", "required with prequeue_at");
        }
        schedule
    }

    /// When a line opens: by its own `opens_at`, or else by the event's.
    pub fn line_opening(&self, fields: &mut Fields<'_>) -> Option<UnixMillis> {
        if fields.value("opens_at").is_some() {
            return self.opening(fields);
        }
        if self.prequeue_at.is_some() && !self.opens {
            fields.refuse(
                "opens_at",
                "required with prequeue_at: of the line, or of the event for all lines",
            );
        }
        self.opens_at
    }

    /// Reads an `opens_at`, of the event or of a line.
    fn opening(&self, fields: &mut Fields<'_>) -> Option<UnixMillis> {
        let opens_at = fields.text("opens_at", TIME_FORM, instant)?;
        if self
            .prequeue_at
            .is_some_and(|prequeue| opens_at <= prequeue)
        {
            fields.refuse(
                "opens_at",
                format!("later than prequeue_at ({})", self.written),
            );
        }
        Some(opens_at)
    }
}

/// Where RFC 3339 has the seconds.
const SECONDS: core::ops::Range<usize> = 17..19;

/// A time with its offset, as configurations and the operator API write it: RFC 3339, without leap seconds, which no
/// clock here shows.
pub fn instant(text: &str) -> Option<UnixMillis> {
    if text.get(SECONDS) == Some("60") {
        return None;
    }
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let millis = time.unix_timestamp_nanos().div_euclid(1_000_000);
    u64::try_from(millis).ok().map(UnixMillis)
}

/// A zone's name, checked for its shape: which zones exist is known to the platform.
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
            ("2027-06-30T23:59:60Z", None),
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
