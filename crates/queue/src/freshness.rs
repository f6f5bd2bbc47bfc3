//! How old the board is, by the platform's clock as it reads.
//!
//! Everything else goes by time that does not run backwards: a clock that was set back a little stands still there.
//! An age must not stand still with it, or a brake would go unheard for as long. So a clock that was set back makes the
//! age unknown, until a report that left after that is answered.

use crate::limits::UNKNOWN_AGE;
use crate::units::{Millis, UnixMillis};

/// What is known of when the board was true.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freshness {
    /// The clock's last reading.
    looked: UnixMillis,
    /// The reading when the last report left, unless the clock was set back since.
    asked: Option<UnixMillis>,
    /// The reading when the report left whose answer told of the board, unless the clock was set back since.
    heard: Option<UnixMillis>,
    was_set_back: bool,
}

impl Freshness {
    /// Nothing is heard yet.
    pub(crate) const fn new(now: UnixMillis) -> Self {
        Self {
            looked: now,
            asked: None,
            heard: None,
            was_set_back: false,
        }
    }

    /// The clock reads `now`.
    pub(crate) fn look(&mut self, now: UnixMillis) {
        if now < self.looked {
            (self.asked, self.heard, self.was_set_back) = (None, None, true);
        }
        self.looked = now;
    }

    /// A report leaves.
    pub(crate) const fn ask(&mut self) {
        self.asked = Some(self.looked);
    }

    /// A report is answered: the one that left at `sent`, which `is_last` or was followed by another. What was answered may
    /// have been true only until so long `behind` that. What a report of before the last says when it left means something
    /// only to a clock that was never set back.
    pub(crate) fn hear(&mut self, sent: UnixMillis, is_last: bool, behind: Millis) {
        let heard = match (is_last, self.was_set_back) {
            (true, _) => self.asked,
            (false, false) => Some(sent.min(self.looked)),
            (false, true) => None,
        };
        self.heard = self.heard.max(heard.map(|heard| heard.minus(behind)));
    }

    /// The clock's last reading.
    pub(crate) const fn looked(&self) -> UnixMillis {
        self.looked
    }

    /// The age of the board when the clock reads `now`.
    pub(crate) fn age(&self, now: UnixMillis) -> Millis {
        match self.heard {
            Some(heard) if now >= self.looked => now.since(heard),
            _ => UNKNOWN_AGE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64) -> UnixMillis {
        UnixMillis(second * 1_000)
    }

    fn heard_at(second: u64) -> Freshness {
        let mut freshness = Freshness::new(at(0));
        freshness.look(at(second));
        freshness.ask();
        freshness.hear(at(second), true, Millis(0));
        freshness
    }

    #[test]
    fn a_board_ages_from_when_the_report_left() {
        let mut freshness = heard_at(10);
        assert_eq!(freshness.age(at(11)), Millis(1_000));
        freshness.look(at(12));
        freshness.ask();
        freshness.look(at(14));
        freshness.hear(at(11), false, Millis(0));
        assert_eq!(
            freshness.age(at(14)),
            Millis(3_000),
            "an older report's answer"
        );
        freshness.hear(at(12), true, Millis(0));
        assert_eq!(freshness.age(at(14)), Millis(2_000));
    }

    #[test]
    fn after_a_clock_was_set_back_the_age_is_unknown_until_a_later_report_is_answered() {
        let mut freshness = heard_at(10);
        assert_eq!(freshness.age(at(9)), UNKNOWN_AGE, "before anybody looks");
        freshness.look(at(8));
        assert_eq!(freshness.age(at(8)), UNKNOWN_AGE);
        assert_eq!(freshness.age(at(12)), UNKNOWN_AGE, "however late it is");
        freshness.hear(at(10), true, Millis(0));
        assert_eq!(
            freshness.age(at(12)),
            UNKNOWN_AGE,
            "a report of before is answered"
        );
        freshness.look(at(9));
        freshness.ask();
        freshness.hear(at(9), true, Millis(0));
        assert_eq!(freshness.age(at(11)), Millis(2_000));
    }
}
