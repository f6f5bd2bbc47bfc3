//! What is modelled, with figures and where they come from. Everything grows with the number of visitors, so that a small
//! run has the same course as the one with fifty million.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::units::Millis;

use crate::plan::START;

/// Before the first join edges read their first boards, spread over this time.
pub const WARM_MS: u64 = 15_000;

/// Joins grow to their peak within this time.
pub const RAMP_MS: u64 = 120_000;

/// All have joined after so many seconds at the peak, the ramp counting half: 50,000,000 at 100,000 a second.
const SECONDS_AT_PEAK: u64 = 500;

/// The operator raises the rate of admissions.
pub const RETUNE_MS: u64 = 300_000;

/// The operator pauses, and goes on.
pub const PAUSE_MS: u64 = 420_000;

/// The operator goes on.
pub const RESUME_MS: u64 = 440_000;

/// The end of the run, when claims, grants and ends have gone on for a while without joins.
pub const END_MS: u64 = 640_000;

/// A request at a shard: half of the joins a second that one object took on workerd (1,900 to 3,100), rounded.
pub const SHARD_US: u64 = 500;

/// A report at a coordinator or relay: the platform's soft limit of 1,000 requests a second.
pub const PARENT_US: u64 = 1_000;

/// A commit is durable after this time, at least and at most, evenly: a write to several data centres' disks.
pub const WRITE_MS: std::ops::Range<u64> = 4..13;

/// Telling one of 8,000 sockets: half a second for all of them, measured.
pub const TELLING_US: u64 = 62;

/// Sockets that are told in one go, before the shard looks after what came in.
pub const SLICE: u64 = 256;

/// A page opens its socket so long after it has its number, at most.
pub const SOCKET_AFTER_MS: u64 = 1_500;

/// Of a million of the called so many claim.
pub const SHOW_UP_PPM: u32 = 850_000;

/// Of a million of the admitted so many give the session back; the others fall silent.
pub const RELEASE_PPM: u32 = 700_000;

/// How long they stay.
pub const STAY_MS: std::ops::Range<u64> = 20_000..100_000;

/// A page claims within this time after it was told, longer if many are called at its home.
pub const CLAIM_WITHIN_MS: u64 = 4_000;

/// A page asks again about a claim that is pending after this time, unless the home says later; up to 15 % sooner or later.
pub const PENDING_MS: u64 = 2_000;

/// Visitors for one isolate of the edge: 3,125 isolates for fifty million.
const VISITORS_OF_AN_ISOLATE: u32 = 16_000;

/// Isolates at least, so that a small run has several.
const FEWEST_ISOLATES: u32 = 12;

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Decides everything.
    pub seed: u64,
    /// How many join.
    pub visitors: u32,
    /// What happens beside it.
    pub mishap: Mishap,
}

/// What happens beside a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Nothing.
    None,
    /// In its middle a region is lost for good.
    RegionLost,
    /// For a minute nothing reaches anything, and then everybody comes back.
    Outage,
    /// So many times as many come as were planned for, at the peak's rate from the first moment on, to objects and edges that
    /// nobody has asked before.
    Surge,
}

/// How many times as many as planned for are a surge.
const SURGE: u32 = 70;

/// Nothing reaches anything from then on, when most have joined, many wait for turns and many are inside.
pub const OUTAGE_MS: u64 = 480_000;

/// And from then on everything does again.
pub const BACK_MS: u64 = OUTAGE_MS + 60_000;

/// The end of a run with an outage: by then everybody has listened over a socket again who can. Who falls back to the stream
/// within half a minute has rested twice by then, one and a half minutes and three at most.
pub const AFTER_OUTAGE_MS: u64 = BACK_MS + 300_000;

/// By then every report that was under way has failed, and its pause is over: joins are answered as usual.
pub const SETTLED_MS: u64 = BACK_MS + 10_000;

/// A region is lost when many are inside and many join.
pub const LOST_MS: u64 = 240_000;

/// The organizer has seen that it does not come back, and says so in the configuration, this much later.
pub const GIVEN_UP_AFTER_MS: u64 = 60_000;

/// Then the rate was raised before.
const EARLY_RETUNE_MS: u64 = 60_000;

/// Nobody is let in at the end, so that it can be counted who is inside.
pub const COUNT_MS: u64 = END_MS - 20_000;

impl Plan {
    /// A region is lost for good then.
    pub fn lost_at_ms(&self) -> Option<u64> {
        (self.mishap == Mishap::RegionLost).then_some(LOST_MS)
    }

    /// Whether nothing reaches anything between [`OUTAGE_MS`] and [`BACK_MS`].
    pub const fn has_outage(&self) -> bool {
        matches!(self.mishap, Mishap::Outage)
    }

    /// When the run ends.
    pub const fn end_ms(&self) -> u64 {
        match self.mishap {
            Mishap::Outage => AFTER_OUTAGE_MS,
            Mishap::None | Mishap::RegionLost | Mishap::Surge => END_MS,
        }
    }

    /// As many as the event is planned for.
    pub const fn expected_visitors(&self) -> u32 {
        match self.mishap {
            Mishap::Surge => self.visitors.div_ceil(SURGE),
            Mishap::None | Mishap::RegionLost | Mishap::Outage => self.visitors,
        }
    }

    /// When the first join begins. Before, edges have read their first boards, unless it comes from cold.
    pub const fn first_join_ms(&self) -> u64 {
        match self.mishap {
            Mishap::Surge => 1,
            Mishap::None | Mishap::RegionLost | Mishap::Outage => WARM_MS,
        }
    }

    /// Joins a second at the peak.
    pub fn peak_per_second(&self) -> u64 {
        (u64::from(self.visitors) / SECONDS_AT_PEAK).max(1)
    }

    /// What the operator does, and when.
    pub fn steps(&self) -> Vec<(u64, Action)> {
        let rate = Action::Retune {
            max_active: None,
            per_minute: Some(Change::To(self.per_minute())),
            batch: None,
        };
        let pause = |until_ms: u64| Action::Pause {
            reason: "one moment".to_owned(),
            next_update_at: Some(START.plus(Millis(until_ms))),
        };
        match self.mishap {
            Mishap::None | Mishap::Outage | Mishap::Surge => vec![
                (RETUNE_MS, rate),
                (PAUSE_MS, pause(RESUME_MS)),
                (RESUME_MS, Action::Resume),
            ],
            Mishap::RegionLost => vec![(EARLY_RETUNE_MS, rate), (COUNT_MS, pause(2 * END_MS))],
        }
    }

    /// Entry numbers that are given out at most: whoever is not answered by a region that is lost joins again.
    pub fn most_numbers(&self) -> u32 {
        match self.lost_at_ms() {
            Some(_) => self.visitors * 2,
            None => self.visitors,
        }
    }

    /// Isolates of the edge.
    pub fn isolates(&self) -> u32 {
        (self.visitors / VISITORS_OF_AN_ISOLATE).max(FEWEST_ISOLATES)
    }

    /// Admissions a minute from [`RETUNE_MS`] on: a million of fifty.
    pub fn per_minute(&self) -> u32 {
        (self.visitors / 50).max(60)
    }

    /// Joins of the millisecond that is so long after the first, × 1,000 × [`RAMP_MS`].
    pub fn joins_of(&self, since_ms: u64) -> u64 {
        let ramp = if self.mishap == Mishap::Surge {
            RAMP_MS
        } else {
            since_ms.min(RAMP_MS)
        };
        self.peak_per_second() * ramp
    }

    /// The configuration of the event: an open queue without a draw.
    pub fn settings(&self) -> Settings {
        Settings {
            mode: Mode::Always,
            prequeue_at: None,
            lines: vec![LineSettings {
                id: "general".to_owned(),
                weight: 1,
                opens_at: None,
            }],
            limits: Limits {
                max_active: Some(self.per_minute()),
                per_minute: Some(self.per_minute() / 100 + 1),
                batch: None,
            },
            hold: Millis::from_minutes(30),
            session: Millis::from_minutes(3),
            idle: Millis::from_minutes(1),
            pass: Millis::from_seconds(60),
            max_extension: Millis(0),
            expected_visitors: u64::from(self.expected_visitors()),
            draw: DrawSettings {
                grace: Millis::from_seconds(60),
                beacon: false,
                beacon_wait: Millis::from_minutes(10),
            },
            keep: Millis::from_minutes(30 * 24 * 60),
        }
    }
}
