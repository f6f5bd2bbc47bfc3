//! What an organizer decides about a queue, already parsed and checked: the core's view of an
//! event's configuration.

use serde::{Deserialize, Serialize};

use crate::limits::{MAX_SHARDS, PLANNED_PLACES};
use crate::units::{Millis, UnixMillis};

/// How the gate treats a visitor without a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nobody waits while there is room; otherwise the queue.
    Auto,
    /// Everybody joins the queue.
    Always,
    /// As `Auto`, but a short refusal instead of a queue.
    Rate,
    /// Everything passes, logged.
    Off,
    /// Nothing passes.
    Closed,
}

/// `size` admissions at the start of every period of `every`; what is not used is not carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Admissions in one period, at least 1.
    pub size: u32,
    /// Length of a period.
    pub every: Millis,
}

/// The limits on admissions. Each is optional; all that are set hold at once, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Sessions at the same time.
    pub max_active: Option<u32>,
    /// Admissions a minute: in any window at most rate × window plus one second of the rate (at least 1).
    pub per_minute: Option<u32>,
    /// Admissions in batches.
    pub batch: Option<Batch>,
}

/// One priority class of a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSettings {
    /// Its public name, for example `general`.
    pub id: String,
    /// Its share of the grants relative to the other lines' (deficit round robin), at least 1.
    pub weight: u32,
    /// When the line starts to call; `None`: at once.
    pub opens_at: Option<UnixMillis>,
}

/// How a draw is made: when it stops waiting, and whether a public beacon takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawSettings {
    /// How long after the opening the draw waits for shards that were not heard.
    pub grace: Millis,
    /// Whether a drand round takes part, so that nobody can have chosen the outcome.
    pub beacon: bool,
    /// How long the draw waits for that round before it goes on without.
    pub beacon_wait: Millis,
}

/// Everything that the coordinator and the shards need to know of an event's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// How the gate treats a visitor without a pass.
    pub mode: Mode,
    /// When joins are first taken; `None`: at once.
    pub prequeue_at: Option<UnixMillis>,
    /// The lines, one or more (at most [`MAX_LINES`](crate::limits::MAX_LINES)).
    pub lines: Vec<LineSettings>,
    /// The limits on admissions.
    pub limits: Limits,
    /// How long a turn stands; zero: until the end.
    pub hold: Millis,
    /// How long an admitted visitor may stay.
    pub session: Millis,
    /// A session ends after this long without a request.
    pub idle: Millis,
    /// How long a pass lives.
    pub pass: Millis,
    /// By how much the origin may extend a session in all.
    pub max_extension: Millis,
    /// How many visitors are planned for: sizes the number of shards.
    pub expected_visitors: u64,
    /// How the draws of the lines are made.
    pub draw: DrawSettings,
    /// How long everything of a run is kept after its end.
    pub keep: Millis,
}

impl Settings {
    /// As many shards as the expected visitors need.
    pub fn planned_shards(&self) -> u16 {
        planned_shards(self.expected_visitors)
    }

    /// The longest that a session may last.
    pub(crate) fn longest_session(&self) -> Millis {
        Millis(self.session.0 + self.max_extension.0)
    }

    /// How the lines of this configuration differ from those of a run that goes by `run`; `None`: they
    /// are the same ones in the same order. They are fixed for a run, since stored places and counters
    /// name them by their position: a configuration with other lines is ignored as a whole.
    pub fn other_lines(&self, run: &Settings) -> Option<OtherLines> {
        let (configured, run) = (self.line_ids(), run.line_ids());
        (configured != run).then_some(OtherLines { configured, run })
    }

    fn line_ids(&self) -> Vec<String> {
        self.lines.iter().map(|line| line.id.clone()).collect()
    }
}

/// A configuration has other lines than the run. As text it says so, for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherLines {
    /// The lines of the configuration, by name.
    pub configured: Vec<String>,
    /// The lines of the run.
    pub run: Vec<String>,
}

impl core::fmt::Display for OtherLines {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            out,
            "lines: {} configured, the run has {}; the whole configuration is ignored, \
             a new run may have other lines",
            self.configured.join(", "),
            self.run.join(", ")
        )
    }
}

/// As many shards as so many visitors need.
pub(crate) fn planned_shards(expected: u64) -> u16 {
    expected
        .div_ceil(PLANNED_PLACES)
        .clamp(1, u64::from(MAX_SHARDS)) as u16
}
