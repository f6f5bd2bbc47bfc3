//! `PATCH /_wr/queues/{event}`: an operator steers. In force at every edge within 2 s, by way of the board.

use anteroom_durable_objects::wire::CoordinatorAsk;

use crate::answer::Answer;
use crate::problem::Problem;
use crate::routes::observability;
use crate::visit::Visit;
use crate::{actions, fields, observed, operators, platform, roles};

/// Who may not do this may change nothing at all, and is told so whatever else is wrong.
const LEAST: &str = "message";

/// Carries an action out and answers what an operator sees after it.
pub async fn answer(visit: &Visit, event: &str) -> Result<Answer, Problem> {
    // What was asked for is read before the role is looked at, so that the record of a refusal says what it was.
    let (room, operator) = operators::check(visit, event, "observe").await?;
    let limits = &room.event.settings.limits;
    let read = match fields::read_json(&visit.request, &visit.incoming).await {
        Ok(document) => actions::read(document, room.event, visit.now),
        Err(problem) => Err(problem),
    };
    let what = match &read {
        Ok(action) => roles::name_of(action, limits),
        Err(_) => LEAST,
    };
    operators::allow(visit, room, &operator, what)?;
    let action = read?;
    platform::log(&format!(
        "operator {} on {}: {}",
        operator.name,
        room.event.id,
        actions::document(&action)
    ));
    let ask = CoordinatorAsk::Operate {
        action,
        by: operator.name,
    };
    let observed = observed::ask(&visit.env, room.event, ask).await?;
    let counted = observability::counted(visit, room).await;
    Ok(observability::of(room, &observed, &counted))
}
