//! The ways: letters from visitors through their edge to shards and back, parcels between shards
//! and the coordinator.

use anteroom_queue::shard::command::ShardCommand;
use anteroom_queue::units::{
    ClaimId, Generation, LineIndex, Millis, NetworkMark, Nonce, PlaceIndex,
};

use super::Room;
use super::keeping::handover_of;
use crate::chance::mixed;
use crate::message::{Answer, Ask, Content, Event, Letter, Parcel};
use crate::observation::VisitorId;

/// How long an edge waits for a shard.
const EDGE_PATIENCE_MS: u64 = 3_000;

/// By how much the origin extends a session in a checkout.
const CHECKOUT: Millis = Millis::from_minutes(1);

/// A number of 128 bits that nobody else has: the visitor's own is its second half.
pub(super) fn number(id: VisitorId, salt: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&mixed(u64::from(id) ^ salt).to_le_bytes());
    bytes[8..].copy_from_slice(&u64::from(id).to_le_bytes());
    bytes
}

/// The permit of a visitor.
pub(super) fn nonce_of(permit: VisitorId) -> Nonce {
    Nonce(number(permit, 0x4e4f_4e43))
}

/// Whose permit it is.
pub(super) fn permit_of(nonce: Nonce) -> VisitorId {
    let [.., a, b, c, d, _, _, _, _] = nonce.0;
    u32::from_le_bytes([a, b, c, d])
}

fn browser_of(visitor: VisitorId, browser: u8) -> ClaimId {
    ClaimId(number(visitor, 0x434c_4149 + u64::from(browser)))
}

/// Where the browsers of a place are: always in one network, so that nobody is to be checked.
fn network_of(permit: VisitorId) -> NetworkMark {
    NetworkMark(mixed(u64::from(permit)).to_le_bytes())
}

impl Room {
    pub(super) fn parcel_in(&mut self, parcel: u32, now: u64) {
        let parcel = self.parcels.remove(parcel as usize);
        match &parcel.content {
            Content::Reply(reply) => {
                let reply = reply.clone();
                self.sync_answered(&parcel, &reply, Millis(0), now);
            }
            Content::Relayed(reply, behind) => {
                let (reply, behind) = (reply.clone(), *behind);
                self.sync_answered(&parcel, &reply, behind, now);
            }
            Content::RelayReply(reply) => {
                let reply = reply.clone();
                self.relay_answered(&parcel, &reply, now);
            }
            Content::Report(report) => {
                let report = report.clone();
                if !self.relay_in(&parcel, &report, now) {
                    self.report_in(parcel, now);
                }
            }
            Content::RelayReport(_) | Content::Foreign(_) => self.report_in(parcel, now),
        }
    }

    /// The command that a letter carries.
    pub(super) fn command(&self, letter: Letter) -> ShardCommand {
        let index = PlaceIndex(letter.index);
        let nonce = nonce_of(letter.permit);
        let claim = browser_of(letter.visitor, letter.browser);
        let generation = Generation(letter.generation);
        let line = LineIndex(letter.line);
        match letter.ask {
            Ask::Board => ShardCommand::Look,
            Ask::Reserve => self.reserve_command(letter),
            Ask::Found { made } => self.found_command(letter, made),
            Ask::Join | Ask::AskAbout => ShardCommand::Join {
                nonce,
                line,
                permit_expired: letter.ask == Ask::AskAbout,
                arrived: None,
            },
            Ask::Try => ShardCommand::Try { nonce, line, claim },
            Ask::State => ShardCommand::Ask {
                index,
                nonce,
                claim,
            },
            Ask::Claim if letter.names_network => ShardCommand::ClaimFrom {
                index,
                nonce,
                claim,
                network: network_of(letter.permit),
                hold_back: false,
            },
            Ask::Claim => ShardCommand::Claim {
                index,
                nonce,
                claim,
            },
            Ask::Defer => ShardCommand::Defer { index, nonce },
            Ask::OfferHandover => {
                let code = handover_of(letter.visitor);
                ShardCommand::OfferHandover { index, nonce, code }
            }
            Ask::TakeOver => ShardCommand::TakeOver {
                code: handover_of(letter.visitor),
                taker: claim,
            },
            Ask::Leave => ShardCommand::Leave { index, nonce },
            Ask::Renew if letter.names_network => ShardCommand::RenewFrom {
                index,
                generation,
                network: network_of(letter.permit),
            },
            Ask::Renew => ShardCommand::Renew { index, generation },
            Ask::Release => ShardCommand::Release { index, generation },
            Ask::Extend => ShardCommand::Extend {
                index,
                generation,
                by: CHECKOUT,
            },
        }
    }

    pub(super) fn send_letter(&mut self, letter: Letter, now: u64) {
        let nothing = Answer {
            letter,
            reply: None,
            board: None,
        };
        if self.network.overloads() {
            let delay = self.network.delay_ms().min(EDGE_PATIENCE_MS);
            return self.answer_at(now + delay, nothing);
        }
        let copies = match self.region_cut.parts_edge(letter.edge, letter.home, now) {
            true => [None, None],
            false => self.network.arrivals_ms(),
        };
        // What comes later than the edge waits, it does not wait for.
        let in_time = copies[0].filter(|delay| *delay < EDGE_PATIENCE_MS);
        if in_time.is_none() {
            self.answer_at(now + EDGE_PATIENCE_MS, nothing);
        }
        for (position, delay) in copies.into_iter().enumerate() {
            let Some(delay) = delay else { continue };
            let copy = letter.copy || position > 0 || in_time.is_none();
            let key = self.letters.insert(Letter { copy, ..letter });
            self.at(now + delay, Event::LetterIn(key as u32));
        }
    }

    /// Sends a letter to which nobody waits for an answer.
    pub(super) fn send_notice(&mut self, letter: Letter, now: u64) {
        for delay in self.network.arrivals_ms().into_iter().flatten() {
            let notice = Letter {
                copy: true,
                ..letter
            };
            let key = self.letters.insert(notice);
            self.at(now + delay, Event::LetterIn(key as u32));
        }
    }

    pub(super) fn send_answer(&mut self, answer: Answer, now: u64) {
        let Letter { edge, home, .. } = answer.letter;
        let delay = match self.region_cut.parts_edge(edge, home, now) || self.network.loses_answer()
        {
            true => EDGE_PATIENCE_MS,
            false => self.network.delay_ms(),
        };
        if delay < EDGE_PATIENCE_MS {
            return self.answer_at(now + delay, answer);
        }
        let nothing = Answer {
            letter: answer.letter,
            reply: None,
            board: None,
        };
        self.answer_at(now + EDGE_PATIENCE_MS, nothing);
    }

    fn answer_at(&mut self, at: u64, answer: Answer) {
        let key = self.answers.insert(answer);
        self.at(at, Event::AnswerIn(key as u32));
    }

    pub(super) fn send_parcel(&mut self, parcel: Parcel, at: u64) {
        let key = self.parcels.insert(parcel);
        self.at(at, Event::ParcelIn(key as u32));
    }
}
