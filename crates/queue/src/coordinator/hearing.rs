//! Reports of shards and relays: checked, taken in, answered.

use super::Coordinator;
use super::command::{CoordinatorReply, Entropy};
use super::pacing::pace;
use crate::children;
use crate::limits::{DIRECT_SHARDS, MAX_CHILDREN};
use crate::sync::{Below, RelayReport, SyncReply, SyncRequest};
use crate::units::UnixMillis;

impl Coordinator {
    /// A shard reports.
    pub(super) fn sync(
        &mut self,
        report: SyncRequest,
        entropy: Entropy,
        now: UnixMillis,
    ) -> CoordinatorReply {
        if report.shard.0 >= DIRECT_SHARDS {
            return CoordinatorReply::Refused(format!(
                "shard {}; 0 to {} report to the coordinator itself",
                report.shard.0,
                DIRECT_SHARDS - 1
            ));
        }
        self.heard(report, None, entropy, now)
    }

    /// A relay reports.
    pub(super) fn relayed(
        &mut self,
        report: RelayReport,
        entropy: Entropy,
        now: UnixMillis,
    ) -> CoordinatorReply {
        let RelayReport { sync, below } = report;
        if !(DIRECT_SHARDS..MAX_CHILDREN).contains(&sync.shard.0) {
            return CoordinatorReply::Refused(format!(
                "a relay as child {}; {DIRECT_SHARDS} to {} are allowed",
                sync.shard.0,
                MAX_CHILDREN - 1
            ));
        }
        self.heard(sync, Some(below), entropy, now)
    }

    fn heard(
        &mut self,
        report: SyncRequest,
        below: Option<Below>,
        entropy: Entropy,
        now: UnixMillis,
    ) -> CoordinatorReply {
        if report.run != self.run {
            return CoordinatorReply::Refused(format!(
                "run {} reported to run {}",
                report.run, self.run
            ));
        }
        if let Some(why) = children::refusal(&self.children, &report, self.lines.len()) {
            return CoordinatorReply::Refused(why);
        }
        self.entropy = entropy;
        let number = report.shard.0;
        let before = self.came_to(number);
        self.hear(&report, now);
        self.measure(number, before, now);
        if let Some(child) = self.children.get_mut(&number) {
            child.below = below;
        }
        self.settle(now);
        self.decide_tries(number, now);
        self.publish(now);
        let pace = pace(&self.children, &self.children[&number], self.clock.high());
        let child = self.children.get_mut(&number).expect("heard above");
        child.told = self.board.version;
        let lines = children::answers(child);
        let waits = child.lines.iter().any(|line| !line.pending.is_empty());
        let grant_in = waits
            .then(|| self.admission.next_grant_in(&self.limits(), now))
            .flatten();
        CoordinatorReply::Synced(SyncReply {
            run: self.run,
            sent: report.sent,
            lines,
            board: (report.board_version != self.board.version).then(|| self.board.clone()),
            board_version: self.board.version,
            next_sync: pace,
            grant_in,
            clocks: self.lines.iter().map(|line| line.calling.clock()).collect(),
        })
    }

    /// Takes in a report's counters and gives its joins numbers.
    fn hear(&mut self, report: &SyncRequest, now: UnixMillis) {
        if children::hear(&mut self.children, report, now) {
            self.changed.children.insert(report.shard.0);
        }
        for position in 0..report.lines.len() {
            self.cut_reported(report, position, now);
        }
    }
}
