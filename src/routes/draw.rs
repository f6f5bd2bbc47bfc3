//! `GET /_wr/queues/{event}/draw`: everything that is public about the draws of a run. A program gets the document, from
//! whatever site it asks; a person gets the page on which the browser recomputes the visitor's own rank.

use crate::answer::Answer;
use crate::deployment::Room;
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::routes::sheet;
use crate::sheets::draw::{DrawDocument, render};
use crate::visit::Visit;

/// The document changes three times in a run; a million who look at the same second may share one answer.
const MAX_AGE_SECONDS: u32 = 1;

/// The document, or the page.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let in_use = visit.board(room).await;
    let in_use = in_use.ok_or_else(|| Problem::away(SHORTEST_POLL.0))?;
    let event = room.event;
    let document = DrawDocument::new(&event.id, event.run, &in_use.board);
    if visit.incoming.wants_page() {
        let view = sheet::view(visit, room);
        return Ok(sheet::answer(&view, render(&view, &document)));
    }
    Ok(Answer::json(200, &document)
        .with(
            "cache-control",
            format!("public, max-age={MAX_AGE_SECONDS}"),
        )
        .with("vary", "Accept, Sec-Fetch-Mode")
        .with("access-control-allow-origin", "*"))
}
