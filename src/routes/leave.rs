//! `DELETE /_wr/queues/{event}/tickets/me`, and `POST .../leave` for forms: the visitor gives the place up, and the
//! session with it.

use anteroom_queue::shard::command::ShardCommand;
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
use crate::visitor::{Visitor, is_of_place};
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
    let standing = match reply {
        Ok(reply) => left(place::of_reply(&ticket, reply, visit.now_seconds()).standing),
        Err(_) if fields.is_form => return Ok(Answer::see_other(back.as_str())),
        Err(_) => return Err(Problem::away(SHORTEST_POLL.0)),
    };
    let of_place = visitor
        .pass()
        .is_some_and(|brought| is_of_place(&brought.pass, &ticket));
    let pass = of_place.then_some(Kind::Pass);
    let kinds = [Kind::Ticket, Kind::Permit].into_iter().chain(pass);
    let gone = kinds.flat_map(|kind| visitor.clears(kind));
    if fields.is_form {
        return Ok(Answer::see_other(back.as_str()).with_cookies(gone));
    }
    let in_use = visit.board(room).await;
    let found = Found::told(standing);
    let cookie = visitor.brings_cookie();
    let answer = state::document(200, room, &visitor, &found, in_use.as_ref(), cookie);
    Ok(answer.with_cookies(gone))
}

/// A place that is gone is left, whatever its home still knows of it; one that was over before stays what it was.
fn left(standing: Standing) -> Standing {
    let stand = match standing.stand {
        Stand::Ended | Stand::Lapsed => standing.stand,
        _ => Stand::Left,
    };
    Standing { stand, ..standing }
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
