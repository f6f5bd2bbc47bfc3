//! Values that tests of several files begin from.

use anteroom_queue::board::{Board, LineBoard, Phase};
use anteroom_queue::settings::{Limits, Mode};
use anteroom_queue::units::{EntryNumber, Rank, ShardIndex};
use anteroom_token::{Pass, SessionId, Ticket};

/// A board of one line in this phase, mode `always`, with nobody called.
pub fn board(phase: Phase) -> Board {
    Board {
        version: 7,
        mode: Mode::Always,
        stop: false,
        pause: None,
        message: None,
        limits: Limits::default(),
        slowdowns: 0,
        room: true,
        open_shards: vec![ShardIndex(0)],
        shards: 1,
        lines: vec![LineBoard {
            id: "general".to_owned(),
            phase,
            opens_at: None,
            called: Rank(0),
            lapsed: Rank(0),
            entries: EntryNumber(0),
            advance: None,
            offers: Vec::new(),
        }],
    }
}

/// A ticket with entry number and rank 41.
pub fn ticket() -> Ticket {
    Ticket {
        nonce: [1; 16],
        home: 0,
        index: 4,
        line: 0,
        entry: Some(41),
        rank: Some(41),
        arrived_at: 1_000,
        issued_at: 1_000,
        expires_at: 90_000,
    }
}

/// A pass of a session that runs from second 1,000 to 2,200, issued at 1,000 for 180 s.
pub fn pass() -> Pass {
    Pass {
        session: SessionId {
            home: 3,
            index: 4,
            generation: 1,
        },
        issued_at: 1_000,
        expires_at: 1_180,
        session_ends_at: 2_200,
    }
}
