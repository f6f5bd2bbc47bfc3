//! The bytes of the protocol. An edge and an object of neighbouring versions speak to each other
//! during a roll-out: if one of the pinned strings changes, every request between them fails until
//! the roll-out is over, so a change here needs a new format byte.
//!
//! Format 2 was made because boards name draws, moved openings, stock and the shards that keep keys
//! and codes, reports carry the chain of permits and who came before the opening, places say what
//! may be done with them, and edges count staff. Format 1 is refused whole.
//!
//! What came later came as variants at the end and as counts that stand apart, so that everything here kept its bytes:
//! `wire_apart_tests.rs`, `wire_check_tests.rs`, `wire_key_tests.rs`.
//!
//! The clocks of offers stand last in the answer to a report, and only there: a shard of a version
//! without them, or the reverse, refuses that answer whole and reports again until both are of one version.
//! What edges say and hear is the same.

use anteroom_queue::board::{DrawBoard, Drawn, Fixed, LineBoard, Moved, Phase};
use anteroom_queue::coordinator::command::Change;
use anteroom_queue::settings::{Limits, Mode};
use anteroom_queue::shard::command::{PlaceView, Refused, VisitorState};
use anteroom_queue::sync::{
    Counters, Cut, Entrants, LineAnswer, LineReport, OfferClock, SyncReply,
};
use anteroom_queue::units::{
    ClaimId, EntryNumber, Generation, LineIndex, Millis, Nonce, PlaceIndex, Rank, ShardIndex,
    UnixMillis,
};

use super::*;

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes `message`, compares with the pinned bytes, reads it back.
pub(super) fn check<Message>(message: Message, pinned: &str)
where
    Message: Serialize + DeserializeOwned + PartialEq + core::fmt::Debug,
{
    let bytes = encode(&message);
    assert_eq!(hex(&bytes), pinned.replace(' ', ""), "of {message:?}");
    assert_eq!(decode::<Message>(&bytes), Ok(message));
}

fn board() -> Board {
    Board {
        version: 3,
        mode: Mode::Always,
        stop: false,
        pause: None,
        message: Some("soon".into()),
        limits: Limits::default(),
        slowdowns: 0,
        room: true,
        open_shards: vec![ShardIndex(0)],
        shards: 1,
        homes: 2,
        stock: Some(Stock {
            left: 300,
            at: UnixMillis(4),
        }),
        ended_at: None,
        lines: vec![LineBoard {
            id: "general".into(),
            phase: Phase::Open,
            opens_at: Some(UnixMillis(6)),
            moved: Some(Moved {
                from: UnixMillis(5),
                reason: "rain".into(),
            }),
            called: Rank(5),
            lapsed: Rank(1),
            entries: EntryNumber(9),
            advance: None,
            offers: Vec::new(),
            draw: Some(DrawBoard {
                commitment: [1; 32],
                fixed: Some(Fixed {
                    entrants: 9,
                    root: [2; 32],
                    at: UnixMillis(7),
                    opened: UnixMillis(6),
                    round: Some(8),
                }),
                drawn: Some(Drawn {
                    secret: [3; 32],
                    beacon: Some(vec![4, 5]),
                    seed: [6; 32],
                }),
            }),
        }],
    }
}

pub(super) fn to_shard(ask: ShardAsk) -> ShardCall {
    ShardCall {
        event: "demo".into(),
        run: 1,
        shard: 300,
        ask,
    }
}

pub(super) fn to_coordinator(ask: CoordinatorAsk) -> CoordinatorCall {
    CoordinatorCall {
        event: "demo".into(),
        run: 1,
        ask,
    }
}

#[test]
fn an_edge_of_another_version_can_still_read_the_board() {
    let counts = EdgeCounts {
        requests: 300,
        admitted: 2,
        refused: 3,
        origin_errors: 4,
        bypassed: 5,
        staff: 6,
        stock: Some(Stock {
            left: 300,
            at: UnixMillis(4),
        }),
        ..EdgeCounts::default()
    };
    check(
        to_shard(ShardAsk::board(counts)),
        "02 0464656d6f 01 ac02 00 ac02 02 03 04 05 06 01 ac02 04",
    );
    check(to_shard(ShardAsk::Poke), "02 0464656d6f 01 ac02 02");
    check(
        ShardAnswer {
            board: None,
            board_age_ms: Some(200),
            body: ShardBody::Board,
        },
        "02 00 01 c801 00",
    );
    check(
        ShardAnswer {
            board: Some(board()),
            board_age_ms: None,
            body: ShardBody::Board,
        },
        &format!(
            "02 01 03 01 00 00 01 04736f6f6e 000000 00 01 01 00 01 02 01ac0204 00 \
             01 0767656e6572616c 03 0106 01 05 047261696e 05 01 09 00 00 \
             01 {} 01 09 {} 07 06 0108 01 {} 01 02 0405 {} 00 00",
            "01".repeat(32),
            "02".repeat(32),
            "03".repeat(32),
            "06".repeat(32),
        ),
    );
}

#[test]
fn an_edge_of_another_version_can_still_tell_of_wrong_operator_tokens() {
    check(
        to_coordinator(CoordinatorAsk::WrongTokens { more: 300 }),
        "02 0464656d6f 01 05 ac02",
    );
    let mut told = WrongTokens::default();
    check(told, "02 00 00");
    told.add(300, UnixMillis(4));
    told.add(0, UnixMillis(5));
    check(told, "02 ac02 01 04");
}

#[test]
fn an_edge_of_another_version_can_still_join_and_claim() {
    let join = ShardCommand::Join {
        nonce: Nonce([7; 16]),
        line: LineIndex(2),
        permit_expired: false,
        arrived: Some(UnixMillis(1)),
    };
    check(
        to_shard(ShardAsk::Place(join)),
        "02 0464656d6f 01 ac02 01 00 07070707070707070707070707070707 02 00 01 01",
    );
    let claim = ShardCommand::Claim {
        index: PlaceIndex(1),
        nonce: Nonce([7; 16]),
        claim: ClaimId([9; 16]),
    };
    check(
        to_shard(ShardAsk::Place(claim)),
        "02 0464656d6f 01 ac02 01 03 01 07070707070707070707070707070707 09090909090909090909090909090909",
    );
}

#[test]
fn a_shard_of_another_version_can_still_report() {
    let line = LineReport {
        counters: Counters {
            joined: 6,
            numbered: 5,
            claimed: 4,
            withdrawn: 3,
            ended: 2,
            absent: 7,
            tried: 1,
        },
        late: Vec::new(),
        chain: [9; 32],
        entrants: Some(Entrants {
            opens_at: UnixMillis(5),
            count: 6,
        }),
    };
    let report = SyncRequest {
        run: 1,
        shard: ShardIndex(3),
        sent: UnixMillis(10),
        lines: vec![line],
        unconfirmed: 8,
        board_version: 9,
    };
    check(
        to_coordinator(CoordinatorAsk::Sync(report, EdgeCounts::default())),
        &format!(
            "02 0464656d6f 01 00 01 03 0a 01 06 05 04 03 02 07 01 00 {} 01 05 06 08 09 \
             000000000000 00",
            "09".repeat(32),
        ),
    );
}

#[test]
fn a_coordinator_of_another_version_can_still_answer_a_report() {
    let line = LineAnswer {
        cuts: vec![Cut {
            first_join: 1,
            count: 2,
            first_entry: EntryNumber(3),
        }],
        granted: 4,
        tries_decided: 5,
        tries_granted: 6,
        ended_floor: 7,
    };
    let reply = SyncReply {
        run: 1,
        sent: UnixMillis(10),
        lines: vec![line],
        board: None,
        board_version: 9,
        next_sync: Millis(50),
        grant_in: Some(Millis(12)),
        clocks: vec![OfferClock {
            at: Millis(300),
            zero: UnixMillis(7),
            runs: true,
        }],
    };
    check(
        CoordinatorAnswer::Synced(reply),
        "02 00 01 0a 01 01 010203 04050607 00 09 32 010c 01 ac02 07 01",
    );
}

#[test]
fn a_shard_of_another_version_can_still_answer_a_visitor() {
    let place = PlaceView {
        index: PlaceIndex(1),
        line: LineIndex(0),
        entry: Some(EntryNumber(2)),
        rank: Some(Rank(2)),
        arrived: UnixMillis(3),
        state: VisitorState::Called,
        offer_until: Some(UnixMillis(4)),
        session_ends: None,
        may_defer: true,
        was_admitted: false,
        missed_draw: true,
    };
    let session = ShardReply::Session {
        index: PlaceIndex(1),
        generation: Generation(2),
        session_ends: UnixMillis(3),
        first: true,
        confirmed: false,
    };
    let over = ShardReply::SessionOver {
        index: PlaceIndex(1),
        ended: UnixMillis(2),
    };
    let refused = ShardReply::Refused {
        why: Refused::NotCalled,
        place: None,
    };
    let place_bytes = "01 00 0102 0102 03 02 0104 00 01 00 01";
    let rows = [
        (
            ShardReply::Place { place, new: true },
            format!("00 {place_bytes} 01"),
        ),
        (ShardReply::Pending { place: None }, "01 00".to_owned()),
        (session, "02 01 02 03 01 00".to_owned()),
        (over, "03 01 02".to_owned()),
        (refused, "04 06 00".to_owned()),
        (
            ShardReply::HandedOver {
                place,
                nonce: Nonce([7; 16]),
            },
            format!("06 {place_bytes} {}", "07".repeat(16)),
        ),
        (
            ShardReply::HandoverOffered {
                until: UnixMillis(4),
            },
            "07 04".to_owned(),
        ),
    ];
    for (reply, pinned) in rows {
        let answer = ShardAnswer {
            board: None,
            board_age_ms: None,
            body: ShardBody::Reply(reply),
        };
        check(answer, &format!("02 00 00 01 {pinned}"));
    }
}

#[test]
fn an_edge_of_another_version_can_still_steer() {
    let stop = Action::Stop {
        reason: "fire".into(),
        next_update_at: None,
    };
    check(
        to_coordinator(CoordinatorAsk::Operate {
            action: stop,
            by: "ann".into(),
        }),
        "02 0464656d6f 01 01 02 0466697265 00 03616e6e",
    );
    let retune = Action::Retune {
        max_active: Some(Change::To(5)),
        per_minute: Some(Change::Reset),
        batch: None,
    };
    check(
        to_coordinator(CoordinatorAsk::Operate {
            action: retune,
            by: String::new(),
        }),
        "02 0464656d6f 01 01 07 01 00 05 01 02 00 00",
    );
    check(
        to_coordinator(CoordinatorAsk::Observe),
        "02 0464656d6f 01 02",
    );
    check(to_coordinator(CoordinatorAsk::Count), "02 0464656d6f 01 03");
    check(
        to_coordinator(CoordinatorAsk::Log { after: 300 }),
        "02 0464656d6f 01 04 ac02",
    );
    let lines = LogLines {
        lines: vec!["{}".into()],
        next: Some(301),
    };
    check(lines, "02 01 027b7d 01 ad02");
}

#[test]
fn a_borrowed_answer_has_the_same_bytes_as_an_owned_one() {
    let board = board();
    let owned = ShardAnswer {
        board: Some(board.clone()),
        board_age_ms: Some(7),
        body: ShardBody::Reply(ShardReply::Done),
    };
    let borrowed = ShardAnswerRef {
        board: Some(&board),
        board_age_ms: Some(7),
        body: ShardBody::Reply(ShardReply::Done),
    };
    assert_eq!(encode(&borrowed), encode(&owned));
    assert_eq!(decode(&encode(&borrowed)), Ok(owned));
}

#[test]
fn every_object_has_its_own_name() {
    assert_eq!(coordinator_name("demo", 1), "demo/1/coordinator");
    assert_eq!(shard_name("demo", 1, 12), "demo/1/shard/12");
}
