//! The bytes of what edges and shards say to one another of checks. An object of a version without them refuses these
//! commands whole, and the edge then asks as before; an edge of such a version never asks so, and is never answered so.

use anteroom_queue::shard::command::{PlaceView, VisitorState};
use anteroom_queue::units::{
    ClaimId, EntryNumber, Generation, LineIndex, NetworkMark, Nonce, PlaceIndex, Rank, UnixMillis,
};

use super::tests::{check, to_shard};
use super::*;

const NETWORK: NetworkMark = NetworkMark([6; 8]);

#[test]
fn an_edge_of_another_version_can_still_say_where_a_pass_is_used() {
    let (index, generation) = (PlaceIndex(300), Generation(2));
    let (nonce, claim, network) = ("07".repeat(16), "09".repeat(16), "06".repeat(8));
    let renew = ShardCommand::RenewFrom {
        index,
        generation,
        network: NETWORK,
    };
    let held_back = ShardCommand::ClaimFrom {
        index,
        nonce: Nonce([7; 16]),
        claim: ClaimId([9; 16]),
        network: NETWORK,
        hold_back: true,
    };
    let checked = ShardCommand::Rechecked {
        index,
        generation,
        claim: ClaimId([9; 16]),
        network: NETWORK,
    };
    for (command, pinned) in [
        (renew, format!("14 ac02 02 {network}")),
        (held_back, format!("15 ac02 {nonce} {claim} {network} 01")),
        (checked, format!("16 ac02 02 {claim} {network}")),
    ] {
        let asked = to_shard(ShardAsk::Place(command));
        check(asked, &format!("02 0464656d6f 01 ac02 01 {pinned}"));
    }
}

#[test]
fn a_shard_of_another_version_can_still_ask_for_a_check() {
    let place = PlaceView {
        index: PlaceIndex(1),
        line: LineIndex(0),
        entry: Some(EntryNumber(2)),
        rank: Some(Rank(2)),
        arrived: UnixMillis(3),
        state: VisitorState::Admitted,
        offer_until: None,
        session_ends: Some(UnixMillis(4)),
        may_defer: false,
        was_admitted: true,
        missed_draw: false,
    };
    let answer = ShardAnswer {
        board: None,
        board_age_ms: None,
        body: ShardBody::Reply(ShardReply::Recheck {
            place,
            generation: Generation(300),
        }),
    };
    check(
        answer,
        "02 00 00 01 0c 01 00 0102 0102 03 04 00 0104 00 01 00 ac02",
    );
}
