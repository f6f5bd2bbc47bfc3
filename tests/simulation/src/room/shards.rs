//! The shell around each shard: gathers for 25 ms or while a sync is under way, stores before it
//! answers, has one sync under way at a time, applies undecided requests again after each sync,
//! sets alarms, and loses its memory at any moment.

use std::collections::VecDeque;
use std::rc::Rc;

use anteroom_queue::board::Board;
use anteroom_queue::shard::command::{ShardCommand, ShardReply, VisitorState};
use anteroom_queue::shard::rows::ShardRow;
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::sync::SyncRequest;

use super::Room;
use super::alarms::AlarmClock;
use super::clocks::ObjectClock;
use crate::message::{Answer, Ask, Event, Letter, Object};
use crate::network::Written;
use crate::store::Store;

/// How long a shard gathers when no sync is under way.
const GATHER_MS: u64 = 25;

/// How long it gathers at most while a sync is under way.
const GATHER_IN_SYNC_MS: u64 = 250;

/// A report not answered within this time is given up; the next one says the same and more.
const SYNC_PATIENCE_MS: u64 = 2_000;

/// How far ahead an alarm is at least: what is due sooner the running instance does itself.
const ALARM_AHEAD_MS: u64 = 1_000;

/// How long a request waits for its decision.
const fn decision_ms(ask: Ask) -> u64 {
    match ask {
        Ask::Join => 2_000,
        Ask::Try => 1_500,
        _ => 1_000,
    }
}

pub(super) struct Undecided {
    pub(super) letter: Letter,
    pub(super) until_ms: u64,
    pub(super) latest: ShardReply,
}

/// What leaves a shard when a write is durable.
pub struct ShardAfter {
    pub(super) answers: Vec<(Letter, ShardReply)>,
    pub(super) report: Option<(u32, SyncRequest)>,
    alarm_ms: Option<u64>,
    written: Written,
}

/// One shard with its shell and its storage.
#[derive(Default)]
pub struct ShardShell {
    pub(super) core: Option<Shard>,
    pub(super) store: Store<ShardRow, ShardAfter>,
    pub(super) epoch: u32,
    pub(super) answers: Vec<(Letter, ShardReply)>,
    pub(super) undecided: VecDeque<Undecided>,
    pub(super) board_readers: Vec<Letter>,
    pub(super) gathers_until: Option<u64>,
    pub(super) syncing: Option<u32>,
    pub(super) syncs: u32,
    pub(super) sync_due: Option<u64>,
    pub(super) alarm: AlarmClock,
    pub(super) board: Option<Rc<Board>>,
    /// Until when edges cannot reach it.
    pub(super) hidden_until_ms: u64,
    /// Until when it cannot reach the coordinator.
    pub(super) cut_off_until_ms: u64,
    pub(super) clock: ObjectClock,
    /// Whether it runs the version that was deployed.
    pub(super) is_new: bool,
}

impl ShardShell {
    /// Whether nobody waits for it.
    fn is_idle(&self) -> bool {
        let waits =
            self.answers.is_empty() && self.undecided.is_empty() && self.board_readers.is_empty();
        waits && self.store.writes() == 0 && self.gathers_until.is_none() && self.syncing.is_none()
    }

    fn shared_board(&mut self) -> Option<Rc<Board>> {
        let board = self.core.as_ref()?.board()?;
        if self
            .board
            .as_ref()
            .is_none_or(|shared| shared.version != board.version)
        {
            self.board = Some(Rc::new(board.clone()));
        }
        self.board.clone()
    }

    pub(super) fn aged_board(&mut self, now: u64) -> Option<(Rc<Board>, u64)> {
        let age = self.core.as_ref()?.board_age(self.clock.shows(now))?;
        Some((self.shared_board()?, age.0))
    }
}

impl Room {
    /// The shard in memory: as it is, restored, or new.
    pub(super) fn wake_shard(&mut self, shard: u16, now: u64) -> &mut Shard {
        let identity = Identity {
            run: self.plan.run,
            shard: self.number_of(shard),
        };
        let shell = &mut self.shards[usize::from(shard)];
        let clock = shell.clock.shows(now);
        if shell.core.is_none() {
            let settings = self.plan.settings.clone();
            let core = if shell.store.is_empty() {
                let made = Shard::new(identity, settings, clock);
                for row in made.rows {
                    shell.store.change(row.key(), row);
                }
                made.reply
            } else {
                match Shard::restore(identity, settings, shell.store.rows(), clock) {
                    Ok(core) => core,
                    Err(corrupt) => panic!(
                        "seed {} shard {shard} at {now} ms: {corrupt}",
                        self.plan.seed
                    ),
                }
            };
            shell.core = Some(core);
        }
        shell.core.as_mut().expect("it was just put there")
    }

    pub(super) fn apply_at_shard(
        &mut self,
        shard: u16,
        command: ShardCommand,
        now: u64,
    ) -> ShardReply {
        let clock = self.shards[usize::from(shard)].clock.shows(now);
        let outcome = self.wake_shard(shard, now).apply(command, clock);
        let shell = &mut self.shards[usize::from(shard)];
        for row in outcome.rows {
            shell.store.change(row.key(), row);
        }
        outcome.reply
    }

    /// A letter arrives.
    pub(super) fn letter_in(&mut self, letter: Letter, now: u64) {
        let shard = letter.home;
        if self.shards[usize::from(shard)].hidden_until_ms > now {
            return self.answer_later(letter, None, now);
        }
        if letter.names_network && !self.shards[usize::from(shard)].is_new {
            return self.not_understood(letter, now);
        }
        let reply = self.apply_at_shard(shard, self.command(letter), now);
        if letter.ask == Ask::Board {
            return self.board_asked(letter, now);
        }
        if is_final(letter.ask, &reply) {
            self.shards[usize::from(shard)]
                .answers
                .push((letter, reply));
        } else {
            let until_ms = now + decision_ms(letter.ask);
            let epoch = self.shards[usize::from(shard)].epoch;
            self.shards[usize::from(shard)]
                .undecided
                .push_back(Undecided {
                    letter,
                    until_ms,
                    latest: reply,
                });
            self.at(until_ms, Event::GiveUp { shard, epoch });
        }
        if !self.may_crash_shard(shard, now) {
            self.gather(shard, now);
        }
    }

    pub(super) fn gather(&mut self, shard: u16, now: u64) {
        let shell = &mut self.shards[usize::from(shard)];
        if shell.gathers_until.is_some() {
            return;
        }
        let until = now
            + if shell.syncing.is_some() {
                GATHER_IN_SYNC_MS
            } else {
                GATHER_MS
            };
        shell.gathers_until = Some(until);
        self.at(
            until,
            Event::ShardGathered {
                shard,
                due: until as u32,
            },
        );
    }

    pub(super) fn shard_gathered(&mut self, shard: u16, due: u32, now: u64) {
        if self.shards[usize::from(shard)].gathers_until == Some(u64::from(due)) {
            self.flush(shard, false, now);
        }
    }

    /// One write of everything gathered, and a report if one is wanted (or `asked` for).
    pub(super) fn flush(&mut self, shard: u16, asked: bool, now: u64) {
        let takes = self.network.write_ms();
        let written = self.network.written();
        let shell = &mut self.shards[usize::from(shard)];
        shell.gathers_until = None;
        let clock = shell.clock.shows(now);
        let Some(core) = &mut shell.core else { return };
        let mut report = None;
        let mut late = None;
        if shell.syncing.is_none() {
            let wanted = core.next_report(clock);
            if asked || wanted.is_some_and(|at| at <= clock) {
                shell.syncs += 1;
                shell.syncing = Some(shell.syncs);
                report = Some((shell.syncs, core.report(clock)));
                late = Some(Event::SyncLate {
                    shard,
                    number: shell.syncs,
                });
            }
        }
        let wakeup = core.next_wakeup();
        let alarm_ms = wakeup.map(|at| shell.clock.true_time(at).max(now + ALARM_AHEAD_MS));
        let early = if self.plan.answers_before_storing {
            std::mem::take(&mut shell.answers)
        } else {
            Vec::new()
        };
        let after = ShardAfter {
            answers: std::mem::take(&mut shell.answers),
            report,
            alarm_ms,
            written,
        };
        let at = shell.store.write(now, takes, after);
        let epoch = shell.epoch;
        self.at(at, Event::ShardStored { shard, epoch });
        if let Some(late) = late {
            self.at(now + SYNC_PATIENCE_MS, late);
        }
        for (letter, reply) in early {
            self.answer_later(letter, Some(reply), now);
        }
        self.plan_sync(shard, now);
    }

    pub(super) fn shard_stored(&mut self, shard: u16, epoch: u32, now: u64) {
        let shell = &mut self.shards[usize::from(shard)];
        if shell.epoch != epoch {
            return;
        }
        match shell.store.oldest().map(|after| after.written) {
            Some(Written::Failed) => return self.end_shard(shard, 0, now),
            Some(Written::Lied) => return self.end_shard(shard, 1, now),
            _ => {}
        }
        let after = shell.store.written().expect("every write ends once");
        self.settle_alarm(Object::Shard(shard), after.alarm_ms, now);
        if let Some((number, report)) = after.report {
            self.send_report(shard, epoch, number, report, now);
        }
        for (letter, reply) in after.answers {
            self.answer_later(letter, Some(reply), now);
        }
        if self.shards[usize::from(shard)].is_idle() && self.network.evicts() {
            self.end_shard(shard, 0, now);
        }
    }

    pub(super) fn shard_alarm(&mut self, shard: u16, now: u64) {
        if self.alarm_comes(Object::Shard(shard), now) {
            self.apply_at_shard(shard, ShardCommand::Wake, now);
            self.flush(shard, false, now);
        }
    }

    /// An answer leaves the shard.
    pub(super) fn answer_later(&mut self, letter: Letter, reply: Option<ShardReply>, now: u64) {
        if letter.copy {
            return;
        }
        let board = match reply {
            Some(_) => self.shards[usize::from(letter.home)].aged_board(now),
            None => None,
        };
        self.send_answer(
            Answer {
                letter,
                reply,
                board,
            },
            now,
        );
    }

    /// What the home says at the very end, without any network between.
    pub(super) fn audit_at_shard(
        &mut self,
        shard: u16,
        command: ShardCommand,
        now: u64,
    ) -> ShardReply {
        self.apply_at_shard(shard, command, now)
    }
}

/// Whether a reply is a decision, or may become another one with the next sync.
pub(super) fn is_final(ask: Ask, reply: &ShardReply) -> bool {
    match (ask, reply) {
        (Ask::Join, ShardReply::Place { place, .. }) => place.state != VisitorState::Provisional,
        (
            Ask::Join | Ask::Try | Ask::State | Ask::Claim | Ask::Defer,
            ShardReply::Pending { .. },
        ) => false,
        _ => true,
    }
}
