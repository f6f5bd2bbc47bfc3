//! What is kept beside places: who has the place of a member key or code, and hand-overs to
//! another browser.

use anteroom_queue::board::Board;
use anteroom_queue::shard::command::{PlaceView, Refused, ShardCommand, ShardReply};
use anteroom_queue::units::{KeyHash, ShardIndex};

use super::Room;
use super::letters::{nonce_of, number, permit_of};
use crate::chance::mixed;
use crate::message::{Answer, Ask, Letter};
use crate::observation::{Observation, VisitorId};
use crate::plan::Access;
use crate::visitor::{NONE, Stage};

/// The browsers that try to take a place over.
const TAKERS: [u8; 2] = [2, 3];

/// The hand-over code of a visitor: everybody makes one at most.
pub(super) fn handover_of(visitor: VisitorId) -> KeyHash {
    KeyHash(number(visitor, 0x4841_4e44))
}

/// So many with a use of a shared code never join with it, in parts per million.
const GIVES_UP_PPM: u32 = 50_000;

fn key_hash(line: u8, key: u32) -> KeyHash {
    KeyHash(number(key, 0x4b45_5953 + u64::from(line)))
}

impl Room {
    pub(super) fn reserve_command(&self, letter: Letter) -> ShardCommand {
        let key = self.plan.key_of(letter.visitor);
        let (key, uses) = key.map_or((NONE, 1), |key| (key.number, key.uses));
        ShardCommand::Reserve {
            key: key_hash(letter.line, key),
            nonce: nonce_of(letter.visitor),
            home: ShardIndex(letter.permit_home),
            uses,
            replaces: (letter.replaces != NONE).then(|| nonce_of(letter.replaces)),
        }
    }

    /// Asks the home of the key who has its place.
    pub(super) fn reserve(&mut self, id: VisitorId, board: &Board, now: u64) {
        let home = self.key_home(id, board);
        let visitor = &mut self.visitors[id as usize];
        visitor.stage = Stage::Reserving;
        let letter = Letter {
            home,
            permit_home: visitor.own_home,
            replaces: visitor.replaces,
            ..self.letter(id, Ask::Reserve, now)
        };
        self.write(letter, now);
    }

    /// The answer: the permit to join with.
    pub(super) fn reserved(&mut self, answer: &Answer, now: u64) {
        let id = answer.letter.visitor;
        if self.visitors[id as usize].stage != Stage::Reserving {
            return;
        }
        match &answer.reply {
            Some(ShardReply::Reserved { .. })
                if self.shares_code(id) && self.chance.happens(GIVES_UP_PPM) =>
            {
                self.visitors[id as usize].settled = true;
                self.gone(id);
            }
            Some(ShardReply::Reserved { nonce, home }) => {
                let visitor = &mut self.visitors[id as usize];
                visitor.permit = permit_of(*nonce);
                visitor.home = home.0;
                visitor.replaces = NONE;
                visitor.reserved = true;
                self.join(id, now);
            }
            Some(ShardReply::Unsure { nonce, home }) => {
                let question = Letter {
                    home: home.0,
                    permit: permit_of(*nonce),
                    ..self.letter(id, Ask::AskAbout, now)
                };
                self.write(question, now);
            }
            Some(ShardReply::Refused {
                why: Refused::CodeSpent,
                ..
            }) => {
                self.visitors[id as usize].settled = true;
                self.gone(id);
            }
            _ => self.retry(id, now),
        }
    }

    /// Whether the visitor has a code that others have too.
    pub(super) fn shares_code(&self, id: VisitorId) -> bool {
        self.plan.key_of(id).is_some_and(|key| key.uses > 1)
    }

    fn key_home(&self, id: VisitorId, board: &Board) -> u16 {
        let key = self.plan.key_of(id).map_or(0, |key| key.number);
        (mixed(u64::from(key)) % u64::from(board.homes)) as u16
    }

    pub(super) fn found_command(&self, letter: Letter, made: bool) -> ShardCommand {
        let number = self
            .plan
            .key_of(letter.visitor)
            .map_or(NONE, |key| key.number);
        ShardCommand::HolderFound {
            key: key_hash(letter.line, number),
            nonce: nonce_of(letter.permit),
            made,
        }
    }

    /// The home of a permit has said whether it made its place; then the code is asked for again.
    pub(super) fn found_out(&mut self, answer: &Answer, now: u64) {
        let Letter {
            visitor, permit, ..
        } = answer.letter;
        match &answer.reply {
            Some(ShardReply::Place { .. }) => self.tell_found(visitor, permit, true, now),
            Some(ShardReply::Refused {
                why: Refused::PermitExpired,
                ..
            }) => self.tell_found(visitor, permit, false, now),
            _ => {}
        }
        self.retry(visitor, now);
    }

    /// The edge tells the home of a shared code what came of a permit that has a use of it.
    pub(super) fn tell_found(&mut self, id: VisitorId, permit: VisitorId, made: bool, now: u64) {
        let edge = &self.edges[usize::from(self.visitors[id as usize].edge)];
        let Some(board) = edge.board.clone().filter(|_| self.shares_code(id)) else {
            return;
        };
        let notice = Letter {
            home: self.key_home(id, &board),
            permit,
            ..self.letter(id, Ask::Found { made }, now)
        };
        self.send_notice(notice, now);
    }

    /// A place under a key that is over makes room for another, unless its code is used up by it.
    /// Whether the visitor asks for the key once more.
    pub(super) fn replaces(&mut self, id: VisitorId, place: &PlaceView, now: u64) -> bool {
        let access = self.plan.access_of(id);
        let visitor = &mut self.visitors[id as usize];
        let spent = access == Access::Code && place.was_admitted;
        let again = access != Access::Everyone && visitor.stage == Stage::Joining && !spent;
        if !again || visitor.permit == id || visitor.permit_used {
            return false;
        }
        visitor.replaces = visitor.permit;
        visitor.reserved = false;
        visitor.joined = false;
        (visitor.index, visitor.entry, visitor.rank) = (NONE, NONE, NONE);
        visitor.stage = Stage::Coming;
        self.again(id, now, 1_000);
        true
    }

    /// Another browser is to go on with the place.
    pub(super) fn offer_handover(&mut self, id: VisitorId, now: u64) {
        self.visitors[id as usize].handed_over = true;
        self.write_letter(id, Ask::OfferHandover, now);
    }

    /// With the code two browsers try at the same time.
    pub(super) fn handover_offered(&mut self, answer: &Answer, now: u64) {
        let id = answer.letter.visitor;
        if !matches!(answer.reply, Some(ShardReply::HandoverOffered { .. })) {
            return self.retry(id, now);
        }
        for browser in TAKERS {
            let letter = Letter {
                browser,
                ..self.letter(id, Ask::TakeOver, now)
            };
            self.write(letter, now);
        }
    }

    /// Who was first goes on; a lost answer is asked for again by the same browser.
    pub(super) fn taken_over(&mut self, answer: &Answer, last: bool, now: u64) {
        let letter = answer.letter;
        let id = letter.visitor;
        match &answer.reply {
            None => return self.write(letter, now),
            Some(ShardReply::HandedOver { nonce, .. }) => {
                self.visitors[id as usize].browser = letter.browser;
                let seen = Observation::HandedOver {
                    permit: permit_of(*nonce),
                    code: id,
                    browser: letter.browser,
                };
                self.see(now, seen);
            }
            Some(_) => {}
        }
        if last {
            self.retry(id, now);
        }
    }
}
