//! Brakes, and boards that have not heard of them.

use super::room::{Room, at_once, nonce, settings};

use crate::coordinator::command::Action;
use crate::settings::Mode;
use crate::shard::command::{Refused, ShardCommand, ShardReply};
use crate::units::{ClaimId, Generation, LineIndex, PlaceIndex};

fn join(number: u64) -> ShardCommand {
    ShardCommand::Join {
        nonce: nonce(number),
        line: LineIndex(0),
        permit_expired: false,
        arrived: None,
    }
}

#[test]
fn nobody_is_sent_away_on_a_board_that_is_outdated() {
    let mut room = Room::open(&settings(Mode::Always, at_once(1)), 1);
    room.sync();
    room.operate(Action::Soldout);
    room.pass(1);
    let sold_out = ShardReply::Refused {
        why: Refused::SoldOut,
        place: None,
    };
    assert_eq!(room.ask(0, join(0)), sold_out);
    room.operate(Action::Open);
    room.now += 3_000;
    let undecided = ShardReply::Pending { place: None };
    assert_eq!(room.ask(0, join(0)), undecided, "the shard has not heard");
    assert!(room.shards[0].next_report(room.at()).is_some());
    room.sync();
    let answer = room.ask(0, join(0));
    assert!(matches!(answer, ShardReply::Place { new: true, .. }));
}

#[test]
fn while_paused_only_a_session_that_is_known_to_run_gets_its_pass_again() {
    let claim = |browser| ShardCommand::Claim {
        index: PlaceIndex(0),
        nonce: nonce(0),
        claim: ClaimId([browser; 16]),
    };
    for brought in [false, true] {
        let mut room = Room::open(&settings(Mode::Always, at_once(1)), 1);
        room.sync();
        room.join(0, 0);
        room.pass(1);
        room.ask(0, claim(1));
        room.pass(1);
        let first = room.ask(0, claim(1));
        assert!(matches!(first, ShardReply::Session { first: true, .. }));
        if brought {
            let (index, generation) = (PlaceIndex(0), Generation(0));
            room.ask(0, ShardCommand::Renew { index, generation });
        }
        room.operate(Action::Pause {
            reason: "a till is down".to_owned(),
            next_update_at: Some(crate::units::UnixMillis(1_900_000_000_000)),
        });
        room.pass(1);
        let again = room.ask(0, claim(2));
        let goes_on = matches!(again, ShardReply::Session { first: false, .. });
        assert_eq!(goes_on, brought, "{again:?}");
    }
}
