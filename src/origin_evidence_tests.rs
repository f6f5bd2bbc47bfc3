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
fn o9_after_a_failure_the_next_claim_asks_and_a_second_of_the_same_session_changes_nothing() {
    let mut seen = Evidence::default();
    seen.hears(1, [0, 10], Heard::Good);
    seen.hears(2, [20, 30], Heard::Failed);
    assert_eq!(seen.plan(later(40)), Plan::Ask);
    seen.hears(1, [50, 60], Heard::Good);
    seen.hears(2, [70, 80], Heard::Failed);
    assert_eq!(seen.plan(later(90)), Plan::Trust);
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

#[test]
fn o7_a_visitor_who_provokes_errors_is_one_visitor_in_trouble_and_good_answers_all_count() {
    let mut seen = Evidence::default();
    let mut sum = OriginCounts::NONE;
    for at in (0..10_000).step_by(100) {
        sum.add(seen.hears(1, [at, at + 10], Heard::Failed));
        sum.add(seen.hears(2, [at, at + 10], Heard::Good));
        seen.takes_stock(SLOW, false, later(at + 20));
    }
    assert_eq!(sum, counts(102, 2, 0));
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
    seen.takes_stock(SLOW, false, later(5_000));
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
