//! When visitors ask again whose claims are pending, or who have no number yet. Usually every two seconds: then a session
//! begins soon after its grant. But early places are at few homes, and when a rate is raised thousands of claims may wait at
//! one of them; so a home gives out appointments, no more in a second than it can keep beside its other work.
//!
//! That of a claim is made for the moment at which the claim is likely to be granted: as many claims as are before it, at the
//! rate of the last grants. So most who wait ask once. When that second is taken it is the next one that is free.
//!
//! Nothing of this is stored: a shard that begins anew knows of no appointments, and makes new ones as it is asked.

use std::collections::VecDeque;

use super::Shard;
use super::command::{PlaceView, ShardReply, VisitorState};
use super::place::Standing;
use crate::limits::{GRANT_FETCH, LATEST_APPOINTMENT, PLANNED_PLACES};
use crate::load::Load;
use crate::units::{Millis, UnixMillis};

/// Appointments in one second: a third of what a shard can be asked, beside 300 first claims and what sessions need.
const MOST_A_SECOND: u64 = 350;

/// A pending claim is asked about this much later when nothing speaks against it.
const SOONEST: Millis = Millis(2_000);

const _: () = assert!(LATEST_APPOINTMENT.0 * 115 / 100 < GRANT_FETCH.0);
const _: () = assert!(MOST_A_SECOND * (LATEST_APPOINTMENT.0 - SOONEST.0) / 1_000 >= PLANNED_PLACES);

/// What is known of the coming seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Appointments {
    /// Grants of the last seconds.
    pub(super) granted: Load,
    /// The second (Unix time) of the first that is kept, and how many each has.
    first: u64,
    taken: VecDeque<u64>,
}

impl Appointments {
    /// One more, at `wanted` or in the first second after it that has room; when none has, in the last.
    fn make(&mut self, wanted: UnixMillis, now: UnixMillis) -> UnixMillis {
        let present = now.0 / 1_000;
        if present < self.first {
            // The clock was set back.
            self.taken.clear();
        }
        for _ in self.first..present.min(self.first + self.taken.len() as u64) {
            self.taken.pop_front();
        }
        self.first = present;
        let last = (LATEST_APPOINTMENT.0 / 1_000) as usize - 1;
        self.taken.resize(last + 1, 0);
        let from = ((wanted.0 / 1_000 - present) as usize).min(last);
        let free = (from..last).find(|second| self.taken[*second] < MOST_A_SECOND);
        let second = free.unwrap_or(last);
        let before = self.taken[second].min(MOST_A_SECOND - 1);
        self.taken[second] += 1;
        if second == from {
            return wanted;
        }
        let begins = (present + second as u64) * 1_000;
        UnixMillis(begins + before * 1_000 / MOST_A_SECOND)
    }
}

impl Shard {
    /// The reply as it leaves: a visitor whose claim is pending, or whose place has no number yet, is told when to ask again,
    /// if that is later than usual.
    pub fn with_appointment(&mut self, mut reply: ShardReply, now: UnixMillis) -> ShardReply {
        let place = match &mut reply {
            ShardReply::Place { place, .. } => place,
            ShardReply::Pending { place: Some(place) } => place,
            _ => return reply,
        };
        if matches!(
            place.state,
            VisitorState::Pending | VisitorState::Provisional
        ) {
            let now = self.observe(now);
            let wanted = now.plus(self.likely_wait(place, now));
            let at = self.appointments.make(wanted, now);
            place.offer_until = Some(at).filter(|at| at.since(now) > SOONEST);
        }
        reply
    }

    /// How long until a claim is likely to be granted, within the bounds of appointments.
    fn likely_wait(&self, view: &PlaceView, now: UnixMillis) -> Millis {
        let per_second = self.appointments.granted.per_second(now);
        let Standing::Claimed(claim) = &self.places[view.index.0 as usize].standing else {
            return SOONEST;
        };
        let first = self.lines[usize::from(view.line.0)].claims.first();
        let first = first.map_or(claim.order, |(order, _)| *order);
        let before = claim.order.saturating_sub(first);
        match (before * 1_000).checked_div(per_second) {
            Some(wait) => Millis(wait.clamp(SOONEST.0, LATEST_APPOINTMENT.0)),
            None => SOONEST,
        }
    }

    /// How many of the places here have been called, as far as that is known without working out drawn ranks: of a line with
    /// a draw its share.
    pub fn called_here(&self) -> u64 {
        let Some(board) = &self.board else { return 0 };
        let of_line = |(line, board): (&super::Line, &crate::board::LineBoard)| {
            let numbered = line.row.counters.numbered;
            match board.draw {
                Some(_) => board.called.0 * numbered / board.entries.0.max(1),
                None => line.joins[..numbered as usize].partition_point(|index| {
                    let entry = self.places[index.0 as usize].entry.known();
                    entry.is_some_and(|entry| entry.0 < board.called.0)
                }) as u64,
            }
        };
        self.lines.iter().zip(&board.lines).map(of_line).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: UnixMillis = UnixMillis(1_800_000_000_000);

    #[test]
    fn however_many_wait_no_second_has_more_appointments_than_a_home_can_keep() {
        for (waiting, latest_ms) in [(350, 2_000), (351, 3_000), (3_500, 11_997), (8_000, 24_854)] {
            let mut appointments = Appointments::default();
            let made: Vec<u64> = (0..waiting)
                .map(|_| appointments.make(T.plus(SOONEST), T).since(T).0)
                .collect();
            assert_eq!(made.iter().max(), Some(&latest_ms), "{waiting} wait");
            for second in 0..=25 {
                let within = |at: &&u64| **at / 1_000 == second;
                let count = made.iter().filter(within).count() as u64;
                assert!(
                    count <= MOST_A_SECOND,
                    "{count} of {waiting} in second {second}"
                );
            }
        }
    }

    #[test]
    fn seconds_that_are_over_make_room_and_a_clock_that_was_set_back_begins_anew() {
        let mut appointments = Appointments::default();
        for _ in 0..MOST_A_SECOND {
            appointments.make(T.plus(SOONEST), T);
        }
        let full = appointments.make(T.plus(SOONEST), T);
        assert_eq!(full, T.plus(Millis(3_000)));
        let later = T.plus(Millis(1_500));
        assert_eq!(
            appointments.make(later.plus(SOONEST), later),
            later.plus(SOONEST)
        );
        let back = T.minus(Millis(60_000));
        assert_eq!(
            appointments.make(back.plus(SOONEST), back),
            back.plus(SOONEST)
        );
    }
}
