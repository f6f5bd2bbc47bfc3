//! What visitors make of the answers that reach them.

use anteroom_queue::shard::command::{PlaceView, Refused, ShardReply, VisitorState};

use super::Room;
use super::failures::SETTLED_AFTER_MS;
use super::shopping::Told;
use crate::message::{Answer, Ask, Letter};
use crate::observation::{KeySeen, Observation, PlaceSeen, VisitorId};
use crate::plan::START;
use crate::visitor::{NONE, Stage};

/// How long a hesitating visitor takes.
const HESITATION_MS: u64 = 90_000;

impl Room {
    /// An answer arrives at the edge and goes on to its visitor.
    pub(super) fn answer_in(&mut self, mut answer: Answer, now: u64) {
        let letter = answer.letter;
        if let Some(board) = answer.board.take() {
            self.learn_board(letter.edge, board, u64::from(letter.asked_ms), now);
        }
        if letter.ask == Ask::Board {
            return self.board_read(letter, now);
        }
        let id = letter.visitor;
        let visitor = &mut self.visitors[id as usize];
        visitor.letters -= 1;
        let last = visitor.letters == 0;
        match letter.ask {
            Ask::Board => {}
            Ask::Renew | Ask::Extend => self.renewed(&answer, now),
            Ask::Release => self.released(&answer, now),
            Ask::Leave => self.left(&answer, now),
            Ask::Reserve => self.reserved(&answer, now),
            Ask::AskAbout => self.found_out(&answer, now),
            Ask::Found { .. } => {}
            Ask::OfferHandover => self.handover_offered(&answer, now),
            Ask::TakeOver => self.taken_over(&answer, last, now),
            Ask::Defer => self.deferred(&answer, now),
            Ask::Join | Ask::State | Ask::Try | Ask::Claim => self.in_line(&answer, last, now),
        }
    }

    /// An answer to a visitor in the line. Only the `last` of several under way leads on.
    fn in_line(&mut self, answer: &Answer, last: bool, now: u64) {
        let letter = answer.letter;
        let id = letter.visitor;
        match &answer.reply {
            None => {
                if letter.ask == Ask::Try {
                    self.visitors[id as usize].tried = true;
                }
                if last {
                    self.retry(id, now);
                }
            }
            Some(ShardReply::Place { place, .. }) => self.placed(letter, place, last, now),
            Some(ShardReply::Pending { .. }) if letter.ask == Ask::Join => {
                if last {
                    self.retry(id, now);
                }
            }
            Some(ShardReply::Pending { place }) => {
                if let Some(place) = place
                    && self.visitors[id as usize].stage != Stage::Inside
                {
                    self.place_told(letter, place, now);
                }
                if last {
                    self.pending(id, now);
                }
            }
            Some(ShardReply::Refused { why, .. }) => self.refused(id, letter.ask, *why, last, now),
            Some(reply @ ShardReply::Session { .. }) => {
                if let Some(told) = Told::of(reply) {
                    self.enter(letter, told, last, now);
                }
            }
            Some(
                ShardReply::SessionOver { .. }
                | ShardReply::Done
                | ShardReply::Reserved { .. }
                | ShardReply::Unsure { .. }
                | ShardReply::Crawled { .. }
                | ShardReply::CrawlerCounts { .. }
                | ShardReply::Recheck { .. }
                | ShardReply::HandedOver { .. }
                | ShardReply::HandoverOffered { .. },
            ) => {
                unreachable!("nobody in the line is answered so")
            }
        }
    }

    fn place_told(&mut self, letter: Letter, place: &PlaceView, now: u64) {
        let visitor = &mut self.visitors[letter.visitor as usize];
        visitor.index = place.index.0;
        if let Some(entry) = place.entry {
            visitor.entry = entry.0 as u32;
        }
        let key = self.plan.key_of(letter.visitor);
        let place = seen(letter.home, key, u64::from(letter.asked_ms), place);
        let visitor = letter.permit;
        self.see(now, Observation::PlaceTold { visitor, place });
    }

    fn placed(&mut self, letter: Letter, place: &PlaceView, last: bool, now: u64) {
        let id = letter.visitor;
        if letter.permit != self.visitors[id as usize].permit {
            return self.of_another_permit(id, last, now);
        }
        match self.visitors[id as usize].stage {
            Stage::Coming
            | Stage::Trying
            | Stage::Reserving
            | Stage::Joining
            | Stage::InLine
            | Stage::Claiming => {}
            // The other tab was faster: this answer was on the way when the pass came.
            Stage::Inside if last => return self.again(id, now, 10_000),
            Stage::Inside | Stage::Leaving | Stage::Releasing | Stage::Gone => return,
        }
        self.place_told(letter, place, now);
        if letter.ask == Ask::Join {
            self.tell_found(id, letter.permit, true, now);
        }
        let visitor = &mut self.visitors[id as usize];
        match place.state {
            VisitorState::Provisional | VisitorState::Waiting => visitor.stage = Stage::InLine,
            VisitorState::Called
            | VisitorState::Pending
            | VisitorState::Admitted
            | VisitorState::Elsewhere => {
                visitor.stage = Stage::Claiming;
            }
            VisitorState::Ended | VisitorState::Lapsed | VisitorState::Left => {
                if !self.replaces(id, place, now) {
                    // A member's other device may have used the place up.
                    let is_told = self.plan.key_of(id).is_some() || self.turns_may_run_out(now);
                    self.visitors[id as usize].settled |= is_told;
                    self.gone(id);
                }
                return;
            }
        }
        if last {
            self.again(id, now, 2_000);
        }
    }

    /// A late answer about a permit that the visitor has replaced: the page goes on looking at the place it has.
    fn of_another_permit(&mut self, id: VisitorId, last: bool, now: u64) {
        let stage = self.visitors[id as usize].stage;
        if last && matches!(stage, Stage::InLine | Stage::Claiming) {
            self.retry(id, now);
        }
    }

    fn refused(&mut self, id: VisitorId, ask: Ask, why: Refused, last: bool, now: u64) {
        let visitor = &mut self.visitors[id as usize];
        if ask == Ask::Try {
            visitor.tried = true;
            return self.again(id, now, 500);
        }
        // A first visit that was granted too late and not taken up is as if it had not been.
        if why == Refused::Unknown && visitor.entry == NONE && !visitor.joined {
            return self.start_over(id, now);
        }
        let direct = why == Refused::Unknown && visitor.entry == NONE;
        if !direct {
            let visitor = self.visitors[id as usize].permit;
            self.see(now, Observation::RefusalTold { visitor, why });
        }
        if !last {
            return;
        }
        match why {
            Refused::NotYet => self.again(id, now, 10_000),
            Refused::NotCalled => {
                self.visitors[id as usize].stage = Stage::InLine;
                self.again(id, now, 1_000);
            }
            Refused::SoldOut | Refused::Closed => {
                let visitor = &mut self.visitors[id as usize];
                visitor.settled = now >= self.plan.quiet_at_ms;
                if visitor.stage == Stage::Claiming {
                    visitor.stage = Stage::InLine;
                }
                self.again_if_it_reopens(id, now);
            }
            Refused::Unknown if direct => self.start_over(id, now),
            _ => {
                // A member's other device has used the place up; or no pass could reach the visitor for as long as a
                // session is, and the home says so.
                let may_run_out = self.turns_may_run_out(now);
                let visitor = &mut self.visitors[id as usize];
                if !visitor.settled && may_run_out && why == Refused::Ended {
                    self.seen.turns_lost += 1;
                }
                visitor.settled |= self.plan.key_of(id).is_some() || may_run_out;
                self.gone(id);
            }
        }
    }

    /// Whether objects may have been away for so long that a session ran out before its first pass came.
    const fn turns_may_run_out(&self, now: u64) -> bool {
        self.plan.is_faulty() && now < self.plan.quiet_at_ms + SETTLED_AFTER_MS
    }

    fn left(&mut self, answer: &Answer, now: u64) {
        let id = answer.letter.visitor;
        match &answer.reply {
            None => self.retry(id, now),
            Some(_) => {
                self.see(
                    now,
                    Observation::LeftTold {
                        visitor: answer.letter.permit,
                    },
                );
                self.gone(id);
            }
        }
    }

    fn released(&mut self, answer: &Answer, now: u64) {
        let id = answer.letter.visitor;
        match &answer.reply {
            None if now < u64::from(self.visitors[id as usize].session_until_ms) => {
                self.retry(id, now)
            }
            Some(ShardReply::SessionOver { .. }) => {
                self.see(
                    now,
                    Observation::SessionOverTold {
                        visitor: answer.letter.permit,
                    },
                );
                self.gone(id);
            }
            _ => self.gone(id),
        }
    }

    /// Whether the offer stands longer; if not, the visitor claims all the same.
    fn deferred(&mut self, answer: &Answer, now: u64) {
        let letter = answer.letter;
        let id = letter.visitor;
        if self.visitors[id as usize].stage != Stage::Claiming {
            return;
        }
        match &answer.reply {
            Some(ShardReply::Place { place, .. }) => {
                self.place_told(letter, place, now);
                if let Some(until) = place.offer_until {
                    let visitor = letter.permit;
                    let until_ms = until.since(START).0;
                    self.see(now, Observation::Deferred { visitor, until_ms });
                }
                self.again(id, now, HESITATION_MS);
            }
            _ => self.retry(id, now),
        }
    }
}

/// What a visitor sees of a place.
pub(super) fn seen(home: u16, key: Option<KeySeen>, asked_ms: u64, place: &PlaceView) -> PlaceSeen {
    PlaceSeen {
        home,
        index: place.index.0,
        line: place.line.0,
        arrived_ms: place.arrived.since(START).0,
        entry: place.entry.map(|entry| entry.0),
        rank: place.rank.map(|rank| rank.0),
        state: place.state,
        missed_draw: place.missed_draw,
        key,
        asked_ms,
    }
}
