//! `GET /_wr/queues/{event}/observability`: an operator sees board, counts, settings and what was done by whom.

use anteroom_durable_objects::wire::{
    CoordinatorAsk, EdgeTotals, OriginView, Refusals, TurnstileCounts, WrongTokens,
};
use anteroom_queue::board::LineBoard;
use anteroom_queue::coordinator::command::{Noted, Totals};
use anteroom_queue::coordinator::health::Verdict;
use anteroom_queue::settings::Settings;
use anteroom_queue::units::{Millis, UnixMillis};
use futures_util::future::{join, join5};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::deployment::Room;
use crate::documents::{BoardDocument, LimitsDocument};
use crate::observed::{self, Observed};
use crate::problem::Problem;
use crate::standing::phase_name;
use crate::visit::Visit;
use crate::{actions, crawlers, guesses, operators, platform, rooms};

/// What an operator sees.
pub async fn answer(visit: &Visit, event: &str) -> Result<Answer, Problem> {
    let (room, _) = operators::check(visit, event, "observe").await?;
    let (observed, counted) = join(
        observed::ask(&visit.env, room.event, CoordinatorAsk::Observe),
        counted(visit, room),
    )
    .await;
    Ok(of(room, &observed?, &counted))
}

/// What the edges have counted, and how the origin does. What is not there could not be read: it is unknown, not zero.
pub struct Counted {
    edge: Option<EdgeTotals>,
    /// None too where the event lets no crawler look.
    crawlers: Option<crawlers::Counted>,
    wrong_tokens: Option<WrongTokens>,
    origin: Option<OriginView>,
    /// None too where the event has no widget.
    turnstile: Option<TurnstileCounts>,
    /// What operators were refused; nothing, if it could not be read.
    refusals: Refusals,
}

/// Asks the coordinator what the edges have counted, and tells it of what this one has not told yet.
pub async fn counted(visit: &Visit, room: Room) -> Counted {
    let untold = guesses::tell(&room.event.id);
    let of_edges = join5(
        rooms::edge_totals(&visit.env, room.event),
        crawlers::counted(&visit.env, room.event),
        rooms::wrong_tokens(&visit.env, room.event, untold),
        rooms::origin(&visit.env, room.event),
        rooms::turnstile(&visit.env, room.event),
    );
    let refusals = rooms::refusals(&visit.env, room.event);
    let ((edge, crawlers, wrong_tokens, origin, turnstile), refusals) =
        join(of_edges, refusals).await;
    Counted {
        edge: edge.ok(),
        crawlers,
        wrong_tokens: wrong_tokens.ok(),
        origin: origin.ok(),
        turnstile,
        refusals: refusals.unwrap_or_default(),
    }
}

/// The document of a queue's state.
pub fn of(room: Room, observed: &Observed, counted: &Counted) -> Answer {
    let Observed {
        board,
        totals,
        settings,
        noted,
    } = observed;
    let document = json!({
        "board": BoardDocument::new(room, board, Millis(0), platform::now()),
        "lines": board.lines.iter().map(line_document).collect::<Vec<_>>(),
        "stock": board.stock_left().zip(board.stock).map(|(left, stock)| json!({ "left": left, "at_ms": stock.at.0 })),
        "ended_at_ms": board.ended_at.map(|at| at.0),
        "totals": totals_document(totals),
        "edge": counted.edge.as_ref().map(edge_document),
        "crawlers": counted.crawlers.map(|counted| counted.document()),
        "wrong_tokens": counted.wrong_tokens.as_ref().map(wrong_tokens_document),
        "origin": counted.origin.as_ref().map(origin_document),
        "turnstile": counted.turnstile.as_ref().and_then(|counts| turnstile_document(room, counts)),
        "settings": settings_document(settings),
        "configuration_ignored": room.event.settings.other_lines(settings).map(|why| why.to_string()),
        "noted": in_order(noted, &counted.refusals).map(noted_document).collect::<Vec<_>>(),
        "now_ms": platform::now().0,
    });
    Answer::json(200, &document)
}

/// What an operator sees of a line beyond the board: how many wait, and how far its draw is.
fn line_document(line: &LineBoard) -> Value {
    json!({
        "id": line.id,
        "phase": phase_name(line.phase),
        "entries": line.entries.0,
        "called": line.called.0,
        "lapsed": line.lapsed.0,
        "waiting": line.waiting(),
        "moved": line.moved.as_ref().map(|moved| json!({ "from_ms": moved.from.0, "reason": moved.reason })),
        "draw": draw_step(line).map(|(name, _)| name),
        "entrants": line.draw.as_ref().and_then(|draw| draw.fixed.as_ref()).map(|fixed| fixed.entrants),
    })
}

/// How far the draw of a line is, as a name and a number that grows; `None`: it has none.
pub fn draw_step(line: &LineBoard) -> Option<(&'static str, u64)> {
    let draw = line.draw.as_ref()?;
    Some(match (&draw.fixed, &draw.drawn) {
        (None, _) => ("committed", 1),
        (Some(_), None) => ("fixed", 2),
        (Some(_), Some(_)) => ("drawn", 3),
    })
}

/// The counts of a queue.
pub fn totals_document(totals: &Totals) -> Value {
    json!(totals)
}

fn edge_document(edge: &EdgeTotals) -> Value {
    json!({
        "requests": edge.requests,
        "admitted": edge.admitted,
        "refused": edge.refused,
        "origin_errors": edge.origin_errors,
        "bypassed": edge.bypassed,
        "staff": edge.staff,
    })
}

fn wrong_tokens_document(wrong: &WrongTokens) -> Value {
    json!({ "count": wrong.count, "last_at_ms": wrong.last_at.map(|at| at.0) })
}

/// What came of the third party's widget, whether it answers, and what holds while it does not; `None`: there is none.
fn turnstile_document(room: Room, counts: &TurnstileCounts) -> Option<Value> {
    let down = room.event.turnstile.as_ref()?.down;
    let known = |at: UnixMillis| (at.0 > 0).then_some(at.0);
    Some(json!({
        "is_down": counts.is_down(),
        "while_down": down.name(),
        "passed": counts.passed,
        "refused": counts.refused,
        "unanswered": counts.unanswered,
        "instead": counts.instead,
        "answered_at_ms": known(counts.answered_at),
        "silent_at_ms": known(counts.silent_at),
    }))
}

/// How the origin does, and what is held back because of it.
fn origin_document(origin: &OriginView) -> Value {
    let OriginView {
        verdict,
        judged_at,
        judged,
        restraint,
        acts,
    } = origin;
    let instant = |at: UnixMillis| (at.0 > 0).then_some(at.0);
    json!({
        "health": health_of(*verdict).0,
        "judged_at_ms": instant(*judged_at),
        "answers": judged.answers,
        "failed": judged.failed,
        "slow": judged.slow,
        "acts": acts,
        "paused": restraint.paused,
        "cap_per_minute": restraint.cap,
        "hands_off_until_ms": instant(restraint.hands_off_until),
    })
}

/// The origin's health as a name and a number.
pub fn health_of(verdict: Verdict) -> (&'static str, u64) {
    match verdict {
        Verdict::Unknown => ("unknown", 0),
        Verdict::Good => ("good", 1),
        Verdict::Troubled => ("troubled", 2),
        Verdict::Down => ("down", 3),
    }
}

fn settings_document(settings: &Settings) -> Value {
    let lines = settings.lines.iter().map(|line| {
        json!({ "id": line.id, "weight": line.weight, "opens_at_ms": line.opens_at.map(|at| at.0) })
    });
    let draw = json!({
        "grace_seconds": settings.draw.grace.0 / 1_000,
        "beacon": if settings.draw.beacon { "drand" } else { "none" },
        "beacon_wait_seconds": settings.draw.beacon_wait.0 / 1_000,
    });
    json!({
        "mode": settings.mode,
        "prequeue_at_ms": settings.prequeue_at.map(|at| at.0),
        "lines": lines.collect::<Vec<_>>(),
        "limits": LimitsDocument::from(settings.limits),
        "hold_seconds": settings.hold.0 / 1_000,
        "session_seconds": settings.session.0 / 1_000,
        "idle_seconds": settings.idle.0 / 1_000,
        "pass_seconds": settings.pass.0 / 1_000,
        "max_extension_seconds": settings.max_extension.0 / 1_000,
        "expected_visitors": settings.expected_visitors,
        "draw": draw,
        "keep_seconds": settings.keep.0 / 1_000,
    })
}

/// What was done and what was refused, oldest first.
fn in_order<'a>(done: &'a [Noted], refused: &'a [Noted]) -> impl Iterator<Item = &'a Noted> {
    let mut all: Vec<&Noted> = done.iter().chain(refused).collect();
    all.sort_by_key(|noted| noted.at);
    all.into_iter()
}

fn noted_document(noted: &Noted) -> Value {
    json!({ "at_ms": noted.at.0, "by": noted.by, "did": actions::document(&noted.action) })
}
