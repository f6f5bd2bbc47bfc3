//! What the real coordinator writes holds: a sale of two shards from the first join to the last
//! grant, drawn with a round of drand's quicknet, and checked from its log and its board alone.

use std::collections::BTreeMap;

use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, Entropy};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::draw::beacon::QUICKNET;
use anteroom_queue::draw::{ALGORITHM, SEED_LABEL, chain, hex, randomness};
use anteroom_queue::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::sync::{Counters, Entrants, LineReport, SyncRequest};
use anteroom_queue::tree::Node;
use anteroom_queue::units::{Millis, Nonce, ShardIndex, UnixMillis};
use serde_json::{Value, json};
use verify_draw::beacon::BeaconChain;
use verify_draw::{Evidence, Findings, Verdict, check};

const RUN: u32 = 1;
/// quicknet's round 123, from the documentation of the crate drand-verify 0.6.2.
const ROUND: u64 = 123;
const SIGNATURE: &str = "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92";
/// So that round 123 is the first at least 10 s after the opening.
const OPENS_AT: UnixMillis = UnixMillis(1_692_803_721_000);

fn settings(beacon: bool) -> Settings {
    Settings {
        mode: Mode::Always,
        prequeue_at: None,
        lines: vec![LineSettings {
            id: "general".to_owned(),
            weight: 1,
            opens_at: Some(OPENS_AT),
        }],
        limits: Limits {
            per_minute: Some(6_000),
            ..Limits::default()
        },
        hold: Millis::from_minutes(30),
        session: Millis::from_minutes(20),
        idle: Millis::from_minutes(10),
        pass: Millis::from_seconds(180),
        max_extension: Millis(0),
        expected_visitors: 16_000,
        draw: DrawSettings {
            grace: Millis::from_seconds(60),
            beacon,
            beacon_wait: Millis::from_minutes(10),
        },
        keep: Millis::from_minutes(60),
    }
}

/// A coordinator, two shards that report to it, and the pages of its log as they were stored.
struct Sale {
    coordinator: Coordinator,
    pages: BTreeMap<u32, Vec<String>>,
    shards: [Counters; 2],
    entrants: [Option<u64>; 2],
    now: UnixMillis,
}

impl Sale {
    fn begin(beacon: bool) -> Self {
        let now = OPENS_AT.minus(Millis::from_minutes(30));
        let name = RunName {
            event: "world-tour",
            run: RUN,
        };
        let begun = Coordinator::new(name, settings(beacon), [7; 16], now);
        let mut sale = Self {
            coordinator: begun.reply,
            pages: BTreeMap::new(),
            shards: [Counters::default(); 2],
            entrants: [None; 2],
            now,
        };
        sale.store(begun.rows);
        sale
    }

    fn store(&mut self, rows: Vec<CoordinatorRow>) {
        for row in rows {
            if let CoordinatorRow::Log(page) = row {
                self.pages.insert(page.number, page.lines);
            }
        }
    }

    fn apply(&mut self, command: CoordinatorCommand) {
        let rows = self.coordinator.apply(command, self.now).rows;
        self.store(rows);
    }

    /// A shard reports, and reports again that it has stored its cuts.
    fn report(&mut self, shard: usize, joins: u64, claims: u64) {
        self.shards[shard].joined += joins;
        self.shards[shard].claimed += claims;
        for _ in 0..2 {
            self.now = self.now.plus(Millis(100));
            let counters = self.shards[shard];
            let nonce = |join: u64| Nonce((u128::from(join) << 8 | shard as u128).to_be_bytes());
            let permits =
                (0..counters.joined).fold([0; 32], |link, join| chain(&link, &nonce(join)));
            let report = SyncRequest {
                run: RUN,
                shard: ShardIndex(shard as u16),
                sent: self.now,
                lines: vec![LineReport {
                    counters,
                    late: Vec::new(),
                    chain: permits,
                    entrants: self.entrants[shard].map(|count| Entrants {
                        opens_at: OPENS_AT,
                        count,
                    }),
                }],
                unconfirmed: 0,
                board_version: 0,
            };
            let entropy = Entropy([shard as u8; 16]);
            self.apply(CoordinatorCommand::Sync { report, entropy });
            self.shards[shard].numbered = self.shards[shard].joined.min(self.numbered(shard));
        }
    }

    /// How many joins of a shard the log has numbered.
    fn numbered(&self, shard: usize) -> u64 {
        let lines = self.pages.values().flatten();
        let read = lines.map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
        let cuts = read.filter(|line| line["kind"] == "cut" && line["shard"] == shard);
        cuts.map(|cut| cut["count"].as_u64().expect("a count"))
            .sum()
    }

    fn open(&mut self) {
        self.now = OPENS_AT;
        self.entrants = self.shards.map(|counters| Some(counters.joined));
        self.apply(CoordinatorCommand::Wake);
        // Shards that the run has grown by, in the rush, and at which nobody was.
        for child in self.coordinator.pokes() {
            match child {
                Node::Shard(shard) if usize::from(shard.0) >= self.shards.len() => {
                    self.nobody_at(shard);
                }
                _ => {}
            }
        }
    }

    fn nobody_at(&mut self, shard: ShardIndex) {
        let report = SyncRequest {
            run: RUN,
            shard,
            sent: self.now,
            lines: vec![LineReport {
                entrants: Some(Entrants {
                    opens_at: OPENS_AT,
                    count: 0,
                }),
                ..LineReport::default()
            }],
            unconfirmed: 0,
            board_version: 0,
        };
        let entropy = Entropy([0; 16]);
        self.apply(CoordinatorCommand::Sync { report, entropy });
    }

    fn log(&self) -> String {
        self.pages
            .values()
            .flatten()
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// The board's draw, in the form in which the edge publishes it.
    fn document(&self) -> Value {
        let board = self.coordinator.board();
        let line = &board.lines[0];
        let draw = line.draw.as_ref().expect("the line has a draw");
        let fixed = draw.fixed.as_ref().expect("the entrants are fixed");
        let drawn = draw.drawn.as_ref();
        let signature = drawn.and_then(|drawn| drawn.beacon.clone());
        let at = (fixed.at.0 - OPENS_AT.0).to_string();
        json!({
            "event": "world-tour", "run": RUN, "algorithm": ALGORITHM, "label": SEED_LABEL,
            "lines": [{ "id": line.id, "draw": {
                "commitment": hex::text(&draw.commitment),
                "entrants": fixed.entrants,
                "log_root": hex::text(&fixed.root),
                "fixed_at": format!("2023-08-23T15:15:21.{at:0>3}Z"),
                "beacon": fixed.round.map(|round| json!({
                    "chain": hex::text(&QUICKNET.hash),
                    "round": round,
                    "signature": signature.as_deref().map(hex::text),
                    "randomness": signature.as_deref().map(|bytes| hex::text(&randomness(bytes))),
                    "absent": drawn.is_some() && signature.is_none(),
                })),
                "secret": drawn.map(|drawn| hex::text(&drawn.secret)),
                "seed": drawn.map(|drawn| hex::text(&drawn.seed)),
            } }],
        })
    }

    fn checked(&self) -> Findings {
        let (draw, log) = (self.document().to_string(), self.log());
        check(&Evidence {
            draw: &draw,
            log: Some(&log),
            ticket: None,
            line: None,
            beacon: &BeaconChain::quicknet(),
        })
    }
}

fn sold(beacon: bool) -> Sale {
    let mut sale = Sale::begin(beacon);
    sale.report(0, 300, 0);
    sale.report(1, 170, 0);
    let action = Action::Message {
        text: "soon".to_owned(),
    };
    let by = "kim".to_owned();
    sale.apply(CoordinatorCommand::Operate { action, by });
    sale.report(0, 41, 0);
    sale.open();
    sale.report(0, 0, 0);
    sale.report(1, 9, 0);
    sale.now = sale.now.plus(Millis::from_seconds(15));
    sale
}

fn finish(sale: &mut Sale) {
    for _ in 0..20 {
        sale.now = sale.now.plus(Millis::from_seconds(1));
        sale.report(0, 3, 4);
        sale.report(1, 2, 5);
    }
    sale.apply(CoordinatorCommand::Edges {
        bypassed: 12,
        staff: 1,
        stock: None,
    });
}

#[test]
fn a_sale_of_the_real_coordinator_holds_from_the_commitment_to_the_last_grant() {
    let mut sale = sold(true);
    let signature = hex::bytes(SIGNATURE).expect("digits");
    sale.apply(CoordinatorCommand::Beacon {
        round: ROUND,
        signature,
    });
    finish(&mut sale);
    let findings = sale.checked();
    assert_eq!(
        findings.count(Verdict::Fails),
        0,
        "{findings}\n{}",
        sale.log()
    );
    let told = findings.to_string();
    for sentence in [
        "round 123 is signed by the beacon's key",
        "from event, run, line, 511 entrants",
        "620 entry numbers from 0 on",
        "180 granted",
        "operators did: message by kim; 12 requests passed without a pass",
    ] {
        assert!(told.contains(sentence), "{sentence}\n{told}");
    }
}

#[test]
fn a_sale_without_a_beacon_holds_and_says_what_that_means() {
    let mut sale = sold(false);
    sale.apply(CoordinatorCommand::Wake);
    finish(&mut sale);
    let findings = sale.checked();
    assert_eq!(
        findings.count(Verdict::Fails),
        0,
        "{findings}\n{}",
        sale.log()
    );
    assert!(
        findings
            .to_string()
            .contains("could have influenced this draw")
    );
}

#[test]
fn before_the_beacon_has_come_it_is_not_decided_and_nothing_is_wrong() {
    let findings = sold(true).checked();
    assert_eq!(findings.count(Verdict::Fails), 0, "{findings}");
    assert!(findings.to_string().contains("it is not decided yet"));
}
