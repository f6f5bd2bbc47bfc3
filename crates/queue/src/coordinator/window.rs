//! What a window of the origin's answers says: pure, and without a clock of its own.

use serde::{Deserialize, Serialize};

use super::health::Restraint;
use crate::units::{Millis, UnixMillis};

/// A window is judged after this time at the earliest: a shop that stumbles for a second is not down.
const WINDOW: Millis = Millis(5_000);
/// While the admissions pause, a window is judged after this time at the earliest: edges ask a shop that answers once a
/// second.
const PAUSED_WINDOW: Millis = Millis(2_000);
/// A window without enough evidence is dropped after this time.
const LONGEST_WINDOW: Millis = Millis(30_000);
/// Answers from which a share is judged: of twenty, one is the 5 percent that are allowed.
const ENOUGH_ANSWERS: u64 = 20;
/// With fewer answers only all of them together say something bad, and not fewer than this.
const ALL_BAD_ANSWERS: u64 = 4;
/// While the admissions are held back, so many good answers and no bad one are good.
const ALL_GOOD_ANSWERS: u64 = 3;
/// Above this share of failed and slow answers the origin is troubled.
const TROUBLED_PERCENT: u64 = 5;
/// Above this share of failed answers the origin is down.
const DOWN_PERCENT: u64 = 50;

const _: () = assert!(ENOUGH_ANSWERS * TROUBLED_PERCENT == 100);

/// How the origin did in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Too little was heard.
    #[default]
    Unknown,
    /// Nearly all was answered, and in time.
    Good,
    /// Too much failed or was slow.
    Troubled,
    /// Most failed.
    Down,
}

/// Answers of the origin to edges, since the window began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// All of them.
    pub answers: u64,
    /// 5xx, or none.
    pub failed: u64,
    /// Good, but late.
    pub slow: u64,
}

/// What was heard since it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// When the first of it was heard.
    pub(super) since: UnixMillis,
    /// What was.
    pub(super) heard: Answers,
}

impl Answers {
    pub(super) fn add(&mut self, more: Answers) {
        self.answers += more.answers;
        self.failed += more.failed;
        self.slow += more.slow;
    }

    pub(super) fn bad(&self) -> u64 {
        (self.failed + self.slow).min(self.answers)
    }
}

impl Window {
    /// After how long it may be judged: two instants, at the earliest and when it is dropped.
    pub(super) fn ages(restraint: &Restraint) -> [Millis; 2] {
        let least = if restraint.paused {
            PAUSED_WINDOW
        } else {
            WINDOW
        };
        [least, LONGEST_WINDOW]
    }

    /// What the window says, once it says something.
    pub(super) fn verdict(&self, restraint: &Restraint, now: UnixMillis) -> Option<Verdict> {
        let age = now.since(self.since);
        let [least, longest] = Self::ages(restraint);
        let Answers { answers, .. } = self.heard;
        // A session's answer that was counted as good in the window before may have become bad in this one.
        let failed = self.heard.failed.min(answers);
        let bad = self.heard.bad();
        if answers == 0 || age < least {
            return None;
        }
        let is_over = age >= longest;
        if answers >= ENOUGH_ANSWERS {
            return Some(match () {
                () if failed * 100 > answers * DOWN_PERCENT => Verdict::Down,
                () if bad * 100 > answers * TROUBLED_PERCENT => Verdict::Troubled,
                () => Verdict::Good,
            });
        }
        match bad {
            0 if restraint.holds() && answers >= ALL_GOOD_ANSWERS => Some(Verdict::Good),
            bad if bad == answers && bad >= ALL_BAD_ANSWERS => Some(match failed == answers {
                true => Verdict::Down,
                false => Verdict::Troubled,
            }),
            // Only the edges' own questions: the next window tries again, with what is asked then.
            1.. if restraint.paused && answers >= ALL_GOOD_ANSWERS => Some(Verdict::Troubled),
            _ => is_over.then_some(Verdict::Unknown),
        }
    }
}
