//! Everything a relay object does except I/O: it takes reports of shards, applies them to the core, has its row stored,
//! reports to the coordinator, and answers each shard out of the first answer to a report that left after its own came in.
//! So what a shard hears is as true as if it had asked the coordinator itself.
//!
//! After a [`WriteFailed`] the desk must not be used again: its state is newer than storage.

use anteroom_queue::board::Stock;
use anteroom_queue::coordinator::command::Entropy;
use anteroom_queue::limits::CLOCK_TOLERANCE;
use anteroom_queue::relay::command::{RelayCommand, RelayReply};
use anteroom_queue::relay::rows::RelayRow;
use anteroom_queue::relay::{Asked, Relay};
use anteroom_queue::sync::{RelayReport, SyncReply, SyncRequest};
use anteroom_queue::units::{Millis, ShardIndex, UnixMillis};

use crate::pokes::Pokes;
use crate::pump::Due;
use crate::relay_wire::RelaySays;
use crate::storage::{Changes, Store, WriteFailed};
use crate::uplink::{SyncFailed, Uplink};
use crate::wire::{self, EdgeCounts};

/// How long reports are gathered into one commit.
const WINDOW: Millis = Millis(20);

/// A report is answered from what is there after this time: sooner than a shard gives up waiting, and than it acknowledges
/// joins without a number.
const PATIENCE: Millis = Millis(1_500);

/// A report that waits for nothing is answered from a board that is younger than this.
const FRESH: Millis = Millis(250);

/// What a step gives out. Everything it promises is stored.
#[derive(Debug)]
pub struct Step<T> {
    /// Whom to answer, and the bytes.
    pub answers: Vec<(T, Vec<u8>)>,
    /// A report to send to the coordinator, with what edges have counted; its result is to be given to
    /// [`RelayDesk::hear`].
    pub report: Option<(RelayReport, EdgeCounts)>,
    /// The shards to be asked for a report.
    pub pokes: Vec<ShardIndex>,
}

/// A report that waits for its answer.
#[derive(Debug)]
struct Held<T> {
    to: T,
    asked: Asked,
    /// A report that counts it has left.
    reported: bool,
}

/// The shell of one relay.
#[derive(Debug)]
pub struct RelayDesk<T> {
    relay: Relay,
    run: u32,
    uplink: Uplink,
    opened: Option<UnixMillis>,
    changes: Changes<RelayRow>,
    held: Vec<Held<T>>,
    counts: EdgeCounts,
    /// What the report under way says is left: said again if it fails.
    stock_said: Option<Stock>,
    heard: Option<Result<SyncReply, SyncFailed>>,
    pokes: Pokes<ShardIndex>,
    is_coordinator_forgotten: bool,
    /// The time of the last step.
    stepped: UnixMillis,
}

impl<T> RelayDesk<T> {
    /// A desk for a relay whose row is stored. It asks for the board at once.
    pub fn new(run: u32, relay: Relay, now: UnixMillis) -> Self {
        let mut uplink = Uplink::default();
        uplink.want(now);
        Self {
            relay,
            run,
            uplink,
            opened: None,
            changes: Changes::default(),
            held: Vec::new(),
            counts: EdgeCounts::default(),
            stock_said: None,
            heard: None,
            pokes: Pokes::default(),
            is_coordinator_forgotten: false,
            stepped: now,
        }
    }

    /// A shard reports; the answer comes out of a later step, unless it is refused. `entropy` is fresh.
    pub fn ask(
        &mut self,
        report: SyncRequest,
        counts: EdgeCounts,
        entropy: [u8; 16],
        to: T,
        now: UnixMillis,
    ) -> Option<(T, Vec<u8>)> {
        let asked = Asked {
            shard: report.shard,
            sent: report.sent,
            board_version: report.board_version,
            taken: now,
        };
        let entropy = Entropy(entropy);
        match self.apply(RelayCommand::Report { report, entropy }, now) {
            RelayReply::Refused(why) => Some((to, wire::encode(&RelaySays::Refused(why)))),
            RelayReply::Done => {
                self.counts.add(counts);
                self.opened.get_or_insert(now);
                self.held.push(Held {
                    to,
                    asked,
                    reported: false,
                });
                None
            }
        }
    }

    /// The coordinator wants a report now: it leaves with a later step.
    pub fn poke(&mut self, now: UnixMillis) -> Vec<u8> {
        self.uplink.want(now);
        wire::encode(&RelaySays::Poked)
    }

    /// What came of the report that a step gave out; the next step takes it in.
    pub fn hear(&mut self, result: Result<SyncReply, SyncFailed>) {
        assert!(self.uplink.is_under_way(), "an answer to no report");
        self.heard = Some(result);
    }

    /// Carries out what is due. `dice` is random.
    pub fn step(
        &mut self,
        now: UnixMillis,
        dice: u32,
        store: &mut impl Store,
    ) -> Result<Step<T>, WriteFailed> {
        self.mind_clock(now);
        if self.relay.next_wakeup().is_some_and(|at| at <= now) {
            self.apply(RelayCommand::Wake, now);
        }
        let heard = self.heard.take();
        let answered = matches!(heard, Some(Ok(_)));
        if let Some(result) = heard {
            self.take_in(result, now, dice);
        }
        let mut step = Step {
            answers: Vec::new(),
            report: None,
            pokes: Vec::new(),
        };
        if self.is_coordinator_forgotten {
            return Ok(step);
        }
        store.commit(core::mem::take(&mut self.changes))?;
        if self.opened.is_some_and(|opened| now >= opened.plus(WINDOW)) || answered {
            self.opened = None;
            self.want_answers(now);
        }
        self.answer(answered, now, &mut step.answers);
        step.pokes = self.pokes.take(self.relay.pokes(), None, now);
        if self.report_due().is_some_and(|at| at <= now) {
            self.uplink.starts(now);
            self.stock_said = self.counts.stock;
            for held in &mut self.held {
                held.reported = true;
            }
            let counts = core::mem::take(&mut self.counts);
            step.report = Some((self.relay.report(now), counts));
        }
        Ok(step)
    }

    /// Whoever waits for more than this relay knows needs a report to the coordinator.
    fn want_answers(&mut self, now: UnixMillis) {
        let waits =
            |held: &Held<T>| !held.reported && !self.is_answered_by_what_is_there(held, now);
        if self.held.iter().any(waits) {
            self.uplink.want(now);
        }
    }

    fn is_answered_by_what_is_there(&self, held: &Held<T>, now: UnixMillis) -> bool {
        let fresh = self.relay.board_age(now).is_some_and(|age| age < FRESH);
        fresh && !self.relay.awaits(held.asked.shard)
    }

    /// Answers those whom this answer of the coordinator was for, those who wait for nothing, and those who have waited for
    /// long. Whom nothing can be told finds the call broken off.
    fn answer(&mut self, answered: bool, now: UnixMillis, answers: &mut Vec<(T, Vec<u8>)>) {
        if self.held.is_empty() {
            return;
        }
        for held in core::mem::take(&mut self.held) {
            let gathered = self.opened.is_none() || held.reported;
            let done = answered && held.reported
                || now.since(held.asked.taken) >= PATIENCE
                || gathered && self.is_answered_by_what_is_there(&held, now);
            if !done {
                self.held.push(held);
            } else if let Some(answer) = self.relay.answer(held.asked, now) {
                answers.push((held.to, wire::encode(&RelaySays::Answer(answer))));
            }
        }
    }

    fn take_in(&mut self, result: Result<SyncReply, SyncFailed>, now: UnixMillis, dice: u32) {
        match result {
            Ok(reply) if reply.run == self.run => {
                self.uplink.succeeded(reply.next_sync, dice);
                self.apply(RelayCommand::Heard { reply }, now);
            }
            Ok(reply) => {
                let why = format!("run: answered {}, asked {}", reply.run, self.run);
                self.uplink.failed(now, &SyncFailed::Refused(why), dice);
            }
            Err(why) => {
                self.is_coordinator_forgotten |= why == SyncFailed::Forgotten;
                self.counts.add(EdgeCounts {
                    stock: self.stock_said.take(),
                    ..EdgeCounts::default()
                });
                self.uplink.failed(now, &why, dice);
                for held in &mut self.held {
                    held.reported = false;
                }
                self.want_answers(now);
            }
        }
    }

    /// A clock that was set back by more than it may be wrong is believed, and nobody waits for the old time to come again.
    fn mind_clock(&mut self, now: UnixMillis) {
        if now.plus(CLOCK_TOLERANCE) < self.stepped {
            self.uplink.start_clock_anew(now);
            self.opened = self.opened.map(|_| now);
            for held in &mut self.held {
                held.asked.taken = now;
            }
        }
        self.stepped = now;
    }

    fn apply(&mut self, command: RelayCommand, now: UnixMillis) -> RelayReply {
        let outcome = self.relay.apply(command, now);
        self.changes.extend(outcome.rows);
        outcome.reply
    }

    fn report_due(&self) -> Option<UnixMillis> {
        let gathering = self.opened.map(|opened| opened.plus(WINDOW));
        let due = self.uplink.due(self.relay.next_report())?;
        // What is being gathered goes along.
        Some(gathering.map_or(due, |closes| due.max(closes)))
    }

    /// Whether everything of the run is to be deleted.
    pub fn is_to_be_forgotten(&self, now: UnixMillis) -> bool {
        self.is_coordinator_forgotten || self.relay.is_to_be_forgotten(now)
    }

    /// When the next step is due.
    pub fn due(&self, now: UnixMillis) -> Due {
        let next_report = self.relay.next_report();
        let report = self.report_due();
        let deadline = self
            .relay
            .next_wakeup()
            .filter(|at| Some(*at) != next_report);
        let patience = self.held.iter().map(|held| held.asked.taken.plus(PATIENCE));
        let somebody = [
            self.heard.is_some().then_some(now),
            self.opened.map(|opened| opened.plus(WINDOW)),
            patience.min(),
            report,
            self.pokes.next(self.relay.pokes(), None, now),
        ];
        let lasting = [deadline, next_report.and(report.or(Some(now)))];
        Due {
            somebody: somebody.into_iter().flatten().min(),
            deadline,
            lasting: lasting.into_iter().flatten().min(),
        }
    }
}

#[cfg(test)]
#[path = "relay_desk_tests.rs"]
mod tests;
