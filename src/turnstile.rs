//! Turnstile: a third party's widget on the page says whether a visitor is a machine, and this asks it whether what the
//! page sends is its word.
//!
//! A token is about one permit: the widget is given the event, the run and the permit's number as its `cdata`, and what the
//! third party answers has to say the same. A permit makes one place. So a token makes one place, however often it is sent,
//! even if the third party held it for good again and again; what an isolate remembers ([`spent`]) is a second lock.
//!
//! Nobody is shut out for want of the widget: in place of a token a permit takes work of two bits more ([`MORE_INSTEAD`]),
//! or a wait, like any other permit. When the third party is down ([`breaker`]) the organizer's `turnstile_down` holds:
//! new permits ask for plain work (`pow`), or for nothing in its place (`allow`), or nobody joins (`deny`).
//!
//! - `third_party`: where it is, and the secret. `asking`: the question. `verdict`: what the answer means.
//! - `breaker`: whether it is asked at all. `spent`: tokens that held. `token`: what can be said of one without asking.

mod asking;
mod breaker;
mod spent;
mod third_party;
mod token;
mod verdict;

use anteroom_config::{Event, TurnstileDown};
use anteroom_queue::units::UnixMillis;
use anteroom_token::{Challenge, NONCE_BYTES, Permit};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde_json::{Value, json};

use crate::challenges::{self, Done};
use crate::deployment::Room;
use crate::page::view::Widget;
use crate::problem::Problem;
use crate::visit::Visit;
use crate::{isolate, platform};

use asking::Question;
pub use breaker::ASKS_EVERY;
pub use third_party::{ThirdParty, VARIABLES, of_events};
use verdict::{Expected, Verdict};

/// What the widget is given as its action.
pub const ACTION: &str = "join";
/// What the edge asks about by itself while the third party is down: no widget makes it.
const OWN_TOKEN: &str = "anteroom.is.anybody.there";

/// What an isolate keeps of an event's widget.
#[derive(Debug, Default)]
pub struct Kept {
    breaker: breaker::Breaker,
    spent: spent::Spent,
}

/// What a join brings to show that it is no machine's.
#[derive(Debug, Clone, Copy)]
pub struct Brought<'a> {
    /// The work.
    pub solution: Option<&'a str>,
    /// The widget's token.
    pub token: Option<&'a str>,
}

/// What the widget is given about a permit, and its token has to say. Event ids have no underscore.
fn cdata(event: &Event, nonce: [u8; NONCE_BYTES]) -> String {
    let nonce = Base64UrlUnpadded::encode_string(&nonce);
    format!("{}_{}_{nonce}", event.id, event.run)
}

/// What a page or a program needs for the widget; `None` where the permit does not ask for it.
pub fn document(room: Room, permit: &Permit) -> Option<Value> {
    let widget = room.event.turnstile.as_ref()?;
    permit.challenge.asks_turnstile().then(|| {
        json!({ "site_key": widget.site_key, "action": ACTION, "cdata": cdata(room.event, permit.nonce) })
    })
}

/// The widget on the page, where the event uses it.
pub fn widget(room: Room) -> Option<Widget> {
    let (widget, third_party) = (room.event.turnstile.as_ref()?, room.turnstile?);
    Some(Widget {
        site_key: widget.site_key.clone(),
        script: third_party.script(),
        origin: third_party.origin().to_owned(),
    })
}

/// What a new permit asks for, where `usual` is what it asks for while the third party answers.
pub fn in_force(visit: &Visit, room: Room, usual: Challenge) -> Challenge {
    match policy(room) {
        Some(down) if is_down(visit, room) => while_down(usual, down),
        _ => usual,
    }
}

fn policy(room: Room) -> Option<TurnstileDown> {
    Some(room.event.turnstile.as_ref()?.down)
}

fn while_down(usual: Challenge, down: TurnstileDown) -> Challenge {
    match (usual, down) {
        (Challenge::Turnstile { bits }, TurnstileDown::Work)
        | (Challenge::WorkAndTurnstile { bits }, TurnstileDown::Work | TurnstileDown::Allow) => {
            Challenge::Work { bits }
        }
        (Challenge::Turnstile { .. }, TurnstileDown::Allow) => Challenge::None,
        (usual, _) => usual,
    }
}

/// Whether the third party is down, as far as this isolate knows. While it is, the edge asks it now and then.
fn is_down(visit: &Visit, room: Room) -> bool {
    let now = platform::now();
    let (is_open, shall_ask) = isolate::with(room.event, |kept| {
        let breaker = &mut kept.turnstile.breaker;
        (breaker.is_open(), breaker.shall_ask(now))
    });
    if shall_ask {
        visit.context.wait_until(look(room));
    }
    is_open
}

/// Asks about a token that cannot hold: any answer will do.
async fn look(room: Room) {
    let Some(third_party) = room.turnstile else {
        return;
    };
    let nonce = platform::random_128();
    let cdata = cdata(room.event, nonce);
    let question = question(room, third_party, OWN_TOKEN, nonce, &cdata);
    let verdict = asking::once(&question).await;
    note(room, &verdict);
}

fn question<'a>(
    room: Room,
    third_party: &'a ThirdParty,
    token: &'a str,
    nonce: [u8; NONCE_BYTES],
    cdata: &'a str,
) -> Question<'a> {
    Question {
        third_party,
        token,
        nonce,
        expected: Expected {
            hosts: &room.event.hosts,
            action: ACTION,
            cdata,
            for_tests: third_party.for_tests,
        },
    }
}

/// Takes in whether there was an answer; what begins or ends goes to the log.
fn note(room: Room, verdict: &Verdict) {
    let now = platform::now();
    let news = isolate::with(room.event, |kept| {
        let (counts, breaker) = (&mut kept.counts.turnstile, &mut kept.turnstile.breaker);
        match verdict {
            Verdict::Unanswered(_) => {
                let begins = breaker.unanswered(now);
                if breaker.is_open() {
                    counts.silent_at = now;
                }
                begins
            }
            Verdict::Passed | Verdict::Refused(_) => {
                counts.answered_at = now;
                breaker.answered()
            }
        }
    });
    let down = policy(room).map_or("", TurnstileDown::name);
    let id = &room.event.id;
    match verdict {
        Verdict::Unanswered(why) if news => platform::log(&format!(
            "turnstile of {id}: no answer ({why}); until there is one: {down}"
        )),
        Verdict::Passed | Verdict::Refused(_) if news => {
            platform::log(&format!("turnstile of {id}: answers again"));
        }
        _ => {}
    }
}

/// Whether what the permit asks for was done. `bytes`: the permit's.
pub async fn check(
    visit: &Visit,
    room: Room,
    permit: &Permit,
    bytes: &str,
    brought: Brought<'_>,
) -> Result<Done, Problem> {
    let join = Join {
        visit,
        room,
        permit,
        bytes,
        solution: brought.solution,
    };
    let (true, Some(third_party)) = (permit.challenge.asks_turnstile(), room.turnstile) else {
        return join.by_work();
    };
    let down = is_down(visit, room);
    match brought.token.filter(|token| !token.is_empty()) {
        None if down => join.while_down(),
        None => join.instead(),
        Some(token) => {
            token::look_at(token, third_party)?;
            if let (Challenge::WorkAndTurnstile { bits }, false) = (permit.challenge, down) {
                challenges::worked(permit, bytes, brought.solution, bits)?;
            }
            join.with_token(third_party, token, down).await
        }
    }
}

fn refused(part: &str) -> Problem {
    Problem::unusable("turnstile", "a new token of this permit's widget").and("reason", json!(part))
}

/// A join with a permit that asks for the widget.
struct Join<'a> {
    visit: &'a Visit,
    room: Room,
    permit: &'a Permit,
    bytes: &'a str,
    solution: Option<&'a str>,
}

impl Join<'_> {
    fn by_work(&self) -> Result<Done, Problem> {
        let Join { visit, permit, .. } = *self;
        let (network, now) = (visit.network(), visit.now);
        let whose = permit.nonce;
        challenges::check(permit, self.bytes, self.solution, whose, network, now)
    }

    /// Work or a wait in place of the token.
    fn instead(&self) -> Result<Done, Problem> {
        let done = self.by_work()?;
        self.count_instead();
        Ok(done)
    }

    /// What was done beside the widget's word.
    fn not_instead(&self) -> Done {
        match self.permit.challenge {
            Challenge::WorkAndTurnstile { .. } => Done::Worked,
            _ => Done::Free,
        }
    }

    fn count_instead(&self) {
        isolate::count(self.room.event, |counts| counts.turnstile.instead += 1);
    }

    /// What the organizer wants while nobody can be asked. The permit was made before.
    fn while_down(&self) -> Result<Done, Problem> {
        match policy(self.room) {
            Some(TurnstileDown::Deny) => Err(away()),
            Some(TurnstileDown::Allow) => {
                if let Challenge::WorkAndTurnstile { bits } = self.permit.challenge {
                    challenges::worked(self.permit, self.bytes, self.solution, bits)?;
                }
                self.count_instead();
                Ok(self.not_instead())
            }
            Some(TurnstileDown::Work) | None => self.instead(),
        }
    }

    async fn with_token(
        &self,
        third_party: &ThirdParty,
        token: &str,
        down: bool,
    ) -> Result<Done, Problem> {
        let (event, nonce) = (self.room.event, self.permit.nonce);
        let hash = spent::hash_of(token);
        let remembers = !third_party.for_tests;
        let holds =
            |kept: &mut isolate::Kept| kept.turnstile.spent.hold(hash, nonce, self.visit.now);
        if remembers && !isolate::with(event, holds) {
            isolate::count(event, |counts| counts.turnstile.refused += 1);
            return Err(refused("timeout-or-duplicate"));
        }
        if down {
            return self.while_down();
        }
        let cdata = cdata(event, nonce);
        let question = question(self.room, third_party, token, nonce, &cdata);
        let is_hopeless = || isolate::with(event, |kept| kept.turnstile.breaker.is_open());
        let verdict = asking::ask(&question, is_hopeless).await;
        note(self.room, &verdict);
        if remembers && verdict != Verdict::Passed {
            isolate::with(event, |kept| kept.turnstile.spent.let_go(hash, nonce));
        }
        match verdict {
            Verdict::Passed => {
                let now: UnixMillis = platform::now();
                isolate::with(event, |kept| {
                    kept.counts.turnstile.passed += 1;
                    if remembers {
                        kept.turnstile.spent.spend(hash, nonce, now);
                    }
                });
                Ok(self.not_instead())
            }
            Verdict::Refused(part) => {
                isolate::count(event, |counts| counts.turnstile.refused += 1);
                Err(refused(part))
            }
            Verdict::Unanswered(_) => {
                isolate::count(event, |counts| counts.turnstile.unanswered += 1);
                self.while_down()
            }
        }
    }
}

fn away() -> Problem {
    let title = "no place is made while the check for machines cannot be reached";
    Problem::new(503, "turnstile-away", title).retry(ASKS_EVERY.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn what_a_new_permit_asks_for_while_it_is_down_is_the_organizers_choice() {
        use Challenge::{None, Turnstile, Work, WorkAndTurnstile};
        let bits = 16;
        for (usual, down, asked) in [
            (Turnstile { bits }, TurnstileDown::Work, Work { bits }),
            (Turnstile { bits }, TurnstileDown::Allow, None),
            (Turnstile { bits }, TurnstileDown::Deny, Turnstile { bits }),
            (
                WorkAndTurnstile { bits },
                TurnstileDown::Work,
                Work { bits },
            ),
            (
                WorkAndTurnstile { bits },
                TurnstileDown::Allow,
                Work { bits },
            ),
            (
                WorkAndTurnstile { bits },
                TurnstileDown::Deny,
                WorkAndTurnstile { bits },
            ),
        ] {
            assert_eq!(while_down(usual, down), asked, "{usual:?} {down:?}");
        }
    }

    #[test]
    fn a_token_is_about_one_event_one_run_and_one_permit() {
        let event = samples::room(json!([{ "id": "general" }])).event;
        let all = [cdata(event, [1; 16]), cdata(event, [2; 16])];
        assert_eq!(all[0], "demo_1_AQEBAQEBAQEBAQEBAQEBAQ");
        assert_ne!(all[0], all[1]);
        let other_run = Event {
            run: 2,
            ..event.clone()
        };
        assert_eq!(cdata(&other_run, [1; 16]), "demo_2_AQEBAQEBAQEBAQEBAQEBAQ");
    }
}
