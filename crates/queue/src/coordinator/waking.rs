//! Whom to wake. Idle shards sleep without timers, and hear of nothing. Some things cannot wait for them to ask: a draw
//! needs to know who joined before its opening, a brake has to be known, and a shard that will take the first joins should be
//! there when they come. And a coordinator that begins anew has to hear how many first visits are unconfirmed before it
//! admits more.
//!
//! The shell asks those that [`Coordinator::pokes`] names until they have reported, and those of [`Coordinator::warming`]
//! once, both at a bounded rate.

use super::Coordinator;
use super::command::{Action, Noted};
use super::opening_shards::AHEAD;
use crate::board::{Board, LineBoard, Phase};
use crate::children::unsaid;
use crate::limits::{DIRECT_SHARDS, WOKEN_WITHIN};
use crate::tree::Node;
use crate::units::{Millis, ShardIndex, UnixMillis};

/// A coordinator that begins anew so soon after an operator's brake tells everybody again: it does not know who was told.
const TELLS_AGAIN: Millis = Millis(60_000);

/// A child that was heard within this time reports again by itself, or is poked after it.
const REPORTS_ITSELF: Millis = Millis(1_000);

/// Whether somebody may be let in through this line, as far as brakes go.
fn is_braked(line: &LineBoard) -> bool {
    matches!(line.phase, Phase::Paused | Phase::Soldout | Phase::Closed)
}

/// Whether an operator has put on or taken off a brake with this.
fn brakes(action: &Action) -> bool {
    match action {
        Action::Pause { .. }
        | Action::Resume
        | Action::Stop { .. }
        | Action::Off
        | Action::Soldout
        | Action::Close
        | Action::Open
        | Action::CloseLine { .. }
        | Action::OpenLine { .. } => true,
        // Nothing left pauses, and something left goes on.
        Action::Stock { .. } => true,
        Action::Retune { .. }
        | Action::Message { .. }
        | Action::Expect { .. }
        | Action::Reschedule { .. }
        | Action::StaffPass { .. }
        | Action::Refused { .. } => false,
    }
}

impl Coordinator {
    /// Whether `board` puts a brake on or takes one off.
    pub(super) fn is_brake(&self, board: &Board, now: UnixMillis) -> bool {
        if self.rebuilt {
            let late = |noted: &Noted| brakes(&noted.action) && now.since(noted.at) <= TELLS_AGAIN;
            return self.noted.iter().any(late);
        }
        let known = &self.board;
        let lines = known.lines.iter().map(is_braked);
        (known.stop, known.mode) != (board.stop, board.mode)
            || !lines.eq(board.lines.iter().map(is_braked))
    }

    /// The present board was published; whether it was for a brake.
    pub(super) fn tell_brake(&mut self, is_brake: bool) {
        if is_brake {
            self.brake = self.board.version;
        }
    }

    /// The children that do not know of the last brake, each with the instant from which it is asked. One that was silent
    /// for long has nobody to tell.
    fn untold(&self) -> impl Iterator<Item = (UnixMillis, u16)> + '_ {
        let now = self.clock.high();
        let matters = move |heard: UnixMillis| now.since(heard) <= WOKEN_WITHIN;
        self.children
            .iter()
            .filter(move |(_, child)| matters(child.heard) && child.told < self.brake)
            .map(|(number, child)| (child.heard.plus(REPORTS_ITSELF), *number))
    }

    /// When the next child is asked that does not know of the last brake and may still report by itself.
    pub(super) fn next_untold(&self, now: UnixMillis) -> Option<UnixMillis> {
        let later = self.untold().map(|(from, _)| from);
        later.filter(|from| *from > now).min()
    }

    /// The children to be asked for a report now, and again until they have reported.
    pub fn pokes(&self) -> Vec<Node> {
        let now = self.clock.high();
        let untold = self.untold().filter(|(from, _)| *from <= now);
        let untold = untold.map(|(_, number)| number);
        let mut numbers: Vec<u16> = self
            .awaited_entrants()
            .chain(untold)
            .chain(unsaid(&self.children, now).map(|(number, _)| number))
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(Node::of_child).collect()
    }

    /// The shards to be there when many come, in order, and the instant for which they are: those that will take joins, and
    /// before an opening those that its draw asks.
    pub fn warming(&self) -> Option<(UnixMillis, Vec<Node>)> {
        let now = self.clock.high();
        let next = self
            .beginnings()
            .filter(|at| now < *at && now >= at.minus(AHEAD))
            .min()?;
        let draws = (0..self.lines.len())
            .any(|position| self.draw_is_open(position) && self.opens_at(position) == Some(next));
        let asked = if draws {
            self.shards().min(DIRECT_SHARDS)
        } else {
            0
        };
        let mut shards = self.open_shards();
        shards.extend((0..asked).map(ShardIndex));
        shards.sort_unstable();
        shards.dedup();
        Some((next, shards.into_iter().map(Node::Shard).collect()))
    }
}

#[cfg(test)]
#[path = "waking_tests.rs"]
mod tests;
