//! **brake**: no grant after a pause, stop, sold out or close is acknowledged; from 2 s after that
//! on, no first pass.

use std::time::Duration;

use crate::history::{Act, History, Moment};

/// What stops grants.
const BRAKES: [&str; 4] = ["pause", "stop", "soldout", "close"];

/// What may let them go on.
const RELEASES: [&str; 3] = ["resume", "open", "off"];

/// How long an edge may still hand out the pass of a grant that was made before.
const LAST_FIRST_PASSES: Duration = Duration::from_secs(2);

/// The grain of the clock that operators' acts are told in.
const CLOCK_GRAIN: Duration = Duration::from_millis(2);

/// Sessions that cannot have begun before a brake nor after it was released.
pub fn check(history: &History) -> Vec<String> {
    let mut broken = Vec::new();
    for (at, act) in history.acts.iter().enumerate() {
        if !BRAKES.contains(&act.did.as_str()) {
            continue;
        }
        let released = released(&history.acts[at + 1..]);
        let braked = act.acknowledged.plus(CLOCK_GRAIN);
        for (index, visitor) in history.visitors.iter().enumerate() {
            let Some(session) = visitor
                .session
                .filter(|session| session.received < released)
            else {
                continue;
            };
            if session.granted_after > braked {
                broken.push(format!("visitor {index} was granted after the {}", act.did));
            } else if session.asked > braked.plus(LAST_FIRST_PASSES) {
                broken.push(format!(
                    "visitor {index} got the first pass later than {} s after the {}",
                    LAST_FIRST_PASSES.as_secs(),
                    act.did
                ));
            }
        }
    }
    broken
}

/// When the brake may have been released.
fn released(later: &[Act]) -> Moment {
    later
        .iter()
        .find(|act| RELEASES.contains(&act.did.as_str()))
        .map_or(Moment(u64::MAX), |act| act.sent.minus(CLOCK_GRAIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::{at, session};

    fn act(did: &str, sent: u64, acknowledged: u64) -> Act {
        Act {
            did: did.to_owned(),
            sent: at(sent),
            acknowledged: at(acknowledged),
        }
    }

    #[test]
    fn whoever_surely_comes_in_while_the_brake_is_on_is_seen() {
        let acts = vec![act("pause", 1_000, 1_050), act("resume", 9_000, 9_050)];
        for (granted_after, asked, received, count) in [
            (900, 900, 3_000, 0),
            (1_040, 1_040, 3_000, 0),
            (1_060, 1_060, 3_000, 1),
            (900, 3_100, 3_200, 1),
            (900, 3_000, 3_200, 0),
            (1_060, 8_990, 9_001, 0),
            (9_100, 9_100, 9_200, 0),
        ] {
            let mut visitor = session(granted_after, received, 60_000);
            if let Some(session) = &mut visitor.session {
                session.asked = at(asked);
            }
            let history = History {
                visitors: vec![visitor],
                acts: acts.clone(),
                ..History::default()
            };
            assert_eq!(
                check(&history).len(),
                count,
                "{granted_after} {asked} {received}"
            );
        }
    }

    #[test]
    fn a_brake_that_nobody_releases_holds_to_the_end() {
        let history = History {
            visitors: vec![session(5_000, 6_000, 7_000)],
            acts: vec![act("soldout", 1_000, 1_050), act("message", 2_000, 2_010)],
            ..History::default()
        };
        assert_eq!(check(&history).len(), 1);
    }
}
