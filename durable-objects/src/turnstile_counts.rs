//! What edges count of a third party's widget. The last word of any of them says whether it answers.

use anteroom_queue::units::UnixMillis;
use serde::{Deserialize, Serialize};

/// What came of the third party's widget, and whether it answers. Its counts stop at their greatest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnstileCounts {
    /// Tokens that held.
    pub passed: u32,
    /// Tokens that did not.
    pub refused: u32,
    /// Tokens about which the third party gave no answer.
    pub unanswered: u32,
    /// Joins without one: with work or a wait instead, or let through while it was down.
    pub instead: u32,
    /// When the third party last answered; the start of time: never.
    pub answered_at: UnixMillis,
    /// When it last did not.
    pub silent_at: UnixMillis,
}

impl TurnstileCounts {
    /// Nothing came of it.
    pub const NONE: Self = Self {
        passed: 0,
        refused: 0,
        unanswered: 0,
        instead: 0,
        answered_at: UnixMillis(0),
        silent_at: UnixMillis(0),
    };

    /// Takes up what another edge counted.
    pub fn add(&mut self, more: TurnstileCounts) {
        self.passed = self.passed.saturating_add(more.passed);
        self.refused = self.refused.saturating_add(more.refused);
        self.unanswered = self.unanswered.saturating_add(more.unanswered);
        self.instead = self.instead.saturating_add(more.instead);
        self.answered_at = self.answered_at.max(more.answered_at);
        self.silent_at = self.silent_at.max(more.silent_at);
    }

    /// Whether its last word was none.
    pub fn is_down(&self) -> bool {
        self.silent_at > self.answered_at
    }
}
