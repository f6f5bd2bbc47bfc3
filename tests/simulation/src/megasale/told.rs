//! The result: for people as a table, for programs as JSON, and whether every limit held.

use serde_json::{Value, json};

use super::World;
use super::meters::{Histogram, Role};
use super::plan::{OUTAGE_MS, Plan};
use crate::checkers::{Findings, PROMISES};

/// Requests a second of any object: the platform's soft limit.
const MOST_REQUESTS: u64 = 1_000;

/// Requests a second of a coordinator or relay.
const MOST_REPORTS: u64 = 500;

/// A join's p99 beyond the round trip between its shard and the coordinator.
const LONGEST_JOIN_MS: u64 = 500;

/// What came of a run.
pub struct Told {
    /// Broken promises.
    pub findings: Findings,
    /// Limits that did not hold, each in words.
    pub above: Vec<String>,
    text: String,
    json: Value,
}

impl Told {
    pub(super) fn of(world: World) -> Self {
        let above = above(&world);
        let (text, json) = (text(&world, &above), json_of(&world, &above));
        Self {
            findings: world.checks.findings,
            above,
            text,
            json,
        }
    }

    /// Whether every limit and every promise held.
    pub fn holds(&self) -> bool {
        self.above.is_empty() && self.findings.total() == 0
    }

    /// For people.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// For programs.
    pub fn json(&self, wall_s: f64, peak_rss_mb: u64) -> Value {
        let mut json = self.json.clone();
        json["wall_s"] = json!((wall_s * 100.0).round() / 100.0);
        json["peak_rss_mb"] = json!(peak_rss_mb);
        json
    }
}

/// The roles with how many objects they have and the memory of the largest.
fn roles(world: &World) -> [(&Role, usize, u64); 4] {
    let relays = world.relays.iter().flatten();
    let largest_relay = relays.clone().map(|relay| relay.bytes()).max();
    let direct = world.direct_shards();
    let shards = |is_direct: bool| {
        let shards = (0..).zip(&world.shards);
        shards
            .filter(move |(number, _)| (*number < direct) == is_direct)
            .filter_map(|(_, shard)| shard.as_ref())
    };
    let most = |is_direct| {
        shards(is_direct)
            .map(|shard| shard.bytes())
            .max()
            .unwrap_or(0)
    };
    let measured = &world.measured;
    [
        (&measured.coordinator, 1, world.coordinator.bytes()),
        (&measured.relays, relays.count(), largest_relay.unwrap_or(0)),
        (&measured.direct_shards, shards(true).count(), most(true)),
        (&measured.relayed_shards, shards(false).count(), most(false)),
    ]
}

fn above(world: &World) -> Vec<String> {
    let mut above = Vec::new();
    for (role, _, _) in roles(world) {
        let most = match role.name {
            "coordinator" | "relays" => MOST_REPORTS,
            _ => MOST_REQUESTS,
        };
        let (requests, (at, object)) = (role.most_requests(), role.busiest);
        if requests > most {
            let at_s = at / 1_000;
            above.push(format!(
                "{}: {requests} requests in the second before {at_s} s (object {object}), allowed {most}",
                role.name
            ));
        }
    }
    let join = world.measured.join_beyond_trip.permille(990);
    if join >= LONGEST_JOIN_MS && world.plan.lost_at_ms().is_none() {
        above.push(format!(
            "join: p99 {join} ms beyond the round trip, allowed less than {LONGEST_JOIN_MS}"
        ));
    }
    for (what, count) in [
        ("claims of the called were refused", world.measured.refused),
        ("requests found a shard busy", world.measured.busy),
    ] {
        if count > 0 {
            above.push(format!("{count} {what}, allowed 0"));
        }
    }
    above
}

/// The times that are told, by name.
fn times(world: &World) -> [(&'static str, &Histogram); 7] {
    let measured = &world.measured;
    [
        ("join to number", &measured.join),
        ("join beyond the trip", &measured.join_beyond_trip),
        ("report of a shard", &measured.shard_trip),
        ("report of a relay", &measured.relay_trip),
        ("board age, shards", &measured.board_age),
        ("board age, edges", &measured.edge_age),
        ("claim to session", &measured.claim),
    ]
}

fn text(world: &World, above: &[String]) -> String {
    let Plan { seed, visitors, .. } = world.plan;
    let measured = &world.measured;
    let (come, stay_away) = measured.called;
    let mut lines = vec![
        format!(
            "seed {seed}: {visitors} visitors, {} joins/s at the peak, {} isolates, {} children of the coordinator, {} s of virtual time",
            world.plan.peak_per_second(),
            world.plan.isolates(),
            world.children(),
            world.plan.end_ms() / 1_000
        ),
        "                objects   (of one object: p50 / p99 / max)".to_owned(),
    ];
    lines.extend(roles(world).map(|(role, objects, bytes)| role.told(objects, bytes)));
    lines.push("                          p50      p99      max   (ms)".to_owned());
    for (name, numbers) in times(world) {
        lines.push(format!(
            "{name:<22} {:>6}   {:>6}   {:>6}   of {}",
            numbers.permille(500),
            numbers.permille(990),
            numbers.max(),
            numbers.total()
        ));
    }
    lines.extend(measured.ways.told());
    lines.push(format!(
        "acknowledged {}, provisional first {}, called {} of whom {come} claim, sessions {}, given back {}, without a socket {}",
        world.checks.acknowledged,
        measured.provisional,
        come + stay_away,
        world.checks.sessions(),
        measured.released,
        measured.no_socket
    ));
    if world.plan.has_outage() {
        lines.push(told_of_outage(world));
    }
    if let Some(at) = world.plan.lost_at_ms() {
        let (active, running) = measured.active_at_end;
        lines.push(format!(
            "a third of the shards lost with their relays at {} s: {} sessions before, {} after; {} requests told that the home is away; at the end {active} sessions count, {running} run",
            at / 1_000,
            measured.sessions_at_loss,
            world.checks.sessions() - measured.sessions_at_loss,
            measured.told_away
        ));
    }
    for violation in world.checks.findings.first.iter().take(10) {
        lines.push(format!(
            "  at {:.3} s, {}: {}",
            violation.at_ms as f64 / 1_000.0,
            violation.promise,
            violation.what
        ));
    }
    lines.extend(above.iter().map(|what| format!("ABOVE THE LIMIT: {what}")));
    let broken = world.checks.findings.total();
    lines.push(match (broken, above.is_empty()) {
        (0, true) => "every promise and every limit held".to_owned(),
        (0, false) => "every promise held, not every limit".to_owned(),
        _ => format!("BROKEN: {broken} violations"),
    });
    lines.join("\n")
}

/// Pages that have none now, of all that have a number.
fn without_socket(world: &World) -> u64 {
    let shards = world.shards.iter().flatten();
    world.checks.acknowledged - shards.map(|shard| shard.sockets).sum::<u64>()
}

/// How everybody came back.
fn told_of_outage(world: &World) -> String {
    let measured = &world.measured;
    let (join, back) = (&measured.join_through_outage, &measured.back);
    let again = &measured.sockets_again;
    format!(
        "for a minute nothing reached anything from {} s on: {} sockets broke off, all pages listened again {} ms (p50), {} (p99), {} (max) after it, {} of them to the edge's stream, and had a socket again {} ms (p50), {} (p99), {} (max) after it, but for {} whose homes have none left; joins that met it had their numbers after {} ms (p50), {} (p99), {} (max), {} of them; {} sessions were missed",
        OUTAGE_MS / 1_000,
        measured.broken_off,
        back.permille(500),
        back.permille(990),
        back.max(),
        measured.on_streams,
        again.permille(500),
        again.permille(990),
        again.max(),
        without_socket(world),
        join.permille(500),
        join.permille(990),
        join.max(),
        join.total(),
        measured.missed
    )
}

fn json_of(world: &World, above: &[String]) -> Value {
    let roles: serde_json::Map<String, Value> = roles(world)
        .iter()
        .map(|(role, objects, bytes)| (role.name.replace(' ', "_"), role.json(*objects, *bytes)))
        .collect();
    let times: serde_json::Map<String, Value> = times(world)
        .iter()
        .map(|(name, numbers)| (name.replace([' ', ','], "_"), numbers.json()))
        .collect();
    let counts = &world.checks.findings.counts;
    let violations: serde_json::Map<String, Value> = PROMISES
        .iter()
        .map(|(promise, name)| {
            let count = counts.get(promise).copied().unwrap_or(0);
            ((*name).to_owned(), json!(count))
        })
        .collect();
    json!({
        "seed": world.plan.seed,
        "visitors": world.plan.visitors,
        "joins_per_s_peak": world.plan.peak_per_second(),
        "isolates": world.plan.isolates(),
        "children_of_the_coordinator": world.children(),
        "virtual_s": world.plan.end_ms() / 1_000,
        "roles": roles,
        "times_ms": times,
        "steps_of_a_join_ms": world.measured.ways.json(),
        "acknowledged": world.checks.acknowledged,
        "provisional": world.measured.provisional,
        "sessions": world.checks.sessions(),
        "released": world.measured.released,
        "board_reads": world.measured.reads,
        "sessions_before_the_loss": world.measured.sessions_at_loss,
        "told_away": world.measured.told_away,
        "sockets_broken_off": world.measured.broken_off,
        "back_on_streams": world.measured.on_streams,
        "without_a_socket_at_the_end": without_socket(world),
        "sockets_again_after_outage_ms": world.measured.sockets_again.json(),
        "back_after_outage_ms": world.measured.back.json(),
        "join_through_outage_ms": world.measured.join_through_outage.json(),
        "above_limits": above,
        "violations": violations,
    })
}
