//! What a shard keeps beside places: who has the place of a member key or code, and codes by
//! which another browser takes a place up. Of keys and codes only hashes are stored.

use serde::{Deserialize, Serialize};

use super::Shard;
use super::command::{Refused, ShardReply, VisitorState};
use crate::limits::{HANDOVER_LIFE, MAX_CODE_USES, MAX_HANDOVERS, MAX_KEYS};
use crate::units::{ClaimId, KeyHash, Nonce, PlaceIndex, ShardIndex, UnixMillis};

/// A permit whose place belongs to a key or code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The permit.
    pub nonce: Nonce,
    /// Its home.
    pub home: ShardIndex,
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
        let known = holders.iter().find(|holder| holder.nonce == asked.nonce);
        if let Some(holder) = known {
            return reserved(*holder);
        }
        let replaced = holders
            .iter()
            .position(|holder| replaces == Some(holder.nonce));
        match replaced {
            Some(at) => holders[at] = asked,
            None if holders.len() < uses => holders.push(asked),
            None if uses > 1 => return refused(Refused::CodeSpent),
            None => return reserved(holders[0]),
        }
        self.changed.keys.insert(key);
        reserved(asked)
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
