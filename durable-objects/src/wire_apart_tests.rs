//! The counts that stand apart, in messages of their own kind. An edge or a shard that speaks to an object of before there
//! were these is refused and sends the same without: rows D9. What such an object read is written out here once more, so that
//! a change to what is sent in its words fails.

use anteroom_queue::coordinator::health::{Restraint, Verdict};
use anteroom_queue::units::{ShardIndex, UnixMillis};

use super::tests::{check, hex, to_coordinator, to_shard};
use super::*;

const APART: CountsApart = CountsApart {
    origin: OriginCounts {
        answers: 300,
        failed: 2,
        slow: 3,
    },
    turnstile: TurnstileCounts {
        passed: 7,
        refused: 8,
        unanswered: 9,
        instead: 10,
        answered_at: UnixMillis(11),
        silent_at: UnixMillis(300),
    },
};

/// Everything counted, as far as the counts were known before some stood apart.
const PLAIN: EdgeCounts = EdgeCounts {
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
    origin: OriginCounts::NONE,
    turnstile: TurnstileCounts::NONE,
    handling: HandlingCounts::NONE,
};

/// The bytes of these counts.
const PLAIN_BYTES: &str = "ac02 02 03 04 05 06 01 ac02 04";
/// The bytes of what stands apart of them.
const APART_BYTES: &str = "ac02 02 03 07 08 09 0a 0b ac02";

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

/// The asks that objects of before there were counts apart read: their variants, in order.
mod before {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    pub struct Call<Ask> {
        pub event: String,
        pub run: u32,
        pub ask: Ask,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    pub struct Counts(pub [u32; 6], pub Option<(u64, u64)>);

    #[derive(Debug, PartialEq, Deserialize)]
    pub enum ShardAsk {
        Board(Counts),
        Place(Box<ShardCommand>),
        Poke,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    pub enum CoordinatorAsk {
        Sync(SyncRequest, Counts),
        Operate(Action, String),
        Observe,
        Count,
        Log(u64),
    }
}

#[test]
fn d9_what_stands_apart_is_refused_by_an_older_shard_which_takes_the_rest_in_its_own_words() {
    let counts = PLAIN.with(APART);
    let ask = ShardAsk::board(counts);
    assert!(matches!(ask, ShardAsk::Watched { .. }), "{ask:?}");
    let watched = encode(&to_shard(ask));
    let pinned = format!("02 0464656d6f 01 ac02 03 {PLAIN_BYTES} {APART_BYTES}");
    assert_eq!(hex(&watched), pinned.replace(' ', ""));
    type Older = before::Call<(u16, before::ShardAsk)>;
    assert_eq!(decode::<Older>(&watched), Err(Unreadable::Malformed));

    let plain = encode(&to_shard(ShardAsk::Board { counts }));
    assert_eq!(plain, encode(&to_shard(ShardAsk::board(PLAIN))));
    let read = decode::<Older>(&plain).unwrap().ask.1;
    let expected = before::Counts([300, 2, 3, 4, 5, 6], Some((300, 4)));
    assert_eq!(read, before::ShardAsk::Board(expected));
}

#[test]
fn d9_what_stands_apart_is_refused_by_an_older_coordinator_which_takes_the_rest_in_its_own_words() {
    let counts = PLAIN.with(APART);
    let ask = CoordinatorAsk::report(report(), counts);
    assert!(matches!(ask, CoordinatorAsk::Watched(..)), "{ask:?}");
    let watched = encode(&to_coordinator(ask));
    let pinned = format!("02 0464656d6f 01 06 01 03 0a 00 08 09 {PLAIN_BYTES} {APART_BYTES}");
    assert_eq!(hex(&watched), pinned.replace(' ', ""));
    type Older = before::Call<before::CoordinatorAsk>;
    assert_eq!(decode::<Older>(&watched), Err(Unreadable::Malformed));

    let plain = encode(&to_coordinator(CoordinatorAsk::Sync(report(), counts)));
    let told = CoordinatorAsk::report(report(), PLAIN);
    assert_eq!(plain, encode(&to_coordinator(told)));
    let expected = before::Counts([300, 2, 3, 4, 5, 6], Some((300, 4)));
    let read = decode::<Older>(&plain).unwrap().ask;
    assert_eq!(read, before::CoordinatorAsk::Sync(report(), expected));
}

#[test]
fn d9_every_later_question_is_refused_by_an_older_coordinator_and_none_is_taken_for_another() {
    type Older = before::Call<before::CoordinatorAsk>;
    for later in [
        CoordinatorAsk::WrongTokens { more: 1 },
        CoordinatorAsk::Watched(report(), PLAIN, APART),
        CoordinatorAsk::Origin,
        CoordinatorAsk::Turnstile,
        CoordinatorAsk::Refusals,
        CoordinatorAsk::Handled(report(), PLAIN, APART, HandlingCounts::NONE),
        CoordinatorAsk::Vitals,
        CoordinatorAsk::Silent,
    ] {
        let bytes = encode(&to_coordinator(later.clone()));
        assert_eq!(
            decode::<Older>(&bytes),
            Err(Unreadable::Malformed),
            "{later:?}"
        );
    }
}

#[test]
fn counts_apart_come_back_as_they_were_told() {
    assert_eq!(PLAIN.apart(), None);
    assert_eq!(PLAIN.with(APART).apart(), Some(APART));
    let only_widget = CountsApart {
        origin: OriginCounts::NONE,
        ..APART
    };
    assert_eq!(PLAIN.with(only_widget).apart(), Some(only_widget));
    check(
        to_shard(ShardAsk::Watched {
            counts: PLAIN,
            apart: APART,
        }),
        &format!("02 0464656d6f 01 ac02 03 {PLAIN_BYTES} {APART_BYTES}"),
    );
    check(
        to_coordinator(CoordinatorAsk::Watched(report(), PLAIN, APART)),
        &format!("02 0464656d6f 01 06 01 03 0a 00 08 09 {PLAIN_BYTES} {APART_BYTES}"),
    );
}

#[test]
fn an_edge_of_another_version_can_still_ask_how_origin_and_widget_do() {
    check(
        to_coordinator(CoordinatorAsk::Origin),
        "02 0464656d6f 01 07",
    );
    let view = OriginView {
        verdict: Verdict::Down,
        judged_at: UnixMillis(4),
        judged: APART.origin.into(),
        restraint: Restraint {
            before: 8,
            cap: Some(1),
            paused: true,
            hands_off_until: UnixMillis(5),
        },
        acts: true,
    };
    check(view, "02 03 04 ac02 02 03 08 01 01 01 05 01");
    check(
        to_coordinator(CoordinatorAsk::Turnstile),
        "02 0464656d6f 01 08",
    );
    check(APART.turnstile, "02 07 08 09 0a 0b ac02");
}

#[test]
fn an_edge_of_another_version_can_still_ask_what_operators_were_refused() {
    check(
        to_coordinator(CoordinatorAsk::Refusals),
        "02 0464656d6f 01 09",
    );
    let refused = Noted {
        at: UnixMillis(4),
        by: "ann".into(),
        action: Action::Refused { what: "off".into() },
    };
    check(Refusals::from([refused]), "02 01 04 03616e6e 0f 036f6666");
}

#[test]
fn the_totals_of_edges_have_the_bytes_that_they_had_before_some_counts_stood_apart() {
    let mut totals = EdgeTotals::default();
    totals.add(PLAIN.with(APART));
    check(totals, "02 ac02 02 03 04 05 06");
}
