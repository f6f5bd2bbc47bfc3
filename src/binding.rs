//! Passes that are bound to the network and the browser that they were handed out to (`binding = "strict"`). Beside the pass
//! the browser keeps a second cookie: a keyed hash of session, network and browser. A pass that comes without the right one
//! opens nothing by itself: its home is asked first, which counts the networks, and the pass is handed out anew. So a visitor
//! on the move loses nothing, and a copied pass is noticed with its first request. The pass itself says nothing of it: what
//! origins check stays as it is.

use anteroom_config::guard::Binding;
use anteroom_token::{Pass, SessionId};
use base64ct::{Base64UrlUnpadded, Encoding};

use crate::cookies::Kind;
use crate::deployment::Room;
use crate::incoming::Incoming;
use crate::sessions;
use crate::visit::Visit;
use crate::visitor::Visitor;

fn is_strict(room: Room) -> bool {
    room.event.guard.binding == Binding::Strict
}

/// What the browser calls itself, where passes are bound to it; otherwise nothing.
pub fn agent(room: Room, incoming: &Incoming) -> String {
    let named = is_strict(room).then(|| incoming.header("user-agent"));
    named.flatten().unwrap_or_default()
}

/// Whether `pass` is bound and comes from elsewhere. One without a home is nobody's to ask about.
pub fn is_elsewhere(visit: &Visit, room: Room, visitor: &Visitor<'_>, pass: &Pass) -> bool {
    let is_bound = is_strict(room) && sessions::has_home(pass);
    is_bound && !visitor.brings(Kind::Binding, &text(visit, room, pass.session))
}

/// The cookie that goes with a pass, where passes are bound. `pass_cookie_seconds`: as long as the pass's.
pub fn cookie(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    session: SessionId,
    pass_cookie_seconds: u64,
) -> Option<String> {
    is_strict(room).then(|| {
        let said = text(visit, room, session);
        visitor.jar().set(Kind::Binding, &said, pass_cookie_seconds)
    })
}

/// The same for every generation of a session: a renewal changes nothing.
fn text(visit: &Visit, room: Room, session: SessionId) -> String {
    let mark = room.tokens.mark_of(&[
        b"binding",
        &session.home.to_be_bytes(),
        &session.index.to_be_bytes(),
        &visit.network().bytes(),
        agent(room, &visit.incoming).as_bytes(),
    ]);
    Base64UrlUnpadded::encode_string(&mark)
}
