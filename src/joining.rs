//! A join carried out: at the permit's home, or by way of a key's home; and what the visitor is answered.

mod chain;
mod keyed;

use anteroom_queue::shard::command::{PlaceView, Refused, ShardCommand, ShardReply};
use anteroom_queue::units::{LineIndex, Nonce, PlaceIndex, ShardIndex, UnixMillis};
use anteroom_token::{Permit, Ticket};
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::key_home::Holder;
use crate::line_choice::Right;
use crate::place::{self, Found};
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::rooms::{self, RoomError};
use crate::routes::state;
use crate::standing::{Stand, Standing};
use crate::taking_joins::{not_yet, over};
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{permits, platform, sessions};

use chain::{Step, Walk};

/// A join as it was asked for.
pub struct Asked {
    /// The permit that came.
    pub permit: Permit,
    /// It is too old to make a place.
    pub expired: bool,
    /// The place that it asks for.
    pub own: Holder,
    /// The line, and what opens it.
    pub right: Right,
    /// The visitor brought the ticket of a place, which the new one replaces: one that is over is no answer.
    pub replaces: bool,
}

/// A place that was joined.
pub struct Joined {
    /// The place.
    pub place: PlaceView,
    /// This join made it.
    pub new: bool,
    /// Its ticket.
    pub ticket: Ticket,
    /// Live places in other lines that the permit had made, to be left.
    pub leave: Vec<(Holder, PlaceIndex)>,
}

/// Joins. An expired permit only finds the place that it made: no key is asked for it.
pub async fn join(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    asked: &Asked,
) -> Result<Joined, Problem> {
    let before = visit.board(room).await;
    let over = before
        .as_ref()
        .and_then(|in_use| over(&in_use.board, in_use.age, asked.right.line));
    let keyed = asked.right.key.filter(|_| !asked.expired);
    match (keyed, before) {
        (None, _) => plain(visit, room, visitor, asked, over).await,
        // Nobody makes a place now: none of its uses is taken, and a permit's own place is found.
        (Some(key), _) if over.is_some() && key.uses > 1 => {
            plain(visit, room, visitor, asked, over).await
        }
        (Some(key), Some(in_use)) => {
            if let Some(why) = not_yet(&in_use.board, in_use.age, asked.right.line, &key) {
                return Err(problem::of_refusal(why, Stand::None));
            }
            keyed::by_key(visit, room, visitor, asked, key, over).await
        }
        // Nobody knows yet which shard is the key's home.
        (Some(_), None) => Err(home_away(visit, room, visitor, asked)),
    }
}

async fn plain(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    asked: &Asked,
    over: Option<Refused>,
) -> Result<Joined, Problem> {
    let expired = asked.expired || over.is_some();
    let mut walk = Walk::new(asked.own, asked.right, asked.replaces);
    loop {
        let (holder, only_finds) = walk.asks();
        let Some(reply) = ask(visit, room, asked, holder, expired || only_finds).await else {
            return Err(home_away(visit, room, visitor, asked));
        };
        match walk.heard(reply) {
            Step::Joined { holder, place, new } => {
                return Ok(joined(visit, holder, place, new, walk.leaves()));
            }
            Step::Again => {}
            Step::Elsewhere => return Err(elsewhere(visit, room, visitor, asked).await),
            Step::Spent => return Err(spent()),
            Step::Refused(why, place) => return Err(refused(why, place, over)),
            Step::Away => return Err(home_away(visit, room, visitor, asked)),
        }
    }
}

/// Whoever has made so many places asks for another permit, and does what that one asks for.
fn spent() -> Problem {
    Problem::unusable("permit", "another one: this one makes no more places")
}

async fn ask(
    visit: &Visit,
    room: Room,
    asked: &Asked,
    holder: Holder,
    permit_expired: bool,
) -> Option<ShardReply> {
    let arrived = asked.permit.arrived_at;
    let join = ShardCommand::Join {
        nonce: holder.nonce,
        line: asked.right.line,
        permit_expired,
        arrived: arrived.map(|second| UnixMillis(second * 1_000)),
    };
    command(visit, room, holder.home, join).await
}

/// Asks a home. What it does not take goes to the log, without what was sent.
async fn command(
    visit: &Visit,
    room: Room,
    home: ShardIndex,
    command: ShardCommand,
) -> Option<ShardReply> {
    match rooms::command(&visit.env, room.event, home, command, rooms::ANSWER_LIMIT).await {
        Ok(reply) => Some(reply),
        Err(RoomError::Refused(why)) => {
            platform::log(&format!(
                "join at shard {} of {}: {why}",
                home.0, room.event.id
            ));
            None
        }
        Err(RoomError::Deleted | RoomError::Unreachable(_) | RoomError::Overloaded) => None,
    }
}

fn joined(
    visit: &Visit,
    holder: Holder,
    place: PlaceView,
    new: bool,
    leave: Vec<(Holder, PlaceIndex)>,
) -> Joined {
    let Holder { nonce, home } = holder;
    Joined {
        ticket: place::ticket_of(&place, home.0, nonce.0, visit.now_seconds()),
        place,
        new,
        leave,
    }
}

/// The place of a ticket.
pub fn of_ticket(ticket: &Ticket) -> (Holder, PlaceIndex) {
    let holder = Holder {
        nonce: Nonce(ticket.nonce),
        home: ShardIndex(ticket.home),
    };
    (holder, PlaceIndex(ticket.index))
}

/// Gives a place up. If its home is away it lapses by itself.
pub async fn leave(visit: &Visit, room: Room, holder: Holder, index: PlaceIndex) {
    let leave = ShardCommand::Leave {
        index,
        nonce: holder.nonce,
    };
    if command(visit, room, holder.home, leave).await.is_none() {
        platform::log(&format!(
            "a place at shard {} of {} could not be left",
            holder.home.0, room.event.id
        ));
    }
}

/// A code's place takes the turn of those that the permit may have made without a code: those that live are left.
pub async fn leave_made_by(visit: &Visit, room: Room, permit: &Permit, joined: &Joined) {
    let Holder { nonce, home } = Holder::from(permit);
    for nonce in permits::places_of(nonce) {
        let Some(place) = made(visit, room, Holder { nonce, home }).await else {
            return;
        };
        if nonce.0 != joined.ticket.nonce && Stand::from(place.state).is_live() {
            leave(visit, room, Holder { nonce, home }, place.index).await;
        }
    }
}

/// Whether the permit has made a place: its answer may have been lost.
pub async fn has_made_a_place(visit: &Visit, room: Room, permit: &Permit) -> bool {
    made(visit, room, Holder::from(permit)).await.is_some()
}

/// The place that was made with this number, whatever its line. None is made.
async fn made(visit: &Visit, room: Room, Holder { nonce, home }: Holder) -> Option<PlaceView> {
    let find = ShardCommand::Join {
        nonce,
        line: LineIndex(0),
        permit_expired: true,
        arrived: None,
    };
    match command(visit, room, home, find).await? {
        ShardReply::Place { place, .. } => Some(place),
        _ => None,
    }
}

/// What the visitor is answered: the state, the ticket, and the permit by which this place is found again. That lives no
/// longer than the one that came, and what that asked for was done.
pub async fn document(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    asked: &Asked,
    joined: &Joined,
) -> Answer {
    let in_use = visit.board(room).await;
    let old_pass = match Stand::from(joined.place.state).is_live() {
        true => sessions::leave_for(visit, room, visitor, &joined.ticket).await,
        false => Vec::new(),
    };
    let permit = (joined.ticket.nonce != asked.permit.nonce && !asked.expired).then(|| {
        let permit = match asked.right.key {
            Some(_) => Permit {
                nonce: joined.ticket.nonce,
                home: joined.ticket.home,
                ..asked.permit.clone()
            },
            None => asked.permit.clone(),
        };
        let token = room.tokens.seal_permit(&permit);
        visitor.jar().set(Kind::Permit, &token, KEPT_SECONDS)
    });
    let found = Found {
        standing: Standing::of_place(&joined.place),
        exchange: Some(joined.ticket.clone()),
        unknown: false,
    };
    let status = if joined.new { 201 } else { 200 };
    let cookie = visitor.brings_cookie();
    let answer = state::document(status, room, visitor, &found, in_use.as_ref(), cookie);
    answer.with_cookies(old_pass.into_iter().chain(permit))
}

fn refused(why: Refused, place: Option<PlaceView>, over: Option<Refused>) -> Problem {
    let why = match (why, over) {
        (Refused::PermitExpired, Some(over)) => over,
        (why, _) => why,
    };
    problem::of_refused_place(why, place)
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

/// The home is full and made no place of this permit: the same permit at another home, which the permit's number chooses,
/// so that asking again makes no second one. What it asked for was done.
async fn elsewhere(visit: &Visit, room: Room, visitor: &Visitor<'_>, asked: &Asked) -> Problem {
    let full = problem::of_refusal(Refused::Full, Stand::None).retry(SHORTEST_POLL.0);
    match other_home(visit, room, asked).await {
        Some(permit) => with_permit(full, visitor, &room.tokens.seal_permit(&permit)),
        None => full,
    }
}

/// The permit at another home; `None`: there is no other.
async fn other_home(visit: &Visit, room: Room, asked: &Asked) -> Option<Permit> {
    let in_use: Option<InUse> = visit.board(room).await;
    let board = &*in_use.as_ref()?.board;
    permits::elsewhere(
        &asked.permit,
        board,
        &room.event.regions,
        visit.now_seconds(),
    )
}

/// A problem with the permit that leads on.
pub fn with_permit(problem: Problem, visitor: &Visitor<'_>, token: &str) -> Problem {
    problem.and("permit", json!(token)).with(
        "set-cookie",
        visitor.jar().set(Kind::Permit, token, KEPT_SECONDS),
    )
}
