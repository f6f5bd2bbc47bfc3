//! Turns: moving `called` as far as the limits will be able to admit, and `lapsed` after it.

use super::Coordinator;
use crate::board::Phase;
use crate::calling::{Counts, Room};
use crate::child::ChildLine;
use crate::limits::{CALL_HORIZON, CALL_STEP};
use crate::log::Record;
use crate::units::{Millis, Rank, UnixMillis};

/// Without an end to the hold, what can be admitted is looked at this far ahead.
const LONGEST_OUTLOOK: Millis = Millis::from_minutes(30);

/// The ends of the last seconds are kept for this long.
const ENDS_KEPT: Millis = Millis(20_000);

impl Coordinator {
    pub(super) fn call(&mut self, now: UnixMillis) {
        self.note_ends(now);
        let due = now >= self.next_call || self.next_call.since(now) > CALL_STEP;
        for position in 0..self.lines.len() {
            let open = self.phase(position, now) == Phase::Open && !self.live.stop;
            let lapsed = self.lines[position].calling.lapsed(self.settings.hold);
            let row = &mut self.lines[position].row;
            if lapsed > row.lapsed {
                row.lapsed = lapsed.min(row.called);
                self.changed.lines.insert(position);
            }
            if !open {
                self.lines[position].calling.forget_pace();
            } else if due {
                self.call_line(position, now);
            }
        }
        if due {
            self.next_call = now.plus(CALL_STEP);
        }
    }

    fn call_line(&mut self, position: usize, now: UnixMillis) {
        let hold = self.settings.hold;
        let row = self.lines[position].row;
        let waiting = row.entries - row.called;
        let calling = &mut self.lines[position].calling;
        if waiting == 0 {
            calling.forget_pace();
            return;
        }
        let counts = self.counts(position, waiting);
        let room = self.room(position, now);
        let calling = &mut self.lines[position].calling;
        let more = calling.to_call(&counts, hold, &room);
        let called = row.called + more;
        if calling.note_pace(called, now) {
            self.changed.calls.insert(position);
        }
        if more > 0 {
            calling.note(row.called, called, counts.answered, hold);
            self.lines[position].row.called = called;
            self.changed.calls.insert(position);
            self.changed.lines.insert(position);
            let record = Record::Call {
                line: self.line_id(position),
                called: Rank(called),
            };
            self.log(&record, now);
        }
    }

    fn counts(&self, position: usize, waiting: u64) -> Counts {
        let mut counts = Counts {
            called: self.lines[position].row.called,
            answered: 0,
            pending: 0,
            waiting,
        };
        for line in self.child_lines(position..position + 1) {
            counts.answered += line.answered();
            counts.pending += line.demand();
        }
        counts
    }

    /// What the limits can admit of this line: its share by weight among the lines that want.
    fn room(&self, position: usize, now: UnixMillis) -> Room {
        let limits = self.limits();
        let hold = if self.settings.hold.0 == 0 {
            LONGEST_OUTLOOK
        } else {
            self.settings.hold
        };
        let half_hold = Millis((hold.0 / 2).max(CALL_HORIZON.0));
        let free = limits
            .max_active
            .map(|most| u64::from(most).saturating_sub(self.active()));
        let longest = self.settings.session.0 + self.settings.max_extension.0;
        let turnover = |within: Millis| {
            limits
                .max_active
                .map_or(0, |most| u64::from(most) * within.0 / longest.max(1))
        };
        let share = |admitted: u64| self.share(position, admitted, now);
        let by_active = |ends: u64| free.map_or(u64::MAX, |free| free.saturating_add(ends));
        let soon = self
            .admission
            .outlook(&limits, CALL_HORIZON, now)
            .min(by_active(self.ends_within(CALL_HORIZON)));
        let later = self.admission.outlook(&limits, half_hold, now);
        let ends = turnover(half_hold)
            .max(self.ends_within(CALL_HORIZON) * (half_hold.0 / CALL_HORIZON.0));
        Room {
            soon: share(soon),
            half_hold: share(later.min(by_active(ends))),
        }
    }

    fn share(&self, position: usize, admitted: u64, now: UnixMillis) -> u64 {
        let wants = |other: usize| {
            let row = &self.lines[other].row;
            let pending = self
                .child_lines(other..other + 1)
                .any(|line| !line.pending.is_empty());
            self.phase(other, now) == Phase::Open && (row.called < row.entries || pending)
        };
        let weights: u64 = (0..self.lines.len())
            .filter(|other| *other == position || wants(*other))
            .map(|other| u64::from(self.settings.lines[other].weight.max(1)))
            .sum();
        let weight = u64::from(self.settings.lines[position].weight.max(1));
        (u128::from(admitted) * u128::from(weight)).div_ceil(u128::from(weights)) as u64
    }

    fn note_ends(&mut self, now: UnixMillis) {
        let ended = self
            .child_lines(0..self.lines.len())
            .map(|line| line.counters.ended)
            .sum();
        note_second(&mut self.ends, ended, ENDS_KEPT, now);
    }

    /// How many sessions ended in the last `within`.
    fn ends_within(&self, within: Millis) -> u64 {
        grown_within(&self.ends, within)
    }

    /// Claims and totals of all shards, for operators.
    pub(super) fn sum(&self, what: impl Fn(&ChildLine) -> u64) -> u64 {
        self.child_lines(0..self.lines.len()).map(what).sum()
    }
}

/// Keeps one value a second, of the last `keep`, and the newest.
pub(super) fn note_second(
    kept: &mut std::collections::VecDeque<(UnixMillis, u64)>,
    value: u64,
    keep: Millis,
    now: UnixMillis,
) {
    let same = kept.len() > 1
        && kept
            .back()
            .is_some_and(|(at, _)| at.0 / 1_000 == now.0 / 1_000);
    match kept.back_mut() {
        Some(last) if same => last.1 = value,
        _ => kept.push_back((now, value)),
    }
    while kept.front().is_some_and(|(at, _)| now.since(*at) > keep) {
        kept.pop_front();
    }
}

pub(super) fn grown_within(
    kept: &std::collections::VecDeque<(UnixMillis, u64)>,
    within: Millis,
) -> u64 {
    let Some((last_at, last)) = kept.back() else {
        return 0;
    };
    let first = kept.iter().find(|(at, _)| last_at.since(*at) <= within);
    first.map_or(0, |(_, first)| last - first)
}
