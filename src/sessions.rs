//! The session of a pass, asked about or ended at its home. A staff pass and the pass of a visitor whom everybody may pass
//! have no session anywhere.

use anteroom_queue::shard::command::ShardCommand;
use anteroom_queue::units::{Generation, Millis, NetworkMark, PlaceIndex, ShardIndex, UnixMillis};
use anteroom_token::{Pass, SessionId, Ticket};

use crate::cookies::Kind;
use crate::deployment::Room;
use crate::renewal::Renewal;
use crate::standing::{Stand, Standing};
use crate::visit::Visit;
use crate::visitor::{Visitor, is_of_place};
use crate::{isolate, rooms};

/// Where the holder of `pass`, who has no ticket, stands, while the session has not reached its end. Staff are inside as long
/// as their token says, although nobody renews their pass during a stop. A pass of no session tells nothing, nor does one of a session that goes on in another browser: without a ticket nobody takes it back.
pub async fn standing(visit: &Visit, room: Room, pass: &Pass) -> Standing {
    if pass.session.is_staff() {
        return of_first_line(room, inside(pass.session_ends_at));
    }
    if !has_home(pass) {
        return Standing::NONE;
    }
    let access = |index, generation| ShardCommand::Access { index, generation };
    let asked = ask(visit, room, pass, access, rooms::RENEWAL_LIMIT).await;
    match told(asked, pass.session_ends_at) {
        standing if standing.stand == Stand::Elsewhere => Standing::NONE,
        standing => of_first_line(room, standing),
    }
}

/// Whoever was let in in one step came by the first line for everyone.
pub fn of_first_line(room: Room, standing: Standing) -> Standing {
    Standing {
        line: room.event.line_for_everyone().unwrap_or_default(),
        ..standing
    }
}

/// Ends the session of `pass`: what is told about it then, or nothing while its home is away.
pub async fn release(visit: &Visit, room: Room, pass: &Pass) -> Option<Standing> {
    if !has_home(pass) {
        return Some(Standing::NONE);
    }
    isolate::with(room.event, |kept| kept.renewed.is_over(pass.session));
    let release = |index, generation| ShardCommand::Release { index, generation };
    match ask(visit, room, pass, release, rooms::ANSWER_LIMIT).await {
        Renewal::Unreachable => None,
        // It may have been over before, and was not noticed.
        Renewal::Over { ended } => Some(over(ended.min(pass.session_ends_at))),
        other => Some(told(other, pass.session_ends_at)),
    }
}

/// A browser works with one place: with the ticket of another one, the session of the pass that it brought ends, so that
/// its slot is free at once, and the cookie goes. Staff stay staff.
pub async fn leave_for(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    ticket: &Ticket,
) -> Vec<String> {
    let Some(pass) = visitor.pass().map(|brought| brought.pass) else {
        return Vec::new();
    };
    if pass.session.is_staff() || is_of_place(&pass, ticket) {
        return Vec::new();
    }
    if visit.now_seconds() < pass.session_ends_at {
        release(visit, room, &pass).await;
    }
    visitor.clears(Kind::Pass).collect()
}

/// Whether the pass is of a session that a home knows.
pub fn has_home(pass: &Pass) -> bool {
    pass.session != SessionId::NONE && !pass.session.is_staff()
}

/// Where a session is kept, and by what its home knows it.
pub fn at_home(session: SessionId) -> (ShardIndex, PlaceIndex, Generation) {
    let SessionId {
        home,
        index,
        generation,
    } = session;
    (ShardIndex(home), PlaceIndex(index), Generation(generation))
}

/// What a home is asked to renew a session that is used from `network`, and in the words of those that count no networks.
pub fn renews(session: SessionId, network: NetworkMark) -> [ShardCommand; 2] {
    let (_, index, generation) = at_home(session);
    let from = ShardCommand::RenewFrom {
        index,
        generation,
        network,
    };
    [from, ShardCommand::Renew { index, generation }]
}

async fn ask(
    visit: &Visit,
    room: Room,
    pass: &Pass,
    command: impl FnOnce(PlaceIndex, Generation) -> ShardCommand,
    limit: Millis,
) -> Renewal {
    let (home, index, generation) = at_home(pass.session);
    let command = command(index, generation);
    match rooms::command(&visit.env, room.event, home, command, limit).await {
        Ok(reply) => Renewal::of_reply(pass, reply, visit.now_seconds(), room.event.pass_seconds()),
        Err(_) => Renewal::Unreachable,
    }
}

/// While the home is away, the session runs as its pass says: the gate lets it in, too.
fn told(renewal: Renewal, session_ends_at: u64) -> Standing {
    match renewal {
        Renewal::Runs(Pass {
            session_ends_at, ..
        }) => inside(session_ends_at),
        Renewal::Recheck | Renewal::Unreachable => inside(session_ends_at),
        Renewal::Over { ended } => over(ended),
        Renewal::Elsewhere => Standing {
            stand: Stand::Elsewhere,
            ..Standing::NONE
        },
        Renewal::Unknown => Standing::NONE,
    }
}

fn inside(session_ends_at: u64) -> Standing {
    Standing {
        stand: Stand::Admitted,
        session_ends: Some(UnixMillis(session_ends_at * 1_000)),
        ..Standing::NONE
    }
}

fn over(ended: u64) -> Standing {
    Standing {
        stand: Stand::Ended,
        ..inside(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::pass;

    #[test]
    fn what_a_home_says_of_a_session_is_what_the_visitor_is_told() {
        let runs = Renewal::Runs(Pass {
            session_ends_at: 2_500,
            ..pass()
        });
        for (renewal, stand, ends) in [
            (runs, Stand::Admitted, Some(2_500)),
            (Renewal::Unreachable, Stand::Admitted, Some(2_200)),
            (Renewal::Over { ended: 1_400 }, Stand::Ended, Some(1_400)),
            (Renewal::Elsewhere, Stand::Elsewhere, None),
            (Renewal::Unknown, Stand::None, None),
        ] {
            let told = told(renewal, 2_200);
            let ends = ends.map(|second| UnixMillis(second * 1_000));
            assert_eq!((told.stand, told.session_ends), (stand, ends));
        }
    }

    #[test]
    fn staff_and_those_whom_everybody_may_pass_have_no_session() {
        let open = Pass {
            session: SessionId::NONE,
            ..pass()
        };
        assert!(has_home(&pass()) && !has_home(&open));
    }
}
