//! Cuts: consecutive entry numbers for the joins that a shard has reported.
//!
//! Joins reported in time are numbered at once, in the order of the reports. Joins that could
//! not be reported in time wait for others of their kind for
//! [`LATE_COLLECTION`](crate::limits::LATE_COLLECTION) and are then numbered by arrival second;
//! within a second the joins of several shards are mixed piece by piece, drawn anew for every second.
//!
//! While it is open who takes part in a draw, only joins that arrived before the opening are
//! numbered, and their order says nothing: the draw makes it.

use super::Coordinator;
use crate::children::{Joins, collected, joins_of};
use crate::limits::LATE_COLLECTION;
use crate::log::Record;
use crate::sync::SyncRequest;
use crate::units::{EntryNumber, ShardIndex, UnixMillis};

impl Coordinator {
    /// Numbers what a report brought, or keeps it for the collection.
    pub(super) fn cut_reported(&mut self, report: &SyncRequest, position: usize, now: UnixMillis) {
        let shard = report.shard.0;
        let draw_at = self.draw_is_open(position).then(|| self.opens_at(position));
        let child = self
            .children
            .get_mut(&shard)
            .expect("the reporting shard is known");
        let cut = child.lines[position].cut;
        match joins_of(child, position, report, cut, draw_at) {
            Joins::UpTo(most) => self.cut(shard, position, most.saturating_sub(cut), now),
            Joins::Collected => {
                self.collect_until.get_or_insert(now.plus(LATE_COLLECTION));
            }
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
            let runs = collected(&mut self.children, position, &self.entropy);
            for (_, shard, count) in runs {
                self.cut(shard, position, count, now);
            }
        }
    }
}
