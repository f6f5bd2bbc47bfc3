//! Chance from a seed. Every purpose has its own stream, so that one more draw for the network
//! does not change what a visitor does.

use std::ops::Range;

/// One stream of chance.
#[derive(Clone, Debug)]
pub struct Chance(fastrand::Rng);

/// Parts in a million.
pub const PPM: u32 = 1_000_000;

impl Chance {
    /// The stream of `purpose` in the run that `seed` decides.
    pub fn new(seed: u64, purpose: u64) -> Self {
        Self(fastrand::Rng::with_seed(mixed(seed ^ mixed(purpose))))
    }

    /// A number in `range`.
    pub fn within(&mut self, range: Range<u64>) -> u64 {
        self.0.u64(range)
    }

    /// Whether something that happens `ppm` times in a million happens now.
    pub fn happens(&mut self, ppm: u32) -> bool {
        ppm > 0 && self.0.u32(0..PPM) < ppm
    }

    /// One of `choices`, each as often as the others.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.usize(0..choices.len())]
    }

    /// A waiting time whose mean is `mean`, whole, at most eight means: many short, few long.
    pub fn about(&mut self, mean: u64) -> u64 {
        // The smaller of two uniform draws over [0, 3 mean) has the mean `mean`.
        let (one, other) = (
            self.0.u64(0..=3 * mean.max(1)),
            self.0.u64(0..=3 * mean.max(1)),
        );
        one.min(other)
    }

    /// Sixteen bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill(&mut bytes);
        bytes
    }
}

/// One number from another, each bit depending on all (the finaliser of SplitMix64).
pub const fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_purpose_give_the_same_stream_and_others_do_not() {
        let draws = |seed, purpose| {
            let mut chance = Chance::new(seed, purpose);
            (0..8)
                .map(|_| chance.within(0..1_000_000))
                .collect::<Vec<_>>()
        };
        assert_eq!(draws(1, 2), draws(1, 2));
        assert_ne!(draws(1, 2), draws(1, 3));
        assert_ne!(draws(1, 2), draws(2, 2));
    }

    #[test]
    fn waits_have_the_mean_that_was_asked_for() {
        let mut chance = Chance::new(7, 7);
        let mean = (0..10_000).map(|_| chance.about(1_000)).sum::<u64>() / 10_000;
        assert!((950..1_050).contains(&mean), "mean {mean}");
    }
}
