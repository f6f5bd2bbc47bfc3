//! Visitors whose claims are pending ask when their home says so: as seldom as it has to be, as soon as it helps.

mod stage;

use anteroom_queue::settings::Limits;
use anteroom_queue::shard::command::{ShardReply, VisitorState};
use anteroom_queue::units::{Millis, UnixMillis};
use stage::{Stage, settings};

const VISITORS: u64 = 2_000;

/// A page asks again after this time when it is not told when.
const USUAL: Millis = Millis(2_000);

/// What a page is told whose claim is answered: when to ask again; `None`: a session runs.
fn told(stage: &mut Stage, visitor: u64) -> Option<UnixMillis> {
    let reply = stage.claim(visitor, 0);
    match stage.shards[0].with_appointment(reply, stage.now) {
        ShardReply::Session { .. } => None,
        ShardReply::Pending { place: Some(place) } => {
            assert_eq!(place.state, VisitorState::Pending);
            Some(place.offer_until.unwrap_or(stage.now.plus(USUAL)))
        }
        other => panic!("visitor {visitor} was called and told {other:?}"),
    }
}

/// Everybody of a full home is called and claims in the same moment, and two hundred a second are let in.
#[test]
fn two_thousand_who_wait_for_their_grants_ask_seldom_and_come_in_soon() {
    let rate = |per_minute| Limits {
        per_minute: Some(per_minute),
        ..Limits::default()
    };
    let mut stage = Stage::new(settings(rate(12_000)), 1);
    for visitor in 0..VISITORS {
        stage.join(visitor, 0);
    }
    stage.sync_all();
    stage.live(Millis(1_000));
    assert!(stage.called() >= VISITORS, "{} are called", stage.called());
    let begun = stage.now;
    let mut due: Vec<(u64, UnixMillis)> = (0..VISITORS).map(|visitor| (visitor, begun)).collect();
    let mut asked = vec![0_u64; 40];
    while !due.is_empty() {
        let second = (stage.now.since(begun).0 / 1_000) as usize;
        let now = stage.now;
        due.retain_mut(|(visitor, at)| {
            if *at > now {
                return true;
            }
            asked[second] += 1;
            let again = told(&mut stage, *visitor);
            *at = again.unwrap_or(*at);
            again.is_some()
        });
        stage.sync_all();
        stage.pass(Millis(100));
    }
    assert_eq!(asked[0], VISITORS, "the first claims");
    let most = asked[1..].iter().max();
    assert!(most <= Some(&360), "{asked:?}");
    let total: u64 = asked[1..].iter().sum();
    assert!(total < 2 * VISITORS, "{total} questions: {asked:?}");
    let last = asked.iter().rposition(|count| *count > 0);
    assert!(
        last <= Some(14),
        "the last came in after {last:?} s, 10 s of grants"
    );
}

/// A few who wait are not told anything: they ask as usual.
#[test]
fn a_few_who_wait_ask_as_usual() {
    let limits = Limits {
        per_minute: Some(60),
        ..Limits::default()
    };
    let mut stage = Stage::new(settings(limits), 1);
    for visitor in 0..5 {
        stage.join(visitor, 0);
    }
    stage.sync_all();
    stage.live(Millis(1_000));
    for visitor in 0..5 {
        if let Some(at) = told(&mut stage, visitor) {
            assert_eq!(at, stage.now.plus(USUAL));
        }
    }
}
