//! Grants: exact, in the order in which the called claim, shared between lines by weight.

use std::collections::BTreeMap;

use super::Coordinator;
use crate::board::Phase;
use crate::children::{bring_back, next_claimant, unconfirmed, write_off_lost};
use crate::limits::{CLOCK_JUMP, JUMP_DOUBTED};
use crate::log::Record;
use crate::settings::Mode;
use crate::units::{Millis, ShardIndex, UnixMillis};

/// What one grant moves a line of weight 1 on in the round robin: so many that what a division by
/// the weight loses is less than a grant after a hundred million of them, and so few that as many
/// fit into 64 bits.
const CREDIT_UNITS: u64 = 100_000_000_000;

impl Coordinator {
    /// Grants pending claims as far as the limits allow.
    pub(super) fn grant(&mut self, now: UnixMillis) {
        let mut totals: Vec<u64> = (0..self.lines.len())
            .map(|position| self.granted(position))
            .collect();
        let granted = self.grant_claims(now);
        for ((position, shard), count) in granted {
            totals[position] += count;
            let record = Record::Grant {
                line: self.line_id(position),
                shard: ShardIndex(shard),
                count,
                granted: totals[position],
            };
            self.log(&record, now);
        }
    }

    /// Claims of a line granted since the run began.
    fn granted(&self, position: usize) -> u64 {
        self.child_lines(position..position + 1)
            .map(|line| line.granted)
            .sum()
    }

    /// Makes the grants and says how many each line of each shard got.
    fn grant_claims(&mut self, now: UnixMillis) -> BTreeMap<(usize, u16), u64> {
        let limits = self.limits();
        let mut active = self.active();
        let mut granted = BTreeMap::new();
        loop {
            let allowance = self.admission.allowance(&limits, active, now);
            if allowance == 0 {
                return granted;
            }
            let lines: Vec<(usize, u16)> = (0..self.lines.len())
                .filter(|position| self.grants_now(*position, now))
                .filter_map(|position| {
                    next_claimant(&self.children, position, &self.entropy, now)
                        .map(|shard| (position, shard))
                })
                .collect();
            let Some(&(position, shard)) = lines
                .iter()
                .min_by_key(|(position, _)| self.lines[*position].row.credit)
            else {
                return granted;
            };
            let quantum = if lines.len() == 1 { allowance } else { 1 };
            let child = self.children.get_mut(&shard).expect("a known shard");
            let line = &mut child.lines[position];
            let count = quantum.min(line.pending.front().map_or(0, |batch| batch.count));
            line.grant(count);
            child.granted_at = now;
            self.admission.spend(&limits, count, now);
            active += count;
            self.move_credit(position, count, &lines);
            self.changed.children.insert(shard);
            self.changed.queue = true;
            *granted.entry((position, shard)).or_insert(0) += count;
        }
    }

    /// A line's credit grows with what it gets, the slower the heavier it is; the line with the
    /// least is next. So a line that waits is never more than one of its own grants ahead of
    /// another that waits. Lines with nothing to grant are brought along with the least of those
    /// that wait, so that nobody saves up; what they are ahead they keep.
    fn move_credit(&mut self, position: usize, count: u64, waiting: &[(usize, u16)]) {
        if self.lines.len() == 1 {
            return;
        }
        let weight = u64::from(self.settings.lines[position].weight.max(1));
        self.lines[position].row.credit += count * (CREDIT_UNITS / weight);
        let credits = waiting.iter().map(|(line, _)| self.lines[*line].row.credit);
        let floor = credits.min().unwrap_or(0);
        for (other, line) in self.lines.iter_mut().enumerate() {
            if !waiting.iter().any(|(line, _)| *line == other) {
                line.row.credit = line.row.credit.max(floor);
            }
        }
        self.changed.lines.extend(0..self.lines.len());
    }

    pub(super) fn grants_now(&self, position: usize, now: UnixMillis) -> bool {
        self.phase(position, now) == Phase::Open && !self.live.stop
    }

    /// Whether a first visit could be admitted in one step: there is room, nobody waits, and not
    /// too many such visits are unconfirmed.
    pub(super) fn has_room(&self, position: usize, within: Millis, now: UnixMillis) -> bool {
        let direct = matches!(self.settings.mode, Mode::Auto | Mode::Rate);
        let row = &self.lines[position].row;
        let limits = self.limits();
        let most = limits
            .max_active
            .or(limits.per_minute)
            .map_or(u64::MAX, u64::from);
        direct
            && self.grants_now(position, now)
            && row.called == row.entries
            && self
                .child_lines(0..self.lines.len())
                .all(|line| line.pending.is_empty())
            && unconfirmed(&self.children, now) < (most / 10).max(1)
            && limits
                .max_active
                .is_none_or(|most| self.active() < u64::from(most))
            && self.admission.outlook(&limits, within, now) > 0
    }

    /// Decides the tries that a shard reported: each is granted now or never.
    pub(super) fn decide_tries(&mut self, shard: u16, now: UnixMillis) {
        let limits = self.limits();
        for position in 0..self.lines.len() {
            let before = self.children[&shard].lines[position].tries_granted;
            loop {
                let line = &self.children[&shard].lines[position];
                if line.tries_decided >= line.counters.tried {
                    break;
                }
                let granted = line.counters.ended >= line.ended_floor
                    && self.has_room(position, Millis(0), now);
                if granted {
                    self.admission.spend(&limits, 1, now);
                    self.changed.queue = true;
                }
                let child = self.children.get_mut(&shard).expect("a known shard");
                child.lines[position].tries_decided += 1;
                if granted {
                    child.admit_directly(position, 1, now);
                }
                self.changed.children.insert(shard);
            }
            let count = self.children[&shard].lines[position].tries_granted - before;
            if count > 0 {
                let line = self.line_id(position);
                let shard = ShardIndex(shard);
                self.log(&Record::Admit { line, shard, count }, now);
            }
        }
    }

    /// A clock that goes on by much between two looks says that the coordinator slept, or it leapt: that shows when it is
    /// set back. Until then nobody is given up for lost; and what was noted by a clock that was far ahead is brought back.
    pub(super) fn mind_clock(&mut self, now: UnixMillis) {
        if now.since(self.clock.high()) > CLOCK_JUMP {
            self.gives_up_from = now.plus(JUMP_DOUBTED);
        }
        if self.clock.was_wrong(now) {
            self.gives_up_from = now;
            bring_back(&mut self.children, now);
        }
    }

    /// A shard that has been silent for longer than any of its sessions can last no longer
    /// counts. If it comes back, its first answer tells it so.
    pub(super) fn write_off_lost(&mut self, now: UnixMillis) {
        if now < self.gives_up_from {
            return;
        }
        let lost = write_off_lost(&mut self.children, self.longest_session, now);
        self.changed.children.extend(lost);
    }
}
