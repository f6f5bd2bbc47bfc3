//! The one task that drives an object: it sleeps until something is due or until it is rung.
//!
//! It is not one of the requests, so that no request's end takes it away; it ends by itself when
//! nothing is due, so that an idle object has no timer and can be put to sleep by the platform.

use core::cell::{Cell, RefCell};
use core::pin::pin;

use anteroom_queue::units::{Millis, UnixMillis};
use futures_channel::oneshot;
use futures_util::future::select;

use crate::meta::DAY;
use crate::platform;
use crate::uplink::LONGEST_PAUSE;

/// What is further ahead than this is left to the alarm, so that the object can be put to sleep
/// meanwhile (the platform needs 10 s without timers to do so).
pub const HORIZON: Millis = Millis(5_000);

/// While the pump is awake for a deadline, the alarm stands this much later, in case the instance
/// ends before. An alarm costs three rows written (set, armed again, cleared): under load this is
/// one alarm in half a minute instead of one for each of the pump's short sleeps.
const ALARM_BEHIND: Millis = Millis(30_000);

const _: () = assert!(HORIZON.0 >= LONGEST_PAUSE.0);

/// A deadline that could not be met is looked at again after this time.
const DEADLINE_GAP: Millis = Millis(100);

/// Where the pump is.
#[derive(Debug, Default)]
pub struct Pump {
    /// Until when it sleeps; `None`: it does not run.
    sleeps_until: Cell<Option<UnixMillis>>,
    bell: RefCell<Option<oneshot::Sender<()>>>,
}

/// When an object has to be looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// For the sake of somebody who waits.
    pub somebody: Option<UnixMillis>,
    /// For a deadline, whether or not anybody waits.
    pub deadline: Option<UnixMillis>,
    /// What follows from the rows and so has to be done even if this instance ends before.
    pub lasting: Option<UnixMillis>,
}

impl Due {
    /// When to look next; `None`: leave it to the alarm. A deadline that has passed was looked at
    /// and could not be met yet, so it is looked at again only after a while.
    pub fn look_at(self, now: UnixMillis) -> Option<UnixMillis> {
        let deadline = self.deadline.map(|at| {
            if at <= now {
                now.plus(DEADLINE_GAP)
            } else {
                at
            }
        });
        [self.somebody, deadline]
            .into_iter()
            .flatten()
            .min()
            .filter(|at| at.since(now) <= HORIZON)
    }

    /// What the alarm has to be set for; `None`: nothing within a day, the daily one will do.
    pub fn alarm_for(self, now: UnixMillis) -> Option<UnixMillis> {
        let next = self.lasting?;
        if next.since(now) <= HORIZON {
            return Some(next.max(now).plus(ALARM_BEHIND));
        }
        Some(next).filter(|at| at.since(now) < DAY)
    }
}

impl Pump {
    /// Something is due at `at`: wakes the pump if it would sleep longer, or should be awake already by a
    /// clock that has leapt. True when it does not run and has to be started; it then counts as running.
    pub fn has_to_start_for(&self, at: UnixMillis, now: UnixMillis) -> bool {
        match self.sleeps_until.get() {
            None => {
                self.sleeps_until.set(Some(UnixMillis(0)));
                true
            }
            Some(until) => {
                if (at < until || until < now)
                    && let Some(bell) = self.bell.take()
                {
                    // The receiver is gone only if the pump is on its way to look anyway.
                    let _ = bell.send(());
                }
                false
            }
        }
    }

    /// Sleeps until `at` or until the bell rings.
    pub async fn sleep(&self, at: UnixMillis, now: UnixMillis) {
        let (bell, rung) = oneshot::channel();
        self.sleeps_until.set(Some(at));
        *self.bell.borrow_mut() = Some(bell);
        let timer = pin!(platform::sleep(at.since(now)));
        select(timer, rung).await;
        self.bell.take();
        self.sleeps_until.set(Some(UnixMillis(0)));
    }

    /// The pump ends.
    pub fn stops(&self) {
        self.sleeps_until.set(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: UnixMillis = UnixMillis(1_000_000);

    fn after(millis: u64) -> Option<UnixMillis> {
        Some(T.plus(Millis(millis)))
    }

    fn due(somebody: Option<UnixMillis>, deadline: Option<UnixMillis>) -> Due {
        Due {
            somebody,
            deadline,
            lasting: deadline,
        }
    }

    #[test]
    fn what_is_near_is_waited_for_and_what_is_far_is_left_to_the_alarm() {
        let rows = [
            (None, None, None, None),
            (after(25), None, after(25), None),
            (None, after(5_000), after(5_000), after(35_000)),
            (None, after(5_001), None, after(5_001)),
            (after(60_000), after(90_000), None, after(90_000)),
            (after(25), after(90_000), after(25), after(90_000)),
        ];
        for (somebody, deadline, look, alarm) in rows {
            let due = due(somebody, deadline);
            assert_eq!(due.look_at(T), look, "{due:?}");
            assert_eq!(due.alarm_for(T), alarm, "{due:?}");
        }
    }

    #[test]
    fn what_is_a_day_ahead_or_in_a_far_year_is_left_to_the_daily_alarm() {
        for at in [T.plus(DAY), UnixMillis(32_472_144_000_000)] {
            let far = due(None, Some(at));
            assert_eq!((far.alarm_for(T), far.look_at(T)), (None, None));
        }
        let within = UnixMillis(T.plus(DAY).0 - 1);
        assert_eq!(due(None, Some(within)).alarm_for(T), Some(within));
    }

    #[test]
    fn a_deadline_that_could_not_be_met_does_not_spin() {
        let late = due(None, Some(UnixMillis(T.0 - 3_000)));
        assert_eq!(late.look_at(T), after(100));
        assert_eq!(late.alarm_for(T), after(30_000));
    }

    #[test]
    fn a_pump_is_started_once() {
        let pump = Pump::default();
        assert!(pump.has_to_start_for(T, T));
        assert!(!pump.has_to_start_for(T, T));
        pump.stops();
        assert!(pump.has_to_start_for(T, T));
    }

    #[test]
    fn the_bell_is_rung_for_what_is_due_sooner_and_after_a_leap_of_the_clock() {
        let sleeping = || {
            let pump = Pump::default();
            let (bell, rung) = oneshot::channel();
            pump.sleeps_until.set(after(4_000));
            *pump.bell.borrow_mut() = Some(bell);
            (pump, rung)
        };
        for (at, now, rings) in [
            (25, 0, true),
            (5_000, 0, false),
            (4_000, 4_000, false),
            (5_025, 5_000, true),
        ] {
            let (pump, mut rung) = sleeping();
            assert!(!pump.has_to_start_for(T.plus(Millis(at)), T.plus(Millis(now))));
            assert_eq!(rung.try_recv() == Ok(Some(())), rings, "{at} at {now}");
        }
    }
}
