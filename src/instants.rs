//! Instants in UTC, as documents for programs write them.

use anteroom_queue::units::UnixMillis;
use time::OffsetDateTime;

/// The last instant that four digits of a year can show, 9999-12-31T23:59:59.999Z, in Unix milliseconds. Operators name
/// no later one, and later ones are written as it.
pub const LAST_INSTANT_MS: u64 = 253_402_300_799_999;

fn calendar(at: UnixMillis) -> OffsetDateTime {
    let nanoseconds = i128::from(at.0.min(LAST_INSTANT_MS)) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).expect("four digits of a year fit")
}

/// With milliseconds: `2027-03-01T09:00:00.000Z` (RFC 3339).
pub fn rfc3339(at: UnixMillis) -> String {
    let at = calendar(at);
    let (hour, minute, second, millisecond) = at.to_hms_milli();
    format!(
        "{}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z",
        at.year(),
        u8::from(at.month()),
        at.day()
    )
}

/// To the second and without separators: `20270301T090000Z` (RFC 5545).
pub fn compact(at: UnixMillis) -> String {
    let at = calendar(at);
    let (hour, minute, second) = at.to_hms();
    format!(
        "{}{:02}{:02}T{hour:02}{minute:02}{second:02}Z",
        at.year(),
        u8::from(at.month()),
        at.day()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_in_utc() {
        for (at, long, short) in [
            (0, "1970-01-01T00:00:00.000Z", "19700101T000000Z"),
            (
                1_803_891_600_123,
                "2027-03-01T09:00:00.123Z",
                "20270301T090000Z",
            ),
            (
                951_868_799_999,
                "2000-02-29T23:59:59.999Z",
                "20000229T235959Z",
            ),
            (u64::MAX, "9999-12-31T23:59:59.999Z", "99991231T235959Z"),
        ] {
            assert_eq!(rfc3339(UnixMillis(at)), long);
            assert_eq!(compact(UnixMillis(at)), short);
        }
    }
}
