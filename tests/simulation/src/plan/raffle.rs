//! The raffle: everybody comes before the opening and has a rank a moment after it.

use anteroom_queue::coordinator::command::Action;
use anteroom_queue::limits::PLANNED_PLACES;
use anteroom_queue::settings::{DrawSettings, Limits, Mode, Settings};
use anteroom_queue::units::Millis;

use super::{Access, Beacon, Faults, MINUTE_MS, Plan, START, Step, event, far_poll_ms};

/// When the raffle opens.
const OPENS_MS: u64 = 10 * MINUTE_MS;

/// From the first to the last visitor: some come when it is too late.
const ARRIVALS_MS: u64 = OPENS_MS + 20_000;

/// How long the sale goes on after the longest draw.
const SALE_MS: u64 = 2 * MINUTE_MS;

/// How late the beacon is that is late.
const LATE_BEACON_MS: u64 = MINUTE_MS;

/// How long the draw waits for the beacon.
const BEACON_WAIT_MS: u64 = 2 * MINUTE_MS;

impl Plan {
    /// A raffle with so many visitors, over all shards, on an ordinary day: some messages are
    /// lost, doubled or late, and an object restarts now and then.
    pub fn raffle(seed: u64, visitors: u32, beacon: Beacon) -> Self {
        let opens_at = START.plus(Millis(OPENS_MS));
        let beacon = match beacon {
            Beacon::Late(_) => Beacon::Late(LATE_BEACON_MS),
            other => other,
        };
        let closes_ms = OPENS_MS + BEACON_WAIT_MS + SALE_MS;
        let mut plan = Self::new(seed, visitors);
        plan.settings = Settings {
            mode: Mode::Always,
            prequeue_at: None,
            lines: vec![event::line("general", 1, Some(opens_at))],
            limits: Limits {
                per_minute: Some((visitors / 50).max(60)),
                ..Limits::default()
            },
            hold: Millis::from_minutes(30),
            session: Millis::from_minutes(5),
            idle: Millis::from_minutes(4),
            pass: Millis::from_seconds(180),
            max_extension: Millis::from_minutes(1),
            expected_visitors: u64::from(visitors).max(2 * PLANNED_PLACES),
            draw: DrawSettings {
                grace: Millis::from_seconds(60),
                beacon: true,
                beacon_wait: Millis(BEACON_WAIT_MS),
            },
            keep: Millis::from_minutes(30 * 24 * 60),
        };
        plan.access = vec![Access::Everyone];
        plan.beacon = beacon;
        plan.faults = Faults {
            lost_ppm: 1_000,
            twice_ppm: 1_000,
            slow_ppm: 1_000,
            slow_write_ppm: 100,
            crash_every_ms: MINUTE_MS,
            ..Faults::default()
        };
        plan.arrivals_from_ms = 0;
        plan.arrivals_ms = ARRIVALS_MS;
        plan.steps = vec![Step {
            at_ms: closes_ms,
            action: Action::Close,
        }];
        plan.quiet_at_ms = closes_ms - MINUTE_MS;
        plan.room_for_all_at_ms = None;
        plan.edges = 12;
        plan.far_poll_ms = far_poll_ms(visitors);
        plan.long_outages = false;
        plan.calm = true;
        plan.counts_asks = true;
        plan
    }
}
