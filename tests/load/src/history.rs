//! What the visitors saw, with times of one monotonic clock. The checkers read nothing else.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// An instant of a run, in microseconds since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub u64);

impl Moment {
    /// This moment, `by` later.
    pub const fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(by.as_micros() as u64))
    }

    /// How long before this moment `earlier` was; zero if it was not.
    pub const fn since(self, earlier: Moment) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// This moment, `by` earlier; the start of the run if there is none.
    pub const fn minus(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(by.as_micros() as u64))
    }
}

/// The clock of a run.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    start_unix: Duration,
}

impl Clock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
            start_unix: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default(),
        }
    }

    /// Now.
    pub fn now(&self) -> Moment {
        Moment(self.start.elapsed().as_micros() as u64)
    }

    /// The instant of `moment`.
    pub fn instant(&self, moment: Moment) -> Instant {
        self.start + Duration::from_micros(moment.0)
    }

    /// The Unix time of `moment`, in microseconds.
    pub fn unix_us(&self, moment: Moment) -> u64 {
        self.start_unix.as_micros() as u64 + moment.0
    }

    /// The moment of a Unix time in milliseconds.
    pub fn moment(&self, unix_ms: u64) -> Moment {
        Moment(
            Duration::from_millis(unix_ms)
                .saturating_sub(self.start_unix)
                .as_micros() as u64,
        )
    }
}

/// What an answer calls the visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// No place.
    None,
    /// A place without its number yet.
    Provisional,
    /// A place that has not been called.
    Waiting,
    /// The turn is offered.
    Called,
    /// Claimed, not granted yet.
    Pending,
    /// A session runs.
    Admitted,
    /// The session is over.
    Ended,
    /// The offer stood too long.
    Lapsed,
    /// The visitor left.
    Left,
    /// Another browser has the place.
    Elsewhere,
    /// The event is over.
    Closed,
    /// The event is over: nothing is left.
    Soldout,
    /// A state that belongs to the whole queue and says nothing about the place.
    #[serde(other)]
    Other,
}

impl State {
    /// Whether the turn had come.
    pub const fn has_turn(self) -> bool {
        matches!(self, State::Called | State::Pending | State::Admitted)
    }
}

/// One answer about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// When the request was about to be sent: the answer is not older.
    pub sent: Moment,
    /// When the answer was there: it is not younger.
    pub received: Moment,
    /// The visitor's state.
    pub state: State,
    /// The line.
    pub line: String,
    /// The entry number, once there is one.
    pub entry: Option<u64>,
    /// The rank, once there is one.
    pub rank: Option<u64>,
    /// How many are ahead.
    pub ahead: Option<u64>,
    /// The line's watermark.
    pub called: Option<u64>,
    /// The board's version.
    pub version: Option<u64>,
    /// The board's age when the answer was made, as far as it was said.
    pub board_age: Option<Duration>,
}

/// One answer to a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// When the join began.
    pub began: Moment,
    /// When it was acknowledged.
    pub acknowledged: Moment,
    /// With which entry number; `None`: provisional.
    pub entry: Option<u64>,
}

/// A session as it can be known from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// The grant was not made before.
    pub granted_after: Moment,
    /// No pass was made before: the first claim that may have brought one was about to be sent.
    pub asked: Moment,
    /// The pass was there: the session surely runs.
    pub received: Moment,
    /// The session surely runs until then: until the request that gave it back was sent, or its
    /// end, or the idle time after its last request.
    pub sure_until: Moment,
}

/// How it ended for a visitor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Never got a place: not acknowledged, or told that the event is over.
    #[default]
    NotJoined,
    /// Admitted.
    Admitted,
    /// Left the queue.
    Left,
    /// The offer lapsed.
    Lapsed,
    /// The event was over.
    Over,
    /// Did not come back, and the place is still there.
    Kept,
    /// Wanted to enter and still had the place when the run was over.
    Unfinished,
    /// Acknowledged, and the place is gone.
    Lost,
}

/// All that one visitor saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitorHistory {
    /// Acknowledged joins, in the order of their answers; more than one when repeated.
    pub joins: Vec<Join>,
    /// All answers about the place, the joins' among them, in the order in which they came.
    pub sightings: Vec<Sighting>,
    /// The session.
    pub session: Option<Session>,
    /// How it ended.
    pub end: End,
    /// How long the join took, from when it was due.
    pub join_took: Option<Duration>,
    /// Joins that were sent and never answered.
    pub unanswered_joins: u32,
    /// Requests that failed or got an answer that was no use.
    pub failures: u32,
    /// Requests to the shop that it served.
    pub served: u32,
    /// Requests to the shop within the session that the room kept back.
    pub kept_back: u32,
}

/// The board, as anybody can read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardSighting {
    /// When the request was about to be sent.
    pub sent: Moment,
    /// When the answer was there.
    pub received: Moment,
    /// Its version.
    pub version: u64,
    /// Its age.
    pub age: Option<Duration>,
    /// Its lines: id, called, lapsed, entries.
    pub lines: Vec<(String, u64, u64, u64)>,
}

/// The limits that the room is held to: the highest that were in force during the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Sessions at the same time.
    pub max_active: Option<u64>,
    /// Admissions a minute.
    pub per_minute: Option<u64>,
    /// Admissions in a period, and its length.
    pub batch: Option<(u64, Duration)>,
}

/// What an operator did, and the room took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// What: `pause`, `resume`, …
    pub did: String,
    /// When the request was about to be sent.
    pub sent: Moment,
    /// When the room had acknowledged it.
    pub acknowledged: Moment,
}

/// What was done to the room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What: `kill`, `freeze`, …
    pub what: String,
    /// When it began.
    pub from: Moment,
    /// When it was over, and the room answered again.
    pub until: Moment,
}

/// A request as the shop saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it was there.
    pub at: Moment,
    /// When the pass that it brought expires; `None`: it brought none that can be read.
    pub pass_expires: Option<Moment>,
}

/// What was seen of the whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Each visitor's part.
    pub visitors: Vec<VisitorHistory>,
    /// The boards, in the order in which they were read.
    pub boards: Vec<BoardSighting>,
    /// The limits.
    pub limits: Limits,
    /// Nobody else used the event.
    pub alone: bool,
    /// What operators did, in the order in which it was sent.
    pub acts: Vec<Act>,
    /// What was done to the room.
    pub faults: Vec<Fault>,
    /// What reached the shop.
    pub arrivals: Vec<Arrival>,
}
