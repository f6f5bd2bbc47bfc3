//! The waiting room's own addresses, one file each below `routes/`, and the gate for everything else.
//!
//! [`ROUTES`] is the list of routes: a method, a path below the prefix, and what answers. `docs/openapi.yaml` describes
//! exactly these: a check reads the table's lines, each of the form `("METHOD", "/path/{parameter}", Route::Name),`, and
//! compares methods and paths with the document (there with the prefix `/_wr`).

pub mod access;
pub mod board;
pub mod calendar;
pub mod defer;
pub mod draw;
pub mod embed;
pub mod events;
pub mod handover;
pub mod health;
pub mod join;
pub mod jwks;
pub mod leave;
pub mod log;
pub mod logo;
pub mod metrics;
pub mod observability;
pub mod offer;
pub mod operate;
pub mod pass;
pub mod permits;
pub mod protected;
pub mod release;
pub mod room;
pub mod room_problem;
pub mod sheet;
pub mod socket;
pub mod solver;
pub mod staff;
pub mod staff_enter;
pub mod staff_pass;
pub mod state;
pub mod take_over;

use crate::incoming::Method;
use crate::problem::Problem;

/// What answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Whether this deployment can work.
    Health,
    /// Public keys.
    Jwks,
    /// Whether a pass holds.
    Access,
    /// Counts for a monitoring system.
    Metrics,
    /// The strip for other pages.
    Embed,
    /// The worker that does the work of permits.
    Solver,
    /// An event's logo.
    Logo,
    /// The board.
    Board,
    /// The opening as a calendar file.
    Calendar,
    /// What is published about the draws.
    Draw,
    /// The page on which a place is taken over.
    HandoverPage,
    /// The page for the organizer's people.
    StaffPage,
    /// An operator steers.
    Operate,
    /// An operator looks.
    Observability,
    /// A permit.
    Permits,
    /// A place.
    Join,
    /// Where the visitor stands.
    State,
    /// The visitor leaves.
    Leave,
    /// The visitor wants in.
    Pass,
    /// The visitor gives the session back.
    Release,
    /// The offer stands longer.
    Defer,
    /// A code for another browser.
    Offer,
    /// Another browser takes the place up.
    TakeOver,
    /// A link for the organizer's people.
    StaffPass,
    /// The organizer's people want in.
    StaffEnter,
    /// The event log.
    Log,
    /// The board as it changes.
    Events,
    /// The board as it changes, told by the place's home.
    Socket,
}

/// Every route.
#[rustfmt::skip]
pub const ROUTES: &[(&str, &str, Route)] = &[
    ("GET", "/health", Route::Health),
    ("GET", "/jwks.json", Route::Jwks),
    ("GET", "/access", Route::Access),
    ("GET", "/metrics", Route::Metrics),
    ("GET", "/embed.js", Route::Embed),
    ("GET", "/solver.js", Route::Solver),
    ("GET", "/events/{event}/logo", Route::Logo),
    ("GET", "/queues/{event}", Route::Board),
    ("GET", "/queues/{event}/calendar.ics", Route::Calendar),
    ("GET", "/queues/{event}/draw", Route::Draw),
    ("GET", "/queues/{event}/handover", Route::HandoverPage),
    ("POST", "/queues/{event}/handover", Route::TakeOver),
    ("GET", "/queues/{event}/staff", Route::StaffPage),
    ("POST", "/queues/{event}/staff", Route::StaffPass),
    ("POST", "/queues/{event}/staff/enter", Route::StaffEnter),
    ("PATCH", "/queues/{event}", Route::Operate),
    ("GET", "/queues/{event}/observability", Route::Observability),
    ("GET", "/queues/{event}/log", Route::Log),
    ("POST", "/queues/{event}/permits", Route::Permits),
    ("POST", "/queues/{event}/tickets", Route::Join),
    ("GET", "/queues/{event}/tickets/me", Route::State),
    ("DELETE", "/queues/{event}/tickets/me", Route::Leave),
    ("POST", "/queues/{event}/tickets/me/leave", Route::Leave),
    ("POST", "/queues/{event}/tickets/me/pass", Route::Pass),
    ("DELETE", "/queues/{event}/tickets/me/pass", Route::Release),
    ("POST", "/queues/{event}/tickets/me/defer", Route::Defer),
    ("POST", "/queues/{event}/tickets/me/handover", Route::Offer),
    ("GET", "/queues/{event}/tickets/me/events", Route::Events),
    ("GET", "/queues/{event}/tickets/me/ws", Route::Socket),
];

/// What a path below the prefix leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'p> {
    /// A route, and the event that the path names.
    Route(Route, Option<&'p str>),
    /// `OPTIONS` on an address that exists: the methods there.
    Options(String, Option<&'p str>),
}

/// Finds the route of a path below the prefix. HEAD is answered as GET.
pub fn find<'p>(method: &Method, path: &'p str) -> Result<Found<'p>, Problem> {
    let here: Vec<_> = ROUTES
        .iter()
        .filter_map(|(method, pattern, route)| Some((*method, *route, matches(pattern, path)?)))
        .collect();
    let Some((_, _, event)) = here.first() else {
        return Err(Problem::not_found());
    };
    let wanted = match method {
        Method::Get | Method::Head => "GET",
        Method::Post => "POST",
        Method::Patch => "PATCH",
        Method::Delete => "DELETE",
        Method::Options => return Ok(Found::Options(methods(&here), *event)),
        Method::Put | Method::Other(_) => "",
    };
    match here.iter().find(|(method, _, _)| *method == wanted) {
        Some((_, route, event)) => Ok(Found::Route(*route, *event)),
        None => Err(Problem::method(&methods(&here))),
    }
}

fn methods(here: &[(&str, Route, Option<&str>)]) -> String {
    let mut names: Vec<&str> = here.iter().map(|(method, _, _)| *method).collect();
    if names.contains(&"GET") {
        names.push("HEAD");
    }
    names.push("OPTIONS");
    names.join(", ")
}

/// Whether `path` fits `pattern`, and what stands for `{event}` in it.
fn matches<'p>(pattern: &str, path: &'p str) -> Option<Option<&'p str>> {
    let mut event = None;
    let mut pieces = path.split('/');
    for wanted in pattern.split('/') {
        let piece = pieces.next()?;
        match wanted {
            "{event}" if !piece.is_empty() => event = Some(piece),
            literal if literal == piece => {}
            _ => return None,
        }
    }
    pieces.next().is_none().then_some(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_their_routes_and_nowhere_else() {
        let rows = [
            (Method::Get, "/health", Some(Route::Health)),
            (Method::Head, "/queues/demo", Some(Route::Board)),
            (Method::Patch, "/queues/demo", Some(Route::Operate)),
            (
                Method::Post,
                "/queues/demo/tickets/me/pass",
                Some(Route::Pass),
            ),
            (
                Method::Delete,
                "/queues/demo/tickets/me/pass",
                Some(Route::Release),
            ),
            (Method::Get, "/queues/", None),
            (Method::Get, "/queues/demo/", None),
            (Method::Get, "/queues/demo/tickets/you", None),
            (Method::Get, "/", None),
            (Method::Get, "", None),
        ];
        for (method, path, route) in rows {
            let found = match find(&method, path) {
                Ok(Found::Route(route, _)) => Some(route),
                _ => None,
            };
            assert_eq!(found, route, "{method:?} {path}");
        }
        assert_eq!(
            find(&Method::Get, "/queues/demo"),
            Ok(Found::Route(Route::Board, Some("demo")))
        );
    }

    #[test]
    fn another_method_is_told_which_ones_there_are() {
        for method in [
            Method::Put,
            Method::Delete,
            Method::Other("TRACE".to_owned()),
        ] {
            assert_eq!(
                find(&method, "/queues/demo").unwrap_err().status(),
                405,
                "{method:?}"
            );
        }
        let options = find(&Method::Options, "/queues/demo").unwrap();
        assert_eq!(
            options,
            Found::Options("GET, PATCH, HEAD, OPTIONS".to_owned(), Some("demo"))
        );
        assert_eq!(find(&Method::Get, "/nothing").unwrap_err().status(), 404);
    }
}
