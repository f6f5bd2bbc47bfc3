//! Checks of visitors who have a place: of a session whose pass is used from too many networks, and of a claim that the edge
//! suspects. The shard asks for nothing and proves nothing: it says that a check is due, keeps place, slot and end as they
//! are, and believes the edge that it was done.
//!
//! A claim that is held back counts like any other, in its order; its grant is not handed out, and is given back like one
//! that nobody fetches. A session that was checked goes on in one browser, with a new pass; the others are elsewhere.

use super::Shard;
use super::command::{ShardCommand, ShardReply};
use super::networks::Networks;
use super::place::Standing;
use crate::units::{ClaimId, Generation, NetworkMark, PlaceIndex, UnixMillis};

/// Who claims.
#[derive(Clone, Copy, Debug)]
pub struct Claiming {
    /// The browser's number.
    pub claim: ClaimId,
    /// Where it comes from; `None`: an edge of an earlier version asks, which knows of no checks.
    pub network: Option<NetworkMark>,
    /// The visitor has to be checked before a first pass.
    pub hold_back: bool,
}

impl Claiming {
    /// From an edge that does not say where it comes from.
    pub fn unseen(claim: ClaimId) -> Self {
        Claiming {
            claim,
            network: None,
            hold_back: false,
        }
    }

    /// From this network.
    pub fn from(claim: ClaimId, network: NetworkMark, hold_back: bool) -> Self {
        Claiming {
            claim,
            network: Some(network),
            hold_back,
        }
    }
}

impl Shard {
    /// Carries out a claim, from an edge of whatever version.
    pub(super) fn of_claim(&mut self, command: ShardCommand, now: UnixMillis) -> ShardReply {
        match command {
            ShardCommand::Claim {
                index,
                nonce,
                claim,
            } => self.claim(index, nonce, Claiming::unseen(claim), now),
            ShardCommand::ClaimFrom {
                index,
                nonce,
                claim,
                network,
                hold_back,
            } => self.claim(index, nonce, Claiming::from(claim, network, hold_back), now),
            other => unreachable!("{other:?} is no claim"),
        }
    }

    /// The pass of this session is used from `network`: whether the session has to be checked.
    pub(super) fn is_shared(
        &mut self,
        index: PlaceIndex,
        network: NetworkMark,
        now: UnixMillis,
    ) -> bool {
        let life = self.settings.pass;
        match &mut self.places[index.0 as usize].standing {
            Standing::Granted(session) => {
                session.networks.note(network, life, now);
                session.networks.are_too_many()
            }
            _ => false,
        }
    }

    /// Whether a claim for a session that was handed out is answered with a check: the session is to be checked, or the
    /// claim takes it away from another browser and is held back. Whoever claims a session uses its pass, from where the
    /// claim comes, whether it goes on in the same browser or in another: what is taken over again and again is shared.
    pub(super) fn needs_check(
        &mut self,
        index: PlaceIndex,
        claiming: Claiming,
        now: UnixMillis,
    ) -> bool {
        let Some(network) = claiming.network else {
            return false;
        };
        match &self.places[index.0 as usize].standing {
            Standing::Granted(session) if session.issued => {
                let takes_over = session.claim != claiming.claim;
                self.is_shared(index, network, now) || takes_over && claiming.hold_back
            }
            Standing::Granted(_) => claiming.hold_back,
            _ => false,
        }
    }

    pub(super) fn to_be_checked(&self, index: PlaceIndex, now: UnixMillis) -> ShardReply {
        let generation = match &self.places[index.0 as usize].standing {
            Standing::Granted(session) => session.generation,
            _ => Generation(0),
        };
        ShardReply::Recheck {
            place: self.view_at(index, now),
            generation,
        }
    }

    /// The edge has checked the browser that has the number `claim` from now on. Told again, the answer is the same, unless
    /// it is told from so many networks that the session has to be checked once more.
    pub(super) fn rechecked(
        &mut self,
        index: PlaceIndex,
        generation: Generation,
        (claim, network): (ClaimId, NetworkMark),
        now: UnixMillis,
    ) -> ShardReply {
        let next = Generation(generation.0 + 1);
        let is_done = self
            .session_of(index, next)
            .is_ok_and(|session| session.claim == claim);
        if !is_done && let Err(answer) = self.session_of(index, generation) {
            return answer;
        }
        let idle_now = self.idle_clock(now);
        if let Standing::Granted(session) = &mut self.places[index.0 as usize].standing {
            session.renewed = idle_now;
            if !is_done {
                (session.generation, session.claim) = (next, claim);
                session.networks = Networks::default();
            }
        }
        self.touch(index);
        match self.is_shared(index, network, now) {
            true => self.to_be_checked(index, now),
            false => self.hand_out(index, now),
        }
    }
}
