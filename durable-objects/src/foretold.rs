//! How long a wait was said to be, and how long it was: now and then the coordinator notes what somebody who joins at this
//! moment would be told, and looks later when that place was called. It notes places by their position in the line, so a
//! line with a draw is followed only after the draw. What is noted lives in memory and is gone with a restart.

use std::collections::VecDeque;

use anteroom_queue::board::{LineBoard, Phase};
use anteroom_queue::units::{Millis, UnixMillis};
use serde::{Deserialize, Serialize};

use crate::handling_counts::HandlingCounts;

/// A place is noted so often at most.
const NOTED_EVERY: Millis = Millis(15_000);

/// So many are followed at the same time: those of a quarter of an hour, then one in two.
const MOST_FOLLOWED: usize = 60;

/// A wait that came true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CameTrue {
    /// What was said, in seconds.
    pub foretold_seconds: u64,
    /// What it took.
    pub took_seconds: u64,
    /// How many came true since the coordinator last started.
    pub count: u64,
}

/// How the room does its work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vitals {
    /// What edges counted of theirs and handed in, since the coordinator last started.
    pub handling: HandlingCounts,
    /// For each line, in the order of the board, the wait that came true last.
    pub came_true: Vec<Option<CameTrue>>,
}

/// The noted places of one line.
#[derive(Clone, Debug, Default)]
pub struct Foretold {
    noted: VecDeque<Noted>,
    last: Option<CameTrue>,
}

#[derive(Clone, Copy, Debug)]
struct Noted {
    rank: u64,
    at: UnixMillis,
    likely: Millis,
}

impl Foretold {
    /// Looks at the line as it is now.
    pub fn look(&mut self, line: &LineBoard, now: UnixMillis) {
        while let Some(first) = self
            .noted
            .front()
            .filter(|noted| noted.rank < line.called.0)
        {
            self.last = Some(CameTrue {
                foretold_seconds: first.likely.0 / 1_000,
                took_seconds: now.since(first.at).0 / 1_000,
                count: self.last.map_or(0, |last| last.count) + 1,
            });
            self.noted.pop_front();
        }
        let is_due = self
            .noted
            .back()
            .is_none_or(|noted| noted.at > now || now.since(noted.at) >= NOTED_EVERY);
        let waits = line.phase == Phase::Open && line.waiting() > 0;
        if !(is_due && waits) {
            return;
        }
        let Some(likely) = likely(line) else { return };
        if self.noted.len() == MOST_FOLLOWED {
            // Those that will come true first are kept, and every second of the others.
            let mut nth = 0;
            self.noted.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
        }
        self.noted.push_back(Noted {
            rank: line.entries.0,
            at: now,
            likely,
        });
    }

    /// The wait that came true last; `None`: none has.
    pub fn last(&self) -> Option<CameTrue> {
        self.last
    }
}

/// What somebody who joins now is told.
fn likely(line: &LineBoard) -> Option<Millis> {
    let ahead = line.waiting();
    let calls = ahead.saturating_add(1).saturating_mul(60_000);
    let per_minute = line.advance?.likely_milli_per_minute;
    Some(Millis(calls.checked_div(per_minute)?.saturating_mul(1_000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anteroom_queue::board::Advance;
    use anteroom_queue::units::{EntryNumber, Rank};

    const T: UnixMillis = UnixMillis(1_000_000);

    /// A line in which one is called each second.
    fn line(called: u64, entries: u64) -> LineBoard {
        let per_minute = 60_000;
        LineBoard {
            id: "general".to_owned(),
            phase: Phase::Open,
            opens_at: None,
            moved: None,
            called: Rank(called),
            lapsed: Rank(0),
            entries: EntryNumber(entries),
            advance: Some(Advance {
                likely_milli_per_minute: per_minute,
                least_milli_per_minute: per_minute,
            }),
            offers: Vec::new(),
            draw: None,
        }
    }

    fn after(seconds: u64) -> UnixMillis {
        T.plus(Millis(seconds * 1_000))
    }

    #[test]
    fn a_wait_that_came_true_is_held_against_what_was_said() {
        let mut foretold = Foretold::default();
        foretold.look(&line(0, 99), after(0));
        // The next is noted only later, and whoever joins then has more ahead.
        foretold.look(&line(1, 150), after(1));
        foretold.look(&line(15, 199), after(15));
        assert_eq!(foretold.last(), None);
        foretold.look(&line(99, 300), after(120));
        assert_eq!(foretold.last(), None, "the place is the next to be called");
        foretold.look(&line(100, 300), after(130));
        let first = CameTrue {
            foretold_seconds: 100,
            took_seconds: 130,
            count: 1,
        };
        assert_eq!(foretold.last(), Some(first));
        foretold.look(&line(200, 300), after(200));
        let second = CameTrue {
            foretold_seconds: 185,
            took_seconds: 185,
            count: 2,
        };
        assert_eq!(foretold.last(), Some(second));
    }

    #[test]
    fn nobody_is_followed_who_is_told_nothing_or_does_not_wait() {
        let mut unmeasured = line(0, 50);
        unmeasured.advance = None;
        let mut paused = line(0, 50);
        paused.phase = Phase::Paused;
        for nothing in [unmeasured, paused, line(50, 50)] {
            let mut foretold = Foretold::default();
            foretold.look(&nothing, after(0));
            foretold.look(&line(60, 60), after(60));
            assert_eq!(foretold.last(), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_long_line_is_followed_by_a_bounded_number_and_the_nearest_is_never_dropped() {
        let mut foretold = Foretold::default();
        for quarter in 0..1_000 {
            foretold.look(&line(0, 99 + quarter), after(quarter * 15));
        }
        assert!(foretold.noted.len() <= MOST_FOLLOWED);
        foretold.look(&line(100, 2_000), after(20_000));
        assert_eq!(foretold.last().map(|last| last.took_seconds), Some(20_000));
    }
}
