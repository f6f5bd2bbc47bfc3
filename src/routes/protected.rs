//! Every path that is not the waiting room's own: carries out what the [`gate`](crate::gate) decides.
//!
//! A fresh pass costs no object: the request goes on at once.

use anteroom_config::Event;
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{ClaimId, LineIndex, Nonce, ShardIndex};
use anteroom_token::{Permit, SessionId};
use wasm_bindgen::JsValue;
use web_sys::Response;

use crate::answer::Answer;
use crate::boards::InUse;
use crate::cookies::{FRAMES, KEPT_SECONDS, Kind};
use crate::crawlers::Known;
use crate::deployment::Room;
use crate::gate::{self, Asked, Decision, Why, With};
use crate::incoming::{Incoming, Method};
use crate::onward::{Onward, hear_stock};
use crate::permits::position_of;
use crate::proxy::{self, Part};
use crate::routes::{pass as pass_route, permits, room as room_route};
use crate::same_site::{self, Sender};
use crate::taking_joins::has_lines_of;
use crate::visit::Visit;
use crate::visitor::{PassBrought, Visitor, claim_text, is_of_place};
use crate::{binding, crawlers, fields, isolate, origin_health, place, platform, renewal, rooms};

/// A protected path.
pub async fn answer(visit: &Visit, room: Room) -> Result<Response, JsValue> {
    isolate::count(room.event, |counts| counts.requests += 1);
    let visitor = visit.visitor(room);
    let in_use = visit.board(room).await;
    let brought = visitor.pass();
    let crawler = crawler(visit, room, &visitor, brought.as_ref());
    let asked = Asked {
        crawler: crawler.is_some(),
        ..asked(visit, room, &visitor, brought.as_ref(), in_use.as_ref()).await
    };
    let onward = Onward {
        visit,
        room,
        visitor: &visitor,
        brought: brought.as_ref(),
    };
    let gate = Gate {
        onward,
        in_use: in_use.as_ref(),
    };
    let decision = gate::decide(&asked);
    if decision.is_the_visitors()
        && let Err(problem) = visit.check_upgrade(Some(room))
    {
        isolate::count(room.event, |counts| counts.refused += 1);
        return Answer::from(problem).into_response(false);
    }
    match decision {
        Decision::Forward(with) => gate.onward.send(with, Vec::new()).await,
        Decision::Crawl => gate.crawl(crawler.as_ref()).await,
        Decision::RenewFirst => gate.renew_first(&asked).await,
        Decision::Try => gate.try_in().await,
        Decision::Room(why) => gate.room(why).await,
    }
}

/// A path that needs no pass: inside the bypass of `bypass`, or of no event. Only an event's own paths say what is left.
pub async fn answer_open(
    visit: &Visit,
    event: &Event,
    bypass: Option<Room>,
) -> Result<Response, JsValue> {
    let base = visit.deployment.origin_base(event);
    let answered = proxy::send(visit, base.as_deref(), Part::Whole(None)).await;
    if let (Ok(from_origin), Some(room)) = (&answered, bypass) {
        hear_stock(visit, room.event, from_origin);
    }
    let response = answered.and_then(|from_origin| from_origin.into_response(&[], None));
    response.or_else(|_| {
        proxy::origin_away(visit.incoming.wants_page(), false)
            .into_response(visit.incoming.method == Method::Head)
    })
}

async fn asked<'a>(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    brought: Option<&'a PassBrought>,
    in_use: Option<&'a InUse>,
) -> Asked<'a> {
    let now = visit.now_seconds();
    let pass = brought.map(|brought| &brought.pass);
    let fresh = pass.is_some_and(|pass| now < pass.expires_at);
    // Opening a ticket costs a signature, and who is inside needs none.
    let ticket = (!fresh).then(|| visitor.ticket()).flatten();
    let other = ticket.filter(|ticket| pass.is_none_or(|pass| !is_of_place(pass, ticket)));
    let has_place = match other {
        Some(ticket) => {
            let found = place::find(visit, room, visitor, &ticket, in_use).await;
            found.standing.stand.is_live()
        }
        None => false,
    };
    Asked {
        now,
        safe: visit.incoming.method.is_safe(),
        takes_nothing: !fresh && takes_nothing(&visit.incoming, room.event),
        preflight: visit.incoming.is_preflight(),
        pass,
        is_elsewhere: pass.is_some_and(|pass| binding::is_elsewhere(visit, room, visitor, pass)),
        has_place,
        first_line: in_use.and_then(|in_use| {
            room.event
                .line_for_everyone()
                .filter(|_| has_lines_of(room.event, &in_use.board))
        }),
        pass_seconds: room.event.pass_seconds(),
        board: in_use.map(|in_use| (&*in_use.board, in_use.age)),
        crawler: false,
        configured_mode: room.event.settings.mode,
    }
}

/// Why the request is one of a crawler. Who brings anything of ours is a visitor, and a WebSocket is no look at the shop.
fn crawler(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    brought: Option<&PassBrought>,
) -> Option<Known> {
    let allowed = room.event.crawlers.as_ref()?;
    let incoming = &visit.incoming;
    let is_visitor = brought.is_some() || visitor.brings_cookie() || visitor.ticket().is_some();
    if is_visitor || incoming.is_upgrade() {
        return None;
    }
    let connection = platform::connection(&visit.request);
    let agent = incoming.header("user-agent");
    crawlers::known(allowed, &incoming.method, &connection, agent.as_deref())
}

/// HEAD, prefetches, and what a foreign page loads without a person's doing: also what it puts into a frame.
fn takes_nothing(incoming: &Incoming, event: &Event) -> bool {
    let foreign = || {
        let is = |name: &'static str, values: &[&str]| {
            let value = incoming.header(name);
            value.is_some_and(|value| values.contains(&value.as_str()))
        };
        let by_a_person = is("sec-fetch-mode", &["navigate"]) && !is("sec-fetch-dest", &FRAMES);
        same_site::sender(incoming, &event.cors_origins) == Sender::Foreign && !by_a_person
    };
    incoming.method == Method::Head || incoming.is_prefetch() || foreign()
}

struct Gate<'a> {
    onward: Onward<'a>,
    in_use: Option<&'a InUse>,
}

impl Gate<'_> {
    async fn room(&self, why: Why) -> Result<Response, JsValue> {
        isolate::count(self.onward.room.event, |counts| counts.refused += 1);
        let answer = room_route::answer(
            self.onward.visit,
            self.onward.room,
            self.onward.visitor,
            self.in_use,
            why,
        )
        .await;
        fields::drain(&self.onward.visit.request, &self.onward.visit.incoming).await;
        answer.into_response(self.onward.visit.incoming.method == Method::Head)
    }

    async fn renew_first(&self, asked: &Asked<'_>) -> Result<Response, JsValue> {
        let brought = self
            .onward
            .brought
            .expect("only a pass that came is renewed");
        let renewal = self.onward.renewal(&brought.pass).await;
        let event = self.onward.room.event;
        let (idle_seconds, pass_seconds) = (event.idle_seconds(), event.pass_seconds());
        match gate::after_renewal(asked, &brought.pass, &renewal, idle_seconds, pass_seconds) {
            Decision::Forward(with) => self.onward.send(with, Vec::new()).await,
            Decision::Room(why) => self.room(why).await,
            Decision::RenewFirst | Decision::Try | Decision::Crawl => {
                unreachable!("a renewal is followed by a request or the room")
            }
        }
    }

    /// A look at the shop, if the budget allows it.
    async fn crawl(&self, known: Option<&Known>) -> Result<Response, JsValue> {
        let known = known.expect("only a crawler crawls");
        let Onward { visit, room, .. } = self.onward;
        match crawlers::goes_on(&visit.env, room.event, known, visit.now).await {
            true => self.onward.send(With::CrawlerPass, Vec::new()).await,
            false => self.room(self.full()).await,
        }
    }

    /// One step: the home admits this first visit, or leaves nothing behind.
    async fn try_in(&self) -> Result<Response, JsValue> {
        let Onward {
            visit,
            room,
            visitor,
            ..
        } = self.onward;
        if !origin_health::lets_in(visit, room).await {
            return self.room(self.full()).await;
        }
        let now = visit.now_seconds();
        let line = room
            .event
            .line_for_everyone()
            .expect("only then a visit is tried");
        let permit = self.unspent_permit();
        let known = visitor.claim_id();
        let claim = known.unwrap_or_else(|| ClaimId(platform::random_128()));
        let ask = ShardCommand::Try {
            nonce: Nonce(permit.nonce),
            line: LineIndex(line),
            claim,
        };
        let home = ShardIndex(permit.home);
        let reply = rooms::command(&visit.env, room.event, home, ask, rooms::ANSWER_LIMIT).await;
        let in_use = visit.board(room).await;
        let still_open = in_use
            .as_ref()
            .is_some_and(|in_use| gate::may_admit(&in_use.board, in_use.age, line));
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
                let ends = renewal::seconds(session_ends);
                let pass = pass_route::first_pass(room, session, ends, now, confirmed);
                let jar = visitor.jar();
                let browser = jar.set(Kind::Browser, &claim_text(&claim.0), KEPT_SECONDS);
                // The ticket that came is of a place that is over.
                let old = visitor.ticket().map(|_| visitor.clears(Kind::Ticket));
                let cookies = old.into_iter().flatten().chain([browser]).collect();
                self.onward.send(With::New(pass), cookies).await
            }
            _ => self.room(self.full()).await,
        }
    }

    /// The permit that the browser has, unless it made places already: one of them its ticket is of.
    fn unspent_permit(&self) -> Permit {
        let Onward {
            visit,
            room,
            visitor,
            ..
        } = self.onward;
        let permit = permits::kept_or_fresh(visit, room, visitor, self.in_use).0;
        let ticket = visitor.ticket();
        match ticket.is_some_and(|ticket| position_of(&ticket, &permit).is_some()) {
            true => permits::free(visit, room, self.in_use).0,
            false => permit,
        }
    }

    /// What a first visit is told for whom there is no room.
    fn full(&self) -> Why {
        let configured = self.onward.room.event.settings.mode;
        match self.in_use.map_or(configured, |in_use| in_use.board.mode) {
            Mode::Rate => Why::Rate,
            _ => Why::Queue,
        }
    }
}
