//! `POST /_wr/queues/{event}/handover`: the place of a code moves to the browser that sends it. The request carries the
//! claim id of that browser: sent again, it is answered again; from another browser it is refused.
//!
//! A code that an edge has made carries a mark, and its home is asked about it whatever else comes from the same address:
//! nobody's tries keep a neighbour from taking a place over. Any other is a try, or from before a change of the mark's key:
//! of these the homes are asked about a few for each network.

use anteroom_queue::shard::command::{PlaceView, Refused, ShardCommand, ShardReply};
use anteroom_queue::units::{ClaimId, KeyHash, ShardIndex};
use anteroom_token::HandoverCode;

use crate::answer::Answer;
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::fields::{self, Fields};
use crate::place::{self, Found};
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::rate_limits;
use crate::routes::{handover, state};
use crate::standing::{Stand, Standing};
use crate::visit::Visit;
use crate::visitor::{Visitor, claim_of, claim_text};
use crate::{rooms, sessions, way_back};

/// The state of the place, with its ticket as cookie; for a form the way to the event's page.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    if !room.event.handover {
        return Err(handover::not_offered());
    }
    let visitor = visit.acting_visitor(room)?;
    let fields = fields::read(&visit.request, &visit.incoming, &["code", "id", "return"]).await?;
    let taken = take_over(visit, room, &visitor, &fields).await;
    if !fields.is_form {
        return taken;
    }
    let cookies = |answer: &Answer| answer.cookies().map(str::to_owned).collect::<Vec<_>>();
    match taken {
        Ok(answer) => {
            let back = way_back::read(visit, room, fields.text("return"));
            Ok(Answer::see_other(back.as_str()).with_cookies(cookies(&answer)))
        }
        Err(problem) if problem.status() < 500 => {
            let page = visit.address(room, "/handover");
            Ok(Answer::see_other(&format!(
                "{page}?refused={}",
                problem.kind()
            )))
        }
        Err(problem) => Err(problem),
    }
}

async fn take_over(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    fields: &Fields,
) -> Result<Answer, Problem> {
    let taker = fields
        .text("id")
        .and_then(claim_of)
        .ok_or_else(|| Problem::field("id", "the claim id of the receiving browser"))?;
    let wrong = || problem::of_refusal(Refused::HandoverUnknown, Stand::None);
    let Some(code) = HandoverCode::read(fields.text("code").unwrap_or_default()) else {
        rate_limits::guess(visit, None)?.was_wrong(visit, room);
        return Err(wrong());
    };
    let Some(in_use) = visit.board(room).await else {
        return Err(Problem::away(SHORTEST_POLL.0));
    };
    let made = room.tokens.made_handover_code(&code).then(|| code.hash());
    let guess = rate_limits::guess(visit, made)?;
    if code.home() >= in_use.board.shards {
        guess.was_wrong(visit, room);
        return Err(wrong());
    }
    let ask = ShardCommand::TakeOver {
        code: KeyHash(code.hash()),
        taker,
    };
    let home = ShardIndex(code.home());
    let reply = rooms::command(&visit.env, room.event, home, ask, rooms::ANSWER_LIMIT).await;
    match &reply {
        Ok(ShardReply::Refused {
            why: Refused::HandoverUnknown,
            ..
        }) => guess.was_wrong(visit, room),
        Ok(_) => guess.was_right(),
        Err(_) => {}
    }
    match reply {
        Ok(ShardReply::HandedOver { place, .. }) if !Stand::from(place.state).is_live() => {
            Err(over(&place))
        }
        Ok(ShardReply::HandedOver { place, nonce }) => {
            let ticket = place::ticket_of(&place, home.0, nonce.0, visit.now_seconds());
            let old_pass = sessions::leave_for(visit, room, visitor, &ticket).await;
            let standing = Standing::of_place(&place);
            let stand = match standing.stand {
                // The session goes on where it was until this browser continues it.
                Stand::Admitted => Stand::Elsewhere,
                stand => stand,
            };
            let found = Found {
                standing: Standing { stand, ..standing },
                exchange: Some(ticket),
                unknown: false,
            };
            let in_use = visit.board(room).await;
            let cookie = visitor.brings_cookie();
            let answer = state::document(200, room, visitor, &found, in_use.as_ref(), cookie);
            Ok(answer
                .with_cookies(kept_id(visitor, taker))
                .with_cookies(old_pass))
        }
        Ok(ShardReply::Refused { why, .. }) => Err(problem::of_refusal(why, Stand::None)),
        _ => Err(Problem::away(SHORTEST_POLL.0)),
    }
}

/// The place of the code is over: whatever place the receiving browser has, it keeps.
fn over(place: &PlaceView) -> Problem {
    let stand = Stand::from(place.state);
    let why = match stand {
        Stand::Lapsed => Refused::Lapsed,
        Stand::Ended => Refused::Ended,
        _ => Refused::Left,
    };
    problem::of_refusal(why, stand)
}

/// The browser claims with the id that it took the place over with.
fn kept_id(visitor: &Visitor<'_>, taker: ClaimId) -> Option<String> {
    let is_new = visitor.claim_id() != Some(taker);
    is_new.then(|| {
        visitor
            .jar()
            .set(Kind::Browser, &claim_text(&taker.0), KEPT_SECONDS)
    })
}
