//! What a place is, seen with the board, and what a visitor may do in the line: ask, claim, leave.

use super::Shard;
use super::command::{PlaceView, Refused, ShardReply, VisitorState};
use super::place::{Claim, GivenEntry, Place, Standing};
use super::rechecking::Claiming;
use crate::board::{Board, LineBoard, Phase};
use crate::limits::{BRAKE_AGE, CLAIM_PRESENCE, PATIENT_SYNC};
use crate::units::{ClaimId, Generation, Nonce, PlaceIndex, Rank, UnixMillis};

impl Shard {
    pub(super) fn view_at(&self, index: PlaceIndex, now: UnixMillis) -> PlaceView {
        self.view_of(index, &self.places[index.0 as usize], now)
    }

    pub(super) fn view_of(&self, index: PlaceIndex, place: &Place, now: UnixMillis) -> PlaceView {
        let rank = self.rank(place);
        let (state, offer_until) = self.state_with(place, rank, now);
        let may_defer = state == VisitorState::Called && !place.deferred && self.offers_end();
        PlaceView {
            index,
            line: place.line,
            entry: place.entry.known(),
            rank,
            arrived: place.arrived,
            state,
            offer_until: offer_until.filter(|_| !self.clock_of_offers_stands(place)),
            session_ends: match &place.standing {
                Standing::Granted(session) => Some(session.ends),
                Standing::Ended { at } => Some(*at),
                _ => None,
            },
            may_defer,
            was_admitted: place.admitted,
            missed_draw: self.missed_draw(place),
        }
    }

    /// The place's rank, once its entry number and the line's order are known.
    fn rank(&self, place: &Place) -> Option<Rank> {
        place.rank(&self.lines[usize::from(place.line.0)].order)
    }

    /// What the place is, and while it is called, the end of its offer as the clock of offers has it.
    pub(super) fn state_of(
        &self,
        place: &Place,
        now: UnixMillis,
    ) -> (VisitorState, Option<UnixMillis>) {
        self.state_with(place, self.rank(place), now)
    }

    fn state_with(
        &self,
        place: &Place,
        rank: Option<Rank>,
        now: UnixMillis,
    ) -> (VisitorState, Option<UnixMillis>) {
        match &place.standing {
            Standing::Granted(session) if session.issued => (VisitorState::Admitted, None),
            Standing::Claimed(_) | Standing::Granted(_) => (VisitorState::Pending, None),
            Standing::Ended { .. } => (VisitorState::Ended, None),
            Standing::Left { .. } | Standing::Void => (VisitorState::Left, None),
            Standing::Offered { until } => self.own_offer(place, *until, now),
            Standing::OfferedFor { .. } | Standing::Reoffered { .. } => {
                (VisitorState::Called, None)
            }
            Standing::Waiting => self.waiting_state(place, rank),
        }
    }

    fn waiting_state(
        &self,
        place: &Place,
        rank: Option<Rank>,
    ) -> (VisitorState, Option<UnixMillis>) {
        if place.entry == GivenEntry::NONE {
            return (VisitorState::Provisional, None);
        }
        let (Some(rank), Some(line)) = (rank, self.line_board(place)) else {
            return (VisitorState::Waiting, None);
        };
        if rank >= line.called {
            return (VisitorState::Waiting, None);
        }
        if rank < line.lapsed {
            return (VisitorState::Lapsed, None);
        }
        let offer = line.offers.iter().find(|offer| rank < offer.below);
        (VisitorState::Called, offer.map(|offer| offer.stands_until))
    }

    fn line_board(&self, place: &Place) -> Option<&LineBoard> {
        self.board.as_ref()?.lines.get(usize::from(place.line.0))
    }

    /// Whether grants of this line may not reach a visitor now: the brake is on, or nobody knows.
    pub(super) fn braked(&self, position: usize) -> bool {
        self.board
            .as_ref()
            .is_none_or(|board: &Board| board.stop || board.lines[position].phase != Phase::Open)
    }

    /// Whether the board is too old to refuse anybody on it. If so, news is wanted: otherwise a
    /// shard that nobody else gives a reason to report would refuse for ever.
    pub(super) fn doubts_board(&mut self) -> bool {
        let outdated = self
            .present_board_age()
            .is_none_or(|age| age > PATIENT_SYNC);
        self.doubted |= outdated;
        outdated
    }

    /// The place of a ticket, if the ticket is of this shard.
    fn place_of(&self, index: PlaceIndex, nonce: Nonce) -> Option<&Place> {
        self.places
            .get(index.0 as usize)
            .filter(|place| place.nonce == nonce && place.standing != Standing::Void)
    }

    /// The place of a ticket, or the answer that there is none.
    pub(super) fn known(&self, index: PlaceIndex, nonce: Nonce) -> Result<&Place, ShardReply> {
        self.place_of(index, nonce).ok_or(ShardReply::Refused {
            why: Refused::Unknown,
            place: None,
        })
    }

    pub(super) fn refuse(&self, why: Refused, index: PlaceIndex, now: UnixMillis) -> ShardReply {
        ShardReply::Refused {
            why,
            place: Some(self.view_at(index, now)),
        }
    }

    pub(super) fn ask(
        &mut self,
        index: PlaceIndex,
        nonce: Nonce,
        claim: ClaimId,
        now: UnixMillis,
    ) -> ShardReply {
        let place = match self.known(index, nonce) {
            Ok(place) => place,
            Err(unknown) => return unknown,
        };
        let mut view = self.view_of(index, place, now);
        if matches!(
            view.state,
            VisitorState::Waiting | VisitorState::Called | VisitorState::Lapsed
        ) {
            self.doubts_board();
        }
        match &mut self.places[index.0 as usize].standing {
            Standing::Granted(session) if session.claim != claim => {
                view.state = VisitorState::Elsewhere
            }
            Standing::Claimed(pending) if pending.claim == claim => pending.seen = now,
            _ => {}
        }
        // Without a board nobody knows whether a numbered place was called, or how long ago.
        if self.board.is_none() && view.state == VisitorState::Waiting {
            return ShardReply::Pending { place: Some(view) };
        }
        ShardReply::Place {
            place: view,
            new: false,
        }
    }

    pub(super) fn claim(
        &mut self,
        index: PlaceIndex,
        nonce: Nonce,
        claiming: Claiming,
        now: UnixMillis,
    ) -> ShardReply {
        let place = match self.known(index, nonce) {
            Ok(place) => place,
            Err(unknown) => return unknown,
        };
        let (state, _) = self.state_of(place, now);
        match state {
            VisitorState::Waiting | VisitorState::Lapsed if self.doubts_board() => {
                self.undecided(index, now)
            }
            VisitorState::Called if self.board.is_none() => {
                self.doubts_board();
                self.undecided(index, now)
            }
            VisitorState::Provisional | VisitorState::Waiting => {
                self.refuse(Refused::NotCalled, index, now)
            }
            VisitorState::Lapsed => self.refuse(Refused::Lapsed, index, now),
            VisitorState::Left => self.refuse(Refused::Left, index, now),
            VisitorState::Ended => self.refuse(Refused::Ended, index, now),
            VisitorState::Called => self.claim_called(index, claiming, now),
            VisitorState::Pending | VisitorState::Admitted | VisitorState::Elsewhere => {
                self.claim_again(index, claiming, now)
            }
        }
    }

    pub(super) fn undecided(&self, index: PlaceIndex, now: UnixMillis) -> ShardReply {
        ShardReply::Pending {
            place: Some(self.view_at(index, now)),
        }
    }

    fn claim_called(
        &mut self,
        index: PlaceIndex,
        claiming: Claiming,
        now: UnixMillis,
    ) -> ShardReply {
        let position = usize::from(self.places[index.0 as usize].line.0);
        let phase = self.board.as_ref().map(|board| board.lines[position].phase);
        if matches!(phase, Some(Phase::Soldout | Phase::Closed)) && self.doubts_board() {
            return self.undecided(index, now);
        }
        match phase {
            Some(Phase::Soldout) => return self.refuse(Refused::SoldOut, index, now),
            Some(Phase::Closed) => return self.refuse(Refused::Closed, index, now),
            _ => {}
        }
        let line = &mut self.lines[position];
        let order = line.row.next_order;
        line.row.next_order += 1;
        line.claims.insert((order, index));
        self.count(position).claimed += 1;
        self.places[index.0 as usize].standing = Standing::Claimed(Box::new(Claim {
            claim: claiming.claim,
            order,
            seen: now,
        }));
        self.touch(index);
        self.deadlines.remind(now.plus(CLAIM_PRESENCE), index);
        match claiming.hold_back {
            true => self.to_be_checked(index, now),
            false => self.undecided(index, now),
        }
    }

    /// Asked again: the same browser gets the same generation, another one takes over.
    fn claim_again(
        &mut self,
        index: PlaceIndex,
        claiming: Claiming,
        now: UnixMillis,
    ) -> ShardReply {
        if self.needs_check(index, claiming, now) {
            return self.to_be_checked(index, now);
        }
        let claim = claiming.claim;
        let position = usize::from(self.places[index.0 as usize].line.0);
        let fresh = self.present_board_age().is_some_and(|age| age <= BRAKE_AGE);
        let may_issue = fresh && !self.braked(position);
        let standing = &self.places[index.0 as usize].standing;
        // Only a young board lets a first pass out: without one there is news to be had, whether or not to report.
        self.doubted |=
            !fresh && matches!(standing, Standing::Granted(session) if !session.arrived);
        let (life, idle_now) = (self.settings.pass, self.idle_clock(now));
        let mut changed = false;
        let granted = match &mut self.places[index.0 as usize].standing {
            Standing::Claimed(pending) => {
                pending.seen = now;
                changed = std::mem::replace(&mut pending.claim, claim) != claim;
                false
            }
            Standing::Granted(session) if session.arrived || may_issue => {
                if session.claim != claim {
                    session.generation =
                        Generation(session.generation.0 + u32::from(session.issued));
                    session.claim = claim;
                    changed = true;
                }
                session.renewed = idle_now;
                if let Some(network) = claiming.network {
                    session.networks.note(network, life, now);
                }
                true
            }
            _ => false,
        };
        if changed {
            self.touch(index);
        }
        match granted {
            true => self.hand_out(index, now),
            false if claiming.hold_back => self.to_be_checked(index, now),
            false => self.undecided(index, now),
        }
    }

    pub(super) fn leave(&mut self, index: PlaceIndex, nonce: Nonce, now: UnixMillis) -> ShardReply {
        let place = match self.known(index, nonce) {
            Ok(place) => place,
            Err(unknown) => return unknown,
        };
        let position = usize::from(place.line.0);
        let called = self.line_board(place).map_or(Rank(0), |line| line.called);
        let is_called = self.rank(place).is_some_and(|rank| rank < called);
        let has_session = matches!(place.standing, Standing::Granted(_));
        match &place.standing {
            Standing::Ended { .. } | Standing::Left { .. } | Standing::Void => {
                return ShardReply::Place {
                    place: self.view_at(index, now),
                    new: false,
                };
            }
            Standing::Waiting
            | Standing::Offered { .. }
            | Standing::OfferedFor { .. }
            | Standing::Reoffered { .. } => {}
            Standing::Claimed(claim) => {
                let order = claim.order;
                self.lines[position].claims.remove(&(order, index));
                self.count(position).withdrawn += 1;
            }
            Standing::Granted(_) => self.stop_counting(index),
        }
        if is_called {
            self.count(position).absent += u64::from(!has_session);
            let row = &mut self.lines[position].row;
            row.absent_below = row.absent_below.max(called.0);
        } else {
            self.lines[position].left.add(index, Rank(0));
        }
        self.places[index.0 as usize].standing = Standing::Left { at: now };
        self.touch(index);
        ShardReply::Place {
            place: self.view_at(index, now),
            new: false,
        }
    }
}
