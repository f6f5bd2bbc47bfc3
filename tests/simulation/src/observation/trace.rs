//! The number made of everything seen: two runs of one seed have the same.

use std::hash::{Hash, Hasher};

use super::{Observation, PlaceSeen};

/// A number that depends on everything seen so far, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceHash(u64);

impl TraceHash {
    /// The number.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// Adds a text.
    pub fn add_text(&mut self, text: &str) {
        self.write(text.as_bytes());
    }

    /// Adds what was seen at `at_ms`.
    pub fn add(&mut self, at_ms: u64, seen: &Observation) {
        self.write_u64(at_ms);
        seen.hash(self);
    }
}

impl Hasher for TraceHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hash for PlaceSeen {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.home, self.index, self.line, self.entry, self.rank).hash(state);
        (self.state as u8, self.missed_draw, self.arrived_ms).hash(state);
    }
}

impl Hash for Observation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match *self {
            Self::JoinBegan { visitor }
            | Self::ClaimBegan { visitor }
            | Self::OriginReached { visitor }
            | Self::SessionLeft { visitor }
            | Self::SessionOverTold { visitor }
            | Self::LeftTold { visitor }
            | Self::Unserved { visitor } => visitor.hash(state),
            Self::PlaceTold { visitor, place } => (visitor, place).hash(state),
            Self::RefusalTold { visitor, why } => (visitor, why as u8).hash(state),
            Self::Shown {
                visitor,
                version,
                line,
                rank,
                called,
            } => {
                (visitor, version, line, rank, called).hash(state);
            }
            Self::RankShown { permit, rank } => (permit, rank).hash(state),
            Self::UnrankedAsked { permit } | Self::UnrankedShown { permit } => permit.hash(state),
            Self::DrawSeen { draw, stored } => (draw, stored).hash(state),
            Self::EntrantsHeard {
                shard,
                line,
                opens_ms,
                count,
            } => (shard, line, opens_ms, count).hash(state),
            Self::HandedOver {
                permit,
                code,
                browser,
            } => (permit, code, browser).hash(state),
            Self::Deferred { visitor, until_ms } => (visitor, until_ms).hash(state),
            Self::BoardRead(board) => board.hash(state),
            Self::SessionTold {
                visitor,
                index,
                generation,
                ends_ms,
                ..
            } => {
                (visitor, index, generation, ends_ms).hash(state);
            }
            Self::FirstPass {
                visitor,
                generation,
                ends_ms,
                confirmed,
            } => {
                (visitor, generation, ends_ms, confirmed).hash(state);
            }
            Self::Confirmed { visitor, ends_ms } => (visitor, ends_ms).hash(state),
            Self::TurnedAway { visitor, why } => (visitor, why).hash(state),
            Self::Counted(tally) => tally.hash(state),
            Self::BrakeSent { stop } => stop.hash(state),
            Self::BrakeAcknowledged { version } => version.hash(state),
            Self::ForeignReport { refused } => refused.hash(state),
            Self::ClockLeapt { shard } => shard.hash(state),
            Self::BrakeReleased | Self::FaultsOver | Self::RoomForAll => {}
            Self::Audited { visitor, place } => (visitor, place).hash(state),
            Self::AuditOver { entries, active } => (entries, active).hash(state),
        }
    }
}
