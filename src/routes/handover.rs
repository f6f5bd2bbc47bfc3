//! `/_wr/queues/{event}/handover`: a place moves to the browser that brings its code.
//!
//! GET is the page with the field. It spends nothing, whatever stands in the address: a code behind `#` never reaches the
//! edge. The page sets the claim id of a browser that has none, so that the take-over can be repeated and not refused.

use crate::answer::Answer;
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::platform;
use crate::problem::Problem;
use crate::routes::sheet;
use crate::sheets::handover::render;
use crate::visit::Visit;
use crate::visitor::claim_text;

/// The page with the field.
pub fn page(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    if !room.event.handover {
        return Err(not_offered());
    }
    let visitor = visit.visitor(room);
    let known = visitor.claim_id();
    let browser = claim_text(&known.map_or_else(platform::random_128, |id| id.0));
    let cookie = known
        .is_none()
        .then(|| visitor.jar().set(Kind::Browser, &browser, KEPT_SECONDS));
    let view = sheet::view(visit, room);
    let html = render(&view, &browser);
    Ok(sheet::answer(&view, html).with_cookies(cookie))
}

/// The organizer has turned hand-overs off.
pub fn not_offered() -> Problem {
    Problem::new(
        404,
        "no-handover",
        "places of this event cannot be taken to another browser",
    )
}
