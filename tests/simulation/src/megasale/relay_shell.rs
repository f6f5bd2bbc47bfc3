//! The shell of a relay, as the real one: reports of shards are taken into the core as they come, gathered for 20 ms into one
//! commit, and each is held until the coordinator has answered a report that left after it came in.

use std::collections::BTreeMap;

use anteroom_queue::coordinator::command::Entropy;
use anteroom_queue::relay::command::{RelayCommand, RelayReply};
use anteroom_queue::relay::{Asked, Identity, Relay};
use anteroom_queue::settings::Settings;
use anteroom_queue::sync::{RelayReport, SyncReply, SyncRequest};
use anteroom_queue::units::{RelayIndex, ShardIndex};

use super::messages::Answered;
use super::meters::{Second, Server};
use super::uplink::Uplink;
use super::{RUN, clock, since_start};
use crate::chance::Chance;

/// How long reports are gathered.
const WINDOW_MS: u64 = 20;

/// A report is answered from what is there after this time.
const PATIENCE_MS: u64 = 1_500;

/// A report that waits for nothing is answered from a younger board.
const FRESH_MS: u64 = 250;

/// A child is asked for a report at most this often.
pub const POKE_AFTER_MS: u64 = 1_000;

/// One of so many rows is measured.
const SIZED_EVERY: u64 = 256;

/// A report that waits for its answer.
struct Held {
    asked: Asked,
    taken: u64,
    reported: bool,
}

/// What a step gives out once its row is durable.
#[derive(Default)]
pub struct Given {
    /// To shards.
    pub answers: Vec<(u16, Answered)>,
    /// Whose reports that one is the first to count, by when they left.
    pub reported: Vec<(u16, u64)>,
    /// To the coordinator.
    pub report: Option<Box<RelayReport>>,
    /// Shards that are asked for a report.
    pub pokes: Vec<u16>,
    /// Rows of the commit.
    pub rows: u32,
    /// How long the report that was answered took.
    pub round_trip: Option<u64>,
}

/// One relay.
pub struct RelayShell {
    pub core: Relay,
    pub server: Server,
    pub second: Second,
    pub uplink: Uplink,
    /// The step that is planned.
    pub planned: u64,
    changed: bool,
    commits: u64,
    largest_row: u64,
    opened: Option<u64>,
    held: Vec<Held>,
    heard: Option<Box<SyncReply>>,
    poked: BTreeMap<u16, u64>,
}

impl RelayShell {
    /// A relay that is asked for the first time.
    pub fn new(relay: u16, settings: Settings, now: u64) -> Self {
        let identity = Identity {
            run: RUN,
            relay: RelayIndex(relay),
        };
        let mut uplink = Uplink::default();
        uplink.want(now);
        Self {
            core: Relay::new(identity, settings, clock(now)).reply,
            server: Server::default(),
            second: Second::default(),
            uplink,
            planned: u64::MAX,
            changed: true,
            commits: 0,
            largest_row: 0,
            opened: None,
            held: Vec::new(),
            heard: None,
            poked: BTreeMap::new(),
        }
    }

    /// Its whole state as text: what it holds is less.
    pub const fn bytes(&self) -> u64 {
        self.largest_row
    }

    /// A shard reports.
    pub fn take(&mut self, report: SyncRequest, entropy: Entropy, now: u64) {
        let asked = Asked {
            shard: report.shard,
            sent: report.sent,
            board_version: report.board_version,
            taken: clock(now),
        };
        match self.apply(RelayCommand::Report { report, entropy }, now) {
            RelayReply::Refused(why) => panic!("a true report was refused: {why}"),
            RelayReply::Done => {
                self.opened.get_or_insert(now);
                self.held.push(Held {
                    asked,
                    taken: now,
                    reported: false,
                });
            }
        }
    }

    /// The coordinator has answered.
    pub fn hear(&mut self, reply: Box<SyncReply>) {
        self.heard = Some(reply);
    }

    /// The report under way was not answered: whoever waits for it waits for the next.
    pub fn hears_nothing(&mut self, now: u64, chance: &mut Chance) {
        self.uplink.failed(now, chance);
        self.held.iter_mut().for_each(|held| held.reported = false);
        self.want_answers(now);
    }

    /// Carries out what is due.
    pub fn step(&mut self, now: u64, chance: &mut Chance) -> Given {
        let mut given = Given::default();
        if self.core.next_wakeup().is_some_and(|at| at <= clock(now)) {
            self.apply(RelayCommand::Wake, now);
        }
        let heard = self.heard.take();
        let answered = heard.is_some();
        if let Some(reply) = heard {
            given.round_trip = Some(self.uplink.succeeded(reply.next_sync, now, chance));
            self.apply(RelayCommand::Heard { reply: *reply }, now);
        }
        given.rows = u32::from(std::mem::take(&mut self.changed));
        if answered || self.opened.is_some_and(|opened| now >= opened + WINDOW_MS) {
            self.opened = None;
            self.want_answers(now);
        }
        self.answer(answered, now, &mut given.answers);
        self.poke(now, &mut given.pokes);
        if self.report_due(now).is_some_and(|at| at <= now) {
            self.uplink.starts(now);
            for held in self.held.iter_mut().filter(|held| !held.reported) {
                held.reported = true;
                given.reported.push((held.asked.shard.0, held.asked.sent.0));
            }
            given.report = Some(Box::new(self.core.report(clock(now))));
        }
        given
    }

    /// Whoever waits for more than this relay knows needs a report.
    fn want_answers(&mut self, now: u64) {
        let waits = |held: &Held| !held.reported && !self.is_answered_by_what_is_there(held, now);
        if self.held.iter().any(waits) {
            self.uplink.want(now);
        }
    }

    fn is_answered_by_what_is_there(&self, held: &Held, now: u64) -> bool {
        let age = self.core.board_age(clock(now));
        age.is_some_and(|age| age.0 < FRESH_MS) && !self.core.awaits(held.asked.shard)
    }

    fn answer(&mut self, answered: bool, now: u64, answers: &mut Vec<(u16, Answered)>) {
        for held in std::mem::take(&mut self.held) {
            let gathered = self.opened.is_none() || held.reported;
            let done = answered && held.reported
                || now - held.taken >= PATIENCE_MS
                || gathered && self.is_answered_by_what_is_there(&held, now);
            if !done {
                self.held.push(held);
                continue;
            }
            let answer = self.core.answer(held.asked, clock(now));
            let answer = answer.map_or(Answered::Failed, |answer| {
                Answered::Relayed(Box::new(answer.reply), answer.behind)
            });
            answers.push((held.asked.shard.0, answer));
        }
    }

    fn poke(&mut self, now: u64, pokes: &mut Vec<u16>) {
        for ShardIndex(shard) in self.core.pokes() {
            let last = self.poked.get(&shard);
            if last.is_none_or(|last| now - last >= POKE_AFTER_MS) {
                self.poked.insert(shard, now);
                pokes.push(shard);
            }
        }
    }

    fn apply(&mut self, command: RelayCommand, now: u64) -> RelayReply {
        let outcome = self.core.apply(command, clock(now));
        if let Some(row) = outcome.rows.first() {
            self.changed = true;
            self.commits += 1;
            if self.commits.is_multiple_of(SIZED_EVERY) {
                let bytes = serde_json::to_vec(row).map_or(0, |bytes| bytes.len());
                self.largest_row = self.largest_row.max(bytes as u64);
            }
        }
        outcome.reply
    }

    /// When the next report is due: what is being gathered goes along.
    fn report_due(&self, now: u64) -> Option<u64> {
        let gathering = self.opened.map(|opened| opened + WINDOW_MS);
        let due = self.uplink.due(self.core.next_report().map(since_start))?;
        Some(gathering.map_or(due, |closes| due.max(closes.min(now + WINDOW_MS))))
    }

    /// When the next step is due.
    pub fn due(&self, now: u64) -> Option<u64> {
        let own = self.core.next_report().map(since_start);
        let wakeup = self.core.next_wakeup().map(since_start);
        let deadline = wakeup.filter(|at| Some(*at) != own);
        let patience = self.held.iter().map(|held| held.taken + PATIENCE_MS).min();
        let window = self.opened.map(|opened| opened + WINDOW_MS);
        let heard = self.heard.is_some().then_some(now);
        let poke = self.core.pokes().into_iter().map(|ShardIndex(shard)| {
            let last = self.poked.get(&shard);
            last.map_or(now, |last| last + POKE_AFTER_MS)
        });
        [heard, window, patience, deadline, self.report_due(now)]
            .into_iter()
            .flatten()
            .chain(poke.min())
            .min()
    }
}
