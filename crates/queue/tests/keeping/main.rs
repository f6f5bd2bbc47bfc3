//! What a shard keeps beside places, and the turn as an offer: member keys, codes, hand-overs,
//! deferrals; the same after a restart.

mod brakes;
mod codes;
mod sleeping;
#[path = "../stage/mod.rs"]
mod stage;

use anteroom_queue::coordinator::command::Action;
use anteroom_queue::settings::Limits;
use anteroom_queue::shard::command::{Refused, ShardCommand, ShardReply, VisitorState};
use anteroom_queue::units::{ClaimId, KeyHash, Millis, Nonce, PlaceIndex, ShardIndex, UnixMillis};
use stage::{Stage, claim_id, nonce, settings};

const KEY: KeyHash = KeyHash([3; 16]);
const CODE: KeyHash = KeyHash([4; 16]);

fn stage() -> Stage {
    let limits = Limits {
        max_active: Some(1),
        ..Limits::default()
    };
    Stage::new(settings(limits), 1)
}

fn reserve(visitor: u64, uses: u16, replaces: Option<u64>) -> ShardCommand {
    ShardCommand::Reserve {
        key: KEY,
        nonce: nonce(visitor),
        home: ShardIndex(visitor as u16),
        uses,
        replaces: replaces.map(nonce),
    }
}

fn held_by(visitor: u64) -> ShardReply {
    ShardReply::Reserved {
        nonce: nonce(visitor),
        home: ShardIndex(visitor as u16),
    }
}

fn no(why: Refused) -> ShardReply {
    ShardReply::Refused { why, place: None }
}

/// Asks, and after a restart from what is stored asks again: the answer must be the same.
fn twice(stage: &mut Stage, command: &ShardCommand) -> ShardReply {
    stage.sync(0);
    let first = stage.at_shard(0, command.clone());
    stage.restore_shard(0);
    stage.sync(0);
    assert_eq!(stage.at_shard(0, command.clone()), first, "after a restart");
    first
}

#[test]
fn the_first_permit_has_a_member_key_until_it_is_replaced_by_name() {
    let mut stage = stage();
    for (asks, replaces, has) in [
        (1, None, 1),
        (2, None, 1),
        (1, None, 1),
        (2, Some(7), 1),
        (2, Some(1), 2),
        (3, Some(1), 2),
        (1, None, 2),
    ] {
        let answer = twice(&mut stage, &reserve(asks, 1, replaces));
        assert_eq!(answer, held_by(has), "{asks} for {replaces:?}");
    }
}

fn offer(visitor: u64, code: KeyHash) -> ShardCommand {
    ShardCommand::OfferHandover {
        index: PlaceIndex(visitor as u32),
        nonce: nonce(visitor),
        code,
    }
}

fn take(code: KeyHash, browser: u8) -> ShardCommand {
    ShardCommand::TakeOver {
        code,
        taker: ClaimId([browser; 16]),
    }
}

fn took(reply: ShardReply) -> Nonce {
    match reply {
        ShardReply::HandedOver { nonce, .. } => nonce,
        other => panic!("a hand-over is answered {other:?}"),
    }
}

#[test]
fn the_first_browser_takes_the_place_up_and_may_ask_again() {
    let mut stage = stage();
    stage.join(0, 0);
    assert_eq!(
        twice(&mut stage, &take(CODE, 1)),
        no(Refused::HandoverUnknown)
    );
    stage.at_shard(0, offer(0, CODE));
    assert_eq!(took(twice(&mut stage, &take(CODE, 1))), nonce(0));
    assert_eq!(
        twice(&mut stage, &take(CODE, 2)),
        no(Refused::HandoverTaken)
    );
    stage.pass(Millis::from_minutes(11));
    assert_eq!(took(twice(&mut stage, &take(CODE, 1))), nonce(0));
}

#[test]
fn a_hand_over_ends_with_time_and_with_a_newer_code() {
    let mut stage = stage();
    stage.join(0, 0);
    stage.at_shard(0, offer(0, CODE));
    stage.at_shard(0, offer(0, KEY));
    assert_eq!(
        twice(&mut stage, &take(CODE, 1)),
        no(Refused::HandoverUnknown)
    );
    stage.pass(Millis::from_minutes(10));
    assert_eq!(
        twice(&mut stage, &take(KEY, 1)),
        no(Refused::HandoverUnknown)
    );
}

#[test]
fn only_so_many_codes_are_made_in_a_short_time_and_only_for_a_live_place() {
    let mut stage = stage();
    stage.join(0, 0);
    let refusal = |reply| match reply {
        ShardReply::Refused { why, .. } => Some(why),
        _ => None,
    };
    for number in 0..5 {
        let reply = stage.at_shard(0, offer(0, KeyHash([number; 16])));
        assert!(
            matches!(reply, ShardReply::HandoverOffered { .. }),
            "{reply:?}"
        );
    }
    let reply = stage.at_shard(0, offer(0, CODE));
    assert_eq!(refusal(reply), Some(Refused::TooManyHandovers));
    stage.pass(Millis::from_minutes(10));
    let reply = stage.at_shard(0, offer(0, CODE));
    assert!(
        matches!(reply, ShardReply::HandoverOffered { .. }),
        "{reply:?}"
    );
    stage.leave(0);
    assert_eq!(
        refusal(stage.at_shard(0, offer(0, KEY))),
        Some(Refused::Left)
    );
    let mut lapsed = called_and(|stage| stage.live(Millis::from_minutes(6)));
    assert_eq!(
        refusal(lapsed.at_shard(0, offer(0, KEY))),
        Some(Refused::Lapsed)
    );
    let foreign = ShardCommand::OfferHandover {
        index: PlaceIndex(0),
        nonce: nonce(9),
        code: KEY,
    };
    assert_eq!(refusal(stage.at_shard(0, foreign)), Some(Refused::Unknown));
}

/// A visitor is called, and then something happens.
fn called_and(happens: impl FnOnce(&mut Stage)) -> Stage {
    let mut stage = stage();
    stage.join(0, 0);
    stage.live(Millis::from_seconds(1));
    happens(&mut stage);
    stage
}

fn defer(visitor: u64) -> ShardCommand {
    ShardCommand::Defer {
        index: PlaceIndex(visitor as u32),
        nonce: nonce(visitor),
    }
}

fn state(stage: &mut Stage, visitor: u64) -> (VisitorState, bool) {
    match stage.ask(visitor) {
        ShardReply::Place { place, .. } => (place.state, place.may_defer),
        other => panic!("a question is answered {other:?}"),
    }
}

/// The hold is 5 minutes; a deferral adds 5.
#[test]
fn a_deferred_offer_stands_five_minutes_longer_once() {
    let mut stage = stage();
    for visitor in 0..2 {
        stage.join(visitor, 0);
    }
    stage.live(Millis(1_000));
    assert_eq!(state(&mut stage, 0), (VisitorState::Called, true));
    assert_eq!(state(&mut stage, 1), (VisitorState::Waiting, false));
    let not_yet = stage.at_shard(0, defer(1));
    assert!(matches!(
        not_yet,
        ShardReply::Refused {
            why: Refused::NotCalled,
            ..
        }
    ));
    let until = match stage.at_shard(0, defer(0)) {
        ShardReply::Place { place, .. } => place.offer_until.expect("an offer with an end"),
        other => panic!("a deferral is answered {other:?}"),
    };
    let stands_for = until.since(stage.now).0 / 1_000;
    assert!((595..=600).contains(&stands_for), "{stands_for} s");
    stage.restore_shard(0);
    stage.sync(0);
    assert_eq!(state(&mut stage, 0), (VisitorState::Called, false));
    let again = stage.at_shard(0, defer(0));
    assert!(matches!(
        again,
        ShardReply::Refused {
            why: Refused::AlreadyDeferred,
            ..
        }
    ));
    stage.live(Millis::from_minutes(8));
    assert_eq!(
        state(&mut stage, 0).0,
        VisitorState::Called,
        "beyond the hold"
    );
    stage.live(Millis::from_minutes(3));
    assert_eq!(state(&mut stage, 0).0, VisitorState::Lapsed);
}

#[test]
fn who_deferred_enters_like_anybody_else() {
    let mut stage = stage();
    stage.join(0, 0);
    stage.live(Millis(1_000));
    stage.at_shard(0, defer(0));
    stage.live(Millis::from_minutes(7));
    stage.claim(0, 0);
    stage.live(Millis(1_000));
    let reply = stage.claim(0, 0);
    assert!(matches!(reply, ShardReply::Session { .. }), "{reply:?}");
    let view = stage.shards[0]
        .view(PlaceIndex(0), stage.now)
        .expect("a place");
    assert!(view.was_admitted && !view.may_defer, "{view:?}");
    let elsewhere = ShardCommand::Ask {
        index: PlaceIndex(0),
        nonce: nonce(0),
        claim: claim_id(0, 1),
    };
    match stage.at_shard(0, elsewhere) {
        ShardReply::Place { place, .. } => assert_eq!(place.state, VisitorState::Elsewhere),
        other => panic!("a question is answered {other:?}"),
    }
}

fn pause() -> Action {
    Action::Pause {
        reason: "a till is down".to_owned(),
        next_update_at: Some(UnixMillis(1_900_000_000_000)),
    }
}

fn offer_until(stage: &Stage) -> UnixMillis {
    let view = stage.shards[0].view(PlaceIndex(0), stage.now);
    view.and_then(|view| view.offer_until)
        .expect("an offer with an end")
}

/// One visitor is called and has deferred after four of the five minutes of the hold.
fn deferred_late() -> Stage {
    let mut stage = stage();
    stage.join(0, 0);
    stage.live(Millis::from_minutes(4));
    stage.at_shard(0, defer(0));
    stage
}

#[test]
fn a_brake_lengthens_a_deferred_offer_by_what_stood_still_and_a_restart_by_nothing() {
    for restarts in [false, true] {
        for minutes in [0, 3] {
            let mut stage = deferred_late();
            let before = offer_until(&stage);
            stage.operate(pause());
            stage.live(Millis(30_000));
            if restarts {
                stage.restore_shard(0);
            }
            stage.live(Millis::from_minutes(minutes));
            stage.operate(Action::Resume);
            stage.live(Millis(1_000));
            let longer = offer_until(&stage).since(before).0 / 1_000;
            let stood = 30 + minutes * 60;
            assert!(
                (stood..=stood + 2).contains(&longer),
                "{longer} s, {restarts}"
            );
        }
    }
    let mut stage = deferred_late();
    let before = offer_until(&stage);
    stage.restore_shard(0);
    stage.live(Millis(1_000));
    assert_eq!(offer_until(&stage), before);
}

#[test]
fn an_offer_that_is_over_never_comes_back() {
    let mut stage = deferred_late();
    stage.live(Millis::from_minutes(7));
    assert_eq!(state(&mut stage, 0).0, VisitorState::Lapsed);
    stage.operate(pause());
    stage.live(Millis::from_minutes(2));
    stage.operate(Action::Resume);
    stage.live(Millis(1_000));
    assert_eq!(
        state(&mut stage, 0).0,
        VisitorState::Lapsed,
        "after a pause"
    );
    stage.restore_shard(0);
    let claimed = stage.claim(0, 0);
    assert!(
        matches!(claimed, ShardReply::Pending { .. }),
        "nothing is known yet: {claimed:?}"
    );
    stage.sync(0);
    let claimed = stage.claim(0, 0);
    assert!(
        matches!(
            claimed,
            ShardReply::Refused {
                why: Refused::Lapsed,
                ..
            }
        ),
        "after a restart: {claimed:?}"
    );
}
