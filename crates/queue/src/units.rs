//! Units as types, so that a rank is never compared with an entry number and a duration never
//! with an instant. All are plain integers: the core has no floats.

use serde::{Deserialize, Serialize};

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);
    };
}

unit!(
    /// A duration in milliseconds.
    Millis(u64)
);
unit!(
    /// An instant, in milliseconds since the Unix epoch, on the clock of the object that noted it.
    UnixMillis(u64)
);
unit!(
    /// The global order of joins within a line: 0-based, without gaps, never changing.
    EntryNumber(u64)
);
unit!(
    /// The order that counts when visitors are called. Without a draw it equals the entry number.
    Rank(u64)
);
unit!(
    /// Which shard of a run; also the home that a permit names.
    ShardIndex(u16)
);
unit!(
    /// Which relay of a run.
    RelayIndex(u16)
);
unit!(
    /// Which line of a queue, by its position in the configuration.
    LineIndex(u8)
);
unit!(
    /// A place's position in its home shard, in order of arrival over all lines.
    PlaceIndex(u32)
);
unit!(
    /// Which pass of a place is the working one: raised when another browser takes over.
    Generation(u32)
);
unit!(
    /// The 128-bit number of a permit: one permit is one place.
    Nonce([u8; 16])
);
unit!(
    /// The first 128 bits of the hash of a member key, a code or a hand-over code: what is stored of it.
    KeyHash([u8; 16])
);
unit!(
    /// The 128-bit number that a browser keeps for all its tabs and sends with a claim.
    ClaimId([u8; 16])
);
unit!(
    /// A keyed hash of the network that a request came from, made by the edge: an address, or a hash that could be guessed
    /// back to one, never gets here. The lowest bit of the first byte tells IPv6 from IPv4.
    NetworkMark([u8; 8])
);

impl NetworkMark {
    /// Whether it is a network of IPv6.
    pub const fn is_v6(self) -> bool {
        self.0[0] & 1 == 1
    }
}

impl Millis {
    /// `count` seconds.
    pub const fn from_seconds(count: u64) -> Self {
        Self(count * 1_000)
    }

    /// `count` minutes.
    pub const fn from_minutes(count: u64) -> Self {
        Self::from_seconds(count * 60)
    }
}

impl UnixMillis {
    /// This instant, `by` later.
    pub const fn plus(self, by: Millis) -> Self {
        Self(self.0.saturating_add(by.0))
    }

    /// This instant, `by` earlier.
    pub const fn minus(self, by: Millis) -> Self {
        Self(self.0.saturating_sub(by.0))
    }

    /// How long before this instant `earlier` was; zero when it was not before.
    pub const fn since(self, earlier: UnixMillis) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}
