//! `PATCH /_wr/queues/{event}`: an operator steers. In force at every edge within 2 s, by way of the board.

use anteroom_durable_objects::wire::CoordinatorAsk;
use anteroom_token::OperatorScope;

use crate::answer::Answer;
use crate::problem::Problem;
use crate::routes::observability;
use crate::visit::Visit;
use crate::{actions, crawlers, fields, observed, operators, platform, rooms};

/// Carries an action out and answers what an operator sees after it.
pub async fn answer(visit: &Visit, event: &str) -> Result<Answer, Problem> {
    let (room, operator) = operators::check(visit, event, OperatorScope::Write)?;
    let document = fields::read_json(&visit.request, &visit.incoming).await?;
    let action = actions::read(document, room.event, visit.now)?;
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
    let edge = rooms::edge_totals(&visit.env, room.event).await.ok();
    let crawlers = crawlers::counted(&visit.env, room.event).await;
    Ok(observability::of(room, &observed, edge.as_ref(), crawlers))
}
