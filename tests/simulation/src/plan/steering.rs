//! What the operator of a seed does, and when.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::Settings;
use anteroom_queue::units::{Millis, UnixMillis};

use super::{MINUTE_MS, START};
use crate::chance::Chance;

/// Actions of one operator during the sale.
const MOST_STEPS: usize = 12;

/// When an operator does what.
#[derive(Clone, Debug)]
pub struct Step {
    /// When, since the run began.
    pub at_ms: u64,
    /// What.
    pub action: Action,
}

/// The instants that the operator goes by.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// When nothing fails any more.
    pub quiet_at_ms: u64,
    /// When limits are lifted; `None`: the event ends early.
    pub room_for_all_at_ms: Option<u64>,
}

/// No limits any more.
pub fn room_for_all() -> Action {
    Action::Retune {
        max_active: Some(Change::Unlimited),
        per_minute: Some(Change::Unlimited),
        batch: Some(Change::Unlimited),
    }
}

/// Everything that the operator does. `lines` decides what concerns openings and lines.
pub fn steps(
    chance: &mut Chance,
    lines: &mut Chance,
    settings: &Settings,
    visitors: u32,
    times: Times,
) -> Vec<Step> {
    let mut steps = moved_opening(lines, settings);
    let begun = steps.last().map_or(0, |step: &Step| step.at_ms);
    let mut at_ms = begun.max(20_000) + chance.within(0..60_000);
    while at_ms + 2 * MINUTE_MS < times.quiet_at_ms && steps.len() < MOST_STEPS {
        let lasts_ms = chance.within(15_000..60_000);
        let (begin, end) = measure(chance, settings, visitors);
        steps.push(Step {
            at_ms,
            action: begin,
        });
        if let Some(action) = end {
            steps.push(Step {
                at_ms: at_ms + lasts_ms,
                action,
            });
        }
        at_ms += lasts_ms + chance.within(20_000..200_000);
    }
    match times.room_for_all_at_ms {
        Some(at_ms) => {
            for action in [Action::Resume, Action::Open, room_for_all()] {
                steps.push(Step { at_ms, action });
            }
        }
        None => steps.push(Step {
            at_ms: times.quiet_at_ms + MINUTE_MS,
            action: if chance.one_of(&[true, false]) {
                Action::Soldout
            } else {
                Action::Close
            },
        }),
    }
    steps
}

/// Sometimes the operator moves the opening before it has come: forth, back, or twice.
fn moved_opening(chance: &mut Chance, settings: &Settings) -> Vec<Step> {
    let later = settings.lines.iter().any(|line| line.opens_at.is_some());
    let mut steps = Vec::new();
    let mut at_ms = 12_000;
    while later && steps.len() < 2 && chance.happens(350_000) {
        at_ms += chance.within(0..20_000);
        let opens_ms = at_ms + chance.within(12_000..90_000);
        let one = chance.one_of(&[true, false]);
        let first = settings.lines.iter().find(|line| line.opens_at.is_some());
        let line = first.filter(|_| one).map(|line| line.id.clone());
        let action = Action::Reschedule {
            line,
            opens_at: START.plus(Millis(opens_ms)),
            reason: "the hall opens at another time".to_owned(),
        };
        steps.push(Step { at_ms, action });
    }
    steps
}

/// Visitors are told more a day later.
fn next_update_at() -> Option<UnixMillis> {
    Some(START.plus(Millis::from_minutes(24 * 60)))
}

/// Something an operator does, and what ends it.
fn measure(chance: &mut Chance, settings: &Settings, visitors: u32) -> (Action, Option<Action>) {
    let reason = "a till is down".to_owned();
    match chance.within(0..11) {
        0 | 1 => {
            let next_update_at = next_update_at();
            let pause = Action::Pause {
                reason,
                next_update_at,
            };
            (pause, Some(Action::Resume))
        }
        2 => {
            let next_update_at = next_update_at();
            let stop = Action::Stop {
                reason,
                next_update_at,
            };
            (stop, Some(Action::Resume))
        }
        3 => (Action::Soldout, Some(Action::Open)),
        4 => (Action::Close, Some(Action::Open)),
        5 => {
            let visitors = u64::from(visitors) * 2 + 20_000;
            (Action::Expect { visitors }, None)
        }
        6 => (
            Action::Message {
                text: "Doors open at eight".to_owned(),
            },
            None,
        ),
        7 => (Action::Stock { left: 0 }, Some(Action::Stock { left: 40 })),
        8 => {
            let line = chance.within(0..settings.lines.len() as u64) as usize;
            let line = settings.lines[line].id.clone();
            let close = Action::CloseLine { line: line.clone() };
            (close, Some(Action::OpenLine { line }))
        }
        _ => retune(chance, settings, visitors),
    }
}

fn retune(chance: &mut Chance, settings: &Settings, visitors: u32) -> (Action, Option<Action>) {
    let scaled = |chance: &mut Chance, value: u32| {
        let percent = chance.one_of(&[10, 40, 70, 150, 300]);
        Some(Change::To((u64::from(value) * percent / 100).max(1) as u32))
    };
    let limits = settings.limits;
    let action = Action::Retune {
        max_active: scaled(chance, limits.max_active.unwrap_or(visitors / 4 + 2)),
        per_minute: limits.per_minute.and_then(|rate| scaled(chance, rate)),
        batch: None,
    };
    let back = Action::Retune {
        max_active: Some(Change::Reset),
        per_minute: Some(Change::Reset),
        batch: None,
    };
    (action, Some(back))
}
