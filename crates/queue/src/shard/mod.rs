//! The shard: takes joins, holds places and sessions, and follows the coordinator.
//!
//! A shard never decides an order or a limit. It counts what happens to its places (joins,
//! claims, ends), reports the counters, and applies what comes back: entry numbers to places in
//! the order in which they joined, grants to claims in the order in which they were made. What a
//! visitor's place *is* (waiting, called, lapsed) follows from its rank and the board's
//! watermarks and is never stored.
//!
//! What is deliberately absent: a clock, entropy, keys, sockets, storage. Commands carry the
//! time; [`Outcome::rows`] carry what must be stored before the answer leaves.
//!
//! One file an idea: `joining` (joins and tries), `turn` (what a place is, claims, leaving), `appointments` (when pending claims are asked about),
//! `session` (passes' sessions and deadlines), `networks` and `rechecking` (passes that are shared), `syncing` (reports and answers), `entrants` (who came
//! before the opening), `absent` (who left before being called), `crawlers` (requests without a place), `offers` (offers of a place's own), `keeping` (member keys, codes, hand-overs), `storing` (rows).

mod absent;
mod appointments;
mod by_permit;
pub mod command;
pub mod crawlers;
mod entrants;
mod joining;
pub mod keeping;
pub mod networks;
mod offers;
pub mod place;
mod rechecking;
pub mod rows;
mod session;
mod storing;
mod syncing;
mod turn;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::board::Board;
use crate::clock::Clock;
use crate::deadlines::Deadlines;
use crate::draw::Hash;
use crate::freshness::Freshness;
use crate::limits::{DEAF_AFTER, PATIENT_SYNC, PLACES_PER_PAGE};
use crate::line::Order;
use crate::outcome::Outcome;
use crate::settings::Settings;
use crate::sync::{Counters, LineReport, OfferClock};
use crate::units::{ClaimId, KeyHash, Millis, Nonce, PlaceIndex, ShardIndex, UnixMillis};

use absent::Left;
use appointments::Appointments;
use by_permit::ByPermit;
pub use crawlers::{CrawledSecond, Crawlers};

use command::{PlaceView, ShardCommand, ShardReply};
use keeping::{Handover, Holder};
use place::Place;
use rows::{LineRow, ShardRow};

/// Which shard of which run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The run.
    pub run: u32,
    /// The shard.
    pub shard: ShardIndex,
}

/// A first visit that asks to be admitted in one step.
#[derive(Clone, Debug)]
struct Try {
    nonce: Nonce,
    line: u8,
    claim: ClaimId,
    at: UnixMillis,
}

/// One line's share of the shard.
#[derive(Clone, Debug, Default)]
struct Line {
    row: LineRow,
    /// The places that joined it, in order.
    joins: Vec<PlaceIndex>,
    /// Pending claims, in order of claiming.
    claims: BTreeSet<(u64, PlaceIndex)>,
    /// Tries that are not decided.
    tries: VecDeque<Try>,
    /// The counters of the last report that was answered.
    heard_counters: Counters,
    /// The opening of which the coordinator knows who joined before.
    told_opening: Option<UnixMillis>,
    /// How ranks follow from entry numbers.
    order: Order,
    /// The clock of the line's offers, as it was when the board was heard.
    clock: Option<OfferClock>,
    /// The chain over the permits of the places made, in the order of making.
    chain: Hash,
    /// Places that were left and are not counted as absent.
    left: Left,
}

/// What has to be stored.
#[derive(Clone, Debug, Default)]
struct Changed {
    pages: BTreeSet<u32>,
    counters: bool,
    keys: BTreeSet<KeyHash>,
    handovers: BTreeSet<PlaceIndex>,
    end: bool,
    crawlers: bool,
}

/// The state of one shard.
#[derive(Clone, Debug)]
pub struct Shard {
    identity: Identity,
    settings: Settings,
    clock: Clock,
    places: Vec<Place>,
    by_permit: ByPermit,
    keys: BTreeMap<KeyHash, Vec<Holder>>,
    handovers: BTreeMap<PlaceIndex, Vec<Handover>>,
    by_handover: BTreeMap<KeyHash, PlaceIndex>,
    crawlers: Crawlers,
    lines: Vec<Line>,
    deadlines: Deadlines,
    /// When visitors of pending claims ask again.
    appointments: Appointments,
    /// Grants whose first pass has not been fetched.
    unissued: BTreeSet<PlaceIndex>,
    /// First visits admitted in one step and not confirmed.
    unconfirmed: BTreeSet<PlaceIndex>,
    /// Places whose own offer runs from the next news on.
    unset_offers: BTreeSet<PlaceIndex>,
    /// When the operator ended the run, as last heard.
    ended_at: Option<UnixMillis>,
    board: Option<Board>,
    /// When the coordinator made what we know of it, at the earliest: when the report left.
    board_heard: UnixMillis,
    /// How old that is, by the clock as it reads.
    freshness: Freshness,
    /// The last report: when it left, and its lines until it is answered.
    reported: (UnixMillis, Option<Vec<LineReport>>),
    next_sync: UnixMillis,
    last_sync: UnixMillis,
    /// How long to wait between reports while grants are awaited.
    patience: Millis,
    /// When an edge last asked anything.
    edge_heard: UnixMillis,
    /// How long in all no edge was heard.
    deaf: Millis,
    /// Somebody was refused or kept waiting on a board that may be outdated: news is wanted.
    doubted: bool,
    changed: Changed,
}

impl Shard {
    /// A shard at the beginning of its run.
    pub fn new(identity: Identity, settings: Settings, now: UnixMillis) -> Outcome<Self, ShardRow> {
        let mut shard = Self::empty(identity, settings, now);
        shard.changed.counters = true;
        let rows = shard.take_rows();
        Outcome { reply: shard, rows }
    }

    fn empty(identity: Identity, settings: Settings, now: UnixMillis) -> Self {
        Self {
            identity,
            lines: vec![Line::default(); settings.lines.len()],
            settings,
            clock: Clock::at(now),
            places: Vec::new(),
            by_permit: ByPermit::default(),
            keys: BTreeMap::new(),
            handovers: BTreeMap::new(),
            by_handover: BTreeMap::new(),
            crawlers: Crawlers::default(),
            ended_at: None,
            deadlines: Deadlines::default(),
            appointments: Appointments::default(),
            unissued: BTreeSet::new(),
            unconfirmed: BTreeSet::new(),
            unset_offers: BTreeSet::new(),
            board: None,
            board_heard: UnixMillis(0),
            freshness: Freshness::new(now),
            reported: (UnixMillis(0), None),
            next_sync: now,
            last_sync: UnixMillis(0),
            patience: PATIENT_SYNC,
            edge_heard: now,
            deaf: Millis(0),
            doubted: false,
            changed: Changed::default(),
        }
    }

    /// Carries out one command.
    pub fn apply(
        &mut self,
        command: ShardCommand,
        now: UnixMillis,
    ) -> Outcome<ShardReply, ShardRow> {
        Outcome {
            reply: self.carry_out(command, now),
            rows: self.take_rows(),
        }
    }

    /// Carries out one of a group of commands. What has to be stored before any of them is answered comes out of
    /// [`Shard::take_rows`] after the last: a page that all of them change is made once.
    pub fn carry_out(&mut self, command: ShardCommand, now: UnixMillis) -> ShardReply {
        let now = self.observe(now);
        if !matches!(
            command,
            ShardCommand::Synced { .. }
                | ShardCommand::Relayed { .. }
                | ShardCommand::Configure { .. }
                | ShardCommand::Wake
        ) {
            self.hear_edge(now);
        }
        self.run_deadlines(now);
        match command {
            ShardCommand::Join {
                nonce,
                line,
                permit_expired,
                arrived,
            } => self.join(nonce, line, permit_expired, arrived, now),
            ShardCommand::Try { nonce, line, claim } => self.try_once(nonce, line, claim, now),
            ShardCommand::Ask {
                index,
                nonce,
                claim,
            } => self.ask(index, nonce, claim, now),
            command @ (ShardCommand::Claim { .. } | ShardCommand::ClaimFrom { .. }) => {
                self.of_claim(command, now)
            }
            ShardCommand::Leave { index, nonce } => self.leave(index, nonce, now),
            ShardCommand::Defer { index, nonce } => self.defer(index, nonce, now),
            ShardCommand::Reserve {
                key,
                nonce,
                home,
                uses,
                replaces,
            } => self.reserve(key, Holder::asking(nonce, home, now), uses, replaces),
            ShardCommand::HolderFound { key, nonce, made } => {
                self.holder_found(key, nonce, made, now)
            }
            ShardCommand::OfferHandover { index, nonce, code } => {
                self.offer_handover(index, nonce, code, now)
            }
            ShardCommand::TakeOver { code, taker } => self.take_over(code, taker, now),
            command @ (ShardCommand::Renew { .. }
            | ShardCommand::RenewFrom { .. }
            | ShardCommand::Rechecked { .. }
            | ShardCommand::Release { .. }
            | ShardCommand::Extend { .. }
            | ShardCommand::Access { .. }) => self.of_session(command, now),
            ShardCommand::Crawl {
                per_minute,
                turned_away,
            } => self.crawl(per_minute, turned_away, now),
            ShardCommand::CountCrawlers => self.crawled(now),
            ShardCommand::Synced { reply } => self.synced(reply, Millis(0), now),
            ShardCommand::Relayed { reply, behind } => self.synced(reply, behind, now),
            ShardCommand::Configure { settings } => self.configure(settings),
            ShardCommand::Look | ShardCommand::Wake => ShardReply::Done,
        }
    }

    /// The present. After a clock that was far ahead, what was noted by it is brought back, so
    /// that nothing waits for a time that was never meant.
    fn observe(&mut self, now: UnixMillis) -> UnixMillis {
        self.freshness.look(now);
        if self.clock.was_wrong(now) {
            (self.next_sync, self.last_sync, self.reported) = (now, now, (now, None));
            self.board_heard = self.board_heard.min(now);
            self.edge_heard = self.edge_heard.min(now);
            self.bring_back(now);
        }
        self.clock.observe(now)
    }

    /// The lines are fixed for a run; everything else may change.
    fn configure(&mut self, settings: Settings) -> ShardReply {
        if settings.other_lines(&self.settings).is_none() {
            self.settings = settings;
        }
        ShardReply::Done
    }

    fn hear_edge(&mut self, now: UnixMillis) {
        self.deaf = self.deaf_at(now);
        self.edge_heard = now;
    }

    fn deaf_at(&self, now: UnixMillis) -> Millis {
        let silent = now.since(self.edge_heard).0;
        let stopped = self.board.as_ref().is_some_and(|board| board.stop);
        let heard = if stopped { 0 } else { DEAF_AFTER.0 };
        Millis(self.deaf.0 + silent.saturating_sub(heard))
    }

    /// Time as far as it counts against idle sessions: it stands still while no edge is heard, and
    /// while a stop keeps everybody from the origin.
    fn idle_clock(&self, now: UnixMillis) -> Millis {
        Millis(now.0.saturating_sub(self.deaf_at(now).0))
    }

    /// The board, once the coordinator was heard.
    pub fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// How old, at most, what the board says is.
    pub fn board_age(&self, now: UnixMillis) -> Option<Millis> {
        self.board.as_ref().map(|_| self.freshness.age(now))
    }

    /// The same at the clock's last reading.
    fn present_board_age(&self) -> Option<Millis> {
        self.board_age(self.freshness.looked())
    }

    /// Marks the page of a place as changed.
    fn touch(&mut self, index: PlaceIndex) {
        self.changed.pages.insert(index.0 / PLACES_PER_PAGE as u32);
    }

    /// The counters of a line, to be changed and stored.
    fn count(&mut self, line: usize) -> &mut Counters {
        self.changed.counters = true;
        &mut self.lines[line].row.counters
    }

    /// When the run has been over for as long as it is kept, as far as this shard has heard.
    pub(crate) fn forgotten_at(&self) -> Option<UnixMillis> {
        self.ended_at.map(|at| at.plus(self.settings.keep))
    }

    /// Whether everything of the run is to be deleted: what the coordinator said since that was due
    /// is that the run is still over.
    pub fn is_to_be_forgotten(&self, now: UnixMillis) -> bool {
        let is_due = |at: UnixMillis| now >= at && self.board_heard >= at;
        self.forgotten_at().is_some_and(is_due)
    }

    /// What is known of a place, for tests and shells.
    pub fn view(&self, index: PlaceIndex, now: UnixMillis) -> Option<PlaceView> {
        self.places
            .get(index.0 as usize)
            .map(|place| self.view_of(index, place, now))
    }
}
