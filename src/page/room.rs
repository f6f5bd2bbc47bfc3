//! What the script in the page starts from: the same answer that the API gives to
//! `GET …/tickets/me`, and what does not change while the page lives. So the script never asks for
//! what the page already knows.

use anteroom_queue::board::Phase;
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::VisitorState;
use anteroom_queue::units::{EntryNumber, Millis, Rank, UnixMillis};
use serde::Serialize;

use super::choice;
use super::refused;
use super::view::{PageView, Standing};
use crate::documents::{DrawStateDocument, MovedDocument, PauseDocument};

/// What does not change while the page lives, and where the visitor stands.
#[derive(Serialize)]
struct RoomData<'a> {
    event: &'a str,
    run: u32,
    title: &'a str,
    prefix: &'a str,
    lang: &'a str,
    zone: &'a str,
    r#return: &'a str,
    permit: Option<&'a str>,
    solver: &'a str,
    widget: Option<WidgetData<'a>>,
    lines: Vec<LineData<'a>>,
    line: Option<&'a str>,
    framed: bool,
    refused: Option<&'static str>,
    draw_ms: Option<Millis>,
    handover: bool,
    organizer: bool,
    intro: bool,
    hold_minutes: u64,
    session_minutes: u64,
    prequeue_at_ms: Option<UnixMillis>,
    me: Me<'a>,
}

/// What the widget's script is called with.
#[derive(Serialize)]
struct WidgetData<'a> {
    site_key: &'a str,
    script: &'a str,
}

/// What does not change of a line.
#[derive(Serialize)]
struct LineData<'a> {
    id: &'a str,
    title: &'a str,
    coded: bool,
}

/// The visitor's state in the shape of the API's answer.
#[derive(Serialize)]
struct Me<'a> {
    state: &'static str,
    phase: Phase,
    stop: bool,
    mode: Mode,
    entry: Option<EntryNumber>,
    rank: Option<Rank>,
    ahead: Option<u64>,
    called: Rank,
    eta: Option<EtaData>,
    offer_until_ms: Option<UnixMillis>,
    session_ends_at_ms: Option<UnixMillis>,
    ran_out: bool,
    may_defer: bool,
    missed_draw: bool,
    line: Option<&'a str>,
    lines: Option<Vec<LineStateData<'a>>>,
    opens_at_ms: Option<UnixMillis>,
    moved: Option<MovedDocument<'a>>,
    draw: Option<DrawStateDocument>,
    entrants: Option<u64>,
    stock_left: Option<u64>,
    pause: Option<PauseDocument<'a>>,
    message: Option<&'a str>,
    slowdowns: u32,
    board_version: u64,
    board_age_ms: Millis,
    poll_ms: Millis,
    now_ms: UnixMillis,
    cookie: bool,
    unavailable: bool,
}

#[derive(Serialize)]
struct EtaData {
    likely_seconds: u64,
    at_most_seconds: u64,
}

/// What changes of a line.
#[derive(Serialize)]
struct LineStateData<'a> {
    id: &'a str,
    phase: Phase,
    opens_at_ms: Option<UnixMillis>,
}

/// The data as JSON that may stand inside a `script` element: `<` is never written as itself, so
/// nothing in it can end the element or open a comment.
pub fn json(view: &PageView) -> String {
    let data = serde_json::to_string(&RoomData::of(view)).expect("plain data becomes JSON");
    let data = inside_script(&data);
    let (_, rest) = data.split_at("{".len());
    let words = view.language.words().for_script();
    ["{\"words\":", words, ",", rest].concat()
}

/// JSON as it may stand inside a `script` element.
pub fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

impl<'a> RoomData<'a> {
    fn of(view: &'a PageView) -> Self {
        let lines = view.lines.iter().map(|line| LineData {
            id: &line.id,
            title: &line.title,
            coded: line.coded,
        });
        RoomData {
            event: &view.event,
            run: view.run,
            title: &view.title,
            prefix: &view.prefix,
            lang: view.language.intl_tag(),
            zone: view.time_zone.as_deref().unwrap_or("UTC"),
            r#return: &view.return_to,
            permit: view.permit.as_deref(),
            solver: &view.solver,
            widget: view.widget.as_ref().map(|widget| WidgetData {
                site_key: &widget.site_key,
                script: &widget.script,
            }),
            lines: lines.collect(),
            line: choice::default_line(view).map(|line| &*line.id),
            framed: view.framed,
            refused: view
                .refused
                .as_ref()
                .map(|refused| refused::name(refused.why)),
            draw_ms: view.draw.map(|draw| draw.at_most),
            handover: view.handover,
            organizer: view.face.organizer.is_some(),
            intro: view.face.intro.is_some(),
            hold_minutes: view.hold.map_or(0, |hold| hold.0 / 60_000),
            session_minutes: view.session.0 / 60_000,
            prequeue_at_ms: view.prequeue_at,
            me: Me::of(view),
        }
    }
}

impl<'a> Me<'a> {
    fn of(view: &'a PageView) -> Self {
        let place = view.place.as_ref();
        let is = |of: fn(&Standing) -> bool| place.is_some_and(of);
        let lines = view.lines.iter().map(|line| LineStateData {
            id: &line.id,
            phase: line.phase,
            opens_at_ms: line.opens_at,
        });
        Me {
            state: match (state_name(place.map(|place| place.state)), &view.check) {
                ("admitted", Some(_)) => "recheck",
                (state, _) => state,
            },
            phase: view.phase,
            stop: view.stop,
            mode: view.mode,
            entry: place.and_then(|place| place.entry),
            rank: place.and_then(|place| place.rank),
            ahead: view.ahead(),
            called: view.called,
            eta: place.and_then(|place| place.eta).map(|eta| EtaData {
                likely_seconds: eta.likely_seconds,
                at_most_seconds: eta.at_most_seconds,
            }),
            offer_until_ms: place.and_then(|place| place.offer_until),
            session_ends_at_ms: place.and_then(|place| place.session_ends_at),
            ran_out: is(|place| place.ran_out),
            may_defer: is(|place| place.may_defer),
            missed_draw: is(|place| place.missed_draw),
            line: view.line.as_deref(),
            lines: (view.lines.len() > 1).then(|| lines.collect()),
            opens_at_ms: view.opens_at,
            moved: view.moved.as_ref().map(MovedDocument::from),
            draw: view.draw.map(DrawStateDocument::from),
            entrants: view.draw.map(|draw| draw.entrants),
            stock_left: view.stock_left,
            pause: view.pause.as_ref().map(PauseDocument::from),
            message: view.message.as_deref(),
            slowdowns: view.slowdowns,
            board_version: view.board_version,
            board_age_ms: view.board_age,
            poll_ms: view.poll,
            now_ms: view.now,
            cookie: !view.cookie_missing,
            unavailable: view.unavailable,
        }
    }
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
