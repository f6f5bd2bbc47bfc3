//! When all who listen at a shard are told what is new.

/// While somebody listens there is news once a second.
pub const NEWS_MS: u64 = 1_000;

/// The last word to all who listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Word {
    pub version: u64,
    began: u64,
    rested: u64,
}

impl Word {
    /// Whether the next is due: something has changed, the last is a second ago and there was as long a rest as it took.
    pub fn is_due(&self, version: u64, now: u64) -> bool {
        let first = self.version == 0;
        version != self.version && (first || now >= (self.began + NEWS_MS).max(self.rested))
    }

    /// One is said, which takes so long.
    pub const fn say(&mut self, version: u64, now: u64, takes: u64) {
        *self = Self {
            version,
            began: now,
            rested: now + 2 * takes,
        };
    }

    /// When the next may be said, if there is a newer version by then.
    pub fn due(&self) -> u64 {
        (self.began + NEWS_MS).max(self.rested)
    }
}
