//! The way between objects: messages are delayed, lost, doubled and overtake one another.

use crate::chance::Chance;
use crate::plan::Faults;

/// The longest a message takes when nothing is wrong.
pub const USUAL_DELAY_MS: u64 = 45;

/// The longest a message takes at all.
const LONGEST_DELAY_MS: u64 = 400;

/// How long storing takes at most when nothing is wrong.
pub const USUAL_WRITE_MS: u64 = 12;

/// The network and the disks of one event.
pub struct Network {
    chance: Chance,
    faults: Faults,
}

impl Network {
    /// A network with these faults.
    pub fn new(seed: u64, faults: Faults) -> Self {
        Self {
            chance: Chance::new(seed, 0x4e45_5457),
            faults,
        }
    }

    /// From now on nothing goes wrong any more.
    pub fn heal(&mut self) {
        self.faults.lost_ppm = 0;
        self.faults.twice_ppm = 0;
        self.faults.slow_ppm = 0;
        self.faults.slow_write_ppm = 0;
    }

    /// How long a message takes.
    pub fn delay_ms(&mut self) -> u64 {
        if self.chance.happens(self.faults.slow_ppm) {
            self.chance.within(USUAL_DELAY_MS..LONGEST_DELAY_MS)
        } else {
            self.chance.within(2..USUAL_DELAY_MS)
        }
    }

    /// When the copies of one message arrive, counted from now: none, one or two.
    pub fn arrivals_ms(&mut self) -> [Option<u64>; 2] {
        if self.chance.happens(self.faults.lost_ppm) {
            return [None, None];
        }
        let first = self.delay_ms();
        let second = self
            .chance
            .happens(self.faults.twice_ppm)
            .then(|| self.delay_ms() * 3);
        [Some(first), second]
    }

    /// Whether a request or its answer is lost.
    pub fn loses(&mut self) -> bool {
        self.chance.happens(self.faults.lost_ppm)
    }

    /// Whether something that happens `ppm` times in a million happens now.
    pub fn happens(&mut self, ppm: u32) -> bool {
        self.chance.happens(ppm)
    }

    /// How long a write takes until it is durable.
    pub fn write_ms(&mut self) -> u64 {
        if self.chance.happens(self.faults.slow_write_ppm) {
            self.chance.within(300..3_000)
        } else {
            self.chance.within(1..USUAL_WRITE_MS)
        }
    }

    /// Of `writes` under way when an object fails, how many were durable by then.
    pub fn survivors(&mut self, writes: usize) -> usize {
        self.chance.within(0..writes as u64 + 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn a_healed_network_delivers_everything_once_and_soon() {
        let mut network = Network::new(3, Plan::new(3, 10).faults);
        network.heal();
        for _ in 0..1_000 {
            let [first, second] = network.arrivals_ms();
            assert!(first.is_some_and(|delay| delay < USUAL_DELAY_MS) && second.is_none());
            assert!(!network.loses() && network.write_ms() < USUAL_WRITE_MS);
        }
    }

    #[test]
    fn a_bad_network_loses_doubles_and_reorders() {
        let mut faults = Plan::new(3, 10).faults;
        (faults.lost_ppm, faults.twice_ppm, faults.slow_ppm) = (100_000, 100_000, 100_000);
        let mut network = Network::new(3, faults);
        let arrivals: Vec<_> = (0..1_000).map(|_| network.arrivals_ms()).collect();
        assert!(arrivals.contains(&[None, None]));
        assert!(arrivals.iter().any(|copies| copies[1].is_some()));
        assert!(
            arrivals
                .iter()
                .any(|copies| copies[0] > Some(USUAL_DELAY_MS))
        );
    }
}
