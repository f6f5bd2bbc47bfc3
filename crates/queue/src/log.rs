//! The event log: what happened, a line for each thing, chained by hashes so that nothing can be
//! changed, left out or put in afterwards without changing every later line.
//!
//! A line is one JSON object: `n` (from 1, without gaps), `at` (Unix milliseconds on the
//! coordinator's clock), `kind`, the members of the kind, and `hash`:
//!
//! ```text
//! hash_0 = SHA-256("anteroom/log/v1", event id, run as 4 bytes)    each preceded by its length (4 bytes, big-endian)
//! hash_n = SHA-256(hash_(n-1) ‖ the line's bytes before `,"hash":"…"}`)
//! ```
//!
//! What is hashed is the text as it was published: a reader needs no canonical form, only the
//! bytes. The log names shards and lines, never a visitor, an address or a key.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::draw::{Fields, Hash, hex};
use crate::units::{EntryNumber, Rank, ShardIndex, UnixMillis};

/// What is hashed first: format and version of the log.
const LABEL: &str = "anteroom/log/v1";
/// What stands between the line's members and its hash.
const HASH_MEMBER: &str = ",\"hash\":\"";
/// Bytes of a line's end: the member's name, 64 digits, the closing quote and brace.
const END_BYTES: usize = HASH_MEMBER.len() + 64 + 2;

/// A line of the queue as the run began with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunLine {
    /// The line's id.
    pub id: String,
    /// The commitment to the secret of its draw; none: no draw.
    #[serde(with = "hex::optional")]
    pub commitment: Option<Hash>,
}

/// What happened. The members are written in this order. `line` is always the line's id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// The run began.
    Begin {
        /// The event's id.
        event: String,
        /// The run.
        run: u32,
        /// Its lines, in the order of their indices.
        lines: Vec<BegunLine>,
    },
    /// A line that had none got a draw.
    Line {
        /// Which line.
        line: String,
        /// The commitment to the secret of its draw.
        #[serde(with = "hex")]
        commitment: Hash,
    },
    /// Consecutive entry numbers were given to consecutive joins of a shard.
    Cut {
        /// Which line.
        line: String,
        /// Whose joins: a shard's, or from 50 on those of a relay ([`Node::of_child`](crate::tree::Node::of_child)).
        shard: ShardIndex,
        /// The first of them, counted over the shard's joins of the line from 0.
        first_join: u64,
        /// How many.
        count: u64,
        /// The entry number of the first.
        first_entry: EntryNumber,
        /// How many joins of the line the shard had taken when it reported these.
        joined: u64,
        /// The chain over the permits of those joins: commits the shard to who they were.
        #[serde(with = "hex")]
        chain: Hash,
    },
    /// Turns were offered to the ranks below `called`.
    Call {
        /// Which line.
        line: String,
        /// The watermark; it only grows.
        called: Rank,
    },
    /// Claims of called visitors were granted.
    Grant {
        /// Which line.
        line: String,
        /// Whose visitors, as in a cut.
        shard: ShardIndex,
        /// How many.
        count: u64,
        /// All grants of the line so far, these included.
        granted: u64,
    },
    /// First visits were admitted in one step, without waiting, since nobody waited.
    Admit {
        /// Which line.
        line: String,
        /// Whose visitors, as in a cut.
        shard: ShardIndex,
        /// How many.
        count: u64,
    },
    /// The number of entrants of a draw was fixed.
    Fixed {
        /// Which line.
        line: String,
        /// How many are in the draw: the entry numbers below this one.
        entrants: u64,
        /// The hash of the log's line before this one.
        #[serde(with = "hex")]
        root: Hash,
        /// The beacon's round that will be used; none: a draw without a beacon.
        round: Option<u64>,
    },
    /// A draw was decided.
    Drawn {
        /// Which line.
        line: String,
        /// What the commitment was made of.
        #[serde(with = "hex")]
        secret: Hash,
        /// The signature of the beacon's round; none: without a beacon, or it did not come.
        #[serde(with = "hex::optional")]
        beacon: Option<Vec<u8>>,
        /// The seed of the permutation.
        #[serde(with = "hex")]
        seed: Hash,
    },
    /// An operator did something.
    Operator {
        /// The operator's name.
        by: String,
        /// What: the action's name with its members.
        action: serde_json::Value,
    },
    /// The origin said how much is left; an operator's word is an `operator` line.
    Stock {
        /// How much.
        left: u64,
        /// When, on the clock of who said it.
        at_origin: UnixMillis,
    },
    /// What edges let through beside the queue, as totals of the run.
    Edges {
        /// Requests on bypassed paths or while the queue was off.
        bypassed: u64,
        /// Requests with a staff pass.
        staff: u64,
    },
}

/// A line of the log without its hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// Its number, from 1.
    pub n: u64,
    /// When, on the coordinator's clock.
    pub at: UnixMillis,
    /// What.
    #[serde(flatten)]
    pub record: Record,
}

/// The end of a log: enough to go on writing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// The hash of the last line: the root that a draw takes when it fixes its entrants.
    pub head: Hash,
    /// The number of the next line.
    pub next: u64,
}

impl Log {
    /// An empty log of a run.
    pub fn begin(event: &str, run: u32) -> Self {
        Self {
            head: empty_head(event, run),
            next: 1,
        }
    }

    /// Adds a line and gives its text, without a line feed.
    pub fn append(&mut self, at: UnixMillis, record: &Record) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            n: u64,
            at: UnixMillis,
            #[serde(flatten)]
            record: &'a Record,
        }
        let line = Line {
            n: self.next,
            at,
            record,
        };
        let mut text = serde_json::to_string(&line).expect("a record is plain data");
        text.pop();
        self.head = link(&self.head, &text);
        self.next += 1;
        text.push_str(HASH_MEMBER);
        text.push_str(&hex::text(&self.head));
        text.push_str("\"}");
        text
    }
}

/// The head of a log without lines.
pub fn empty_head(event: &str, run: u32) -> Hash {
    let mut fields = Fields::labelled(LABEL);
    fields.add(event.as_bytes());
    fields.add(&run.to_be_bytes());
    fields.hash()
}

/// Why a text is not the next line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// It does not end with `,"hash":"<64 lower-case hexadecimal digits>"}`.
    NoHash,
    /// Its hash is another: this line, or one before it, was changed, left out or put in.
    OtherHash,
}

/// The head after `text`, when that is what follows `head`.
pub fn verify_line(head: &Hash, text: &str) -> Result<Hash, LineFault> {
    let (hashed, end) = text
        .len()
        .checked_sub(END_BYTES)
        .and_then(|at| text.split_at_checked(at))
        .ok_or(LineFault::NoHash)?;
    let stated = end
        .strip_prefix(HASH_MEMBER)
        .and_then(|rest| rest.strip_suffix("\"}"))
        .and_then(hex::hash)
        .ok_or(LineFault::NoHash)?;
    let computed = link(head, hashed);
    if computed == stated {
        Ok(computed)
    } else {
        Err(LineFault::OtherHash)
    }
}

fn link(head: &Hash, hashed: &str) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(head);
    hasher.update(hashed);
    hasher.finalize().into()
}

#[cfg(test)]
mod tests;
