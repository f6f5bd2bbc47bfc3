//! What a shard's shell exchanges with its coordinator, and what waits for that: one sync under
//! way at a time, requests that the next answer decides, edges that want a newer board.

use std::collections::VecDeque;

use anteroom_queue::shard::command::{Refused, ShardCommand, ShardReply};
use anteroom_queue::sync::{SyncReply, SyncRequest};

use anteroom_queue::units::Millis;

use super::Room;
use super::shards::is_final;
use crate::message::{Ask, Content, Event, Letter, Parcel};

/// A board younger than this is handed out at once.
const BOARD_FRESH_MS: u64 = 500;

/// A coordinator that is overloaded is left alone for so long.
const OVERLOADED_MS: u64 = 1_000;

/// How long an edge's read waits for a newer board.
const BOARD_PATIENCE_MS: u64 = 250;

impl Room {
    pub(super) fn board_asked(&mut self, letter: Letter, now: u64) {
        let shard = letter.home;
        let shell = &mut self.shards[usize::from(shard)];
        let clock = shell.clock.shows(now);
        let age = shell.core.as_ref().and_then(|core| core.board_age(clock));
        if age.is_some_and(|age| age.0 < BOARD_FRESH_MS) {
            return self.answer_later(letter, Some(ShardReply::Done), now);
        }
        shell.board_readers.push(letter);
        let epoch = shell.epoch;
        self.at(now + BOARD_PATIENCE_MS, Event::BoardsDue { shard, epoch });
        if self.shards[usize::from(shard)].syncing.is_none() {
            self.flush(shard, true, now);
        }
    }

    pub(super) fn answer_board_readers(&mut self, shard: u16, now: u64) {
        for letter in std::mem::take(&mut self.shards[usize::from(shard)].board_readers) {
            self.answer_later(letter, Some(ShardReply::Done), now);
        }
    }

    pub(super) fn boards_due(&mut self, shard: u16, epoch: u32, now: u64) {
        if self.shards[usize::from(shard)].epoch == epoch {
            self.answer_board_readers(shard, now);
        }
    }

    /// Comes back when the core wants to report.
    pub(super) fn plan_sync(&mut self, shard: u16, now: u64) {
        let shell = &mut self.shards[usize::from(shard)];
        let (None, Some(core)) = (shell.syncing, &shell.core) else {
            return;
        };
        let Some(wanted) = core.next_report(shell.clock.shows(now)) else {
            return;
        };
        let at = shell.clock.true_time(wanted).max(now + 1);
        if shell.sync_due.is_none_or(|due| due <= now || at < due) {
            shell.sync_due = Some(at);
            let epoch = shell.epoch;
            self.at(at, Event::SyncDue { shard, epoch });
        }
    }

    pub(super) fn sync_due(&mut self, shard: u16, epoch: u32, now: u64) {
        let shell = &mut self.shards[usize::from(shard)];
        if shell.epoch != epoch || shell.sync_due != Some(now) {
            return;
        }
        shell.sync_due = None;
        let clock = shell.clock.shows(now);
        let wanted = shell.core.as_ref().and_then(|core| core.next_report(clock));
        if shell.syncing.is_none() && wanted.is_some_and(|at| at <= clock) {
            self.flush(shard, false, now);
        } else {
            self.plan_sync(shard, now);
        }
    }

    pub(super) fn send_report(
        &mut self,
        shard: u16,
        epoch: u32,
        number: u32,
        report: SyncRequest,
        now: u64,
    ) {
        if self.shards[usize::from(shard)].cut_off_until_ms > now {
            return;
        }
        if self.network.overloads() {
            return self.at(now + OVERLOADED_MS, Event::SyncLate { shard, number });
        }
        for delay in self.network.parcels_ms().into_iter().flatten() {
            let content = Content::Report(report.clone());
            self.send_parcel(
                Parcel {
                    shard,
                    epoch,
                    number,
                    content,
                },
                now + delay,
            );
        }
    }

    pub(super) fn sync_late(&mut self, shard: u16, number: u32, now: u64) {
        let shell = &mut self.shards[usize::from(shard)];
        if shell.syncing == Some(number) {
            shell.syncing = None;
            self.flush(shard, false, now);
            self.answer_board_readers(shard, now);
        }
    }

    /// The coordinator's answer arrives; one for an earlier life of the shard finds nobody.
    pub(super) fn sync_answered(
        &mut self,
        parcel: &Parcel,
        reply: &SyncReply,
        behind: Millis,
        now: u64,
    ) {
        let shard = parcel.shard;
        let shell = &mut self.shards[usize::from(shard)];
        if shell.epoch != parcel.epoch || shell.core.is_none() || shell.cut_off_until_ms > now {
            return;
        }
        if shell.syncing == Some(parcel.number) {
            shell.syncing = None;
        }
        self.apply_at_shard(
            shard,
            ShardCommand::Relayed {
                reply: reply.clone(),
                behind,
            },
            now,
        );
        if self.may_crash_shard(shard, now) {
            return;
        }
        self.decide_again(shard, now);
        self.flush(shard, false, now);
        self.answer_board_readers(shard, now);
    }

    pub(super) fn decide_again(&mut self, shard: u16, now: u64) {
        let undecided = std::mem::take(&mut self.shards[usize::from(shard)].undecided);
        for mut request in undecided {
            let reply = self.apply_at_shard(shard, self.command(request.letter), now);
            let shell = &mut self.shards[usize::from(shard)];
            if is_final(request.letter.ask, &reply) {
                shell.answers.push((request.letter, reply));
            } else {
                request.latest = reply;
                shell.undecided.push_back(request);
            }
        }
    }

    /// Requests that have waited long enough are answered with what is known.
    pub(super) fn give_up(&mut self, shard: u16, epoch: u32, now: u64) {
        let shell = &mut self.shards[usize::from(shard)];
        if shell.epoch != epoch {
            return;
        }
        let before = shell.answers.len();
        let (over, waiting): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut shell.undecided)
            .into_iter()
            .partition(|request| request.until_ms <= now);
        shell.undecided = waiting;
        for request in over {
            let reply = match request.letter.ask {
                Ask::Try => ShardReply::Refused {
                    why: Refused::NoRoom,
                    place: None,
                },
                _ => request.latest,
            };
            shell.answers.push((request.letter, reply));
        }
        if shell.answers.len() > before {
            self.gather(shard, now);
        }
    }
}
