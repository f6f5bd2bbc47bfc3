//! The parent's answers, and how what they bring is divided among the shards.

use super::Relay;
use super::command::RelayReply;
use crate::child::Child;
use crate::children::{mix, next_claimant};
use crate::limits::{CLOCK_TOLERANCE, STALE_REPLY};
use crate::sync::{Cut, LineAnswer, OfferClock, SyncReply};
use crate::units::{EntryNumber, Millis, UnixMillis};

impl Relay {
    /// Everything is cumulative: an answer that comes late, twice or not at all changes nothing that another would not.
    pub(super) fn answered(&mut self, reply: SyncReply, now: UnixMillis) -> RelayReply {
        // One that answers a report yet to leave answers a clock that was far ahead.
        let early = reply.sent.since(now) > CLOCK_TOLERANCE;
        let stale = early || now.since(reply.sent) > STALE_REPLY;
        let lines = self.lines.len();
        let is_other = reply.run != self.identity.run || reply.lines.len() != lines;
        if stale || is_other || reply.clocks.len() != lines {
            return RelayReply::Done;
        }
        let is_last = reply.sent == self.reported.0;
        if is_last && let Some(reports) = self.reported.1.take() {
            for (line, report) in self.lines.iter_mut().zip(reports) {
                line.answered = Some(report);
            }
            self.next_sync = reply.sent.plus(reply.next_sync);
            self.grant_in = reply.grant_in;
        }
        self.hear_board(&reply, is_last);
        for (position, answer) in reply.lines.into_iter().enumerate() {
            for cut in &answer.cuts {
                self.number(position, cut);
            }
            self.raise_to_floor(position, &answer);
            self.take_grants(position, answer.granted, now);
            self.take_tries(position, &answer, now);
        }
        RelayReply::Done
    }

    /// Takes the board if it is newer, and notes since when what we have was true at the latest.
    fn hear_board(&mut self, reply: &SyncReply, is_last: bool) {
        let known = self.board.as_ref().map_or(0, |board| board.version);
        if reply.board_version < known {
            return;
        }
        if let Some(board) = &reply.board
            && board.lines.len() == self.lines.len()
        {
            if self
                .board
                .as_ref()
                .is_none_or(|known| board.cannot_wait(known))
            {
                self.urgent = board.version;
            }
            if self.ended_at != board.ended_at {
                self.ended_at = board.ended_at;
                self.changed = true;
            }
            self.board = Some(board.clone());
        } else if reply.board_version != known || known == 0 {
            return;
        }
        if reply.sent >= self.board_heard {
            self.board_heard = reply.sent;
            self.freshness.hear(reply.sent, is_last, Millis(0));
            for (line, heard) in self.lines.iter_mut().zip(&reply.clocks) {
                line.clock = OfferClock {
                    at: heard.at.max(line.clock.at),
                    ..*heard
                };
            }
        }
    }

    /// Hands the numbers of a cut to the shards whose joins it is for, as far as they have none.
    fn number(&mut self, position: usize, cut: &Cut) {
        let row = &mut self.lines[position].row;
        let end = (cut.first_join + cut.count).min(row.taken);
        while cut.first_join <= row.numbered
            && row.numbered < end
            && let Some(piece) = row.pieces.front_mut()
        {
            let count = piece.count.min(end - row.numbered);
            let first = EntryNumber(cut.first_entry.0 + (row.numbered - cut.first_join));
            let child = self
                .shards
                .get_mut(&piece.shard)
                .expect("joins were taken up from a shard that is known");
            child.lines[position].cut(count, first);
            piece.count -= count;
            row.numbered += count;
            if piece.count == 0 {
                row.pieces.pop_front();
            }
            self.changed = true;
        }
    }

    /// Hands new grants to the oldest claims of shards that can be reached. A grant for which nobody waits any more is given
    /// back: one more end and one more claim, so that demand stays what it is.
    fn take_grants(&mut self, position: usize, granted: u64, now: UnixMillis) {
        let mut new = granted.saturating_sub(self.lines[position].row.granted);
        if new == 0 {
            return;
        }
        self.changed = true;
        self.lines[position].row.granted = granted;
        while new > 0
            && let Some(number) = next_claimant(&self.shards, position, &self.entropy, now)
        {
            let child = self.shards.get_mut(&number).expect("a known shard");
            let line = &mut child.lines[position];
            let count = new.min(line.pending.front().map_or(0, |batch| batch.count));
            line.grant(count);
            child.granted_at = now;
            new -= count;
        }
        let own = &mut self.lines[position].row.own;
        own.ended += new;
        own.claimed += new;
    }

    /// Hands on what became of tries. Those of which nobody knows any more leave nothing behind.
    fn take_tries(&mut self, position: usize, answer: &LineAnswer, now: UnixMillis) {
        let row = &mut self.lines[position].row;
        let mut decided = answer.tries_decided.saturating_sub(row.tries_decided);
        let mut granted = answer.tries_granted.saturating_sub(row.tries_granted);
        if decided == 0 && granted == 0 {
            return;
        }
        self.changed = true;
        row.tries_decided += decided;
        row.tries_granted += granted;
        let mut waiting: Vec<(u64, u16)> = self
            .shards
            .iter()
            .filter(|(_, child)| undecided(child, position) > 0)
            .map(|(number, _)| (mix(&self.entropy, u64::from(*number)), *number))
            .collect();
        waiting.sort_unstable();
        for (_, number) in waiting {
            let child = self.shards.get_mut(&number).expect("a known shard");
            let count = undecided(child, position).min(decided);
            let admitted = count.min(granted);
            child.lines[position].tries_decided += count;
            if admitted > 0 {
                child.admit_directly(position, admitted, now);
            }
            decided -= count;
            granted -= admitted;
        }
        self.lines[position].row.own.ended += granted;
    }

    /// This relay was given up for lost and its grants no longer count: neither do those of its shards, each of which is told
    /// so. Grants that it had not heard of count as ended, and the claims behind them are pending again.
    fn raise_to_floor(&mut self, position: usize, answer: &LineAnswer) {
        if self.counters(position).ended >= answer.ended_floor {
            return;
        }
        self.changed = true;
        for child in self.shards.values_mut() {
            let line = &mut child.lines[position];
            line.ended_floor = line.granted + line.tries_granted;
        }
        let row = &mut self.lines[position].row;
        let unheard = answer.granted.saturating_sub(row.granted);
        let tried = answer.tries_granted.saturating_sub(row.tries_granted);
        row.granted += unheard;
        row.own.claimed += unheard;
        row.own.ended += unheard + tried;
        row.tries_granted += tried;
    }
}

fn undecided(child: &Child, position: usize) -> u64 {
    let line = &child.lines[position];
    line.counters.tried.saturating_sub(line.tries_decided)
}
