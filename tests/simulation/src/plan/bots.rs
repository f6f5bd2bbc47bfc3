//! Twenty bots to a person: a flood of programs at the opening, against what the organizer put in their way.

use anteroom_challenge::{Difficulty, PUZZLES};
use anteroom_queue::coordinator::command::Action;
use anteroom_queue::units::Millis;

use super::{Beacon, MINUTE_MS, Plan, START, Step, event};
use crate::chance::mixed;
use crate::observation::VisitorId;

/// Bots for each person: as bad as large sales have been.
const BOTS_PER_PERSON: u32 = 20;

/// Visitors for each rented machine that bots run on, which has a network of its own.
const VISITORS_PER_MACHINE: u32 = 320;

/// What a rented machine hashes in a millisecond: four cores at ten million a second.
const HASHES_PER_MS: u64 = 4 * 10_000;

/// What a person's phone hashes in a millisecond.
const PHONE_HASHES_PER_MS: u64 = 1_500;

/// Bits more than base that a rented machine is asked for: for its network, and later for how many come from there.
const MACHINE_BITS: u8 = Difficulty::MOST_MORE;

/// Without work a machine joins so often.
const BARE_JOIN_MS: u64 = 5;

/// People come within this time of the opening, or before it where there is a draw.
const PEOPLE_MS: u64 = MINUTE_MS;

/// Where there is a draw, joins are taken so long before it.
const PREQUEUE_MS: u64 = 10 * MINUTE_MS;

/// How long the sale goes on.
const SALE_MS: u64 = 6 * MINUTE_MS;

/// What stands between bots and the first places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defence {
    /// First come, first served, and no work.
    Nothing,
    /// First come, first served, with proof of work.
    Work,
    /// A draw among all who come before the opening, with proof of work.
    WorkAndDraw,
}

impl Defence {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Work, Self::WorkAndDraw];

    /// What it is, in words.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Work => "proof of work",
            Self::WorkAndDraw => "proof of work and a draw",
        }
    }
}

/// Who of the visitors is a bot, and when each comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flood {
    /// What they meet.
    pub defence: Defence,
    /// How many come, people and bots.
    pub visitors: u32,
}

impl Flood {
    /// Whether this visitor is a person.
    pub const fn is_person(self, id: VisitorId) -> bool {
        id.is_multiple_of(BOTS_PER_PERSON + 1)
    }

    /// How many of the visitors are people.
    pub const fn people(self) -> u32 {
        self.visitors.div_ceil(BOTS_PER_PERSON + 1)
    }

    /// When this visitor's work is done and the join is sent, in milliseconds since the run began.
    pub fn arrives_ms(self, id: VisitorId, seed: u64) -> u64 {
        let chance = mixed(seed ^ mixed(u64::from(id)));
        if self.is_person(id) {
            let comes = chance % PEOPLE_MS;
            return comes + self.work_ms(0, PHONE_HASHES_PER_MS);
        }
        let bot = u64::from(id - id / (BOTS_PER_PERSON + 1) - 1);
        let nth = bot / u64::from((self.visitors / VISITORS_PER_MACHINE).max(1));
        let start = chance % BARE_JOIN_MS;
        let each = self.work_ms(MACHINE_BITS, HASHES_PER_MS).max(BARE_JOIN_MS);
        start + (nth + u64::from(self.defence != Defence::Nothing)) * each
    }

    /// The core seconds of rented machines that one bot's place costs.
    pub fn core_seconds(self) -> f64 {
        4.0 * self.work_ms(MACHINE_BITS, HASHES_PER_MS) as f64 / 1_000.0
    }

    fn work_ms(self, more: u8, hashes_per_ms: u64) -> u64 {
        if self.defence == Defence::Nothing {
            return 0;
        }
        let bits = Difficulty::BASE.raised(more).bits();
        (PUZZLES as u64 * (1 << bits)) / hashes_per_ms
    }
}

impl Plan {
    /// So many visitors, twenty of twenty-one of them bots that come as fast as they can; otherwise as a raffle.
    pub fn flood(seed: u64, visitors: u32, defence: Defence) -> Self {
        let drawn = defence == Defence::WorkAndDraw;
        let opens_ms = if drawn { PREQUEUE_MS } else { 0 };
        let opens_at = drawn.then_some(START.plus(Millis(PREQUEUE_MS)));
        let mut plan = Self::raffle(seed, visitors, Beacon::InTime);
        plan.settings.lines = vec![event::line("general", 1, opens_at)];
        plan.settings.draw.beacon = false;
        plan.counts_asks = false;
        plan.flood = Some(Flood { defence, visitors });
        plan.steps = vec![Step {
            at_ms: opens_ms + SALE_MS,
            action: Action::Close,
        }];
        plan.quiet_at_ms = opens_ms + SALE_MS - MINUTE_MS;
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_of_twenty_one_are_bots_and_work_makes_them_late() {
        let flood = |defence| Flood {
            defence,
            visitors: 32_000,
        };
        let bare = flood(Defence::Nothing);
        let people = (0..2_100).filter(|id| bare.is_person(*id)).count();
        assert_eq!((people, bare.people()), (100, 1_524));
        let last = |defence| {
            (0..32_000)
                .filter(|id| !bare.is_person(*id))
                .map(|id| flood(defence).arrives_ms(id, 1))
                .max()
        };
        assert!(last(Defence::Nothing) < Some(2_000));
        assert!(last(Defence::Work) > Some(100_000));
        assert_eq!(
            flood(Defence::Work).core_seconds(),
            1.676,
            "at eight times the base work"
        );
    }
}
