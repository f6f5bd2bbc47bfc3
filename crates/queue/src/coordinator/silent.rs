//! Whose report is missing. Whoever has nothing to say sleeps, for hours perhaps, and a shard that nobody needed yet was never
//! there: neither is missed. But a child behind which visitors ask to enter, or have no number yet, reports every
//! [`PATIENT_SYNC`](crate::limits::PATIENT_SYNC) until they are answered.

use super::Coordinator;
use crate::child::{Child, ChildLine};
use crate::limits::GRANT_TO_HEARD;
use crate::units::UnixMillis;

impl Coordinator {
    /// How many shards and relays owe a report and were not heard within [`GRANT_TO_HEARD`]. A relay is one, whatever is
    /// behind it.
    pub fn silent(&self, now: UnixMillis) -> u16 {
        let now = now.max(self.clock.high());
        let is_silent =
            |child: &&Child| now.since(child.heard) > GRANT_TO_HEARD && owes_report(child);
        self.children.values().filter(is_silent).count() as u16
    }
}

fn owes_report(child: &Child) -> bool {
    let awaits = |line: &ChildLine| {
        let counters = &line.counters;
        line.demand() > 0 || counters.numbered < counters.joined
    };
    child.lines.iter().any(awaits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::PLANNED_PLACES;
    use crate::settings::{Limits, Mode, Settings};
    use crate::sync::Counters;
    use crate::units::Millis;
    use crate::whole_way;

    const T: UnixMillis = UnixMillis(1_800_000_000_000);

    /// How many of five shards are silent ten seconds after the last report and a moment, if one reported these counters
    /// and so many were granted there.
    fn silent_after(joined: u64, numbered: u64, claimed: u64, granted: u64) -> u16 {
        let settings = Settings {
            expected_visitors: 5 * PLANNED_PLACES,
            ..whole_way::settings(Mode::Always, Limits::default())
        };
        let mut coordinator = whole_way::coordinator(settings).reply;
        let mut child = Child::of_lines(1);
        child.heard = T;
        child.lines[0].granted = granted;
        child.lines[0].counters = Counters {
            joined,
            numbered,
            claimed,
            ..Counters::default()
        };
        coordinator.children.insert(3, child);
        assert_eq!(coordinator.silent(T.plus(GRANT_TO_HEARD)), 0, "just heard");
        coordinator.silent(T.plus(GRANT_TO_HEARD).plus(Millis(1)))
    }

    #[test]
    fn a_shard_is_missed_while_visitors_there_wait_for_an_answer_and_no_other_is() {
        for (joined, numbered, claimed, granted, silent) in [
            // Planned, and nobody needed it yet; then all have places and wait, or are inside.
            (0, 0, 0, 0, 0),
            (500, 500, 0, 0, 0),
            (500, 500, 40, 40, 0),
            // Somebody asks to enter, or has no number yet.
            (500, 500, 41, 40, 1),
            (501, 500, 40, 40, 1),
        ] {
            let seen = silent_after(joined, numbered, claimed, granted);
            assert_eq!(seen, silent, "{joined} {numbered} {claimed} {granted}");
        }
    }
}
