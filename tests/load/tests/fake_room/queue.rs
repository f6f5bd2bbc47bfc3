//! The scripted queue: calls at a steady pace, grants within its limits.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Reply;

/// What the room does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    /// Nothing.
    None,
    /// Nothing, but it closes every connection and sends each first join away with its permit
    /// signed anew.
    Awkward,
    /// Nothing, but the answer that first lets a visitor in is lost on its way.
    LosesPasses,
    /// Gives an entry number twice.
    SameNumberTwice,
    /// Shows another entry number after a while.
    NumberChanges,
    /// Leaves numbers out.
    LeavesGaps,
    /// Gives later visitors smaller numbers.
    LaterFirst,
    /// Calls someone whose rank the watermark has not reached.
    CallsTheUncalled,
    /// Does not keep `max_active`.
    TooManyAtOnce,
    /// Does not keep `per_minute`.
    TooFast,
    /// Shows more ahead than before.
    AheadRises,
    /// Shows an older board than before.
    VersionFalls,
    /// Forgets a place.
    ForgetsAPlace,
    /// Keeps an admitted visitor out of the shop.
    KeepsOut,
}

/// How long a visitor is asked to wait before the next question.
const POLL_MS: u64 = 30;

/// What tells a permit that was signed anew from the permit it stands for.
const SIGNED_ANEW: usize = 1_000_000;

/// Visitors called a second.
const CALLED_PER_SECOND: f64 = 200.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Queued,
    Claimed,
    Admitted,
    Over,
    Left,
}

struct Place {
    permit: usize,
    entry: u64,
    stage: Stage,
    questions: u64,
}

/// The queue of one event.
pub struct Queue {
    wrong: Misbehaviour,
    max_active: u64,
    per_minute: u64,
    started: Instant,
    permits: usize,
    places: Vec<Place>,
    called: u64,
    version: u64,
    granted: Vec<Instant>,
    sent_away: Vec<usize>,
}

impl Queue {
    pub fn new(wrong: Misbehaviour, max_active: u64, per_minute: u64) -> Self {
        Self {
            wrong,
            max_active,
            per_minute,
            started: Instant::now(),
            permits: 0,
            places: Vec::new(),
            called: 0,
            version: 1,
            granted: Vec::new(),
            sent_away: Vec::new(),
        }
    }

    pub fn advance(&mut self) {
        let pace = self.started.elapsed().as_secs_f64() * CALLED_PER_SECOND;
        let entries = match self.wrong {
            Misbehaviour::LeavesGaps => 2 * self.places.len() as u64,
            _ => self.places.len() as u64,
        };
        let called = entries.min(pace as u64);
        if called > self.called {
            self.called = called;
            self.version += 1;
        }
    }

    pub fn closes_connections(&self) -> bool {
        self.wrong == Misbehaviour::Awkward
    }

    pub fn permit(&mut self) -> usize {
        self.permits += 1;
        self.permits
    }

    pub fn board(&self) -> Value {
        json!({
            "version": self.version, "age_ms": 0,
            "limits": {"max_active": self.max_active, "per_minute": self.per_minute, "batch": null},
            "lines": [{"id": "general", "called": self.called, "lapsed": 0, "entries": self.entries()}],
        })
    }

    fn entries(&self) -> u64 {
        self.places
            .iter()
            .map(|place| place.entry + 1)
            .max()
            .unwrap_or(0)
    }

    pub fn join(&mut self, permit: usize) -> Reply {
        if self.wrong == Misbehaviour::Awkward && !self.sent_away.contains(&permit) {
            let fresh = permit + SIGNED_ANEW;
            self.sent_away.extend([permit, fresh]);
            return Reply::new(
                503,
                json!({"state": "none", "permit": fresh.to_string(), "retry_after_ms": 20}),
            );
        }
        let nonce = permit % SIGNED_ANEW;
        let known = self.places.iter().position(|place| place.permit == nonce);
        let index = known.unwrap_or_else(|| {
            let next = self.places.len() as u64;
            let entry = match self.wrong {
                Misbehaviour::SameNumberTwice if next == 10 => 9,
                Misbehaviour::LaterFirst => next ^ 7,
                Misbehaviour::LeavesGaps => 2 * next,
                _ => next,
            };
            self.places.push(Place {
                permit: nonce,
                entry,
                stage: Stage::Queued,
                questions: 0,
            });
            self.places.len() - 1
        });
        let status = if known.is_some() { 200 } else { 201 };
        Reply::new(status, self.state(Some(index))).with_cookie("ticket", index)
    }

    fn is_called(&self, index: usize) -> bool {
        let entry = self.places[index].entry;
        entry < self.called || (self.wrong == Misbehaviour::CallsTheUncalled && entry % 2 == 1)
    }

    pub fn state(&mut self, ticket: Option<usize>) -> Value {
        let Some(index) = ticket.filter(|index| *index < self.places.len()) else {
            return json!({"state": "none"});
        };
        self.places[index].questions += 1;
        let (questions, called) = (self.places[index].questions, self.is_called(index));
        let place = &self.places[index];
        let wrong = |misbehaviour: Misbehaviour| {
            self.wrong == misbehaviour && index % 10 == 5 && questions >= 2
        };
        if wrong(Misbehaviour::ForgetsAPlace) {
            return json!({"state": "none"});
        }
        let state = match place.stage {
            Stage::Queued if called => "called",
            Stage::Queued => "waiting",
            Stage::Claimed => "pending",
            Stage::Admitted => "admitted",
            Stage::Over => "ended",
            Stage::Left => "left",
        };
        let entry = place.entry
            + if wrong(Misbehaviour::NumberChanges) {
                1_000
            } else {
                0
            };
        let ahead = place.entry.saturating_sub(self.called)
            + if wrong(Misbehaviour::AheadRises) {
                500
            } else {
                0
            };
        // The watermark of an older board is not known here: the answer shows none.
        let (version, watermark) = match wrong(Misbehaviour::VersionFalls) {
            true => (0, None),
            false => (self.version, Some(self.called)),
        };
        json!({
            "state": state, "line": "general", "entry": entry, "rank": place.entry, "ahead": ahead, "called": watermark,
            "board_version": version, "board_age_ms": 0, "poll_ms": POLL_MS,
        })
    }

    pub fn leave(&mut self, ticket: Option<usize>) -> Reply {
        match ticket {
            Some(index) => {
                self.places[index].stage = Stage::Left;
                Reply::new(200, json!({"state": "left"})).with_cookie("pass", "; Max-Age=0")
            }
            None => Reply::new(401, json!({"state": "none"})),
        }
    }

    fn has_room(&self) -> bool {
        let active = self
            .places
            .iter()
            .filter(|place| place.stage == Stage::Admitted)
            .count() as u64;
        let second = |granted: &&Instant| granted.elapsed() < Duration::from_secs(1);
        let lately = self.granted.iter().filter(second).count() as u64;
        let at_once = self.wrong == Misbehaviour::TooManyAtOnce || active < self.max_active;
        at_once && (self.wrong == Misbehaviour::TooFast || lately < (self.per_minute / 60).max(1))
    }

    pub fn claim(&mut self, ticket: Option<usize>) -> Reply {
        let Some(index) = ticket else {
            return Reply::new(401, json!({"state": "none"}));
        };
        match self.places[index].stage {
            Stage::Queued if !self.is_called(index) => return Reply::new(409, self.state(ticket)),
            Stage::Queued | Stage::Claimed if self.has_room() => {
                self.places[index].stage = Stage::Admitted;
                self.granted.push(Instant::now());
                if self.wrong == Misbehaviour::LosesPasses {
                    return Reply::new(502, json!("lost"));
                }
            }
            Stage::Queued | Stage::Claimed => {
                self.places[index].stage = Stage::Claimed;
                return Reply::new(202, self.state(ticket));
            }
            Stage::Admitted => {}
            Stage::Over | Stage::Left => return Reply::new(409, self.state(ticket)),
        }
        Reply::new(200, json!({"state": "admitted", "pass": index.to_string()}))
            .with_cookie("pass", index)
    }

    pub fn give_back(&mut self, pass: Option<usize>) -> Reply {
        if let Some(place) = pass.and_then(|index| self.places.get_mut(index)) {
            place.stage = Stage::Over;
        }
        Reply::new(200, json!({"state": "ended"}))
    }

    pub fn lets_in(&self, pass: usize) -> bool {
        let kept_out = self.wrong == Misbehaviour::KeepsOut && pass % 10 == 5;
        self.places
            .get(pass)
            .is_some_and(|place| place.stage == Stage::Admitted)
            && !kept_out
    }
}
