//! Where a visitor stands, worked out at the edge from a verified ticket and the board alone: about a visitor who only
//! waits, nobody is asked.

use anteroom_queue::board::{Board, LineBoard, Phase};
use anteroom_queue::line::rank_of;
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::{PlaceView, VisitorState};
use anteroom_queue::units::{EntryNumber, UnixMillis};
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
    /// In the shop, and to be checked before going on.
    Recheck,
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
            Stand::Recheck => "recheck",
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
    /// While pending or provisional: when to ask again, if that is later than usual.
    pub ask_again: Option<UnixMillis>,
    /// While admitted: when the session ends; afterwards, when it ended.
    pub session_ends: Option<UnixMillis>,
    /// While called: the offer may be made to stand longer, once.
    pub may_defer: bool,
    /// The visitor came before the opening and could not be heard in time for the draw.
    pub missed_draw: bool,
}

impl Standing {
    /// Of somebody without a place.
    pub const NONE: Standing = Standing {
        stand: Stand::None,
        line: 0,
        entry: None,
        rank: None,
        offer_until: None,
        ask_again: None,
        session_ends: None,
        may_defer: false,
        missed_draw: false,
    };

    /// As its home tells it.
    pub fn of_place(place: &PlaceView) -> Self {
        let waits = matches!(
            place.state,
            VisitorState::Pending | VisitorState::Provisional
        );
        Standing {
            stand: place.state.into(),
            line: place.line.0,
            entry: place.entry.map(|entry| entry.0),
            rank: place.rank.map(|rank| rank.0),
            offer_until: place.offer_until.filter(|_| !waits),
            ask_again: place.offer_until.filter(|_| waits),
            session_ends: place.session_ends,
            may_defer: place.may_defer,
            missed_draw: place.missed_draw,
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

/// Reads a verified ticket against the board. Without a board the last numbers stand: the visitor waits. A rank that the
/// ticket does not have yet follows from the board alone, once the line's draw is decided.
pub fn from_ticket(ticket: &Ticket, board: Option<&Board>) -> FromTicket {
    let line = board.and_then(|board| board.lines.get(usize::from(ticket.line)));
    let called = line.map_or(0, |line| line.called.0);
    let rank = ticket.rank.or_else(|| drawn_rank(ticket, line?));
    let (stand, ask_home) = match (ticket.entry, rank) {
        (None, _) => (Stand::Provisional, true),
        (Some(_), Some(rank)) if rank < called => (Stand::Called, true),
        (Some(_), _) => (Stand::Waiting, false),
    };
    // While a brake is on, the clock of offers stands.
    let runs =
        |line: &LineBoard| line.phase == Phase::Open && board.is_some_and(|board| !board.stop);
    let offer_until = match (stand, line, rank) {
        (Stand::Called, Some(line), Some(rank)) if runs(line) => line
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
        rank,
        offer_until,
        ask_again: None,
        session_ends: None,
        may_defer: false,
        missed_draw: line.is_some_and(|line| missed_draw(ticket, line)),
    };
    FromTicket { standing, ask_home }
}

fn drawn_rank(ticket: &Ticket, line: &LineBoard) -> Option<u64> {
    rank_of(EntryNumber(ticket.entry?), line).map(|rank| rank.0)
}

/// Tickets know the second of the arrival: whoever came in the very second of the opening counts as late here.
fn missed_draw(ticket: &Ticket, line: &LineBoard) -> bool {
    let fixed = line.draw.as_ref().and_then(|draw| draw.fixed.as_ref());
    fixed.is_some_and(|fixed| {
        let behind = ticket.entry.is_some_and(|entry| entry >= fixed.entrants);
        behind && (ticket.arrived_at + 1) * 1_000 <= fixed.opened.0
    })
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
        Some(Phase::Open) | None => stand.name(),
        Some(phase) => phase_name(phase),
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
            // Without a draw a rank is the entry number.
            (Some(3), None, Stand::Called, true, Some(5_000)),
            (Some(100), None, Stand::Waiting, false, None),
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
    fn an_entrant_has_no_rank_before_the_draw_and_the_drawn_one_after_it_without_asking_anybody() {
        let entrant = Ticket {
            entry: Some(3),
            rank: None,
            ..samples::ticket()
        };
        let rank = |board: &Board| {
            let found = from_ticket(&entrant, Some(board));
            assert_eq!(
                (found.standing.stand, found.ask_home),
                (Stand::Waiting, false)
            );
            found.standing.rank
        };
        let mut board = samples::board(Phase::Prequeue);
        board.lines[0].draw = Some(samples::draw(None, false));
        assert_eq!(rank(&board), None);
        board.lines[0].draw = Some(samples::draw(Some(10), false));
        assert_eq!(rank(&board), None, "fixed, not drawn");
        board.lines[0].draw = Some(samples::draw(Some(3), false));
        assert_eq!(rank(&board), Some(3), "behind the entrants");
        board.lines[0].draw = Some(samples::draw(Some(10), true));
        let drawn = rank_of(EntryNumber(3), &board.lines[0]).map(|rank| rank.0);
        assert!(drawn.is_some());
        assert_eq!(rank(&board), drawn);
    }

    #[test]
    fn who_came_before_the_opening_and_stands_behind_the_entrants_has_missed_the_draw() {
        let mut board = samples::board(Phase::Open);
        board.lines[0].draw = Some(samples::draw(Some(10), true));
        for (entry, arrived_at, missed) in [
            (9, 999, false),
            (10, 999, true),
            (10, 1_000, false),
            (10, 1_001, false),
        ] {
            let ticket = Ticket {
                entry: Some(entry),
                rank: None,
                arrived_at,
                ..samples::ticket()
            };
            let standing = from_ticket(&ticket, Some(&board)).standing;
            assert_eq!(standing.missed_draw, missed, "{entry} {arrived_at}");
        }
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
            (Stand::None, Phase::Drawing, "drawing"),
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
