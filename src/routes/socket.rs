//! `GET /_wr/queues/{event}/tickets/me/ws`: a WebSocket over which the home of the visitor's place tells the board as it
//! changes. The edge lets in whoever brings a ticket, and has nothing to do with it after that.
//!
//! A page that gets none listens to the edge's own stream, or asks: nobody is told less.

use anteroom_queue::units::{PlaceIndex, ShardIndex};

use crate::answer::Answer;
use crate::deployment::Room;
use crate::incoming::Method;
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::rate_limits;
use crate::rooms::{self, RoomError};
use crate::routes::leave;
use crate::visit::Visit;

/// The socket. Who is on a page of another site was refused before, as for every upgrade.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.visitor(room);
    // The platform gives a socket to exactly this request.
    let is_asked = |protocol: String| protocol.eq_ignore_ascii_case("websocket");
    let is_get = visit.incoming.method == Method::Get;
    if !is_get || !visit.incoming.header("upgrade").is_some_and(is_asked) {
        let why = "this address gives out WebSockets: Upgrade: websocket is needed";
        return Err(Problem::new(426, "upgrade-needed", why));
    }
    let ticket = visitor.ticket();
    let ticket = ticket.ok_or_else(|| leave::not_brought(&visitor, "ticket"))?;
    let browser = (ticket.nonce, visitor.claim_id_for(&ticket));
    rate_limits::look(visit, room, Some(browser))?;
    let (home, place) = (ShardIndex(ticket.home), PlaceIndex(ticket.index));
    match rooms::socket(&visit.env, room.event, home, place).await {
        Ok(socket) => Ok(Answer::socket(socket)),
        Err(RoomError::Deleted) => Err(problem::deleted(room.event)),
        Err(_) => Err(Problem::away(SHORTEST_POLL.0)),
    }
}
