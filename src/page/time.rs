//! Instants as the page without script shows them: in the event's zone, as its configured times
//! are written. The script replaces them by the visitor's own zone, from `datetime`. No table of
//! zones is needed for either.

use anteroom_queue::units::UnixMillis;

/// Milliseconds of a minute and of a day.
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// An instant to show.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct ShownTime {
    /// For `datetime`: RFC 3339 in UTC, to the second.
    pub iso: String,
    /// For people: `10:42 UTC+1`, with the date before it when it is another day than now's.
    pub text: String,
}

/// How `at` is shown at `now` to someone in a zone that is `offset_minutes` from UTC then, and
/// `offset_now` now: between the two its clocks may change.
pub fn shown(at: UnixMillis, offset_minutes: i32, now: UnixMillis, offset_now: i32) -> ShownTime {
    let offset = i64::from(offset_minutes) * MINUTE;
    let there = signed(at) + offset;
    let (date, clock) = (there.div_euclid(DAY), there.rem_euclid(DAY) / MINUTE);
    let mut text = format!(
        "{:02}:{:02} {}",
        clock / 60,
        clock % 60,
        zone(offset_minutes)
    );
    let today = (signed(now) + i64::from(offset_now) * MINUTE).div_euclid(DAY);
    if date != today {
        text = format!("{} {text}", iso_date(date));
    }
    let second = signed(at).rem_euclid(DAY) / 1_000;
    let iso = format!(
        "{}T{:02}:{:02}:{:02}Z",
        iso_date(signed(at).div_euclid(DAY)),
        second / 3_600,
        second / 60 % 60,
        second % 60
    );
    ShownTime { iso, text }
}

/// The last instant that four digits of a year can show, 9999-12-31; later ones are shown as it.
const LAST: u64 = 253_402_300_799_000;

fn signed(at: UnixMillis) -> i64 {
    at.0.min(LAST) as i64
}

fn zone(offset_minutes: i32) -> String {
    if offset_minutes == 0 {
        return "UTC".to_owned();
    }
    let sign = if offset_minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (offset_minutes.abs() / 60, offset_minutes.abs() % 60);
    match minutes {
        0 => format!("UTC{sign}{hours}"),
        _ => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

/// A day as `YYYY-MM-DD`, counted in the proleptic Gregorian calendar from 1970-01-01.
fn iso_date(days: i64) -> String {
    // Years that begin in March: the leap day is the last of its year, so that months have a rule.
    let since_march_of_year_0 = days + 719_468;
    let era = since_march_of_year_0.div_euclid(146_097);
    let day_of_era = since_march_of_year_0.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_shown_in_the_zone_of_the_event() {
        let noon = 1_803_891_600_000; // 2027-03-01T09:00:00Z
        for (at, now, offset_minutes, text, iso) in [
            (noon, noon, 60, "10:00 UTC+1", "2027-03-01T09:00:00Z"),
            (noon, noon, 0, "09:00 UTC", "2027-03-01T09:00:00Z"),
            (noon, noon, -210, "05:30 UTC-3:30", "2027-03-01T09:00:00Z"),
            (
                noon,
                noon - 86_400_000,
                60,
                "2027-03-01 10:00 UTC+1",
                "2027-03-01T09:00:00Z",
            ),
            (noon, noon, 15 * 60, "00:00 UTC+15", "2027-03-01T09:00:00Z"),
            (0, 0, -60, "23:00 UTC-1", "1970-01-01T00:00:00Z"),
            (
                951_782_400_000,
                0,
                0,
                "2000-02-29 00:00 UTC",
                "2000-02-29T00:00:00Z",
            ),
            (
                4_107_542_399_000,
                0,
                0,
                "2100-02-28 23:59 UTC",
                "2100-02-28T23:59:59Z",
            ),
            (
                u64::MAX,
                0,
                0,
                "9999-12-31 23:59 UTC",
                "9999-12-31T23:59:59Z",
            ),
        ] {
            let expected = ShownTime {
                iso: iso.to_owned(),
                text: text.to_owned(),
            };
            assert_eq!(
                shown(
                    UnixMillis(at),
                    offset_minutes,
                    UnixMillis(now),
                    offset_minutes
                ),
                expected
            );
        }
    }

    #[test]
    fn on_the_day_of_a_clock_change_each_instant_has_its_own_distance() {
        // Berlin, 2027-03-28: 02:00 becomes 03:00. Midnight there is 23:00 in UTC.
        let midnight = UnixMillis(1_806_188_400_000);
        let ten = UnixMillis(midnight.0 + 9 * 3_600_000);
        assert_eq!(shown(ten, 120, midnight, 60).text, "10:00 UTC+2");
        let before = UnixMillis(midnight.0 - 60_000);
        assert_eq!(shown(before, 60, ten, 120).text, "2027-03-27 23:59 UTC+1");
    }
}
