//! Edges: each keeps a board with its age and reads a newer one when it is too old.
//!
//! Up to 1 s old: used. Up to 2 s: used, and read anew in the background. Older: one read, for
//! which a visitor waits at most 250 ms, then the old one. No first pass is signed on a board
//! that could be older than a brake that must be in force.

use std::rc::Rc;

use anteroom_queue::board::{Board, Phase};
use anteroom_queue::draw::Ranks;
use anteroom_queue::limits::BRAKE_AGE;
use anteroom_queue::line::rank_of;
use anteroom_queue::units::EntryNumber;

use super::Room;
use super::relays::HOMES;
use super::tally::draw_seen;
use crate::message::{AgedBoard, Ask, Event, Letter};
use crate::observation::{BoardSeen, LINES, LineSeen, Observation, TraceHash, VisitorId};
use crate::visitor::NONE;

/// Up to this age a board is simply used.
const FRESH_MS: u64 = 1_000;

/// Up to this age a board is used while a newer one is read.
const USABLE_MS: u64 = 2_000;

/// How long a visitor waits for a newer board.
const PATIENCE_MS: u64 = 250;

/// The oldest board on which a first pass is signed. Its age counts from when the edge asked.
const SIGN_MS: u64 = BRAKE_AGE.0;

/// Above this reported age the edge asks another shard next time.
const ASK_ANOTHER_MS: u64 = 3_000;

/// One edge's memory of this event.
#[derive(Default)]
pub struct Edge {
    pub(super) board: Option<Rc<Board>>,
    reported_age_ms: u64,
    read_at_ms: u64,
    /// Which reading is under way.
    reading: Option<u32>,
    readings: u32,
    ask_next: u16,
    waiting: Vec<VisitorId>,
    /// Of every line whose draw is decided.
    ranks: [Option<Rc<Ranks>>; LINES],
}

impl Edge {
    fn age_ms(&self, now: u64) -> u64 {
        self.reported_age_ms + (now - self.read_at_ms)
    }

    /// The board that this edge has.
    pub fn board(&self) -> Option<&Rc<Board>> {
        self.board.as_ref()
    }

    /// Whether a first pass may be signed now.
    pub fn may_sign(&self, line: u8, now: u64) -> bool {
        let open =
            |board: &Rc<Board>| !board.stop && board.lines[usize::from(line)].phase == Phase::Open;
        self.age_ms(now) <= SIGN_MS && self.board.as_ref().is_some_and(open)
    }

    /// The rank of an entry number, from the board alone. What every rank of a draw has in common
    /// is worked out once.
    pub fn rank(&mut self, line: u8, entry: u64) -> Option<u64> {
        let board = self.board.as_ref()?;
        let line_board = &board.lines[usize::from(line)];
        let known = &mut self.ranks[usize::from(line)];
        let draw = line_board.draw.as_ref();
        let decided = draw.and_then(|draw| draw.fixed.as_ref().zip(draw.drawn.as_ref()));
        let rank = match (decided, &known) {
            (None, _) => rank_of(EntryNumber(entry), line_board)?,
            (Some(_), Some(ranks)) => ranks.rank(EntryNumber(entry)),
            (Some((fixed, drawn)), None) => {
                let ranks = Rc::new(Ranks::new(drawn.seed, fixed.entrants));
                known.insert(ranks).rank(EntryNumber(entry))
            }
        };
        Some(rank.0)
    }
}

impl Room {
    /// The board for a visitor's request, or `None` when the visitor has to wait for a read.
    pub(super) fn board_for(
        &mut self,
        edge: u8,
        visitor: VisitorId,
        now: u64,
    ) -> Option<Rc<Board>> {
        let memory = &self.edges[usize::from(edge)];
        let age = memory.age_ms(now);
        match &memory.board {
            Some(board) if age <= USABLE_MS => {
                let board = board.clone();
                if age > FRESH_MS {
                    self.read_board(edge, now);
                }
                Some(board)
            }
            _ => {
                self.edges[usize::from(edge)].waiting.push(visitor);
                self.read_board(edge, now);
                None
            }
        }
    }

    /// Whether the gate turns everybody away, by the board it has; an old one is read anew.
    pub(super) fn gate_stops(&mut self, edge: u8, now: u64) -> bool {
        let memory = &self.edges[usize::from(edge)];
        let stops = memory.board.as_ref().is_some_and(|board| board.stop);
        if memory.age_ms(now) > FRESH_MS {
            self.read_board(edge, now);
        }
        stops
    }

    fn read_board(&mut self, edge: u8, now: u64) {
        let memory = &mut self.edges[usize::from(edge)];
        if memory.reading.is_some() {
            return;
        }
        memory.readings += 1;
        let reading = memory.readings;
        memory.reading = Some(reading);
        // Numbers behind relays are far apart.
        let most = if self.plan.relays { HOMES } else { u16::MAX };
        let board = memory.board.as_ref();
        let shards = board.map_or(1, |board| board.shards).clamp(1, most);
        let open = board.map_or(1, |board| board.open_shards.len() as u16);
        let open = open.clamp(1, most);
        // Mostly a shard that takes joins, since it syncs anyway; another one when that was stale.
        let home = if memory.reported_age_ms > ASK_ANOTHER_MS {
            memory.ask_next % shards
        } else {
            memory.ask_next % open
        };
        memory.ask_next = memory.ask_next.wrapping_add(1);
        let letter = Letter {
            ask: Ask::Board,
            visitor: u32::from(edge),
            browser: 0,
            generation: reading,
            edge,
            home,
            names_network: false,
            copy: false,
            permit: NONE,
            index: NONE,
            line: 0,
            replaces: NONE,
            permit_home: 0,
            asked_ms: now as u32,
        };
        self.send_letter(letter, now);
        self.at(now + PATIENCE_MS, Event::EdgeImpatient { edge, reading });
    }

    /// The answer of a read, or its failure.
    pub(super) fn board_read(&mut self, letter: Letter, now: u64) {
        self.reading_over(letter.edge, letter.generation, now);
    }

    pub(super) fn edge_impatient(&mut self, edge: u8, reading: u32, now: u64) {
        self.reading_over(edge, reading, now);
    }

    fn reading_over(&mut self, edge: u8, reading: u32, now: u64) {
        let memory = &mut self.edges[usize::from(edge)];
        if memory.reading != Some(reading) {
            return;
        }
        memory.reading = None;
        for visitor in std::mem::take(&mut memory.waiting) {
            let board = self.edges[usize::from(edge)].board.clone();
            self.visit_with(visitor, board, now);
        }
    }

    /// An edge learns of a board with an answer.
    pub(super) fn learn_board(&mut self, edge: u8, board: AgedBoard, asked_ms: u64, now: u64) {
        let (board, age_ms) = board;
        let memory = &mut self.edges[usize::from(edge)];
        let known = memory.board.as_ref().map_or(0, |known| known.version);
        let age_now_ms = age_ms + (now - asked_ms);
        if board.version < known || board.version == known && memory.age_ms(now) <= age_now_ms {
            return;
        }
        memory.reported_age_ms = age_ms;
        memory.read_at_ms = asked_ms;
        if board.version > known {
            let seen = board_seen(edge, &board);
            let before = memory.board.replace(board.clone());
            self.see(now, Observation::BoardRead(seen));
            self.draws_read(before.as_deref(), &board, now);
        }
    }

    fn draws_read(&mut self, before: Option<&Board>, board: &Board, now: u64) {
        for (line, line_board) in board.lines.iter().enumerate() {
            let known = before.and_then(|board| board.lines[line].draw.as_ref());
            if let Some(draw) = &line_board.draw
                && known != Some(draw)
            {
                let draw = draw_seen(line as u8, draw);
                let stored = false;
                self.see(now, Observation::DrawSeen { draw, stored });
            }
        }
    }
}

fn board_seen(edge: u8, board: &Board) -> BoardSeen {
    let mut fingerprint = TraceHash::default();
    fingerprint.add_text(&format!("{board:?}"));
    let mut lines = [LineSeen::default(); LINES];
    for (seen, line) in lines.iter_mut().zip(&board.lines) {
        *seen = LineSeen {
            called: line.called.0,
            lapsed: line.lapsed.0,
            entries: line.entries.0,
        };
    }
    BoardSeen {
        edge,
        version: board.version,
        lines,
        fingerprint: fingerprint.value(),
    }
}
