//! The coordinator: the only authority on order, turns and limits of one run of one event.
//!
//! Shards report cumulative counters; the coordinator answers with cumulative results. It knows
//! shards and seconds, never visitors: a million more places cost it nothing. It gives
//! consecutive entry numbers to reported joins (`cutting`), offers turns by moving `called`
//! (`turns`), draws the order of those who came before the opening (`drawing`), hears reports (`hearing`), grants claims exactly within the limits (`granting`), follows the operator
//! (`steering`), opens as many shards as the load needs (`opening_shards`), says how often they report (`pacing`) and whom to
//! wake (`waking`), slows down for an origin in trouble (`health`), lives through the event (`life`), publishes the board (`publishing`) and keeps the
//! event log (`logbook`).
//!
//! The invariant: sessions are the grants less the ends, and a grant is made only while they are
//! below the limit. A shard that cannot be reached goes on counting.
//!
//! What is deliberately absent: a clock, entropy, visitors' names, storage. Commands carry the
//! time and the entropy; [`Outcome::rows`] carry what must be stored before the answer leaves.

mod checking;
pub mod command;
mod cutting;
pub mod drawing;
mod edges;
mod granting;
pub mod health;
mod hearing;
pub mod life;
pub mod logbook;
mod opening_shards;
pub(crate) mod pacing;
mod publishing;
pub mod rows;
mod silent;
pub mod steering;
mod storing;
mod turns;
mod waking;
mod window;

use std::collections::{BTreeSet, VecDeque};

use crate::admission::Admission;
use crate::board::{Board, Phase};
use crate::calling::Calling;
use crate::child::ChildLine;
use crate::children::Children;
use crate::clock::Clock;
use crate::outcome::Outcome;
use crate::settings::{Limits, Settings};
use crate::units::{Millis, UnixMillis};

use command::{CoordinatorCommand, CoordinatorReply, Entropy, Noted};
use drawing::Draw;
use edges::Hearsay;
use health::Health;
use life::Life;
use logbook::Logbook;
use opening_shards::{AHEAD, Openings};
use rows::{CoordinatorRow, LineRow};
use steering::Live;

/// Which run of which event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunName<'a> {
    /// The event's id.
    pub event: &'a str,
    /// The run.
    pub run: u32,
}

/// What has to be stored.
#[derive(Clone, Debug, Default)]
struct Changed {
    queue: bool,
    noted: bool,
    lines: BTreeSet<usize>,
    calls: BTreeSet<usize>,
    children: BTreeSet<u16>,
    life: bool,
    origin: bool,
    draws: BTreeSet<usize>,
}

/// One line of the queue.
#[derive(Clone, Debug, Default)]
struct Line {
    row: LineRow,
    calling: Calling,
    draw: Option<Draw>,
    /// Since when the shards are asked who joined before the opening.
    collecting: Option<UnixMillis>,
}

/// The state of one run of one event.
#[derive(Clone, Debug)]
pub struct Coordinator {
    event: String,
    run: u32,
    settings: Settings,
    live: Live,
    life: Life,
    logbook: Logbook,
    hearsay: Hearsay,
    health: Health,
    clock: Clock,
    lines: Vec<Line>,
    children: Children,
    admission: Admission,
    /// From when on shards may be given up for lost.
    gives_up_from: UnixMillis,
    /// The longest that any session of the run may last.
    longest_session: Millis,
    board: Board,
    /// The board was rebuilt from rows and is published as a new version.
    rebuilt: bool,
    noted: Vec<Noted>,
    /// When late joins are cut, while some are being collected.
    collect_until: Option<UnixMillis>,
    /// When `called` may move again.
    next_call: UnixMillis,
    /// Ends in all, by second, of the last seconds.
    ends: VecDeque<(UnixMillis, u64)>,
    openings: Openings,
    /// The version of the board with the last brake that was put on or taken off, as far as is known.
    brake: u64,
    /// From the last report; decides what must not depend on a shard's number.
    entropy: Entropy,
    changed: Changed,
}

impl Coordinator {
    /// A coordinator at the beginning of its run. Secrets of draws are made from `entropy`.
    pub fn new(
        name: RunName<'_>,
        settings: Settings,
        entropy: [u8; 16],
        now: UnixMillis,
    ) -> Outcome<Self, CoordinatorRow> {
        let mut coordinator = Self::empty(name, settings, now);
        coordinator.changed.queue = true;
        coordinator.changed.life = true;
        coordinator.life.homes = coordinator.planned_shards();
        coordinator.prepare_draws(&entropy, now);
        coordinator.proceed(now);
        let rows = coordinator.take_rows();
        Outcome {
            reply: coordinator,
            rows,
        }
    }

    fn empty(name: RunName<'_>, settings: Settings, now: UnixMillis) -> Self {
        let lines = vec![Line::default(); settings.lines.len()];
        let board = publishing::blank(&settings);
        Self {
            event: name.event.to_owned(),
            run: name.run,
            life: Life {
                homes: 1,
                ..Life::default()
            },
            logbook: Logbook::begin(name.event, name.run),
            hearsay: Hearsay::default(),
            health: Health::default(),
            gives_up_from: now,
            longest_session: settings.longest_session(),
            settings,
            live: Live::default(),
            clock: Clock::at(UnixMillis(0)),
            lines,
            children: Children::new(),
            admission: Admission::default(),
            board,
            rebuilt: true,
            noted: Vec::new(),
            collect_until: None,
            next_call: now,
            ends: VecDeque::new(),
            openings: Openings::default(),
            brake: 0,
            entropy: Entropy::default(),
            changed: Changed::default(),
        }
    }

    /// Carries out one command.
    pub fn apply(
        &mut self,
        command: CoordinatorCommand,
        now: UnixMillis,
    ) -> Outcome<CoordinatorReply, CoordinatorRow> {
        if self.clock.was_wrong(now) {
            self.admission.bring_back(now);
            self.ends.clear();
            self.health.forget_grants();
            self.collect_until = self.collect_until.map(|at| at.min(now));
        }
        self.mind_clock(now);
        let now = self.clock.observe(now);
        let reply = match command {
            CoordinatorCommand::Sync { report, entropy } => self.sync(report, entropy, now),
            CoordinatorCommand::Relayed { report, entropy } => self.relayed(report, entropy, now),
            CoordinatorCommand::Operate { action, by } => self.operate(action, by, now),
            CoordinatorCommand::Beacon { round, signature } => {
                self.take_beacon(round, &signature, now)
            }
            CoordinatorCommand::Edges {
                bypassed,
                staff,
                stock,
            } => self.hear_edges(bypassed, staff, stock, now),
            CoordinatorCommand::Origin { heard } => self.hear_origin(heard, now),
            CoordinatorCommand::WatchOrigin { acts } => self.watch_origin(acts, now),
            CoordinatorCommand::Configure { settings, entropy } => {
                self.configure(settings, entropy, now)
            }
            CoordinatorCommand::Wake => {
                self.proceed(now);
                self.state_reply()
            }
        };
        Outcome {
            reply,
            rows: self.take_rows(),
        }
    }

    /// The present board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// When to wake the coordinator although nobody asks: the next step of the schedule, or the
    /// end of a collection of late joins.
    pub fn next_wakeup(&self) -> Option<UnixMillis> {
        let now = self.clock.high();
        let forgotten = self.life.ended_at.map(|at| at.plus(self.settings.keep));
        let steps = self.beginnings();
        let warmings = self.beginnings().map(|at| at.minus(AHEAD));
        steps
            .chain(warmings)
            .filter(|at| *at > now)
            .chain(self.collect_until)
            .chain(self.next_draw_step(now))
            .chain(self.next_untold(now))
            .chain(self.next_hearsay())
            .chain(self.next_verdict())
            .chain(forgotten)
            .min()
    }

    fn configure(
        &mut self,
        settings: Settings,
        entropy: Entropy,
        now: UnixMillis,
    ) -> CoordinatorReply {
        if let Some(why) = settings.other_lines(&self.settings) {
            return CoordinatorReply::Refused(why.to_string());
        }
        let before = self.limits();
        self.keep_begun_openings(now);
        self.settings = settings;
        self.longest_session = self.longest_session.max(self.settings.longest_session());
        self.limits_changed(&before, now);
        self.changed.queue = true;
        self.prepare_draws(&entropy.0, now);
        self.proceed(now);
        self.state_reply()
    }

    /// Everything that the passing of time and the counters bring about, up to the board.
    fn proceed(&mut self, now: UnixMillis) {
        self.settle(now);
        self.publish(now);
    }

    fn settle(&mut self, now: UnixMillis) {
        for position in 0..self.lines.len() {
            let running = self.holds_run(position, now);
            if self.lines[position].calling.run_hold(running, now) {
                self.changed.calls.insert(position);
            }
        }
        self.take_hearsay(now);
        self.mind_origin(now);
        self.note_end(now);
        self.draw(now);
        self.cut_collected(now);
        self.write_off_lost(now);
        self.grant(now);
        self.call(now);
    }

    /// Whether the hold of the line's offers runs: visitors can enter.
    fn holds_run(&self, position: usize, now: UnixMillis) -> bool {
        self.phase(position, now) == Phase::Open && !self.live.stop
    }

    fn limits(&self) -> Limits {
        let limits = self.live.limits(&self.settings.limits);
        self.health.restraint.lower(limits)
    }

    /// Sessions and grants that count against the limits.
    fn active(&self) -> u64 {
        self.child_lines(0..self.lines.len())
            .map(ChildLine::active)
            .sum()
    }

    fn child_lines(&self, positions: std::ops::Range<usize>) -> impl Iterator<Item = &ChildLine> {
        self.children
            .values()
            .flat_map(move |child| child.lines[positions.clone()].iter())
    }
}
