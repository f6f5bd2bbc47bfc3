//! The core's part of an event: mode, limits, how long things last, how draws are made.

use anteroom_queue::settings::{Batch, DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::units::{Millis, UnixMillis};

use crate::fields::Fields;
use crate::keys;

/// A number that must not exceed another field's; its default gives way.
fn read_at_most(fields: &mut Fields<'_>, field: keys::Whole, most: u32, other: &str) -> u32 {
    match fields.whole(field) {
        Some(number) if number > most => {
            fields.refuse(
                field.key,
                format!("{} to {most}: not longer than {other}", field.least),
            );
            most
        }
        Some(number) => number,
        None => field.default.unwrap_or(field.least).min(most),
    }
}

/// Reads everything that the core needs to know, around the lines' part of it.
pub fn read(
    fields: &mut Fields<'_>,
    prequeue_at: Option<UnixMillis>,
    lines: Vec<LineSettings>,
) -> Settings {
    let mode = fields.text(
        "mode",
        "\"auto\", \"always\", \"rate\", \"off\" or \"closed\"",
        mode,
    );
    let session_minutes = fields.whole_or_default(keys::SESSION_MINUTES);
    let idle_minutes = read_at_most(
        fields,
        keys::IDLE_MINUTES,
        session_minutes,
        "session_minutes",
    );
    // A pass that outlived the idle end would keep a slot that is already given away.
    let pass_seconds = read_at_most(
        fields,
        keys::PASS_SECONDS,
        idle_minutes * 60,
        "idle_minutes",
    );
    let minutes = |count: u32| Millis::from_minutes(u64::from(count));
    Settings {
        mode: mode.unwrap_or(Mode::Always),
        prequeue_at,
        lines,
        limits: read_limits(fields),
        hold: minutes(fields.whole_or_default(keys::HOLD_MINUTES)),
        session: minutes(session_minutes),
        idle: minutes(idle_minutes),
        pass: Millis::from_seconds(u64::from(pass_seconds)),
        max_extension: minutes(fields.whole_or_default(keys::MAX_EXTENSION_MINUTES)),
        expected_visitors: u64::from(fields.whole_or_default(keys::EXPECTED_VISITORS)),
        draw: read_draw(fields),
        keep: minutes(fields.whole_or_default(keys::KEEP_DAYS) * keys::DAY_MINUTES),
    }
}

fn read_draw(fields: &mut Fields<'_>) -> DrawSettings {
    let grace_seconds = fields.whole_or_default(keys::DRAW_GRACE_SECONDS);
    let beacon = fields.text("beacon", "\"drand\" or \"none\"", beacon);
    let beacon_wait_minutes = fields.whole_or_default(keys::BEACON_WAIT_MINUTES);
    DrawSettings {
        grace: Millis::from_seconds(u64::from(grace_seconds)),
        beacon: beacon.unwrap_or(true),
        beacon_wait: Millis::from_minutes(u64::from(beacon_wait_minutes)),
    }
}

fn beacon(text: &str) -> Option<bool> {
    match text {
        "drand" => Some(true),
        "none" => Some(false),
        _ => None,
    }
}

fn mode(text: &str) -> Option<Mode> {
    match text {
        "auto" => Some(Mode::Auto),
        "always" => Some(Mode::Always),
        "rate" => Some(Mode::Rate),
        "off" => Some(Mode::Off),
        "closed" => Some(Mode::Closed),
        _ => None,
    }
}

fn read_limits(fields: &mut Fields<'_>) -> Limits {
    let Some(mut admission) = fields.table("admission", keys::ADMISSION_KEYS) else {
        return Limits::default();
    };
    Limits {
        max_active: admission.whole(keys::MAX_ACTIVE),
        per_minute: admission.whole(keys::PER_MINUTE),
        batch: admission
            .table("batch", keys::BATCH_KEYS)
            .and_then(|mut batch| {
                let (size, every) = (
                    batch.required_whole(keys::BATCH_SIZE),
                    batch.required_whole(keys::BATCH_EVERY_SECONDS),
                );
                Some(Batch {
                    size: size?,
                    every: Millis::from_seconds(u64::from(every?)),
                })
            }),
    }
}
