//! Operator tokens that nobody had signed: who guesses.

use anteroom_queue::units::UnixMillis;
use serde::{Deserialize, Serialize};

/// Operator tokens that nobody had signed, as the edges counted them since the coordinator last started. Nothing of them
/// is kept but this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongTokens {
    /// How many.
    pub count: u64,
    /// When the coordinator last heard of one.
    pub last_at: Option<UnixMillis>,
}

impl WrongTokens {
    /// Takes up what an edge counted.
    pub fn add(&mut self, more: u32, now: UnixMillis) {
        self.count += u64::from(more);
        if more > 0 {
            self.last_at = Some(now);
        }
    }
}
