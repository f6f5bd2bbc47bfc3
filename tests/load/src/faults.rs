//! What a fault hides: news that could not travel while the room was down or stood still.

use std::time::Duration;

use crate::history::{History, Moment};

/// How long before a fault a grant may have been made whose news the fault held up, and how long
/// after its end a shard may still hear of it.
const NEWS_UNDER_WAY: Duration = Duration::from_secs(1);

/// A visitor who was told "not yet" during a fault or right after it may have been granted before
/// it: what is known of the grant is only that it was not made before the fault began.
pub fn allow_for(history: &mut History) {
    let mut faults: Vec<(Moment, Moment)> = history
        .faults
        .iter()
        .map(|fault| {
            (
                fault.from.minus(NEWS_UNDER_WAY),
                fault.until.plus(NEWS_UNDER_WAY),
            )
        })
        .collect();
    // The latest first, so that one that runs into an earlier one is followed back through it.
    faults.sort_unstable_by_key(|(from, _)| std::cmp::Reverse(*from));
    for visitor in &mut history.visitors {
        let Some(session) = &mut visitor.session else {
            continue;
        };
        // Who had no place yet was granted nothing.
        let Some(placed) = visitor.sightings.iter().map(|seen| seen.sent).min() else {
            continue;
        };
        for (from, until) in &faults {
            if (*from..=*until).contains(&session.granted_after) {
                session.granted_after = (*from).max(placed).min(session.granted_after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::{at, seen, session};
    use crate::history::{Fault, State};

    #[test]
    fn a_grant_whose_news_a_fault_held_up_may_be_as_old_as_the_fault_or_the_place() {
        let fault = |from, until| Fault {
            what: "kill".to_owned(),
            from: at(from),
            until: at(until),
        };
        for (joined, granted_after, known) in [
            (1_000, 20_000, 20_000),
            (1_000, 10_500, 9_000),
            (9_500, 10_500, 9_500),
            (1_000, 12_900, 9_000),
            (1_000, 14_000, 9_000),
            (1_000, 15_100, 15_100),
        ] {
            let mut visitor = session(granted_after, granted_after + 10, 60_000);
            visitor.sightings = vec![seen(joined, joined + 5, State::Waiting, 1, 2, 1)];
            let mut history = History {
                visitors: vec![visitor],
                faults: vec![fault(10_000, 12_000), fault(13_000, 14_000)],
                ..History::default()
            };
            allow_for(&mut history);
            let after = history.visitors[0]
                .session
                .map(|session| session.granted_after);
            assert_eq!(after, Some(at(known)), "{joined} {granted_after}");
        }
    }
}
