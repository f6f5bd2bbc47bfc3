//! The edges' own work, in messages of their own kind. An object of before there was this refuses the one message that tells
//! it and is then asked in the words of before: rows D9.

use anteroom_queue::units::{ShardIndex, UnixMillis};

use super::tests::{check, to_coordinator, to_shard};
use super::*;

const HANDLING: HandlingCounts = HandlingCounts {
    permits: 300,
    work_refused: 2,
    unreachable: 3,
    overloaded: 4,
    calls: [5, 6, 7, 8, 300],
    calls_ms: 9,
};
const HANDLING_BYTES: &str = "ac02 02 03 04 05 06 07 08 ac02 09";

const ORIGIN: OriginCounts = OriginCounts {
    answers: 1,
    failed: 0,
    slow: 0,
};

fn counts(origin: OriginCounts, handling: HandlingCounts) -> EdgeCounts {
    EdgeCounts {
        requests: 1,
        origin,
        handling,
        ..EdgeCounts::default()
    }
}

fn report() -> SyncRequest {
    SyncRequest {
        run: 1,
        shard: ShardIndex(3),
        sent: UnixMillis(10),
        lines: Vec::new(),
        unconfirmed: 8,
        board_version: 9,
    }
}

#[test]
fn an_edge_of_another_version_can_still_tell_of_its_work_and_ask_for_it() {
    let (plain, apart) = (
        counts(OriginCounts::NONE, HandlingCounts::NONE),
        CountsApart {
            origin: ORIGIN,
            ..CountsApart::default()
        },
    );
    let bytes = format!("01 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 {HANDLING_BYTES}");
    let read = ShardAsk::Handled {
        counts: plain,
        apart,
        handling: HANDLING,
    };
    assert_eq!(
        encode(&to_shard(ShardAsk::board(counts(ORIGIN, HANDLING)))),
        encode(&to_shard(read.clone()))
    );
    check(to_shard(read), &format!("02 0464656d6f 01 ac02 04 {bytes}"));
    let told = CoordinatorAsk::Handled(report(), plain, apart, HANDLING);
    assert_eq!(
        encode(&to_coordinator(CoordinatorAsk::report(
            report(),
            counts(ORIGIN, HANDLING)
        ))),
        encode(&to_coordinator(told.clone()))
    );
    check(
        to_coordinator(told),
        &format!("02 0464656d6f 01 0a 01 03 0a 00 08 09 {bytes}"),
    );
    check(
        to_coordinator(CoordinatorAsk::Vitals),
        "02 0464656d6f 01 0b",
    );
    check(
        to_coordinator(CoordinatorAsk::Silent),
        "02 0464656d6f 01 0d",
    );
    check(300_u16, "02 ac02");
    let vitals = Vitals {
        handling: HANDLING,
        came_true: vec![
            None,
            Some(CameTrue {
                foretold_seconds: 60,
                took_seconds: 300,
                count: 2,
            }),
        ],
    };
    check(vitals, &format!("02 {HANDLING_BYTES} 02 00 01 3c ac02 02"));
}

/// The kinds of reads that an edge tries, one after the other, as objects refuse them.
#[test]
fn d9_whoever_refuses_what_came_last_is_asked_in_older_words_down_to_the_oldest() {
    for (told, kinds) in [
        (counts(ORIGIN, HANDLING), "handled watched board"),
        (counts(OriginCounts::NONE, HANDLING), "handled board"),
        (counts(ORIGIN, HandlingCounts::NONE), "watched board"),
        (counts(OriginCounts::NONE, HandlingCounts::NONE), "board"),
    ] {
        let tried = core::iter::successors(Some(told), |counts| counts.in_older_words());
        let tried: Vec<&str> = tried
            .map(|counts| match ShardAsk::board(counts) {
                ShardAsk::Handled { .. } => "handled",
                ShardAsk::Watched { .. } => "watched",
                _ => "board",
            })
            .collect();
        assert_eq!(tried.join(" "), kinds, "{told:?}");
    }
}
