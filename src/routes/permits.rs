//! `POST /_wr/queues/{event}/permits`: a leave to join. Nobody is asked and nothing is stored. Who brings a valid permit
//! gets the same again, unless its place is over.

use anteroom_config as config;
use anteroom_queue::units::ShardIndex;
use anteroom_token::{Challenge, Permit};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::boards::InUse;
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::problem::Problem;
use crate::rate_limits::{self, Action};
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{challenges, fields, isolate, permits, place, platform, turnstile};

/// The permit.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    rate_limits::check(visit, Action::Permit)?;
    fields::read(&visit.request, &visit.incoming, &[]).await?;
    let in_use = visit.board(room).await;
    let is_spent = spent(visit, room, &visitor, in_use.as_ref()).await;
    // Many may have been asked for while this one waited.
    rate_limits::check(visit, Action::Permit)?;
    let (permit, token) = match is_spent {
        false => kept_or_fresh(visit, room, &visitor, in_use.as_ref()),
        true => fresh(visit, room, in_use.as_ref()),
    };
    let document = json!({
        "permit": token,
        "expires_at_ms": permit.expires_at * 1_000,
        "challenge": challenge(room, &permit),
    });
    Ok(Answer::json(201, &document).with(
        "set-cookie",
        visitor.jar().set(Kind::Permit, &token, KEPT_SECONDS),
    ))
}

/// What a permit asks for, with what the widget needs.
pub fn challenge(room: Room, permit: &Permit) -> Value {
    let mut challenge = challenges::document(permit.challenge);
    if let Some(widget) = turnstile::document(room, permit) {
        challenge["turnstile"] = widget;
    }
    challenge
}

/// A permit that asks for work is kept while there is time to do it.
pub const ENDS_SOON_SECONDS: u64 = 60;

/// The permit that the browser has, or a new one.
pub fn kept_or_fresh(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
) -> (Permit, String) {
    let ends_soon = |permit: &Permit| permit.expires_at <= visit.now_seconds() + ENDS_SOON_SECONDS;
    let is_there = |permit: &Permit| !room.event.regions.has_lost(ShardIndex(permit.home));
    let kept = visitor
        .permit()
        .filter(|(permit, _)| permit.challenge == Challenge::None || !ends_soon(permit))
        .filter(|(permit, _)| is_there(permit));
    kept.unwrap_or_else(|| fresh(visit, room, in_use))
}

/// A new permit.
pub fn fresh(visit: &Visit, room: Room, in_use: Option<&InUse>) -> (Permit, String) {
    rate_limits::count(visit, room, Action::Permit);
    isolate::count(room.event, |counts| counts.handling.permits += 1);
    let usual = match (room.event.challenge, visit.bits(room, in_use)) {
        (_, None) | (config::Challenge::None, _) => Challenge::None,
        (config::Challenge::Work(_), Some(bits)) => Challenge::Work { bits },
        (config::Challenge::Turnstile(_), Some(bits)) => Challenge::Turnstile { bits },
        (config::Challenge::WorkAndTurnstile(_), Some(bits)) => {
            Challenge::WorkAndTurnstile { bits }
        }
    };
    let challenge = turnstile::in_force(visit, room, usual);
    sealed(visit, room, in_use, challenge)
}

/// A new permit that asks for nothing: for whoever has done what another one asked for, or is let in in one step.
pub fn free(visit: &Visit, room: Room, in_use: Option<&InUse>) -> (Permit, String) {
    sealed(visit, room, in_use, Challenge::None)
}

fn sealed(
    visit: &Visit,
    room: Room,
    in_use: Option<&InUse>,
    challenge: Challenge,
) -> (Permit, String) {
    let board = in_use.map(|in_use| (&*in_use.board, in_use.age));
    let regions = &room.event.regions;
    let continent = match regions.shards.is_empty() {
        true => None,
        false => platform::continent(&visit.request),
    };
    let here = (regions, continent.as_deref());
    let permit = permits::fresh(board, here, challenge, visit.now_seconds());
    let token = room.tokens.seal_permit(&permit);
    (permit, token)
}

/// Whether the permit that the browser has made a place that is over, or every place that it makes: it would only find
/// these again.
async fn spent(visit: &Visit, room: Room, visitor: &Visitor<'_>, in_use: Option<&InUse>) -> bool {
    let (Some(ticket), Some((permit, _))) = (visitor.ticket(), visitor.permit()) else {
        return false;
    };
    match permits::position_of(&ticket, &permit) {
        None => false,
        Some(position) if position + 1 == permits::MOST_PLACES => true,
        Some(_) => {
            let found = place::find(visit, room, visitor, &ticket, in_use).await;
            found.unknown || !found.standing.stand.is_live()
        }
    }
}
