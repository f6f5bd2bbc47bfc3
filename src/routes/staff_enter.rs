//! `POST /_wr/queues/{event}/staff/enter`: a staff token becomes a pass. No object is asked: the pass is the edge's own,
//! and so is each that follows it until the token's end. It takes nobody's place and is counted apart.

use serde_json::json;

use crate::answer::Answer;
use crate::deployment::Room;
use crate::problem::Problem;
use crate::routes::pass;
use crate::visit::Visit;
use crate::{fields, way_back};

/// The pass; for a form the way into the shop.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    let fields = fields::read(&visit.request, &visit.incoming, &["token", "return"]).await?;
    let now = visit.now_seconds();
    let token = fields.text("token").unwrap_or_default().trim();
    let staff = match room.tokens.open_staff(token, now) {
        Ok(staff) => staff,
        Err(refusal) => {
            let problem = Problem::unauthorized("staff pass", refusal.code());
            return refused(visit, room, problem, fields.is_form);
        }
    };
    let pass = staff.pass(now, room.event.pass_seconds());
    let token = room.tokens.seal_pass(&pass);
    let cookies = pass::cookies(visit, room, &visitor, &pass, &token);
    if fields.is_form {
        let back = way_back::read(visit, room, fields.text("return"));
        return Ok(Answer::see_other(back.as_str()).with_cookies(cookies));
    }
    let document = json!({
        "event": room.event.id,
        "run": room.event.run,
        "state": "admitted",
        "pass": token,
        "expires_at_ms": pass.expires_at * 1_000,
        "session_ends_at_ms": pass.session_ends_at * 1_000,
        "location": room.event.front(),
        "now_ms": visit.now.0,
    });
    Ok(Answer::json(200, &document)
        .with("waiting-room-state", "admitted")
        .with_cookies(cookies))
}

/// A program reads the problem; a form leads back to the page, which says what to do.
fn refused(visit: &Visit, room: Room, problem: Problem, is_form: bool) -> Result<Answer, Problem> {
    if !is_form {
        return Err(problem);
    }
    let page = visit.address(room, "/staff");
    Ok(Answer::see_other(&format!(
        "{page}?refused={}",
        problem.kind()
    )))
}
