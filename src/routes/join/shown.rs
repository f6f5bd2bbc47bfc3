//! What a join brings: its permit, with what that asks for done.

use anteroom_queue::shard::command::Refused;
use anteroom_token::{Challenge, Permit, Refusal};
use serde_json::json;

use crate::boards::InUse;
use crate::challenges::{self, Done};
use crate::deployment::Room;
use crate::fields::Fields;
use crate::problem::{self, Problem};
use crate::reserved::Reserved;
use crate::routes::permits as permit_route;
use crate::standing::Stand;
use crate::turnstile::{self, Brought};
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{isolate, joining, permits};

/// What is joined with.
pub struct Shown {
    /// It asks for nothing any more: what was done once counts for whatever is made of it.
    pub permit: Permit,
    /// It is too old to make a place.
    pub expired: bool,
    /// How what it asked for was done.
    pub done: Done,
    /// The place that it is about to make counts from here on.
    pub place: Reserved,
}

/// The permit that came, or a fresh one, with what it asks for done. Whoever has worked less than is asked of the network
/// by now gets the permit back with more in it; between that look and the count nothing else happens.
pub async fn shown(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    fields: &Fields,
    in_use: Option<&InUse>,
    with_fresh_permit: bool,
) -> Result<Shown, Problem> {
    let (permit, token, expired) = match with_fresh_permit {
        true => {
            let (permit, token) = permit_route::fresh(visit, room, in_use);
            (permit, token, false)
        }
        false => permit_of(room, fields, visit.now_seconds())?,
    };
    let brought = Brought {
        solution: fields.text("solution"),
        token: fields.text("turnstile"),
    };
    let done = turnstile::check(visit, room, &permit, &token, brought).await;
    if brought.solution.is_some() && done.is_err() {
        isolate::count(room.event, |counts| counts.handling.work_refused += 1);
    }
    let done = done?;
    let asked = visit
        .bits(room, in_use)
        .filter(|_| !expired && done == Done::Worked);
    if let Some(challenge) = asked.and_then(|bits| challenges::raised(permit.challenge, bits))
        && !joining::has_made_a_place(visit, room, &permit).await
    {
        let raised = permits::raised(&permit, challenge, visit.now_seconds());
        return Err(asks_for_more(room, visitor, &raised));
    }
    let place = Reserved::place(permit.nonce, visit.network(), visit.now);
    let permit = Permit {
        challenge: Challenge::None,
        ..permit
    };
    Ok(Shown {
        permit,
        expired,
        done,
        place,
    })
}

fn asks_for_more(room: Room, visitor: &Visitor<'_>, raised: &Permit) -> Problem {
    let title = "solution: of this permit, which asks for more: many have joined from this network meanwhile";
    let problem = challenges::unsolved(raised, title)
        .and("challenge", permit_route::challenge(room, raised))
        .and("permit_expires_at_ms", json!(raised.expires_at * 1_000));
    joining::with_permit(problem, visitor, &room.tokens.seal_permit(raised))
}

/// The permit that came, its bytes, and whether it is too old to make a place.
fn permit_of(room: Room, fields: &Fields, now: u64) -> Result<(Permit, String, bool), Problem> {
    let token = fields
        .text("permit")
        .ok_or_else(|| Problem::field("permit", "a permit of this queue"))?;
    match room.tokens.open_permit(token, now) {
        Ok(permit) => Ok((permit, token.to_owned(), false)),
        Err(Refusal::Expired { .. }) => match room.tokens.open_expired_permit(token, now) {
            Ok(permit) => Ok((permit, token.to_owned(), true)),
            Err(_) => Err(problem::of_refusal(Refused::PermitExpired, Stand::None)),
        },
        Err(refusal) => {
            Err(Problem::field("permit", "a permit of this queue")
                .and("reason", json!(refusal.code())))
        }
    }
}
