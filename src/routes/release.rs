//! `DELETE /_wr/queues/{event}/tickets/me/pass`: the visitor gives the session back; the slot is free at once.
//! One that another browser has taken over goes on there, and a staff pass is only forgotten here: its link opens again.

use crate::answer::Answer;
use crate::cookies::Kind;
use crate::deployment::Room;
use crate::place::Found;
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::routes::{leave, state};
use crate::visit::Visit;
use crate::{fields, sessions};

/// Releases. Releasing twice is releasing once.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    fields::read(&visit.request, &visit.incoming, &[]).await?;
    let Some(brought) = visitor.pass() else {
        return Err(leave::not_brought(&visitor, "pass"));
    };
    let released = sessions::release(visit, room, &brought.pass).await;
    let found = Found::told(released.ok_or_else(|| Problem::away(SHORTEST_POLL.0))?);
    let in_use = visit.board(room).await;
    let cookie = visitor.brings_cookie();
    let answer = state::document(200, room, &visitor, &found, in_use.as_ref(), cookie);
    Ok(answer.with_cookies(visitor.clears(Kind::Pass)))
}
