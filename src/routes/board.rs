//! `GET /_wr/queues/{event}`: the board as this isolate has it, with its age.

use crate::answer::Answer;
use crate::deployment::Room;
use crate::documents::BoardDocument;
use crate::platform;
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::rate_limits;
use crate::visit::Visit;

/// The board.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    rate_limits::look(visit, room, None)?;
    let in_use = visit
        .board(room)
        .await
        .ok_or_else(|| Problem::away(SHORTEST_POLL.0))?;
    Ok(Answer::json(
        200,
        &BoardDocument::new(room, &in_use.board, in_use.age, platform::now()),
    ))
}
