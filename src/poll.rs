//! How soon a waiting visitor should ask again: the nearer the turn, the sooner. The page adds the jitter.

use anteroom_queue::limits::LATEST_APPOINTMENT;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::eta::Eta;
use crate::standing::Stand;

/// Near the turn: a change is seen within this time.
pub const SHORTEST_POLL: Millis = Millis(2_000);
/// Far from it: what a polled board may be behind at most.
pub const LONGEST_POLL: Millis = Millis(10_000);
/// Under overload (the board could not be brought up to date) everybody asks this much less often:
/// up to 30 s.
const SLOWER_WHEN_OVERLOADED: u64 = 3;
/// A board this old says that the objects do not keep up.
const OVERLOADED_AFTER: Millis = Millis(5_000);
/// A visitor asks about this many times during the likely wait, within the two limits above.
const POLLS_DURING_A_WAIT: u64 = 20;
/// Without an estimate: so many ahead are near.
const NEAR: u64 = 100;
/// Without an estimate: fewer than this are not far.
const MIDDLE: u64 = 1_000;
/// How soon before the opening everybody is near.
const SOON: Millis = Millis(60_000);

const _: () = assert!(SHORTEST_POLL.0 < LONGEST_POLL.0);

/// How long to wait before the next poll.
pub fn interval(
    stand: Stand,
    ahead: Option<u64>,
    eta: Option<Eta>,
    opens_at: Option<UnixMillis>,
    now: UnixMillis,
) -> Millis {
    match (stand, ahead) {
        (Stand::Provisional | Stand::Called | Stand::Pending, _) => SHORTEST_POLL,
        (Stand::Waiting, Some(ahead)) => waiting(ahead, eta),
        (Stand::None | Stand::Waiting, _) => until_the_opening(opens_at, now),
        (
            Stand::Admitted
            | Stand::Ended
            | Stand::Lapsed
            | Stand::Left
            | Stand::Elsewhere
            | Stand::Recheck,
            _,
        ) => LONGEST_POLL,
    }
}

/// Not before the home said to ask again, by its own clock, and never so late that a grant would be given back.
pub fn appointed(interval: Millis, ask_again: Option<UnixMillis>, now: UnixMillis) -> Millis {
    let wait = ask_again.map_or(Millis(0), |at| at.since(now).min(LATEST_APPOINTMENT));
    interval.max(wait)
}

/// The same while the objects do not keep up, told by the age of the board: so much less often that
/// what they still can do goes to those who enter.
pub fn under_load(interval: Millis, board_age: Option<Millis>) -> Millis {
    match board_age {
        Some(age) if age > OVERLOADED_AFTER => Millis(interval.0 * SLOWER_WHEN_OVERLOADED),
        _ => interval,
    }
}

fn waiting(ahead: u64, eta: Option<Eta>) -> Millis {
    let wanted = match eta {
        Some(eta) => eta.likely_seconds.saturating_mul(1_000) / POLLS_DURING_A_WAIT,
        None if ahead < NEAR => SHORTEST_POLL.0,
        None if ahead < MIDDLE => SHORTEST_POLL.0 * 2,
        None => LONGEST_POLL.0,
    };
    Millis(wanted.clamp(SHORTEST_POLL.0, LONGEST_POLL.0))
}

fn until_the_opening(opens_at: Option<UnixMillis>, now: UnixMillis) -> Millis {
    match opens_at {
        Some(opens_at) if opens_at.since(now) > SOON => LONGEST_POLL,
        _ => Millis(SHORTEST_POLL.0 * 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_come_sooner_the_nearer_the_turn() {
        let eta = |likely_seconds| {
            Some(Eta {
                likely_seconds,
                at_most_seconds: likely_seconds * 2,
            })
        };
        let rows = [
            (Stand::Called, None, None, 2_000),
            (Stand::Pending, None, None, 2_000),
            (Stand::Provisional, None, None, 2_000),
            (Stand::Waiting, Some(3), eta(5), 2_000),
            (Stand::Waiting, Some(300), eta(100), 5_000),
            (Stand::Waiting, Some(300_000), eta(6_000), 10_000),
            (Stand::Waiting, Some(99), None, 2_000),
            (Stand::Waiting, Some(999), None, 4_000),
            (Stand::Waiting, Some(1_000), None, 10_000),
            (Stand::None, None, None, 4_000),
            (Stand::Left, None, None, 10_000),
        ];
        for (stand, ahead, eta, expected) in rows {
            assert_eq!(
                interval(stand, ahead, eta, None, UnixMillis(0)).0,
                expected,
                "{stand:?} {ahead:?}"
            );
        }
    }

    #[test]
    fn a_home_may_say_later_but_neither_sooner_nor_after_a_grant_would_be_given_back() {
        let now = UnixMillis(1_000_000);
        for (after, expected) in [
            (None, 2_000),
            (Some(500), 2_000),
            (Some(9_000), 9_000),
            (Some(90_000), 25_000),
        ] {
            let at = after.map(|after| now.plus(Millis(after)));
            assert_eq!(
                appointed(SHORTEST_POLL, at, now),
                Millis(expected),
                "{after:?}"
            );
        }
    }

    #[test]
    fn everybody_asks_less_often_while_the_board_is_old_and_at_least_every_thirty_seconds() {
        for (age, expected) in [(None, 10_000), (Some(5_000), 10_000), (Some(5_001), 30_000)] {
            let slowed = under_load(LONGEST_POLL, age.map(Millis));
            assert_eq!(slowed, Millis(expected), "{age:?}");
        }
    }

    #[test]
    fn a_minute_before_the_opening_everybody_asks_more_often() {
        let opens_at = Some(UnixMillis(100_000));
        assert_eq!(
            interval(Stand::None, None, None, opens_at, UnixMillis(39_999)),
            LONGEST_POLL
        );
        assert_eq!(
            interval(Stand::None, None, None, opens_at, UnixMillis(40_000)),
            Millis(4_000)
        );
    }
}
