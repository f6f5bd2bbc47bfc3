//! `POST /_wr/queues/{event}/tickets`: a place for a permit. One permit is one place, however often it is sent; who
//! brings the ticket of a live place is answered that place and spends nothing, unless the join names another line, code
//! or member key: then the new place is acknowledged first, and the old one left.

use anteroom_queue::shard::command::Refused;
use anteroom_queue::units::{Nonce, ShardIndex};
use anteroom_token::{Permit, Refusal, Ticket};
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::deployment::Room;
use crate::fields::{self, Fields};
use crate::joining::{self, Asked, Joined};
use crate::key_home::Holder;
use crate::line_choice::{self, Right, Said};
use crate::page::refused;
use crate::page::view::WhyRefused;
use crate::permits;
use crate::place::{self, Found};
use crate::problem::{self, Problem};
use crate::routes::{permits as permit_route, state};
use crate::standing::Stand;
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::way_back;

/// What a join may bring.
const FIELDS: [&str; 5] = ["permit", "line", "code", "enqueue_token", "return"];

/// The place, as JSON or, for a form, as the way back to the page.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    let fields = fields::read(&visit.request, &visit.incoming, &FIELDS).await?;
    if fields.is_form {
        return Ok(by_form(visit, room, &visitor, &fields).await);
    }
    join(visit, room, &visitor, &fields, false).await
}

/// A form's join. Without any cookie the place could not be kept: the page says so instead, as it says that a code does
/// not do. The page's permit may have expired while it lay open: then a new one is used, since no challenge was solved
/// for it.
async fn by_form(visit: &Visit, room: Room, visitor: &Visitor<'_>, fields: &Fields) -> Answer {
    let back = way_back::read(visit, room, fields.text("return"));
    if !visitor.brings_cookie() {
        return Answer::see_other(&way_back::with_cookies_off(&back));
    }
    let mut joined = join(visit, room, visitor, fields, false).await;
    if joined
        .as_ref()
        .is_err_and(|problem| problem.kind() == "permit-expired")
    {
        joined = join(visit, room, visitor, fields, true).await;
    }
    let to = match joined.as_ref().err().and_then(why_refused) {
        Some(why) => refused::mark(back.as_str(), why, fields.text("code").unwrap_or_default()),
        None => back.as_str().to_owned(),
    };
    let answer = joined.unwrap_or_else(Answer::from);
    let cookies = answer.cookies().map(str::to_owned).collect::<Vec<_>>();
    Answer::see_other(&to).with_cookies(cookies)
}

/// What the page says about a code or an invitation that opens no line.
fn why_refused(problem: &Problem) -> Option<WhyRefused> {
    match (problem.kind(), problem.named_field()) {
        ("code-spent", _) => Some(WhyRefused::Spent),
        (_, Some("enqueue_token")) => Some(WhyRefused::Invitation),
        (_, Some("code" | "line")) => Some(WhyRefused::Wrong),
        _ => None,
    }
}

async fn join(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    fields: &Fields,
    with_fresh_permit: bool,
) -> Result<Answer, Problem> {
    let now = visit.now_seconds();
    let ip = visit.incoming.header("cf-connecting-ip");
    let said = Said {
        line: fields.text("line"),
        code: fields.text("code"),
        enqueue_token: fields.text("enqueue_token"),
        ip: ip.as_deref(),
    };
    let in_use = visit.board(room).await;
    let live = live_place(visit, room, visitor, in_use.as_ref()).await;
    let right = match line_choice::read(room, said, now) {
        // Whoever stands in a line already and names none needs none for everyone.
        Err(_) if live.is_some() && said.is_silent() => None,
        right => Some(right?),
    };
    let moves = live.is_some();
    let kept = live.filter(|live| right.as_ref().is_none_or(|right| keeps(live, right)));
    let Some(right) = right.filter(|_| kept.is_none()) else {
        let found = kept.expect("without a right there is a place");
        let cookie = visitor.brings_cookie();
        return Ok(state::document(
            200,
            room,
            visitor,
            &found,
            in_use.as_ref(),
            cookie,
        ));
    };
    let (permit, expired) = match with_fresh_permit {
        true => (permit_route::fresh(room, in_use.as_ref(), now).0, false),
        false => permit_of(room, fields, now)?,
    };
    let asked = Asked {
        own: unspent(&permit, visitor.ticket().as_ref(), &right),
        permit,
        expired,
        right,
        moves,
    };
    let joined = joining::join(visit, room, visitor, &asked).await?;
    leave_before(visit, room, visitor, &joined).await;
    Ok(joining::document(visit, room, visitor, &asked, &joined).await)
}

/// Whether a live place is the answer: the join names no line, or the place's own. A shared code opens the same line to
/// whoever stands in it; another single code or member key is another's.
fn keeps(live: &Found, right: &Right) -> bool {
    let same_line = live.standing.line == right.line.0;
    match right.key {
        None => !right.is_named || same_line,
        Some(key) => same_line && key.uses > 1,
    }
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

/// The permit that came, and whether it is too old to make a place.
fn permit_of(room: Room, fields: &Fields, now: u64) -> Result<(Permit, bool), Problem> {
    let token = fields
        .text("permit")
        .ok_or_else(|| Problem::field("permit", "a permit of this queue"))?;
    match room.tokens.open_permit(token, now) {
        Ok(permit) => Ok((permit, false)),
        Err(Refusal::Expired { .. }) => match room.tokens.open_expired_permit(token, now) {
            Ok(permit) => Ok((permit, true)),
            Err(_) => Err(problem::of_refusal(Refused::PermitExpired, Stand::None)),
        },
        Err(refusal) => {
            Err(Problem::field("permit", "a permit of this queue")
                .and("reason", json!(refusal.code())))
        }
    }
}

/// The place that the join asks for. A permit that has made the place of the ticket is spent: what follows it makes the
/// next, in another line or by another key. The same join asks for the same again.
fn unspent(permit: &Permit, ticket: Option<&Ticket>, right: &Right) -> Holder {
    let own = Holder {
        nonce: Nonce(permit.nonce),
        home: ShardIndex(permit.home),
    };
    let spent_by = ticket.filter(|ticket| ticket.nonce == permit.nonce);
    let elsewhere = |ticket: &Ticket| ticket.line != right.line.0 || right.key.is_some();
    match spent_by.is_some_and(elsewhere) {
        true => Holder {
            nonce: permits::next_nonce(own.nonce, right.line),
            ..own
        },
        false => own,
    }
}

/// A live place that the visitor had before is left, now that the new one is there.
async fn leave_before(visit: &Visit, room: Room, visitor: &Visitor<'_>, joined: &Joined) {
    if !Stand::from(joined.place.state).is_live() {
        return;
    }
    let before = visitor
        .ticket()
        .filter(|ticket| ticket.nonce != joined.ticket.nonce);
    let places = joined.leave.into_iter();
    for (holder, index) in places.chain(before.as_ref().map(joining::of_ticket)) {
        joining::leave(visit, room, holder, index).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_choice::Key;
    use crate::samples;
    use crate::standing::Standing;
    use anteroom_queue::units::{KeyHash, LineIndex};
    use anteroom_token::Challenge;

    fn right(line: u8, is_named: bool, uses: Option<u16>) -> Right {
        Right {
            line: LineIndex(line),
            is_named,
            key: uses.map(|uses| Key {
                hash: KeyHash([7; 16]),
                uses,
                is_code: true,
            }),
        }
    }

    #[test]
    fn a_live_place_is_the_answer_unless_another_line_code_or_key_is_named() {
        let live = Found {
            standing: Standing {
                stand: Stand::Waiting,
                line: 1,
                ..Standing::NONE
            },
            exchange: None,
            unknown: false,
        };
        for (line, is_named, uses, kept) in [
            (0, false, None, true),
            (1, true, None, true),
            (0, true, None, false),
            (1, true, Some(1), false),
            (1, true, Some(50), true),
            (0, true, Some(50), false),
        ] {
            let right = right(line, is_named, uses);
            assert_eq!(keeps(&live, &right), kept, "{right:?}");
        }
    }

    #[test]
    fn a_spent_permit_makes_the_next_place_and_the_same_one_again() {
        let permit = |nonce| Permit {
            nonce: [nonce; 16],
            home: 3,
            issued_at: 0,
            expires_at: 300,
            challenge: Challenge::None,
            arrived_at: None,
        };
        let ticket = samples::ticket();
        let asked = |nonce, ticket, right| unspent(&permit(nonce), ticket, &right).nonce;
        let own = Nonce([1; 16]);
        assert_eq!(asked(1, None, right(1, true, None)), own);
        assert_eq!(asked(1, Some(&ticket), right(0, true, None)), own);
        assert_eq!(
            asked(2, Some(&ticket), right(1, true, None)),
            Nonce([2; 16])
        );
        let next = asked(1, Some(&ticket), right(1, true, None));
        assert_ne!(next, own);
        assert_eq!(asked(1, Some(&ticket), right(1, true, Some(1))), next);
        assert_ne!(asked(1, Some(&ticket), right(0, true, Some(1))), own);
    }

    #[test]
    fn the_page_is_told_why_a_code_does_not_do() {
        for (problem, why) in [
            (Problem::unusable("code", "x"), Some(WhyRefused::Wrong)),
            (Problem::unusable("line", "x"), Some(WhyRefused::Wrong)),
            (
                Problem::unusable("enqueue_token", "x"),
                Some(WhyRefused::Invitation),
            ),
            (
                problem::of_refusal(Refused::CodeSpent, Stand::None),
                Some(WhyRefused::Spent),
            ),
            (problem::of_refusal(Refused::SoldOut, Stand::None), None),
            (Problem::field("permit", "x"), None),
        ] {
            assert_eq!(why_refused(&problem), why, "{problem:?}");
        }
    }
}
