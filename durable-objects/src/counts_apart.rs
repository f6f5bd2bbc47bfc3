//! What edges count beyond the counts that format 2 began with. It stands apart in messages: an object that knows nothing
//! of it refuses the one message that tells it and takes the same without, and all other bytes are what they were.

use serde::{Deserialize, Serialize};

use crate::handling_counts::HandlingCounts;
use crate::turnstile_counts::TurnstileCounts;
use crate::wire::{CoordinatorAsk, EdgeCounts, OriginCounts, ShardAsk};
use anteroom_queue::sync::SyncRequest;

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

    /// These counts for an object that refuses them: without what came last to what can be told. `None`: nothing stands
    /// apart, and whoever refuses them refuses all.
    pub fn in_older_words(self) -> Option<Self> {
        let older = Self {
            handling: HandlingCounts::NONE,
            ..self
        };
        if older != self {
            return Some(older);
        }
        self.apart()?;
        Some(self.with(CountsApart::default()))
    }
}

impl ShardAsk {
    /// A read of the board that hands in `counts`.
    pub fn board(counts: EdgeCounts) -> Self {
        let (apart, handling) = (counts.apart(), counts.handling);
        match apart {
            _ if handling != HandlingCounts::NONE => ShardAsk::Handled {
                counts,
                apart: apart.unwrap_or_default(),
                handling,
            },
            None => ShardAsk::Board { counts },
            Some(apart) => ShardAsk::Watched { counts, apart },
        }
    }
}

impl CoordinatorAsk {
    /// A shard's report.
    pub fn report(report: SyncRequest, counts: EdgeCounts) -> Self {
        let (apart, handling) = (counts.apart(), counts.handling);
        match apart {
            _ if handling != HandlingCounts::NONE => {
                CoordinatorAsk::Handled(report, counts, apart.unwrap_or_default(), handling)
            }
            None => CoordinatorAsk::Sync(report, counts),
            Some(apart) => CoordinatorAsk::Watched(report, counts, apart),
        }
    }
}
