//! Offers of a place's own: after a claim that was taken back, and after a deferral. Like the
//! hold of everybody they run only while visitors can enter: their end is a reading of the clock that
//! the coordinator keeps for the line's offers and sends with every answer, so whatever this shard
//! slept through, nothing has to be made up for. Between two answers that clock reads at most what the
//! last one said and the time since, and where that would shorten an offer (no answer yet, or one of
//! a brake that may be over), the offer runs from the next answer on. While the clock stands, nobody
//! knows when an offer ends, and no end is told. One that is over never comes back; it is over only
//! by an answer that says so.

use super::Shard;
use super::command::{Refused, ShardReply, VisitorState};
use super::place::{Place, Standing};
use crate::limits::{BRAKE_AGE, DEFERRAL};
use crate::sync::OfferClock;
use crate::units::{Millis, Nonce, PlaceIndex, UnixMillis};

impl Shard {
    /// Where a place with an offer of its own stands, and when that ends if the clock runs on.
    pub(super) fn own_offer(
        &self,
        place: &Place,
        until: Millis,
        now: UnixMillis,
    ) -> (VisitorState, Option<UnixMillis>) {
        let clock = self.lines[usize::from(place.line.0)].clock;
        let Some(clock) = clock.filter(|_| self.offers_end()) else {
            return (VisitorState::Called, None);
        };
        if clock.at >= until {
            return (VisitorState::Lapsed, None);
        }
        let left = until.0.saturating_sub(self.most_on_clock(clock, now).0);
        (VisitorState::Called, Some(now.plus(Millis(left))))
    }

    /// Without a hold, offers stand until the end of the run.
    pub(super) fn offers_end(&self) -> bool {
        self.settings.hold.0 > 0
    }

    /// Whether the time of the place's offer stands still, as far as was heard.
    pub(super) fn clock_of_offers_stands(&self, place: &Place) -> bool {
        let clock = self.lines[usize::from(place.line.0)].clock;
        clock.is_some_and(|clock| !clock.runs)
    }

    /// Takes the clocks that came with the board. A coordinator that starts anew may have lost a
    /// little of them; what was heard stays.
    pub(super) fn hear_clocks(&mut self, clocks: &[OfferClock]) {
        for (line, heard) in self.lines.iter_mut().zip(clocks) {
            let known = line.clock.map_or(Millis(0), |clock| clock.at);
            line.clock = Some(OfferClock {
                at: heard.at.max(known),
                ..*heard
            });
        }
    }

    /// What the clock of a line's offers reads now, at most.
    fn most_on_clock(&self, clock: OfferClock, now: UnixMillis) -> Millis {
        let since = now.since(self.board_heard).0;
        Millis(clock.at.0 + if clock.runs { since } else { 0 })
    }

    /// An offer that stands for `length` from now on.
    fn offer_for(&mut self, index: PlaceIndex, length: Millis, now: UnixMillis) {
        let position = usize::from(self.places[index.0 as usize].line.0);
        let is_news = now.since(self.board_heard) <= BRAKE_AGE;
        let clock = self.lines[position].clock;
        let standing = match clock.filter(|clock| clock.runs || is_news) {
            Some(clock) => {
                let until = Millis(self.most_on_clock(clock, now).0 + length.0);
                Standing::Offered { until }
            }
            None => {
                self.unset_offers.insert(index);
                Standing::OfferedFor { length }
            }
        };
        self.places[index.0 as usize].standing = standing;
        self.touch(index);
    }

    /// News has come: offers that waited for it run from now on.
    pub(super) fn set_offers(&mut self, now: UnixMillis) {
        for index in std::mem::take(&mut self.unset_offers) {
            if let Standing::OfferedFor { length } = self.places[index.0 as usize].standing {
                self.offer_for(index, length, now);
            }
        }
    }

    /// The visitor was away when the turn came: the offer stands anew.
    pub(super) fn offer_anew(&mut self, index: PlaceIndex, now: UnixMillis) {
        self.offer_for(index, self.settings.hold, now);
    }

    /// How long the offer of a called place stands still, at least; `None`: not known.
    fn left_of_offer(
        &self,
        place: &Place,
        told: Option<UnixMillis>,
        now: UnixMillis,
    ) -> Option<Millis> {
        let hold = self.settings.hold;
        if let Standing::OfferedFor { length } = place.standing {
            return Some(length.min(hold));
        }
        let clock = self.lines[usize::from(place.line.0)].clock?;
        let until = match place.standing {
            Standing::Offered { until } => until,
            _ => told.map_or(Millis(u64::MAX), |at| at.since(clock.zero)),
        };
        let left = until.0.saturating_sub(self.most_on_clock(clock, now).0);
        Some(Millis(left).min(hold))
    }

    /// Not ready yet: the offer stands longer than it would, or than from now on, once.
    pub(super) fn defer(&mut self, index: PlaceIndex, nonce: Nonce, now: UnixMillis) -> ShardReply {
        let place = match self.known(index, nonce) {
            Ok(place) => place,
            Err(unknown) => return unknown,
        };
        let (state, told) = self.state_of(place, now);
        let why = match state {
            VisitorState::Called if !self.offers_end() => {
                return ShardReply::Place {
                    place: self.view_at(index, now),
                    new: false,
                };
            }
            VisitorState::Called if place.deferred => Some(Refused::AlreadyDeferred),
            VisitorState::Called => None,
            VisitorState::Waiting | VisitorState::Lapsed if self.doubts_board() => {
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
        let place = &self.places[index.0 as usize];
        let Some(left) = self.left_of_offer(place, told, now) else {
            self.doubts_board();
            return self.undecided(index, now);
        };
        self.places[index.0 as usize].deferred = true;
        self.offer_for(index, Millis(left.0 + DEFERRAL.0), now);
        ShardReply::Place {
            place: self.view_at(index, now),
            new: false,
        }
    }
}

/// An offer as earlier versions stored it, and when the lines came to stand still: what was left of it.
pub(super) fn read_earlier(place: &mut Place, brakes: &[Option<UnixMillis>], now: UnixMillis) {
    if let Standing::Reoffered { until } = place.standing {
        let stands_since = brakes.get(usize::from(place.line.0)).copied().flatten();
        let length = until.since(stands_since.unwrap_or(now));
        place.standing = Standing::OfferedFor { length };
    }
}
