//! How long messages take, one way. Shards stand near their visitors in three regions; the coordinator and the relays stand
//! in the first.

use crate::chance::Chance;

/// One way between regions, in milliseconds: within one (two data centres of a continent), between two coasts of an ocean,
/// and to the other side of the world.
const BETWEEN_MS: [[u64; 3]; 3] = [[3, 40, 90], [40, 3, 70], [90, 70, 3]];

/// A message is late by so much more at the most, evenly.
const JITTER_MS: u64 = 6;

/// Of a million messages so many are sent a second time by the transport.
const RESENT_PPM: u32 = 2_000;

/// And take so much longer.
const RESENT_MS: std::ops::Range<u64> = 20..200;

/// Regions of the event.
pub const REGIONS: usize = BETWEEN_MS.len();

/// The region of an isolate.
pub const fn region_of(isolate: u32) -> usize {
    isolate as usize % REGIONS
}

/// Between two objects, without chance.
pub const fn between(one: usize, other: usize) -> u64 {
    BETWEEN_MS[one][other]
}

/// The network, drawn from the seed.
pub struct Distances(Chance);

impl Distances {
    /// Of the run that `seed` decides.
    pub fn new(seed: u64) -> Self {
        Self(Chance::new(seed, 0x4d45_4741))
    }

    /// One message from one region to another.
    pub fn draw(&mut self, from: usize, to: usize) -> u64 {
        let resent = match self.0.happens(RESENT_PPM) {
            true => self.0.within(RESENT_MS),
            false => 0,
        };
        between(from, to) + self.0.within(0..JITTER_MS + 1) + resent
    }
}
