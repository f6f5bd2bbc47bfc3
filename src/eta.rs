//! The estimated wait: from the measured advance of `called`, as a range of whole seconds.
//!
//! Without a measurement there is no estimate: the page says that it is not known yet, which is so before the line has moved
//! for twenty seconds, while it stands, and where it would take more than two days. The edge remembers no visitor, so it cannot
//! know what it said before; the page keeps the smaller of two estimates unless the board's `slowdowns` has grown, which
//! is the board's word for "something happened that may make this longer".

use anteroom_queue::board::Advance;
use serde::Serialize;

/// An estimate of more than this is not shown: two days say nothing.
pub const LONGEST_ESTIMATE_SECONDS: u64 = 48 * 60 * 60;

/// How long until the turn comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Eta {
    /// If the line moves as in the last minutes.
    pub likely_seconds: u64,
    /// If it moves as slowly as should be expected at worst.
    pub at_most_seconds: u64,
}

/// The estimate for a visitor with `ahead` others in front; `None` while it is being measured.
pub fn estimate(ahead: u64, advance: Option<Advance>) -> Option<Eta> {
    let advance = advance?;
    let likely_seconds = seconds(ahead, advance.likely_milli_per_minute)?;
    let at_most_seconds = seconds(ahead, advance.least_milli_per_minute)?.max(likely_seconds);
    Some(Eta {
        likely_seconds,
        at_most_seconds,
    })
}

/// Called are those ahead and then the visitor: one call more than there are ahead.
fn seconds(ahead: u64, milli_per_minute: u64) -> Option<u64> {
    let milli_seconds_of_calls = ahead.saturating_add(1).saturating_mul(60_000);
    let seconds = milli_seconds_of_calls.checked_div(milli_per_minute)?;
    (seconds <= LONGEST_ESTIMATE_SECONDS).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advance(likely_per_minute: u64, least_per_minute: u64) -> Option<Advance> {
        Some(Advance {
            likely_milli_per_minute: likely_per_minute * 1_000,
            least_milli_per_minute: least_per_minute * 1_000,
        })
    }

    #[test]
    fn a_wait_is_a_range_from_what_was_measured() {
        let rows = [
            (0, advance(60, 30), Some((1, 2))),
            (599, advance(60, 30), Some((600, 1_200))),
            (599, advance(60, 90), Some((600, 600))),
            (599, None, None),
            (599, advance(0, 0), None),
            (599, advance(60, 0), None),
            (u64::MAX, advance(1, 1), None),
        ];
        for (ahead, advance, expected) in rows {
            let eta = estimate(ahead, advance).map(|eta| (eta.likely_seconds, eta.at_most_seconds));
            assert_eq!(eta, expected, "{ahead} ahead, {advance:?}");
        }
    }

    #[test]
    fn fewer_ahead_never_means_a_longer_wait() {
        let mut last = u64::MAX;
        for ahead in (0..10_000).rev().step_by(7) {
            let now = estimate(ahead, advance(120, 40)).unwrap().at_most_seconds;
            assert!(now <= last);
            last = now;
        }
    }
}
