//! `POST /_wr/queues/{event}/tickets/me/pass`: a called visitor wants in. Asking again is safe: the same browser gets the
//! pass of the same session, another browser takes it over.

mod handed_out;
mod not_yet;

use anteroom_queue::shard::command::{PlaceView, Refused, ShardCommand, ShardReply, VisitorState};
use anteroom_queue::units::{Nonce, PlaceIndex, ShardIndex};
use anteroom_token::{Pass, Permit, SessionId, Ticket};
use serde_json::json;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::challenges::Done;
use crate::checks::{self, Check, Subject};
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::fields::{self, Fields};
use crate::place;
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::routes::{leave, state};
use crate::standing::Stand;
use crate::visit::Visit;
use crate::visitor::{Visitor, claim_text};
use crate::{
    gate, networks, origin_health, platform, renewal, rooms, sessions, suspicion, way_back,
};

pub use handed_out::{cookies, first_pass};
use not_yet::{held_back, not_yet};

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
        let brought = checks::brought(visit, room, fields);
        let is_suspected = suspicion::is_suspected(visit, room, before.as_ref());
        // What nobody asks for is not looked at, and no wait for it counts.
        let done = brought.as_ref().filter(|_| is_suspected);
        let done = done.and_then(|check| self.done_for_turn(check, ticket));
        // Whatever comes of the check, the claim is made: it counts from the first try on.
        let hold_back = is_suspected && !matches!(done, Some(Ok(_)));
        let reply = self.claim(ticket, hold_back).await?;
        let in_use = visit.board(room).await;
        match (reply, done) {
            (ShardReply::Recheck { place, .. }, Some(Err(problem)))
                if place.state != VisitorState::Admitted =>
            {
                Err(problem)
            }
            (ShardReply::Recheck { place, generation }, _) => {
                let session = SessionId {
                    home: ticket.home,
                    index: place.index.0,
                    generation: generation.0,
                };
                self.check_first(&place, session, brought, in_use.as_ref())
                    .await
            }
            (reply, done) => {
                if let Some(Ok(done)) = done.filter(|_| lets_on(&reply)) {
                    done.used();
                }
                Ok(self.decided(ticket, reply, in_use.as_ref()))
            }
        }
    }

    /// How a check was done that was brought before a first pass; `None`: it is of something else.
    fn done_for_turn(&self, check: &Check, ticket: &Ticket) -> Option<Result<Done, Problem>> {
        let turn = Subject::turn(ticket, self.visitor.claim_id_for(ticket));
        let place = (ticket.home, ticket.index);
        checks::is_of(self.room, &check.0, turn).then(|| self.done(check, place))
    }

    fn done(&self, check: &Check, place: (u16, u32)) -> Result<Done, Problem> {
        let solution = self.fields.text("solution");
        checks::done(self.visit, self.room, check, solution, place)
    }

    /// Claims at the home. Who is suspected and has not done the check is held back.
    async fn claim(&self, ticket: &Ticket, hold_back: bool) -> Result<ShardReply, Problem> {
        let Claim { visit, room, .. } = *self;
        let claim = self.visitor.claim_id_for(ticket);
        let (index, nonce) = (PlaceIndex(ticket.index), Nonce(ticket.nonce));
        let claim_from = ShardCommand::ClaimFrom {
            index,
            nonce,
            claim,
            network: visit.network_mark(room),
            hold_back,
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
        brought: Option<Check>,
        in_use: Option<&InUse>,
    ) -> Result<Answer, Problem> {
        let ticket = self.visitor.ticket();
        if let Some(ticket) = ticket.filter(|_| place.state != VisitorState::Admitted) {
            let turn = Subject::turn(&ticket, self.visitor.claim_id_for(&ticket));
            return Ok(self.asked_for(turn, place.state.into(), in_use));
        }
        let subject = Subject::session(session);
        match brought.filter(|(check, _)| checks::is_of(self.room, check, subject)) {
            Some(check) => {
                let done = self.done(&check, (session.home, session.index))?;
                let answer = self.go_on(session, &check.0, in_use).await?;
                done.used();
                Ok(answer)
            }
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
    let brought = checks::brought(visit, room, fields);
    let in_use = visit.board(room).await;
    let claim = Claim {
        visit,
        room,
        visitor,
        fields,
    };
    claim
        .check_first(&place, pass.session, brought, in_use.as_ref())
        .await
}

/// Whether a claim got further with its check: it counts, or the first pass is handed out. Who is in already had no need.
fn lets_on(reply: &ShardReply) -> bool {
    matches!(
        reply,
        ShardReply::Session { first: true, .. } | ShardReply::Pending { .. }
    )
}

fn may_admit(in_use: Option<&InUse>, line: u8) -> bool {
    in_use.is_some_and(|in_use| gate::may_admit(&in_use.board, in_use.age, line))
}
