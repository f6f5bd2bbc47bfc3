//! The board and the operators' view: what the coordinator says of itself.

use super::Coordinator;
use super::command::{CoordinatorReply, Noted, Totals};
use super::drawing::Draw;
use crate::board::{Board, LineBoard, Pause, Phase};
use crate::child::ChildLine;
use crate::children::unconfirmed;
use crate::limits::GRANT_TO_HEARD;
use crate::settings::Settings;
use crate::units::{EntryNumber, Millis, Rank, ShardIndex, UnixMillis};

/// A first visit is tried when a grant is to be had within this time.
const TRY_OUTLOOK: Millis = Millis(1_000);

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
        self.mind_openings(now);
        let board = Board {
            version: self.board.version,
            mode: self.mode(),
            stop: self.live.stop,
            pause: self.pause(),
            message: self.live.message.clone(),
            limits: self.limits(),
            slowdowns: self.live.slowdowns,
            room: (0..self.lines.len()).any(|position| self.has_room(position, TRY_OUTLOOK, now)),
            open_shards: self.open_shards(),
            shards: self.shards(),
            homes: self.life.homes,
            stock: self.life.stock,
            ended_at: self.life.ended_at,
            lines: (0..self.lines.len())
                .map(|position| self.line_board(position, now))
                .collect(),
        };
        if self.rebuilt || board != self.board {
            let is_brake = self.is_brake(&board, now);
            self.rebuilt = false;
            self.board = Board {
                version: self.board.version + 1,
                ..board
            };
            self.tell_brake(is_brake);
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
            unconfirmed: unconfirmed(&self.children, now),
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
