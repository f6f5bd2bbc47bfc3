//! Where searches begin.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::units::Millis;

use crate::promises::{MOST_INSIDE, Reaches, Search};
use crate::world::{Budget, SHARDS, Step, World};

/// Open at once; one may be inside.
fn settings() -> Settings {
    Settings {
        mode: Mode::Always,
        prequeue_at: None,
        lines: vec![LineSettings {
            id: "general".to_owned(),
            weight: 1,
            opens_at: None,
        }],
        limits: Limits {
            max_active: Some(MOST_INSIDE as u32),
            ..Limits::default()
        },
        hold: Millis::from_minutes(30),
        session: Millis::from_minutes(10),
        idle: Millis::from_minutes(10),
        pass: Millis::from_seconds(180),
        max_extension: Millis::from_minutes(3),
        expected_visitors: 16_000,
        draw: DrawSettings {
            grace: Millis::from_seconds(60),
            beacon: false,
            beacon_wait: Millis::from_minutes(10),
        },
        keep: Millis::from_minutes(30 * 24 * 60),
    }
}

/// The operator lets so many be inside.
pub fn most_inside(most: u32) -> Action {
    retuned(Change::To(most))
}

fn retuned(limit: Change<u32>) -> Action {
    Action::Retune {
        max_active: Some(limit),
        per_minute: None,
        batch: None,
    }
}

/// Visitors with these homes join.
pub fn joins(homes: &[usize], left: Budget) -> Search {
    Search {
        begins: World::new(settings(), homes, left),
        reaches: Reaches::Numbers,
    }
}

/// Two visitors of two shards are called.
pub fn claims(left: Budget) -> Search {
    let many = Budget {
        reports: [u8::MAX; SHARDS],
        ticks: u8::MAX,
        ..Budget::default()
    };
    let mut world = World::new(settings(), &[0, 1], many);
    // While two may be inside both are called; then it is one again.
    world.operate(most_inside(2));
    for _ in 0..4 {
        for who in 0..2 {
            if world.visitors[who].entry.is_none() {
                world.happen(Step::Join(who));
            }
            for step in [Step::Report(who), Step::Arrive(0), Step::Arrive(0)] {
                world.happen(step);
            }
        }
        world.happen(Step::Tick);
    }
    world.operate(retuned(Change::Reset));
    world.left = left;
    Search {
        begins: world,
        reaches: Reaches::Sessions,
    }
}
