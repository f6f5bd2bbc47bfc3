//! `GET /_wr/metrics`: the counts of every event as Prometheus text.

use std::fmt::Write;

use anteroom_config::Event;
use anteroom_durable_objects::wire::{CoordinatorAsk, EdgeTotals, OriginView, TurnstileCounts};
use anteroom_queue::board::{Board, LineBoard, Phase};
use anteroom_queue::coordinator::command::{CoordinatorReply, Totals};
use futures_util::future::{join_all, join5};
use worker::Env;

use crate::answer::Answer;
use crate::crawlers::Counted;
use crate::problem::Problem;
use crate::rooms::RoomError;
use crate::routes::observability::{draw_step, health_of};
use crate::visit::Visit;
use crate::{crawlers, operators, rooms};

/// Whether a number only grows.
const COUNTER: &str = "counter";
/// Or may fall again.
const GAUGE: &str = "gauge";

/// The text.
pub async fn answer(visit: &Visit) -> Result<Answer, Problem> {
    operators::check_every(visit, "metrics").await?;
    let events = visit
        .deployment
        .all()
        .map(|room| of_event(&visit.env, room.event));
    let samples: Vec<Sample> = join_all(events).await.into_iter().flatten().collect();
    Ok(Answer::text(
        200,
        "text/plain; version=0.0.4; charset=utf-8",
        text(&samples),
    ))
}

struct Sample {
    name: &'static str,
    kind: &'static str,
    event: &'static str,
    /// The line that it is about; none: the whole queue.
    line: Option<String>,
    value: u64,
}

async fn of_event(env: &Env, event: &'static Event) -> Vec<Sample> {
    let (reply, edge, crawlers, origin, turnstile) = join5(
        rooms::ask_coordinator(env, event, CoordinatorAsk::Observe),
        rooms::edge_totals(env, event),
        crawlers::counted(env, event),
        rooms::origin(env, event),
        rooms::turnstile(env, event),
    )
    .await;
    match reply {
        Ok(CoordinatorReply::State { board, totals, .. }) => {
            let edge = edge.ok();
            let widget = turnstile.iter();
            let mut samples = of_state(&event.id, &board, &totals, edge.as_ref());
            samples.extend(widget.flat_map(|counts| of_widget(&event.id, counts)));
            samples.extend(of_crawlers(&event.id, crawlers));
            samples.extend(
                origin
                    .iter()
                    .flat_map(|origin| of_origin(&event.id, origin)),
            );
            samples
        }
        // Nothing is wrong with it, and there is nothing left to count.
        Err(RoomError::Deleted) => Vec::new(),
        _ => vec![of_whole(&event.id, ("anteroom_coordinator_up", GAUGE, 0))],
    }
}

/// The counts of one queue. What the edges have counted is left out while it cannot be read: a counter that fell to 0 and
/// came back would look like that many requests.
fn of_state(
    event: &'static str,
    board: &Board,
    totals: &Totals,
    edge: Option<&EdgeTotals>,
) -> Vec<Sample> {
    let whole = [
        ("anteroom_coordinator_up", GAUGE, 1),
        ("anteroom_board_version", COUNTER, board.version),
        ("anteroom_stopped", GAUGE, u64::from(board.stop)),
        ("anteroom_joined_total", COUNTER, totals.joined),
        ("anteroom_entries_total", COUNTER, totals.entries),
        ("anteroom_called_total", COUNTER, totals.called),
        ("anteroom_lapsed_total", COUNTER, totals.lapsed),
        ("anteroom_granted_total", COUNTER, totals.granted),
        ("anteroom_ended_total", COUNTER, totals.ended),
        ("anteroom_claims_pending", GAUGE, totals.pending),
        ("anteroom_sessions_active", GAUGE, totals.active),
        ("anteroom_sessions_unconfirmed", GAUGE, totals.unconfirmed),
        ("anteroom_show_up_ppm", GAUGE, u64::from(totals.show_up_ppm)),
        (
            "anteroom_shards_heard",
            GAUGE,
            u64::from(totals.shards_heard),
        ),
        ("anteroom_staff_passes_total", COUNTER, totals.staff_passes),
    ];
    let of_edges = |edge: &EdgeTotals| {
        [
            ("anteroom_edge_requests_total", COUNTER, edge.requests),
            ("anteroom_edge_admitted_total", COUNTER, edge.admitted),
            ("anteroom_edge_refused_total", COUNTER, edge.refused),
            ("anteroom_edge_bypassed_total", COUNTER, edge.bypassed),
            ("anteroom_edge_staff_total", COUNTER, edge.staff),
            ("anteroom_origin_errors_total", COUNTER, edge.origin_errors),
        ]
    };
    let stock = board
        .stock
        .map(|stock| ("anteroom_stock_left", GAUGE, stock.left));
    let lines = board.lines.iter().flat_map(|line| of_line(event, line));
    let edges = edge.map(of_edges).into_iter().flatten();
    let whole = whole.into_iter().chain(edges).chain(stock);
    whole
        .map(|sample| of_whole(event, sample))
        .chain(lines)
        .collect()
}

/// The counts of crawlers, where the event lets any look and they can be read.
fn of_crawlers(event: &'static str, counted: Option<Counted>) -> impl Iterator<Item = Sample> {
    let of = |counted: Counted| {
        [
            (
                "anteroom_crawlers_let_through_total",
                COUNTER,
                counted.let_through,
            ),
            (
                "anteroom_crawlers_turned_away_total",
                COUNTER,
                counted.turned_away,
            ),
            (
                "anteroom_crawlers_in_last_minute",
                GAUGE,
                u64::from(counted.in_last_minute),
            ),
        ]
    };
    let samples = counted.map(of).into_iter().flatten();
    samples.map(move |sample| of_whole(event, sample))
}

/// How the origin does. Without a cap there is no sample of one.
fn of_origin(event: &'static str, origin: &OriginView) -> Vec<Sample> {
    let restraint = &origin.restraint;
    let cap = restraint.cap.map(u64::from);
    let known = [
        ("anteroom_origin_health", GAUGE, health_of(origin.verdict).1),
        ("anteroom_origin_paused", GAUGE, u64::from(restraint.paused)),
    ];
    let cap = cap.map(|cap| ("anteroom_origin_cap_per_minute", GAUGE, cap));
    let samples = known.into_iter().chain(cap);
    samples.map(|sample| of_whole(event, sample)).collect()
}

/// What came of the third party's widget, of an event that uses it.
fn of_widget(event: &'static str, counts: &TurnstileCounts) -> Vec<Sample> {
    [
        (
            "anteroom_turnstile_down",
            GAUGE,
            u64::from(counts.is_down()),
        ),
        (
            "anteroom_turnstile_passed_total",
            COUNTER,
            u64::from(counts.passed),
        ),
        (
            "anteroom_turnstile_refused_total",
            COUNTER,
            u64::from(counts.refused),
        ),
        (
            "anteroom_turnstile_unanswered_total",
            COUNTER,
            u64::from(counts.unanswered),
        ),
        (
            "anteroom_turnstile_instead_total",
            COUNTER,
            u64::from(counts.instead),
        ),
    ]
    .map(|sample| of_whole(event, sample))
    .into()
}

fn of_whole(event: &'static str, (name, kind, value): (&'static str, &'static str, u64)) -> Sample {
    Sample {
        name,
        kind,
        event,
        line: None,
        value,
    }
}

/// The counts of one line. A line without a draw has no step of one.
fn of_line(event: &'static str, line: &LineBoard) -> Vec<Sample> {
    let step = draw_step(line).map(|(_, step)| ("anteroom_line_draw_step", GAUGE, step));
    [
        ("anteroom_line_entries_total", COUNTER, line.entries.0),
        ("anteroom_line_called_total", COUNTER, line.called.0),
        ("anteroom_line_lapsed_total", COUNTER, line.lapsed.0),
        (
            "anteroom_line_open",
            GAUGE,
            u64::from(line.phase == Phase::Open),
        ),
    ]
    .into_iter()
    .chain(step)
    .map(|(name, kind, value)| Sample {
        name,
        kind,
        event,
        line: Some(line.id.clone()),
        value,
    })
    .collect()
}

/// All samples of one name stand together below its type, as the format asks.
fn text(samples: &[Sample]) -> String {
    let mut text = String::new();
    let mut done: Vec<&str> = Vec::new();
    for Sample { name, kind, .. } in samples {
        if done.contains(name) {
            continue;
        }
        done.push(name);
        writeln!(text, "# TYPE {name} {kind}").expect("writing to a String does not fail");
        for sample in samples.iter().filter(|sample| sample.name == *name) {
            let Sample { event, value, .. } = sample;
            let line = sample.line.as_ref();
            let line = line.map_or(String::new(), |line| format!(",line=\"{line}\""));
            writeln!(text, "{name}{{event=\"{event}\"{line}}} {value}")
                .expect("writing to a String does not fail");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn what_the_edges_counted_is_left_out_while_it_is_not_known() {
        let board = samples::board(Phase::Open);
        let names = |edge: Option<&EdgeTotals>| -> Vec<&str> {
            let all = of_state("x", &board, &Totals::default(), edge);
            all.iter().map(|sample| sample.name).collect()
        };
        let of_edges = |name: &&str| name.contains("_edge_") || name.contains("_origin_");
        let (with, without) = (names(Some(&EdgeTotals::default())), names(None));
        assert_eq!(with.iter().filter(|name| of_edges(name)).count(), 6);
        assert_eq!(without.iter().filter(|name| of_edges(name)).count(), 0);
        assert_eq!(with.len(), without.len() + 6);
    }

    #[test]
    fn a_cap_is_a_sample_while_there_is_one() {
        let names = |cap| -> Vec<&str> {
            let mut origin = OriginView::default();
            origin.restraint.cap = cap;
            let samples = of_origin("x", &origin);
            samples.iter().map(|sample| sample.name).collect()
        };
        let always = ["anteroom_origin_health", "anteroom_origin_paused"];
        assert_eq!(names(None), always);
        assert_eq!(names(Some(7))[2..], ["anteroom_origin_cap_per_minute"]);
    }

    #[test]
    fn samples_of_one_name_stand_together() {
        let sample = |name, event, value| Sample {
            name,
            kind: GAUGE,
            event,
            line: (name == "b").then(|| "fans".to_owned()),
            value,
        };
        let samples = [
            sample("a", "x", 1),
            sample("b", "x", 2),
            sample("a", "y", 3),
        ];
        let expected = "# TYPE a gauge\na{event=\"x\"} 1\na{event=\"y\"} 3\n\
            # TYPE b gauge\nb{event=\"x\",line=\"fans\"} 2\n";
        assert_eq!(text(&samples), expected);
    }
}
