//! What must hold, checked on what visitors, and the operator see. Order is checked exactly: an entry number is
//! above every one that was acknowledged before its visitor began.

use crate::checkers::cap::Cap;
use crate::checkers::{Checker, Findings, Promise, Terms};
use crate::observation::{Observation, Tally};

/// From so long after a brake is acknowledged on no first pass is given out.
const BRAKE_MS: u64 = 2_000;

/// Everything that is checked.
pub struct Checks {
    /// Broken promises.
    pub findings: Findings,
    cap: Cap,
    /// One bit for each entry number that was given out.
    numbers: Vec<u64>,
    /// How many were.
    pub acknowledged: u64,
    /// At each home: joins that were sent there, and those that were acknowledged.
    homes: Vec<(u32, u32)>,
    /// All numbers acknowledged up to now are below this, and those up to the millisecond before.
    below: u32,
    floor: u32,
    granted: u64,
    sessions: u64,
    braked_since: Option<u64>,
}

impl Checks {
    /// For so many visitors, who get at most so many numbers: one each, and one more for each join that is lost on its way.
    pub fn new(visitors: u32, most_numbers: u32) -> Self {
        let terms = Terms {
            visitors,
            ..Terms::default()
        };
        Self {
            findings: Findings::default(),
            cap: Cap::new(terms),
            numbers: vec![0; (most_numbers as usize).div_ceil(64)],
            acknowledged: 0,
            homes: Vec::new(),
            below: 0,
            floor: 0,
            granted: 0,
            sessions: 0,
            braked_since: None,
        }
    }

    /// A millisecond begins: a join that begins in it has to come after everything acknowledged before it.
    pub const fn begin(&mut self) -> u32 {
        self.floor = self.below;
        self.floor
    }

    /// A join is sent to a home.
    pub fn sent(&mut self, home: u16) {
        let home = usize::from(home);
        if self.homes.len() <= home {
            self.homes.resize(home + 1, (0, 0));
        }
        self.homes[home].0 += 1;
    }

    /// A visitor who began with that floor has this number, from that home.
    pub fn acknowledged(&mut self, home: u16, entry: u32, floor: u32, now: u64) {
        self.homes[usize::from(home)].1 += 1;
        if entry < floor {
            self.findings.broken(now, Promise::Order, || {
                format!(
                    "number {entry} to a join that began after {} was acknowledged",
                    floor - 1
                )
            });
        }
        let (word, bit) = ((entry / 64) as usize, 1_u64 << (entry % 64));
        match self.numbers.get_mut(word) {
            Some(numbers) if *numbers & bit == 0 => *numbers |= bit,
            Some(_) => self.broken(now, Promise::UniquePlace, || {
                format!("number {entry} was given out twice")
            }),
            None => self.broken(now, Promise::UniquePlace, || {
                format!("number {entry} to fewer visitors")
            }),
        }
        self.acknowledged += 1;
        self.below = self.below.max(entry + 1);
    }

    fn broken(&mut self, now: u64, promise: Promise, what: impl FnOnce() -> String) {
        self.findings.broken(now, promise, what);
    }

    /// The coordinator has stored a step.
    pub fn counted(&mut self, tally: Tally, now: u64) {
        if self.braked_since.is_some() && tally.granted > self.granted {
            let more = tally.granted - self.granted;
            self.broken(now, Promise::Brake, || {
                format!("{more} grants while paused")
            });
        }
        self.granted = tally.granted;
        self.cap
            .see(now, &Observation::Counted(tally), &mut self.findings);
    }

    /// A first pass may be signed: a shard has told a session to an edge.
    pub fn session(&mut self, now: u64) {
        self.sessions += 1;
        if self.sessions > self.granted {
            let (sessions, granted) = (self.sessions, self.granted);
            self.broken(now, Promise::Cap, || {
                format!("{sessions} sessions of {granted} grants")
            });
        }
        if self
            .braked_since
            .is_some_and(|since| now > since + BRAKE_MS)
        {
            self.broken(now, Promise::Brake, || {
                "a first pass while paused".to_owned()
            });
        }
    }

    /// A pause is acknowledged, or ended.
    pub const fn brake(&mut self, since: Option<u64>) {
        self.braked_since = since;
    }

    /// Sessions that were told.
    pub const fn sessions(&self) -> u64 {
        self.sessions
    }

    /// The end: everybody whose home is not `lost` has a number; if none is, there is no number that nobody has.
    pub fn over(&mut self, lost: &[u16], now: u64) {
        for (home, (sent, acknowledged)) in (0..).zip(std::mem::take(&mut self.homes)) {
            if sent != acknowledged && !lost.contains(&home) {
                self.broken(now, Promise::NoLostPlace, || {
                    format!("{acknowledged} of {sent} joins of shard {home} were acknowledged")
                });
            }
        }
        let given = self.numbers.iter().map(|word| word.count_ones());
        let given: u64 = given.map(u64::from).sum();
        if given != u64::from(self.below) && lost.is_empty() {
            let below = self.below;
            self.broken(now, Promise::UniquePlace, || {
                format!("{given} of the numbers below {below} were given out")
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(numbers: &[(u32, u32)], visitors: u32) -> Vec<Promise> {
        let mut checks = Checks::new(visitors, visitors);
        (0..visitors).for_each(|_| checks.sent(0));
        for (entry, floor) in numbers {
            checks.acknowledged(0, *entry, *floor, 1);
        }
        checks.over(&[], 2);
        checks.findings.counts.into_keys().collect()
    }

    #[test]
    fn a_number_below_one_acknowledged_before_breaks_the_order() {
        assert_eq!(broken(&[(0, 0), (2, 1), (1, 1)], 3), []);
        assert_eq!(broken(&[(0, 0), (2, 1), (1, 3)], 3), [Promise::Order]);
    }

    #[test]
    fn numbers_are_given_out_once_and_without_gaps() {
        assert_eq!(broken(&[(0, 0), (0, 0)], 2), [Promise::UniquePlace]);
        assert_eq!(broken(&[(0, 0), (2, 0)], 2), [Promise::UniquePlace]);
        assert_eq!(broken(&[(0, 0)], 2), [Promise::NoLostPlace]);
    }

    #[test]
    fn grants_and_first_passes_while_paused_break_the_brake() {
        let mut checks = Checks::new(4, 4);
        let tally = |granted| Tally {
            granted,
            ..Tally::default()
        };
        checks.counted(tally(1), 1);
        checks.brake(Some(10));
        checks.session(2_010);
        checks.counted(tally(1), 2_010);
        assert_eq!(checks.findings.total(), 0);
        checks.session(2_011);
        checks.counted(tally(2), 2_011);
        let counts = &checks.findings.counts;
        assert_eq!(counts.get(&Promise::Brake), Some(&2));
        assert_eq!(counts.get(&Promise::Cap), Some(&1));
    }
}
