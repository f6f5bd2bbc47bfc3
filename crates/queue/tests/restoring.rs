//! A state restored from its rows has the same future as the one that was never lost: the same
//! answers and the same rows afterwards, for random programs and any moment of the loss.
//!
//! What is deliberately not stored starts anew and is brought back by one exchange of reports, and by
//! one request of each session: the board, who was heard when, whose pass has arrived. Both worlds
//! make that exchange, so that they can be compared.

mod stage;

use anteroom_queue::coordinator::command::Action;
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::load::Load;
use anteroom_queue::settings::Limits;
use anteroom_queue::shard::command::ShardReply;
use anteroom_queue::shard::place::Standing;
use anteroom_queue::shard::rows::ShardRow;
use anteroom_queue::units::{Millis, UnixMillis};
use proptest::prelude::*;
use stage::{Stage, settings};

/// Programs tried; each is compared once for each object lost.
const PROGRAMS: u32 = 1_000;

const VISITORS: u64 = 6;
const SHARDS: usize = 2;

#[derive(Clone, Copy, Debug)]
enum Step {
    Join(u64),
    Claim(u64),
    ClaimElsewhere(u64),
    Leave(u64),
    Renew(u64),
    Release(u64),
    Extend(u64),
    Sync(usize),
    AnswerLost(usize),
    Time,
    Pause,
    Resume,
}

/// What is lost and restored.
#[derive(Clone, Copy, Debug)]
enum Lost {
    Shard(usize),
    Coordinator,
}

fn step() -> impl Strategy<Value = Step> {
    let visitor = 0..VISITORS;
    prop_oneof![
        4 => visitor.clone().prop_map(Step::Join),
        4 => visitor.clone().prop_map(Step::Claim),
        1 => visitor.clone().prop_map(Step::ClaimElsewhere),
        1 => visitor.clone().prop_map(Step::Leave),
        1 => visitor.clone().prop_map(Step::Renew),
        1 => visitor.clone().prop_map(Step::Release),
        1 => visitor.prop_map(Step::Extend),
        6 => (0..SHARDS).prop_map(Step::Sync),
        2 => (0..SHARDS).prop_map(Step::AnswerLost),
        4 => Just(Step::Time),
        1 => Just(Step::Pause),
        2 => Just(Step::Resume),
    ]
}

fn play(stage: &mut Stage, step: Step) -> Option<ShardReply> {
    let home = |visitor: u64| visitor as usize % SHARDS;
    let seated = |stage: &Stage, visitor: u64| stage.seats.contains_key(&visitor);
    match step {
        Step::Join(visitor) => Some(stage.join(visitor, home(visitor))),
        Step::Claim(visitor) if seated(stage, visitor) => Some(stage.claim(visitor, 0)),
        Step::ClaimElsewhere(visitor) if seated(stage, visitor) => Some(stage.claim(visitor, 1)),
        Step::Leave(visitor) if seated(stage, visitor) => Some(stage.leave(visitor)),
        Step::Renew(visitor) if seated(stage, visitor) => Some(stage.renew(visitor)),
        Step::Release(visitor) if seated(stage, visitor) => Some(stage.release(visitor)),
        Step::Extend(visitor) if seated(stage, visitor) => {
            Some(stage.extend(visitor, Millis::from_minutes(1)))
        }
        Step::Sync(shard) => {
            stage.sync(shard);
            None
        }
        Step::AnswerLost(shard) => {
            let report = stage.report(shard);
            stage.hear(report);
            None
        }
        Step::Time => {
            stage.pass(Millis(300));
            None
        }
        Step::Pause => {
            stage.operate(Action::Pause {
                reason: "a till is down".to_owned(),
                next_update_at: Some(UnixMillis(1_900_000_000_000)),
            });
            None
        }
        Step::Resume => {
            stage.operate(Action::Resume);
            None
        }
        _ => None,
    }
}

/// An answer without the instant until which an offer stands: a restart may let it stand longer.
fn decided(mut reply: ShardReply) -> ShardReply {
    match &mut reply {
        ShardReply::Place { place, .. } => place.offer_until = None,
        ShardReply::Pending { place: Some(place) }
        | ShardReply::Refused {
            place: Some(place), ..
        } => {
            place.offer_until = None;
        }
        _ => {}
    }
    reply
}

/// The rows of the shards as they are stored: some memories of a place are not, nor up to which call
/// the absent were looked for, nor when a brake was noticed.
fn stored(stage: &Stage) -> Vec<ShardRow> {
    let mut rows: Vec<ShardRow> = stage
        .shard_rows
        .iter()
        .flat_map(|rows| rows.values().cloned())
        .collect();
    for row in &mut rows {
        let places = match row {
            ShardRow::Page { places, .. } => places,
            ShardRow::Counters { lines } => {
                for line in lines {
                    line.absent_below = 0;
                }
                continue;
            }
            _ => continue,
        };
        for place in places {
            match &mut place.standing {
                Standing::Granted(session) => {
                    session.renewed = Millis(0);
                    session.arrived = false;
                }
                Standing::Claimed(claim) => claim.seen = UnixMillis(0),
                _ => {}
            }
        }
    }
    rows
}

/// The coordinator's rows without what a restart may change: the number of the board's version, to whom it was told,
/// the instant it was seen, and how often children reported.
fn decisions(stage: &Stage) -> Vec<CoordinatorRow> {
    let rows = stage.coordinator_rows.values();
    let lasting = |row: &&CoordinatorRow| {
        matches!(
            row,
            CoordinatorRow::Line { .. } | CoordinatorRow::Child { .. }
        )
    };
    let mut rows: Vec<CoordinatorRow> = rows.filter(lasting).cloned().collect();
    for row in &mut rows {
        if let CoordinatorRow::Child { child, .. } = row {
            child.told = 0;
            child.reports = Load::default();
        }
    }
    rows
}

fn compare(before: &[Step], after: &[Step], lost: Lost) -> Result<(), TestCaseError> {
    let limits = Limits {
        per_minute: Some(600),
        ..Limits::default()
    };
    let mut kept = Stage::new(settings(limits), SHARDS);
    for step in before {
        play(&mut kept, *step);
    }
    let mut restored = kept.clone();
    match lost {
        Lost::Shard(shard) => restored.restore_shard(shard),
        Lost::Coordinator => restored.restore_coordinator(),
    }
    // A restart during a collection of late joins begins it anew: let it end in both.
    let brought_a_pass = before.iter().filter(|step| matches!(step, Step::Renew(_)));
    for stage in [&mut kept, &mut restored] {
        stage.sync_all();
        stage.pass(Millis(2_400));
        stage.sync_all();
        stage.sync_all();
        for step in brought_a_pass.clone() {
            play(stage, *step);
        }
    }
    for (position, step) in after.iter().enumerate() {
        let expected = play(&mut kept, *step).map(decided);
        let found = play(&mut restored, *step).map(decided);
        prop_assert_eq!(
            expected,
            found,
            "{:?} lost, step {}: {:?}",
            lost,
            position,
            step
        );
    }
    for stage in [&mut kept, &mut restored] {
        stage.sync_all();
    }
    prop_assert_eq!(stored(&kept), stored(&restored), "{:?} lost", lost);
    prop_assert_eq!(decisions(&kept), decisions(&restored), "{:?} lost", lost);
    let totals = |stage: &Stage| {
        let totals = stage.totals();
        (
            totals.joined,
            totals.granted,
            totals.ended,
            totals.pending,
            totals.called,
        )
    };
    prop_assert_eq!(totals(&kept), totals(&restored), "{:?} lost", lost);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: PROGRAMS, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_state_has_the_same_future(
        before in prop::collection::vec(step(), 1..40),
        after in prop::collection::vec(step(), 1..30),
    ) {
        for lost in [Lost::Shard(0), Lost::Shard(1), Lost::Coordinator] {
            compare(&before, &after, lost)?;
        }
    }
}
