//! `POST /_wr/queues/{event}/tickets`: a place for a permit. One permit is one place, however often it is sent; who
//! brings the ticket of a live place, or the pass of a running session, is answered that and spends nothing, unless the join names another line, code
//! or member key: then the new place is acknowledged first, and the old one left. Whether it lives its home is asked:
//! another browser may have left it.

mod shown;

use anteroom_token::Permit;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::challenges::Done;
use crate::deployment::Room;
use crate::fields::{self, Fields};
use crate::joining::{self, Asked, Joined};
use crate::key_home::Holder;
use crate::line_choice::{self, Right, Said};
use crate::page::refused;
use crate::page::view::WhyRefused;
use crate::permits;
use crate::place::{self, Found};
use crate::platform;
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::reserved::Reserved;
use crate::routes::state;
use crate::standing::Stand;
use crate::taking_joins::has_lines_of;
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::way_back;

use shown::{Shown, shown};

/// What a join may bring.
pub const FIELDS: [&str; 7] = [
    "permit",
    "solution",
    "turnstile",
    "line",
    "code",
    "enqueue_token",
    "return",
];

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
/// not do. The page's permit may have expired while it lay open: then a new one is used. If that asks for work, the page
/// says when the button will do.
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
    let had = place_of_visitor(visit, room, visitor, in_use.as_ref()).await;
    let has_place = had.is_some();
    let live = had.filter(|had| had.standing.stand.is_live());
    let right = match wanted(room, said, now, live)? {
        Wanted::New(right) => right,
        Wanted::Kept(found) => {
            let cookie = visitor.brings_cookie();
            // The home's answer may have brought a newer board, by which the place is called.
            let in_use = visit.board(room).await;
            let in_use = in_use.as_ref();
            return Ok(state::document(200, room, visitor, &found, in_use, cookie));
        }
    };
    let is_of_run = |in_use: &InUse| has_lines_of(room.event, &in_use.board);
    if !in_use.as_ref().is_none_or(is_of_run) {
        return Err(other_lines(room));
    }
    let shown = shown(
        visit,
        room,
        visitor,
        fields,
        in_use.as_ref(),
        with_fresh_permit,
    )
    .await?;
    let Shown {
        permit,
        expired,
        done,
        place,
    } = shown;
    let asked = Asked {
        own: holder_of(&permit, &right),
        permit,
        expired,
        right,
        replaces: has_place,
    };
    let joined = counted(visit, room, visitor, &asked, (done, place)).await?;
    leave_before(visit, room, visitor, &joined).await;
    if right.key.is_some() && Stand::from(joined.place.state).is_live() {
        joining::leave_made_by(visit, room, &asked.permit, &joined).await;
    }
    Ok(joining::document(visit, room, visitor, &asked, &joined).await)
}

/// Joins. What was done for it and the place stay counted if something came of them.
async fn counted(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    asked: &Asked,
    (done, place): (Done, Reserved),
) -> Result<Joined, Problem> {
    let joined = joining::join(visit, room, visitor, asked).await;
    match &joined {
        Ok(joined) if joined.new => {
            done.used();
            place.used();
        }
        // What was done is good for the permit that comes back: it asks for nothing more.
        Err(problem) if problem.brings_permit() => done.used(),
        _ => {}
    }
    joined
}

/// No place is made while edge and run do not mean the same lines.
fn other_lines(room: Room) -> Problem {
    platform::log(&format!(
        "join of {}: its lines are not those that run {} began with",
        room.event.id, room.event.run
    ));
    let title = "joins are not taken while the lines of this queue are being changed";
    Problem::new(503, "other-lines", title).retry(SHORTEST_POLL.0)
}

/// What a join comes to.
enum Wanted {
    /// A new place.
    New(Right),
    /// The live one that there is.
    Kept(Found),
}

/// A live place is the answer when the join asks for no other: whoever stands in a line needs no code to be told so.
fn wanted(room: Room, said: Said<'_>, now: u64, live: Option<Found>) -> Result<Wanted, Problem> {
    match live {
        Some(live) if said.suits(room, live.standing.line) => Ok(Wanted::Kept(live)),
        live => {
            let right = line_choice::read(room, said, now)?;
            let kept = live.filter(|live| is_shared(&right, live.standing.line));
            Ok(kept.map_or(Wanted::New(right), Wanted::Kept))
        }
    }
}

/// A shared code opens the same line to whoever stands in it; another single code or member key is another's.
fn is_shared(right: &Right, line: u8) -> bool {
    right.line.0 == line && right.key.is_some_and(|key| key.uses > 1)
}

/// What the home of the ticket's place says of it, or of the session of somebody who was let in without one. Staff may
/// try the queue.
async fn place_of_visitor(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
) -> Option<Found> {
    let Some(ticket) = visitor.ticket() else {
        let brought = visitor.pass()?;
        if brought.pass.session.is_staff() {
            return None;
        }
        let found = state::of_visitor(visit, room, visitor, in_use).await;
        return (found.standing.stand == Stand::Admitted).then_some(found);
    };
    let found = place::find_at_home(visit, room, visitor, &ticket, in_use).await;
    (!found.unknown).then(|| Found {
        exchange: Some(found.exchange.unwrap_or(ticket)),
        ..found
    })
}

/// The first place that the permit makes for this join: by a code or member key one of that key's own.
fn holder_of(permit: &Permit, right: &Right) -> Holder {
    let own = Holder::from(permit);
    let nonce = right
        .key
        .map(|key| permits::keyed_nonce(own.nonce, key.hash));
    Holder {
        nonce: nonce.unwrap_or(own.nonce),
        ..own
    }
}

/// A live place that the visitor had before is left, now that the new one is there.
async fn leave_before(visit: &Visit, room: Room, visitor: &Visitor<'_>, joined: &Joined) {
    if !Stand::from(joined.place.state).is_live() {
        return;
    }
    let before = visitor.ticket();
    let before = before.as_ref().map(joining::of_ticket);
    let own = joined.ticket.nonce;
    let is_other = |place: &(Holder, _)| place.0.nonce.0 != own && !joined.leave.contains(place);
    for (holder, index) in joined.leave.iter().copied().chain(before.filter(is_other)) {
        joining::leave(visit, room, holder, index).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_choice::Key;
    use crate::problem;
    use anteroom_queue::shard::command::Refused;
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
    fn only_a_shared_code_of_the_own_line_is_the_answer_of_whoever_stands_there() {
        for (line, uses, shared) in [
            (1, None, false),
            (1, Some(1), false),
            (1, Some(50), true),
            (0, Some(50), false),
        ] {
            let right = right(line, true, uses);
            assert_eq!(is_shared(&right, 1), shared, "{right:?}");
        }
    }

    #[test]
    fn a_permit_makes_a_place_of_its_own_by_each_code() {
        let permit = Permit {
            nonce: [1; 16],
            home: 3,
            issued_at: 0,
            expires_at: 300,
            challenge: Challenge::None,
            arrived_at: None,
        };
        let own = Holder::from(&permit);
        assert_eq!(holder_of(&permit, &right(1, true, None)), own);
        let by_code = holder_of(&permit, &right(1, true, Some(1)));
        assert_eq!(by_code, holder_of(&permit, &right(0, true, Some(1))));
        assert!(by_code.nonce != own.nonce && by_code.home == own.home);
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
