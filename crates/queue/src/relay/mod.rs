//! The relay: stands between the coordinator and many shards, so that neither has more to do than it can.
//!
//! To its shards it is what the coordinator would be, and to the coordinator it is one shard with the sums of all of them.
//! It takes up the joins of its shards in the order in which it hears of them (`hearing`), as the coordinator would number
//! them, and hands the numbers that come back to them in that order (`answered`); so the order of two joins that do not
//! overlap is kept through every level. Grants go to the oldest claims. What its shards did not use it gives back in the
//! parent's own words: one more end and one more claim. A shard that is away takes its claims back until it is heard again,
//! so that nobody waits for it; one that is lost stops counting as it would with the coordinator.
//!
//! It decides nothing. The board goes on as it came, with the age that it has here.
//!
//! What is deliberately absent: a clock, entropy, storage. [`Outcome::rows`] carry the one row that has to be stored before
//! a report or an answer leaves.

mod answered;
pub mod command;
mod entrants;
mod hearing;
pub mod rows;
mod waking;

use crate::board::Board;
use crate::children::{self, Children};
use crate::clock::Clock;
use crate::coordinator::command::Entropy;
use crate::coordinator::pacing::pace;
use crate::freshness::Freshness;
use crate::limits::{CLOCK_JUMP, GRANT_TO_HEARD, JUMP_DOUBTED, RELAY_SILENCE};
use crate::openings;
use crate::outcome::Outcome;
use crate::settings::Settings;
use crate::sync::{LineReport, OfferClock, SyncReply, SyncRequest};
use crate::tree::shards_of;
use crate::units::{Millis, RelayIndex, ShardIndex, UnixMillis};

use command::{RelayAnswer, RelayCommand, RelayReply};
use rows::{LineRow, RelayRow};

/// Which relay of which run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The run.
    pub run: u32,
    /// The relay.
    pub relay: RelayIndex,
}

/// One line.
#[derive(Clone, Debug, Default)]
struct Line {
    row: LineRow,
    /// What the parent was last told and has answered.
    answered: Option<LineReport>,
    /// The clock of the line's offers, as it was when the board was heard.
    clock: OfferClock,
}

/// A report of a shard that is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Whose.
    pub shard: ShardIndex,
    /// When it left, on the shard's clock.
    pub sent: UnixMillis,
    /// The version of the board that the shard has.
    pub board_version: u64,
    /// When it was taken in here.
    pub taken: UnixMillis,
}

/// The state of one relay.
#[derive(Clone, Debug)]
pub struct Relay {
    identity: Identity,
    settings: Settings,
    clock: Clock,
    lines: Vec<Line>,
    shards: Children,
    board: Option<Board>,
    board_heard: UnixMillis,
    freshness: Freshness,
    /// The version of the last board that said what cannot wait.
    urgent: u64,
    grant_in: Option<Millis>,
    /// When the last report left, and what it said until it is answered.
    reported: (UnixMillis, Option<Vec<LineReport>>),
    /// The first visits that it said are unconfirmed.
    told_unconfirmed: u64,
    next_sync: UnixMillis,
    last_sync: UnixMillis,
    /// When late joins are taken up, while some are being collected.
    collect_until: Option<UnixMillis>,
    /// From when on shards may be given up for lost.
    gives_up_from: UnixMillis,
    longest_session: Millis,
    ended_at: Option<UnixMillis>,
    entropy: Entropy,
    changed: bool,
}

impl Relay {
    /// A relay at the beginning of its run.
    pub fn new(identity: Identity, settings: Settings, now: UnixMillis) -> Outcome<Self, RelayRow> {
        let mut relay = Self::empty(identity, settings, now);
        relay.changed = true;
        let rows = relay.take_rows();
        Outcome { reply: relay, rows }
    }

    fn empty(identity: Identity, settings: Settings, now: UnixMillis) -> Self {
        Self {
            identity,
            lines: vec![Line::default(); settings.lines.len()],
            longest_session: settings.longest_session(),
            settings,
            clock: Clock::at(now),
            shards: Children::new(),
            board: None,
            board_heard: UnixMillis(0),
            freshness: Freshness::new(now),
            urgent: 0,
            grant_in: None,
            reported: (UnixMillis(0), None),
            told_unconfirmed: 0,
            next_sync: now,
            last_sync: UnixMillis(0),
            collect_until: None,
            gives_up_from: now,
            ended_at: None,
            entropy: Entropy::default(),
            changed: false,
        }
    }

    /// Carries out one command.
    pub fn apply(
        &mut self,
        command: RelayCommand,
        now: UnixMillis,
    ) -> Outcome<RelayReply, RelayRow> {
        let now = self.observe(now);
        let reply = match command {
            RelayCommand::Report { report, entropy } => self.hear(&report, entropy, now),
            RelayCommand::Heard { reply } => self.answered(reply, now),
            RelayCommand::Configure { settings } => self.configure(settings),
            RelayCommand::Wake => RelayReply::Done,
        };
        self.settle(now);
        Outcome {
            reply,
            rows: self.take_rows(),
        }
    }

    /// The present. What was noted by a clock that was far ahead is brought back, so that nothing waits for a time that was
    /// never meant; and after a jump nobody is given up until it is known that the clock is right.
    fn observe(&mut self, now: UnixMillis) -> UnixMillis {
        self.freshness.look(now);
        if now.since(self.clock.high()) > CLOCK_JUMP {
            self.gives_up_from = now.plus(JUMP_DOUBTED);
        }
        if self.clock.was_wrong(now) {
            (self.next_sync, self.last_sync, self.reported) = (now, now, (now, None));
            self.board_heard = self.board_heard.min(now);
            self.gives_up_from = now;
            self.collect_until = self.collect_until.map(|at| at.min(now));
            children::bring_back(&mut self.shards, now);
            for piece in self.lines.iter_mut().flat_map(|line| &mut line.row.pieces) {
                piece.at = piece.at.min(now);
            }
        }
        self.clock.observe(now)
    }

    /// The lines are fixed for a run; everything else may change.
    fn configure(&mut self, settings: Settings) -> RelayReply {
        if settings.other_lines(&self.settings).is_none() {
            self.longest_session = self.longest_session.max(settings.longest_session());
            self.settings = settings;
            self.changed = true;
        }
        RelayReply::Done
    }

    /// What the passing of time brings about.
    fn settle(&mut self, now: UnixMillis) {
        self.take_up_collected(now);
        self.suspend_claims(now);
        if now >= self.gives_up_from {
            let lost = children::write_off_lost(&mut self.shards, self.longest_session, now);
            self.changed |= !lost.is_empty();
        }
    }

    /// The claims of a shard that is away are taken back, and made again when it is heard.
    fn suspend_claims(&mut self, now: UnixMillis) {
        for (position, line) in self.lines.iter_mut().enumerate() {
            for (number, child) in &self.shards {
                let is_away = now.since(child.heard) > GRANT_TO_HEARD;
                let suspended = &mut line.row.suspended;
                let known = suspended.iter().position(|(shard, _)| shard == number);
                match known {
                    Some(at) if !is_away => {
                        let (_, count) = suspended.remove(at);
                        line.row.own.claimed += count;
                        self.changed = true;
                    }
                    None if is_away && child.lines[position].demand() > 0 => {
                        let count = child.lines[position].demand();
                        suspended.push((*number, count));
                        line.row.own.withdrawn += count;
                        self.changed = true;
                    }
                    _ => {}
                }
            }
        }
    }

    /// The answer to a report of a shard; `None`: the parent has been silent for so long that this relay must not say
    /// anything in its name, or was never heard.
    pub fn answer(&mut self, asked: Asked, now: UnixMillis) -> Option<RelayAnswer> {
        let age = self.freshness.age(now);
        let board = self.board.as_ref().filter(|_| age <= RELAY_SILENCE)?;
        let next_sync = pace(&self.shards, self.shards.get(&asked.shard.0)?, now);
        let child = self.shards.get_mut(&asked.shard.0)?;
        child.told = board.version;
        let waits = child.lines.iter().any(|line| !line.pending.is_empty());
        let reply = SyncReply {
            run: self.identity.run,
            sent: asked.sent,
            lines: children::answers(child),
            board: (asked.board_version != board.version).then(|| board.clone()),
            board_version: board.version,
            next_sync,
            grant_in: self.grant_in.filter(|_| waits),
            clocks: self.lines.iter().map(|line| line.clock).collect(),
        };
        let behind = Millis(age.0.saturating_sub(now.since(asked.taken).0));
        Some(RelayAnswer { reply, behind })
    }

    /// Whether a shard waits for something that only the parent can give.
    pub fn awaits(&self, shard: ShardIndex) -> bool {
        let child = self.shards.get(&shard.0);
        child.is_some_and(|child| {
            child.lines.iter().any(|line| {
                line.cut < line.counters.joined
                    || line.demand() > 0
                    || line.tries_decided < line.counters.tried
            })
        })
    }

    /// The shards of this relay that the run has.
    fn known_shards(&self) -> impl Iterator<Item = u16> + '_ {
        let shards = self.board.as_ref().map_or(0, |board| board.shards);
        shards_of(self.identity.relay)
            .filter(move |number| *number < shards || self.shards.contains_key(number))
    }

    fn opening(&self, position: usize) -> Option<UnixMillis> {
        openings::opening(self.board.as_ref(), &self.settings, position)
    }

    fn draw_is_open(&self, position: usize) -> bool {
        openings::draw_is_open(self.board.as_ref(), &self.settings, position)
    }

    fn forgotten_at(&self) -> Option<UnixMillis> {
        self.ended_at.map(|at| at.plus(self.settings.keep))
    }

    /// Whether everything of the run is to be deleted: what the parent said since that was due is that the run is still over.
    pub fn is_to_be_forgotten(&self, now: UnixMillis) -> bool {
        let is_due = |at: UnixMillis| now >= at && self.board_heard >= at;
        self.forgotten_at().is_some_and(is_due)
    }

    /// The board, once the parent was heard.
    pub fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// How old, at most, what the board says is.
    pub fn board_age(&self, now: UnixMillis) -> Option<Millis> {
        self.board.as_ref().map(|_| self.freshness.age(now))
    }

    fn last_sent(&self, now: UnixMillis) -> UnixMillis {
        now.max(self.reported.0.plus(Millis(1)))
    }

    /// Refuses what is not one of this relay's shards.
    fn refusal(&self, report: &SyncRequest) -> Option<String> {
        if report.run != self.identity.run {
            return Some(format!(
                "run {} reported to run {}",
                report.run, self.identity.run
            ));
        }
        let allowed = shards_of(self.identity.relay);
        if !allowed.contains(&report.shard.0) {
            return Some(format!(
                "shard {}; {} to {} report to relay {}",
                report.shard.0,
                allowed.start,
                allowed.end - 1,
                self.identity.relay.0
            ));
        }
        children::refusal(&self.shards, report, self.lines.len())
    }
}
