//! What a relay stores: one row, so that a commit writes one whatever it changed.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Identity, Relay};
use crate::child::{Child, ChildLine};
use crate::draw::Hash;
use crate::outcome::Corrupt;
use crate::settings::Settings;
use crate::sync::Counters;
use crate::units::{Millis, UnixMillis};

/// Consecutive joins of one shard that wait for their entry numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Whose.
    pub shard: u16,
    /// How many.
    pub count: u64,
    /// When they arrived, or were reported.
    pub at: UnixMillis,
}

/// One line of a relay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRow {
    /// Joins taken up from shards, in the order in which they are reported.
    pub taken: u64,
    /// How many of them have entry numbers.
    pub numbered: u64,
    /// The others, in order.
    pub pieces: VecDeque<Piece>,
    /// The chain over what was taken up.
    pub chain: Hash,
    /// What was taken from the parent.
    pub granted: u64,
    /// Tries that the parent decided.
    pub tries_decided: u64,
    /// Tries that the parent granted.
    pub tries_granted: u64,
    /// Counts of the relay's own, beside those of its shards.
    pub own: Counters,
    /// Claims of shards that are away, by shard: taken back until they are heard again.
    pub suspended: Vec<(u16, u64)>,
}

/// The row of a relay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayRow {
    /// Its lines, in the order of the configuration.
    pub lines: Vec<LineRow>,
    /// Its shards.
    pub shards: Vec<(u16, Child)>,
    /// The longest that any session of the run may last.
    pub longest_session: Millis,
    /// When the run ended, as heard.
    pub ended_at: Option<UnixMillis>,
}

impl RelayRow {
    /// The key under which the row is stored.
    pub const KEY: &str = "relay";
}

impl Relay {
    /// The relay whose row this is: the inverse of storing it.
    ///
    /// # Errors
    /// [`Corrupt`] when it is not the row of a relay with these lines.
    pub fn restore(
        identity: Identity,
        settings: Settings,
        rows: impl IntoIterator<Item = RelayRow>,
        now: UnixMillis,
    ) -> Result<Self, Corrupt> {
        let mut relay = Self::empty(identity, settings, now);
        let lines = relay.lines.len();
        let Some(row) = rows.into_iter().last() else {
            return Err(Corrupt("the row of the relay is missing".to_owned()));
        };
        let fits = |child: &Child| child.lines.len() == lines;
        if row.lines.len() != lines || !row.shards.iter().all(|(_, child)| fits(child)) {
            return Err(Corrupt(format!(
                "{} lines stored, {lines} configured",
                row.lines.len()
            )));
        }
        for (line, row) in relay.lines.iter_mut().zip(row.lines) {
            line.row = row;
        }
        for (number, mut child) in row.shards {
            child.heard = now;
            relay.shards.insert(number, child.with_blank_reports());
        }
        relay.longest_session = relay.longest_session.max(row.longest_session);
        relay.ended_at = row.ended_at;
        relay.check()?;
        Ok(relay)
    }

    pub(super) fn take_rows(&mut self) -> Vec<RelayRow> {
        if !std::mem::take(&mut self.changed) {
            return Vec::new();
        }
        vec![RelayRow {
            lines: self.lines.iter().map(|line| line.row.clone()).collect(),
            shards: self
                .shards
                .iter()
                .map(|(number, child)| (*number, child.clone()))
                .collect(),
            longest_session: self.longest_session,
            ended_at: self.ended_at,
        }]
    }

    /// What must hold of every stored state: what no counter can have reached is no state.
    fn check(&self) -> Result<(), Corrupt> {
        for (position, line) in self.lines.iter().enumerate() {
            let row = &line.row;
            let sum = |of: fn(&ChildLine) -> u64| {
                let mut shards = self.shards.values();
                shards.try_fold(0_u64, |sum, child| {
                    sum.checked_add(of(&child.lines[position]))
                })
            };
            let waiting = row
                .pieces
                .iter()
                .try_fold(0_u64, |sum, piece| sum.checked_add(piece.count));
            let known = row.pieces.iter().all(|piece| {
                let child = self.shards.get(&piece.shard);
                child.is_some_and(|child| child.lines[position].counters.joined >= piece.count)
            });
            let fits = sum(|line| line.cut) == Some(row.numbered)
                && waiting.and_then(|waiting| waiting.checked_add(row.numbered)) == Some(row.taken)
                && known
                && sum(|line| line.granted).is_some_and(|given| given <= row.granted)
                && sum(|line| line.tries_granted).is_some_and(|given| given <= row.tries_granted);
            if !fits {
                return Err(Corrupt(format!(
                    "line {position}: taken {}, numbered {}, granted {} and {}",
                    row.taken, row.numbered, row.granted, row.tries_granted
                )));
            }
        }
        Ok(())
    }
}
