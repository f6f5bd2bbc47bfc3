//! Reports of shards: checked, taken in, answered.

use super::Coordinator;
use super::child::{Child, ChildLine};
use super::command::{CoordinatorReply, Entropy};
use crate::limits::MAX_SHARDS;
use crate::sync::{LineAnswer, LineReport, SyncReply, SyncRequest};
use crate::units::UnixMillis;

impl Coordinator {
    pub(super) fn sync(
        &mut self,
        report: SyncRequest,
        entropy: Entropy,
        now: UnixMillis,
    ) -> CoordinatorReply {
        if let Some(why) = self.refusal(&report) {
            return CoordinatorReply::Refused(why);
        }
        self.entropy = entropy;
        let shard = report.shard.0;
        self.hear(&report, now);
        self.settle(now);
        self.decide_tries(shard, now);
        self.publish(now);
        let child = &self.children[&shard];
        let lines = child.lines.iter().map(answer).collect();
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
            next_sync: self.pace(),
            grant_in,
            clocks: self.lines.iter().map(|line| line.calling.clock()).collect(),
        })
    }

    /// Why a report cannot be one of this run's.
    fn refusal(&self, report: &SyncRequest) -> Option<String> {
        if report.run != self.run {
            return Some(format!("run {} reported to run {}", report.run, self.run));
        }
        if report.shard.0 >= MAX_SHARDS {
            return Some(format!(
                "shard {}; 0 to {} are allowed",
                report.shard.0,
                MAX_SHARDS - 1
            ));
        }
        if report.lines.len() != self.lines.len() {
            return Some(format!(
                "{} lines reported, the queue has {}",
                report.lines.len(),
                self.lines.len()
            ));
        }
        let blank = ChildLine::default();
        for (position, LineReport { counters, .. }) in report.lines.iter().enumerate() {
            let known = self
                .children
                .get(&report.shard.0)
                .map_or(&blank, |child| &child.lines[position]);
            let given = known.granted + known.tries_granted;
            if counters.numbered > known.cut
                || counters.numbered > counters.joined
                || counters.ended > given
            {
                return Some(format!(
                    "line {position}: {counters:?} with {} cut and {given} granted",
                    known.cut
                ));
            }
        }
        None
    }

    /// Takes in a report's counters and gives its joins numbers.
    fn hear(&mut self, report: &SyncRequest, now: UnixMillis) {
        let shard = report.shard.0;
        let lines = self.lines.len();
        let child = self
            .children
            .entry(shard)
            .or_insert_with(|| Child::of_lines(lines));
        child.heard = now;
        child.unconfirmed = u64::from(report.unconfirmed);
        let mut grew = false;
        for (position, line) in report.lines.iter().enumerate() {
            let unnumbered = child.lines[position].cuts.len();
            grew |= child.lines[position].hear(&line.counters, now);
            grew |= unnumbered != child.lines[position].cuts.len();
            // A report that was overtaken says nothing new of these.
            if line.counters.joined >= child.chains[position].0 {
                child.entrants[position] = line.entrants.or(child.entrants[position]);
                child.chains[position] = (line.counters.joined, line.chain);
            }
        }
        if grew {
            self.changed.children.insert(shard);
        }
        for (position, line) in report.lines.iter().enumerate() {
            self.cut_reported(shard, position, line, report.sent, now);
        }
    }
}

fn answer(line: &ChildLine) -> LineAnswer {
    LineAnswer {
        cuts: line.cuts.iter().copied().collect(),
        granted: line.granted,
        tries_decided: line.tries_decided,
        tries_granted: line.tries_granted,
        ended_floor: line.ended_floor,
    }
}
