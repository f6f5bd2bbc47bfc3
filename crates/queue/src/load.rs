//! How many a second: counted in slots of half a second, so that a rate is known after half a second and forgotten after two.

use crate::units::{Millis, UnixMillis};

/// The length of a slot.
const SLOT: Millis = Millis(500);

/// Slots that are looked at, the one under way included.
const SLOTS: usize = 4;

/// How much time is looked at, at `now`: one and a half to two seconds.
pub fn looked_at(now: UnixMillis) -> Millis {
    Millis((SLOTS as u64 - 1) * SLOT.0 + now.0 % SLOT.0)
}

/// A measured rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    slots: [u64; SLOTS],
    /// The number of the newest slot, in slots since the Unix epoch.
    newest: u64,
}

impl Load {
    /// So many more were heard of.
    pub fn add(&mut self, more: u64, now: UnixMillis) {
        let slot = now.0 / SLOT.0;
        if slot < self.newest || slot - self.newest >= SLOTS as u64 {
            // Nothing for long, or by a clock that was set back.
            self.slots = [0; SLOTS];
        } else {
            for passed in self.newest + 1..=slot {
                self.slots[passed as usize % SLOTS] = 0;
            }
        }
        self.newest = slot;
        self.slots[slot as usize % SLOTS] += more;
    }

    /// How many came in the time that is looked at, which [`looked_at`] says.
    pub fn counted(&self, now: UnixMillis) -> u64 {
        let slot = now.0 / SLOT.0;
        (0..SLOTS as u64).map(|age| self.of(slot, age)).sum()
    }

    /// How many came in the slot of this age.
    fn of(&self, slot: u64, age: u64) -> u64 {
        match slot.checked_sub(age) {
            Some(number) if number <= self.newest && self.newest - number < SLOTS as u64 => {
                self.slots[number as usize % SLOTS]
            }
            _ => 0,
        }
    }

    /// How many a second come: of the last two seconds, of the last one and a half and of the last one the most, so that
    /// what grows is not taken for what it was.
    pub fn per_second(&self, now: UnixMillis) -> u64 {
        let slot = now.0 / SLOT.0;
        let under_way = now.0 % SLOT.0;
        let mut most = 0;
        let mut sum = self.of(slot, 0);
        for whole in 1..SLOTS as u64 {
            sum += self.of(slot, whole);
            most = most.max((sum * 1_000).div_ceil(whole * SLOT.0 + under_way));
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: UnixMillis = UnixMillis(1_800_000_000_000);

    fn after(millis: u64) -> UnixMillis {
        T.plus(Millis(millis))
    }

    #[test]
    fn a_steady_rate_is_measured_within_a_tenth() {
        let mut load = Load::default();
        for tick in 0..200 {
            load.add(25, after(tick * 50));
            if tick > 20 {
                let rate = load.per_second(after(tick * 50 + 49));
                assert!((500..=550).contains(&rate), "{rate} at tick {tick}");
            }
        }
    }

    #[test]
    fn a_crowd_is_seen_within_a_second_and_forgotten_two_seconds_after_it() {
        let mut load = Load::default();
        load.add(1, T);
        load.add(30_000, after(60_000));
        assert!(load.per_second(after(60_900)) >= 30_000);
        assert_eq!(load.per_second(after(62_000)), 0);
    }

    #[test]
    fn what_is_rare_is_counted_as_often_as_it_comes() {
        let mut loads = vec![Load::default(); 100];
        for tick in 0..10_000 {
            loads[tick as usize % 100].add(1, after(tick * 10));
            if tick > 200 {
                let now = after(tick * 10);
                let counted: u64 = loads.iter().map(|load| load.counted(now)).sum();
                let rate = counted * 1_000 / looked_at(now).0;
                assert!((99..=101).contains(&rate), "{rate} at tick {tick}");
            }
        }
    }

    #[test]
    fn a_clock_that_is_set_back_begins_anew() {
        let mut load = Load::default();
        load.add(9_000, after(60_000));
        load.add(500, T);
        assert_eq!(load.per_second(T), 1_000);
    }
}
