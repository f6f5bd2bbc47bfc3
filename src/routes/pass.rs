//! `POST /_wr/queues/{event}/tickets/me/pass`: a called visitor wants in. Asking again is safe: the same browser gets the
//! pass of the same session, another browser takes it over.

use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{Nonce, PlaceIndex, ShardIndex};
use anteroom_token::{Pass, SessionId, Ticket};
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::cookies::Kind;
use crate::deployment::Room;
use crate::fields::{self, Fields};
use crate::place::{self, Found};
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::renewal;
use crate::rooms::RoomError;
use crate::routes::{leave, state};
use crate::standing::{Stand, Standing, from_ticket};
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{gate, origin_health, rooms, way_back};

/// A browser keeps the pass so much longer than its session: a form sent as the time ran out still brings it, and the
/// page can say when the session ended.
const KEPT_AFTER_SESSION_SECONDS: u64 = 10 * 60;

/// The pass, or where the visitor stands instead.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    let fields = fields::read(&visit.request, &visit.incoming, &["return"]).await?;
    let back = way_back::read(visit, room, fields.text("return"));
    let Some(ticket) = visitor.ticket() else {
        return if fields.is_form {
            Ok(Answer::see_other(back.as_str()))
        } else {
            Err(leave::not_brought(&visitor, "ticket"))
        };
    };
    let answer = claim(visit, room, &visitor, &ticket, &fields).await;
    if !fields.is_form {
        return answer;
    }
    let cookies: Vec<String> = answer
        .map(|answer| answer.cookies().map(str::to_owned).collect())
        .unwrap_or_default();
    Ok(Answer::see_other(back.as_str()).with_cookies(cookies))
}

async fn claim(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    ticket: &Ticket,
    fields: &Fields,
) -> Result<Answer, Problem> {
    let before = visit.board(room).await;
    if !may_admit(before.as_ref(), ticket.line) {
        // While a brake is on, or may be, only sessions that run already go on.
        let found = place::find(visit, room, visitor, ticket, before.as_ref()).await;
        if !matches!(found.standing.stand, Stand::Admitted | Stand::Elsewhere) {
            let cookie = visitor.brings_cookie();
            let in_use = before.as_ref();
            return Ok(state::document(409, room, visitor, &found, in_use, cookie));
        }
    }
    if let Some(waits) = waits_for_shop(visit, room, visitor, ticket, before.as_ref()).await {
        return Ok(waits);
    }
    let reply = send_claim(visit, room, visitor, ticket).await;
    let reply = reply.map_err(|_| Problem::away(SHORTEST_POLL.0))?;
    let in_use = visit.board(room).await;
    let now = visit.now_seconds();
    if let ShardReply::Session {
        index,
        generation,
        session_ends,
        first,
        confirmed,
    } = reply
        && (!first || may_admit(in_use.as_ref(), ticket.line))
    {
        let session = SessionId {
            home: ticket.home,
            index: index.0,
            generation: generation.0,
        };
        let ends = renewal::seconds(session_ends);
        let pass = first_pass(room, session, ends, now, confirmed);
        return Ok(admitted(visit, room, visitor, &pass, fields));
    }
    let (status, found) = not_yet(ticket, reply, in_use.as_ref(), now);
    let cookie = visitor.brings_cookie();
    Ok(state::document(
        status,
        room,
        visitor,
        &found,
        in_use.as_ref(),
        cookie,
    ))
}

async fn send_claim(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    ticket: &Ticket,
) -> Result<ShardReply, RoomError> {
    let claim = ShardCommand::Claim {
        index: PlaceIndex(ticket.index),
        nonce: Nonce(ticket.nonce),
        claim: visitor.claim_id_for(ticket),
    };
    let home = ShardIndex(ticket.home);
    rooms::command(&visit.env, room.event, home, claim, rooms::ANSWER_LIMIT).await
}

/// Nobody is let in while the shop does not answer. No claim is sent: it could be granted, and the session would begin. An
/// offer stands, a claim that was made is seen to be wanted. `None`: the shop answers, or it is not about a first pass.
async fn waits_for_shop(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    ticket: &Ticket,
    in_use: Option<&InUse>,
) -> Option<Answer> {
    if origin_health::lets_in(visit, room).await {
        return None;
    }
    let mut found = place::find(visit, room, visitor, ticket, in_use).await;
    match found.standing.stand {
        Stand::Called | Stand::Pending => {}
        _ => return None,
    }
    found.standing.stand = Stand::Pending;
    let cookie = visitor.brings_cookie();
    Some(state::document(202, room, visitor, &found, in_use, cookie))
}

/// The status and the state of a claim that leads to no pass now.
fn not_yet(ticket: &Ticket, reply: ShardReply, in_use: Option<&InUse>, now: u64) -> (u16, Found) {
    match reply {
        // Granted, but a brake came in between: no first pass until it is released.
        ShardReply::Session { .. } => {
            let own = from_ticket(ticket, in_use.map(|in_use| &*in_use.board)).standing;
            let standing = Standing {
                stand: Stand::Pending,
                ..own
            };
            (
                409,
                Found {
                    standing,
                    exchange: None,
                    unknown: false,
                },
            )
        }
        ShardReply::Pending { .. } => {
            let found = place::of_reply(ticket, reply, now);
            (
                202,
                Found {
                    standing: Standing {
                        stand: Stand::Pending,
                        ..found.standing
                    },
                    ..found
                },
            )
        }
        _ => (409, place::of_reply(ticket, reply, now)),
    }
}

fn may_admit(in_use: Option<&InUse>, line: u8) -> bool {
    in_use.is_some_and(|in_use| gate::may_admit(&in_use.board, in_use.age, line))
}

/// The first pass of a session of `room`.
pub fn first_pass(room: Room, session: SessionId, ends: u64, now: u64, confirmed: bool) -> Pass {
    let (session_seconds, pass_seconds) = (room.event.session_seconds(), room.event.pass_seconds());
    renewal::first(session, ends, now, confirmed, session_seconds, pass_seconds)
}

/// The cookie that keeps a pass.
pub fn cookie(visitor: &Visitor<'_>, pass: &Pass, token: &str, now: u64) -> String {
    let seconds = pass.session_ends_at.saturating_sub(now) + KEPT_AFTER_SESSION_SECONDS;
    visitor.jar().set(Kind::Pass, token, seconds)
}

fn admitted(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    pass: &Pass,
    fields: &Fields,
) -> Answer {
    let token = room.tokens.seal_pass(pass);
    let location = fields
        .text("return")
        .and_then(|text| way_back::own_path(visit, room, text));
    let document = json!({
        "event": room.event.id,
        "run": room.event.run,
        "state": Stand::Admitted.name(),
        "pass": token,
        "expires_at_ms": pass.expires_at * 1_000,
        "session_ends_at_ms": pass.session_ends_at * 1_000,
        "location": location.as_ref().map(|path| path.as_str()),
        "now_ms": visit.now.0,
    });
    Answer::json(200, &document)
        .with("waiting-room-state", Stand::Admitted.name())
        .with(
            "set-cookie",
            cookie(visitor, pass, &token, visit.now_seconds()),
        )
}
