//! `POST /_wr/queues/{event}/tickets`: a place for a permit. One permit is one place, however often it is sent; who
//! brings the ticket of a live place is answered that place and spends nothing.

use anteroom_queue::board::{Board, Phase};
use anteroom_queue::limits::BRAKE_AGE;
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::{Refused, ShardCommand, ShardReply};
use anteroom_queue::units::{LineIndex, Millis, Nonce, ShardIndex, UnixMillis};
use anteroom_token::{Permit, Refusal};
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::fields::{self, Fields};
use crate::place::{self, Found};
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::rooms::{self, RoomError};
use crate::routes::{permits as permit_route, state};
use crate::standing::{Stand, Standing};
use crate::visit::Visit;
use crate::visitor::{Visitor, is_of_place};
use crate::{permits, same_site, way_back};

/// A permit as it came.
struct Asked {
    permit: Permit,
    expired: bool,
    line: LineIndex,
}

/// The place, as JSON or, for a form, as the way back to the page.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.visitor(room);
    same_site::check(
        &visit.incoming,
        &room.event.cors_origins,
        visitor.brings_cookie(),
    )?;
    let fields = fields::read(
        &visit.request,
        &visit.incoming,
        &["permit", "line", "return"],
    )
    .await?;
    if fields.is_form {
        return Ok(by_form(visit, room, &visitor, &fields).await);
    }
    let in_use = visit.board(room).await;
    if let Some(found) = live_place(visit, room, &visitor, in_use.as_ref()).await {
        return Ok(state::document(
            200,
            room,
            &visitor,
            &found,
            in_use.as_ref(),
            visitor.brings_cookie(),
        ));
    }
    let asked = read(room, &fields, visit.now_seconds())?;
    join(visit, room, &visitor, &asked).await
}

/// A form's join. Without any cookie the place could not be kept: the page says so instead. The page's permit may have
/// expired while it lay open: then a new one is used, since no challenge was solved for it.
async fn by_form(visit: &Visit, room: Room, visitor: &Visitor<'_>, fields: &Fields) -> Answer {
    let back = way_back::read(visit, room, fields.text("return"));
    if !visitor.brings_cookie() {
        return Answer::see_other(&way_back::with_cookies_off(&back));
    }
    let in_use = visit.board(room).await;
    if live_place(visit, room, visitor, in_use.as_ref())
        .await
        .is_some()
    {
        return Answer::see_other(back.as_str());
    }
    let Ok(asked) = read(room, fields, visit.now_seconds()) else {
        return Answer::see_other(back.as_str());
    };
    let mut joined = join(visit, room, visitor, &asked).await;
    if joined
        .as_ref()
        .is_err_and(|problem| problem.kind() == "permit-expired")
    {
        let (permit, _) = permit_route::fresh(room, in_use.as_ref(), visit.now_seconds());
        joined = join(
            visit,
            room,
            visitor,
            &Asked {
                permit,
                expired: false,
                ..asked
            },
        )
        .await;
    }
    let answer = joined.unwrap_or_else(Answer::from);
    let cookies = answer.cookies().map(str::to_owned).collect::<Vec<_>>();
    Answer::see_other(back.as_str()).with_cookies(cookies)
}

async fn live_place(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
) -> Option<Found> {
    let ticket = visitor.ticket()?;
    let found = place::find(visit, room, visitor, &ticket, in_use).await;
    let live = found.standing.stand.is_live() && !found.unknown;
    live.then(|| Found {
        exchange: Some(found.exchange.unwrap_or(ticket)),
        ..found
    })
}

fn read(room: Room, fields: &Fields, now: u64) -> Result<Asked, Problem> {
    let token = fields
        .text("permit")
        .ok_or_else(|| Problem::field("permit", "a permit of this queue"))?;
    let line = match fields.text("line") {
        None | Some("") => 0,
        Some(id) => {
            let position = room
                .event
                .settings
                .lines
                .iter()
                .position(|line| line.id == id);
            position.ok_or_else(|| problem::of_refusal(Refused::NoSuchLine, Stand::None))?
        }
    };
    let (permit, expired) = match room.tokens.open_permit(token, now) {
        Ok(permit) => (permit, false),
        Err(Refusal::Expired { .. }) => match room.tokens.open_expired_permit(token, now) {
            Ok(permit) => (permit, true),
            Err(_) => return Err(problem::of_refusal(Refused::PermitExpired, Stand::None)),
        },
        Err(refusal) => {
            let refused = Problem::field("permit", "a permit of this queue")
                .and("reason", json!(refusal.code()));
            return Err(refused);
        }
    };
    Ok(Asked {
        permit,
        expired,
        line: LineIndex(line as u8),
    })
}

async fn join(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    asked: &Asked,
) -> Result<Answer, Problem> {
    let Asked {
        permit,
        expired,
        line,
    } = asked;
    let before = visit.board(room).await;
    let over = before
        .as_ref()
        .and_then(|in_use| over(&in_use.board, in_use.age, *line));
    let command = ShardCommand::Join {
        nonce: Nonce(permit.nonce),
        line: *line,
        permit_expired: *expired || over.is_some(),
        arrived: permit.arrived_at.map(|second| UnixMillis(second * 1_000)),
    };
    let home = ShardIndex(permit.home);
    let reply = rooms::command(&visit.env, room.event, home, command, rooms::ANSWER_LIMIT).await;
    let in_use = visit.board(room).await;
    match reply {
        Ok(ShardReply::Place { place, new }) => {
            let ticket = place::ticket_of(&place, permit.home, permit.nonce, visit.now_seconds());
            let of_another = visitor
                .pass()
                .is_some_and(|brought| !is_of_place(&brought.pass, &ticket));
            let old_pass = of_another.then(|| visitor.jar().clear(Kind::Pass));
            let found = Found {
                standing: Standing::of_place(&place),
                exchange: Some(ticket),
                unknown: false,
            };
            let status = if new { 201 } else { 200 };
            let cookie = visitor.brings_cookie();
            let answer = state::document(status, room, visitor, &found, in_use.as_ref(), cookie);
            Ok(answer.with_cookies(old_pass))
        }
        Ok(ShardReply::Refused {
            why: Refused::Full, ..
        }) => Err(elsewhere(visit, room, visitor, in_use.as_ref())),
        Ok(ShardReply::Refused { why, place }) => {
            let why = match (why, over) {
                (Refused::PermitExpired, Some(over)) => over,
                (why, _) => why,
            };
            let stand = place.map_or(place::stand_of_refusal(why), |place| place.state.into());
            Err(problem::of_refusal(why, stand))
        }
        Ok(_) | Err(RoomError::Unreachable(_) | RoomError::Overloaded) => {
            Err(home_away(visit, room, visitor, asked))
        }
        Err(RoomError::Refused(why)) => {
            crate::platform::log(&format!(
                "join at shard {} of {}: {why}",
                permit.home, room.event.id
            ));
            Err(home_away(visit, room, visitor, asked))
        }
    }
}

/// Why a line makes no new place any more, by a board that is young enough to be sure of it. An idle home may not have
/// heard of the sale's end; a permit that has made a place finds it there all the same, like one that has expired.
fn over(board: &Board, age: Millis, line: LineIndex) -> Option<Refused> {
    if age > BRAKE_AGE {
        return None;
    }
    match board.lines.get(usize::from(line.0))?.phase {
        _ if board.mode == Mode::Closed => Some(Refused::Closed),
        Phase::Soldout => Some(Refused::SoldOut),
        Phase::Closed => Some(Refused::Closed),
        Phase::Before | Phase::Prequeue | Phase::Drawing | Phase::Open | Phase::Paused => None,
    }
}

/// The home is away: the same permit, signed anew so that the wait counts from now. An expired one stays what it is: it
/// finds its place when the home is back, and makes none.
fn home_away(visit: &Visit, room: Room, visitor: &Visitor<'_>, asked: &Asked) -> Problem {
    let away = Problem::away(SHORTEST_POLL.0);
    if asked.expired {
        return away;
    }
    let anew = permits::signed_anew(&asked.permit, visit.now_seconds());
    with_permit(away, visitor, &room.tokens.seal_permit(&anew))
}

/// The home is full and made no place of this permit: a new permit, with another home.
fn elsewhere(visit: &Visit, room: Room, visitor: &Visitor<'_>, in_use: Option<&InUse>) -> Problem {
    let (_, token) = permit_route::fresh(room, in_use, visit.now_seconds());
    let full = problem::of_refusal(Refused::Full, Stand::None).retry(SHORTEST_POLL.0);
    with_permit(full, visitor, &token)
}

fn with_permit(problem: Problem, visitor: &Visitor<'_>, token: &str) -> Problem {
    problem.and("permit", json!(token)).with(
        "set-cookie",
        visitor.jar().set(Kind::Permit, token, KEPT_SECONDS),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn only_a_young_board_that_says_the_sale_is_over_keeps_a_join_away() {
        let rows = [
            (Phase::Soldout, 2_000, Some(Refused::SoldOut)),
            (Phase::Closed, 0, Some(Refused::Closed)),
            (Phase::Closed, 2_001, None),
            (Phase::Before, 0, None),
            (Phase::Paused, 0, None),
            (Phase::Open, 0, None),
        ];
        for (phase, age, why) in rows {
            let found = over(&samples::board(phase), Millis(age), LineIndex(0));
            assert_eq!(found, why, "{phase:?} {age}");
        }
        let closed = Board {
            mode: Mode::Closed,
            ..samples::board(Phase::Open)
        };
        assert_eq!(
            over(&closed, Millis(0), LineIndex(0)),
            Some(Refused::Closed)
        );
    }
}
