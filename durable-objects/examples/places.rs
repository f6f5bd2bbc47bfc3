//! What waiting costs: a million anonymous places on 125 shards, with the real core. Prints bytes a place in memory, as the
//! system counts them for this process, and in rows, as they are stored; ends with 1 when one of them is above its limit.
//!
//! Memory is what the process holds after the last join less what it held before the first, so what the allocator keeps
//! for itself counts too. On the platform pointers are half as wide.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anteroom_durable_objects::storage::{Changes, Row};
use anteroom_queue::coordinator::command::{CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::limits::DIRECT_SHARDS;
use anteroom_queue::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::shard::rows::ShardRow;
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::units::{LineIndex, Millis, Nonce, ShardIndex, UnixMillis};

const SHARDS: u16 = 125;
const PLACES: u32 = 1_000_000;
/// Visitors for whom a run plans one shard.
const PLANNED_FOR_A_SHARD: u64 = 20_000;
/// Joins that share one commit of a shard.
const GROUP: u32 = 100;

/// What a place may take, in bytes.
const MOST_MEMORY: f64 = 100.0;
const MOST_STORAGE: f64 = 40.0;

const START: UnixMillis = UnixMillis(1_800_000_000_000);

fn settings() -> Settings {
    Settings {
        mode: Mode::Always,
        prequeue_at: None,
        lines: vec![LineSettings {
            id: "general".into(),
            weight: 1,
            opens_at: None,
        }],
        limits: Limits {
            max_active: Some(1),
            per_minute: None,
            batch: None,
        },
        hold: Millis::from_minutes(30),
        session: Millis::from_minutes(20),
        idle: Millis::from_minutes(10),
        pass: Millis::from_seconds(180),
        max_extension: Millis::from_minutes(10),
        expected_visitors: u64::from(SHARDS) * PLANNED_FOR_A_SHARD,
        draw: DrawSettings {
            grace: Millis::from_seconds(60),
            beacon: false,
            beacon_wait: Millis::from_minutes(10),
        },
        keep: Millis::from_minutes(30 * 24 * 60),
    }
}

/// A permit's number, which looks random as real ones do.
fn nonce(number: u32) -> Nonce {
    let mixed = |salt: u64| {
        let mut word = (u64::from(number) + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word ^ (word >> 27)
    };
    let both = (u128::from(mixed(1)) << 64) | u128::from(mixed(1 << 40));
    Nonce(both.to_le_bytes())
}

/// How large each stored row is by its key, keys included.
#[derive(Default)]
struct Stored(BTreeMap<(u16, String), usize>);

impl Stored {
    fn put(&mut self, shard: u16, rows: Vec<impl Row>) {
        let mut changes = Changes::default();
        changes.extend(rows);
        for (key, bytes) in changes.into_rows() {
            let size = key.len() + bytes.len();
            self.0.insert((shard, key), size);
        }
    }

    fn bytes(&self) -> usize {
        self.0.values().sum()
    }
}

/// The memory that this process holds, in bytes.
fn held() -> Result<u64, String> {
    let why = |error: &dyn std::fmt::Display| format!("/proc/self/status: {error}");
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| why(&error))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kb = line.and_then(|rest| rest.trim().strip_suffix(" kB"));
    let kb: u64 = kb
        .and_then(|kb| kb.trim().parse().ok())
        .ok_or_else(|| why(&"no VmRSS"))?;
    Ok(kb * 1_024)
}

/// One report of a shard and its answer.
fn sync(shard: &mut Shard, coordinator: &mut Coordinator, now: UnixMillis) -> Vec<ShardRow> {
    let report = shard.report(now);
    let entropy = Entropy([7; 16]);
    let reply = coordinator.apply(CoordinatorCommand::Sync { report, entropy }, now);
    let reply = match reply.reply {
        CoordinatorReply::Synced(reply) => reply,
        other => panic!("a report is answered with a sync, not with {other:?}"),
    };
    shard.apply(ShardCommand::Synced { reply }, now).rows
}

/// Fills a shard with its part of the places.
fn fill(number: u16, shard: &mut Shard, coordinator: &mut Coordinator, stored: &mut Stored) {
    let each = PLACES / u32::from(SHARDS);
    let first = u32::from(number) * each;
    for group in (first..first + each).step_by(GROUP as usize) {
        let now = START.plus(Millis(u64::from(group)));
        let mut rows = Vec::new();
        for visitor in group..group + GROUP {
            let join = ShardCommand::Join {
                nonce: nonce(visitor),
                line: LineIndex(0),
                permit_expired: false,
                arrived: None,
            };
            let outcome = shard.apply(join, now);
            assert!(!matches!(outcome.reply, ShardReply::Refused { .. }));
            rows.extend(outcome.rows);
        }
        stored.put(number, rows);
        stored.put(number, sync(shard, coordinator, now));
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(within) => ExitCode::from(u8::from(!within)),
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let name = RunName {
        event: "demo",
        run: 1,
    };
    // One coordinator has fewer shards without relays. What a place takes does not depend on it.
    let mut coordinators: Vec<Coordinator> = (0..SHARDS.div_ceil(DIRECT_SHARDS))
        .map(|_| Coordinator::new(name, settings(), [7; 16], START).reply)
        .collect();
    let mut stored = Stored::default();
    let mut shards: Vec<Shard> = (0..SHARDS)
        .map(|number| {
            let identity = Identity {
                run: 1,
                shard: ShardIndex(number % DIRECT_SHARDS),
            };
            Shard::new(identity, settings(), START).reply
        })
        .collect();
    let before = held()?;
    for (number, shard) in (0..).zip(&mut shards) {
        let coordinator = &mut coordinators[usize::from(number / DIRECT_SHARDS)];
        fill(number, shard, coordinator, &mut stored);
    }
    let after = held()?;
    let per_place = |bytes: f64| bytes / f64::from(PLACES);
    let memory = per_place((after - before) as f64);
    let storage = per_place(stored.bytes() as f64);
    let given = coordinators
        .iter()
        .map(|each| each.board().lines[0].entries.0);
    let given: u64 = given.sum();
    assert_eq!(given, u64::from(PLACES), "everybody has a number");
    println!("{PLACES} places on {SHARDS} shards, all numbered");
    println!("memory   {memory:.1} bytes a place (at most {MOST_MEMORY})");
    println!(
        "storage  {storage:.1} bytes a place in {} rows (at most {MOST_STORAGE})",
        stored.0.len()
    );
    Ok(memory <= MOST_MEMORY && storage <= MOST_STORAGE)
}
