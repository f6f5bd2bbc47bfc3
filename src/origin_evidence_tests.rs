use super::*;

const NOW: UnixMillis = UnixMillis(1_800_000_000_000);
const SLOW: Millis = Millis(5_000);

fn ago(millis: u64) -> Option<UnixMillis> {
    Some(UnixMillis(NOW.0 - millis))
}

fn later(millis: u64) -> UnixMillis {
    NOW.plus(Millis(millis))
}

fn session(index: u32) -> SessionId {
    SessionId {
        home: 1,
        index,
        generation: 0,
    }
}

fn counts(answers: u32, failed: u32, slow: u32) -> OriginCounts {
    OriginCounts {
        answers,
        failed,
        slow,
    }
}

impl Evidence {
    /// A request of a session from `sent` to `ended`, in milliseconds from [`NOW`].
    fn hears(&mut self, index: u32, [sent, ended]: [u64; 2], heard: Heard) -> OriginCounts {
        let sent = self.begins(&session(index), true, later(sent));
        self.ends(sent, heard, SLOW, false, later(ended))
    }
}

#[test]
fn o9_nobody_is_let_in_unless_the_last_answer_was_good_and_is_young() {
    for (good_at, asked_at, is_asking, plan) in [
        (None, None, false, Plan::Ask),
        (ago(4_999), None, false, Plan::Trust),
        (ago(5_000), None, false, Plan::Ask),
        (ago(0), ago(0), true, Plan::Trust),
        (None, ago(500), true, Plan::Wait),
        (None, ago(2_000), true, Plan::Ask),
        (None, ago(999), false, Plan::Distrust),
        (None, ago(1_000), false, Plan::Ask),
        // The clock was set back.
        (Some(later(1)), None, false, Plan::Ask),
        (None, Some(later(1)), true, Plan::Ask),
    ] {
        let seen = Evidence {
            good_at,
            asked_at,
            is_asking,
            pause: ASKS_EVERY,
            ..Evidence::default()
        };
        assert_eq!(seen.plan(NOW), plan, "{seen:?}");
    }
}

#[test]
fn o9_a_visitor_who_sees_an_error_does_not_undo_what_the_edge_found_out_by_itself() {
    let mut seen = Evidence::default();
    seen.asks(NOW);
    seen.finds(Some(Heard::Good), 0, later(100));
    seen.hears(1, [200, 250], Heard::Failed);
    assert_eq!(seen.plan(later(300)), Plan::Trust);
    assert_eq!(seen.plan(later(5_100)), Plan::Ask, "the trust ran out");
    seen.asks(later(5_100));
    seen.finds(Some(Heard::Failed), 0, later(5_200));
    assert_eq!(seen.plan(later(5_300)), Plan::Distrust);
}

#[test]
fn o9_one_visitors_good_answers_are_no_trust_while_others_fail_nor_after_an_own_question_failed() {
    let mut seen = Evidence::default();
    seen.hears(1, [0, 10], Heard::Good);
    assert_eq!(seen.plan(later(15)), Plan::Trust, "nobody has failed");
    seen.hears(2, [20, 30], Heard::Failed);
    let keeps_asking = |seen: &mut Evidence, from: u64, until: u64| {
        for at in (from..until).step_by(60) {
            seen.hears(1, [at, at + 5], Heard::Good);
            assert_ne!(seen.plan(later(at + 6)), Plan::Trust, "{at}");
        }
    };
    keeps_asking(&mut seen, 40, 5_000);
    seen.asks(later(5_000));
    seen.finds(Some(Heard::Failed), 0, later(5_010));
    keeps_asking(&mut seen, 5_020, 60_000);
    seen.asks(later(60_000));
    seen.finds(Some(Heard::Good), 0, later(60_010));
    assert_eq!(seen.plan(later(60_020)), Plan::Trust);
    seen.hears(1, [65_000, 65_005], Heard::Good);
    assert_eq!(seen.plan(later(66_000)), Plan::Trust, "it is over");
}

#[test]
fn o9_after_a_failure_the_next_claim_asks() {
    let mut seen = Evidence::default();
    seen.hears(1, [0, 10], Heard::Good);
    seen.hears(2, [20, 30], Heard::Failed);
    assert_eq!(seen.plan(later(40)), Plan::Ask);
    seen.hears(1, [5_040, 5_050], Heard::Good);
    assert_eq!(seen.plan(later(5_060)), Plan::Trust, "long ago");
}

#[test]
fn o9_a_shop_that_fails_is_asked_less_and_less_often_and_one_that_answers_once_a_second() {
    for dice in [0, 1, u64::MAX, 7_919] {
        let mut seen = Evidence::default();
        let mut at = NOW;
        let mut pauses = Vec::new();
        for _ in 0..40 {
            assert!(seen.may_ask(at));
            seen.asks(at);
            assert!(!seen.may_ask(at.plus(Millis(1_999))), "it is being asked");
            seen.finds(Some(Heard::Failed), dice, at);
            let asked = at;
            while !seen.may_ask(at) || at.since(asked) < Millis(750) {
                at = at.plus(Millis(10));
            }
            pauses.push(at.since(asked).0);
        }
        for (pause, most) in pauses.iter().zip([1_000, 2_000, 4_000, 8_000, 10_000]) {
            assert!((most * 3 / 4..=most).contains(pause), "{pauses:?}");
        }
        assert!(pauses[4..].iter().all(|pause| *pause >= 7_500));
        seen.asks(at);
        seen.finds(Some(Heard::Good), dice, at);
        assert!(!seen.may_ask(at.plus(Millis(999))));
        assert!(seen.may_ask(at.plus(ASKS_EVERY)));
    }
}

#[test]
fn o7_a_session_with_a_hundred_slow_requests_is_slow_once_however_they_end() {
    let mut seen = Evidence::default();
    let sent: Vec<Sent> = (0..100)
        .map(|_| seen.begins(&session(1), true, NOW))
        .collect();
    let other = seen.begins(&session(2), true, NOW);
    assert_eq!(
        seen.takes_stock(SLOW, false, later(5_000)),
        OriginCounts::NONE
    );
    assert_eq!(
        seen.takes_stock(SLOW, false, later(7_000)),
        counts(2, 0, 2),
        "before they end"
    );
    assert_eq!(
        seen.takes_stock(SLOW, false, later(7_500)),
        OriginCounts::NONE
    );
    for sent in sent.into_iter().chain([other]) {
        let heard = seen.ends(sent, Heard::Good, SLOW, false, later(8_000));
        assert_eq!(heard, OriginCounts::NONE, "it was counted");
    }
    assert!(seen.under_way.is_empty());
    assert_eq!(seen.hears(3, [8_000, 13_001], Heard::Good), counts(1, 0, 1));
    assert_eq!(
        seen.hears(3, [8_100, 13_200], Heard::Good),
        OriginCounts::NONE
    );
}

#[test]
fn o7_a_request_whose_body_the_visitor_may_send_slowly_is_never_slow() {
    let mut seen = Evidence::default();
    let sent = seen.begins(&session(1), false, NOW);
    assert_eq!(
        seen.takes_stock(SLOW, false, later(60_000)),
        OriginCounts::NONE
    );
    let heard = seen.ends(sent, Heard::Good, SLOW, false, later(60_000));
    assert_eq!(heard, counts(1, 0, 0));
}

/// What 30 s of a crowd come to, each of whom asks ten times a second: the first `failing` of them are answered by turns,
/// well and badly.
fn crowd(sessions: u32, failing: u32) -> OriginCounts {
    let mut seen = Evidence::default();
    let mut sum = OriginCounts::NONE;
    for at in (0..30_000).step_by(100) {
        for index in 0..sessions {
            let heard = match index < failing && at % 200 == 0 {
                true => Heard::Failed,
                false => Heard::Good,
            };
            sum.add(seen.hears(index, [at, at + 10], heard));
        }
        sum.add(seen.takes_stock(SLOW, false, later(at + 20)));
    }
    sum
}

#[test]
fn o7_a_session_counts_once_in_a_window_bad_as_soon_as_one_of_its_answers_is() {
    assert_eq!(crowd(100, 0), counts(600, 0, 0));
    assert_eq!(crowd(100, 20), counts(600, 120, 0));
    assert_eq!(crowd(100, 100), counts(600, 600, 0));
    let mut seen = Evidence::default();
    assert_eq!(seen.hears(1, [0, 10], Heard::Good), counts(1, 0, 0));
    assert_eq!(seen.hears(1, [20, 30], Heard::Failed), counts(0, 1, 0));
    assert_eq!(seen.hears(1, [40, 50], Heard::Failed), OriginCounts::NONE);
    assert_eq!(seen.hears(2, [60, 70], Heard::Failed), counts(1, 1, 0));
    assert_eq!(seen.hears(2, [80, 90], Heard::Good), OriginCounts::NONE);
}

#[test]
fn o7_of_few_sessions_each_ones_trouble_counts_once_as_long_as_a_window_may_last() {
    assert_eq!(crowd(1, 1).failed, 1);
    assert_eq!(crowd(4, 1), counts(24, 1, 0), "one of four is no share");
    assert_eq!(crowd(4, 4).failed, 4, "of four, all");
    assert_eq!(crowd(19, 10).failed, 10);
    let mut seen = Evidence::default();
    let mut sum = OriginCounts::NONE;
    for at in (0..30_000).step_by(500) {
        sum.add(seen.hears(1, [at, at + 10], Heard::Failed));
    }
    assert_eq!(sum, counts(1, 1, 0), "not four failures of four");
}

#[test]
fn o7_whoever_asks_for_what_always_comes_makes_no_share_smaller() {
    let mut seen = Evidence::default();
    let mut sum = OriginCounts::NONE;
    for at in (0..5_000).step_by(20) {
        sum.add(seen.hears(0, [at, at + 10], Heard::Good));
        if at < 600 {
            let index = 1 + u32::try_from(at / 20).unwrap();
            sum.add(seen.hears(index, [at, at + 10], Heard::Failed));
        }
    }
    assert_eq!(sum, counts(31, 30, 0));
}

#[test]
fn o7_while_the_admissions_pause_no_answer_to_a_session_counts() {
    let mut seen = Evidence::default();
    for heard in [Heard::Good, Heard::Failed] {
        let sent = seen.begins(&session(1), true, NOW);
        assert_eq!(
            seen.ends(sent, heard, SLOW, true, later(10)),
            OriginCounts::NONE
        );
    }
    seen.begins(&session(2), true, NOW);
    assert_eq!(
        seen.takes_stock(SLOW, true, later(9_000)),
        OriginCounts::NONE
    );
    seen.asks(later(9_000));
    assert_eq!(
        seen.finds(Some(Heard::Failed), 0, later(9_100)),
        counts(1, 1, 0)
    );
}

#[test]
fn o7_sessions_beyond_those_that_are_told_apart_do_not_count_and_are_forgotten_in_time() {
    let mut seen = Evidence::default();
    let most = u32::try_from(MOST_TOLD_APART).unwrap();
    let failing = |seen: &mut Evidence, at| {
        (0..=most)
            .map(|index| seen.hears(index, [at, at], Heard::Failed).failed)
            .sum::<u32>()
    };
    assert_eq!(failing(&mut seen, 0), most);
    seen.takes_stock(SLOW, false, later(29_999));
    assert_eq!(seen.told.len(), MOST_TOLD_APART);
    seen.takes_stock(SLOW, false, later(30_000));
    assert!(seen.told.is_empty());
}

#[test]
fn what_fails_is_the_same_for_visitors_and_for_questions() {
    for (status, heard) in [
        (200, Heard::Good),
        (302, Heard::Good),
        (403, Heard::Good),
        (499, Heard::Good),
        (500, Heard::Failed),
        (501, Heard::Good),
        (502, Heard::Failed),
        (503, Heard::Failed),
        (599, Heard::Failed),
    ] {
        assert_eq!(Heard::of_status(status), heard, "{status}");
    }
}
