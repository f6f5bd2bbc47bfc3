//! What the room answers to a program at a protected path.

use anteroom_queue::units::Millis;
use anteroom_token::Refusal;
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::deployment::Room;
use crate::documents::shown_line;
use crate::gate::Why;
use crate::problem::Problem;
use crate::routes::leave::OF_ANOTHER_RUN;
use crate::same_site;
use crate::standing::{Standing, phase_name};
use crate::visit::Visit;
use crate::visitor::Visitor;

/// For a program: never a redirect, always how to go on.
pub fn of(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
    standing: &Standing,
    why: Why,
    poll: Millis,
) -> Answer {
    let of_another_run = visitor.is_of_another_run();
    let (status, kind, title) = match why {
        Why::Stopped => (503, "stopped", "everything is stopped for the moment"),
        Why::Closed => (503, "closed", "the sale is over"),
        Why::Rate => (429, "rate", "too many at once; try again later"),
        Why::Ended(_) => (503, "ended", "the session is over; join again"),
        Why::Elsewhere => (503, "elsewhere", "the visitor continued in another browser"),
        Why::Recheck => (
            503,
            "recheck",
            "the session goes on after a check; claim with it",
        ),
        Why::Queue if of_another_run => (503, "queue", OF_ANOTHER_RUN),
        Why::Queue => (503, "queue", "a pass is needed; join the queue"),
    };
    let board = in_use.map(|in_use| &*in_use.board);
    let position = shown_line(room, standing, board);
    let phase = board
        .and_then(|board| board.lines.get(position))
        .map(|line| phase_name(line.phase));
    let join = json!({
        "board": visit.address(room, ""),
        "permit": visit.address(room, "/permits"),
        "join": visit.address(room, "/tickets"),
        "state": visit.address(room, "/tickets/me"),
        "pass": visit.address(room, "/tickets/me/pass"),
    });
    let problem = Problem::new(status, kind, title)
        .and("event", json!(room.event.id))
        .and("state", json!(standing.stand.name()))
        .and("phase", json!(phase))
        .and("how_to_join", join)
        .retry(poll.0);
    let problem = match of_another_run {
        true => problem.and("reason", json!(Refusal::WrongRun.code())),
        false => problem,
    };
    let answer = Answer::from(problem);
    let cors = same_site::cors_headers(&visit.incoming, &room.event.cors_origins);
    cors.into_iter()
        .fold(answer, |answer, (name, value)| answer.with(name, value))
}
