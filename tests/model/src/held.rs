//! A shard's memory as threads may share it: the core keeps ranks that it has worked out in cells.

use std::fmt;
use std::sync::Mutex;

use anteroom_queue::shard::Shard;

/// A shard in memory.
pub struct Held(Mutex<Shard>);

impl Held {
    /// Holds a shard.
    pub fn new(shard: Shard) -> Self {
        Self(Mutex::new(shard))
    }

    /// The shard, to be changed.
    pub fn memory(&mut self) -> &mut Shard {
        self.0.get_mut().expect("nobody panics while holding it")
    }

    /// A copy of it.
    pub fn copy(&self) -> Shard {
        self.0
            .lock()
            .expect("nobody panics while holding it")
            .clone()
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        Self::new(self.copy())
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .lock()
            .expect("nobody panics while holding it")
            .fmt(out)
    }
}
