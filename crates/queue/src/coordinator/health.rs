//! How the origin does, as edges see it, and what the room does about it.
//!
//! Edges count what the origin answered, what failed (5xx, or no answer) and what was slow. The
//! counts may be lost, come late or twice; nothing here ever raises a limit above what is configured
//! or what the operator set. They are judged window by window (`Window::verdict`):
//!
//! - *troubled*: more than `TROUBLED_PERCENT` failed or slow, that is, p95 is above what is slow. The
//!   admissions are halved, and halved again by each further such window; below an eighth they pause.
//! - *down*: more than `DOWN_PERCENT` failed. The admissions pause at once.
//! - *good*: a pause ends at an eighth of the admissions, and each further such window doubles them.
//!
//! A pause is the brake that an operator has too: from the answer on that announces it no grant is
//! made, grants without a first pass are given back, holds stand still.
//!
//! The restraint is stored, since a coordinator that starts anew must not let people into a shop
//! that it knew to be down. The window is not: evidence comes again within seconds.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::Coordinator;
use super::command::{Action, Change, CoordinatorReply, Noted};
use super::turns::{grown_within, note_second};
use super::window::Window;
pub use super::window::{Answers, Verdict};
use crate::limits::{MAX_NOTED, MOST_ADMISSIONS};
use crate::log::Record;
use crate::settings::Limits;
use crate::units::{Millis, UnixMillis};

/// The author of what the room does by itself, in the event log and among the noted actions.
pub const ORIGIN_HEALTH: &str = "origin-health";

/// A cap below this part of the admissions is a pause.
const FLOOR_PART: u32 = 8;
/// Without a configured rate the cap is gone once it is so many times what was admitted before.
const OPEN_RAMP: u32 = 4;
/// What was admitted before is measured over this time.
const MEASURED: Millis = Millis(60_000);
/// An instant's grants are no rate: they are spread over this time at least.
const LEAST_MEASURED: Millis = Millis(10_000);
/// Admissions a minute that are halved at least, unless fewer are configured: no shop feels half of less.
const LEAST_RATE: u32 = 60;
/// After the operator's resume the room leaves the admissions alone for this time.
const HANDS_OFF: Millis = Millis::from_minutes(5);
/// Noted actions of the room's own that are kept: an operator's are not pushed out by them.
const MAX_OWN_NOTED: usize = 10;

const _: () = assert!(MAX_OWN_NOTED * 2 < MAX_NOTED);

/// What is held back because of the origin. Stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restraint {
    /// Admissions a minute before it began; 0: nothing is held back.
    pub before: u32,
    /// Admissions a minute that are let in at most, if that is limited.
    pub cap: Option<u32>,
    /// None are.
    pub paused: bool,
    /// The operator has resumed by hand: nothing is held back until then.
    pub hands_off_until: UnixMillis,
}

/// What operators see of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginView {
    /// The last verdict.
    pub verdict: Verdict,
    /// When it was given.
    pub judged_at: UnixMillis,
    /// On what.
    pub judged: Answers,
    /// What is held back.
    pub restraint: Restraint,
    /// The room acts; otherwise it only watches.
    pub acts: bool,
}

/// What the coordinator knows of the origin.
#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    pub(super) restraint: Restraint,
    watches_only: bool,
    window: Window,
    verdict: Verdict,
    judged_at: UnixMillis,
    judged: Answers,
    /// Grants in all, by second, of the last minute.
    grants: VecDeque<(UnixMillis, u64)>,
}

impl Health {
    /// The clock was wrong: what was measured by it says nothing.
    pub(super) fn forget_grants(&mut self) {
        self.grants.clear();
    }
}

impl Restraint {
    pub(super) fn holds(&self) -> bool {
        self.paused || self.cap.is_some()
    }

    /// The limits, lowered.
    pub(super) fn lower(&self, limits: Limits) -> Limits {
        let Some(cap) = self.cap else { return limits };
        Limits {
            per_minute: Some(limits.per_minute.map_or(cap, |rate| rate.min(cap))),
            ..limits
        }
    }

    fn floor(&self) -> u32 {
        (self.before / FLOOR_PART).max(1)
    }

    /// After a window in which the origin was troubled.
    fn halved(self) -> Self {
        if self.paused {
            return self;
        }
        let cap = self.cap.unwrap_or(self.before) / 2;
        match cap < self.floor() {
            true => self.paused(),
            false => Self {
                cap: Some(cap),
                ..self
            },
        }
    }

    fn paused(self) -> Self {
        Self {
            cap: Some(self.floor()),
            paused: true,
            ..self
        }
    }

    /// After a good window: `most` is the rate from which on there is no cap.
    fn doubled(self, most: u32) -> Self {
        match (self.paused, self.cap) {
            (true, _) => Self {
                paused: false,
                ..self
            },
            (false, Some(cap)) if cap.saturating_mul(2) < most => Self {
                cap: Some(cap * 2),
                ..self
            },
            (false, _) => Self {
                hands_off_until: self.hands_off_until,
                ..Self::default()
            },
        }
    }
}

impl Coordinator {
    /// Takes in what edges heard from the origin.
    pub(super) fn hear_origin(&mut self, heard: Answers, now: UnixMillis) -> CoordinatorReply {
        let window = &mut self.health.window;
        if window.heard.answers == 0 {
            window.since = now;
        }
        window.heard.add(heard);
        self.proceed(now);
        self.state_reply()
    }

    /// The configuration says whether the room acts on the origin's health or only watches.
    pub(super) fn watch_origin(&mut self, acts: bool, now: UnixMillis) -> CoordinatorReply {
        self.health.watches_only = !acts;
        if !acts {
            self.restrain(
                Restraint {
                    hands_off_until: self.health.restraint.hands_off_until,
                    ..Restraint::default()
                },
                now,
            );
        }
        self.proceed(now);
        self.state_reply()
    }

    /// What operators see of the origin.
    pub fn origin(&self) -> OriginView {
        OriginView {
            verdict: self.health.verdict,
            judged_at: self.health.judged_at,
            judged: self.health.judged,
            restraint: self.health.restraint,
            acts: !self.health.watches_only,
        }
    }

    /// Judges the window that is due, and acts on it.
    pub(super) fn mind_origin(&mut self, now: UnixMillis) {
        let granted = self.sum(|line| line.granted + line.tries_granted);
        note_second(&mut self.health.grants, granted, MEASURED, now);
        // A window that began in the future began before the clock was set back.
        if self.health.window.since > now {
            self.health.window.since = now;
        }
        let restraint = self.health.restraint;
        let Some(verdict) = self.health.window.verdict(&restraint, now) else {
            return;
        };
        self.health.verdict = verdict;
        self.health.judged_at = now;
        self.health.judged = self.health.window.heard;
        self.health.window = Window::default();
        if self.health.watches_only || now < restraint.hands_off_until {
            return;
        }
        let after = match verdict {
            Verdict::Troubled => self.with_rate(restraint, now).halved(),
            Verdict::Down => self.with_rate(restraint, now).paused(),
            // Silence proves nothing about a pause; a cap that nobody feels is taken away.
            Verdict::Unknown if restraint.paused => restraint,
            Verdict::Good | Verdict::Unknown => restraint.doubled(self.ramp_end(&restraint)),
        };
        if after.paused && restraint.paused {
            return;
        }
        self.restrain(after, now);
    }

    /// The operator has resumed by hand: the room holds nothing back for a while.
    pub(super) fn leave_to_operator(&mut self, now: UnixMillis) {
        if !self.health.restraint.holds() {
            return;
        }
        self.health.restraint = Restraint {
            hands_off_until: now.plus(HANDS_OFF),
            ..Restraint::default()
        };
        self.health.window = Window::default();
        self.changed.origin = true;
    }

    /// When the window has to be judged although nobody asks: only what would change something.
    pub(super) fn next_verdict(&self) -> Option<UnixMillis> {
        let Window { since, heard } = self.health.window;
        let restraint = &self.health.restraint;
        if heard.answers == 0 || heard.bad() == 0 && !restraint.holds() {
            return None;
        }
        let now = self.clock.high();
        Window::ages(restraint)
            .map(|age| since.plus(age))
            .into_iter()
            .find(|at| *at > now)
    }

    /// The restraint with the admissions that it begins from.
    fn with_rate(&self, restraint: Restraint, now: UnixMillis) -> Restraint {
        if restraint.holds() {
            return restraint;
        }
        let (first, granted) = self.health.grants.front().copied().unwrap_or((now, 0));
        let over = now.since(first).0.max(LEAST_MEASURED.0);
        let grants = grown_within(&self.health.grants, MEASURED);
        let measured = grants.saturating_mul(60_000) / over;
        let measured = u32::try_from(measured).unwrap_or(MOST_ADMISSIONS);
        let rate = self.limits().per_minute;
        let most = rate.unwrap_or(MOST_ADMISSIONS);
        // A sale that has just begun says nothing of what it would have admitted.
        let before = match rate {
            Some(rate) if granted == 0 => rate,
            _ => measured.max(LEAST_RATE).min(most),
        };
        Restraint {
            before,
            ..restraint
        }
    }

    fn ramp_end(&self, restraint: &Restraint) -> u32 {
        let rate = self.live.limits(&self.settings.limits).per_minute;
        rate.unwrap_or(restraint.before.saturating_mul(OPEN_RAMP))
    }

    /// Puts a restraint in force; a line of the log for each step, a note when a pause begins or ends.
    fn restrain(&mut self, after: Restraint, now: UnixMillis) {
        let before = std::mem::replace(&mut self.health.restraint, after);
        if before == after {
            return;
        }
        self.changed.origin = true;
        self.changed.queue = true;
        let lowered = before.lower(self.live.limits(&self.settings.limits));
        self.limits_changed(&lowered, now);
        let action = match (before.paused, after.paused, after.cap) {
            (false, true, _) => Action::Pause {
                reason: crate::board::Pause::ORIGIN.to_owned(),
                next_update_at: None,
            },
            (true, false, _) => Action::Resume,
            (_, _, cap) => Action::Retune {
                max_active: None,
                per_minute: Some(cap.map_or(Change::Reset, Change::To)),
                batch: None,
            },
        };
        let record = Record::Operator {
            by: ORIGIN_HEALTH.to_owned(),
            action: serde_json::to_value(&action).expect("an action is plain data"),
        };
        self.log(&record, now);
        if before.paused != after.paused {
            self.note_own(action, now);
        }
    }

    fn note_own(&mut self, action: Action, now: UnixMillis) {
        let is_own = |noted: &Noted| noted.by == ORIGIN_HEALTH;
        if self.noted.iter().filter(|noted| is_own(noted)).count() >= MAX_OWN_NOTED {
            let oldest = self.noted.iter().position(is_own).expect("there are some");
            self.noted.remove(oldest);
        }
        self.note(action, ORIGIN_HEALTH.to_owned(), now);
    }
}

#[cfg(test)]
#[path = "health_tests.rs"]
mod tests;
