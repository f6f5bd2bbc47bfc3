//! Bytes between shards, relays and coordinators of different versions, and the row of a relay that is under way while a
//! version is rolled out.

use std::collections::VecDeque;

use anteroom_queue::child::{Child, ChildLine};
use anteroom_queue::relay::command::RelayAnswer;
use anteroom_queue::relay::rows::{LineRow, Piece, RelayRow};
use anteroom_queue::sync::{
    Below, Counters, LineAnswer, LineReport, OfferClock, RelayReport, SyncReply, SyncRequest,
};
use anteroom_queue::units::{Millis, ShardIndex, UnixMillis};

use super::*;
use crate::storage::{Changes, read_row};
use crate::wire::{CoordinatorAsk, CoordinatorCall, EdgeCounts, OriginCounts, decode, encode};

/// Writes a message as these bytes and reads it back.
fn check<M>(message: M, hex: &str)
where
    M: Serialize + for<'a> Deserialize<'a> + PartialEq + core::fmt::Debug,
{
    let bytes: Vec<u8> = hex
        .split_whitespace()
        .flat_map(|word| word.as_bytes().chunks(2))
        .map(|two| u8::from_str_radix(core::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect();
    let written: String = encode(&message)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(written, hex.split_whitespace().collect::<String>());
    assert_eq!(decode::<M>(&bytes).unwrap(), message);
}

fn report(shard: u16) -> SyncRequest {
    SyncRequest {
        run: 1,
        shard: ShardIndex(shard),
        sent: UnixMillis(10),
        lines: vec![LineReport {
            counters: Counters {
                joined: 2,
                numbered: 1,
                ..Counters::default()
            },
            ..LineReport::default()
        }],
        unconfirmed: 8,
        board_version: 9,
    }
}

const CHAIN: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[test]
fn a_shard_of_another_version_can_still_report_to_its_relay() {
    let counts = EdgeCounts {
        requests: 1,
        origin: OriginCounts {
            answers: 3,
            ..OriginCounts::NONE
        },
        ..EdgeCounts::default()
    };
    let call = |ask| RelayCall {
        event: "demo".into(),
        run: 1,
        relay: 2,
        ask,
    };
    let lines = format!("01 02 01 00 00 00 00 00 00 {CHAIN} 00");
    let edges = "01 00 00 00 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
    let counted: Counted = counts.into();
    assert_eq!(EdgeCounts::from(counted), counts);
    check(
        call(RelayAsk::Report(report(210), counted)),
        &format!("02 0464656d6f 01 02 00 01 d201 0a {lines} 08 09 {edges}"),
    );
    check(call(RelayAsk::Poke), "02 0464656d6f 01 02 01");
    let below = Below {
        full: vec![ShardIndex(210)],
        last: Some(ShardIndex(211)),
        heard: 2,
        unheard: vec![true],
    };
    let sync = report(52);
    check(
        CoordinatorCall {
            event: "demo".into(),
            run: 1,
            ask: CoordinatorAsk::Relayed(RelayReport { sync, below }, counted),
        },
        &format!("02 0464656d6f 01 0c 01 34 0a {lines} 08 09 01 d201 01 d301 02 01 01 {edges}"),
    );
}

#[test]
fn a_relay_of_another_version_can_still_answer() {
    let reply = SyncReply {
        run: 1,
        sent: UnixMillis(10),
        lines: vec![LineAnswer::default()],
        board: None,
        board_version: 9,
        next_sync: Millis(160),
        grant_in: None,
        clocks: vec![OfferClock::default()],
    };
    let behind = Millis(300);
    check(
        RelaySays::Answer(RelayAnswer { reply, behind }),
        "02 00 01 0a 01 00 00 00 00 00 00 09 a001 00 01 00 00 00 ac02",
    );
    check(RelaySays::Refused("no".into()), "02 01 026e6f");
    check(RelaySays::Poked, "02 02");
}

#[test]
fn a_relay_that_is_under_way_while_a_version_is_rolled_out_is_read_as_it_was_stored() {
    let line = ChildLine {
        cut: 3,
        granted: 4,
        ..ChildLine::default()
    };
    let row = RelayRow {
        lines: vec![LineRow {
            taken: 5,
            numbered: 3,
            pieces: VecDeque::from([Piece {
                shard: 50,
                count: 2,
                at: UnixMillis(7),
            }]),
            granted: 4,
            suspended: vec![(51, 1)],
            ..LineRow::default()
        }],
        shards: vec![(
            50,
            Child {
                lines: vec![line],
                granted_at: UnixMillis(6),
                ..Child::default()
            },
        )],
        longest_session: Millis(9),
        ended_at: None,
    };
    let mut changes = Changes::default();
    changes.extend(vec![row.clone()]);
    let (key, bytes) = changes.into_rows().remove(0);
    assert_eq!(key, "relay");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = format!(
        "02 01 05 03 01 32 02 07 {CHAIN} 04 00 00 00000000000000 01 33 01 \
         01 32 01 00000000000000 03 00 04 00 00 00 00 06 09 00"
    );
    assert_eq!(hex, expected.split_whitespace().collect::<String>());
    assert_eq!(read_row::<RelayRow>("relay", &bytes).unwrap(), row);
}
