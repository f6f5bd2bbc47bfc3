//! The JSON documents of a board and of a visitor's state. `docs/openapi.yaml` describes them. Times are Unix
//! milliseconds; what has a unit says it in its name.

use anteroom_config::Access;
use anteroom_queue::board::{Advance, Board, LineBoard, Moved, Offer, Pause};
use anteroom_queue::settings::{Batch, Limits, Mode};
use anteroom_queue::units::{Millis, UnixMillis};
use serde::Serialize;

use crate::boards::InUse;
use crate::deployment::Room;
use crate::eta::{self, Eta};
use crate::page::of_board;
use crate::page::view::Draw;
use crate::poll;
use crate::standing::{Stand, Standing, phase_name};
use anteroom_queue::board::Phase;

/// Why and until when nobody is called.
#[derive(Debug, Serialize)]
pub struct PauseDocument<'a> {
    reason: &'a str,
    next_update_at_ms: Option<u64>,
}

impl<'a> From<&'a Pause> for PauseDocument<'a> {
    fn from(pause: &'a Pause) -> Self {
        PauseDocument {
            reason: &pause.reason,
            next_update_at_ms: pause.next_update_at.map(|at| at.0),
        }
    }
}

/// The limits in force.
#[derive(Debug, Serialize)]
pub struct LimitsDocument {
    max_active: Option<u32>,
    per_minute: Option<u32>,
    batch: Option<BatchDocument>,
}

/// A batch.
#[derive(Debug, Serialize)]
pub struct BatchDocument {
    size: u32,
    every_seconds: u64,
}

impl From<Limits> for LimitsDocument {
    fn from(limits: Limits) -> Self {
        let batch = |Batch { size, every }| BatchDocument {
            size,
            every_seconds: every.0 / 1_000,
        };
        LimitsDocument {
            max_active: limits.max_active,
            per_minute: limits.per_minute,
            batch: limits.batch.map(batch),
        }
    }
}

/// A line of the board.
#[derive(Debug, Serialize)]
pub struct LineDocument<'a> {
    id: &'a str,
    phase: &'static str,
    opens_at_ms: Option<u64>,
    called: u64,
    lapsed: u64,
    entries: u64,
    advance: Option<AdvanceDocument>,
    offers: Vec<OfferDocument>,
}

/// How fast a line moves.
#[derive(Debug, Serialize)]
pub struct AdvanceDocument {
    likely_milli_per_minute: u64,
    least_milli_per_minute: u64,
}

/// Up to which rank turns stand until when.
#[derive(Debug, Serialize)]
pub struct OfferDocument {
    below: u64,
    stands_until_ms: u64,
}

impl<'a> From<&'a LineBoard> for LineDocument<'a> {
    fn from(line: &'a LineBoard) -> Self {
        let advance = |Advance {
                           likely_milli_per_minute,
                           least_milli_per_minute,
                       }| AdvanceDocument {
            likely_milli_per_minute,
            least_milli_per_minute,
        };
        let offer = |offer: &Offer| OfferDocument {
            below: offer.below.0,
            stands_until_ms: offer.stands_until.0,
        };
        LineDocument {
            id: &line.id,
            phase: phase_name(line.phase),
            opens_at_ms: line.opens_at.map(|at| at.0),
            called: line.called.0,
            lapsed: line.lapsed.0,
            entries: line.entries.0,
            advance: line.advance.map(advance),
            offers: line.offers.iter().map(offer).collect(),
        }
    }
}

/// The board of a queue.
#[derive(Debug, Serialize)]
pub struct BoardDocument<'a> {
    event: &'a str,
    run: u32,
    version: u64,
    age_ms: u64,
    mode: Mode,
    stop: bool,
    message: Option<&'a str>,
    pause: Option<PauseDocument<'a>>,
    slowdowns: u32,
    room: bool,
    limits: LimitsDocument,
    open_shards: Vec<u16>,
    shards: u16,
    lines: Vec<LineDocument<'a>>,
    now_ms: u64,
    poll_ms: u64,
}

impl<'a> BoardDocument<'a> {
    /// The document of `board`, which is `age` old.
    pub fn new(room: Room, board: &'a Board, age: Millis, now: UnixMillis) -> Self {
        let opens_at = board.lines.first().and_then(|line| line.opens_at);
        BoardDocument {
            event: &room.event.id,
            run: room.event.run,
            version: board.version,
            age_ms: age.0,
            mode: board.mode,
            stop: board.stop,
            message: board.message.as_deref(),
            pause: board.pause.as_ref().map(PauseDocument::from),
            slowdowns: board.slowdowns,
            room: board.room,
            limits: board.limits.into(),
            open_shards: board.open_shards.iter().map(|shard| shard.0).collect(),
            shards: board.shards,
            lines: board.lines.iter().map(LineDocument::from).collect(),
            now_ms: now.0,
            poll_ms: poll::under_load(
                poll::interval(Stand::None, None, None, opens_at, now),
                Some(age),
            )
            .0,
        }
    }
}

/// An opening that was moved.
#[derive(Debug, Serialize)]
pub struct MovedDocument<'a> {
    from_ms: u64,
    reason: &'a str,
}

impl<'a> From<&'a Moved> for MovedDocument<'a> {
    fn from(moved: &'a Moved) -> Self {
        MovedDocument {
            from_ms: moved.from.0,
            reason: &moved.reason,
        }
    }
}

/// What is told of a draw to somebody who waits for it.
#[derive(Debug, Serialize)]
pub struct DrawStateDocument {
    beacon: &'static str,
    drawn: bool,
}

impl From<Draw> for DrawStateDocument {
    fn from(draw: Draw) -> Self {
        DrawStateDocument {
            beacon: draw.beacon.name(),
            drawn: draw.drawn,
        }
    }
}

/// One of several lines to somebody who chooses.
#[derive(Debug, Serialize)]
pub struct LineStateDocument<'a> {
    id: &'a str,
    phase: &'static str,
    opens_at_ms: Option<u64>,
}

impl<'a> From<&'a LineBoard> for LineStateDocument<'a> {
    fn from(line: &'a LineBoard) -> Self {
        LineStateDocument {
            id: &line.id,
            phase: phase_name(line.phase),
            opens_at_ms: line.opens_at.map(|at| at.0),
        }
    }
}

/// Where a visitor stands.
#[derive(Debug, Serialize)]
pub struct StateDocument<'a> {
    event: &'a str,
    run: u32,
    state: &'static str,
    line: &'a str,
    entry: Option<u64>,
    rank: Option<u64>,
    ahead: Option<u64>,
    called: Option<u64>,
    phase: Option<&'static str>,
    eta: Option<Eta>,
    offer_until_ms: Option<u64>,
    may_defer: bool,
    missed_draw: bool,
    session_ends_at_ms: Option<u64>,
    board_version: Option<u64>,
    board_age_ms: Option<u64>,
    poll_ms: u64,
    message: Option<&'a str>,
    pause: Option<PauseDocument<'a>>,
    stop: bool,
    mode: Mode,
    slowdowns: u32,
    opens_at_ms: Option<u64>,
    moved: Option<MovedDocument<'a>>,
    draw: Option<DrawStateDocument>,
    entrants: Option<u64>,
    stock_left: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<LineStateDocument<'a>>>,
    handover: bool,
    now_ms: u64,
    cookie: bool,
    new_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<String>,
}

impl<'a> StateDocument<'a> {
    /// The document for `standing`. `cookie`: whether a cookie of ours came back.
    pub fn new(
        room: Room,
        standing: &Standing,
        in_use: Option<&'a InUse>,
        cookie: bool,
        now: UnixMillis,
    ) -> Self {
        let board = in_use.map(|in_use| &*in_use.board);
        let line_index = shown_line(room, standing, board);
        let line = board.and_then(|board| board.lines.get(line_index));
        let ahead = standing.ahead(line);
        let eta = wait(standing, line, board);
        let opens_at = line.and_then(|line| line.opens_at);
        let draw = line.and_then(|line| of_board::draw(line, &room.event.settings.draw));
        StateDocument {
            event: &room.event.id,
            run: room.event.run,
            state: standing.stand.name(),
            line: room
                .event
                .settings
                .lines
                .get(line_index)
                .map_or("", |line| &line.id),
            entry: standing.entry,
            rank: standing.rank,
            ahead,
            called: line.map(|line| line.called.0),
            phase: line.map(|line| phase_name(line.phase)),
            eta,
            offer_until_ms: standing.offer_until.map(|at| at.0),
            may_defer: standing.may_defer,
            missed_draw: standing.missed_draw,
            session_ends_at_ms: standing.session_ends.map(|at| at.0),
            board_version: board.map(|board| board.version),
            board_age_ms: in_use.map(|in_use| in_use.age.0),
            poll_ms: poll::appointed(
                poll::under_load(
                    poll::interval(standing.stand, ahead, eta, opens_at, now),
                    in_use.map(|in_use| in_use.age),
                ),
                standing.ask_again,
                now,
            )
            .0,
            message: board.and_then(|board| board.message.as_deref()),
            pause: board
                .and_then(|board| board.pause.as_ref())
                .map(PauseDocument::from),
            stop: board.is_some_and(|board| board.stop),
            mode: board.map_or(room.event.settings.mode, |board| board.mode),
            slowdowns: board.map_or(0, |board| board.slowdowns),
            opens_at_ms: opens_at.map(|at| at.0),
            moved: line
                .and_then(|line| line.moved.as_ref())
                .map(MovedDocument::from),
            draw: draw.map(DrawStateDocument::from),
            entrants: draw.map(|draw| draw.entrants),
            stock_left: board.and_then(Board::stock_left),
            lines: board
                .filter(|board| board.lines.len() > 1)
                .map(|board| board.lines.iter().map(LineStateDocument::from).collect()),
            handover: room.event.handover,
            now_ms: now.0,
            cookie,
            new_run: false,
            ticket: None,
        }
    }

    /// With a ticket to give out.
    pub fn with_ticket(self, ticket: Option<String>) -> Self {
        StateDocument { ticket, ..self }
    }

    /// Whether what the visitor brought was good in another run of the event.
    pub fn with_new_run(self, new_run: bool) -> Self {
        StateDocument { new_run, ..self }
    }

    /// When to ask again.
    pub fn poll(&self) -> Millis {
        Millis(self.poll_ms)
    }
}

/// The position of the line that a visitor is told about: that of the place, or the one to join.
pub fn shown_line(room: Room, standing: &Standing, board: Option<&Board>) -> usize {
    if standing.stand != Stand::None {
        return usize::from(standing.line);
    }
    let lines = room.event.lines.iter();
    let everyone: Vec<bool> = lines.map(|line| line.access == Access::Everyone).collect();
    of_board::line_to_join(board, &everyone)
}

/// The estimated wait of somebody who waits in a line that moves.
pub fn wait(standing: &Standing, line: Option<&LineBoard>, board: Option<&Board>) -> Option<Eta> {
    if standing.stand != Stand::Waiting {
        return None;
    }
    wait_behind(standing.ahead(line)?, line?, board?)
}

/// The estimated wait of somebody who joins a line now.
pub fn wait_of_line(line: &LineBoard, board: &Board) -> Option<Eta> {
    wait_behind(line.waiting(), line, board)
}

fn wait_behind(ahead: u64, line: &LineBoard, board: &Board) -> Option<Eta> {
    let moves = line.phase == Phase::Open && !board.stop && board.mode != Mode::Closed;
    moves.then(|| eta::estimate(ahead, line.advance))?
}
