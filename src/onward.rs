//! A request goes on to the origin with a pass, and its answer comes back with the next one.
//!
//! Past half of its life a pass is renewed while the origin answers; the new one goes back with the answer if it is
//! there by then, else with the next, from what the isolate remembers. An origin may end or extend the session whose request
//! it answers.

use anteroom_config::Event;
use anteroom_queue::shard::command::ShardCommand;
use anteroom_queue::units::{Millis, NetworkMark};
use anteroom_token::{Pass, SessionId};
use futures_util::future::{Either, LocalBoxFuture, select};
use wasm_bindgen::JsValue;
use web_sys::Response;
use worker::Env;

use crate::cookies::Kind;
use crate::deployment::Room;
use crate::gate::With;
use crate::incoming::Method;
use crate::origin_evidence::Heard;
use crate::origin_health::UnderWay;
use crate::proxy::{self, FromOrigin, Part};
use crate::renewal::{Renewal, resigned};
use crate::renewed::Due;
use crate::rewrite::{Command, PASS_HEADER};
use crate::routes::pass::cookies as pass_cookies;
use crate::stock::{self, Unreadable};
use crate::visit::Visit;
use crate::visitor::{By, PassBrought, Visitor, open_pass};
use crate::{board_reads, crawlers, isolate, platform, rooms, sessions};

/// A visitor's request on its way to the origin of an event.
pub struct Onward<'a> {
    /// The request.
    pub visit: &'a Visit,
    /// The event.
    pub room: Room,
    /// Who sent it.
    pub visitor: &'a Visitor<'a>,
    /// The best pass that came along.
    pub brought: Option<&'a PassBrought>,
}

/// What the origin says is left goes along with the next board read, or at once when it runs out or comes back.
pub fn hear_stock(visit: &Visit, event: &'static Event, from_origin: &FromOrigin) {
    let word = match from_origin.stock {
        None => return,
        Some(Err(Unreadable)) => return stock::complain(&event.id, platform::now()),
        Some(Ok(word)) => word,
    };
    let urgent = isolate::with(event, |kept| {
        kept.counts.stock = Some(stock::later(kept.counts.stock, word));
        let board = kept.board.in_use(platform::now());
        kept.stock
            .take(word, board.and_then(|in_use| in_use.board.stock))
    });
    if urgent {
        let handing_in = board_reads::hand_in(visit.env.clone(), event);
        visit.context.wait_until(handing_in);
    }
}

impl Onward<'_> {
    /// Asks the home whether the session of `pass` runs. Outlives the request if need be. A staff pass has no home: the
    /// edge alone renews it, until its token's end.
    pub fn renewal(&self, pass: &Pass) -> LocalBoxFuture<'static, Renewal> {
        let (env, event, pass, now) = (
            self.visit.env.clone(),
            self.room.event,
            pass.clone(),
            self.visit.now_seconds(),
        );
        if pass.session.is_staff() {
            let next = resigned(&pass, now, event.pass_seconds());
            return Box::pin(async move { Renewal::Runs(next) });
        }
        let (network, asked) = (self.visit.network_mark(self.room), self.visit.now);
        let session = pass.session;
        isolate::with(event, |kept| kept.renewed.is_asked(session, network, asked));
        Box::pin(async move {
            let renewal = renew(&env, event, &pass, network, now).await;
            remember(event, session, network, &renewal);
            renewal
        })
    }

    /// What is to be done about a pass past half of its life. What follows a staff pass is worked out each time.
    fn due(&self, pass: &Pass) -> Due {
        if pass.session.is_staff() {
            return Due::Ask;
        }
        let network = self.visit.network_mark(self.room);
        let now = self.visit.now;
        isolate::with(self.room.event, |kept| {
            kept.renewed.of(pass.session, network, now)
        })
    }

    /// Sends it on, and answers what comes back with `cookies`.
    pub async fn send(&self, with: With, mut cookies: Vec<String>) -> Result<Response, JsValue> {
        let now = self.visit.now_seconds();
        let seal = |pass: &Pass| Some(self.room.tokens.seal_pass(pass));
        let (token, pass, mut next) = match with {
            With::Nothing => (None, None, None),
            With::OpenPass => (
                seal(&open_pass(now, self.room.event.pass_seconds())),
                None,
                None,
            ),
            With::CrawlerPass => (seal(&crawlers::pass(now)), None, None),
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
        let staff = pass.as_ref().is_some_and(|pass| pass.session.is_staff());
        isolate::count(self.room.event, |counts| match with {
            With::OpenPass => counts.bypassed += 1,
            // The shard that allows a crawler's request has counted it.
            With::Nothing | With::CrawlerPass => {}
            _ if staff => counts.staff += 1,
            With::Pass { .. } | With::New(_) | With::Last(_) => counts.admitted += 1,
        });
        let base = self.visit.deployment.origin_base(self.room.event);
        let part = match with {
            With::Nothing => Part::Preflight,
            _ => Part::Whole(token.as_deref()),
        };
        let begins = |pass: &Pass| UnderWay::begins(self.visit, self.room.event, &pass.session);
        let watched = pass.as_ref().map(begins);
        let sending = proxy::send(self.visit, base.as_deref(), part);
        let renewing = match (&with, &pass) {
            (With::Pass { renew: true }, Some(pass)) => match self.due(pass) {
                Due::Ask => Some(self.renewal(pass)),
                Due::Asked => None,
                Due::Next(pass) => {
                    next = Some(pass);
                    None
                }
            },
            _ => None,
        };
        let (answered, renewed) = self.beside(sending, renewing).await;
        if let Some(Renewal::Runs(pass)) = renewed {
            next = Some(pass);
        }
        self.hears(&answered, watched);
        let Ok(from_origin) = answered else {
            return self.away(pass.is_some(), next, cookies);
        };
        hear_stock(self.visit, self.room.event, &from_origin);
        if let (Some(command), Some(pass)) = (from_origin.command, &pass) {
            match self.obey(command, pass).await {
                Obeyed::Released => {
                    cookies.extend(self.visitor.clears(Kind::Pass));
                    next = None;
                }
                Obeyed::Next(pass) => next = Some(pass),
                Obeyed::Nothing => {}
            }
        }
        self.back(from_origin, next, cookies)
    }

    /// Counts how the origin answered. Only what it answers to those inside says how it does: crawlers may ask for anything.
    fn hears(&self, answered: &Result<FromOrigin, JsValue>, watched: Option<UnderWay>) {
        let status = answered.as_ref().map(FromOrigin::status);
        if let Some(watched) = watched {
            let heard = status.map_or(Heard::Failed, Heard::of_status);
            watched.ends(self.visit, self.room, heard);
        }
        if status.map_or(true, |status| status >= 500) {
            isolate::count(self.room.event, |counts| counts.origin_errors += 1);
        }
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
        if pass.session.is_staff() {
            return match command {
                Command::Release => Obeyed::Released,
                Command::Extend { .. } => Obeyed::Nothing,
            };
        }
        let (home, index, generation) = sessions::at_home(pass.session);
        if command == Command::Release {
            isolate::with(self.room.event, |kept| kept.renewed.is_over(pass.session));
        }
        let ask = match command {
            Command::Release => ShardCommand::Release { index, generation },
            Command::Extend { seconds } => ShardCommand::Extend {
                index,
                generation,
                by: Millis::from_seconds(seconds),
            },
        };
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
                let pass_seconds = self.room.event.pass_seconds();
                let now = self.visit.now_seconds();
                let renewal = Renewal::of_reply(pass, reply, now, pass_seconds);
                let network = self.visit.network_mark(self.room);
                remember(self.room.event, pass.session, network, &renewal);
                match renewal {
                    Renewal::Runs(pass) => Obeyed::Next(pass),
                    _ => Obeyed::Nothing,
                }
            }
        }
    }

    /// The origin's response with the next pass.
    fn back(
        &self,
        from_origin: FromOrigin,
        next: Option<Pass>,
        mut cookies: Vec<String>,
    ) -> Result<Response, JsValue> {
        let is_inside = next.is_some() || self.brought.is_some();
        let header = self.hand_out(next, &mut cookies);
        // A status that the platform makes no response with is no answer of a shop.
        let response = from_origin.into_response(&cookies, header.as_deref());
        response.or_else(|_| self.instead(is_inside, header, cookies))
    }

    /// The answer while the origin cannot be reached, with the next pass: what was granted is not lost.
    fn away(
        &self,
        is_inside: bool,
        next: Option<Pass>,
        mut cookies: Vec<String>,
    ) -> Result<Response, JsValue> {
        let header = self.hand_out(next, &mut cookies);
        self.instead(is_inside, header, cookies)
    }

    fn instead(
        &self,
        is_inside: bool,
        header: Option<String>,
        cookies: Vec<String>,
    ) -> Result<Response, JsValue> {
        let answer = proxy::origin_away(self.visit.incoming.wants_page(), is_inside);
        let answer = answer.with_cookies(cookies);
        let answer = match header {
            Some(token) => answer.with(PASS_HEADER, token),
            None => answer,
        };
        answer.into_response(self.visit.incoming.method == Method::Head)
    }

    /// The next pass goes back the way the last one came: as a cookie, among the others, or as the header's value.
    fn hand_out(&self, next: Option<Pass>, cookies: &mut Vec<String>) -> Option<String> {
        let pass = next?;
        let token = self.room.tokens.seal_pass(&pass);
        if self.brought.is_some_and(|brought| brought.by == By::Header) {
            return Some(token);
        }
        cookies.extend(pass_cookies(
            self.visit,
            self.room,
            self.visitor,
            &pass,
            &token,
        ));
        None
    }
}

enum Obeyed {
    Released,
    Next(Pass),
    Nothing,
}

async fn renew(
    env: &Env,
    event: &'static Event,
    pass: &Pass,
    network: NetworkMark,
    now: u64,
) -> Renewal {
    let (home, ..) = sessions::at_home(pass.session);
    let renews = sessions::renews(pass.session, network);
    match rooms::command_or(env, event, home, renews, rooms::RENEWAL_LIMIT).await {
        Ok(reply) => Renewal::of_reply(pass, reply, now, event.pass_seconds()),
        Err(error) => {
            platform::log(&format!(
                "renewal at shard {} of {}: {error:?}",
                pass.session.home, event.id
            ));
            Renewal::Unreachable
        }
    }
}

fn remember(event: &'static Event, session: SessionId, network: NetworkMark, renewal: &Renewal) {
    let next = match renewal {
        Renewal::Runs(next) => Some(next),
        _ => None,
    };
    isolate::with(event, |kept| {
        kept.renewed.is_answered(session, network, next)
    });
}
