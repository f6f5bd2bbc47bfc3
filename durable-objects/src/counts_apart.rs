//! What edges count beyond the counts that format 2 began with. It stands apart in messages: an object that knows nothing
//! of it refuses the one message that tells it and takes the same without, and all other bytes are what they were.

use serde::{Deserialize, Serialize};

use crate::turnstile_counts::TurnstileCounts;
use crate::wire::{EdgeCounts, OriginCounts};

/// All counts that stand apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountsApart {
    /// How the origin answered.
    pub origin: OriginCounts,
    /// What came of the third party's widget.
    pub turnstile: TurnstileCounts,
}

impl EdgeCounts {
    /// What has to be told apart; `None`: there is nothing of it.
    pub fn apart(&self) -> Option<CountsApart> {
        let apart = CountsApart {
            origin: self.origin,
            turnstile: self.turnstile,
        };
        (apart != CountsApart::default()).then_some(apart)
    }

    /// These counts with what was told apart of them.
    pub fn with(self, apart: CountsApart) -> Self {
        let CountsApart { origin, turnstile } = apart;
        Self {
            origin,
            turnstile,
            ..self
        }
    }
}
