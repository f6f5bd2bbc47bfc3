//! Scenarios a ticket seller would agree with, as tables: what happens, and what is so afterwards.

mod stage;

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::{Batch, Limits, Mode, Settings};
use anteroom_queue::shard::command::{Refused, ShardReply, VisitorState};
use anteroom_queue::units::{Millis, UnixMillis};
use stage::{START, Stage, settings};

use Happens::*;
use Is::*;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Happens {
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
    Releases(u64),
    Leaves(u64),
    AsksForMinutes(u64, u64),
    Tries(u64, usize),
    Operator(Action),
}

/// What is so.
#[derive(Clone, Debug)]
enum Is {
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
    No(Refused),
    Over,
    /// The last answer's session ends so many seconds after it began.
    EndsAfter(u64),
}

type Table = Vec<(Vec<Happens>, Vec<Is>)>;

/// Plays the table and checks every row of it.
fn check(settings: Settings, table: Table) {
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

fn play(stage: &mut Stage, what: &Happens) -> Option<ShardReply> {
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
    }
}

fn verify(stage: &mut Stage, last: ShardReply, fact: &Is, told: &str) {
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

fn view(stage: &mut Stage, visitor: u64) -> (Option<u64>, VisitorState) {
    match stage.ask(visitor) {
        ShardReply::Place { place, .. } => (place.entry.map(|entry| entry.0), place.state),
        other => panic!("visitor {visitor} is answered {other:?}"),
    }
}

fn limits(max_active: Option<u32>, per_minute: Option<u32>, batch: Option<(u32, u64)>) -> Settings {
    settings(Limits {
        max_active,
        per_minute,
        batch: batch.map(|(size, every)| Batch {
            size,
            every: Millis::from_seconds(every),
        }),
    })
}

fn pause() -> Action {
    Action::Pause {
        reason: "a till is down".to_owned(),
        next_update_at: None,
    }
}

fn max_active(limit: u32) -> Action {
    Action::Retune {
        max_active: Some(Change::To(limit)),
        per_minute: None,
        batch: None,
    }
}

/// Two visitors who have joined, been numbered and been called.
fn two_called() -> (Vec<Happens>, Vec<Is>) {
    (
        vec![Joins(0, 0), Joins(1, 1), Seconds(2)],
        vec![Numbered(0, 0), Numbered(1, 1), CalledExactly(2)],
    )
}

/// The same, and then only one may be inside.
fn two_called_for_one_slot() -> (Vec<Happens>, Vec<Is>) {
    let (mut happens, is) = two_called();
    happens.extend([Operator(max_active(1)), Seconds(1)]);
    (happens, is)
}

/// The two claim one after the other.
fn both_claim() -> (Vec<Happens>, Vec<Is>) {
    (
        vec![Claims(0), Report(0), Claims(1), Report(1), Report(0)],
        vec![],
    )
}

#[test]
fn joins_are_numbered_in_the_order_in_which_their_shards_report() {
    check(
        limits(None, None, None),
        vec![
            (
                vec![Joins(0, 1), Joins(1, 0)],
                vec![Unnumbered(0), State(0, VisitorState::Provisional)],
            ),
            (
                vec![Report(0), Report(1)],
                vec![Numbered(1, 0), Numbered(0, 1)],
            ),
            (vec![Joins(2, 0), AnswerLost(0)], vec![Unnumbered(2)]),
            (
                vec![Joins(3, 1), Report(1), Report(0)],
                vec![Numbered(2, 2), Numbered(3, 3)],
            ),
        ],
    );
}

#[test]
fn one_permit_is_one_place_however_often_it_joins() {
    check(
        limits(None, None, None),
        vec![
            (
                vec![Joins(0, 0), Joins(0, 0), Report(0), Joins(0, 0)],
                vec![Numbered(0, 0)],
            ),
            (vec![JoinsLate(0, 0)], vec![Numbered(0, 0)]),
            (vec![JoinsLate(1, 0)], vec![No(Refused::PermitExpired)]),
            (vec![Joins(2, 0), Report(0)], vec![Numbered(2, 1)]),
        ],
    );
}

#[test]
fn late_joins_are_numbered_by_the_second_of_their_arrival() {
    check(
        limits(None, None, None),
        vec![
            (
                vec![Joins(0, 0), Silence(2), Joins(1, 1), Silence(3)],
                vec![],
            ),
            (
                vec![Report(1), Report(0)],
                vec![Unnumbered(0), Unnumbered(1)],
            ),
            (vec![Seconds(3)], vec![Numbered(0, 0), Numbered(1, 1)]),
        ],
    );
}

#[test]
fn a_visitor_claims_when_called_and_is_let_in_once() {
    check(
        limits(None, Some(600), None),
        vec![
            (
                vec![Joins(0, 0), Seconds(1)],
                vec![State(0, VisitorState::Called)],
            ),
            (
                vec![Claims(0), Report(0), Claims(0)],
                vec![LetIn(0), State(0, VisitorState::Admitted)],
            ),
            (
                vec![Claims(0), Claims(0), Seconds(1)],
                vec![LetIn(0), Granted(1), Active(1)],
            ),
        ],
    );
}

#[test]
fn who_is_not_called_waits_and_is_told_so() {
    check(
        limits(Some(1), None, None),
        vec![
            (
                vec![Crowd(0, 400, 0), Seconds(2), Claims(399)],
                vec![No(Refused::NotCalled)],
            ),
            (
                vec![Claims(0), Seconds(1), Claims(0)],
                vec![LetIn(0), State(399, VisitorState::Waiting)],
            ),
        ],
    );
}

#[test]
fn no_more_are_inside_than_may_be_and_a_free_slot_goes_to_the_next() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (vec![Claims(0)], vec![LetIn(0), Active(1), Pending(1)]),
            (
                vec![Claims(1), Seconds(5), Claims(1)],
                vec![Waits, Granted(1)],
            ),
            (vec![Releases(0)], vec![Over, State(0, VisitorState::Ended)]),
            (
                vec![Seconds(1), Claims(1)],
                vec![LetIn(0), Granted(2), Active(1)],
            ),
            (vec![Claims(0)], vec![No(Refused::Ended)]),
        ],
    );
}

#[test]
fn a_limit_below_those_inside_lets_nobody_in_until_they_are_gone() {
    check(
        limits(Some(2), None, None),
        vec![
            (
                vec![
                    Crowd(0, 4, 0),
                    Seconds(2),
                    Claims(0),
                    Claims(1),
                    Claims(2),
                    Seconds(1),
                ],
                vec![Granted(2)],
            ),
            (
                vec![Claims(0), Claims(1), Operator(max_active(1)), Seconds(2)],
                vec![Active(2), Granted(2)],
            ),
            (
                vec![Releases(0), Claims(2), Seconds(2)],
                vec![Active(1), Granted(2)],
            ),
            (
                vec![Releases(1), Seconds(2), Claims(2), Report(0), Claims(2)],
                vec![LetIn(0), Active(1), Granted(3)],
            ),
        ],
    );
}

#[test]
fn a_rate_lets_in_one_second_of_it_at_once_and_then_keeps_its_pace() {
    check(
        limits(None, Some(60), None),
        vec![
            (
                vec![
                    Crowd(0, 8, 0),
                    Seconds(10),
                    Claims(0),
                    Claims(1),
                    Claims(2),
                    Claims(3),
                ],
                vec![Granted(0)],
            ),
            (vec![Report(0)], vec![Granted(1)]),
            (vec![Seconds(1)], vec![Granted(2)]),
            (vec![Seconds(2)], vec![Granted(4)]),
        ],
    );
}

#[test]
fn a_batch_is_let_in_at_the_start_of_its_period_and_nothing_is_carried_over() {
    check(
        limits(None, None, Some((2, 30))),
        vec![
            (vec![Crowd(0, 8, 0), Seconds(2)], vec![CalledAtLeast(2)]),
            (
                vec![Claims(0), Claims(1), Claims(2), Seconds(1)],
                vec![Granted(2)],
            ),
            (
                vec![Claims(0), Claims(1), Seconds(25), Claims(2)],
                vec![Granted(2), Waits],
            ),
            (vec![Seconds(3)], vec![Granted(3)]),
        ],
    );
}

#[test]
fn all_limits_hold_at_once() {
    check(
        limits(Some(3), Some(600), Some((2, 30))),
        vec![
            (
                vec![
                    Crowd(0, 8, 0),
                    Seconds(2),
                    Claims(0),
                    Claims(1),
                    Claims(2),
                    Claims(3),
                    Seconds(1),
                ],
                vec![Granted(2)],
            ),
            (
                vec![
                    Claims(0),
                    Claims(1),
                    Seconds(24),
                    Claims(2),
                    Claims(3),
                    Seconds(4),
                ],
                vec![Granted(3), Active(3)],
            ),
            (
                vec![Releases(0), Releases(1), Seconds(2), Claims(3), Seconds(1)],
                vec![Granted(4), Active(2)],
            ),
        ],
    );
}

#[test]
fn an_offer_not_taken_within_the_hold_lapses_and_one_claimed_does_not() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (vec![Claims(1), Seconds(1), Claims(1)], vec![LetIn(0)]),
            (
                vec![Seconds(240), Renews(1)],
                vec![State(0, VisitorState::Called)],
            ),
            (vec![Seconds(120)], vec![State(0, VisitorState::Lapsed)]),
            (vec![Claims(0)], vec![No(Refused::Lapsed)]),
        ],
    );
}

#[test]
fn the_hold_stands_still_while_paused() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (
                vec![Operator(pause()), Seconds(900)],
                vec![State(0, VisitorState::Called)],
            ),
            (
                vec![Operator(Action::Resume), Seconds(60)],
                vec![State(0, VisitorState::Called)],
            ),
            (vec![Seconds(300)], vec![State(0, VisitorState::Lapsed)]),
        ],
    );
}

#[test]
fn nobody_is_let_in_while_a_brake_is_on() {
    let stop = Action::Stop {
        reason: String::new(),
        next_update_at: None,
    };
    let brakes = [
        (pause(), Action::Resume),
        (stop, Action::Resume),
        (Action::Soldout, Action::Open),
        (Action::Close, Action::Open),
    ];
    for (brake, release) in brakes {
        check(
            limits(Some(2), None, None),
            vec![
                two_called(),
                (
                    vec![Claims(0), Operator(brake), Seconds(3)],
                    vec![Granted(0), Pending(1)],
                ),
                (
                    vec![Operator(release), Seconds(1), Claims(0)],
                    vec![LetIn(0), Granted(1)],
                ),
            ],
        );
    }
}

#[test]
fn a_grant_not_fetched_before_the_brake_is_given_back_and_keeps_its_turn() {
    check(
        limits(Some(2), None, None),
        vec![
            (
                vec![
                    Crowd(0, 2, 0),
                    Seconds(2),
                    Operator(max_active(1)),
                    Seconds(1),
                ],
                vec![CalledExactly(2)],
            ),
            (
                vec![Claims(0), Claims(1), Report(0)],
                vec![Granted(1), Active(1)],
            ),
            (
                vec![Operator(pause()), Seconds(1), Claims(0)],
                vec![Waits, Active(0), Pending(2)],
            ),
            (
                vec![Operator(Action::Resume), Seconds(1), Claims(0)],
                vec![LetIn(0), Active(1), Pending(1)],
            ),
        ],
    );
}

#[test]
fn sessions_and_joins_go_on_while_paused() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (
                vec![Claims(0), Operator(pause()), Seconds(60), Renews(0)],
                vec![LetIn(0)],
            ),
            (vec![Joins(2, 0), Seconds(1)], vec![Numbered(2, 2)]),
        ],
    );
}

#[test]
fn sold_out_and_closed_take_no_joins_and_open_takes_them_again() {
    for (end, why) in [
        (Action::Soldout, Refused::SoldOut),
        (Action::Close, Refused::Closed),
    ] {
        check(
            limits(None, None, None),
            vec![
                (
                    vec![
                        Joins(0, 0),
                        Seconds(1),
                        Operator(end),
                        Seconds(1),
                        Joins(1, 0),
                    ],
                    vec![No(why)],
                ),
                (vec![Joins(0, 0)], vec![Numbered(0, 0)]),
                (
                    vec![Operator(Action::Open), Seconds(1), Joins(1, 0), Seconds(1)],
                    vec![Numbered(1, 1)],
                ),
            ],
        );
    }
}

#[test]
fn who_leaves_gives_the_claim_or_the_session_to_the_next() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (
                vec![Claims(0), Leaves(0), Seconds(1)],
                vec![State(0, VisitorState::Left), Granted(2)],
            ),
            (vec![Claims(1)], vec![LetIn(0)]),
            (vec![Joins(0, 0)], vec![State(0, VisitorState::Left)]),
            (vec![Claims(0)], vec![No(Refused::Left)]),
        ],
    );
}

#[test]
fn a_grant_that_crosses_a_leave_goes_to_the_next() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (
                vec![Claims(0), AnswerLost(0), Leaves(0), Claims(1), Report(1)],
                vec![Granted(1), Pending(1)],
            ),
            (
                vec![Seconds(1), Claims(1)],
                vec![LetIn(0), Granted(2), Active(1)],
            ),
        ],
    );
}

#[test]
fn a_grant_that_nobody_fetches_is_given_back_and_the_offer_stands_anew() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (vec![Seconds(20), Claims(1)], vec![Active(1), Waits]),
            (
                vec![Seconds(12), Claims(1)],
                vec![LetIn(0), State(0, VisitorState::Called)],
            ),
            (
                vec![Releases(1), Claims(0), Seconds(1), Claims(0)],
                vec![LetIn(0)],
            ),
        ],
    );
}

#[test]
fn a_claim_whose_visitor_is_away_is_taken_back() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (
                vec![Claims(0), Seconds(80)],
                vec![Pending(0), State(1, VisitorState::Called)],
            ),
            (vec![Claims(1), Report(1)], vec![Pending(1)]),
        ],
    );
}

#[test]
fn another_browser_takes_over_and_the_old_pass_is_not_renewed() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (vec![Claims(0), Seconds(1), Claims(0)], vec![LetIn(0)]),
            (vec![ClaimsElsewhere(0)], vec![LetIn(1)]),
            (vec![ClaimsElsewhere(0)], vec![LetIn(1)]),
            (vec![RenewsOldPass(0)], vec![No(Refused::Elsewhere)]),
            (vec![Renews(0)], vec![LetIn(1), Granted(1), Active(1)]),
        ],
    );
}

#[test]
fn a_session_ends_at_its_end_when_idle_and_when_released() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called(),
            both_claim(),
            (
                vec![Claims(0), Claims(1), Seconds(200), Renews(0), Seconds(120)],
                vec![State(1, VisitorState::Ended)],
            ),
            (vec![Renews(1)], vec![Over]),
            (
                vec![Renews(0), Seconds(200), Renews(0)],
                vec![LetIn(0), Active(1)],
            ),
            (vec![Seconds(100), Renews(0)], vec![Over, Active(0)]),
        ],
    );
}

#[test]
fn a_checkout_gets_more_time_up_to_the_most() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called(),
            (vec![Claims(0), Report(0), Claims(0)], vec![EndsAfter(602)]),
            (vec![AsksForMinutes(0, 2)], vec![EndsAfter(722)]),
            (vec![AsksForMinutes(0, 2)], vec![EndsAfter(782)]),
        ],
    );
}

#[test]
fn while_there_is_room_a_first_visit_is_let_in_at_once_and_leaves_nothing_behind_if_not() {
    let auto = Settings {
        mode: Mode::Auto,
        ..limits(Some(10), None, None)
    };
    check(
        auto,
        vec![
            (vec![Seconds(1), Tries(0, 0)], vec![Waits]),
            (vec![Report(0), Tries(0, 0)], vec![LetIn(0), Active(1)]),
            (
                vec![Renews(0), Seconds(70), Renews(0)],
                vec![LetIn(0), Active(1)],
            ),
            (
                vec![Tries(1, 0), Report(0), Tries(1, 0), Seconds(70)],
                vec![Active(1)],
            ),
            (vec![Joins(1, 0), Seconds(1)], vec![Numbered(1, 0)]),
            (
                vec![Operator(max_active(1)), Seconds(1), Tries(2, 0)],
                vec![No(Refused::NoRoom)],
            ),
        ],
    );
}

#[test]
fn joins_are_taken_from_the_prequeue_on_and_nobody_is_called_before_the_opening() {
    let at = |seconds: u64| Some(UnixMillis(START.0 + seconds * 1_000));
    let mut scheduled = limits(Some(5), None, None);
    scheduled.prequeue_at = at(60);
    scheduled.lines[0].opens_at = at(120);
    check(
        scheduled,
        vec![
            (vec![Seconds(10), Joins(0, 0)], vec![No(Refused::NotYet)]),
            (
                vec![Seconds(55), Joins(0, 0), Seconds(2)],
                vec![Numbered(0, 0), CalledExactly(0)],
            ),
            (vec![Seconds(50)], vec![CalledExactly(0)]),
            (
                vec![Seconds(10)],
                vec![CalledExactly(1), State(0, VisitorState::Called)],
            ),
        ],
    );
}

#[test]
fn a_shard_that_nobody_read_a_board_from_asks_before_it_refuses() {
    check(
        limits(Some(2), None, None),
        vec![
            (
                vec![
                    Joins(0, 0),
                    Report(0),
                    Silence(3),
                    Joins(1, 1),
                    Report(1),
                    Silence(3),
                    Report(1),
                ],
                vec![CalledExactly(2)],
            ),
            (vec![Claims(0)], vec![Waits]),
            (
                vec![Report(0), Claims(0), Report(0), Claims(0)],
                vec![LetIn(0)],
            ),
        ],
    );
}
