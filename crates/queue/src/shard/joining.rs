//! Joins and tries. One permit is one place: its nonce finds the place again, whatever the
//! phase, even when the permit has expired meanwhile.

use super::command::{Refused, ShardReply};
use super::networks::Networks;
use super::place::{GivenEntry, KnownRank, Place, Session, Standing};
use super::rechecking::Claiming;
use super::{Shard, Try};
use crate::draw::chain;
use crate::limits::{GRANT_FETCH, MAX_PLACES, TRY_DECISION};
use crate::settings::Mode;
use crate::units::{ClaimId, Generation, LineIndex, Nonce, PlaceIndex, UnixMillis};

impl Shard {
    pub(super) fn join(
        &mut self,
        nonce: Nonce,
        line: LineIndex,
        permit_expired: bool,
        arrived: Option<UnixMillis>,
        now: UnixMillis,
    ) -> ShardReply {
        if let Some(index) = self.by_permit.find(nonce, &self.places) {
            return ShardReply::Place {
                place: self.view_at(index, now),
                new: false,
            };
        }
        if let Some(why) = self.join_refusal(line, permit_expired, now) {
            let by_board = matches!(why, Refused::NotYet | Refused::SoldOut | Refused::Closed);
            if by_board && self.board.is_some() && self.doubts_board() {
                return ShardReply::Pending { place: None };
            }
            return ShardReply::Refused { why, place: None };
        }
        let arrived = arrived.map_or(now, |earlier| earlier.min(now));
        let index = self.make_place(Place {
            nonce,
            line,
            arrived,
            direct: false,
            deferred: false,
            admitted: false,
            entry: GivenEntry::NONE,
            standing: Standing::Waiting,
            known_rank: KnownRank::default(),
        });
        let position = usize::from(line.0);
        self.lines[position].chain = chain(&self.lines[position].chain, &nonce);
        self.line_up(index);
        self.count(position).joined += 1;
        ShardReply::Place {
            place: self.view_at(index, now),
            new: true,
        }
    }

    /// Without a board only the schedule sends anybody away: the join is stored, and numbered when
    /// the coordinator is heard.
    fn join_refusal(
        &self,
        line: LineIndex,
        permit_expired: bool,
        now: UnixMillis,
    ) -> Option<Refused> {
        if permit_expired {
            return Some(Refused::PermitExpired);
        }
        if usize::from(line.0) >= self.lines.len() {
            return Some(Refused::NoSuchLine);
        }
        if self.places.len() >= MAX_PLACES as usize {
            return Some(Refused::Full);
        }
        match self.board.as_ref() {
            Some(board) => board.refuses_joins(line),
            None if self.settings.mode == Mode::Closed => Some(Refused::Closed),
            None => self
                .before_schedule(usize::from(line.0), now)
                .then_some(Refused::NotYet),
        }
    }

    /// Whether by the configuration alone joins are not taken yet.
    fn before_schedule(&self, position: usize, now: UnixMillis) -> bool {
        let later = |at: Option<UnixMillis>| at.is_some_and(|at| now < at);
        later(self.settings.prequeue_at) && later(self.settings.lines[position].opens_at)
    }

    fn make_place(&mut self, place: Place) -> PlaceIndex {
        let index = PlaceIndex(self.places.len() as u32);
        self.by_permit.add(place.nonce, index);
        self.places.push(place);
        self.touch(index);
        index
    }

    /// A first visit: asked again until it is decided; not granted, it leaves nothing behind.
    pub(super) fn try_once(
        &mut self,
        nonce: Nonce,
        line: LineIndex,
        claim: ClaimId,
        now: UnixMillis,
    ) -> ShardReply {
        if let Some(index) = self.by_permit.find(nonce, &self.places) {
            return match &self.places[index.0 as usize].standing {
                Standing::Granted(_) => self.claim(index, nonce, Claiming::unseen(claim), now),
                _ => ShardReply::Refused {
                    why: Refused::NoRoom,
                    place: Some(self.view_at(index, now)),
                },
            };
        }
        let position = usize::from(line.0);
        if position >= self.lines.len() {
            return ShardReply::Refused {
                why: Refused::NoSuchLine,
                place: None,
            };
        }
        if self.lines[position]
            .tries
            .iter()
            .any(|pending| pending.nonce == nonce)
        {
            return ShardReply::Pending { place: None };
        }
        let room = self.board.as_ref().is_some_and(|board| board.room) && !self.braked(position);
        // A home that has slept has an old board, or none: the coordinator decides, with the next report.
        let may_be_let_in = room || self.doubts_board();
        if !may_be_let_in || self.places.len() >= MAX_PLACES as usize {
            return ShardReply::Refused {
                why: Refused::NoRoom,
                place: None,
            };
        }
        self.lines[position].tries.push_back(Try {
            nonce,
            line: line.0,
            claim,
            at: now,
        });
        self.count(position).tried += 1;
        ShardReply::Pending { place: None }
    }

    /// Takes in what the coordinator decided about tries: the first of those that wait here get
    /// the grants, the rest is refused by being forgotten. A grant that nobody here can take (its
    /// visitor gave up, or the shard restarted) is given back.
    pub(super) fn take_try_decisions(
        &mut self,
        position: usize,
        decided: u64,
        granted: u64,
        now: UnixMillis,
    ) {
        let row = &mut self.lines[position].row;
        let (mut decisions, mut grants) = (
            decided.saturating_sub(row.tries_decided),
            granted.saturating_sub(row.tries_granted),
        );
        if decisions == 0 {
            return;
        }
        let waiting = row.counters.tried - row.tries_decided;
        let forgotten = waiting.saturating_sub(self.lines[position].tries.len() as u64);
        let row = &mut self.lines[position].row;
        row.tries_decided = decided;
        row.tries_granted = granted.max(row.tries_granted);
        self.changed.counters = true;
        // Tries from before a restart are the oldest.
        let lost = forgotten.min(decisions);
        let given_back = lost.min(grants);
        decisions -= lost;
        grants -= given_back;
        self.count(position).ended += given_back;
        for _ in 0..decisions {
            let Some(decided_try) = self.lines[position].tries.pop_front() else {
                break;
            };
            if grants == 0 {
                continue;
            }
            grants -= 1;
            if now.since(decided_try.at) <= TRY_DECISION
                && self
                    .by_permit
                    .find(decided_try.nonce, &self.places)
                    .is_none()
            {
                self.admit_directly(decided_try, now);
            } else {
                self.count(position).ended += 1;
            }
        }
        self.count(position).ended += grants;
    }

    fn admit_directly(&mut self, granted: Try, now: UnixMillis) {
        let session = Session {
            claim: granted.claim,
            order: 0,
            generation: Generation(0),
            granted: now,
            ends: now.plus(self.settings.session),
            issued: false,
            arrived: false,
            confirmed: false,
            renewed: self.idle_clock(now),
            networks: Networks::default(),
        };
        let index = self.make_place(Place {
            nonce: granted.nonce,
            line: LineIndex(granted.line),
            arrived: now,
            direct: true,
            deferred: false,
            admitted: false,
            entry: GivenEntry::NONE,
            standing: Standing::Granted(Box::new(session)),
            known_rank: KnownRank::default(),
        });
        self.unissued.insert(index);
        self.unconfirmed.insert(index);
        self.deadlines.remind(now.plus(GRANT_FETCH), index);
    }
}
