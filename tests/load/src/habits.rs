//! What kinds of visitors there are. Which one a visitor is follows from the seed and its number.

use std::time::Duration;

/// How a visitor behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// Joins, waits, enters, shops, gives the session back.
    Patient,
    /// As patient, but only closes the tab afterwards.
    Keeper,
    /// Leaves the queue after a while.
    Leaver,
    /// Joins and never comes back.
    NoShow,
    /// Loads the page again and joins again now and then.
    Reloader,
    /// Two tabs do everything at the same time.
    TwoTabs,
    /// Claims without having been called.
    Pusher,
}

/// How many of 100 visitors have which habit. Few enough keep their sessions that `max_active`
/// slots are not all kept before a run of ten times as many visitors is over.
const OF_A_HUNDRED: &[(Habit, u64)] = &[
    (Habit::Keeper, 1),
    (Habit::Leaver, 5),
    (Habit::NoShow, 5),
    (Habit::Reloader, 10),
    (Habit::TwoTabs, 5),
    (Habit::Pusher, 4),
];

/// The shortest and the longest time in the shop.
const SHOPPING_MS: (u64, u64) = (1_000, 4_000);

/// The most requests to the shop in one session.
const MOST_SHOP_REQUESTS: u64 = 3;

/// A small generator of numbers that look random (SplitMix64): the same for the same seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The dice of one visitor.
    pub fn of_visitor(seed: u64, visitor: u64) -> Self {
        let mut dice = Self(seed);
        dice.0 = dice.next() ^ visitor;
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.between(1, times) == 1
    }

    /// A habit.
    pub fn habit(&mut self) -> Habit {
        let mut drawn = self.between(0, 99);
        for (habit, share) in OF_A_HUNDRED {
            if drawn < *share {
                return *habit;
            }
            drawn -= share;
        }
        Habit::Patient
    }

    /// How long a visitor shops.
    pub fn shopping(&mut self) -> Duration {
        Duration::from_millis(self.between(SHOPPING_MS.0, SHOPPING_MS.1))
    }

    /// How many requests to the shop a visitor makes.
    pub fn shop_requests(&mut self) -> u64 {
        self.between(1, MOST_SHOP_REQUESTS)
    }

    /// `time`, a tenth more or less, so that visitors do not march in step.
    pub fn around(&mut self, time: Duration) -> Duration {
        time * self.between(90, 110) as u32 / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_visitors() {
        let habits = |seed: u64| {
            (0..50)
                .map(|visitor| Dice::of_visitor(seed, visitor).habit())
                .collect::<Vec<_>>()
        };
        assert_eq!(habits(1), habits(1));
        assert_ne!(habits(1), habits(2));
    }

    #[test]
    fn every_habit_occurs_about_as_often_as_it_should() {
        let habits: Vec<Habit> = (0..10_000)
            .map(|visitor| Dice::of_visitor(1, visitor).habit())
            .collect();
        for (habit, share) in OF_A_HUNDRED {
            let count = habits.iter().filter(|found| *found == habit).count() as u64;
            assert!(
                (share * 70..=share * 130).contains(&count),
                "{habit:?}: {count}"
            );
        }
        assert!(
            habits
                .iter()
                .filter(|habit| **habit == Habit::Patient)
                .count()
                > 6_000
        );
    }
}
