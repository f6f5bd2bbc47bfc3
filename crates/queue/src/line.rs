//! The order within a line: how ranks follow from entry numbers.

use crate::board::LineBoard;
use crate::draw::Ranks;
use crate::units::{EntryNumber, Rank};

/// What is known of a line's order.
#[derive(Clone, Debug, Default)]
pub(crate) enum Order {
    /// The coordinator was not heard.
    #[default]
    Unknown,
    /// First come, first served.
    Arrival,
    /// The draw is under way; who is behind its entrants knows that already.
    Drawing {
        /// How many are in it, once that is fixed.
        entrants: Option<u64>,
    },
    /// Drawn.
    Drawn(Box<Ranks>),
}

impl Order {
    /// What the board says.
    pub(crate) fn of(line: &LineBoard) -> Self {
        let Some(draw) = &line.draw else {
            return Order::Arrival;
        };
        match (&draw.fixed, &draw.drawn) {
            (Some(fixed), Some(drawn)) => {
                Order::Drawn(Box::new(Ranks::new(drawn.seed, fixed.entrants)))
            }
            (fixed, _) => Order::Drawing {
                entrants: fixed.as_ref().map(|fixed| fixed.entrants),
            },
        }
    }

    /// The rank of an entry number, once it is known.
    pub(crate) fn rank(&self, entry: EntryNumber) -> Option<Rank> {
        match self {
            Order::Unknown | Order::Drawing { entrants: None } => None,
            Order::Arrival => Some(Rank(entry.0)),
            Order::Drawing {
                entrants: Some(entrants),
            } => (entry.0 >= *entrants).then_some(Rank(entry.0)),
            Order::Drawn(ranks) => Some(ranks.rank(entry)),
        }
    }

    /// Whether any entry number has a rank already.
    pub(crate) fn knows_ranks(&self) -> bool {
        !matches!(self, Order::Unknown | Order::Drawing { entrants: None })
    }

    /// How many took part in the draw, once that is fixed.
    pub(crate) fn entrants(&self) -> Option<u64> {
        match self {
            Order::Drawing { entrants } => *entrants,
            Order::Drawn(ranks) => Some(ranks.entrants()),
            Order::Unknown | Order::Arrival => None,
        }
    }
}

/// The rank of an entry number as the board has it; `None` while its draw is not decided.
pub fn rank_of(entry: EntryNumber, line: &LineBoard) -> Option<Rank> {
    Order::of(line).rank(entry)
}
