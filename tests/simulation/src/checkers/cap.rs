//! **cap**: sessions never exceed `max_active`, grants in any window never exceed the limits, at
//! the coordinator's clock; and from outside never more visitors are inside than were allowed. They hold for clocks that
//! are wrong by up to 5 s: once one leapt further, nothing is said any more.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Away, LimitsSeen, Observation, Tally, VisitorId};

/// One admission in the units of [`Window`]: a rate a minute refills `rate` units a millisecond.
const ADMISSION: u64 = 60_000;

/// Grants measured against a rate: how full the window is that may hold one second of the rate.
///
/// All windows at once: for every pair of grants, those from one to the other are at most
/// rate × time between + capacity if and only if this level never exceeds the capacity.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    level: u64,
    /// When the level was that: at the last grants or the last change of the rate.
    clock_ms: u64,
}

impl Window {
    /// The level at a later instant.
    fn level_at(&self, per_minute: u32, clock_ms: u64) -> u64 {
        let passed = clock_ms.saturating_sub(self.clock_ms);
        self.level
            .saturating_sub(passed.saturating_mul(u64::from(per_minute)))
    }

    /// The rate changes: a window across the change may hold one second of the higher rate.
    pub fn change(&mut self, from: u32, to: u32, clock_ms: u64) {
        let shrinks = Self::capacity(from).saturating_sub(Self::capacity(to));
        self.level = self.level_at(from, clock_ms).saturating_sub(shrinks);
        self.clock_ms = clock_ms;
    }

    /// Adds grants; whether no window holds more than allowed.
    pub fn add(&mut self, per_minute: u32, grants: u64, clock_ms: u64) -> bool {
        self.level = self
            .level_at(per_minute, clock_ms)
            .saturating_add(grants.saturating_mul(ADMISSION));
        self.clock_ms = clock_ms;
        self.level <= Self::capacity(per_minute)
    }

    /// Whether one more would be allowed.
    pub fn has_room(&self, per_minute: u32, clock_ms: u64) -> bool {
        self.level_at(per_minute, clock_ms) + ADMISSION <= Self::capacity(per_minute)
    }

    /// One admission, or one second of the rate: rate ÷ 60 admissions of 60,000 units.
    fn capacity(per_minute: u32) -> u64 {
        ADMISSION.max(u64::from(per_minute) * 1_000)
    }
}

/// Counts grants and the visitors inside.
pub struct Cap {
    terms: Terms,
    granted: u64,
    limits: LimitsSeen,
    window: Window,
    batch: (u64, u64),
    inside: BTreeMap<VisitorId, u64>,
    ends: BinaryHeap<Reverse<(u64, VisitorId)>>,
    /// The highest `max_active` ever in force; `None` once there was none.
    highest: Option<u32>,
    counted: bool,
    /// A clock was wrong by more than limits hold for.
    exempt: bool,
}

impl Cap {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            terms,
            granted: 0,
            limits: LimitsSeen::default(),
            window: Window::default(),
            batch: (0, 0),
            inside: BTreeMap::new(),
            ends: BinaryHeap::new(),
            highest: Some(0),
            counted: false,
            exempt: false,
        }
    }

    fn counted(&mut self, at_ms: u64, tally: Tally, findings: &mut Findings) {
        let grants = tally.granted.saturating_sub(self.granted);
        if tally.granted < self.granted {
            findings.broken(at_ms, Promise::Cap, || {
                format!("granted fell to {}", tally.granted)
            });
        }
        self.granted = self.granted.max(tally.granted);
        match (self.limits.per_minute, tally.limits.per_minute) {
            (Some(from), Some(to)) if from != to => self.window.change(from, to, tally.clock_ms),
            (_, None) => self.window = Window::default(),
            (_, Some(_)) => {}
        }
        if tally.limits.batch != self.limits.batch {
            self.batch = (0, 0);
        }
        self.limits = tally.limits;
        self.highest = match (self.counted, self.highest, tally.limits.max_active) {
            (_, Some(high), Some(limit)) => Some(high.max(limit)),
            _ => None,
        };
        self.counted = true;
        if grants > 0 {
            self.grants(at_ms, grants, tally, findings);
        }
    }

    fn grants(&mut self, at_ms: u64, grants: u64, tally: Tally, findings: &mut Findings) {
        if let Some(limit) = tally.limits.max_active
            && tally.active > u64::from(limit)
        {
            findings.broken(at_ms, Promise::Cap, || {
                format!("{grants} granted with {} active of {limit}", tally.active)
            });
        }
        if let Some(rate) = tally.limits.per_minute
            && !self.window.add(rate, grants, tally.clock_ms)
        {
            findings.broken(at_ms, Promise::Cap, || {
                format!(
                    "{grants} granted at {} exceed {rate} a minute",
                    tally.clock_ms
                )
            });
        }
        if let Some((size, every_ms)) = tally.limits.batch {
            let period = tally.clock_ms / every_ms.max(1);
            let before = if self.batch.0 == period {
                self.batch.1
            } else {
                0
            };
            self.batch = (period, before + grants);
            if before + grants > u64::from(size) {
                findings.broken(at_ms, Promise::Cap, || {
                    format!(
                        "{} granted in one period of {every_ms} ms, allowed {size}",
                        before + grants
                    )
                });
            }
        }
    }

    fn enters(&mut self, at_ms: u64, visitor: VisitorId, ends_ms: u64, findings: &mut Findings) {
        while let Some(Reverse((ends, gone))) = self.ends.peek().copied() {
            if ends > at_ms {
                break;
            }
            self.ends.pop();
            if self.inside.get(&gone) == Some(&ends) {
                self.inside.remove(&gone);
            }
        }
        let ends_ms = ends_ms.saturating_sub(self.terms.clock_slack_ms);
        self.inside.insert(visitor, ends_ms);
        self.ends.push(Reverse((ends_ms, visitor)));
        if let (true, Some(limit)) = (self.counted, self.highest)
            && self.inside.len() > limit as usize
        {
            let inside = self.inside.len();
            findings.broken(at_ms, Promise::Cap, || {
                format!("{inside} are inside, allowed {limit}")
            });
        }
    }
}

impl Checker for Cap {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::ClockLeapt { .. } => self.exempt = true,
            _ if self.exempt => {}
            Observation::Counted(tally) => self.counted(at_ms, tally, findings),
            Observation::FirstPass {
                visitor, ends_ms, ..
            }
            | Observation::Confirmed { visitor, ends_ms } => {
                self.enters(at_ms, visitor, ends_ms, findings);
            }
            // Whoever took the session over and does not use it is not seen: the home ends it as idle.
            Observation::TurnedAway {
                visitor,
                why: Away::Elsewhere,
            }
            | Observation::SessionLeft { visitor }
            | Observation::SessionOverTold { visitor }
            | Observation::LeftTold { visitor } => {
                self.inside.remove(&visitor);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histories::{TERMS, broken, first_pass};
    use super::*;

    fn check(history: &[(u64, Observation)]) -> u64 {
        broken(&mut Cap::new(TERMS), Promise::Cap, history)
    }

    fn counted(clock_ms: u64, granted: u64, active: u64, limits: LimitsSeen) -> (u64, Observation) {
        let tally = Tally {
            clock_ms,
            granted,
            active,
            open: true,
            limits,
            ..Tally::default()
        };
        (clock_ms, Observation::Counted(tally))
    }

    const TWO: LimitsSeen = LimitsSeen {
        max_active: Some(2),
        per_minute: None,
        batch: None,
    };
    const RATE: LimitsSeen = LimitsSeen {
        max_active: None,
        per_minute: Some(120),
        batch: None,
    };
    const BATCH: LimitsSeen = LimitsSeen {
        max_active: None,
        per_minute: None,
        batch: Some((2, 1_000)),
    };

    #[test]
    fn a_grant_beyond_max_active_breaks_it_and_a_lowered_limit_alone_does_not() {
        let one = LimitsSeen {
            max_active: Some(1),
            ..TWO
        };
        assert_eq!(
            check(&[
                counted(0, 2, 2, TWO),
                counted(1, 2, 2, one),
                counted(2, 3, 1, one)
            ]),
            0
        );
        assert_eq!(check(&[counted(0, 3, 3, TWO)]), 1);
    }

    #[test]
    fn a_window_may_hold_one_second_of_the_rate_more_and_no_more() {
        let kept = [
            counted(0, 2, 2, RATE),
            counted(500, 3, 3, RATE),
            counted(1_500, 5, 5, RATE),
        ];
        assert_eq!(check(&kept), 0);
        assert_eq!(
            check(&[counted(0, 2, 2, RATE), counted(499, 3, 3, RATE)]),
            1
        );
        assert_eq!(check(&[counted(0, 3, 3, RATE)]), 1);
    }

    #[test]
    fn a_lowered_rate_holds_at_once_and_a_window_across_the_change_gets_no_second_start() {
        let slow = LimitsSeen {
            per_minute: Some(60),
            ..RATE
        };
        let before = counted(0, 2, 2, RATE);
        assert_eq!(
            check(&[before, counted(500, 2, 2, slow), counted(1_000, 3, 3, slow)]),
            0
        );
        assert_eq!(check(&[before, counted(1, 3, 3, slow)]), 1);
        assert_eq!(
            check(&[before, counted(500, 2, 2, slow), counted(1_000, 4, 4, slow)]),
            1
        );
    }

    #[test]
    fn a_period_takes_its_batch_and_no_more() {
        assert_eq!(
            check(&[counted(900, 2, 2, BATCH), counted(1_000, 4, 4, BATCH)]),
            0
        );
        assert_eq!(
            check(&[counted(1_000, 2, 2, BATCH), counted(1_900, 3, 3, BATCH)]),
            1
        );
    }

    #[test]
    fn from_a_clock_that_leapt_on_nothing_is_said_of_limits() {
        let leapt = (0, Observation::ClockLeapt { shard: None });
        assert_eq!(check(&[leapt, counted(0, 3, 3, TWO)]), 0);
        assert_eq!(check(&[counted(0, 3, 3, TWO), leapt]), 1);
    }

    #[test]
    fn a_visitor_too_many_inside_breaks_it_until_one_is_gone() {
        let start = counted(0, 0, 0, TWO);
        let enter = |visitor| (1, first_pass(visitor, 100));
        assert_eq!(check(&[start, enter(0), enter(1), enter(2)]), 1);
        let left = (1, Observation::SessionLeft { visitor: 0 });
        assert_eq!(check(&[start, enter(0), enter(1), left, enter(2)]), 0);
        for (why, broken) in [(Away::Elsewhere, 0), (Away::Unreachable, 1)] {
            let turned_away = (1, Observation::TurnedAway { visitor: 0, why });
            let history = [start, enter(0), enter(1), turned_away, enter(2)];
            assert_eq!(check(&history), broken, "{why:?}");
        }
        assert_eq!(
            check(&[start, enter(0), enter(1), (100, first_pass(2, 200))]),
            0
        );
    }
}
