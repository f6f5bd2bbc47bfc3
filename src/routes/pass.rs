//! `POST /_wr/queues/{event}/tickets/me/pass`: a called visitor wants in. Asking again is safe: the same browser gets the
//! pass of the same session, another browser takes it over.

use anteroom_queue::shard::command::{PlaceView, Refused, ShardCommand, ShardReply, VisitorState};
use anteroom_queue::units::{Nonce, PlaceIndex, ShardIndex};
use anteroom_token::{Pass, Permit, SessionId, Ticket};
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::checks::{self, Subject};
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::fields::{self, Fields};
use crate::place::{self, Found};
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::routes::{leave, state};
use crate::standing::{Stand, Standing, from_ticket};
use crate::visit::Visit;
use crate::visitor::{Visitor, claim_text};
use crate::{
    binding, gate, networks, origin_health, platform, renewal, rooms, sessions, suspicion, way_back,
};

/// A browser keeps the pass so much longer than its session: a form sent as the time ran out still brings it, and the
/// page can say when the session ended.
const KEPT_AFTER_SESSION_SECONDS: u64 = 10 * 60;

/// The pass, or where the visitor stands instead, or a check that comes first.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    let allowed = ["return", "check", "solution"];
    let fields = fields::read(&visit.request, &visit.incoming, &allowed).await?;
    let claimed = match visitor.ticket() {
        Some(ticket) => {
            let claim = Claim {
                visit,
                room,
                visitor: &visitor,
                fields: &fields,
            };
            claim.by_ticket(&ticket).await
        }
        None => by_pass(visit, room, &visitor, &fields).await,
    };
    if !fields.is_form {
        return claimed;
    }
    let back = way_back::read(visit, room, fields.text("return"));
    let cookies: Vec<String> = claimed
        .map(|answer| answer.cookies().map(str::to_owned).collect())
        .unwrap_or_default();
    Ok(Answer::see_other(back.as_str()).with_cookies(cookies))
}

/// One claim.
struct Claim<'a> {
    visit: &'a Visit,
    room: Room,
    visitor: &'a Visitor<'a>,
    fields: &'a Fields,
}

impl Claim<'_> {
    async fn by_ticket(&self, ticket: &Ticket) -> Result<Answer, Problem> {
        let Claim {
            visit,
            room,
            visitor,
            fields,
        } = *self;
        let before = visit.board(room).await;
        let is_braked = !may_admit(before.as_ref(), ticket.line);
        if is_braked || !origin_health::lets_in(visit, room).await {
            let mut found = place::find(visit, room, visitor, ticket, before.as_ref()).await;
            if let Some((status, stand)) = held_back(found.standing.stand, is_braked) {
                found.standing.stand = stand;
                let cookie = visitor.brings_cookie();
                let in_use = before.as_ref();
                return Ok(state::document(
                    status, room, visitor, &found, in_use, cookie,
                ));
            }
        }
        let done = checks::done(visit, room, fields);
        // Whatever comes of the check, the claim is made: it counts from the first try on.
        let known = done.as_ref().ok().and_then(Option::as_ref);
        let reply = self.claim(ticket, known, before.as_ref()).await?;
        let done = done?;
        let in_use = visit.board(room).await;
        match reply {
            ShardReply::Recheck { place, generation } => {
                let session = SessionId {
                    home: ticket.home,
                    index: place.index.0,
                    generation: generation.0,
                };
                self.check_first(&place, session, done, in_use.as_ref())
                    .await
            }
            reply => Ok(self.decided(ticket, reply, in_use.as_ref())),
        }
    }

    /// Claims at the home. Who is suspected and has not done the check is held back.
    async fn claim(
        &self,
        ticket: &Ticket,
        done: Option<&Permit>,
        board: Option<&InUse>,
    ) -> Result<ShardReply, Problem> {
        let Claim { visit, room, .. } = *self;
        let claim = self.visitor.claim_id_for(ticket);
        let turn = Subject::turn(ticket, claim);
        let is_checked = done.is_some_and(|check| checks::is_of(room, check, turn));
        let (index, nonce) = (PlaceIndex(ticket.index), Nonce(ticket.nonce));
        let claim_from = ShardCommand::ClaimFrom {
            index,
            nonce,
            claim,
            network: visit.network_mark(room),
            hold_back: !is_checked && suspicion::is_suspected(visit, room, board),
        };
        let as_before = ShardCommand::Claim {
            index,
            nonce,
            claim,
        };
        let (home, limit) = (ShardIndex(ticket.home), rooms::ANSWER_LIMIT);
        let asked = [claim_from, as_before];
        let reply = rooms::command_or(&visit.env, room.event, home, asked, limit).await;
        reply.map_err(|_| Problem::away(SHORTEST_POLL.0))
    }

    /// The home wants a check: a session goes on after one that was done for it; everything else is asked for one.
    async fn check_first(
        &self,
        place: &PlaceView,
        session: SessionId,
        done: Option<Permit>,
        in_use: Option<&InUse>,
    ) -> Result<Answer, Problem> {
        let ticket = self.visitor.ticket();
        if let Some(ticket) = ticket.filter(|_| place.state != VisitorState::Admitted) {
            let turn = Subject::turn(&ticket, self.visitor.claim_id_for(&ticket));
            return Ok(self.asked_for(turn, place.state.into(), in_use));
        }
        let subject = Subject::session(session);
        match done.filter(|check| checks::is_of(self.room, check, subject)) {
            Some(check) => self.go_on(session, &check, in_use).await,
            None => Ok(self.asked_for(subject, Stand::Recheck, in_use)),
        }
    }

    fn asked_for(&self, subject: Subject, stand: Stand, in_use: Option<&InUse>) -> Answer {
        let Claim {
            visit,
            room,
            visitor,
            ..
        } = *self;
        let check = checks::kept_or_fresh(visit, room, visitor, subject, in_use);
        checks::answer(room, visitor, stand, &check)
    }

    /// A session goes on in the browser that was checked, which has another number from now on.
    async fn go_on(
        &self,
        session: SessionId,
        check: &Permit,
        in_use: Option<&InUse>,
    ) -> Result<Answer, Problem> {
        let Claim { visit, room, .. } = *self;
        let claim = checks::claim_id(room, check);
        let (home, index, generation) = sessions::at_home(session);
        let rechecked = ShardCommand::Rechecked {
            index,
            generation,
            claim,
            network: visit.network_mark(room),
        };
        let limit = rooms::ANSWER_LIMIT;
        let reply = rooms::command(&visit.env, room.event, home, rechecked, limit).await;
        let reply = reply.map_err(|_| Problem::away(SHORTEST_POLL.0))?;
        let line = self.visitor.ticket().map_or(0, |ticket| ticket.line);
        match self.session_in(reply, session.home, line, in_use) {
            Some(pass) => {
                platform::log(&format!(
                    "{}: a visitor with a place was checked",
                    room.event.id
                ));
                let browser = self.visitor.jar();
                let browser = browser.set(Kind::Browser, &claim_text(&claim.0), KEPT_SECONDS);
                Ok(self.admitted(&pass).with_cookies([browser]))
            }
            // Another browser was checked before, or the session is over.
            None => Err(problem::of_refusal(Refused::Elsewhere, Stand::Elsewhere)),
        }
    }

    /// The first pass or the next of a session that a home told, unless a brake forbids a first one.
    fn session_in(
        &self,
        reply: ShardReply,
        home: u16,
        line: u8,
        in_use: Option<&InUse>,
    ) -> Option<Pass> {
        let ShardReply::Session {
            index,
            generation,
            session_ends,
            first,
            confirmed,
        } = reply
        else {
            return None;
        };
        if first && !may_admit(in_use, line) {
            return None;
        }
        let session = SessionId {
            home,
            index: index.0,
            generation: generation.0,
        };
        let (ends, now) = (renewal::seconds(session_ends), self.visit.now_seconds());
        if first {
            let network = self.visit.network();
            networks::with(|seen| seen.entered.count(network, self.visit.now));
        }
        Some(first_pass(self.room, session, ends, now, confirmed))
    }

    fn decided(&self, ticket: &Ticket, reply: ShardReply, in_use: Option<&InUse>) -> Answer {
        if let Some(pass) = self.session_in(reply, ticket.home, ticket.line, in_use) {
            return self.admitted(&pass);
        }
        let (status, found) = not_yet(ticket, reply, in_use, self.visit.now_seconds());
        let cookie = self.visitor.brings_cookie();
        state::document(status, self.room, self.visitor, &found, in_use, cookie)
    }

    fn admitted(&self, pass: &Pass) -> Answer {
        let Claim { visit, room, .. } = *self;
        let token = room.tokens.seal_pass(pass);
        let wanted = self.fields.text("return");
        let location = wanted.and_then(|text| way_back::own_path(visit, room, text));
        let document = json!({
            "event": room.event.id,
            "run": room.event.run,
            "state": Stand::Admitted.name(),
            "pass": token,
            "expires_at_ms": pass.expires_at * 1_000,
            "session_ends_at_ms": pass.session_ends_at * 1_000,
            "location": location.as_ref().map(|path| path.as_str()),
            "now_ms": visit.now.0,
        });
        Answer::json(200, &document)
            .with("waiting-room-state", Stand::Admitted.name())
            .with_cookies(cookies(visit, room, self.visitor, pass, &token))
    }
}

/// Without a ticket there is nothing to claim; but a session that came by a pass alone may have to be checked.
async fn by_pass(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    fields: &Fields,
) -> Result<Answer, Problem> {
    let brought = visitor.pass().map(|brought| brought.pass);
    let pass = brought
        .filter(sessions::has_home)
        .ok_or_else(|| leave::not_brought(visitor, "ticket"))?;
    let (home, ..) = sessions::at_home(pass.session);
    // A home that counts no networks asks nobody to be checked.
    let [renew, _] = sessions::renews(pass.session, visit.network_mark(room));
    let reply = rooms::command(&visit.env, room.event, home, renew, rooms::ANSWER_LIMIT).await;
    let Ok(ShardReply::Recheck { place, .. }) = reply else {
        return Err(leave::not_brought(visitor, "ticket"));
    };
    let done = checks::done(visit, room, fields)?;
    let in_use = visit.board(room).await;
    let claim = Claim {
        visit,
        room,
        visitor,
        fields,
    };
    claim
        .check_first(&place, pass.session, done, in_use.as_ref())
        .await
}

/// The status and the state of a claim that leads to no pass now.
fn not_yet(ticket: &Ticket, reply: ShardReply, in_use: Option<&InUse>, now: u64) -> (u16, Found) {
    match reply {
        // Granted, but a brake came in between: no first pass until it is released.
        ShardReply::Session { .. } => {
            let own = from_ticket(ticket, in_use.map(|in_use| &*in_use.board)).standing;
            let standing = Standing {
                stand: Stand::Pending,
                ..own
            };
            (
                409,
                Found {
                    standing,
                    exchange: None,
                    unknown: false,
                },
            )
        }
        ShardReply::Pending { .. } => {
            let found = place::of_reply(ticket, reply, now);
            (
                202,
                Found {
                    standing: Standing {
                        stand: Stand::Pending,
                        ..found.standing
                    },
                    ..found
                },
            )
        }
        _ => (409, place::of_reply(ticket, reply, now)),
    }
}

/// While a brake is on, or may be, and while the shop does not answer, only sessions that run already go on: the status and
/// the state of everybody else. No claim of theirs is sent, not even of one who still waits, as far as is known here: its
/// home may know better and grant it, and the session would begin. An offer stands meanwhile, and where it is the shop, a
/// claim is seen to be wanted.
fn held_back(stand: Stand, is_braked: bool) -> Option<(u16, Stand)> {
    match stand {
        Stand::Admitted | Stand::Elsewhere => None,
        Stand::Called | Stand::Pending if !is_braked => Some((202, Stand::Pending)),
        _ => Some((409, stand)),
    }
}

fn may_admit(in_use: Option<&InUse>, line: u8) -> bool {
    in_use.is_some_and(|in_use| gate::may_admit(&in_use.board, in_use.age, line))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    // O9.
    #[test]
    fn behind_a_shop_that_does_not_answer_or_a_brake_only_sessions_that_run_claim() {
        use Stand::{Admitted, Called, Elsewhere, Pending, Waiting};
        for (stand, braked, shop_down) in [
            (Waiting, Some((409, Waiting)), Some((409, Waiting))),
            (Called, Some((409, Called)), Some((202, Pending))),
            (Pending, Some((409, Pending)), Some((202, Pending))),
            (
                Stand::Lapsed,
                Some((409, Stand::Lapsed)),
                Some((409, Stand::Lapsed)),
            ),
            (Admitted, None, None),
            (Elsewhere, None, None),
        ] {
            assert_eq!(held_back(stand, true), braked, "{stand:?}");
            assert_eq!(held_back(stand, false), shop_down, "{stand:?}");
        }
    }
}
