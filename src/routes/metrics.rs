//! `GET /_wr/metrics`: the counts of every event as Prometheus text.

use std::fmt::Write;

use anteroom_durable_objects::wire::CoordinatorAsk;
use anteroom_queue::board::{LineBoard, Phase};
use anteroom_queue::coordinator::command::CoordinatorReply;

use crate::answer::Answer;
use crate::deployment::Room;
use crate::problem::Problem;
use crate::routes::observability::draw_step;
use crate::visit::Visit;
use crate::{operators, rooms};

/// Whether a number only grows.
const COUNTER: &str = "counter";
/// Or may fall again.
const GAUGE: &str = "gauge";

/// The text.
pub async fn answer(visit: &Visit) -> Result<Answer, Problem> {
    operators::check_every(visit)?;
    let mut samples = Vec::new();
    for room in visit.deployment.all() {
        samples.extend(of_event(visit, room).await);
    }
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

async fn of_event(visit: &Visit, room: Room) -> Vec<Sample> {
    let event = room.event.id.as_str();
    let sample = |(name, kind, value)| Sample {
        name,
        kind,
        event,
        line: None,
        value,
    };
    let reply = rooms::ask_coordinator(&visit.env, room.event, CoordinatorAsk::Observe).await;
    let Ok(CoordinatorReply::State { board, totals, .. }) = reply else {
        return vec![sample(("anteroom_coordinator_up", GAUGE, 0))];
    };
    let edge = rooms::edge_totals(&visit.env, room.event)
        .await
        .unwrap_or_default();
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
        ("anteroom_edge_requests_total", COUNTER, edge.requests),
        ("anteroom_edge_admitted_total", COUNTER, edge.admitted),
        ("anteroom_edge_refused_total", COUNTER, edge.refused),
        ("anteroom_edge_bypassed_total", COUNTER, edge.bypassed),
        ("anteroom_edge_staff_total", COUNTER, edge.staff),
        ("anteroom_staff_passes_total", COUNTER, totals.staff_passes),
        ("anteroom_origin_errors_total", COUNTER, edge.origin_errors),
    ]
    .map(sample);
    let stock = board
        .stock
        .map(|stock| sample(("anteroom_stock_left", GAUGE, stock.left)));
    let lines = board.lines.iter().flat_map(|line| of_line(event, line));
    whole.into_iter().chain(stock).chain(lines).collect()
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
