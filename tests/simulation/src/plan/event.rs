//! The event of a seed: its limits, its lines and draws, and how unreliable its world is.

use anteroom_queue::settings::{Batch, DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::units::{Millis, UnixMillis};

use super::{Access, Alarms, Beacon, Faults, MINUTE_MS, START};
use crate::chance::Chance;

/// When joins are first taken in an event that has a pre-queue.
const PREQUEUE: Millis = Millis(10_000);

/// When an event that opens later opens.
const OPENING: Millis = Millis(70_000);

/// When its other lines open, if not at the same time.
const OTHER_OPENING: Millis = Millis(130_000);

/// How late an alarm is that is late.
const LATE_ALARM_MS: u64 = 10 * MINUTE_MS;

/// An event without lines of its own: one for everyone, open at once.
pub fn settings(chance: &mut Chance, visitors: u32, sale_ms: u64, long_outages: bool) -> Settings {
    let per_minute = (u64::from(visitors) * MINUTE_MS / sale_ms).max(6) as u32;
    let max_active = (visitors / chance.within(4..12) as u32).max(3);
    let every = Millis(chance.one_of(&[1_000, 5_000, 10_000, 30_000]));
    let size = (u64::from(per_minute) * every.0 / MINUTE_MS).max(1) as u32;
    let kind = chance.within(0..7);
    let limits = Limits {
        max_active: matches!(kind, 0 | 3 | 4 | 6).then_some(max_active),
        per_minute: matches!(kind, 1 | 3 | 5 | 6).then_some(per_minute),
        batch: matches!(kind, 2 | 4 | 5 | 6).then_some(Batch { size, every }),
    };
    let planned = u64::from(visitors) * chance.one_of(&[1, 1, 2, 4]);
    Settings {
        mode: if chance.happens(300_000) {
            Mode::Auto
        } else {
            Mode::Always
        },
        prequeue_at: None,
        lines: vec![line("general", 1, None)],
        limits,
        hold: if long_outages {
            Millis(0)
        } else {
            Millis::from_minutes(chance.one_of(&[0, 3, 5, 30]))
        },
        session: Millis::from_minutes(chance.within(5..16)),
        idle: Millis::from_minutes(chance.within(4..8)),
        pass: Millis::from_seconds(chance.one_of(&[60, 120, 180])),
        max_extension: Millis::from_minutes(5),
        expected_visitors: planned.max(chance.one_of(&[1, 20_000, 60_000])),
        draw: DrawSettings {
            grace: Millis::from_seconds(60),
            beacon: false,
            beacon_wait: Millis::from_minutes(10),
        },
        keep: Millis::from_minutes(30 * 24 * 60),
    }
}

pub fn line(id: &str, weight: u32, opens_at: Option<UnixMillis>) -> LineSettings {
    LineSettings {
        id: id.to_owned(),
        weight,
        opens_at,
    }
}

/// Gives the event its lines and draws; who may join which.
pub fn lines(chance: &mut Chance, settings: &mut Settings) -> Vec<Access> {
    let opening = Some(START.plus(OPENING));
    let other = chance.one_of(&[opening, Some(START.plus(OTHER_OPENING))]);
    let weight = chance.one_of(&[1, 2, 5, 20]);
    let (lines, access) = match chance.within(0..8) {
        0 | 1 => (vec![line("general", 1, None)], vec![Access::Everyone]),
        2 | 3 => (vec![line("general", 1, opening)], vec![Access::Everyone]),
        4 => (
            vec![line("general", 1, None), line("members", weight, None)],
            vec![Access::Everyone, Access::Member],
        ),
        5 => (
            vec![line("general", 1, other), line("presale", weight, opening)],
            vec![Access::Everyone, Access::Code],
        ),
        6 => (
            vec![line("general", 1, opening), line("fans", weight, None)],
            vec![Access::Everyone, Access::Code],
        ),
        _ => (
            vec![
                line("general", 1, other),
                line("members", weight, opening),
                line("presale", 3, opening),
            ],
            vec![Access::Everyone, Access::Member, Access::Code],
        ),
    };
    let later = lines.iter().any(|line| line.opens_at.is_some());
    settings.prequeue_at = (later && chance.happens(700_000)).then_some(START.plus(PREQUEUE));
    settings.lines = lines;
    settings.draw.beacon = chance.happens(500_000);
    settings.draw.grace = Millis::from_seconds(chance.one_of(&[10, 30, 60]));
    settings.draw.beacon_wait = Millis::from_minutes(chance.one_of(&[1, 3]));
    access
}

/// What becomes of the beacon.
pub fn beacon(chance: &mut Chance) -> Beacon {
    match chance.within(0..4) {
        0 | 1 => Beacon::InTime,
        2 => Beacon::Late(chance.within(5_000..50_000)),
        _ => Beacon::Never,
    }
}

pub fn faults(chance: &mut Chance, long_outages: bool) -> Faults {
    let worse = |chance: &mut Chance, most: u64| chance.within(0..most + 1) as u32;
    Faults {
        lost_ppm: worse(chance, 20_000),
        twice_ppm: worse(chance, 20_000),
        slow_ppm: worse(chance, 20_000),
        slow_write_ppm: worse(chance, 2_000),
        crash_every_ms: chance.one_of(&[0, 5_000, 20_000]),
        outage_every_ms: if long_outages {
            3 * MINUTE_MS
        } else {
            chance.one_of(&[0, 45_000])
        },
        outage_ms: if long_outages { 12 * MINUTE_MS } else { 15_000 },
        clock_ms: chance.one_of(&[0, 0, 400, 2_000]),
        alarms: chance.one_of(&[
            Alarms::InTime,
            Alarms::InTime,
            Alarms::Late(LATE_ALARM_MS),
            Alarms::Twice,
            Alarms::Lost,
        ]),
        ..Faults::default()
    }
}
