//! Who may steer: operator tokens, as bearer and nowhere else.

use std::cell::Cell;

use anteroom_token::{OperatorScope, OperatorToken, Refusal};

use crate::deployment::Room;
use crate::platform;
use crate::problem::Problem;
use crate::visit::Visit;

/// Refusals that one isolate explains and logs in a second: more than people make, and few enough that guessing fills no
/// log. A token that holds is always taken: nobody can keep an operator from the brake.
pub const MAX_REFUSED_PER_SECOND: u32 = 20;

thread_local! {
    /// The second, and how many were refused in it.
    static REFUSED: Cell<(u64, u32)> = const { Cell::new((0, 0)) };
}

/// The operator of a request about the event named `event`, if there is one, with at least this scope. Whether an event
/// exists is told only to who may see every event.
pub fn check(
    visit: &Visit,
    event: &str,
    needed: OperatorScope,
) -> Result<(Room, OperatorToken), Problem> {
    let room = visit.deployment.room(event);
    let any = room
        .or_else(|| visit.deployment.all().next())
        .ok_or_else(Problem::no_such_event)?;
    let operator = operator(visit, any)?;
    match room {
        Some(room) if operator.scope >= needed => Ok((room, operator)),
        Some(_) => Err(refused(
            visit,
            Problem::new(403, "read-only", "this token may only read"),
        )),
        None if operator.every_event => Err(Problem::no_such_event()),
        None => Err(refused(visit, other_event())),
    }
}

/// The operator of a request about every event.
pub fn check_every(visit: &Visit) -> Result<OperatorToken, Problem> {
    let room = visit
        .deployment
        .all()
        .next()
        .ok_or_else(Problem::no_such_event)?;
    let operator = operator(visit, room)?;
    if operator.every_event {
        Ok(operator)
    } else {
        Err(refused(visit, other_event()))
    }
}

fn operator(visit: &Visit, room: Room) -> Result<OperatorToken, Problem> {
    let names_token = |pair: &str| {
        matches!(
            pair.split('=').next(),
            Some("token" | "access_token" | "bearer")
        )
    };
    if visit.incoming.query.split('&').any(names_token) {
        return Err(Problem::new(
            400,
            "token-in-address",
            "the token belongs into the Authorization header, as bearer",
        ));
    }
    let Some(token) = visit.incoming.bearer() else {
        return Err(refused(
            visit,
            Problem::unauthorized("operator", "no bearer"),
        ));
    };
    match room.tokens.open_operator(&token, visit.now_seconds()) {
        Ok(operator) => Ok(operator),
        Err(Refusal::WrongEvent) => Err(refused(visit, other_event())),
        Err(refusal) => Err(refused(
            visit,
            Problem::unauthorized("operator", refusal.code()),
        )),
    }
}

fn other_event() -> Problem {
    Problem::new(403, "other-event", "this token is for another event")
}

/// Counts a refusal, and writes it down without anything that was sent. One too many in its second is only told so.
fn refused(visit: &Visit, problem: Problem) -> Problem {
    let second = visit.now_seconds();
    let (last, count) = REFUSED.get();
    let count = if last == second { count + 1 } else { 1 };
    REFUSED.set((second, count));
    if count > MAX_REFUSED_PER_SECOND {
        return Problem::new(
            429,
            "too-many-guesses",
            "too many refused tokens; try again in a second",
        )
        .retry(1_000);
    }
    platform::log(&format!(
        "operator refused: {} {}",
        problem.status(),
        problem.kind()
    ));
    problem
}
