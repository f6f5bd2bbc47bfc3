//! Who may steer: operator tokens, as bearer and nowhere else.
//!
//! A token that nobody has signed costs time ([`guesses`](crate::guesses)). One that is somebody's and does not suffice is
//! refused at once, and its refusal goes into the event's log with the name that it carries ([`refusals`]): an operator
//! sees who tried what. Whether an event exists is told only to who may see every event.

use std::time::Duration;

use anteroom_durable_objects::wire::CoordinatorAsk;
use anteroom_queue::coordinator::command::Action;
use anteroom_token::{OperatorEvents, OperatorRole, OperatorToken, Refusal};
use worker::Delay;

use crate::deployment::Room;
use crate::networks::Network;
use crate::problem::Problem;
use crate::visit::Visit;
use crate::{fields, guesses, platform, refusals, roles, rooms};

/// No parameter of a query has one of these words in its name.
const CREDENTIALS: [&str; 5] = ["token", "bearer", "auth", "jwt", "credential"];
/// The header of every token is a JSON object.
const TOKENS_BEGIN: &str = "eyJ";

/// The operator of a request about the event named `event`, if there is one, who may do what stands under the name `what`
/// in [`roles::ROLES`].
pub async fn check(
    visit: &Visit,
    event: &str,
    what: &'static str,
) -> Result<(Room, OperatorToken), Problem> {
    let room = visit.deployment.room(event);
    let any = room
        .or_else(|| visit.deployment.all().next())
        .ok_or_else(Problem::no_such_event)?;
    let operator = operator(visit, any).await?;
    match room {
        Some(room) if operator.events.include(event) => {
            allow(visit, room, &operator, what)?;
            Ok((room, operator))
        }
        None if operator.events == OperatorEvents::Every => Err(Problem::no_such_event()),
        room => {
            if let Some(room) = room {
                record(visit, room, &operator, "another event's token");
            }
            Err(other_event())
        }
    }
}

/// The operator of a request about every event.
pub async fn check_every(visit: &Visit, what: &'static str) -> Result<OperatorToken, Problem> {
    let room = visit
        .deployment
        .all()
        .next()
        .ok_or_else(Problem::no_such_event)?;
    let operator = operator(visit, room).await?;
    if operator.events != OperatorEvents::Every {
        return Err(other_event());
    }
    allow(visit, room, &operator, what)?;
    Ok(operator)
}

/// Whether `operator` may do what stands under the name `what` in [`roles::ROLES`].
pub fn allow(
    visit: &Visit,
    room: Room,
    operator: &OperatorToken,
    what: &'static str,
) -> Result<(), Problem> {
    let needed = roles::needed(what);
    if operator.role >= needed {
        return Ok(());
    }
    record(visit, room, operator, what);
    Err(too_little(what, needed, operator.role))
}

fn too_little(what: &str, needed: OperatorRole, role: OperatorRole) -> Problem {
    let title = format!(
        "{what} needs a token with the role {}; this one has {}",
        needed.name(),
        role.name()
    );
    Problem::new(403, "role", title)
}

fn other_event() -> Problem {
    Problem::new(403, "other-event", "this token is for another event")
}

/// Who sent the request, whatever their token is for.
async fn operator(visit: &Visit, room: Room) -> Result<OperatorToken, Problem> {
    if names_token(&visit.incoming.query) {
        return Err(Problem::new(
            400,
            "token-in-address",
            "the token belongs into the Authorization header, as bearer",
        ));
    }
    let Some(token) = visit.incoming.bearer() else {
        return Err(Problem::unauthorized("operator", "no bearer"));
    };
    let refusal = match room
        .tokens
        .open_operator_of_any(&token, visit.now_seconds())
    {
        Ok(operator) => return Ok(operator),
        Err(refusal) => refusal,
    };
    if is_signed(refusal) {
        return Err(Problem::unauthorized("operator", refusal.code()));
    }
    Err(wrong(visit, room, refusal).await)
}

/// Whether a query carries a token, by what it calls it, in any spelling, or by what it looks like. What does not decode
/// is looked at as it stands.
fn names_token(query: &str) -> bool {
    query.split('&').any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = fields::decoded(name.as_bytes()).unwrap_or_else(|_| name.to_owned());
        let name = name.to_ascii_lowercase();
        let value = fields::decoded(value.as_bytes()).unwrap_or_else(|_| value.to_owned());
        let value = value.rsplit(' ').next().unwrap_or_default();
        let is_token = value.starts_with(TOKENS_BEGIN) && fields::is_like_a_token(value);
        CREDENTIALS.iter().any(|word| name.contains(word)) || is_token
    })
}

/// Whether the signature was ours, so that nobody has guessed anything: a greater refusal got further.
fn is_signed(refusal: Refusal) -> bool {
    refusal > Refusal::Signature
}

/// A token that nobody has signed: counted, and answered when it has cost its time.
async fn wrong(visit: &Visit, room: Room, refusal: Refusal) -> Problem {
    let event = room.event;
    if let Some(more) = guesses::note(&event.id, visit.now) {
        platform::log(&format!("operator tokens that nobody signed: {more}"));
        let env = visit.env.clone();
        visit.context.wait_until(async move {
            // It may be lost: it says how much was tried, and decides nothing.
            let _ = rooms::wrong_tokens(&env, event, more).await;
        });
    }
    let address = visit.incoming.header("cf-connecting-ip");
    let cost = guesses::cost(Network::of_customer(address.as_deref()), visit.now);
    if cost.hold.0 > 0 {
        Delay::from(Duration::from_millis(cost.hold.0)).await;
    }
    match cost.retry {
        None => Problem::unauthorized("operator", refusal.code()),
        Some(retry) => {
            let title = "too many wrong tokens; one that holds is taken at once";
            Problem::new(429, "too-many-guesses", title).retry(retry.0)
        }
    }
}

/// Somebody's token did not suffice: for the event's log, in the background, as far as it is [news](refusals).
fn record(visit: &Visit, room: Room, operator: &OperatorToken, what: &str) {
    if !refusals::is_news(&room.event.id, &operator.name, what, visit.now) {
        return;
    }
    let ask = CoordinatorAsk::Operate {
        action: Action::Refused {
            what: what.to_owned(),
        },
        by: operator.name.clone(),
    };
    let env = visit.env.clone();
    let event = room.event;
    visit.context.wait_until(async move {
        let _ = rooms::ask_coordinator(&env, event, ask).await;
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    // C18.
    #[test]
    fn a_token_in_the_address_is_found_whatever_stands_beside_it() {
        for query in [
            "token=a",
            "after=1&access_token=a",
            "bearer",
            "token",
            "Token=a",
            "TOKEN=a",
            "%74oken=a",
            "%74OKEN=a",
            "access%5Ftoken=a",
            "operator_token=a",
            "authorization=Bearer%20a",
            "Authorization=a",
            "after=1&X-Auth=a",
            "token%ff=a",
            "token[]=a",
            "+token=a",
            "k=eyJh.eyJp.c2ln",
            "k=Bearer+eyJh.eyJp.c2ln",
            "k=%65yJh%2EeyJp.c2ln",
        ] {
            assert!(names_token(query), "{query}");
        }
        for query in [
            "",
            "after=1",
            "after=token",
            "after=1.5",
            "v=1.2.3",
            "line=a.b",
            "%zz=1",
            "=",
        ] {
            assert!(!names_token(query), "{query}");
        }
    }

    #[test]
    fn only_a_token_that_was_ours_once_costs_nothing() {
        let now = 1_800_000_000;
        for ours in [
            Refusal::Expired { expired_at: now },
            Refusal::NotYet { issued_at: now },
            Refusal::Claims { claim: "scp" },
            Refusal::WrongIssuer,
        ] {
            assert!(is_signed(ours), "{ours:?}");
        }
        for guessed in [
            Refusal::TooLong { bytes: 2_000 },
            Refusal::Shape,
            Refusal::Header,
            Refusal::UnknownKey,
            Refusal::Signature,
        ] {
            assert!(!is_signed(guessed), "{guessed:?}");
        }
    }
}
