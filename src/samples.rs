//! Values that tests of several files begin from.

use anteroom_queue::board::{Board, DrawBoard, Drawn, Fixed, LineBoard, Phase};
use anteroom_queue::settings::{Limits, Mode};
use anteroom_queue::shard::command::{PlaceView, VisitorState};
use anteroom_queue::units::{EntryNumber, LineIndex, PlaceIndex, Rank, ShardIndex, UnixMillis};
use anteroom_token::{Pass, STAFF_HOME, SessionId, Ticket};
use serde_json::{Value, json};

use crate::deployment::{Deployment, Room};

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
        homes: 1,
        stock: None,
        ended_at: None,
        lines: vec![LineBoard {
            id: "general".to_owned(),
            phase,
            opens_at: None,
            moved: None,
            called: Rank(0),
            lapsed: Rank(0),
            entries: EntryNumber(0),
            advance: None,
            offers: Vec::new(),
            draw: None,
        }],
    }
}

/// A draw of a line that opened at second 1,000: with so many entrants once it is fixed, and perhaps drawn.
pub fn draw(entrants: Option<u64>, is_drawn: bool) -> DrawBoard {
    DrawBoard {
        commitment: [1; 32],
        fixed: entrants.map(|entrants| Fixed {
            entrants,
            root: [2; 32],
            at: UnixMillis(1_005_000),
            opened: UnixMillis(1_000_000),
            round: None,
        }),
        drawn: is_drawn.then_some(Drawn {
            secret: [3; 32],
            beacon: None,
            seed: [4; 32],
        }),
    }
}

/// A place with entry number 41 in this state and line, as its home tells it.
pub fn place(state: VisitorState, line: u8) -> PlaceView {
    PlaceView {
        index: PlaceIndex(4),
        line: LineIndex(line),
        entry: Some(EntryNumber(41)),
        rank: None,
        arrived: UnixMillis(1_000_400),
        state,
        offer_until: None,
        session_ends: None,
        may_defer: false,
        was_admitted: false,
        missed_draw: false,
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

/// The same for somebody of the staff.
pub fn staff_pass() -> Pass {
    Pass {
        session: SessionId {
            home: STAFF_HOME,
            ..pass().session
        },
        ..pass()
    }
}

/// An event with these lines, as its configuration would have them.
pub fn room(lines: Value) -> Room {
    let event = json!({
        "id": "demo",
        "title": "Demo",
        "hosts": ["tickets.example.com"],
        "paths": ["/*"],
        "lines": lines,
    });
    let variables = [
        ("ISSUER", json!("test")),
        (
            "ROOT_KEY",
            json!("k1:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"),
        ),
        ("EVENT_DEMO", event),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value));
    let deployment = Deployment::parse(variables.into(), anteroom_config::any_zone)
        .unwrap_or_else(|reasons| panic!("{reasons:?}"));
    let deployment: &'static Deployment = Box::leak(Box::new(deployment));
    deployment.room("demo").expect("the one that is configured")
}
