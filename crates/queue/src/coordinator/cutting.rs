//! Cuts: consecutive entry numbers for the joins that a shard has reported.
//!
//! Joins reported in time are numbered at once, in the order of the reports. Joins that could
//! not be reported in time wait for others of their kind for
//! [`LATE_COLLECTION`](crate::limits::LATE_COLLECTION) and are then numbered by arrival second;
//! which shard comes first within a second is drawn anew for every second.

use super::{Coordinator, mix};
use crate::limits::LATE_COLLECTION;
use crate::sync::{LateJoins, LineReport};
use crate::units::{EntryNumber, UnixMillis};

impl Coordinator {
    /// Numbers what a report brought, or keeps it for the collection.
    pub(super) fn cut_reported(
        &mut self,
        shard: u16,
        position: usize,
        report: &LineReport,
        now: UnixMillis,
    ) {
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
            return self.cut(shard, position, u64::MAX);
        }
        if !late.is_empty() {
            child.late[position] = late;
        }
        if self.collect_until.is_none() {
            self.collect_until = Some(now.plus(LATE_COLLECTION));
        }
    }

    /// Gives up to `most` of a shard's joins the next entry numbers.
    fn cut(&mut self, shard: u16, position: usize, most: u64) {
        let line = &mut self.children.get_mut(&shard).expect("a known shard").lines[position];
        let count = (line.counters.joined - line.cut).min(most);
        if count == 0 {
            return;
        }
        let row = &mut self.lines[position].row;
        line.cut(count, EntryNumber(row.entries));
        row.entries += count;
        self.changed.lines.insert(position);
        self.changed.children.insert(shard);
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
                for run in late {
                    let draw = mix(
                        &self.entropy,
                        (run.arrived_second << 16) ^ u64::from(*shard),
                    );
                    runs.push((run.arrived_second, draw, *shard, u64::from(run.count)));
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
                self.cut(shard, position, count);
            }
        }
    }
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
