//! What the coordinator answers to an operator: the state of its queue, or why there is none. One reading for every route
//! of operators.

use anteroom_config::Event;
use anteroom_durable_objects::wire::CoordinatorAsk;
use anteroom_queue::board::Board;
use anteroom_queue::coordinator::command::{CoordinatorReply, Noted, Totals};
use anteroom_queue::settings::Settings;
use worker::Env;

use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::rooms::{self, RoomError};

/// The state of a queue.
#[derive(Debug)]
pub struct Observed {
    /// The board.
    pub board: Board,
    /// The counts.
    pub totals: Totals,
    /// The settings in force.
    pub settings: Settings,
    /// The last actions.
    pub noted: Vec<Noted>,
}

/// Asks the coordinator of `event` to look or to act, and reads its answer.
pub async fn ask(
    env: &Env,
    event: &'static Event,
    ask: CoordinatorAsk,
) -> Result<Observed, Problem> {
    read(event, rooms::ask_coordinator(env, event, ask).await)
}

fn read(event: &Event, reply: Result<CoordinatorReply, RoomError>) -> Result<Observed, Problem> {
    match reply {
        Ok(CoordinatorReply::State {
            board,
            totals,
            settings,
            noted,
        }) => Ok(Observed {
            board,
            totals,
            settings,
            noted,
        }),
        Ok(CoordinatorReply::Refused(why)) => Err(Problem::new(409, "refused", why)),
        Ok(CoordinatorReply::Synced(_)) => Err(Problem::away(SHORTEST_POLL.0)),
        Err(error) => Err(of_error(event, error)),
    }
}

/// Why the coordinator of `event` gave no answer.
pub fn of_error(event: &Event, error: RoomError) -> Problem {
    match error {
        RoomError::Deleted => problem::deleted(event),
        RoomError::Refused(_) => Problem::new(
            409,
            "refused",
            "the coordinator does not take this: it is of another run or not possible",
        ),
        RoomError::Unreachable(_) | RoomError::Overloaded => Problem::away(SHORTEST_POLL.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use serde_json::json;

    #[test]
    fn a_refusal_is_told_apart_from_a_coordinator_that_is_away_or_gone() {
        let event = samples::room(json!([{ "id": "general" }])).event;
        for (reply, expected) in [
            (
                Ok(CoordinatorReply::Refused("the draw has begun".into())),
                (409, "refused"),
            ),
            (
                Err(RoomError::Refused("409: run".to_owned())),
                (409, "refused"),
            ),
            (Err(RoomError::Deleted), (410, "run-deleted")),
            (Err(RoomError::Overloaded), (503, "away")),
            (
                Err(RoomError::Unreachable("no answer".to_owned())),
                (503, "away"),
            ),
        ] {
            let problem = read(event, reply).expect_err(expected.1);
            assert_eq!((problem.status(), problem.kind()), expected);
        }
    }
}
