//! Where every request comes in: reads the clock and the deployment, tells the waiting room's own addresses from the
//! rest, and turns answers into responses.

use anteroom_config::Decision;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Response;
use worker::{Context, Env, worker_sys};

use crate::answer::Answer;
use crate::cookies::MAX_COOKIE_HEADER_BYTES;
use crate::deployment::{self, Room};
use crate::incoming::{Incoming, Method};
use crate::problem::Problem;
use crate::routes::{self, Found, Route};
use crate::standing::Stand;
use crate::visit::Visit;
use crate::{answering, fields, isolate, platform, same_site};

/// A longer address is refused with 414: what the platform allows as a URL.
const MAX_ADDRESS_BYTES: usize = 16 * 1024;

/// Methods that the platform sends to no origin: <https://fetch.spec.whatwg.org/#forbidden-method>.
const NEVER_SENT_ON: [&str; 3] = ["CONNECT", "TRACE", "TRACK"];
/// What is told when the platform itself has failed.
const BROKEN: &str = "INTERNAL SERVER ERROR";
const STATE_HEADER: &str = "waiting-room-state";
/// While nothing can work, visitors try again after this long: somebody has to deploy.
const MISCONFIGURED_RETRY_MS: u64 = 30_000;

/// What the platform calls.
#[wasm_bindgen]
pub fn fetch(request: web_sys::Request, env: Env, context: worker_sys::Context) -> JsValue {
    // The platform's own `clone` would divide the body.
    let asked = Clone::clone(&request);
    answering::at_once_or_later(&asked, answered(request, env, Context::new(context)))
}

async fn answered(request: web_sys::Request, env: Env, context: Context) -> Response {
    match handle(request, env, context).await {
        Ok(response) => response,
        Err(error) => {
            platform::log(&format!("a request failed: {error:?}"));
            let broken = Answer::text(500, "text/plain; charset=utf-8", BROKEN.to_owned());
            broken
                .into_response(false)
                .expect("an answer without a visitor's words can be made")
        }
    }
}

async fn handle(
    request: web_sys::Request,
    env: Env,
    context: Context,
) -> Result<Response, JsValue> {
    let Some(incoming) = Incoming::of(&request) else {
        return Answer::from(Problem::new(400, "address", "the address cannot be read"))
            .into_response(false);
    };
    let head_only = incoming.method == Method::Head;
    if let Err(problem) = check(&incoming) {
        return Answer::from(problem).into_response(head_only);
    }
    let deployment = match deployment::of_isolate(&env) {
        Ok(deployment) => deployment,
        Err(reasons) => return misconfigured(&incoming, &reasons).into_response(head_only),
    };
    let visit = Visit {
        request,
        incoming,
        env,
        context,
        deployment,
        now: platform::now(),
    };
    if let Some(rest) = deployment.rooms().own_path(&visit.incoming.path) {
        let answer = own_address(&visit, rest).await;
        fields::drain(&visit.request, &visit.incoming).await;
        return answer.into_response(head_only);
    }
    match deployment
        .rooms()
        .decide(&visit.incoming.authority, &visit.incoming.path)
    {
        Decision::Event(event) => {
            let room = deployment
                .room(&event.id)
                .expect("an event that was decided is configured");
            routes::protected::answer(&visit, room).await
        }
        Decision::Bypass(event) => {
            let room = deployment
                .room(&event.id)
                .expect("an event that was decided is configured");
            isolate::count(room.event, |counts| counts.bypassed += 1);
            routes::protected::answer_open(&visit, event, Some(room)).await
        }
        Decision::None => no_events(&visit).await,
        Decision::Conflict => {
            let problem = Problem::new(
                400,
                "path",
                "path: allowed is one that every server reads alike",
            );
            Answer::from(problem).into_response(head_only)
        }
    }
}

/// What no part of the room can work with, whatever it asks for.
fn check(incoming: &Incoming) -> Result<(), Problem> {
    if matches!(&incoming.method, Method::Other(name) if NEVER_SENT_ON.contains(&name.as_str())) {
        return Err(Problem::method(
            "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
        ));
    }
    if incoming.path.len() + incoming.query.len() > MAX_ADDRESS_BYTES {
        return Err(Problem::new(
            414,
            "address-too-long",
            format!("address: allowed are up to {MAX_ADDRESS_BYTES} bytes"),
        ));
    }
    if incoming.cookie().len() > MAX_COOKIE_HEADER_BYTES {
        let title = format!("cookie: allowed are up to {MAX_COOKIE_HEADER_BYTES} bytes");
        return Err(Problem::new(431, "cookie-too-long", title));
    }
    Ok(())
}

/// Nothing works without a configuration. What is wrong is told at `/_wr/health` (under the prefix that holds when none
/// is configured) and in the log, not to visitors.
fn misconfigured(incoming: &Incoming, reasons: &[String]) -> Answer {
    if incoming.path == "/_wr/health" {
        return routes::health::unwell(reasons);
    }
    Problem::new(
        503,
        "configuration",
        "the waiting room is not configured correctly; its operator finds out more at /_wr/health",
    )
    .retry(MISCONFIGURED_RETRY_MS)
    .with("waiting-room-state", "none")
    .into()
}

/// A path that no event protects goes to the origin of its host; a host of no event has none.
async fn no_events(visit: &Visit) -> Result<Response, JsValue> {
    let asked = &visit.incoming.authority;
    match visit.deployment.all().find(|room| room.is_at(asked)) {
        Some(room) => routes::protected::answer_open(visit, room.event, None).await,
        None => {
            let problem = Problem::new(421, "host", "no event is configured for this host");
            Answer::from(problem).into_response(visit.incoming.method == Method::Head)
        }
    }
}

async fn own_address(visit: &Visit, rest: &str) -> Answer {
    let found = match routes::find(&visit.incoming.method, rest) {
        Ok(found) => found,
        Err(problem) => return problem.into(),
    };
    let (Found::Options(_, event) | Found::Route(_, event)) = found;
    let room = event.and_then(|event| visit.deployment.room(event));
    let answer = match found {
        Found::Options(methods, _) => options(&methods),
        Found::Route(route, event) => match visit.check_upgrade(room) {
            Ok(()) => carry_out(visit, route, event)
                .await
                .unwrap_or_else(Answer::from),
            Err(problem) => problem.into(),
        },
    };
    let answer = saying_where_the_visitor_stands(visit, room, answer);
    let cors = room
        .map(|room| same_site::cors_headers(&visit.incoming, &room.event.cors_origins))
        .unwrap_or_default();
    cors.into_iter()
        .fold(answer, |answer, (name, value)| answer.with(name, value))
}

/// A 503 of the room's own is told from the origin's by the visitor's state, and whoever is refused something keeps what they
/// have: where no route has said it, what the visitor brought and the board say it.
fn saying_where_the_visitor_stands(visit: &Visit, room: Option<Room>, answer: Answer) -> Answer {
    let is_refused = match answer.status {
        422 | 503 => true,
        404 | 409 | 410 | 429 => room.is_some(),
        _ => false,
    };
    if !is_refused || answer.header(STATE_HEADER).is_some() {
        return answer;
    }
    let stand = room.map_or(Stand::None, |room| {
        let in_use = isolate::with(room.event, |kept| kept.board.in_use(platform::now()));
        visit
            .visitor(room)
            .stand(in_use.as_ref().map(|in_use| &*in_use.board))
    });
    answer.with(STATE_HEADER, stand.name())
}

fn options(methods: &str) -> Answer {
    Answer::empty(204)
        .with("allow", methods)
        .with("access-control-allow-methods", methods)
        .with(
            "access-control-allow-headers",
            "Authorization, Content-Type",
        )
}

async fn carry_out(visit: &Visit, route: Route, event: Option<&str>) -> Result<Answer, Problem> {
    let named = event.unwrap_or_default();
    // Whoever asks for an event is at one of its hosts: links, cookies and ways back are made for the host that was asked.
    // An operator's program may ask at any host of the deployment.
    let room = || match visit.deployment.room(named) {
        None => Err(Problem::no_such_event()),
        Some(room) if room.is_at(&visit.incoming.authority) => Ok(room),
        Some(_) => Err(Problem::other_host()),
    };
    match route {
        Route::Health => Ok(routes::health::well(visit.deployment.warnings())),
        Route::Jwks => Ok(routes::jwks::answer(visit)),
        Route::Access => routes::access::answer(visit).await,
        Route::Metrics => routes::metrics::answer(visit).await,
        Route::Operate => routes::operate::answer(visit, named).await,
        Route::Observability => routes::observability::answer(visit, named).await,
        Route::Embed => Ok(routes::embed::answer(visit)),
        Route::Solver => Ok(routes::solver::answer()),
        Route::Logo => routes::logo::answer(room()?),
        Route::Calendar => routes::calendar::answer(visit, room()?).await,
        Route::Draw => routes::draw::answer(visit, room()?).await,
        Route::HandoverPage => routes::handover::page(visit, room()?),
        Route::StaffPage => Ok(routes::staff::page(visit, room()?)),
        Route::Board => routes::board::answer(visit, room()?).await,
        Route::Permits => routes::permits::answer(visit, room()?).await,
        Route::Join => routes::join::answer(visit, room()?).await,
        Route::State => routes::state::answer(visit, room()?).await,
        Route::Leave => routes::leave::answer(visit, room()?).await,
        Route::Pass => routes::pass::answer(visit, room()?).await,
        Route::Release => routes::release::answer(visit, room()?).await,
        Route::Defer => routes::defer::answer(visit, room()?).await,
        Route::Offer => routes::offer::answer(visit, room()?).await,
        Route::TakeOver => routes::take_over::answer(visit, room()?).await,
        Route::StaffPass => routes::staff_pass::answer(visit, named).await,
        Route::StaffEnter => routes::staff_enter::answer(visit, room()?).await,
        Route::Log => routes::log::answer(visit, named).await,
        Route::Events => routes::events::answer(visit, room()?).await,
        Route::Socket => routes::socket::answer(visit, room()?).await,
    }
}
