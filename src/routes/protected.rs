//! Every path that is not the waiting room's own: carries out what the [`gate`](crate::gate) decides.
//!
//! A fresh pass costs no object: the request goes on at once. Past half of its life the pass is renewed while the origin
//! answers; the new one goes back with the answer if it is there by then.

use anteroom_config::Event;
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{
    ClaimId, Generation, LineIndex, Millis, Nonce, PlaceIndex, ShardIndex,
};
use anteroom_token::{Pass, Permit, SessionId};
use futures_util::future::{Either, LocalBoxFuture, select};
use wasm_bindgen::JsValue;
use web_sys::Response;
use worker::Env;

use crate::boards::InUse;
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::gate::{self, Asked, Decision, Why, With};
use crate::incoming::{Incoming, Method};
use crate::proxy::{self, FromOrigin};
use crate::renewal::{self, Renewal};
use crate::rewrite::Command;
use crate::routes::{pass as pass_route, permits, room as room_route};
use crate::same_site::{self, Sender};
use crate::visit::Visit;
use crate::visitor::{By, PassBrought, Visitor, claim_text, is_of_place, open_pass};
use crate::{isolate, platform, rooms};

/// A protected path.
pub async fn answer(visit: &Visit, room: Room) -> Result<Response, JsValue> {
    isolate::count(room.event, |counts| counts.requests += 1);
    let visitor = visit.visitor(room);
    let in_use = visit.board(room).await;
    let brought = visitor.pass();
    let asked = asked(visit, room, &visitor, brought.as_ref(), in_use.as_ref());
    let gate = Gate {
        visit,
        room,
        visitor: &visitor,
        brought: brought.as_ref(),
        in_use: in_use.as_ref(),
    };
    match gate::decide(&asked) {
        Decision::Forward(with) => gate.forward(with, Vec::new()).await,
        Decision::RenewFirst => gate.renew_first(&asked).await,
        Decision::Try => gate.try_in().await,
        Decision::Room(why) => gate.room(why).await,
    }
}

/// A path that needs no pass: inside an event's bypass, or of no event.
pub async fn answer_open(visit: &Visit, event: &Event) -> Result<Response, JsValue> {
    let base = visit.deployment.origin_base(event);
    match proxy::send(visit, base.as_deref(), None).await {
        Ok(from_origin) => from_origin.into_response(&[], None),
        Err(_) => away(visit),
    }
}

fn away(visit: &Visit) -> Result<Response, JsValue> {
    proxy::origin_away(visit.incoming.wants_page())
        .into_response(visit.incoming.method == Method::Head)
}

fn asked<'a>(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    brought: Option<&'a PassBrought>,
    in_use: Option<&'a InUse>,
) -> Asked<'a> {
    let now = visit.now_seconds();
    let pass = brought.map(|brought| &brought.pass);
    let fresh = pass.is_some_and(|pass| now < pass.expires_at);
    let other_place = || {
        visitor
            .ticket()
            .is_some_and(|ticket| pass.is_none_or(|pass| !is_of_place(pass, &ticket)))
    };
    Asked {
        now,
        safe: visit.incoming.method.is_safe(),
        takes_nothing: !fresh && takes_nothing(&visit.incoming, room.event),
        preflight: visit.incoming.is_preflight(),
        pass,
        has_place: !fresh && other_place(),
        board: in_use.map(|in_use| (&*in_use.board, in_use.age)),
        configured_mode: room.event.settings.mode,
    }
}

/// HEAD, prefetches, and what a foreign page loads without a person's doing.
fn takes_nothing(incoming: &Incoming, event: &Event) -> bool {
    let foreign = || {
        same_site::sender(incoming, &event.cors_origins) == Sender::Foreign
            && incoming.header("sec-fetch-mode").as_deref() != Some("navigate")
    };
    incoming.method == Method::Head || incoming.is_prefetch() || foreign()
}

struct Gate<'a> {
    visit: &'a Visit,
    room: Room,
    visitor: &'a Visitor<'a>,
    brought: Option<&'a PassBrought>,
    in_use: Option<&'a InUse>,
}

impl Gate<'_> {
    async fn room(&self, why: Why) -> Result<Response, JsValue> {
        isolate::count(self.room.event, |counts| counts.refused += 1);
        let answer =
            room_route::answer(self.visit, self.room, self.visitor, self.in_use, why).await;
        answer.into_response(self.visit.incoming.method == Method::Head)
    }

    async fn renew_first(&self, asked: &Asked<'_>) -> Result<Response, JsValue> {
        let brought = self.brought.expect("only a pass that came is renewed");
        let renewal = self.renewal(&brought.pass).await;
        let event = self.room.event;
        let (idle_seconds, pass_seconds) = (
            u64::from(event.idle_minutes) * 60,
            u64::from(event.pass_seconds),
        );
        match gate::after_renewal(asked, &brought.pass, &renewal, idle_seconds, pass_seconds) {
            Decision::Forward(with) => self.forward(with, Vec::new()).await,
            Decision::Room(why) => self.room(why).await,
            Decision::RenewFirst | Decision::Try => {
                unreachable!("a renewal is followed by a request or the room")
            }
        }
    }

    /// Asks the home whether the session runs. Outlives the request if need be.
    fn renewal(&self, pass: &Pass) -> LocalBoxFuture<'static, Renewal> {
        let (env, event, pass, now) = (
            self.visit.env.clone(),
            self.room.event,
            pass.clone(),
            self.visit.now_seconds(),
        );
        Box::pin(async move { renew(&env, event, &pass, now).await })
    }

    /// One step: the home admits this first visit, or leaves nothing behind.
    async fn try_in(&self) -> Result<Response, JsValue> {
        let now = self.visit.now_seconds();
        let spent = |permit: &Permit| {
            let ticket = self.visitor.ticket();
            ticket.is_some_and(|ticket| ticket.nonce == permit.nonce)
        };
        let permit = match permits::kept_or_fresh(self.room, self.visitor, self.in_use, now).0 {
            permit if spent(&permit) => permits::fresh(self.room, self.in_use, now).0,
            permit => permit,
        };
        let known = self.visitor.claim_id();
        let claim = known.unwrap_or_else(|| ClaimId(platform::random_128()));
        let ask = ShardCommand::Try {
            nonce: Nonce(permit.nonce),
            line: LineIndex(0),
            claim,
        };
        let home = ShardIndex(permit.home);
        let reply = rooms::command(
            &self.visit.env,
            self.room.event,
            home,
            ask,
            rooms::ANSWER_LIMIT,
        )
        .await;
        let in_use = self.visit.board(self.room).await;
        let still_open = in_use
            .as_ref()
            .is_some_and(|in_use| gate::may_admit(&in_use.board, in_use.age, 0));
        match reply {
            Ok(ShardReply::Session {
                index,
                generation,
                session_ends,
                first,
                confirmed,
            }) if still_open || !first => {
                let session = SessionId {
                    home: permit.home,
                    index: index.0,
                    generation: generation.0,
                };
                let life = pass_route::first_life(self.room, confirmed);
                let pass = renewal::issued(session, renewal::seconds(session_ends), now, life);
                let browser =
                    self.visitor
                        .jar()
                        .set(Kind::Browser, &claim_text(&claim.0), KEPT_SECONDS);
                self.forward(With::New(pass), vec![browser]).await
            }
            _ => {
                let mode = self
                    .in_use
                    .map_or(self.room.event.settings.mode, |in_use| in_use.board.mode);
                self.room(if mode == Mode::Rate {
                    Why::Rate
                } else {
                    Why::Queue
                })
                .await
            }
        }
    }

    async fn forward(&self, with: With, mut cookies: Vec<String>) -> Result<Response, JsValue> {
        let now = self.visit.now_seconds();
        let seal = |pass: &Pass| Some(self.room.tokens.seal_pass(pass));
        let (token, pass, mut next) = match with {
            With::Nothing => (None, None, None),
            With::OpenPass => (
                seal(&open_pass(now, u64::from(self.room.event.pass_seconds))),
                None,
                None,
            ),
            With::Pass { .. } => {
                let brought = self.brought.expect("the pass that came");
                (
                    Some(brought.token.clone()),
                    Some(brought.pass.clone()),
                    None,
                )
            }
            With::New(ref pass) => (seal(pass), Some(pass.clone()), Some(pass.clone())),
            With::Last(ref pass) => (seal(pass), Some(pass.clone()), None),
        };
        isolate::count(self.room.event, |counts| match with {
            With::OpenPass => counts.bypassed += 1,
            With::Nothing => {}
            With::Pass { .. } | With::New(_) | With::Last(_) => counts.admitted += 1,
        });
        let base = self.visit.deployment.origin_base(self.room.event);
        let sending = proxy::send(self.visit, base.as_deref(), token.as_deref());
        let renewing = match (&with, &pass) {
            (With::Pass { renew: true }, Some(pass)) => Some(self.renewal(pass)),
            _ => None,
        };
        let (answered, renewed) = self.beside(sending, renewing).await;
        let from_origin = match answered {
            Ok(from_origin) if from_origin.status() < 500 => from_origin,
            Ok(from_origin) => {
                isolate::count(self.room.event, |counts| counts.origin_errors += 1);
                from_origin
            }
            Err(_) => {
                isolate::count(self.room.event, |counts| counts.origin_errors += 1);
                return away(self.visit);
            }
        };
        if let Some(Renewal::Runs(pass)) = renewed {
            next = Some(pass);
        }
        if let (Some(command), Some(pass)) = (from_origin.command, &pass) {
            match self.obey(command, pass).await {
                Obeyed::Released => {
                    cookies.push(self.visitor.jar().clear(Kind::Pass));
                    next = None;
                }
                Obeyed::Next(pass) => next = Some(pass),
                Obeyed::Nothing => {}
            }
        }
        self.back(from_origin, next, cookies)
    }

    /// Waits for the origin, with the renewal going on beside it; a renewal that is slower goes on by itself.
    async fn beside(
        &self,
        sending: impl Future<Output = Result<FromOrigin, JsValue>>,
        renewing: Option<LocalBoxFuture<'static, Renewal>>,
    ) -> (Result<FromOrigin, JsValue>, Option<Renewal>) {
        let Some(renewing) = renewing else {
            return (sending.await, None);
        };
        match select(Box::pin(sending), renewing).await {
            Either::Left((answered, renewing)) => {
                self.visit.context.wait_until(async move {
                    renewing.await;
                });
                (answered, None)
            }
            Either::Right((renewal, sending)) => (sending.await, Some(renewal)),
        }
    }

    /// Does what the origin asks for about the session.
    async fn obey(&self, command: Command, pass: &Pass) -> Obeyed {
        let (index, generation) = (
            PlaceIndex(pass.session.index),
            Generation(pass.session.generation),
        );
        let ask = match command {
            Command::Release => ShardCommand::Release { index, generation },
            Command::Extend { seconds } => ShardCommand::Extend {
                index,
                generation,
                by: Millis::from_seconds(seconds),
            },
        };
        let home = ShardIndex(pass.session.home);
        let reply = rooms::command(
            &self.visit.env,
            self.room.event,
            home,
            ask,
            rooms::RENEWAL_LIMIT,
        )
        .await;
        match (command, reply) {
            (_, Err(error)) => {
                platform::log(&format!(
                    "{command:?} of a session of {}: {error:?}",
                    self.room.event.id
                ));
                if command == Command::Release {
                    Obeyed::Released
                } else {
                    Obeyed::Nothing
                }
            }
            (Command::Release, Ok(_)) => Obeyed::Released,
            (Command::Extend { .. }, Ok(reply)) => {
                let pass_seconds = u64::from(self.room.event.pass_seconds);
                match Renewal::of_reply(pass, reply, self.visit.now_seconds(), pass_seconds) {
                    Renewal::Runs(pass) => Obeyed::Next(pass),
                    _ => Obeyed::Nothing,
                }
            }
        }
    }

    /// The origin's response with the next pass, which goes back the way the last one came.
    fn back(
        &self,
        from_origin: FromOrigin,
        next: Option<Pass>,
        mut cookies: Vec<String>,
    ) -> Result<Response, JsValue> {
        let token = next.as_ref().map(|pass| self.room.tokens.seal_pass(pass));
        let by_header = self.brought.is_some_and(|brought| brought.by == By::Header);
        match (next, token) {
            (Some(_), Some(token)) if by_header => {
                from_origin.into_response(&cookies, Some(&token))
            }
            (Some(pass), Some(token)) => {
                cookies.push(pass_route::cookie(
                    self.visitor,
                    &pass,
                    &token,
                    self.visit.now_seconds(),
                ));
                from_origin.into_response(&cookies, None)
            }
            _ => from_origin.into_response(&cookies, None),
        }
    }
}

enum Obeyed {
    Released,
    Next(Pass),
    Nothing,
}

async fn renew(env: &Env, event: &'static Event, pass: &Pass, now: u64) -> Renewal {
    let renew = ShardCommand::Renew {
        index: PlaceIndex(pass.session.index),
        generation: Generation(pass.session.generation),
    };
    match rooms::command(
        env,
        event,
        ShardIndex(pass.session.home),
        renew,
        rooms::RENEWAL_LIMIT,
    )
    .await
    {
        Ok(reply) => Renewal::of_reply(pass, reply, now, u64::from(event.pass_seconds)),
        Err(error) => {
            platform::log(&format!(
                "renewal at shard {} of {}: {error:?}",
                pass.session.home, event.id
            ));
            Renewal::Unreachable
        }
    }
}
