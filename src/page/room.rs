//! What the script in the page starts from: the same answer that the API gives to
//! `GET …/tickets/me`, and what does not change while the page lives. So the script never asks for
//! what the page already knows.

use serde_json::{Value, json};

use anteroom_queue::shard::command::VisitorState;

use super::choice;
use super::refused;
use super::view::{Line, PageView, Widget};

/// The data as JSON that may stand inside a `script` element: `<` is never written as itself, so
/// nothing in it can end the element or open a comment.
pub fn json(view: &PageView) -> String {
    let data = json!({
        "event": view.event,
        "run": view.run,
        "title": view.title,
        "prefix": view.prefix,
        "lang": view.language.intl_tag(),
        "zone": view.time_zone.as_deref().unwrap_or("UTC"),
        "return": view.return_to,
        "permit": view.permit,
        "solver": view.solver,
        "widget": view.widget.as_ref().map(widget),
        "lines": view.lines.iter().map(line).collect::<Vec<_>>(),
        "line": choice::default_line(view).map(|line| &line.id),
        "framed": view.framed,
        "refused": view.refused.as_ref().map(|refused| refused::name(refused.why)),
        "draw_ms": view.draw.map(|draw| draw.at_most),
        "handover": view.handover,
        "organizer": view.face.organizer.is_some(),
        "intro": view.face.intro.is_some(),
        "hold_minutes": view.hold.map_or(0, |hold| hold.0 / 60_000),
        "session_minutes": view.session.0 / 60_000,
        "prequeue_at_ms": view.prequeue_at,
        "me": me(view),
    });
    let data = inside_script(&data.to_string());
    let (_, rest) = data.split_at("{".len());
    let words = view.language.words().for_script();
    ["{\"words\":", words, ",", rest].concat()
}

/// JSON as it may stand inside a `script` element.
pub fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// What the widget's script is called with.
fn widget(widget: &Widget) -> Value {
    json!({ "site_key": widget.site_key, "script": widget.script })
}

/// What does not change of a line.
fn line(line: &Line) -> Value {
    json!({ "id": line.id, "title": line.title, "coded": line.coded })
}

/// The visitor's state in the shape of the API's answer.
fn me(view: &PageView) -> Value {
    let place = view.place.as_ref();
    let eta = place.and_then(|place| place.eta).map(|eta| {
        json!({ "likely_seconds": eta.likely_seconds, "at_most_seconds": eta.at_most_seconds })
    });
    let pause = view
        .pause
        .as_ref()
        .map(|pause| json!({ "reason": pause.reason, "next_update_at_ms": pause.next_update_at }));
    let moved = view
        .moved
        .as_ref()
        .map(|moved| json!({ "from_ms": moved.from, "reason": moved.reason }));
    let draw = view
        .draw
        .map(|draw| json!({ "beacon": draw.beacon.name(), "drawn": draw.drawn }));
    let lines = view
        .lines
        .iter()
        .map(|line| json!({ "id": line.id, "phase": line.phase, "opens_at_ms": line.opens_at }));
    json!({
        "state": match (state_name(place.map(|place| place.state)), &view.check) {
            ("admitted", Some(_)) => "recheck",
            (state, _) => state,
        },
        "phase": view.phase,
        "stop": view.stop,
        "mode": view.mode,
        "entry": place.and_then(|place| place.entry),
        "rank": place.and_then(|place| place.rank),
        "ahead": view.ahead(),
        "called": view.called,
        "eta": eta,
        "offer_until_ms": place.and_then(|place| place.offer_until),
        "session_ends_at_ms": place.and_then(|place| place.session_ends_at),
        "ran_out": place.is_some_and(|place| place.ran_out),
        "may_defer": place.is_some_and(|place| place.may_defer),
        "missed_draw": place.is_some_and(|place| place.missed_draw),
        "line": view.line,
        "lines": (view.lines.len() > 1).then(|| lines.collect::<Vec<_>>()),
        "opens_at_ms": view.opens_at,
        "moved": moved,
        "draw": draw,
        "entrants": view.draw.map(|draw| draw.entrants),
        "stock_left": view.stock_left,
        "pause": pause,
        "message": view.message,
        "slowdowns": view.slowdowns,
        "board_version": view.board_version,
        "board_age_ms": view.board_age,
        "poll_ms": view.poll,
        "now_ms": view.now,
        "cookie": !view.cookie_missing,
        "unavailable": view.unavailable,
    })
}

/// The state as the API and the `Waiting-Room-State` header name it.
pub const fn state_name(state: Option<VisitorState>) -> &'static str {
    match state {
        None => "none",
        Some(VisitorState::Provisional) => "provisional",
        Some(VisitorState::Waiting) => "waiting",
        Some(VisitorState::Called) => "called",
        Some(VisitorState::Pending) => "pending",
        Some(VisitorState::Admitted) => "admitted",
        Some(VisitorState::Ended) => "ended",
        Some(VisitorState::Lapsed) => "lapsed",
        Some(VisitorState::Left) => "left",
        Some(VisitorState::Elsewhere) => "elsewhere",
    }
}
