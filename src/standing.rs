//! Where a visitor stands, worked out at the edge from a verified ticket and the board alone: about a visitor who only
//! waits, nobody is asked.

use anteroom_queue::board::{Board, LineBoard, Phase};
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::{PlaceView, VisitorState};
use anteroom_queue::units::UnixMillis;
use anteroom_token::Ticket;

/// A visitor's state, apart from the phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// Without a place.
    None,
    /// With a place that has no number yet.
    Provisional,
    /// In the line.
    Waiting,
    /// Offered the turn.
    Called,
    /// Claimed, not granted yet.
    Pending,
    /// In the shop.
    Admitted,
    /// The session is over.
    Ended,
    /// The offer was not taken in time.
    Lapsed,
    /// Left the queue.
    Left,
    /// In the shop in another browser.
    Elsewhere,
}

impl Stand {
    /// The word for it in headers and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Stand::None => "none",
            Stand::Provisional => "provisional",
            Stand::Waiting => "waiting",
            Stand::Called => "called",
            Stand::Pending => "pending",
            Stand::Admitted => "admitted",
            Stand::Ended => "ended",
            Stand::Lapsed => "lapsed",
            Stand::Left => "left",
            Stand::Elsewhere => "elsewhere",
        }
    }

    /// The place can still lead into the shop.
    pub const fn is_live(self) -> bool {
        !matches!(
            self,
            Stand::None | Stand::Ended | Stand::Lapsed | Stand::Left
        )
    }
}

impl From<VisitorState> for Stand {
    fn from(state: VisitorState) -> Self {
        match state {
            VisitorState::Provisional => Stand::Provisional,
            VisitorState::Waiting => Stand::Waiting,
            VisitorState::Called => Stand::Called,
            VisitorState::Pending => Stand::Pending,
            VisitorState::Admitted => Stand::Admitted,
            VisitorState::Ended => Stand::Ended,
            VisitorState::Lapsed => Stand::Lapsed,
            VisitorState::Left => Stand::Left,
            VisitorState::Elsewhere => Stand::Elsewhere,
        }
    }
}

/// Where one visitor stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The state.
    pub stand: Stand,
    /// The line, by its position in the configuration.
    pub line: u8,
    /// The entry number, once there is one.
    pub entry: Option<u64>,
    /// The rank, once it is fixed.
    pub rank: Option<u64>,
    /// While called: until when the offer stands.
    pub offer_until: Option<UnixMillis>,
    /// While admitted: when the session ends; afterwards, when it ended.
    pub session_ends: Option<UnixMillis>,
}

impl Standing {
    /// Of somebody without a place.
    pub const NONE: Standing = Standing {
        stand: Stand::None,
        line: 0,
        entry: None,
        rank: None,
        offer_until: None,
        session_ends: None,
    };

    /// As its home tells it.
    pub fn of_place(place: &PlaceView) -> Self {
        Standing {
            stand: place.state.into(),
            line: place.line.0,
            entry: place.entry.map(|entry| entry.0),
            rank: place.rank.map(|rank| rank.0),
            offer_until: place.offer_until,
            session_ends: place.session_ends,
        }
    }

    /// How many are ahead; `None` without a rank. Zero once called.
    pub fn ahead(&self, line: Option<&LineBoard>) -> Option<u64> {
        Some(self.rank?.saturating_sub(line?.called.0))
    }
}

/// What the edge can say by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FromTicket {
    /// Where the visitor stands, as far as ticket and board tell.
    pub standing: Standing,
    /// Only the home knows better: the place has no number yet, or was called, and so may be claimed, granted, lapsed or
    /// over. Without the home's answer, what stands here is shown: it never says that a place is lost.
    pub ask_home: bool,
}

/// Reads a verified ticket against the board. Without a board the last numbers stand: the visitor waits.
pub fn from_ticket(ticket: &Ticket, board: Option<&Board>) -> FromTicket {
    let line = board.and_then(|board| board.lines.get(usize::from(ticket.line)));
    let called = line.map_or(0, |line| line.called.0);
    let (stand, ask_home) = match (ticket.entry, ticket.rank) {
        (None, _) => (Stand::Provisional, true),
        (Some(_), Some(rank)) if rank < called => (Stand::Called, true),
        (Some(_), Some(_)) => (Stand::Waiting, false),
        // Numbered before the draw: the home tells the rank once the line calls.
        (Some(_), None) => (Stand::Waiting, called > 0),
    };
    let offer_until = match (stand, line, ticket.rank) {
        (Stand::Called, Some(line), Some(rank)) => line
            .offers
            .iter()
            .find(|offer| rank < offer.below.0)
            .map(|offer| offer.stands_until),
        _ => None,
    };
    let standing = Standing {
        stand,
        line: ticket.line,
        entry: ticket.entry,
        rank: ticket.rank,
        offer_until,
        session_ends: None,
    };
    FromTicket { standing, ask_home }
}

/// The `Waiting-Room-State`: the visitor's own state, or that of the queue for somebody who has none, and for everybody
/// who would be in the shop if it were not for the brake.
pub fn room_state(stand: Stand, board: Option<&Board>, line: u8) -> &'static str {
    if !matches!(stand, Stand::None | Stand::Admitted) {
        return stand.name();
    }
    let Some(board) = board else {
        return stand.name();
    };
    if board.stop {
        return "stopped";
    }
    if board.mode == Mode::Closed {
        return "closed";
    }
    match board.lines.get(usize::from(line)).map(|line| line.phase) {
        _ if stand == Stand::Admitted => stand.name(),
        Some(phase) => phase_state(phase),
        None => stand.name(),
    }
}

fn phase_state(phase: Phase) -> &'static str {
    match phase {
        Phase::Before => "before",
        Phase::Prequeue | Phase::Drawing => "prequeue",
        Phase::Open => "none",
        Phase::Paused => "paused",
        Phase::Soldout => "soldout",
        Phase::Closed => "closed",
    }
}

/// The word for a phase in documents.
pub const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Before => "before",
        Phase::Prequeue => "prequeue",
        Phase::Drawing => "drawing",
        Phase::Open => "open",
        Phase::Paused => "paused",
        Phase::Soldout => "soldout",
        Phase::Closed => "closed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use anteroom_queue::board::Offer;
    use anteroom_queue::units::Rank;

    #[test]
    fn a_ticket_and_the_board_tell_where_a_visitor_stands() {
        let mut board = samples::board(Phase::Open);
        board.lines[0].called = Rank(100);
        board.lines[0].lapsed = Rank(20);
        board.lines[0].offers = vec![
            Offer {
                below: Rank(50),
                stands_until: UnixMillis(5_000),
            },
            Offer {
                below: Rank(100),
                stands_until: UnixMillis(9_000),
            },
        ];
        let rows = [
            (None, None, Stand::Provisional, true, None),
            (Some(100), Some(100), Stand::Waiting, false, None),
            (Some(99), Some(99), Stand::Called, true, Some(9_000)),
            (Some(49), Some(49), Stand::Called, true, Some(5_000)),
            // Below the lapsed mark only the home may say lapsed.
            (Some(3), Some(3), Stand::Called, true, Some(5_000)),
            (Some(3), None, Stand::Waiting, true, None),
        ];
        for (entry, rank, stand, ask_home, offer) in rows {
            let ticket = Ticket {
                entry,
                rank,
                ..samples::ticket()
            };
            let found = from_ticket(&ticket, Some(&board));
            assert_eq!(
                (found.standing.stand, found.ask_home),
                (stand, ask_home),
                "{entry:?} {rank:?}"
            );
            assert_eq!(
                found.standing.offer_until,
                offer.map(UnixMillis),
                "{entry:?} {rank:?}"
            );
        }
        let waiting = Ticket {
            entry: Some(130),
            rank: Some(130),
            ..samples::ticket()
        };
        let standing = from_ticket(&waiting, Some(&board)).standing;
        assert_eq!(standing.ahead(board.lines.first()), Some(30));
    }

    #[test]
    fn without_a_board_nobody_is_told_that_the_place_is_gone() {
        let found = from_ticket(&samples::ticket(), None);
        assert_eq!(
            (found.standing.stand, found.ask_home),
            (Stand::Waiting, false)
        );
    }

    #[test]
    fn the_state_of_the_room_is_the_visitors_own_or_the_queues() {
        let rows = [
            (Stand::None, Phase::Open, "none"),
            (Stand::None, Phase::Before, "before"),
            (Stand::None, Phase::Paused, "paused"),
            (Stand::None, Phase::Soldout, "soldout"),
            (Stand::None, Phase::Closed, "closed"),
            (Stand::Waiting, Phase::Paused, "waiting"),
            (Stand::Admitted, Phase::Paused, "admitted"),
        ];
        for (stand, phase, expected) in rows {
            assert_eq!(
                room_state(stand, Some(&samples::board(phase)), 0),
                expected,
                "{stand:?} {phase:?}"
            );
        }
        let mut stopped = samples::board(Phase::Open);
        stopped.stop = true;
        assert_eq!(room_state(Stand::Admitted, Some(&stopped), 0), "stopped");
        assert_eq!(room_state(Stand::Waiting, Some(&stopped), 0), "waiting");
        assert_eq!(room_state(Stand::None, None, 0), "none");
    }
}
