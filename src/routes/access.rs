//! `GET /_wr/access`: an origin asks whether a visitor's pass holds, with the pass as `Waiting-Room-Pass` or as bearer.
//! A proxy that asks for its visitor passes the visitor's own `Authorization` along, which may be the shop's: so both
//! headers are read, and one that holds is enough. The home is asked too, so that a released session is known at once;
//! while it is away the pass alone decides, as at the gate.

use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::{Refused, ShardCommand, ShardReply};
use anteroom_queue::units::{Generation, PlaceIndex, ShardIndex};
use anteroom_token::{Pass, Refusal, SessionId};
use serde_json::json;

use crate::answer::Answer;
use crate::deployment::Room;
use crate::incoming::Incoming;
use crate::problem::Problem;
use crate::rewrite::PASS_HEADER;
use crate::rooms;
use crate::routes::leave::OF_ANOTHER_RUN;
use crate::visit::Visit;

/// For how long an origin may go without asking again.
const CACHE: &str = "private, max-age=1";

/// 200 with the claims, 401 not ours, 410 (or, with `?ended=403`, 403) ended.
pub async fn answer(visit: &Visit) -> Result<Answer, Problem> {
    let as_403 = ended_as_403(&visit.incoming.query)?;
    let tokens = brought(&visit.incoming);
    if tokens.is_empty() {
        return Err(Problem::unauthorized("pass", "no bearer"));
    }
    let now = visit.now_seconds();
    let (mut why, mut is_over) = (Refusal::Shape, false);
    for token in &tokens {
        for room in visit.deployment.all() {
            match room.tokens.open_expired_pass(token, now) {
                Ok(pass) if now < pass.expires_at && runs(visit, room, &pass).await => {
                    return Ok(holds(room, &pass));
                }
                Ok(_) => is_over = true,
                // The event to which the pass belongs asks the most questions of it.
                Err(refusal) => why = why.max(refusal),
            }
        }
    }
    Err(if is_over {
        ended(as_403)
    } else {
        refused(&why)
    })
}

/// What may be the pass: our own header, then the bearer, which may be anybody's.
fn brought(incoming: &Incoming) -> Vec<String> {
    let header = incoming.header(PASS_HEADER);
    header.into_iter().chain(incoming.bearer()).collect()
}

fn refused(why: &Refusal) -> Problem {
    let said = match why {
        Refusal::WrongRun => OF_ANOTHER_RUN,
        other => other.code(),
    };
    Problem::unauthorized("pass", said).and("reason", json!(why.code()))
}

/// Reads `?ended=403`; other parameters are not ours.
fn ended_as_403(query: &str) -> Result<bool, Problem> {
    match query
        .split('&')
        .find_map(|pair| pair.strip_prefix("ended="))
    {
        None => Ok(false),
        Some("403") => Ok(true),
        Some(_) => Err(Problem::field("ended", "403, or nothing")),
    }
}

async fn runs(visit: &Visit, room: Room, pass: &Pass) -> bool {
    let session = pass.session;
    if session == SessionId::NONE {
        let mode = visit
            .board(room)
            .await
            .map_or(room.event.settings.mode, |in_use| in_use.board.mode);
        return mode == Mode::Off;
    }
    if session.is_staff() || session == SessionId::CRAWLER {
        // No home has it: it holds as long as it says.
        return true;
    }
    let access = ShardCommand::Access {
        index: PlaceIndex(session.index),
        generation: Generation(session.generation),
    };
    let home = ShardIndex(session.home);
    match rooms::command(&visit.env, room.event, home, access, rooms::RENEWAL_LIMIT).await {
        Ok(ShardReply::SessionOver { .. }) => in_last_minute(visit, pass),
        Ok(ShardReply::Refused { why, .. }) => !matches!(
            why,
            Refused::Elsewhere | Refused::Ended | Refused::Unknown | Refused::Left
        ),
        Ok(_) | Err(_) => true,
    }
}

/// The last pass of a session outlives it.
fn in_last_minute(visit: &Visit, pass: &Pass) -> bool {
    let now = visit.now_seconds();
    now >= pass.session_ends_at && pass.expires_at > pass.session_ends_at
}

fn holds(room: Room, pass: &Pass) -> Answer {
    let claims = json!({
        "event": room.event.id,
        "run": room.event.run,
        "jti": pass.session.to_string(),
        "iat": pass.issued_at,
        "exp": pass.expires_at,
        "sx": pass.session_ends_at,
    });
    Answer::json(200, &claims).with("cache-control", CACHE)
}

fn ended(as_403: bool) -> Problem {
    Problem::new(
        if as_403 { 403 } else { 410 },
        "ended",
        "the session of this pass is over",
    )
    .with("cache-control", CACHE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_header_is_read_beside_whatever_the_shop_has_in_authorization() {
        type Headers = &'static [(&'static str, &'static str)];
        let rows: [(Headers, &[&str]); 4] = [
            (&[("authorization", "Bearer shop")], &["shop"]),
            (&[(PASS_HEADER, "ours")], &["ours"]),
            (
                &[("authorization", "Bearer shop"), (PASS_HEADER, "ours")],
                &["ours", "shop"],
            ),
            (&[("authorization", "Basic eA==")], &[]),
        ];
        for (headers, expected) in rows {
            let incoming = Incoming::listed(
                crate::incoming::Method::Get,
                "https://tickets.example.com/_wr/access",
                headers,
            );
            assert_eq!(brought(&incoming), expected, "{headers:?}");
        }
    }

    #[test]
    fn a_proxy_that_knows_no_410_may_ask_for_403() {
        assert_eq!(ended_as_403(""), Ok(false));
        assert_eq!(ended_as_403("a=1"), Ok(false));
        assert_eq!(ended_as_403("a=1&ended=403"), Ok(true));
        assert_eq!(
            ended_as_403("ended=200").map_err(|problem| problem.status()),
            Err(400)
        );
    }
}
