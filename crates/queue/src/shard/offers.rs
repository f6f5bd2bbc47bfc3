//! Offers of a place's own: after a claim that was taken back, and after a deferral. Like the
//! hold of everybody, they run only while visitors can enter: what the line stood still is added
//! to each that stood when the brake came, and one that is made meanwhile counts from then. While
//! the clock of offers stands, nobody knows when one ends, and no end is told. One that is over
//! never comes back; it is over only by a board that was heard after its end, since there may have
//! been a brake of which this shard has not heard.

use super::Shard;
use super::command::{Refused, ShardReply, VisitorState};
use super::place::{Place, Standing};
use crate::board::Phase;
use crate::limits::DEFERRAL;
use crate::units::{Millis, Nonce, PlaceIndex, UnixMillis};

impl Shard {
    pub(super) fn reoffer_state(
        &self,
        place: &Place,
        until: UnixMillis,
        now: UnixMillis,
    ) -> (VisitorState, Option<UnixMillis>) {
        if !self.offers_end() {
            return (VisitorState::Called, None);
        }
        let was_heard = self.board_heard >= until && !self.braked(usize::from(place.line.0));
        if now >= until && was_heard {
            (VisitorState::Lapsed, None)
        } else {
            (VisitorState::Called, Some(until))
        }
    }

    /// Without a hold, offers stand until the end of the run.
    pub(super) fn offers_end(&self) -> bool {
        self.settings.hold.0 > 0
    }

    /// Whether the time of the place's offer stands still, as far as was heard.
    pub(super) fn clock_of_offers_stands(&self, place: &Place) -> bool {
        self.lines[usize::from(place.line.0)].still_since.is_some()
    }

    /// The present on the clock of a line's offers.
    fn clock_of_offers(&self, position: usize, now: UnixMillis) -> UnixMillis {
        self.lines[position].still_since.unwrap_or(now)
    }

    /// The visitor was away when the turn came: the offer stands anew.
    pub(super) fn offer_anew(&mut self, index: PlaceIndex, now: UnixMillis) {
        let position = usize::from(self.places[index.0 as usize].line.0);
        let until = self.clock_of_offers(position, now).plus(self.settings.hold);
        self.places[index.0 as usize].standing = Standing::Reoffered { until };
        self.touch(index);
    }

    /// Not ready yet: the offer stands longer than it would, or than from now on, once.
    pub(super) fn defer(&mut self, index: PlaceIndex, nonce: Nonce, now: UnixMillis) -> ShardReply {
        let place = match self.known(index, nonce) {
            Ok(place) => place,
            Err(unknown) => return unknown,
        };
        let (state, offer_until) = self.state_of(place, now);
        let why = match state {
            VisitorState::Called if !self.offers_end() => {
                return ShardReply::Place {
                    place: self.view_at(index, now),
                    new: false,
                };
            }
            VisitorState::Called if place.deferred => Some(Refused::AlreadyDeferred),
            VisitorState::Called => None,
            VisitorState::Waiting | VisitorState::Lapsed if self.doubts_board(now) => {
                return self.undecided(index, now);
            }
            VisitorState::Waiting | VisitorState::Provisional => Some(Refused::NotCalled),
            VisitorState::Lapsed => Some(Refused::Lapsed),
            VisitorState::Left => Some(Refused::Left),
            VisitorState::Ended => Some(Refused::Ended),
            VisitorState::Pending | VisitorState::Admitted | VisitorState::Elsewhere => {
                Some(Refused::NotCalled)
            }
        };
        if let Some(why) = why {
            return self.refuse(why, index, now);
        }
        let position = usize::from(self.places[index.0 as usize].line.0);
        let present = self.clock_of_offers(position, now);
        let longest = present.plus(self.settings.hold);
        let hold_ends = offer_until.unwrap_or(longest).min(longest);
        let until = hold_ends.max(present).plus(DEFERRAL);
        let place = &mut self.places[index.0 as usize];
        place.deferred = true;
        place.standing = Standing::Reoffered { until };
        self.touch(index);
        ShardReply::Place {
            place: self.view_at(index, now),
            new: false,
        }
    }

    /// Whether the line stands still although it was open before.
    fn stands_still(&self, position: usize) -> bool {
        self.board.as_ref().is_some_and(|board| {
            let phase = board.lines[position].phase;
            board.stop || matches!(phase, Phase::Paused | Phase::Soldout | Phase::Closed)
        })
    }

    /// A board has come; the one before was heard at `heard_before`, and `slowed` says whether there
    /// was a brake between the two that this shard has not heard of.
    pub(super) fn follow_brakes(
        &mut self,
        heard_before: UnixMillis,
        slowed: bool,
        now: UnixMillis,
    ) {
        let known = heard_before.0 > 0;
        for position in 0..self.lines.len() {
            let still = self.stands_still(position);
            match (self.lines[position].still_since, still) {
                (None, true) => {
                    self.lines[position].still_since = Some(if known { heard_before } else { now });
                    self.changed.brakes = true;
                }
                (Some(since), false) => {
                    self.lines[position].still_since = None;
                    self.changed.brakes = true;
                    self.lengthen_offers(position, since, now.since(since));
                }
                (None, false) if known && slowed => {
                    self.lengthen_offers(position, heard_before, now.since(heard_before));
                }
                _ => {}
            }
        }
    }

    fn lengthen_offers(&mut self, position: usize, stood_at: UnixMillis, by: Millis) {
        let mut touched = Vec::new();
        for (index, place) in self.places.iter_mut().enumerate() {
            if usize::from(place.line.0) != position {
                continue;
            }
            if let Standing::Reoffered { until } = &mut place.standing
                && *until > stood_at
            {
                *until = until.plus(by);
                touched.push(crate::units::PlaceIndex(index as u32));
            }
        }
        for index in touched {
            self.touch(index);
        }
    }
}
