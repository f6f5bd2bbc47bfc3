//! What a shard keeps beside places: who has the place of a member key or code, and codes by
//! which another browser takes a place up. Of keys and codes only hashes are stored.
//!
//! The first permit that asks has the place of a member key, and whoever asks later joins with that
//! permit: whether it has made the place already does not matter. A shared code is good for several
//! places, each of its own permit, so a permit that never made one (its home was away) would keep a use
//! for ever. Therefore edges tell what came of it. When every use is taken and of some permit nobody
//! has, whoever asks is told to ask that permit's home. A use is given back only when the permit has not
//! asked for so long that no join of it can be under way ([`RESERVED_JOIN`]).

use serde::{Deserialize, Serialize};

use super::Shard;
use super::command::{Refused, ShardReply, VisitorState};
use crate::limits::{HANDOVER_LIFE, MAX_CODE_USES, MAX_HANDOVERS, MAX_KEYS, RESERVED_JOIN};
use crate::units::{ClaimId, KeyHash, Nonce, PlaceIndex, ShardIndex, UnixMillis};

/// A permit whose place belongs to a key or code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The permit.
    pub nonce: Nonce,
    /// Its home.
    pub home: ShardIndex,
    /// When it last asked, as long as nobody has told that it made its place.
    pub asked: UnixMillis,
    /// It is known to have made its place.
    pub made: bool,
}

impl Holder {
    /// A permit that asks now.
    pub(super) fn asking(nonce: Nonce, home: ShardIndex, now: UnixMillis) -> Self {
        Self {
            nonce,
            home,
            asked: now,
            made: false,
        }
    }

    /// Whether it may be that it made no place and never will.
    fn is_doubtful(&self, now: UnixMillis) -> bool {
        !self.made && now >= self.asked.plus(RESERVED_JOIN)
    }
}

/// A code by which another browser takes a place up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// The code.
    pub code: KeyHash,
    /// When it was made.
    pub offered: UnixMillis,
    /// The browser that used it.
    pub taker: Option<ClaimId>,
}

impl Shard {
    /// First come, first served; a holder whose place is over is replaced by whoever names it.
    pub(super) fn reserve(
        &mut self,
        key: KeyHash,
        asked: Holder,
        uses: u16,
        replaces: Option<Nonce>,
    ) -> ShardReply {
        let uses = usize::from(uses.clamp(1, MAX_CODE_USES));
        let refused = |why| ShardReply::Refused { why, place: None };
        if !self.keys.contains_key(&key) && self.keys.len() >= MAX_KEYS {
            return refused(Refused::Full);
        }
        let holders = self.keys.entry(key).or_default();
        let known = holders
            .iter_mut()
            .find(|holder| holder.nonce == asked.nonce);
        if let Some(holder) = known {
            if uses > 1 && !holder.made {
                holder.asked = asked.asked;
                self.changed.keys.insert(key);
            }
            return reserved(*holder);
        }
        let replaced = holders
            .iter()
            .position(|holder| replaces == Some(holder.nonce));
        match replaced {
            Some(at) => holders[at] = asked,
            None if holders.len() < uses => holders.push(asked),
            None if uses > 1 => return taken(holders, asked),
            None => return reserved(holders[0]),
        }
        self.changed.keys.insert(key);
        reserved(asked)
    }

    /// An edge tells whether a permit made its place with a shared code.
    pub(super) fn holder_found(
        &mut self,
        key: KeyHash,
        nonce: Nonce,
        made: bool,
        now: UnixMillis,
    ) -> ShardReply {
        let Some(holders) = self.keys.get_mut(&key) else {
            return ShardReply::Done;
        };
        let Some(at) = holders.iter().position(|holder| holder.nonce == nonce) else {
            return ShardReply::Done;
        };
        if made && !holders[at].made {
            holders[at].made = true;
        } else if !made && holders[at].is_doubtful(now) {
            holders.remove(at);
        } else {
            return ShardReply::Done;
        }
        self.changed.keys.insert(key);
        ShardReply::Done
    }

    /// A new code for a place. Older ones of it cannot be used any more.
    pub(super) fn offer_handover(
        &mut self,
        index: PlaceIndex,
        nonce: Nonce,
        code: KeyHash,
        now: UnixMillis,
    ) -> ShardReply {
        let place = match self.known(index, nonce) {
            Ok(place) => place,
            Err(unknown) => return unknown,
        };
        match self.state_of(place, now).0 {
            VisitorState::Left => return self.refuse(Refused::Left, index, now),
            VisitorState::Ended => return self.refuse(Refused::Ended, index, now),
            VisitorState::Lapsed => return self.refuse(Refused::Lapsed, index, now),
            _ => {}
        }
        let offers = self.handovers.entry(index).or_default();
        let by_handover = &mut self.by_handover;
        offers.retain(|offer| {
            let young = now.since(offer.offered) < HANDOVER_LIFE;
            if !young {
                by_handover.remove(&offer.code);
            }
            young
        });
        if offers.len() >= MAX_HANDOVERS {
            return self.refuse(Refused::TooManyHandovers, index, now);
        }
        offers.push(Handover {
            code,
            offered: now,
            taker: None,
        });
        self.by_handover.insert(code, index);
        self.changed.handovers.insert(index);
        ShardReply::HandoverOffered {
            until: now.plus(HANDOVER_LIFE),
        }
    }

    /// The first browser that brings the code gets the place; it may ask again.
    pub(super) fn take_over(
        &mut self,
        code: KeyHash,
        taker: ClaimId,
        now: UnixMillis,
    ) -> ShardReply {
        let refused = |why| ShardReply::Refused { why, place: None };
        let Some(&index) = self.by_handover.get(&code) else {
            return refused(Refused::HandoverUnknown);
        };
        let offers = self.handovers.entry(index).or_default();
        let last = offers.len().saturating_sub(1);
        let Some(at) = offers.iter().position(|offer| offer.code == code) else {
            return refused(Refused::HandoverUnknown);
        };
        match offers[at].taker {
            Some(before) if before == taker => {}
            Some(_) => return refused(Refused::HandoverTaken),
            None if at != last || now.since(offers[at].offered) >= HANDOVER_LIFE => {
                return refused(Refused::HandoverUnknown);
            }
            None => {
                offers[at].taker = Some(taker);
                self.changed.handovers.insert(index);
            }
        }
        ShardReply::HandedOver {
            place: self.view_at(index, now),
            nonce: self.places[index.0 as usize].nonce,
        }
    }

    /// Takes up stored codes of a place.
    pub(super) fn adopt_handovers(&mut self, index: PlaceIndex, offers: Vec<Handover>) {
        for offer in &offers {
            self.by_handover.insert(offer.code, index);
        }
        self.handovers.insert(index, offers);
    }
}

fn reserved(holder: Holder) -> ShardReply {
    ShardReply::Reserved {
        nonce: holder.nonce,
        home: holder.home,
    }
}

/// Every use of a shared code is taken. Which of several doubtful permits is to be asked about depends on
/// who asks, so that a home that is away does not keep the uses of all others.
fn taken(holders: &[Holder], asked: Holder) -> ShardReply {
    let now = asked.asked;
    let doubtful: Vec<&Holder> = holders
        .iter()
        .filter(|holder| holder.is_doubtful(now))
        .collect();
    let lot = usize::from(asked.nonce.0[0]);
    if let Some(holder) = doubtful.get(lot % doubtful.len().max(1)) {
        return ShardReply::Unsure {
            nonce: holder.nonce,
            home: holder.home,
        };
    }
    match holders.iter().all(|holder| holder.made) {
        true => ShardReply::Refused {
            why: Refused::CodeSpent,
            place: None,
        },
        // It is known soon.
        false => ShardReply::Pending { place: None },
    }
}
