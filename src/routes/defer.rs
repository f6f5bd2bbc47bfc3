//! `POST /_wr/queues/{event}/tickets/me/defer`: a called visitor is not ready; the offer stands five minutes longer, once.

use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{Nonce, PlaceIndex, ShardIndex};

use crate::answer::Answer;
use crate::deployment::Room;
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::routes::{leave, state};
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{fields, place, rooms, way_back};

/// The state with the longer offer, or, for a form, the way back to the page.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    let fields = fields::read(&visit.request, &visit.incoming, &["return"]).await?;
    let deferred = defer(visit, room, &visitor).await;
    if !fields.is_form {
        return deferred;
    }
    let back = way_back::read(visit, room, fields.text("return"));
    let cookies: Vec<String> = deferred
        .map(|answer| answer.cookies().map(str::to_owned).collect())
        .unwrap_or_default();
    Ok(Answer::see_other(back.as_str()).with_cookies(cookies))
}

async fn defer(visit: &Visit, room: Room, visitor: &Visitor<'_>) -> Result<Answer, Problem> {
    let ticket = visitor
        .ticket()
        .ok_or_else(|| leave::not_brought(visitor, "ticket"))?;
    let defer = ShardCommand::Defer {
        index: PlaceIndex(ticket.index),
        nonce: Nonce(ticket.nonce),
    };
    let home = ShardIndex(ticket.home);
    let reply = rooms::command(&visit.env, room.event, home, defer, rooms::ANSWER_LIMIT).await;
    let reply = reply.map_err(|_| Problem::away(SHORTEST_POLL.0))?;
    if let ShardReply::Refused { why, place } = reply {
        return Err(problem::of_refused_place(why, place));
    }
    if matches!(reply, ShardReply::Pending { .. }) {
        return Err(Problem::away(SHORTEST_POLL.0));
    }
    let found = place::of_reply(&ticket, reply, visit.now_seconds());
    let in_use = visit.board(room).await;
    let cookie = visitor.brings_cookie();
    Ok(state::document(
        200,
        room,
        visitor,
        &found,
        in_use.as_ref(),
        cookie,
    ))
}
