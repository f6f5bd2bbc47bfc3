//! Everything a coordinator object does except I/O: it gathers the reports of up to 20 ms, applies
//! them to the core, has the rows stored in one transaction, and only then answers.
//!
//! After each step it says whom the object has to ask for a report ([`Pokes`]) and which round of the
//! beacon has to be fetched. Both are asked again until they have come, each at most once a second, so
//! that nothing depends on any single try.
//!
//! A report that changes nothing makes no row, so that a quiet queue costs no writes. After a
//! [`WriteFailed`] the desk must not be used again: its state is newer than storage.

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::{CoordinatorCommand, Entropy};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::tree::Node;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::beacon::{LONGEST_RETRY, RETRY_AFTER, TRY_LOST_AFTER};
use crate::foretold::{Foretold, Vitals};
use crate::handling_counts::HandlingCounts;
use crate::log_reading::log_lines;
use crate::pokes::Pokes;
use crate::pump::Due;
use crate::storage::{Changes, Store, WriteFailed};
use crate::turnstile_counts::TurnstileCounts;
use crate::uplink::share;
use crate::wire::{self, CoordinatorAsk, EdgeCounts, EdgeTotals, OriginCounts, WrongTokens};

/// How long reports are gathered into one commit: with 500 reports a second ten of them.
pub const WINDOW: Millis = Millis(20);

/// Calls that wait here at the same time: 4 s of what a coordinator is planned for.
pub const MAX_WAITING: usize = 2_000;

/// What a step gives out. Everything it promises is stored.
#[derive(Debug)]
pub struct Step<T> {
    /// Whom to answer, and the bytes.
    pub answers: Vec<(T, Vec<u8>)>,
    /// The children to be asked for a report.
    pub pokes: Vec<Node>,
    /// The round of the beacon to be fetched; what came of it is to be given to
    /// [`CoordinatorDesk::hear_beacon`].
    pub beacon: Option<u64>,
}

/// The awaited round of the beacon.
#[derive(Debug)]
enum Fetching {
    /// None is, and the next try may begin from this instant on.
    NotBefore(UnixMillis),
    /// One is, since then.
    UnderWay(UnixMillis),
    /// This round has come with this signature.
    Came(u64, Vec<u8>),
}

/// The shell of one coordinator.
#[derive(Debug)]
pub struct CoordinatorDesk<T> {
    coordinator: Coordinator,
    opened: Option<UnixMillis>,
    gathered: Vec<(CoordinatorCommand, T)>,
    totals: EdgeTotals,
    turnstile: TurnstileCounts,
    handling: HandlingCounts,
    foretold: Vec<Foretold>,
    wrong_tokens: WrongTokens,
    /// What edges have counted and the core was not told yet.
    edges: EdgeCounts,
    pokes: Pokes<Node>,
    fetching: Fetching,
    /// The core was woken once since it was restored: only then it knows what has come due.
    is_awake: bool,
    /// The room acts when the origin is in trouble; the configuration's word.
    acts: bool,
}

/// What became of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken<T> {
    /// It is gathered; the answer comes out of a later step.
    Waits,
    /// It is answered already.
    Answered(T, Vec<u8>),
    /// Too many wait; nothing was done.
    Busy(T),
    /// What is stored cannot be read: why, in words.
    Failed(String),
}

impl<T> CoordinatorDesk<T> {
    /// A desk for a coordinator whose rows are all stored.
    pub fn new(coordinator: Coordinator) -> Self {
        Self {
            coordinator,
            opened: None,
            gathered: Vec::new(),
            totals: EdgeTotals::default(),
            turnstile: TurnstileCounts::default(),
            handling: HandlingCounts::NONE,
            foretold: Vec::new(),
            wrong_tokens: WrongTokens::default(),
            edges: EdgeCounts::default(),
            pokes: Pokes::default(),
            fetching: Fetching::NotBefore(UnixMillis(0)),
            is_awake: false,
            acts: true,
        }
    }

    /// The same, of an event whose configuration says whether the room acts when the origin is in trouble.
    pub fn acting(self, acts: bool) -> Self {
        Self { acts, ..self }
    }

    /// Takes a call. `entropy` is fresh.
    pub fn ask(
        &mut self,
        ask: CoordinatorAsk,
        entropy: [u8; 16],
        to: T,
        now: UnixMillis,
        store: &impl Store,
    ) -> Taken<T> {
        if self.gathered.len() >= MAX_WAITING {
            return Taken::Busy(to);
        }
        let entropy = Entropy(entropy);
        let command = match ask {
            CoordinatorAsk::Sync(report, counts) => {
                self.count(counts);
                CoordinatorCommand::Sync { report, entropy }
            }
            CoordinatorAsk::Watched(report, counts, apart) => {
                self.count(counts.with(apart));
                CoordinatorCommand::Sync { report, entropy }
            }
            CoordinatorAsk::Handled(report, counts, apart, handling) => {
                self.count(EdgeCounts {
                    handling,
                    ..counts.with(apart)
                });
                CoordinatorCommand::Sync { report, entropy }
            }
            CoordinatorAsk::Relayed(report, counts) => {
                self.count(counts.into());
                CoordinatorCommand::Relayed { report, entropy }
            }
            CoordinatorAsk::Vitals => {
                let vitals = Vitals {
                    handling: self.handling,
                    came_true: self.foretold.iter().map(Foretold::last).collect(),
                };
                return Taken::Answered(to, wire::encode(&vitals));
            }
            CoordinatorAsk::Origin => {
                return Taken::Answered(to, wire::encode(&self.coordinator.origin()));
            }
            CoordinatorAsk::Silent => {
                return Taken::Answered(to, wire::encode(&self.coordinator.silent(now)));
            }
            CoordinatorAsk::Operate { action, by } => CoordinatorCommand::Operate { action, by },
            CoordinatorAsk::Observe => CoordinatorCommand::Wake,
            CoordinatorAsk::Count => return Taken::Answered(to, wire::encode(&self.totals)),
            CoordinatorAsk::Refusals => {
                return Taken::Answered(to, wire::encode(&self.coordinator.refusals()));
            }
            CoordinatorAsk::Turnstile => {
                return Taken::Answered(to, wire::encode(&self.turnstile));
            }
            CoordinatorAsk::WrongTokens { more } => {
                self.wrong_tokens.add(more, now);
                return Taken::Answered(to, wire::encode(&self.wrong_tokens));
            }
            CoordinatorAsk::Log { after } => {
                return match log_lines(store, after) {
                    Ok(lines) => Taken::Answered(to, wire::encode(&lines)),
                    Err(why) => Taken::Failed(why),
                };
            }
        };
        self.opened.get_or_insert(now);
        self.gathered.push((command, to));
        Taken::Waits
    }

    /// Takes in what edges counted.
    fn count(&mut self, counts: EdgeCounts) {
        self.totals.add(counts);
        self.turnstile.add(counts.turnstile);
        self.handling.add(counts.handling);
        self.edges.add(counts);
    }

    /// What came of fetching `round` of the beacon, perhaps long after it was given up. `dice`
    /// spreads the next try.
    pub fn hear_beacon(&mut self, round: u64, came: Option<Vec<u8>>, now: UnixMillis, dice: u32) {
        let jitter = share(Millis(LONGEST_RETRY.0 - RETRY_AFTER.0), dice);
        match came {
            Some(signature) => self.fetching = Fetching::Came(round, signature),
            None if matches!(self.fetching, Fetching::UnderWay(_)) => {
                self.fetching = Fetching::NotBefore(now.plus(RETRY_AFTER).plus(jitter));
            }
            None => {}
        }
    }

    /// Carries out what is due and gives out the answers.
    pub fn step(
        &mut self,
        now: UnixMillis,
        store: &mut impl Store,
    ) -> Result<Step<T>, WriteFailed> {
        let mut changes = Changes::default();
        let mut answers = Vec::new();
        let has_to_wake = self.coordinator.next_wakeup().is_some_and(|at| at <= now);
        if has_to_wake || !self.is_awake {
            self.is_awake = true;
            let acts = self.acts;
            self.apply(CoordinatorCommand::WatchOrigin { acts }, now, &mut changes);
        }
        // A window that opened in the future was opened before the clock was set back.
        let is_over = self.closes().is_some_and(|at| at <= now)
            || self.opened.is_some_and(|opened| opened > now);
        if is_over {
            self.opened = None;
            self.tell_of_edges(now, &mut changes);
            for (command, to) in core::mem::take(&mut self.gathered) {
                let outcome = self.coordinator.apply(command, now);
                changes.extend(outcome.rows);
                answers.push((to, wire::encode(&outcome.reply)));
            }
        }
        if matches!(self.fetching, Fetching::Came(..))
            && let Fetching::Came(round, signature) =
                core::mem::replace(&mut self.fetching, Fetching::NotBefore(now))
        {
            let command = CoordinatorCommand::Beacon { round, signature };
            self.apply(command, now, &mut changes);
        }
        store.commit(changes)?;
        self.look_at_lines(now);
        let (awaited, warming) = (self.coordinator.pokes(), self.coordinator.warming());
        Ok(Step {
            answers,
            pokes: self.pokes.take(awaited, warming, now),
            beacon: self.round_to_fetch(now),
        })
    }

    /// Notes what is said of waits, and what came of it.
    fn look_at_lines(&mut self, now: UnixMillis) {
        let lines = &self.coordinator.board().lines;
        self.foretold.resize_with(lines.len(), Foretold::default);
        for (foretold, line) in self.foretold.iter_mut().zip(lines) {
            foretold.look(line, now);
        }
    }

    fn apply(
        &mut self,
        command: CoordinatorCommand,
        now: UnixMillis,
        changes: &mut Changes<CoordinatorRow>,
    ) {
        changes.extend(self.coordinator.apply(command, now).rows);
    }

    /// What the edges counted goes to the core before the reports that brought it are answered, so
    /// that their boards already say it.
    fn tell_of_edges(&mut self, now: UnixMillis, changes: &mut Changes<CoordinatorRow>) {
        let counts = core::mem::take(&mut self.edges);
        if counts.bypassed > 0 || counts.staff > 0 || counts.stock.is_some() {
            let command = CoordinatorCommand::Edges {
                bypassed: u64::from(counts.bypassed),
                staff: u64::from(counts.staff),
                stock: counts.stock,
            };
            self.apply(command, now, changes);
        }
        if counts.origin != OriginCounts::NONE {
            let heard = counts.origin.into();
            self.apply(CoordinatorCommand::Origin { heard }, now, changes);
        }
    }

    fn round_to_fetch(&mut self, now: UnixMillis) -> Option<u64> {
        let (round, _) = self.coordinator.awaited_round()?;
        if self.fetch_at(now)? > now {
            return None;
        }
        self.fetching = Fetching::UnderWay(now);
        Some(round)
    }

    /// When the awaited round may be fetched; `None` while none is, or when it has come. One that is
    /// on its way may be fetched again when its task was lost.
    fn fetch_at(&self, now: UnixMillis) -> Option<UnixMillis> {
        let (_, published) = self.coordinator.awaited_round()?;
        match self.fetching {
            // Not longer than the longest pause, should the clock be set back.
            Fetching::NotBefore(at) => Some(at.min(now.plus(LONGEST_RETRY)).max(published)),
            // A beginning in the future was before the clock was set back.
            Fetching::UnderWay(since) if since > now => Some(now),
            Fetching::UnderWay(since) => Some(since.plus(TRY_LOST_AFTER)),
            Fetching::Came(..) => None,
        }
    }

    /// Whether everything of the run is to be deleted.
    pub fn is_to_be_forgotten(&self, now: UnixMillis) -> bool {
        self.coordinator.is_to_be_forgotten(now)
    }

    /// When the next step is due.
    pub fn due(&self, now: UnixMillis) -> Due {
        let (awaited, warming) = (self.coordinator.pokes(), self.coordinator.warming());
        let steps = [
            (!self.is_awake).then_some(now),
            self.coordinator.next_wakeup(),
            self.fetch_at(now),
            self.pokes.next(awaited, warming, now),
        ];
        let deadline = steps.into_iter().flatten().min();
        let came = matches!(self.fetching, Fetching::Came(..)).then_some(now);
        Due {
            somebody: [self.closes(), came].into_iter().flatten().min(),
            deadline,
            lasting: deadline,
        }
    }

    fn closes(&self) -> Option<UnixMillis> {
        self.opened.map(|opened| opened.plus(WINDOW))
    }
}

#[cfg(test)]
#[path = "coordinator_desk_tests.rs"]
mod tests;
