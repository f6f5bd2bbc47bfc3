//! The promises, checked from outside. Each checker is a pure function of the history and has the
//! promise's name.

mod brake;
mod cap;
mod monotone;
mod no_lost_place;
mod open_door;
mod order;
mod shop_door;
mod unique_place;

use crate::history::History;

/// The promises that can be watched from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// One place per permit; entry numbers unique, without gaps, never changing.
    UniquePlace,
    /// An acknowledged join ends in exactly one of admitted, left, lapsed, or the end of the run.
    NoLostPlace,
    /// Sessions and grants never exceed the limits.
    Cap,
    /// Acknowledged before another join began means a smaller entry number; nobody is called
    /// before someone with a smaller rank.
    Order,
    /// Versions and watermarks only grow; a shown `ahead` never rises.
    Monotone,
    /// An admitted visitor reaches the shop until the session's end.
    OpenDoor,
    /// No grant after a pause was acknowledged; from 2 s after that on, no first pass.
    Brake,
}

impl Promise {
    /// Those that a crowd can watch by itself: nobody has to know what operators do.
    pub const OF_A_CROWD: [Promise; 6] = [
        Promise::UniquePlace,
        Promise::NoLostPlace,
        Promise::Cap,
        Promise::Order,
        Promise::Monotone,
        Promise::OpenDoor,
    ];

    /// The promise's name.
    pub const fn name(self) -> &'static str {
        match self {
            Promise::UniquePlace => "unique-place",
            Promise::NoLostPlace => "no-lost-place",
            Promise::Cap => "cap",
            Promise::Order => "order",
            Promise::Monotone => "monotone",
            Promise::OpenDoor => "open-door",
            Promise::Brake => "brake",
        }
    }
}

/// One breach of a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which promise.
    pub promise: Promise,
    /// What was seen.
    pub seen: String,
}

pub use cap::active_max;

/// Finds breaches of one promise, in words.
type Checker = fn(&History) -> Vec<String>;

const CHECKERS: [(Promise, Checker); 8] = [
    (Promise::UniquePlace, unique_place::check),
    (Promise::NoLostPlace, no_lost_place::check),
    (Promise::Cap, cap::check),
    (Promise::Order, order::check),
    (Promise::Monotone, monotone::check),
    (Promise::OpenDoor, open_door::check),
    (Promise::Cap, shop_door::check),
    (Promise::Brake, brake::check),
];

/// Everything that cannot have been right.
pub fn check(history: &History) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (promise, checker) in CHECKERS {
        violations.extend(
            checker(history)
                .into_iter()
                .map(|seen| Violation { promise, seen }),
        );
    }
    violations
}

#[cfg(test)]
pub(crate) mod examples {
    //! Pieces of histories. Times are in milliseconds.

    use crate::history::{Join, Moment, Session, Sighting, State, VisitorHistory};

    pub fn at(ms: u64) -> Moment {
        Moment(ms * 1_000)
    }

    pub fn joined(began: u64, acknowledged: u64, entry: u64) -> VisitorHistory {
        VisitorHistory {
            joins: vec![Join {
                began: at(began),
                acknowledged: at(acknowledged),
                entry: Some(entry),
            }],
            ..VisitorHistory::default()
        }
    }

    pub fn seen(
        sent: u64,
        received: u64,
        state: State,
        rank: u64,
        called: u64,
        version: u64,
    ) -> Sighting {
        Sighting {
            sent: at(sent),
            received: at(received),
            state,
            line: "general".to_owned(),
            entry: Some(rank),
            rank: Some(rank),
            ahead: Some(rank.saturating_sub(called)),
            called: Some(called),
            version: Some(version),
            board_age: Some(std::time::Duration::ZERO),
        }
    }

    pub fn session(granted_after: u64, received: u64, sure_until: u64) -> VisitorHistory {
        VisitorHistory {
            session: Some(Session {
                granted_after: at(granted_after),
                asked: at(granted_after),
                received: at(received),
                sure_until: at(sure_until),
            }),
            ..VisitorHistory::default()
        }
    }
}
