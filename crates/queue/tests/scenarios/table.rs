//! The words of the tables, and the one `check` that reads them.

use crate::stage::{START, Stage, settings};
use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::{Batch, Limits, Settings};
use anteroom_queue::shard::command::{Refused, ShardReply, VisitorState};
use anteroom_queue::units::Millis;

use Happens::*;
use Is::*;

/// One thing that happens.
#[derive(Clone, Debug)]
pub enum Happens {
    /// This visitor joins at this shard.
    Joins(u64, usize),
    /// The same with a permit that has expired.
    JoinsLate(u64, usize),
    /// So many visitors, the first of them this one, join at this shard.
    Crowd(u64, u64, usize),
    /// A shard reports and hears the answer.
    Report(usize),
    /// A shard's report arrives, the answer is lost.
    AnswerLost(usize),
    /// So many seconds pass while nobody does anything.
    Silence(u64),
    /// So many seconds pass as in life.
    Seconds(u64),
    Claims(u64),
    ClaimsElsewhere(u64),
    Renews(u64),
    RenewsOldPass(u64),
    /// The pass is used in this network.
    RenewsFrom(u64, u8),
    /// This browser of the visitor claims in this network.
    ClaimsFrom(u64, u8, u8),
    /// The same, and the edge wants a check first.
    ClaimIsHeldBack(u64),
    /// This browser of the visitor was checked.
    IsChecked(u64, u8),
    Releases(u64),
    Leaves(u64),
    AsksForMinutes(u64, u64),
    Tries(u64, usize),
    Operator(Action),
    /// The coordinator was evicted and begins with what it stored.
    CoordinatorStartsAnew,
}

/// What is so.
#[derive(Clone, Debug)]
pub enum Is {
    Numbered(u64, u64),
    Unnumbered(u64),
    State(u64, VisitorState),
    CalledAtLeast(u64),
    CalledExactly(u64),
    Granted(u64),
    Active(u64),
    Pending(u64),
    /// The last answer let the visitor in, with this generation.
    LetIn(u32),
    Waits,
    /// The last answer asked for a check.
    ToBeChecked,
    No(Refused),
    Over,
    /// The last answer's session ends so many seconds after it began.
    EndsAfter(u64),
}

pub type Table = Vec<(Vec<Happens>, Vec<Is>)>;

/// Plays the table and checks every row of it.
pub fn check(settings: Settings, table: Table) {
    let mut stage = Stage::new(settings, 2);
    let mut last = ShardReply::Done;
    for (row, (happens, is)) in table.into_iter().enumerate() {
        for what in &happens {
            if let Some(reply) = play(&mut stage, what) {
                last = reply;
            }
        }
        for fact in &is {
            verify(
                &mut stage,
                last,
                fact,
                &format!("row {row}: after {happens:?}, {fact:?}"),
            );
        }
    }
}

pub fn play(stage: &mut Stage, what: &Happens) -> Option<ShardReply> {
    match what.clone() {
        Joins(visitor, shard) => Some(stage.join(visitor, shard)),
        JoinsLate(visitor, shard) => Some(stage.join_with(visitor, shard, true, None)),
        Crowd(first, count, shard) => (first..first + count)
            .map(|visitor| stage.join(visitor, shard))
            .last(),
        Report(shard) => {
            stage.sync(shard);
            None
        }
        AnswerLost(shard) => {
            let report = stage.report(shard);
            stage.hear(report);
            None
        }
        Silence(seconds) => {
            stage.pass(Millis::from_seconds(seconds));
            None
        }
        Seconds(seconds) => {
            stage.live(Millis::from_seconds(seconds));
            None
        }
        Claims(visitor) => Some(stage.claim(visitor, 0)),
        ClaimsElsewhere(visitor) => Some(stage.claim(visitor, 1)),
        Renews(visitor) => Some(stage.renew(visitor)),
        RenewsOldPass(visitor) => Some(stage.renew_first(visitor)),
        RenewsFrom(visitor, network) => Some(stage.renew_from(visitor, network)),
        ClaimsFrom(visitor, browser, network) => {
            Some(stage.claim_from(visitor, browser, network, false))
        }
        ClaimIsHeldBack(visitor) => Some(stage.claim_from(visitor, 0, 2, true)),
        IsChecked(visitor, browser) => Some(stage.recheck(visitor, browser)),
        Releases(visitor) => Some(stage.release(visitor)),
        Leaves(visitor) => Some(stage.leave(visitor)),
        AsksForMinutes(visitor, minutes) => {
            Some(stage.extend(visitor, Millis::from_minutes(minutes)))
        }
        Tries(visitor, shard) => Some(stage.try_once(visitor, shard)),
        Operator(action) => {
            stage.operate(action);
            None
        }
        CoordinatorStartsAnew => {
            stage.restore_coordinator();
            None
        }
    }
}

pub fn verify(stage: &mut Stage, last: ShardReply, fact: &Is, told: &str) {
    let totals = stage.totals();
    match *fact {
        Numbered(visitor, entry) => assert_eq!(view(stage, visitor).0, Some(entry), "{told}"),
        Unnumbered(visitor) => assert_eq!(view(stage, visitor).0, None, "{told}"),
        State(visitor, state) => assert_eq!(view(stage, visitor).1, state, "{told}"),
        CalledAtLeast(called) => assert!(stage.called() >= called, "{told}: {}", stage.called()),
        CalledExactly(called) => assert_eq!(stage.called(), called, "{told}"),
        Granted(granted) => assert_eq!(totals.granted, granted, "{told}"),
        Active(active) => assert_eq!(totals.active, active, "{told}"),
        Pending(pending) => assert_eq!(totals.pending, pending, "{told}"),
        LetIn(number) => {
            let ShardReply::Session { generation, .. } = last else {
                panic!("{told}: {last:?}")
            };
            assert_eq!(generation.0, number, "{told}");
        }
        Waits => assert!(
            matches!(last, ShardReply::Pending { .. }),
            "{told}: {last:?}"
        ),
        ToBeChecked => assert!(
            matches!(last, ShardReply::Recheck { .. }),
            "{told}: {last:?}"
        ),
        No(refused) => {
            let ShardReply::Refused { why, .. } = last else {
                panic!("{told}: {last:?}")
            };
            assert_eq!(why, refused, "{told}");
        }
        Over => assert!(
            matches!(last, ShardReply::SessionOver { .. }),
            "{told}: {last:?}"
        ),
        EndsAfter(seconds) => {
            let ShardReply::Session { session_ends, .. } = last else {
                panic!("{told}: {last:?}")
            };
            assert_eq!(session_ends.since(START).0 / 1_000, seconds, "{told}");
        }
    }
}

pub fn view(stage: &mut Stage, visitor: u64) -> (Option<u64>, VisitorState) {
    match stage.ask(visitor) {
        ShardReply::Place { place, .. } => (place.entry.map(|entry| entry.0), place.state),
        other => panic!("visitor {visitor} is answered {other:?}"),
    }
}

pub fn limits(
    max_active: Option<u32>,
    per_minute: Option<u32>,
    batch: Option<(u32, u64)>,
) -> Settings {
    settings(Limits {
        max_active,
        per_minute,
        batch: batch.map(|(size, every)| Batch {
            size,
            every: Millis::from_seconds(every),
        }),
    })
}

pub fn pause() -> Action {
    Action::Pause {
        reason: "a till is down".to_owned(),
        next_update_at: Some(anteroom_queue::units::UnixMillis(1_900_000_000_000)),
    }
}

pub fn max_active(limit: u32) -> Action {
    Action::Retune {
        max_active: Some(Change::To(limit)),
        per_minute: None,
        batch: None,
    }
}

/// Two visitors who have joined, been numbered and been called.
pub fn two_called() -> (Vec<Happens>, Vec<Is>) {
    (
        vec![Joins(0, 0), Joins(1, 1), Seconds(2)],
        vec![Numbered(0, 0), Numbered(1, 1), CalledExactly(2)],
    )
}

/// The same, and then only one may be inside.
pub fn two_called_for_one_slot() -> (Vec<Happens>, Vec<Is>) {
    let (mut happens, is) = two_called();
    happens.extend([Operator(max_active(1)), Seconds(1)]);
    (happens, is)
}

/// The two claim one after the other.
pub fn both_claim() -> (Vec<Happens>, Vec<Is>) {
    (
        vec![Claims(0), Report(0), Claims(1), Report(1), Report(0)],
        vec![],
    )
}
