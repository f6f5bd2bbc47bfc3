//! What a home says about a place, as a ticket and a standing.

use anteroom_queue::shard::command::{PlaceView, Refused, ShardCommand, ShardReply, VisitorState};
use anteroom_queue::units::{Nonce, PlaceIndex, ShardIndex};
use anteroom_token::Ticket;

use crate::boards::InUse;
use crate::cookies::KEPT_SECONDS;
use crate::deployment::Room;
use crate::renewal;
use crate::rooms;
use crate::standing::{Stand, Standing, from_ticket};
use crate::visit::Visit;
use crate::visitor::Visitor;

/// A ticket older than this is signed anew: half of its life, so that no wait is longer than a ticket.
const RENEW_TICKET_AFTER_SECONDS: u64 = KEPT_SECONDS / 2;

/// The ticket of a place.
pub fn ticket_of(place: &PlaceView, home: u16, nonce: [u8; 16], now: u64) -> Ticket {
    let entry = place.entry.map(|entry| entry.0);
    Ticket {
        nonce,
        home,
        index: place.index.0,
        line: place.line.0,
        entry,
        rank: entry.and(place.rank).map(|rank| rank.0),
        arrived_at: renewal::seconds(place.arrived),
        issued_at: now,
        expires_at: now + KEPT_SECONDS,
    }
}

/// What was found out about a visitor's place.
pub struct Found {
    /// Where the visitor stands.
    pub standing: Standing,
    /// The ticket to give out in exchange for the one that came.
    pub exchange: Option<Ticket>,
    /// The home knows no such place: the ticket is worth nothing any more.
    pub unknown: bool,
}

impl Found {
    /// A standing that needs no other ticket.
    pub fn told(standing: Standing) -> Self {
        Found {
            standing,
            exchange: None,
            unknown: false,
        }
    }
}

/// Where the holder of `ticket` stands. The home is asked only when it alone knows; while it is away, the edge's own
/// view holds.
pub async fn find(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    ticket: &Ticket,
    board: Option<&InUse>,
) -> Found {
    let own = from_ticket(ticket, board.map(|in_use| &*in_use.board));
    match own.ask_home {
        true => at_home(visit, room, visitor, ticket, own.standing).await,
        false => by_the_edge(ticket, own.standing, visit.now_seconds()),
    }
}

/// As its home tells it, whatever ticket and board say: another browser may have left the place. While the home is away,
/// the edge's own view holds.
pub async fn find_at_home(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    ticket: &Ticket,
    board: Option<&InUse>,
) -> Found {
    let own = from_ticket(ticket, board.map(|in_use| &*in_use.board));
    at_home(visit, room, visitor, ticket, own.standing).await
}

async fn at_home(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    ticket: &Ticket,
    own: Standing,
) -> Found {
    let ask = ShardCommand::Ask {
        index: PlaceIndex(ticket.index),
        nonce: Nonce(ticket.nonce),
        claim: visitor.claim_id_for(ticket),
    };
    let home = ShardIndex(ticket.home);
    let now = visit.now_seconds();
    match rooms::command(&visit.env, room.event, home, ask, rooms::RENEWAL_LIMIT).await {
        // A home without a board does not know either.
        Ok(ShardReply::Pending { .. }) | Err(_) => by_the_edge(ticket, own, now),
        Ok(reply) => of_reply(ticket, reply, now),
    }
}

/// The edge's own view, with the rank that it has worked out in the ticket, so that this is done once.
fn by_the_edge(ticket: &Ticket, standing: Standing, now: u64) -> Found {
    let exchange = match (ticket.rank, standing.rank) {
        (None, Some(rank)) => Some(Ticket {
            rank: Some(rank),
            issued_at: now,
            expires_at: now + KEPT_SECONDS,
            ..ticket.clone()
        }),
        _ => kept_alive(ticket, now),
    };
    Found {
        standing,
        exchange,
        unknown: false,
    }
}

fn kept_alive(ticket: &Ticket, now: u64) -> Option<Ticket> {
    let old = now >= ticket.issued_at + RENEW_TICKET_AFTER_SECONDS;
    old.then(|| Ticket {
        issued_at: now,
        expires_at: now + KEPT_SECONDS,
        ..ticket.clone()
    })
}

/// Reads a home's answer about the place of `ticket`.
pub fn of_reply(ticket: &Ticket, reply: ShardReply, now: u64) -> Found {
    match place_in(&reply) {
        Some(place) => {
            let standing = Standing {
                stand: stand_in(&reply, &place),
                ..Standing::of_place(&place)
            };
            let newer = ticket_of(&place, ticket.home, ticket.nonce, now);
            let says_more =
                (newer.entry, newer.rank) != (ticket.entry, ticket.rank) && newer.entry.is_some();
            let exchange = if says_more {
                Some(newer)
            } else {
                kept_alive(ticket, now)
            };
            Found {
                standing,
                exchange,
                unknown: false,
            }
        }
        None => without_place(ticket, reply, now),
    }
}

fn without_place(ticket: &Ticket, reply: ShardReply, now: u64) -> Found {
    let own = from_ticket(ticket, None).standing;
    let (standing, unknown) = match reply {
        ShardReply::Session { session_ends, .. } => (
            Standing {
                stand: Stand::Admitted,
                session_ends: Some(session_ends),
                ..own
            },
            false,
        ),
        ShardReply::SessionOver { ended, .. } => (
            Standing {
                stand: Stand::Ended,
                session_ends: Some(ended),
                ..own
            },
            false,
        ),
        ShardReply::Refused {
            why: Refused::Unknown,
            ..
        } => (Standing::NONE, true),
        ShardReply::Refused { why, .. } => (
            Standing {
                stand: stand_of_refusal(why),
                ..own
            },
            false,
        ),
        ShardReply::Pending { .. } => (
            Standing {
                stand: Stand::Pending,
                ..own
            },
            false,
        ),
        ShardReply::Place { .. }
        | ShardReply::Reserved { .. }
        | ShardReply::HandedOver { .. }
        | ShardReply::Recheck { .. }
        | ShardReply::HandoverOffered { .. }
        | ShardReply::Unsure { .. }
        | ShardReply::Crawled { .. }
        | ShardReply::CrawlerCounts { .. }
        | ShardReply::Done => (own, false),
    };
    Found {
        standing,
        exchange: kept_alive(ticket, now),
        unknown,
    }
}

fn place_in(reply: &ShardReply) -> Option<PlaceView> {
    match reply {
        ShardReply::Place { place, .. }
        | ShardReply::HandedOver { place, .. }
        | ShardReply::Recheck { place, .. } => Some(*place),
        ShardReply::Pending { place } | ShardReply::Refused { place, .. } => *place,
        ShardReply::Session { .. }
        | ShardReply::SessionOver { .. }
        | ShardReply::Reserved { .. }
        | ShardReply::HandoverOffered { .. }
        | ShardReply::Unsure { .. }
        | ShardReply::Crawled { .. }
        | ShardReply::CrawlerCounts { .. }
        | ShardReply::Done => None,
    }
}

fn stand_in(reply: &ShardReply, place: &PlaceView) -> Stand {
    match reply {
        ShardReply::Refused {
            why: Refused::Elsewhere,
            ..
        } => Stand::Elsewhere,
        ShardReply::Pending { .. } if place.state == VisitorState::Called => Stand::Pending,
        _ => place.state.into(),
    }
}

/// The state that goes with a refusal, when the home says nothing more.
pub fn stand_of_refusal(why: Refused) -> Stand {
    match why {
        Refused::NotCalled => Stand::Waiting,
        Refused::Lapsed => Stand::Lapsed,
        Refused::AlreadyDeferred => Stand::Called,
        Refused::Left => Stand::Left,
        Refused::Ended => Stand::Ended,
        Refused::Elsewhere => Stand::Elsewhere,
        Refused::NotYet
        | Refused::SoldOut
        | Refused::Closed
        | Refused::PermitExpired
        | Refused::Unknown
        | Refused::NoSuchLine
        | Refused::Full
        | Refused::NoRoom
        | Refused::CodeSpent
        | Refused::HandoverUnknown
        | Refused::HandoverTaken
        | Refused::TooManyHandovers => Stand::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use anteroom_queue::units::{EntryNumber, Rank};

    fn view(state: VisitorState, number: Option<u64>) -> PlaceView {
        PlaceView {
            entry: number.map(EntryNumber),
            rank: number.map(Rank),
            ..samples::place(state, 0)
        }
    }

    #[test]
    fn the_rank_that_the_edge_has_worked_out_goes_into_the_ticket_once() {
        let entrant = Ticket {
            rank: None,
            ..samples::ticket()
        };
        let mut standing = Standing {
            stand: Stand::Waiting,
            rank: None,
            ..Standing::NONE
        };
        let exchange = |ticket: &Ticket, standing| by_the_edge(ticket, standing, 1_010).exchange;
        assert!(exchange(&entrant, standing).is_none());
        standing.rank = Some(7);
        let ticket = exchange(&entrant, standing).unwrap();
        assert_eq!(
            (ticket.rank, ticket.entry, ticket.nonce),
            (Some(7), Some(41), [1; 16])
        );
        assert!(exchange(&ticket, standing).is_none());
    }

    #[test]
    fn a_provisional_ticket_is_exchanged_once_its_place_has_a_number() {
        let provisional = Ticket {
            entry: None,
            rank: None,
            ..samples::ticket()
        };
        let still = of_reply(
            &provisional,
            ShardReply::Place {
                place: view(VisitorState::Provisional, None),
                new: false,
            },
            1_010,
        );
        assert!(still.exchange.is_none());
        assert_eq!(still.standing.stand, Stand::Provisional);
        let numbered = of_reply(
            &provisional,
            ShardReply::Place {
                place: view(VisitorState::Waiting, Some(12)),
                new: false,
            },
            1_010,
        );
        let ticket = numbered.exchange.expect("a numbered ticket");
        assert_eq!(
            (ticket.entry, ticket.rank, ticket.nonce, ticket.arrived_at),
            (Some(12), Some(12), [1; 16], 1_000)
        );
        assert_eq!(numbered.standing.stand, Stand::Waiting);
    }

    #[test]
    fn a_ticket_is_signed_anew_in_the_second_half_of_its_life() {
        let ticket = samples::ticket();
        assert!(kept_alive(&ticket, 1_000 + RENEW_TICKET_AFTER_SECONDS - 1).is_none());
        let anew = kept_alive(&ticket, 1_000 + RENEW_TICKET_AFTER_SECONDS).unwrap();
        assert_eq!((anew.rank, anew.nonce), (ticket.rank, ticket.nonce));
    }

    #[test]
    fn a_homes_refusal_tells_what_became_of_the_place() {
        let rows = [
            (
                Refused::Lapsed,
                Some(view(VisitorState::Lapsed, Some(41))),
                Stand::Lapsed,
                false,
            ),
            (
                Refused::Elsewhere,
                Some(view(VisitorState::Admitted, Some(41))),
                Stand::Elsewhere,
                false,
            ),
            (Refused::Left, None, Stand::Left, false),
            (Refused::Unknown, None, Stand::None, true),
        ];
        for (why, place, stand, unknown) in rows {
            let found = of_reply(
                &samples::ticket(),
                ShardReply::Refused { why, place },
                1_010,
            );
            assert_eq!(
                (found.standing.stand, found.unknown),
                (stand, unknown),
                "{why:?}"
            );
        }
    }
}
