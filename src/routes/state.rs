//! `GET /_wr/queues/{event}/tickets/me`: where the visitor stands. For somebody who waits, ticket and board tell, and no
//! object is asked.

use anteroom_queue::units::UnixMillis;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::documents::StateDocument;
use crate::place::{self, Found};
use crate::platform;
use crate::problem::Problem;
use crate::rate_limits;
use crate::sessions;
use crate::standing::{Stand, Standing, room_state};
use crate::visit::Visit;
use crate::visitor::{Visitor, is_of_place};

/// The state.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.visitor(room);
    let by = visitor.ticket();
    let by = by.map(|ticket| (ticket.nonce, visitor.claim_id_for(&ticket)));
    rate_limits::look(visit, room, by)?;
    let in_use = visit.board(room).await;
    let found = of_visitor(visit, room, &visitor, in_use.as_ref()).await;
    // Where the home was asked and had news, its board goes with them.
    let in_use = match found.exchange {
        Some(_) => visit.board(room).await,
        None => in_use,
    };
    let cookie = visitor.brings_cookie();
    Ok(document(
        200,
        room,
        &visitor,
        &found,
        in_use.as_ref(),
        cookie,
    ))
}

/// Where the visitor stands, by pass and ticket.
pub async fn of_visitor(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
) -> Found {
    let ticket = visitor.ticket();
    let now = visit.now_seconds();
    let pass = visitor.pass().map(|brought| brought.pass);
    let own_pass = pass.filter(|pass| {
        ticket
            .as_ref()
            .is_none_or(|ticket| is_of_place(pass, ticket))
    });
    if let Some(pass) = own_pass.as_ref().filter(|pass| now < pass.expires_at) {
        return inside(room, pass.session_ends_at, ticket.as_ref());
    }
    match (ticket, own_pass) {
        (Some(ticket), _) => place::find(visit, room, visitor, &ticket, in_use).await,
        (None, Some(pass)) if now >= pass.session_ends_at => Found::told(Standing {
            stand: Stand::Ended,
            session_ends: Some(UnixMillis(pass.session_ends_at * 1_000)),
            ..Standing::NONE
        }),
        (None, Some(pass)) => Found::told(sessions::standing(visit, room, &pass).await),
        (None, None) => Found::told(Standing::NONE),
    }
}

fn inside(room: Room, session_ends_at: u64, ticket: Option<&anteroom_token::Ticket>) -> Found {
    let standing = Standing {
        stand: Stand::Admitted,
        session_ends: Some(UnixMillis(session_ends_at * 1_000)),
        ..Standing::NONE
    };
    Found::told(match ticket {
        None => sessions::of_first_line(room, standing),
        Some(ticket) => Standing {
            line: ticket.line,
            entry: ticket.entry,
            rank: ticket.rank,
            ..standing
        },
    })
}

/// The answer that shows what was found, with the cookies that follow from it.
pub fn document(
    status: u16,
    room: Room,
    visitor: &Visitor<'_>,
    found: &Found,
    in_use: Option<&InUse>,
    cookie: bool,
) -> Answer {
    let token = found
        .exchange
        .as_ref()
        .map(|ticket| room.tokens.seal_ticket(ticket));
    let jar = visitor.jar();
    let set = token
        .as_ref()
        .map(|token| jar.set(Kind::Ticket, token, KEPT_SECONDS));
    let clear = found.unknown.then(|| visitor.clears(Kind::Ticket));
    let document = StateDocument::new(room, &found.standing, in_use, cookie, platform::now())
        .with_new_run(found.standing.stand == Stand::None && visitor.is_of_another_run())
        .with_ticket(token);
    let state = room_state(
        found.standing.stand,
        in_use.map(|in_use| &*in_use.board),
        found.standing.line,
    );
    Answer::json(status, &document)
        .with("waiting-room-state", state)
        .with_cookies(set.into_iter().chain(clear.into_iter().flatten()))
}
