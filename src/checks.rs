//! Checks of visitors who have a place: a suspected one before the first pass, and one whose pass is used from many networks.
//!
//! A check is a token with the claims of a permit and a purpose of its own: it makes no place. It asks for work like a
//! permit, of whoever cannot work for the same wait, and lives as long. Half of its number is random; the other half is a
//! keyed hash of what it is good for, so nothing is stored, and one that was done for a place serves no other, nor another
//! browser that has a copy of the place's ticket.
//!
//! A check that was done is brought with the claim, as `check` and `solution`.

use anteroom_queue::units::{ClaimId, Millis, UnixMillis};
use anteroom_token::{Challenge, Permit, SessionId, Ticket};
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::challenges::{self, Done};
use crate::cookies::Kind;
use crate::deployment::Room;
use crate::fields::Fields;
use crate::permits::PERMIT_SECONDS;
use crate::problem::Problem;
use crate::reserved::Number;
use crate::routes::permits::ENDS_SOON_SECONDS;
use crate::standing::Stand;
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{platform, suspicion};

/// Bytes of a check's number that are random.
const RANDOM_BYTES: usize = 8;

/// What a check is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The first pass of a place, in one browser.
    Turn {
        /// The place's home.
        home: u16,
        /// The place.
        index: u32,
        /// The browser's number: what one did is done for no other.
        claim: ClaimId,
    },
    /// A new pass of a running session, in place of this one.
    Session {
        /// The place's home.
        home: u16,
        /// The place.
        index: u32,
        /// The pass.
        generation: u32,
    },
}

impl Subject {
    /// The first pass of the ticket's place, in the browser that has this number.
    pub fn turn(ticket: &Ticket, claim: ClaimId) -> Self {
        Subject::Turn {
            home: ticket.home,
            index: ticket.index,
            claim,
        }
    }

    /// A new pass in place of this session's.
    pub fn session(of: SessionId) -> Self {
        Subject::Session {
            home: of.home,
            index: of.index,
            generation: of.generation,
        }
    }

    fn home(self) -> u16 {
        match self {
            Subject::Turn { home, .. } | Subject::Session { home, .. } => home,
        }
    }

    /// The number of a check of it.
    fn nonce(self, room: Room, random: [u8; RANDOM_BYTES]) -> [u8; 16] {
        let (what, index, whose) = match self {
            Subject::Turn { index, claim, .. } => (&b"turn"[..], index, claim.0),
            Subject::Session {
                index, generation, ..
            } => (&b"session"[..], index, u128::from(generation).to_be_bytes()),
        };
        let mark = room.tokens.mark_of(&[
            b"check",
            what,
            &self.home().to_be_bytes(),
            &index.to_be_bytes(),
            &whose,
            &random,
        ]);
        core::array::from_fn(|at| match at {
            0..RANDOM_BYTES => random[at],
            _ => mark[at],
        })
    }
}

/// A check and its bytes.
pub type Check = (Permit, String);

/// Whether a check is good for `subject`.
pub fn is_of(room: Room, check: &Permit, subject: Subject) -> bool {
    let random = core::array::from_fn(|at| check.nonce[at]);
    check.nonce == subject.nonce(room, random)
}

/// The check of `subject` that the browser keeps, so that a wait goes on over a reload; or a new one.
pub fn kept_or_fresh(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    subject: Subject,
    in_use: Option<&InUse>,
) -> Check {
    let kept = visitor.check().filter(|(check, _)| {
        let ends_soon = check.expires_at <= visit.now_seconds() + ENDS_SOON_SECONDS;
        is_of(room, check, subject) && !ends_soon
    });
    kept.unwrap_or_else(|| {
        let check = fresh(
            room,
            subject,
            challenge(visit, room, in_use),
            visit.now_seconds(),
        );
        platform::log(&format!(
            "{}: a visitor with a place is to be checked",
            room.event.id
        ));
        check
    })
}

/// A check for whoever has to do one before the next pass: for the form of a page without script, which asks for none.
/// `claim`: the number that the browser has from this page on.
pub fn of_page(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
    stand: Stand,
    claim: ClaimId,
) -> Option<Check> {
    let subject = match stand {
        Stand::Recheck => Subject::session(visitor.pass()?.pass.session),
        Stand::Called | Stand::Pending if suspicion::is_suspected(visit, room, in_use) => {
            Subject::turn(&visitor.ticket()?, claim)
        }
        _ => return None,
    };
    Some(kept_or_fresh(visit, room, visitor, subject, in_use))
}

fn fresh(room: Room, subject: Subject, challenge: Challenge, now: u64) -> Check {
    let random = platform::random_128();
    let check = Permit {
        nonce: subject.nonce(room, core::array::from_fn(|at| random[at])),
        home: subject.home(),
        issued_at: now,
        expires_at: now + PERMIT_SECONDS,
        challenge,
        arrived_at: None,
    };
    let token = room.tokens.seal_check(&check);
    (check, token)
}

/// Work, whatever else the event asks of those who join; where it asks for nothing, that the visitor claims again.
fn challenge(visit: &Visit, room: Room, in_use: Option<&InUse>) -> Challenge {
    match visit.bits(room, in_use) {
        None => Challenge::None,
        Some(bits) => Challenge::Work { bits },
    }
}

/// The check that a claim brings; one that is none of ours, or too old, counts as not brought.
pub fn brought(visit: &Visit, room: Room, fields: &Fields) -> Option<Check> {
    let token = fields.text("check")?;
    let check = room.tokens.open_check(token, visit.now_seconds()).ok()?;
    Some((check, token.to_owned()))
}

/// How what a check of this place asks for was done. Its work holds as long as it lives; so does the wait for it.
pub fn done(
    visit: &Visit,
    room: Room,
    (check, token): &Check,
    solution: Option<&str>,
    place: (u16, u32),
) -> Result<Done, Problem> {
    let (network, now) = (visit.network(), platform::now());
    let whose = whose(room, place);
    challenges::check(check, token, solution, whose, network, now)
}

/// Whoever waits for checks of this place: all that it waits for counts once.
fn whose(room: Room, (home, index): (u16, u32)) -> Number {
    room.tokens
        .mark_of(&[b"waits", &home.to_be_bytes(), &index.to_be_bytes()])
}

/// The number that a browser has from its check on: the same if it claims with that check again.
pub fn claim_id(room: Room, check: &Permit) -> ClaimId {
    let mark = room.tokens.mark_of(&[b"checked", &check.nonce]);
    ClaimId(mark)
}

/// From when on who cannot work may claim with a check of the visitor's place; `None`: now.
pub fn waits_until(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    check: &Permit,
    now: UnixMillis,
) -> Option<UnixMillis> {
    let by_ticket = visitor.ticket().map(|ticket| (ticket.home, ticket.index));
    let of = |session: SessionId| (session.home, session.index);
    let place = by_ticket.or_else(|| Some(of(visitor.pass()?.pass.session)))?;
    challenges::waits_until(check, whose(room, place), visit.network(), now)
}

/// The cookie that keeps a check.
pub fn cookie(visitor: &Visitor<'_>, token: &str) -> String {
    visitor.jar().set(Kind::Check, token, PERMIT_SECONDS)
}

/// The answer to a claim that has to be checked first.
pub fn answer(room: Room, visitor: &Visitor<'_>, stand: Stand, check: &Check) -> Answer {
    let title = "check: claim again with it and with what it asks for; the place is kept";
    let problem = describe(Problem::new(422, "recheck", title), check)
        .and("event", json!(room.event.id))
        .and("state", json!(stand.name()))
        .retry(Millis::from_seconds(1).0);
    Answer::from(problem)
        .with("waiting-room-state", stand.name())
        .with("set-cookie", cookie(visitor, &check.1))
}

/// A problem with the check that leads out of it.
pub fn describe(problem: Problem, (check, token): &Check) -> Problem {
    problem
        .and("check", json!(token))
        .and("check_expires_at_ms", json!(check.expires_at * 1_000))
        .and("challenge", challenges::document(check.challenge))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::{self, Network};
    use crate::samples;

    // Q12.
    #[test]
    fn all_checks_that_a_place_waits_for_count_once_and_hold_while_its_claim_is_pending() {
        let room = samples::room(json!([{ "id": "general" }]));
        let here = Network::of_provider(Some("192.0.2.7"));
        let check = |number: u8| Permit {
            nonce: [number; 16],
            home: 0,
            issued_at: 1_000 + u64::from(number),
            expires_at: 1_300,
            challenge: Challenge::Work { bits: 16 },
            arrived_at: None,
        };
        let brings = |number: u8, index: u32, seconds: u64| {
            let now = UnixMillis(seconds * 1_000);
            let whose = whose(room, (0, index));
            let done = challenges::check(&check(number), "a.b.c", None, whose, here, now);
            let is_done = done.is_ok();
            if let Ok(done) = done {
                done.used();
            }
            (is_done, networks::with(|seen| seen.waits.of(here, now)))
        };
        assert_eq!(brings(0, 0, 1_010), (false, 0), "too early");
        for again in 0..12 {
            assert_eq!(brings(again, 0, 1_040), (true, 1), "check {again} of it");
        }
        assert_eq!(brings(60, 0, 1_065), (false, 1), "each has its own time");
        for index in 1..10 {
            assert_eq!(brings(0, index, 1_080), (true, index + 1));
        }
        assert_eq!(brings(0, 10, 1_080), (false, 10), "ten of a network");
        assert_eq!(brings(0, 0, 1_080), (true, 10), "who has waited goes on");
    }

    // R10.
    #[test]
    fn a_check_is_good_for_one_place_in_one_browser_and_one_pass() {
        let room = samples::room(json!([{ "id": "general" }]));
        let turn = |home, index, browser: u8| Subject::Turn {
            home,
            index,
            claim: ClaimId([browser; 16]),
        };
        let session = |home, index, generation| Subject::Session {
            home,
            index,
            generation,
        };
        let all = [
            turn(1, 2, 0),
            turn(2, 1, 0),
            turn(1, 3, 0),
            turn(1, 2, 1),
            session(1, 2, 0),
            session(1, 2, 1),
            session(1, 3, 0),
        ];
        for subject in all {
            let nonce = subject.nonce(room, [5; RANDOM_BYTES]);
            let check = Permit {
                nonce,
                home: subject.home(),
                issued_at: 1_000,
                expires_at: 1_300,
                challenge: Challenge::None,
                arrived_at: None,
            };
            for other in all {
                assert_eq!(
                    is_of(room, &check, other),
                    other == subject,
                    "{subject:?} {other:?}"
                );
            }
            let again = Permit {
                nonce: subject.nonce(room, [6; RANDOM_BYTES]),
                ..check.clone()
            };
            assert_ne!(claim_id(room, &check), claim_id(room, &again));
        }
    }
}
