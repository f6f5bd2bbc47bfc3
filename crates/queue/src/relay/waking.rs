//! When a relay has to report, to wake, and to wake its shards.

use super::Relay;
use crate::child::ChildLine;
use crate::children::{unconfirmed, unsaid};
use crate::limits::{GRANT_TO_HEARD, LAST_PASS, PATIENT_SYNC, WOKEN_WITHIN, WRITE_OFF_MARGIN};
use crate::units::{Millis, ShardIndex, UnixMillis};

impl Relay {
    /// When a report is wanted: at once (at the pace the parent set) for news, patiently while something is awaited, never
    /// otherwise.
    pub fn next_report(&self) -> Option<UnixMillis> {
        let news = (0..self.lines.len()).any(|position| self.has_news(position));
        let fewer = unconfirmed(&self.shards, self.clock.high()) < self.told_unconfirmed;
        if news || fewer {
            return Some(self.next_sync);
        }
        let patience = self.grant_in.unwrap_or(PATIENT_SYNC).min(PATIENT_SYNC);
        let awaited = self
            .waits()
            .then(|| self.next_sync.max(self.last_sync.plus(patience)));
        let forgetting = self
            .forgotten_at()
            .filter(|at| self.board_heard < *at)
            .map(|at| self.next_sync.max(at));
        awaited.into_iter().chain(forgetting).min()
    }

    fn has_news(&self, position: usize) -> bool {
        let line = &self.lines[position];
        let told = line.answered.as_ref();
        let known = told.map(|report| report.counters).unwrap_or_default();
        let waits_for_number = line.row.numbered < line.row.taken;
        let opened = self.entrants(position, self.clock.high());
        let told_entrants = told.and_then(|report| report.entrants);
        known != self.counters(position) || waits_for_number || opened != told_entrants
    }

    /// Whether claims wait for grants: not those of shards that are away.
    fn waits(&self) -> bool {
        let mut shards = self.shards.iter();
        shards.any(|(number, child)| self.may_be_suspended(*number, &child.lines))
    }

    /// When to wake the relay although nobody asks.
    pub fn next_wakeup(&self) -> Option<UnixMillis> {
        let just_after = |at: UnixMillis| at.plus(Millis(1));
        let openings = (0..self.lines.len())
            .filter(|position| self.draw_is_open(*position))
            .filter_map(|position| self.opening(position))
            .filter(|at| *at > self.clock.high());
        let away = self
            .shards
            .iter()
            .filter(|(number, child)| self.may_be_suspended(**number, &child.lines))
            .map(|(_, child)| just_after(child.heard.plus(GRANT_TO_HEARD)));
        let longest = Millis(self.longest_session.0 + LAST_PASS.0 + WRITE_OFF_MARGIN.0);
        let lost = self
            .shards
            .values()
            .filter(|child| child.lines.iter().any(|line| line.active() > 0))
            .map(|child| child.heard.max(child.granted_at).plus(longest))
            .map(|at| just_after(at).max(self.gives_up_from));
        openings
            .chain(away)
            .chain(lost)
            .chain(self.collect_until)
            .chain(unsaid(&self.shards, self.clock.high()).map(|(_, until)| just_after(until)))
            .chain(self.next_report())
            .min()
    }

    fn may_be_suspended(&self, number: u16, lines: &[ChildLine]) -> bool {
        lines.iter().zip(&self.lines).any(|(line, own)| {
            let mut suspended = own.row.suspended.iter();
            line.demand() > 0 && !suspended.any(|(shard, _)| *shard == number)
        })
    }

    /// The shards to be asked for a report now: a draw would wait for them, or they have not heard what cannot wait.
    pub fn pokes(&self) -> Vec<ShardIndex> {
        let now = self.clock.high();
        let urgent = self.shards.iter().filter(|(_, child)| {
            child.told < self.urgent && now.since(child.heard) <= WOKEN_WITHIN
        });
        let mut numbers: Vec<u16> = urgent.map(|(number, _)| *number).collect();
        for position in 0..self.lines.len() {
            if self.entrants(position, now).is_some() {
                numbers.extend(self.unheard(position));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(ShardIndex).collect()
    }
}
