//! The end of a run: everybody is asked once more, and the event log is read from its first line.

use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::LineIndex;

use super::letters::nonce_of;
use super::{Room, answers};
use crate::observation::{Observation, VisitorId};

impl Room {
    /// Somebody looks at the page, through every shard.
    pub(super) fn look_everywhere(&mut self, now: u64) {
        self.look_at_relays(now);
        for shard in 0..self.shards.len() as u16 {
            if !self.shards[usize::from(shard)].store.is_empty() {
                self.apply_at_shard(shard, ShardCommand::Look, now);
                self.flush(shard, true, now);
            }
        }
    }

    /// Everybody is asked, after everything was forgotten and restored once more.
    pub(super) fn audit(&mut self, now: u64) {
        self.crash_coordinator(now);
        let tally = self.final_tally(now);
        for shard in 0..self.shards.len() as u16 {
            self.crash_shard(shard, now);
        }
        for permit in 0..self.plan.visitors {
            self.audit_permit(permit, now);
        }
        let pages = self.coordinator.stored_rows().filter_map(|row| match row {
            CoordinatorRow::Log(page) => Some(page.lines.as_slice()),
            _ => None,
        });
        let log: Vec<&str> = pages.flatten().map(String::as_str).collect();
        self.log_lines = log.len() as u64;
        self.checkers
            .event_log
            .read(now, &log, tally, &mut self.findings);
        let entries = tally.lines.map(|line| line.entries);
        let active = tally.active;
        self.see(now, Observation::AuditOver { entries, active });
        self.over = true;
    }

    fn audit_permit(&mut self, permit: VisitorId, now: u64) {
        let visitor = self.visitors[permit as usize];
        if !visitor.has_permit {
            return;
        }
        let join = ShardCommand::Join {
            nonce: nonce_of(permit),
            line: LineIndex(visitor.line),
            permit_expired: true,
            arrived: None,
        };
        let place = match self.audit_at_shard(visitor.own_home, join, now) {
            ShardReply::Place { place, .. } => {
                let key = self.plan.key_of(permit);
                Some(answers::seen(visitor.own_home, key, now, &place))
            }
            _ => None,
        };
        self.see(
            now,
            Observation::Audited {
                visitor: permit,
                place,
            },
        );
        let owed = visitor.habit.is_faithful() && visitor.joined && !visitor.settled;
        if owed && self.plan.serves_everybody() {
            self.see(now, Observation::Unserved { visitor: permit });
        }
    }
}
