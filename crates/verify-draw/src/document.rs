//! The published draw: `/_wr/queues/{event}/draw` as JSON.

use anteroom_queue::draw::{ALGORITHM, Hash, SEED_LABEL, hex};
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::Findings;

/// Everything that is published about the draws of a queue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawDocument {
    /// The event's id.
    pub event: String,
    /// The event's run.
    pub run: u32,
    /// How ranks follow from a seed.
    pub algorithm: String,
    /// What is hashed first in a seed.
    pub label: String,
    /// The lines, in the order of their indices.
    pub lines: Vec<PublishedLine>,
}

/// A line of the queue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedLine {
    /// The line's id.
    pub id: String,
    /// Its draw; none: first come, first served.
    #[serde(deserialize_with = "required")]
    pub draw: Option<PublishedDraw>,
}

/// A line's draw, as far as it is public.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedDraw {
    /// `SHA-256(secret)`.
    #[serde(with = "hex")]
    pub commitment: Hash,
    /// How many are in the draw, once that is fixed.
    #[serde(deserialize_with = "required")]
    pub entrants: Option<u64>,
    /// The log's hash before that.
    #[serde(with = "hex::optional")]
    pub log_root: Option<Hash>,
    /// When that was, RFC 3339.
    #[serde(deserialize_with = "required")]
    pub fixed_at: Option<String>,
    /// The beacon, once it is fixed who is in the draw; none: a draw without.
    #[serde(deserialize_with = "required")]
    pub beacon: Option<PublishedBeacon>,
    /// What the commitment was made of, once the draw is decided.
    #[serde(with = "hex::optional")]
    pub secret: Option<Hash>,
    /// The seed of the permutation.
    #[serde(with = "hex::optional")]
    pub seed: Option<Hash>,
}

/// A draw's round of the beacon.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedBeacon {
    /// The chain's name.
    #[serde(with = "hex")]
    pub chain: Hash,
    /// The round that was named when the entrants were fixed.
    pub round: u64,
    /// The round's signature.
    #[serde(with = "hex::optional")]
    pub signature: Option<Vec<u8>>,
    /// `SHA-256(signature)`.
    #[serde(with = "hex::optional")]
    pub randomness: Option<Hash>,
    /// The round did not come in time; the draw was decided without.
    pub absent: bool,
}

/// A member that may be `null` but not left out.
fn required<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

impl DrawDocument {
    /// Reads the published text.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut json = serde_json::Deserializer::from_str(text);
        let document = serde_path_to_error::deserialize(&mut json)
            .map_err(|error| format!("{}: {}", error.path(), error.inner()))?;
        json.end()
            .map_err(|error| format!("after the document: {error}"))?;
        Ok(document)
    }

    /// What holds for the whole document.
    pub(crate) fn check_frame(&self, findings: &mut Findings) {
        findings.require(self.algorithm == ALGORITHM, "algorithm", || {
            format!("this program knows {ALGORITHM}, not {}", self.algorithm)
        });
        findings.require(self.label == SEED_LABEL, "label", || {
            format!("this program knows {SEED_LABEL}, not {}", self.label)
        });
        for (position, line) in self.lines.iter().enumerate() {
            let earlier = &self.lines[..position];
            findings.require(
                earlier.iter().all(|other| other.id != line.id),
                "lines",
                || format!("two lines are called {}", line.id),
            );
        }
    }
}

/// An instant as Unix milliseconds; none when it is not in the one form in which a room writes it: RFC 3339
/// in UTC, to the millisecond.
pub(crate) fn unix_millis(text: &str) -> Option<u64> {
    let instant = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let (hour, minute, second, millisecond) = instant.to_hms_milli();
    let written = format!(
        "{:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z",
        instant.year(),
        u8::from(instant.month()),
        instant.day()
    );
    u64::try_from(instant.unix_timestamp_nanos() / 1_000_000)
        .ok()
        .filter(|_| written == text)
}
