//! Visitors of several lines on the stage: so many of each join, and claim one after the other.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::Settings;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{LineIndex, Millis};

use super::{Stage, nonce};

/// Visitors of one line have numbers from this one's multiples on.
const OF_ONE_LINE: u64 = 100_000;

pub struct Lines {
    pub stage: Stage,
    joined: Vec<u64>,
    claimed: Vec<u64>,
}

impl Lines {
    /// `each` visitors of every line have joined, at two shards in turn.
    pub fn joined(settings: Settings, each: u64) -> Self {
        let count = settings.lines.len();
        let mut lines = Self {
            stage: Stage::new(settings, 2),
            joined: vec![0; count],
            claimed: vec![0; count],
        };
        for line in 0..count {
            for _ in 0..each {
                lines.join_next(line);
            }
        }
        lines.stage.sync_all();
        lines
    }

    /// The same, all of them called, and nobody may enter.
    pub fn called(settings: Settings, each: u64) -> Self {
        let mut lines = Self::joined(settings, each);
        let limit = |change| Action::Retune {
            max_active: Some(change),
            per_minute: None,
            batch: None,
        };
        lines.stage.operate(limit(Change::Unlimited));
        lines.stage.live(Millis::from_seconds(2));
        lines.stage.operate(limit(Change::To(0)));
        lines.stage.sync_all();
        let board = lines.stage.coordinator.board();
        assert!(board.lines.iter().all(|line| line.called.0 == each));
        lines
    }

    pub fn join_next(&mut self, line: usize) -> ShardReply {
        let visitor = line as u64 * OF_ONE_LINE + self.joined[line];
        self.joined[line] += 1;
        let shard = (visitor % 2) as usize;
        let join = ShardCommand::Join {
            nonce: nonce(visitor),
            line: LineIndex(line as u8),
            permit_expired: false,
            arrived: None,
        };
        let reply = self.stage.at_shard(shard, join);
        if let ShardReply::Place { place, .. } = reply {
            self.stage.seat(visitor, shard, place.index);
        }
        reply
    }

    /// The next of the line claims, if one is left.
    pub fn claim_next(&mut self, line: usize) {
        if self.claimed[line] < self.joined[line] {
            let visitor = line as u64 * OF_ONE_LINE + self.claimed[line];
            self.claimed[line] += 1;
            self.stage.claim(visitor, 0);
        }
    }

    /// What every line has got.
    pub fn granted(&self) -> Vec<u64> {
        self.stage.granted_by_line()
    }

    /// Whether claims of the line wait.
    pub fn wants(&self, line: usize) -> bool {
        self.granted()[line] < self.claimed[line]
    }
}
