//! The values of the metrics of one event. What could not be read is left out: a counter that fell to 0 and came back would
//! look like that many requests.

use std::fmt;

use anteroom_durable_objects::wire::{
    CALL_BOUNDS_MS, CameTrue, EdgeTotals, HandlingCounts, OriginView, TurnstileCounts, Vitals,
};
use anteroom_queue::board::{Board, LineBoard, Phase};
use anteroom_queue::coordinator::command::Totals;
use anteroom_queue::settings::Mode;
use anteroom_queue::units::Millis;

use super::families::{self as f, Family};
use crate::crawlers::Counted;
use crate::documents::wait_of_line;
use crate::routes::observability::{draw_step, health_of};

/// A number as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A count.
    Whole(u64),
    /// A time, which is written in seconds.
    Millis(u64),
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(count) => write!(out, "{count}"),
            Value::Millis(ms) => write!(out, "{}.{:03}", ms / 1_000, ms % 1_000),
        }
    }
}

/// One number.
#[derive(Debug)]
pub struct Sample {
    /// Of what.
    pub family: Family,
    /// What follows its name, in a histogram.
    pub part: &'static str,
    /// Of which event.
    pub event: &'static str,
    /// What else tells it apart: a line, a bound.
    pub label: Option<(&'static str, String)>,
    /// The number.
    pub value: Value,
}

impl Sample {
    /// Of a whole event.
    pub fn new(event: &'static str, (family, value): (Family, Value)) -> Self {
        Sample {
            family,
            part: "",
            event,
            label: None,
            value,
        }
    }
}

/// What is known of an event.
pub struct Heard {
    /// The coordinator's board.
    pub board: Board,
    /// Its counts.
    pub totals: Totals,
    /// How old the board of this isolate is.
    pub board_age: Option<Millis>,
    /// What edges counted.
    pub edge: Option<EdgeTotals>,
    /// None too where the event lets no crawler look.
    pub crawlers: Option<Counted>,
    /// How the origin does.
    pub origin: Option<OriginView>,
    /// None too where the event has no widget.
    pub widget: Option<TurnstileCounts>,
    /// How the room does its work.
    pub vitals: Option<Vitals>,
    /// How many shards and relays owe a report and are silent.
    pub silent: Option<u16>,
}

/// Of an event whose coordinator does not answer.
pub fn of_nobody(event: &'static str, board_age: Option<Millis>) -> Vec<Sample> {
    let age = board_age.map(|age| (f::BOARD_AGE, Value::Millis(age.0)));
    let down = (f::COORDINATOR_UP, Value::Whole(0));
    let samples = [down].into_iter().chain(age);
    samples.map(|sample| Sample::new(event, sample)).collect()
}

/// All samples of one event.
pub fn of(event: &'static str, heard: &Heard) -> Vec<Sample> {
    let whole = |pairs: Vec<(Family, u64)>| {
        let pairs = pairs.into_iter();
        pairs.map(|(family, value)| Sample::new(event, (family, Value::Whole(value))))
    };
    let age = heard
        .board_age
        .map(|age| (f::BOARD_AGE, Value::Millis(age.0)));
    let mut samples: Vec<Sample> = whole(of_state(heard)).collect();
    samples.extend(age.map(|age| Sample::new(event, age)));
    samples.extend(whole(of_edges(heard)));
    if let Some(vitals) = &heard.vitals {
        samples.extend(of_calls(event, &vitals.handling));
    }
    let came_true = heard.vitals.iter().flat_map(|vitals| &vitals.came_true);
    let mut came_true = came_true.copied();
    for line in &heard.board.lines {
        let pairs = of_line(line, &heard.board, came_true.next().flatten());
        samples.extend(whole(pairs).map(|sample| Sample {
            label: Some(("line", line.id.clone())),
            ..sample
        }));
    }
    samples
}

/// What the coordinator knows.
fn of_state(heard: &Heard) -> Vec<(Family, u64)> {
    let Heard { board, totals, .. } = heard;
    let always = [
        (f::COORDINATOR_UP, 1),
        (f::BOARD_VERSION, board.version),
        (f::STOPPED, u64::from(board.stop)),
        (f::HAS_ROOM, u64::from(has_room(board, totals))),
        (f::WAITING, board.waiting()),
        (f::JOINED, totals.joined),
        (f::ENTRIES, totals.entries),
        (f::CALLED, totals.called),
        (f::LAPSED, totals.lapsed),
        (f::GRANTED, totals.granted),
        (f::ENDED, totals.ended),
        (f::PENDING, totals.pending),
        (f::ACTIVE, totals.active),
        (f::UNCONFIRMED, totals.unconfirmed),
        (f::SHOW_UP, u64::from(totals.show_up_ppm)),
        (f::SHARDS, u64::from(board.shards)),
        (f::SHARDS_HEARD, u64::from(totals.shards_heard)),
        (f::STAFF_PASSES, totals.staff_passes),
    ];
    let limits = &board.limits;
    let sometimes = [
        (f::MAX_ACTIVE, limits.max_active.map(u64::from)),
        (f::PER_MINUTE, limits.per_minute.map(u64::from)),
        (
            f::BATCH_SECONDS,
            limits.batch.map(|batch| batch.every.0 / 1_000),
        ),
        (f::STOCK_LEFT, board.stock_left()),
        (f::SHARDS_SILENT, heard.silent.map(u64::from)),
    ];
    let sometimes = sometimes
        .into_iter()
        .filter_map(|(family, value)| Some((family, value?)));
    always.into_iter().chain(sometimes).collect()
}

/// Whether somebody could be admitted now, as far as the long-lasting reasons go: a rate always lets somebody in soon.
fn has_room(board: &Board, totals: &Totals) -> bool {
    let is_open = board.lines.iter().any(|line| line.phase == Phase::Open);
    let works = !matches!(board.mode, Mode::Off | Mode::Closed) && !board.stop;
    let is_below = board
        .limits
        .max_active
        .is_none_or(|most| totals.active < u64::from(most));
    is_open && works && is_below && board.stock.is_none_or(|stock| stock.left > 0)
}

/// What edges counted, and how the origin does by it.
fn of_edges(heard: &Heard) -> Vec<(Family, u64)> {
    let mut pairs = Vec::new();
    if let Some(edge) = &heard.edge {
        pairs.extend([
            (f::EDGE_REQUESTS, edge.requests),
            (f::EDGE_ADMITTED, edge.admitted),
            (f::EDGE_REFUSED, edge.refused),
            (f::EDGE_BYPASSED, edge.bypassed),
            (f::EDGE_STAFF, edge.staff),
            (f::ORIGIN_ERRORS, edge.origin_errors),
        ]);
    }
    if let Some(origin) = &heard.origin {
        let restraint = &origin.restraint;
        pairs.extend([
            (f::ORIGIN_HEALTH, health_of(origin.verdict).1),
            (f::ORIGIN_PAUSED, u64::from(restraint.paused)),
        ]);
        pairs.extend(restraint.cap.map(|cap| (f::ORIGIN_CAP, u64::from(cap))));
    }
    if let Some(counted) = &heard.crawlers {
        pairs.extend([
            (f::CRAWLERS_THROUGH, counted.let_through),
            (f::CRAWLERS_AWAY, counted.turned_away),
            (f::CRAWLERS_MINUTE, u64::from(counted.in_last_minute)),
        ]);
    }
    if let Some(counts) = &heard.widget {
        pairs.extend([
            (f::TURNSTILE_DOWN, u64::from(counts.is_down())),
            (f::TURNSTILE_PASSED, u64::from(counts.passed)),
            (f::TURNSTILE_REFUSED, u64::from(counts.refused)),
            (f::TURNSTILE_UNANSWERED, u64::from(counts.unanswered)),
            (f::TURNSTILE_INSTEAD, u64::from(counts.instead)),
        ]);
    }
    if let Some(Vitals { handling, .. }) = &heard.vitals {
        pairs.extend([
            (f::PERMITS, handling.permits),
            (f::WORK_REFUSED, handling.work_refused),
            (f::OBJECT_UNREACHABLE, handling.unreachable),
            (f::OBJECT_OVERLOADED, handling.overloaded),
        ]);
    }
    pairs
}

/// How long calls took: each bound counts all that took no longer.
fn of_calls(event: &'static str, handling: &HandlingCounts) -> Vec<Sample> {
    let part = |part, label, value| Sample {
        part,
        label,
        ..Sample::new(event, (f::OBJECT_SECONDS, value))
    };
    let bounds = CALL_BOUNDS_MS.map(|ms| Value::Millis(ms).to_string());
    let bounds = bounds.into_iter().chain(["+Inf".to_owned()]);
    let mut below = 0;
    let mut samples: Vec<Sample> = bounds
        .zip(handling.calls)
        .map(|(bound, count)| {
            below += count;
            part("_bucket", Some(("le", bound)), Value::Whole(below))
        })
        .collect();
    samples.push(part("_sum", None, Value::Millis(handling.calls_ms)));
    samples.push(part("_count", None, Value::Whole(below)));
    samples
}

/// The counts of one line.
fn of_line(line: &LineBoard, board: &Board, came_true: Option<CameTrue>) -> Vec<(Family, u64)> {
    let mut pairs = vec![
        (f::LINE_ENTRIES, line.entries.0),
        (f::LINE_CALLED, line.called.0),
        (f::LINE_LAPSED, line.lapsed.0),
        (f::LINE_OPEN, u64::from(line.phase == Phase::Open)),
    ];
    pairs.extend(draw_step(line).map(|(_, step)| (f::LINE_DRAW, step)));
    pairs.extend(wait_of_line(line, board).map(|wait| (f::LINE_WAIT, wait.likely_seconds)));
    if let Some(came_true) = came_true {
        pairs.extend([
            (f::LINE_FORETOLD, came_true.foretold_seconds),
            (f::LINE_TOOK, came_true.took_seconds),
            (f::LINE_CAME_TRUE, came_true.count),
        ]);
    }
    pairs
}

#[cfg(test)]
#[path = "samples_tests.rs"]
mod tests;
