//! `DELETE /_wr/queues/{event}/tickets/me/pass`: the visitor gives the session back; the slot is free at once.

use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{Generation, PlaceIndex, ShardIndex, UnixMillis};
use anteroom_token::Pass;

use crate::answer::Answer;
use crate::cookies::Kind;
use crate::deployment::Room;
use crate::place::Found;
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::routes::{leave, state};
use crate::standing::{Stand, Standing};
use crate::visit::Visit;
use crate::{fields, rooms};

/// Releases. Releasing twice is releasing once.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    fields::read(&visit.request, &visit.incoming, &[]).await?;
    let Some(brought) = visitor.pass() else {
        return Err(leave::not_brought(&visitor, "pass"));
    };
    let found = Found {
        standing: released(visit, room, &brought.pass).await?,
        exchange: None,
        unknown: false,
    };
    let in_use = visit.board(room).await;
    let answer = state::document(
        200,
        room,
        &visitor,
        &found,
        in_use.as_ref(),
        visitor.brings_cookie(),
    );
    Ok(answer.with("set-cookie", visitor.jar().clear(Kind::Pass)))
}

/// Ends the session at its home. A staff pass has none: this browser forgets it, and its link opens the shop again.
async fn released(visit: &Visit, room: Room, pass: &Pass) -> Result<Standing, Problem> {
    let now = UnixMillis(visit.now.0.min(pass.session_ends_at * 1_000));
    let session = pass.session;
    if session.is_staff() {
        return Ok(Standing::NONE);
    }
    let release = ShardCommand::Release {
        index: PlaceIndex(session.index),
        generation: Generation(session.generation),
    };
    let home = ShardIndex(session.home);
    let ended =
        match rooms::command(&visit.env, room.event, home, release, rooms::ANSWER_LIMIT).await {
            Ok(ShardReply::SessionOver { ended, .. }) => ended,
            Ok(_) => now,
            Err(_) => return Err(Problem::away(SHORTEST_POLL.0)),
        };
    Ok(Standing {
        stand: Stand::Ended,
        session_ends: Some(ended),
        ..Standing::NONE
    })
}
