//! Cuts: consecutive entry numbers for the joins that a shard has reported.
//!
//! Joins reported in time are numbered at once, in the order of the reports. Joins that could
//! not be reported in time wait for others of their kind for
//! [`LATE_COLLECTION`](crate::limits::LATE_COLLECTION) and are then numbered by arrival second;
//! within a second the joins of several shards are mixed piece by piece, drawn anew for every second.
//!
//! While it is open who takes part in a draw, only joins that arrived before the opening are
//! numbered, and their order says nothing: the draw makes it.

use super::{Coordinator, mix};
use crate::limits::LATE_COLLECTION;
use crate::log::Record;
use crate::sync::{LateJoins, LineReport};
use crate::units::{EntryNumber, ShardIndex, UnixMillis};

impl Coordinator {
    /// Numbers what a report brought, or keeps it for the collection.
    pub(super) fn cut_reported(
        &mut self,
        shard: u16,
        position: usize,
        report: &LineReport,
        sent: UnixMillis,
        now: UnixMillis,
    ) {
        if self.draw_is_open(position) {
            let before_opening = self.entrants_of(report, sent, position);
            let cut = self.children[&shard].lines[position].cut;
            return self.cut(shard, position, before_opening.saturating_sub(cut), now);
        }
        let child = self
            .children
            .get_mut(&shard)
            .expect("the reporting shard is known");
        let line = &child.lines[position];
        let late = beyond(
            &report.late,
            line.cut.saturating_sub(report.counters.numbered),
        );
        if late.is_empty() && child.late[position].is_empty() {
            return self.cut(shard, position, u64::MAX, now);
        }
        if !late.is_empty() {
            child.late[position] = late;
        }
        if self.collect_until.is_none() {
            self.collect_until = Some(now.plus(LATE_COLLECTION));
        }
    }

    /// How many of a shard's joins arrived before the opening that is in force: as the shard says;
    /// all of them in a report that left before it; none in a later one of a shard that knows of
    /// another opening, until it is asked again.
    fn entrants_of(&self, report: &LineReport, sent: UnixMillis, position: usize) -> u64 {
        let opens_at = self.opens_at(position);
        let told = report
            .entrants
            .filter(|entrants| Some(entrants.opens_at) == opens_at);
        match told {
            Some(entrants) => entrants.count,
            None if opens_at.is_none_or(|at| sent < at) => report.counters.joined,
            None => 0,
        }
    }

    /// Gives up to `most` of a shard's joins the next entry numbers: joins whose chain is known, so that the log
    /// commits to the permits behind them. An old report that comes after a restart knows fewer than were counted.
    fn cut(&mut self, shard: u16, position: usize, most: u64, now: UnixMillis) {
        let child = self.children.get_mut(&shard).expect("a known shard");
        let (joined, chain) = child.chains[position];
        let line = &mut child.lines[position];
        let first_join = line.cut;
        let count = joined.saturating_sub(line.cut).min(most);
        if count == 0 {
            return;
        }
        let row = &mut self.lines[position].row;
        let first_entry = EntryNumber(row.entries);
        line.cut(count, first_entry);
        row.entries += count;
        self.changed.lines.insert(position);
        self.changed.children.insert(shard);
        let record = Record::Cut {
            line: self.line_id(position),
            shard: ShardIndex(shard),
            first_join,
            count,
            first_entry,
            joined,
            chain,
        };
        self.log(&record, now);
    }

    /// Numbers the collected late joins when their time has come.
    pub(super) fn cut_collected(&mut self, now: UnixMillis) {
        if self.collect_until.is_none_or(|at| now < at) {
            return;
        }
        self.collect_until = None;
        for position in 0..self.lines.len() {
            let mut runs = Vec::new();
            for (shard, child) in &mut self.children {
                let late = std::mem::take(&mut child.late[position]);
                if late.is_empty() {
                    continue;
                }
                let pieces = (MOST_PIECES / late.len() as u64).clamp(1, PIECES_OF_A_SECOND);
                for run in late {
                    for piece in 0..pieces {
                        let count = share(u64::from(run.count), piece, pieces);
                        let salt = (run.arrived_second << 24) ^ (piece << 16) ^ u64::from(*shard);
                        runs.push((run.arrived_second, mix(&self.entropy, salt), *shard, count));
                    }
                }
                // What arrived in time behind the late ones comes after all of them.
                runs.push((
                    u64::MAX,
                    mix(&self.entropy, u64::from(*shard)),
                    *shard,
                    u64::MAX,
                ));
            }
            runs.sort_unstable();
            for (_, _, shard, count) in runs {
                self.cut(shard, position, count, now);
            }
        }
    }
}

/// Pieces into which the late joins of one second of one shard are cut, so that those of several
/// shards are mixed.
const PIECES_OF_A_SECOND: u64 = 16;

/// Pieces of one shard in all: its answer brings as many cuts, below 20 kB.
const MOST_PIECES: u64 = 1_024;

/// The size of the `piece`th of so many pieces of `whole`.
fn share(whole: u64, piece: u64, pieces: u64) -> u64 {
    whole * (piece + 1) / pieces - whole * piece / pieces
}

/// The late joins beyond the first `numbered` of them.
fn beyond(late: &[LateJoins], numbered: u64) -> Vec<LateJoins> {
    let mut skip = numbered;
    let mut rest = Vec::new();
    for run in late {
        let skipped = u64::from(run.count).min(skip);
        skip -= skipped;
        let count = run.count - skipped as u32;
        if count > 0 {
            rest.push(LateJoins { count, ..*run });
        }
    }
    rest
}
