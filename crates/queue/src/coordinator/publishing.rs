//! The board and the operators' view: what the coordinator says of itself.

use super::Coordinator;
use super::command::{CoordinatorReply, Noted, Totals};
use super::drawing::Draw;
use crate::board::{Board, LineBoard, Pause, Phase};
use crate::child::ChildLine;
use crate::limits::{
    DIRECT_SHARDS, GRANT_TO_HEARD, MAX_SHARDS, PLANNED_JOINS_PER_SECOND, PLANNED_PLACES,
};
use crate::settings::Settings;
use crate::tree::{child_of, relay_of};
use crate::units::{EntryNumber, Millis, Rank, ShardIndex, UnixMillis};

/// A first visit is tried when a grant is to be had within this time.
const TRY_OUTLOOK: Millis = Millis(1_000);

/// Joins are measured over this time.
const JOIN_WINDOW: Millis = Millis(2_000);

/// The board of a queue of which nothing is known yet.
pub(super) fn blank(settings: &Settings) -> Board {
    Board {
        version: 0,
        mode: settings.mode,
        stop: false,
        pause: None,
        message: None,
        limits: settings.limits,
        slowdowns: 0,
        room: false,
        open_shards: vec![ShardIndex(0)],
        shards: 1,
        homes: 1,
        stock: None,
        ended_at: None,
        lines: Vec::new(),
    }
}

impl Coordinator {
    /// Makes the present board; a board that differs is a new version.
    pub(super) fn publish(&mut self, now: UnixMillis) {
        self.count_brakes(now);
        let shards = self.shards();
        let board = Board {
            version: self.board.version,
            mode: self.mode(),
            stop: self.live.stop,
            pause: self.pause(),
            message: self.live.message.clone(),
            limits: self.limits(),
            slowdowns: self.live.slowdowns,
            room: (0..self.lines.len()).any(|position| self.has_room(position, TRY_OUTLOOK, now)),
            open_shards: self.open_shards(shards),
            shards,
            homes: self.life.homes,
            stock: self.life.stock,
            ended_at: self.life.ended_at,
            lines: (0..self.lines.len())
                .map(|position| self.line_board(position, now))
                .collect(),
        };
        if self.rebuilt || board != self.board {
            self.rebuilt = false;
            self.board = Board {
                version: self.board.version + 1,
                ..board
            };
            self.changed.queue = true;
        }
    }

    /// Why the queue is paused: the operator's words come before the room's own.
    fn pause(&self) -> Option<Pause> {
        let origin_away = self.health.restraint.paused;
        let own = || origin_away.then(Pause::for_origin);
        self.live.pause.clone().or_else(own)
    }

    /// A line that was open and stands still, whatever stopped it, is counted once: the page explains by
    /// that count why a wait grew.
    fn count_brakes(&mut self, now: UnixMillis) {
        let is_braked = |(position, line): (usize, &LineBoard)| {
            let was_open = line.phase == Phase::Open && !self.board.stop;
            was_open && (self.live.stop || self.phase(position, now) != Phase::Open)
        };
        let braked = self.board.lines.iter().enumerate().any(is_braked);
        if braked && self.live.slowdowns == self.board.slowdowns {
            self.live.slowdowns += 1;
        }
    }

    fn line_board(&self, position: usize, now: UnixMillis) -> LineBoard {
        let line = &self.lines[position];
        let settings = &self.settings.lines[position];
        let phase = self.phase(position, now);
        let is_open = !matches!(phase, Phase::Before | Phase::Prequeue | Phase::Drawing);
        LineBoard {
            id: settings.id.clone(),
            phase,
            opens_at: self
                .opens_at(position)
                .filter(|_| !is_open || self.draw_is_open(position)),
            moved: self.moved(position).filter(|_| !is_open),
            called: Rank(line.row.called),
            lapsed: Rank(line.row.lapsed),
            entries: EntryNumber(line.row.entries),
            advance: line.calling.advance(),
            offers: line.calling.offers(self.settings.hold),
            draw: line.draw.as_ref().map(Draw::board),
        }
    }

    /// As many shards as the plan needs, and more when those are full.
    pub(super) fn shards(&self) -> u16 {
        let planned = self.planned_shards();
        let used = self.last_shard().map_or(0, |last| last.0 + 1);
        let known = planned.max(used);
        let full = (0..known).all(|shard| self.is_full(shard));
        if full {
            (known + 1).min(MAX_SHARDS)
        } else {
            known
        }
    }

    /// The last shard that has reported, to the coordinator or to a relay.
    fn last_shard(&self) -> Option<ShardIndex> {
        let by_relays = self
            .children
            .values()
            .filter_map(|child| child.below.as_ref());
        let direct = self.children.range(..DIRECT_SHARDS).next_back();
        by_relays
            .filter_map(|below| below.last)
            .chain(direct.map(|(number, _)| ShardIndex(*number)))
            .max()
    }

    /// As many shards as the expected visitors need.
    pub(super) fn planned_shards(&self) -> u16 {
        let expected = self
            .settings
            .expected_visitors
            .max(self.live.expected_visitors);
        expected
            .div_ceil(PLANNED_PLACES)
            .clamp(1, u64::from(MAX_SHARDS)) as u16
    }

    /// A relay says which of its shards are; until it is heard none is.
    fn is_full(&self, shard: u16) -> bool {
        let child = self.children.get(&child_of(ShardIndex(shard)));
        child.is_some_and(|child| match relay_of(ShardIndex(shard)) {
            Some(_) => child
                .below
                .as_ref()
                .is_some_and(|below| below.full.contains(&ShardIndex(shard))),
            None => child.is_full(),
        })
    }

    /// As few shards as the joins need, so that their groups are large: those with room, in
    /// order, one more than the measured rate asks for, and an eighth of all from the start. When
    /// every shard is full, all take joins beyond the plan.
    fn open_shards(&self, shards: u16) -> Vec<ShardIndex> {
        let per_second = self.joins_within(JOIN_WINDOW) * 1_000 / JOIN_WINDOW.0;
        let by_rate = per_second.div_ceil(PLANNED_JOINS_PER_SECOND)
            + u64::from(per_second > PLANNED_JOINS_PER_SECOND / 2);
        let wanted = by_rate.max(u64::from(shards.div_ceil(8))).max(1) as usize;
        let open: Vec<ShardIndex> = (0..shards)
            .filter(|shard| !self.is_full(*shard))
            .take(wanted)
            .map(ShardIndex)
            .collect();
        if open.is_empty() {
            (0..shards).map(ShardIndex).collect()
        } else {
            open
        }
    }

    pub(super) fn state_reply(&self) -> CoordinatorReply {
        CoordinatorReply::State {
            board: self.board.clone(),
            totals: self.totals(),
            settings: self.settings.clone(),
            noted: self.done(),
        }
    }

    /// The actions that were done, oldest first. These are stored and told with the state, and what operators were refused is
    /// not: versions of before there were roles can read neither a row nor an answer that has one.
    pub(super) fn done(&self) -> Vec<Noted> {
        let is_done = |noted: &&Noted| !noted.action.is_refusal();
        self.noted.iter().filter(is_done).cloned().collect()
    }

    /// What operators asked for and were refused, oldest first. It may be forgotten: it stands in the event log.
    pub fn refusals(&self) -> Vec<Noted> {
        let is_refusal = |noted: &&Noted| noted.action.is_refusal();
        self.noted.iter().filter(is_refusal).cloned().collect()
    }

    /// The present counts.
    pub fn totals(&self) -> Totals {
        let now = self.clock.high();
        let answered = |position: usize| -> u64 {
            self.child_lines(position..position + 1)
                .map(ChildLine::answered)
                .sum()
        };
        Totals {
            joined: self.sum(|line| line.counters.joined),
            entries: self.lines.iter().map(|line| line.row.entries).sum(),
            called: self.lines.iter().map(|line| line.row.called).sum(),
            lapsed: self.lines.iter().map(|line| line.row.lapsed).sum(),
            pending: self.sum(|line| line.demand()),
            granted: self.sum(|line| line.granted + line.tries_granted),
            ended: self.sum(|line| line.counters.ended.max(line.ended_floor)),
            active: self.active(),
            unconfirmed: self.children.values().map(|child| child.unconfirmed).sum(),
            staff_passes: self.life.staff_passes,
            show_up_ppm: self
                .lines
                .iter()
                .enumerate()
                .map(|(position, line)| line.calling.show_up_ppm(answered(position)) as u32)
                .min()
                .unwrap_or(0),
            shards_heard: self
                .children
                .values()
                .filter(|child| now.since(child.heard) <= GRANT_TO_HEARD)
                .map(|child| child.below.as_ref().map_or(1, |below| below.heard))
                .sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::Child;
    use crate::settings::{Limits, Mode};
    use crate::whole_way::{self, settings};

    /// One shard is planned; it has `joined` joins and admitted `in_one_step` first visits.
    fn shards_with(joined: u64, in_one_step: u64) -> (u16, Vec<ShardIndex>) {
        let settings = Settings {
            expected_visitors: PLANNED_PLACES,
            ..settings(Mode::Auto, Limits::default())
        };
        let mut coordinator = whole_way::coordinator(settings).reply;
        let mut line = ChildLine::default();
        line.counters.joined = joined;
        line.tries_granted = in_one_step;
        let mut child = Child::of_lines(1);
        child.lines = vec![line];
        coordinator.children.insert(0, child);
        let shards = coordinator.shards();
        (shards, coordinator.open_shards(shards))
    }

    #[test]
    fn a_shard_is_full_of_whoever_has_a_place_there_joined_or_admitted_in_one_step() {
        for (joined, in_one_step, full) in [
            (PLANNED_PLACES - 1, 0, false),
            (0, PLANNED_PLACES - 1, false),
            (PLANNED_PLACES, 0, true),
            (0, PLANNED_PLACES, true),
            (PLANNED_PLACES - 5, 5, true),
        ] {
            let (shards, open) = shards_with(joined, in_one_step);
            let expected = if full {
                (2, vec![ShardIndex(1)])
            } else {
                (1, vec![ShardIndex(0)])
            };
            assert_eq!((shards, open), expected, "{joined} and {in_one_step}");
        }
    }
}
