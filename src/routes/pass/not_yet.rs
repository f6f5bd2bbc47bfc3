//! What a claim that leads to no pass now is answered.

use anteroom_queue::shard::command::ShardReply;
use anteroom_token::Ticket;

use crate::boards::InUse;
use crate::place::{self, Found};
use crate::standing::{Stand, Standing, from_ticket};

/// The status and the state of a claim that leads to no pass now.
pub fn not_yet(
    ticket: &Ticket,
    reply: ShardReply,
    in_use: Option<&InUse>,
    now: u64,
) -> (u16, Found) {
    match reply {
        // Granted, but a brake came in between: no first pass until it is released.
        ShardReply::Session { .. } => {
            let own = from_ticket(ticket, in_use.map(|in_use| &*in_use.board)).standing;
            let standing = Standing {
                stand: Stand::Pending,
                ..own
            };
            (
                409,
                Found {
                    standing,
                    exchange: None,
                    unknown: false,
                },
            )
        }
        ShardReply::Pending { .. } => {
            let own = from_ticket(ticket, in_use.map(|in_use| &*in_use.board)).standing;
            let mut found = place::of_reply(ticket, reply, now);
            found.standing.stand = undecided(found.standing.stand, own.stand);
            (202, found)
        }
        _ => (409, place::of_reply(ticket, reply, now)),
    }
}

/// What somebody is told whose claim is not decided: that it is pending, unless neither the home nor the edge knows of a
/// turn. A home that has just started has no board yet, and takes any claim as one that may be right.
const fn undecided(home: Stand, edge: Stand) -> Stand {
    match (home, edge) {
        (Stand::Waiting | Stand::Provisional, Stand::Waiting | Stand::Provisional) => home,
        _ => Stand::Pending,
    }
}

/// While a brake is on, or may be, and while the shop does not answer, only sessions that run already go on: the status and
/// the state of everybody else. No claim of theirs is sent, not even of one who still waits, as far as is known here: its
/// home may know better and grant it, and the session would begin. An offer stands meanwhile, and where it is the shop, a
/// claim is seen to be wanted.
pub fn held_back(stand: Stand, is_braked: bool) -> Option<(u16, Stand)> {
    match stand {
        Stand::Admitted | Stand::Elsewhere => None,
        Stand::Called | Stand::Pending if !is_braked => Some((202, Stand::Pending)),
        _ => Some((409, stand)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // O9.
    #[test]
    fn behind_a_shop_that_does_not_answer_or_a_brake_only_sessions_that_run_claim() {
        use Stand::{Admitted, Called, Elsewhere, Pending, Waiting};
        for (stand, braked, shop_down) in [
            (Waiting, Some((409, Waiting)), Some((409, Waiting))),
            (Called, Some((409, Called)), Some((202, Pending))),
            (Pending, Some((409, Pending)), Some((202, Pending))),
            (
                Stand::Lapsed,
                Some((409, Stand::Lapsed)),
                Some((409, Stand::Lapsed)),
            ),
            (Admitted, None, None),
            (Elsewhere, None, None),
        ] {
            assert_eq!(held_back(stand, true), braked, "{stand:?}");
            assert_eq!(held_back(stand, false), shop_down, "{stand:?}");
        }
    }

    #[test]
    fn a_claim_that_nobody_knows_a_turn_for_is_not_called_pending() {
        use Stand::{Called, Pending, Provisional, Waiting};
        for (home, edge, told) in [
            (Waiting, Waiting, Waiting),
            (Provisional, Provisional, Provisional),
            (Waiting, Called, Pending),
            (Called, Waiting, Pending),
            (Pending, Waiting, Pending),
        ] {
            assert_eq!(undecided(home, edge), told, "{home:?} {edge:?}");
        }
    }
}
