//! Reports of shards, and the relay's own: joins are taken up in the order in which they will be numbered.

use std::collections::VecDeque;

use super::command::RelayReply;
use super::rows::Piece;
use super::{Line, Relay};
use crate::children::{self, Joins};
use crate::coordinator::command::Entropy;
use crate::draw::chain_of_shard;
use crate::limits::{
    GRANT_TO_HEARD, LATE_AFTER, LATE_COLLECTION, MAX_LATE_SECONDS, MAX_PIECES, SHORTEST_SYNC,
};
use crate::sync::{Below, Counters, LateJoins, LineReport, RelayReport, SyncRequest};
use crate::tree::child_number;
use crate::units::{ShardIndex, UnixMillis};

impl Relay {
    pub(super) fn hear(
        &mut self,
        report: &SyncRequest,
        entropy: Entropy,
        now: UnixMillis,
    ) -> RelayReply {
        if let Some(why) = self.refusal(report) {
            return RelayReply::Refused(why);
        }
        self.entropy = entropy;
        self.changed |= children::hear(&mut self.shards, report, now);
        for position in 0..self.lines.len() {
            self.take_reported(report, position, now);
        }
        RelayReply::Done
    }

    /// Takes up what a report brought, or keeps it for the collection.
    fn take_reported(&mut self, report: &SyncRequest, position: usize, now: UnixMillis) {
        // Without a board nobody knows which opening is in force, and what was taken up stays.
        if self.board.is_none() && self.draw_is_open(position) {
            return;
        }
        let number = report.shard.0;
        let given = self.given(number, position);
        let draw_at = self.draw_is_open(position).then(|| self.opening(position));
        let child = self.shards.get_mut(&number).expect("heard before");
        match children::joins_of(child, position, report, given, draw_at) {
            Joins::UpTo(most) => self.take_up(number, position, most.saturating_sub(given), now),
            Joins::Collected => {
                self.collect_until.get_or_insert(now.plus(LATE_COLLECTION));
            }
        }
    }

    /// How many joins of a shard were taken up.
    pub(super) fn given(&self, number: u16, position: usize) -> u64 {
        let cut = self.shards[&number].lines[position].cut;
        let pieces = self.lines[position].row.pieces.iter();
        let waiting: u64 = pieces
            .filter(|piece| piece.shard == number)
            .map(|piece| piece.count)
            .sum();
        cut + waiting
    }

    /// Takes up to `most` of a shard's next joins, which arrived at `at`: joins whose chain is known.
    fn take_up(&mut self, number: u16, position: usize, most: u64, at: UnixMillis) {
        let given = self.given(number, position);
        let (joined, chain) = self.shards[&number].chains[position];
        let count = joined.saturating_sub(given).min(most);
        let most = MAX_PIECES / self.lines.len();
        let Line { row, .. } = &mut self.lines[position];
        if count == 0
            || !make_room(
                &mut row.pieces,
                most,
                Piece {
                    shard: number,
                    count,
                    at,
                },
            )
        {
            return;
        }
        row.taken += count;
        row.chain = chain_of_shard(&row.chain, ShardIndex(number), joined, &chain);
        self.changed = true;
    }

    /// Takes up the collected late joins when their time has come.
    pub(super) fn take_up_collected(&mut self, now: UnixMillis) {
        if self.collect_until.is_none_or(|at| now < at) {
            return;
        }
        self.collect_until = None;
        for position in 0..self.lines.len() {
            for (second, number, count) in
                children::collected(&mut self.shards, position, &self.entropy)
            {
                let at = second.map_or(now, |second| UnixMillis(second * 1_000));
                self.take_up(number, position, count, at);
            }
        }
    }

    /// The report to send now. Everything that it counts must be stored already.
    pub fn report(&mut self, now: UnixMillis) -> RelayReport {
        let now = self.observe(now);
        let sent = self.last_sent(now);
        let lines: Vec<LineReport> = (0..self.lines.len())
            .map(|position| LineReport {
                counters: self.counters(position),
                late: self.late(position, now),
                chain: self.lines[position].row.chain,
                entrants: self.entrants(position, now),
            })
            .collect();
        self.reported = (sent, Some(lines.clone()));
        self.freshness.ask();
        self.last_sync = now;
        self.next_sync = now.plus(SHORTEST_SYNC);
        self.told_unconfirmed = children::unconfirmed(&self.shards, now);
        RelayReport {
            sync: SyncRequest {
                run: self.identity.run,
                shard: ShardIndex(child_number(self.identity.relay)),
                sent,
                lines,
                unconfirmed: self.told_unconfirmed.try_into().unwrap_or(u32::MAX),
                board_version: self.board.as_ref().map_or(0, |board| board.version),
            },
            below: self.below(now),
        }
    }

    /// The sums of a line.
    pub(super) fn counters(&self, position: usize) -> Counters {
        let row = &self.lines[position].row;
        let mut sums = Counters {
            joined: row.taken,
            numbered: row.numbered,
            ..row.own
        };
        for child in self.shards.values() {
            let line = &child.lines[position];
            sums.claimed += line.counters.claimed;
            sums.withdrawn += line.counters.withdrawn;
            sums.ended += line.counters.ended.max(line.ended_floor);
            sums.absent += line.counters.absent;
            sums.tried += line.counters.tried;
        }
        sums
    }

    /// The joins without a number that arrived too long ago, by second, from the first on.
    fn late(&self, position: usize, now: UnixMillis) -> Vec<LateJoins> {
        let mut late: Vec<LateJoins> = Vec::new();
        for piece in &self.lines[position].row.pieces {
            if now.since(piece.at) <= LATE_AFTER {
                break;
            }
            let second = piece.at.0 / 1_000;
            let seconds = late.len();
            let count = piece.count.try_into().unwrap_or(u32::MAX);
            match late.last_mut() {
                Some(last) if last.arrived_second >= second => {
                    last.count = last.count.saturating_add(count);
                }
                _ if seconds == MAX_LATE_SECONDS => break,
                _ => late.push(LateJoins {
                    arrived_second: second,
                    count,
                }),
            }
        }
        late
    }

    fn below(&self, now: UnixMillis) -> Below {
        let shards = || self.shards.iter();
        Below {
            full: shards()
                .filter(|(_, child)| child.is_full_soon(now))
                .map(|(number, _)| ShardIndex(*number))
                .collect(),
            last: shards().next_back().map(|(number, _)| ShardIndex(*number)),
            heard: shards()
                .filter(|(_, child)| now.since(child.heard) <= GRANT_TO_HEARD)
                .count() as u16,
            unheard: (0..self.lines.len())
                .map(|position| self.board.is_none() || self.unheard(position).next().is_some())
                .collect(),
        }
    }
}

/// Puts a piece behind the others, of which there may be so many; `false`: there are too many. Joins of one shard and second
/// are one piece, when no other shard's came between.
fn make_room(pieces: &mut VecDeque<Piece>, most: usize, piece: Piece) -> bool {
    let last = pieces.back_mut();
    let second = |piece: &Piece| (piece.shard, piece.at.0 / 1_000);
    if let Some(last) = last.filter(|last| second(last) == second(&piece)) {
        last.count += piece.count;
        return true;
    }
    let has_room = pieces.len() < most;
    if has_room {
        pieces.push_back(piece);
    }
    has_room
}
