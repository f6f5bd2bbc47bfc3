//! A first pass and the cookies that keep it.

use anteroom_token::{Pass, SessionId};

use crate::cookies::Kind;
use crate::deployment::Room;
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{binding, renewal};

/// A browser keeps the pass so much longer than its session: a form sent as the time ran out still brings it, and the
/// page can say when the session ended.
const KEPT_AFTER_SESSION_SECONDS: u64 = 10 * 60;

/// The first pass of a session of `room`.
pub fn first_pass(room: Room, session: SessionId, ends: u64, now: u64, confirmed: bool) -> Pass {
    let (session_seconds, pass_seconds) = (room.event.session_seconds(), room.event.pass_seconds());
    renewal::first(session, ends, now, confirmed, session_seconds, pass_seconds)
}

/// The cookies that keep a pass.
pub fn cookies(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    pass: &Pass,
    token: &str,
) -> impl Iterator<Item = String> {
    let session = pass.session_ends_at.saturating_sub(visit.now_seconds());
    let seconds = session + KEPT_AFTER_SESSION_SECONDS;
    let kept = visitor.jar().set(Kind::Pass, token, seconds);
    let bound = binding::cookie(visit, room, visitor, pass.session, seconds);
    [kept].into_iter().chain(bound)
}
