//! Edges: each keeps a board with its age and reads a newer one when it is too old.
//!
//! Up to 1 s old: used. Up to 2 s: used, and read anew in the background. Older: one read, for
//! which a visitor waits at most 250 ms, then the old one. No first pass is signed on a board
//! that could be older than a brake that must be in force.

use std::rc::Rc;

use anteroom_queue::board::{Board, Phase};

use super::Room;
use crate::message::{AgedBoard, Ask, Event, Letter};
use crate::observation::{BoardSeen, Observation, TraceHash, VisitorId};

/// Up to this age a board is simply used.
const FRESH_MS: u64 = 1_000;

/// Up to this age a board is used while a newer one is read.
const USABLE_MS: u64 = 2_000;

/// How long a visitor waits for a newer board.
const PATIENCE_MS: u64 = 250;

/// The oldest board on which a first pass is signed: a brake's 2 s less the longest way of the
/// answer that brought it.
const SIGN_MS: u64 = 1_500;

/// Above this reported age the edge asks another shard next time.
const ASK_ANOTHER_MS: u64 = 3_000;

/// One edge's memory of this event.
#[derive(Default)]
pub struct Edge {
    board: Option<Rc<Board>>,
    reported_age_ms: u64,
    read_at_ms: u64,
    /// Which reading is under way.
    reading: Option<u32>,
    readings: u32,
    ask_next: u16,
    waiting: Vec<VisitorId>,
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
    pub fn may_sign(&self, now: u64) -> bool {
        self.age_ms(now) <= SIGN_MS
            && self
                .board
                .as_ref()
                .is_some_and(|board| !board.stop && board.lines[0].phase == Phase::Open)
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
        let shards = memory.board.as_ref().map_or(1, |board| board.shards.max(1));
        let open = memory
            .board
            .as_ref()
            .map_or(1, |board| board.open_shards.len().max(1) as u16);
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
            copy: false,
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
    pub(super) fn learn_board(&mut self, edge: u8, board: AgedBoard, now: u64) {
        let (board, age_ms) = board;
        let memory = &mut self.edges[usize::from(edge)];
        let known = memory.board.as_ref().map_or(0, |known| known.version);
        if board.version < known || board.version == known && memory.age_ms(now) <= age_ms {
            return;
        }
        memory.reported_age_ms = age_ms;
        memory.read_at_ms = now;
        if board.version > known {
            let seen = board_seen(edge, &board);
            memory.board = Some(board);
            self.see(now, Observation::BoardRead(seen));
        }
    }
}

fn board_seen(edge: u8, board: &Board) -> BoardSeen {
    let line = &board.lines[0];
    let mut fingerprint = TraceHash::default();
    fingerprint.add_text(&format!("{board:?}"));
    BoardSeen {
        edge,
        version: board.version,
        called: line.called.0,
        lapsed: line.lapsed.0,
        entries: line.entries.0,
        fingerprint: fingerprint.value(),
    }
}
