//! An object's one alarm: set only when it moves earlier, since every setting is a row written.
//!
//! The platform calls an alarm at least once, tries a failing one a few times and then forgets it.
//! So the alarm is armed anew before anything else is done when it comes, and whoever looks at the
//! book after an alarm should have come and did not (a request, a poll) sets it again.
//!
//! An object always has an alarm, at most a day ahead, although nothing is due: only so does one
//! whose run the configuration has left behind notice that, and delete itself in the end. A fresh
//! instance with nothing due asks the platform whether that alarm still stands (a read) instead of
//! setting it anew (a row written) each time a quiet object is woken by a request.

use anteroom_queue::units::{Millis, UnixMillis};

use crate::meta::DAY;

/// While an alarm is being carried out, another stands this far ahead in case that fails.
const REARM: Millis = Millis(10_000);

/// Two alarms are at least this far apart: a deadline that cannot be met yet does not spin.
const SHORTEST_GAP: Millis = Millis(250);

/// An alarm that has not come this long after its time is taken to be lost: the platform may be
/// up to a minute late.
const LOST_AFTER: Millis = Millis(60_000);

/// Whether an alarm set for that instant may still come.
fn is_awaited(set: UnixMillis, now: UnixMillis) -> bool {
    now.since(set) <= LOST_AFTER
}

/// What the object knows about its alarm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlarmBook {
    set_for: Option<UnixMillis>,
    /// The platform is being asked what stands.
    is_asking: bool,
}

impl AlarmBook {
    /// The next deadline is at `wanted`: what the alarm has to be set for, if it has to be set.
    pub fn wants(&mut self, wanted: Option<UnixMillis>, now: UnixMillis) -> Option<UnixMillis> {
        let wanted = wanted?.max(now.plus(SHORTEST_GAP));
        let stands = self
            .set_for
            .is_some_and(|set| set <= wanted && is_awaited(set, now));
        (!stands).then(|| self.set(wanted))
    }

    /// The alarm has come: the first thing to do is to arm it again.
    pub fn comes(&mut self, now: UnixMillis) -> UnixMillis {
        self.set(now.plus(REARM))
    }

    /// The alarm is carried out: the next one is wanted at `wanted`, or in a day.
    pub fn done(&mut self, wanted: Option<UnixMillis>, now: UnixMillis) -> UnixMillis {
        let wanted = wanted.unwrap_or(now.plus(DAY));
        self.set(wanted.max(now.plus(SHORTEST_GAP)))
    }

    /// Nothing is due within a day: whether the platform has to be asked what alarm stands.
    pub fn has_to_ask(&mut self, now: UnixMillis) -> bool {
        let known = self.set_for.is_some_and(|set| is_awaited(set, now));
        !known && !core::mem::replace(&mut self.is_asking, true)
    }

    /// What stands, as the platform says (`None`: nothing, or it did not say): what the alarm has to
    /// be set for, if it has to be set.
    pub fn stands(&mut self, at: Option<UnixMillis>, now: UnixMillis) -> Option<UnixMillis> {
        self.is_asking = false;
        let known = self.set_for.filter(|set| is_awaited(*set, now));
        let found = at.filter(|at| is_awaited(*at, now) && *at <= now.plus(DAY));
        self.set_for = known.or(found);
        match self.set_for {
            Some(_) => None,
            None => Some(self.set(now.plus(DAY))),
        }
    }

    fn set(&mut self, at: UnixMillis) -> UnixMillis {
        self.set_for = Some(at);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: UnixMillis = UnixMillis(1_000_000);

    fn after(seconds: u64) -> UnixMillis {
        T.plus(Millis::from_seconds(seconds))
    }

    #[test]
    fn the_alarm_is_set_only_when_it_moves_earlier() {
        let mut book = AlarmBook::default();
        let rows = [
            (None, None),
            (Some(after(20)), Some(after(20))),
            (Some(after(20)), None),
            (Some(after(30)), None),
            (None, None),
            (Some(after(5)), Some(after(5))),
        ];
        for (wanted, told) in rows {
            assert_eq!(book.wants(wanted, T), told, "wanted {wanted:?}");
        }
    }

    #[test]
    fn the_alarm_is_armed_again_before_it_is_carried_out_and_then_set_to_the_next_deadline() {
        let mut book = AlarmBook::default();
        book.wants(Some(T), T);
        assert_eq!(book.comes(T), after(10));
        assert_eq!(book.wants(Some(after(20)), T), None);
        assert_eq!(book.done(Some(after(20)), T), after(20));
        assert_eq!(book.comes(after(20)), after(30));
        assert_eq!(book.done(None, after(20)), after(20).plus(DAY));
        assert_eq!(book.wants(Some(after(90)), after(20)), Some(after(90)));
    }

    #[test]
    fn an_object_with_nothing_due_has_an_alarm_within_a_day_and_sets_it_only_if_none_stands() {
        let tomorrow = Some(T.plus(DAY));
        let lost = UnixMillis(T.0 - 70_000);
        let rows = [
            (None, tomorrow),
            (Some(after(20)), None),
            (Some(T.plus(DAY)), None),
            (Some(after(1).plus(DAY)), tomorrow),
            (Some(lost), tomorrow),
        ];
        for (stands, told) in rows {
            let mut book = AlarmBook::default();
            assert!(book.has_to_ask(T) && !book.has_to_ask(T), "it asks once");
            assert_eq!(book.stands(stands, T), told, "{stands:?}");
            assert!(!book.has_to_ask(T), "it knows");
        }
    }

    #[test]
    fn an_alarm_set_while_the_platform_is_asked_stands() {
        let mut book = AlarmBook::default();
        assert!(book.has_to_ask(T));
        book.wants(Some(after(5)), T);
        assert_eq!(book.stands(None, T), None);
        assert_eq!(book.wants(Some(after(5)), T), None);
    }

    #[test]
    fn a_lost_alarm_is_mended_by_whoever_looks_next() {
        let mut book = AlarmBook::default();
        book.wants(Some(after(1)), T);
        assert_eq!(book.wants(Some(after(1)), after(61)), None);
        let mended = after(62).plus(SHORTEST_GAP);
        assert_eq!(book.wants(Some(after(1)), after(62)), Some(mended));
    }

    #[test]
    fn a_deadline_that_cannot_be_met_yet_does_not_spin() {
        let mut book = AlarmBook::default();
        assert_eq!(book.done(Some(T), after(1)), after(1).plus(SHORTEST_GAP));
    }
}
