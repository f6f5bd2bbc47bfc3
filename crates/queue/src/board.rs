//! The board: the small public snapshot of a queue. The coordinator makes it, shards pass it on,
//! edges show it. It is a whole value with a version; the highest version wins.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::draw::Hash;
use crate::settings::{Limits, Mode};
use crate::shard::command::Refused;
use crate::units::{EntryNumber, LineIndex, Millis, Rank, ShardIndex, UnixMillis};

/// Shards named on a board: it says them in 1.5 kB, and they take 256,000 joins a second as planned, which is two and a half
/// times the most that an event of fifty million is laid out for.
pub const MOST_OPEN: u16 = 512;

/// On a board of this age nobody knows how many come now: a joining crowd is measured within a second.
pub const OUTDATED: Millis = Millis(10_000);

/// Where a line stands in the life of its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Joins are not taken yet.
    Before,
    /// Joins are taken, nobody is called yet.
    Prequeue,
    /// The draw is under way.
    Drawing,
    /// Visitors are called and granted.
    Open,
    /// Joins are taken, nobody is called or granted; sessions go on.
    Paused,
    /// Nothing is left: no joins, no calls, no grants.
    Soldout,
    /// The sale is over: no joins, no calls, no grants.
    Closed,
}

/// Why a line is paused, in the operator's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Why, shown to visitors; may be empty.
    pub reason: String,
    /// When the operator will say more.
    pub next_update_at: Option<UnixMillis>,
}

impl Pause {
    /// The reason of the room's own pause. No operator's looks like it: those say when there is more news.
    pub const ORIGIN: &str = "origin";

    /// The room's own pause, while the shop does not answer: it ends by itself.
    pub fn for_origin() -> Self {
        Self {
            reason: Self::ORIGIN.to_owned(),
            next_update_at: None,
        }
    }

    /// Whether the room paused by itself, since the shop does not answer.
    pub fn is_for_origin(&self) -> bool {
        self.reason == Self::ORIGIN && self.next_update_at.is_none()
    }
}

/// Up to which rank turns were offered, and how long those offers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Ranks below this one were offered their turn by then.
    pub below: Rank,
    /// The earliest instant at which an offer of this group lapses, if the hold goes on running.
    pub stands_until: UnixMillis,
}

/// How fast a line is moving, measured; in calls a minute × 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advance {
    /// What the last minutes showed.
    pub likely_milli_per_minute: u64,
    /// The slowest that should be expected: the basis of "at most".
    pub least_milli_per_minute: u64,
}

/// An opening that the operator has moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// When it was to be before, by the configuration.
    pub from: UnixMillis,
    /// Why, in the operator's words.
    pub reason: String,
}

/// The first step of a draw: who is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    /// How many are in the draw: entry numbers below this one.
    pub entrants: u64,
    /// The event log's hash at that moment.
    pub root: Hash,
    /// When this was fixed.
    pub at: UnixMillis,
    /// When the line opened: who arrived before could take part.
    pub opened: UnixMillis,
    /// The drand round that will take part; `None` without a beacon.
    pub round: Option<u64>,
}

/// The second step of a draw: what the order is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// The secret whose hash was published when the run was created.
    pub secret: Hash,
    /// The signature of the round that [`Fixed`] names; `None` when it did not come, or none was named.
    pub beacon: Option<Vec<u8>>,
    /// What the ranks follow from.
    pub seed: Hash,
}

/// The draw of a line, as far as it is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawBoard {
    /// The hash of the secret.
    pub commitment: Hash,
    /// Who is in it, once that is fixed.
    pub fixed: Option<Fixed>,
    /// What the order is made of, once that is published.
    pub drawn: Option<Drawn>,
}

/// How much the origin has left to sell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stock {
    /// How many.
    pub left: u64,
    /// When the origin knew it, on its clock; the latest wins.
    pub at: UnixMillis,
}

impl Stock {
    /// The most that can be said, 13 digits. It says that nobody knows of an end: an operator takes a stock back by it, in
    /// words that every version reads.
    pub const UNKNOWN: u64 = 9_999_999_999_999;
}

/// One line on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineBoard {
    /// The line's public name.
    pub id: String,
    /// Where it stands.
    pub phase: Phase,
    /// When it opens, until it is open.
    pub opens_at: Option<UnixMillis>,
    /// The opening was moved, until it is open.
    pub moved: Option<Moved>,
    /// Ranks below this one have been offered their turn.
    pub called: Rank,
    /// Ranks below this one were offered their turn longer ago than the hold.
    pub lapsed: Rank,
    /// How many entry numbers have been given out.
    pub entries: EntryNumber,
    /// How fast `called` moves; `None` while it is being measured.
    pub advance: Option<Advance>,
    /// The last offers, in order of rank, at most [`MAX_OFFERS`](crate::limits::MAX_OFFERS).
    pub offers: Vec<Offer>,
    /// Its draw; `None`: first come, first served from the start.
    pub draw: Option<DrawBoard>,
}

/// The public snapshot of a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// Grows with every change.
    pub version: u64,
    /// How the gate treats a visitor without a pass, after live changes.
    pub mode: Mode,
    /// The brake for everybody: also admitted visitors get the page.
    pub stop: bool,
    /// Why and until when the queue is paused or stopped.
    pub pause: Option<Pause>,
    /// The operator's message to everybody.
    pub message: Option<String>,
    /// The limits in force.
    pub limits: Limits,
    /// Counts the changes that may make a wait longer (pause, stop, nothing left, a line that ends, a
    /// lowered limit).
    pub slowdowns: u32,
    /// A first visit may be admitted in one step: there is room and nobody waits.
    pub room: bool,
    /// The shards that take joins now, at least one.
    pub open_shards: Vec<ShardIndex>,
    /// How many shards the run has.
    pub shards: u16,
    /// How many shards keep the records of member keys and codes: fixed for the run.
    pub homes: u16,
    /// What the origin has left, if anybody said.
    pub stock: Option<Stock>,
    /// When the operator ended the run (sold out, closed).
    pub ended_at: Option<UnixMillis>,
    /// The lines, in the order of the configuration.
    pub lines: Vec<LineBoard>,
}

impl LineBoard {
    /// How many have a number and were not called.
    pub fn waiting(&self) -> u64 {
        self.entries.0.saturating_sub(self.called.0)
    }
}

impl Board {
    /// What is left to sell; `None`: nobody said, or it was taken back.
    pub fn stock_left(&self) -> Option<u64> {
        let left = self.stock.map(|stock| stock.left);
        left.filter(|left| *left < Stock::UNKNOWN)
    }

    /// How many have a number and were not called, in all lines.
    pub fn waiting(&self) -> u64 {
        self.lines.iter().map(LineBoard::waiting).sum()
    }

    /// The shards at one of which a new place is made, by a board of this age: those that take joins. After an outage of
    /// seconds many may come at once that nobody has measured: then any of the run's shards, with room or without.
    pub fn homes(&self, age: Millis) -> Cow<'_, [ShardIndex]> {
        match age > OUTDATED {
            true => (0..self.shards.min(MOST_OPEN)).map(ShardIndex).collect(),
            false => Cow::Borrowed(&self.open_shards),
        }
    }

    /// Whether this board says something that everybody has to hear at once, to whom `known` is the last one: a brake, its
    /// end, or the end of a line.
    pub fn cannot_wait(&self, known: &Board) -> bool {
        let phases =
            |board: &Board| -> Vec<Phase> { board.lines.iter().map(|line| line.phase).collect() };
        self.stop != known.stop || self.mode != known.mode || phases(self) != phases(known)
    }

    /// Why a line makes no new place now; `None`: it makes some, or there is no such line. How old a board may be to
    /// refuse anybody is the caller's question.
    pub fn refuses_joins(&self, line: LineIndex) -> Option<Refused> {
        if self.mode == Mode::Closed {
            return Some(Refused::Closed);
        }
        match self.lines.get(usize::from(line.0))?.phase {
            Phase::Before => Some(Refused::NotYet),
            Phase::Soldout => Some(Refused::SoldOut),
            Phase::Closed => Some(Refused::Closed),
            Phase::Prequeue | Phase::Drawing | Phase::Open | Phase::Paused => None,
        }
    }
}
