//! How unreliable a world is: every kind of fault with a rate of its own, so that they combine.

use super::MINUTE_MS;

/// How unreliable the world is. Nothing fails by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Messages lost, in a million.
    pub lost_ppm: u32,
    /// Answers lost after what they tell of was stored, in a million, besides.
    pub reply_lost_ppm: u32,
    /// Messages that arrive twice, in a million.
    pub twice_ppm: u32,
    /// Messages that take much longer than others, and so overtake or are overtaken.
    pub slow_ppm: u32,
    /// Messages that take seconds.
    pub late_ppm: u32,
    /// Messages that take longer than most of the run, or than all of it.
    pub stray_ppm: u32,
    /// Requests that the platform refuses at once, since the object is overloaded.
    pub overloaded_ppm: u32,
    /// Writes that take a second or more.
    pub slow_write_ppm: u32,
    /// Writes that fail and are not stored.
    pub write_fails_ppm: u32,
    /// Writes that are stored and reported as failed.
    pub write_lies_ppm: u32,
    /// Mean time between two losses of some object's memory; zero: none.
    pub crash_every_ms: u64,
    /// Objects that lose their memory right after a step, before anything is written.
    pub crash_ppm: u32,
    /// Objects that lose their memory after a write, when nobody waits for them.
    pub evict_ppm: u32,
    /// Mean time between two moments at which some object has two instances; zero: none.
    pub twin_every_ms: u64,
    /// Mean time between two outages of one shard's way to its coordinator or edges; zero: none.
    pub outage_every_ms: u64,
    /// Mean length of an outage.
    pub outage_ms: u64,
    /// Outages are of any length up to this instead, short ones more often; zero: as above.
    pub longest_outage_ms: u64,
    /// Mean time between two cuts of a whole region; zero: none.
    pub region_every_ms: u64,
    /// How far an object's clock may be off, and jump.
    pub clock_ms: u64,
    /// Mean time between two steps of some object's clock; zero: none.
    pub clock_step_every_ms: u64,
    /// Whether such a step may lead an hour ahead.
    pub clock_leaps: bool,
    /// What becomes of alarms.
    pub alarms: Alarms,
    /// Mean time between two configurations that are pushed; zero: none.
    pub configure_every_ms: u64,
}

impl Faults {
    /// By how much clocks may differ from the world's at most, leaps aside.
    pub const fn clock_error_ms(&self) -> u64 {
        let steps = if self.clock_step_every_ms > 0 {
            LONGEST_STEP_BACK_MS
        } else {
            0
        };
        self.clock_ms + steps
    }
}

/// How far a clock steps back at most: the error up to which limits hold.
pub const LONGEST_STEP_BACK_MS: u64 = 5_000;

/// How far a clock leaps ahead.
pub const LEAP_MS: u64 = 60 * MINUTE_MS;

/// What becomes of alarms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alarms {
    /// They come when they should.
    #[default]
    InTime,
    /// Those of the coordinator come so much later.
    Late(u64),
    /// Those of the coordinator come, and once more a little later.
    Twice,
    /// Those of the coordinator never come.
    Lost,
    /// The handlers of all objects fail as often as the platform calls them, and the alarm is gone.
    Fail,
    /// Each alarm of any object has a fate of its own, this many in a million another one than to come in time.
    Mixed(u32),
}
