//! Checks of visitors who have a place: a suspected one before the first pass, and one whose pass is used from many networks.
//!
//! A check is a token with the claims of a permit and a purpose of its own: it makes no place. It asks for work like a
//! permit, of whoever cannot work for the same wait, and lives as long. Half of its number is random; the other half is a
//! keyed hash of what it is good for, so nothing is stored, and one that was done for a place serves no other, nor another
//! browser that has a copy of the place's ticket.
//!
//! A check that was done is brought with the claim, as `check` and `solution`.

use anteroom_config as config;
use anteroom_queue::units::{ClaimId, Millis, UnixMillis};
use anteroom_token::{Challenge, Permit, SessionId, Ticket};
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::challenges::{self, Done};
use crate::cookies::Kind;
use crate::deployment::Room;
use crate::fields::Fields;
use crate::networks::{self, Network, Seen};
use crate::permits::PERMIT_SECONDS;
use crate::problem::Problem;
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
    match room.event.challenge {
        config::Challenge::None => Challenge::None,
        config::Challenge::Work(base)
        | config::Challenge::Turnstile(base)
        | config::Challenge::WorkAndTurnstile(base) => Challenge::Work {
            bits: challenges::difficulty(base, &visit.signals(room, in_use)).bits(),
        },
    }
}

/// The check that a claim brings, if it was done; one that is none of ours, or too old, counts as not brought.
pub fn done(visit: &Visit, room: Room, fields: &Fields) -> Result<Option<Permit>, Problem> {
    let opened = fields.text("check").and_then(|token| {
        let check = room.tokens.open_check(token, visit.now_seconds()).ok()?;
        Some((check, token))
    });
    let Some((check, token)) = opened else {
        return Ok(None);
    };
    let (now, network) = (platform::now(), visit.network());
    let solution = fields.text("solution");
    networks::with(|seen| is_done(seen, &check, token, solution, network, now))?;
    Ok(Some(check))
}

/// Whether what the check asks for was done. Its work holds as long as it lives; so does the wait for it.
fn is_done(
    seen: &mut Seen,
    check: &Permit,
    token: &str,
    solution: Option<&str>,
    network: Network,
    now: UnixMillis,
) -> Result<(), Problem> {
    if solution.is_none_or(str::is_empty) && seen.has_waited_for(check.nonce, now) {
        return Ok(());
    }
    if challenges::check(check, token, solution, now, network, seen)? == Done::Waited {
        seen.has_waited(check.nonce, network, now);
    }
    Ok(())
}

/// The number that a browser has from its check on: the same if it claims with that check again.
pub fn claim_id(room: Room, check: &Permit) -> ClaimId {
    let mark = room.tokens.mark_of(&[b"checked", &check.nonce]);
    ClaimId(mark)
}

/// From when on who cannot work may claim with this check; `None`: now.
pub fn waits_until(visit: &Visit, check: &Permit, now: UnixMillis) -> Option<UnixMillis> {
    networks::with(|seen| match seen.has_waited_for(check.nonce, now) {
        true => None,
        false => challenges::waits_until(check, now, visit.network(), seen),
    })
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
    use crate::samples;

    // Q12.
    #[test]
    fn a_check_that_was_waited_for_counts_once_and_holds_while_its_claim_is_pending() {
        let mut seen = Seen::nothing();
        let here = Network::of_provider(Some("192.0.2.7"));
        let check = |number: u8| Permit {
            nonce: [number; 16],
            home: 0,
            issued_at: 1_000,
            expires_at: 1_300,
            challenge: Challenge::Work { bits: 16 },
            arrived_at: None,
        };
        let mut brings = |number, seconds: u64| {
            let now = UnixMillis(seconds * 1_000);
            let done = is_done(&mut seen, &check(number), "a.b.c", None, here, now);
            (done.is_ok(), seen.waited.of(here, now).0)
        };
        assert_eq!(brings(0, 1_010), (false, 0), "too early");
        for again in 0..30 {
            assert_eq!(brings(0, 1_020 + 2 * again), (true, 1), "again {again}");
        }
        for number in 1..10 {
            assert_eq!(brings(number, 1_080), (true, u32::from(number) + 1));
        }
        assert_eq!(brings(10, 1_080), (false, 10), "ten of a network");
        assert_eq!(brings(0, 1_080), (true, 10), "who has waited goes on");
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
