//! The shop: what it serves, and to whom. Everything under an event's paths needs a valid pass for that event.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};

use crate::admission::Admission;
use crate::checkout;
use crate::event_paths::{AskedAt, EventPaths};
use crate::holder::holder_of;
use crate::seats::Seats;
use crate::till::{BankAway, Till};
use crate::{hall, probes, shop_pages};

/// In which header the pass comes.
pub const PASS_HEADER: HeaderName = HeaderName::from_static("waiting-room-pass");
/// In which header the shop tells the waiting room what to do with the session.
pub const COMMAND_HEADER: HeaderName = HeaderName::from_static("waiting-room-command");
/// What time it is, in Unix seconds.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// The shop and what it works with.
pub struct Shop {
    /// Whom it admits.
    pub admission: Admission,
    /// Seats and orders.
    pub seats: Seats,
    /// The way to the bank.
    pub till: Till,
    /// What time it is.
    pub clock: Clock,
    /// The waiting room's address, if it was told.
    pub public_url: Option<String>,
    /// Titles of events, by id.
    pub titles: BTreeMap<String, String>,
    /// Where events are.
    pub paths: EventPaths,
}

/// An admitted visitor, from nothing but the pass.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The event of the pass.
    pub event: String,
    /// Its title.
    pub title: String,
    /// Who has the seats.
    pub holder: String,
    /// Where the event's pages begin, without a slash at the end.
    pub path: String,
    /// How long the session still lasts.
    pub session_seconds_left: u64,
}

impl Visitor {
    /// The event's first page.
    pub fn first_page(&self) -> &str {
        if self.path.is_empty() {
            "/"
        } else {
            &self.path
        }
    }
}

/// What went wrong that no visitor can help.
#[derive(Debug)]
pub enum Trouble {
    /// The store.
    Store(rusqlite::Error),
    /// The bank.
    Bank,
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Trouble::Store(error)
    }
}

impl From<BankAway> for Trouble {
    fn from(_: BankAway) -> Self {
        Trouble::Bank
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        match self {
            Trouble::Store(error) => {
                eprintln!("demo shop: store: {error}");
                shop_pages::trouble(StatusCode::INTERNAL_SERVER_ERROR)
            }
            Trouble::Bank => shop_pages::trouble(StatusCode::BAD_GATEWAY),
        }
    }
}

impl Shop {
    /// What the shop serves.
    pub fn router(self: &Arc<Self>, test_endpoints: bool) -> Router {
        let mut admitted = Router::new()
            .route("/events/{event}", get(hall::show))
            .route("/events/{event}/", get(hall::show))
            .route("/events/{event}/reservations", post(hall::reserve))
            .route(
                "/events/{event}/reservations/give-back",
                post(hall::give_back),
            )
            .route("/events/{event}/cart", get(hall::cart))
            .route("/events/{event}/checkout", post(checkout::begin))
            .route(
                "/events/{event}/paid",
                post(checkout::back_from_bank).get(checkout::look_again),
            )
            .route("/events/{event}/ok", get(async || "ok\n"))
            .route(
                "/events/{event}/{*rest}",
                any(async || shop_pages::not_found()),
            );
        if test_endpoints {
            admitted = admitted.merge(probes::router());
        }
        let routes = admitted
            .route_layer(from_fn_with_state(Arc::clone(self), admit))
            .route("/", get(front))
            .route("/health", get(async || "ok\n"))
            .route("/tickets/{key}", get(checkout::tickets))
            .fallback(async || shop_pages::not_found())
            .with_state(Arc::clone(self));
        let shop = Arc::clone(self);
        let at_own_paths = from_fn(move |request: Request, next: Next| {
            next.run(with_routed_path(&shop.paths, request))
        });
        Router::new().fallback_service(routes).layer(at_own_paths)
    }

    /// Works with the store where blocking is allowed.
    pub async fn with_seats<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Seats) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Trouble> {
        let shop = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&shop.seats)).await;
        Ok(done.expect("work with the store does not panic")?)
    }

    /// The title of an event; its id where none was given.
    pub fn title(&self, event: &str) -> String {
        self.titles
            .get(event)
            .cloned()
            .unwrap_or_else(|| event.to_owned())
    }
}

/// The request in the form of the routes.
fn with_routed_path(paths: &EventPaths, mut request: Request) -> Request {
    let asked = request.uri().clone();
    if let Some(routed) = paths.routed(&asked) {
        *request.uri_mut() = routed;
    }
    request.extensions_mut().insert(AskedAt(asked));
    request
}

/// The door. What passes it carries a [`Visitor`].
async fn admit(
    State(shop): State<Arc<Shop>>,
    path: RawPathParams,
    mut request: Request,
    next: Next,
) -> Response {
    let event = path
        .iter()
        .find(|(name, _)| *name == "event")
        .map(|(_, value)| value.to_owned())
        .unwrap_or_default();
    let now = (shop.clock)();
    let claims =
        pass_of(request.headers()).and_then(|pass| shop.admission.check(&event, pass, now).ok());
    let Some(claims) = claims else {
        let asked = request.extensions().get::<AskedAt>();
        let path = asked.map_or("/", |AskedAt(uri)| uri.path());
        return shop_pages::refused(shop.public_url.as_deref(), path, &event);
    };
    let (holder, cookie) = holder_of(&claims, request.headers());
    request.extensions_mut().insert(Visitor {
        title: shop.title(&event),
        holder,
        path: shop.paths.first(&event),
        session_seconds_left: claims.session_seconds_left(now),
        event,
    });
    let mut response = next.run(request).await;
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// The one pass that came; two of them are none.
fn pass_of(headers: &HeaderMap) -> Option<&str> {
    let mut passes = headers.get_all(PASS_HEADER).iter();
    match (passes.next(), passes.next()) {
        (Some(pass), None) => pass.to_str().ok(),
        _ => None,
    }
}

/// The response with a command for the waiting room.
pub fn commanding(mut response: Response, command: &str) -> Response {
    let command = HeaderValue::from_str(command).expect("commands are plain text");
    response.headers_mut().insert(COMMAND_HEADER, command);
    response
}

async fn front(State(shop): State<Arc<Shop>>) -> Response {
    let events: Vec<shop_pages::Sold> = shop
        .titles
        .iter()
        .map(|(id, title)| shop_pages::Sold {
            id,
            title,
            path: shop.paths.first(id),
        })
        .collect();
    shop_pages::front(shop.public_url.as_deref(), &events)
}
