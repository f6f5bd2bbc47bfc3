//! `DELETE /_wr/queues/{event}/tickets/me`, and `POST .../leave` for forms: the visitor gives the place up, and the
//! session with it.

use anteroom_queue::shard::command::{Refused, ShardCommand, ShardReply};
use anteroom_queue::units::{Nonce, PlaceIndex, ShardIndex};
use anteroom_token::Refusal;
use serde_json::json;

use crate::answer::Answer;
use crate::cookies::Kind;
use crate::deployment::Room;
use crate::place::{self, Found};
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::routes::state;
use crate::standing::{Stand, Standing};
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{fields, rooms, way_back};

/// Leaves. Leaving twice is leaving once.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    let fields = fields::read(&visit.request, &visit.incoming, &["return"]).await?;
    let back = way_back::read(visit, room, fields.text("return"));
    let Some(ticket) = visitor.ticket() else {
        return if fields.is_form {
            Ok(Answer::see_other(back.as_str()))
        } else {
            Err(not_brought(&visitor, "ticket"))
        };
    };
    let leave = ShardCommand::Leave {
        index: PlaceIndex(ticket.index),
        nonce: Nonce(ticket.nonce),
    };
    let home = ShardIndex(ticket.home);
    let reply = rooms::command(&visit.env, room.event, home, leave, rooms::ANSWER_LIMIT).await;
    let found = match reply {
        Ok(
            reply @ (ShardReply::Place { .. }
            | ShardReply::Refused { .. }
            | ShardReply::SessionOver { .. }),
        ) => left(place::of_reply(&ticket, reply, visit.now_seconds()), &reply),
        Ok(_) => Found {
            standing: Standing {
                stand: Stand::Left,
                ..Standing::NONE
            },
            exchange: None,
            unknown: false,
        },
        Err(_) if fields.is_form => return Ok(Answer::see_other(back.as_str())),
        Err(_) => return Err(Problem::away(SHORTEST_POLL.0)),
    };
    let gone = [Kind::Ticket, Kind::Permit, Kind::Pass].map(|kind| visitor.jar().clear(kind));
    if fields.is_form {
        return Ok(Answer::see_other(back.as_str()).with_cookies(gone));
    }
    let in_use = visit.board(room).await;
    let answer = state::document(
        200,
        room,
        &visitor,
        &found,
        in_use.as_ref(),
        visitor.brings_cookie(),
    );
    Ok(answer.with_cookies(gone))
}

/// A place that is gone is left, whatever became of it before.
fn left(found: Found, reply: &ShardReply) -> Found {
    let over = matches!(
        reply,
        ShardReply::Refused {
            why: Refused::Unknown,
            ..
        }
    ) || !found.standing.stand.is_live();
    let stand = if over && found.standing.stand != Stand::None {
        found.standing.stand
    } else {
        Stand::Left
    };
    Found {
        standing: Standing {
            stand,
            ..found.standing
        },
        exchange: None,
        unknown: false,
    }
}

/// Without a ticket, or a pass, there is nothing to act on.
pub fn not_brought(visitor: &Visitor<'_>, what: &str) -> Problem {
    let problem = match visitor.is_of_another_run() {
        false => Problem::unauthorized(
            what,
            "none came, as cookie, header or bearer, that is valid here",
        ),
        true => Problem::unauthorized(what, OF_ANOTHER_RUN)
            .and("reason", json!(Refusal::WrongRun.code())),
    };
    problem
        .with("waiting-room-state", "none")
        .and("state", json!("none"))
}

/// What is said to somebody who brings what was good before a new run.
pub const OF_ANOTHER_RUN: &str =
    "what came is of another run of this event; the present one starts from nothing, join again";
