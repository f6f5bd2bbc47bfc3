use super::*;

const HOLD: Millis = Millis::from_minutes(30);

/// Calls every quarter of a second for twenty minutes. Ten a second can be granted; `share` in
/// a hundred of the called claim, three seconds later. Returns the grants of the last minute.
fn grants_of_last_minute(share: u64) -> u64 {
    let mut calling = Calling::default();
    let (mut called, mut coming) = (0, vec![0; 12]);
    let (mut answered, mut granted, mut granted_before) = (0, 0, 0);
    for step in 0..20 * 240_u64 {
        if step == 19 * 240 {
            granted_before = granted;
        }
        calling.run_hold(true, UnixMillis(1_000_000 + step * 250));
        answered += coming.remove(0);
        granted += (answered - granted).min(2 + step % 2);
        let counts = Counts {
            called,
            answered,
            pending: answered - granted,
            waiting: u64::MAX / 2,
        };
        let room = Room {
            soon: 100,
            half_hold: 9_000,
        };
        let more = calling.to_call(&counts, HOLD, &room);
        if more > 0 {
            calling.note(called, called + more, answered, HOLD);
        }
        coming.push(((called + more) * share / 100) - (called * share / 100));
        called += more;
    }
    granted - granted_before
}

#[test]
fn no_shows_cost_no_throughput() {
    for share in [100, 80, 50, 30] {
        let granted = grants_of_last_minute(share);
        assert!(
            granted >= 595,
            "{granted} of 600 grants with a show-up rate of {share} %"
        );
    }
}

#[test]
fn thousands_who_never_come_hold_nobody_up_until_the_hold_is_over() {
    let mut calling = Calling::default();
    let (mut called, mut seconds) = (0, 0);
    while called < 20_000 {
        seconds += 1;
        assert!(
            seconds < 600,
            "{called} of 20,000 absent called after ten minutes"
        );
        calling.run_hold(true, UnixMillis(1_000_000 + seconds * 1_000));
        let counts = Counts {
            called,
            answered: 0,
            pending: 0,
            waiting: 20_000 - called,
        };
        let more = calling.to_call(
            &counts,
            HOLD,
            &Room {
                soon: 500,
                half_hold: 750,
            },
        );
        if more > 0 {
            calling.note(called, called + more, 0, HOLD);
        }
        called += more;
    }
}

#[test]
fn the_show_up_rate_starts_at_one_and_is_learned() {
    let mut calling = Calling::default();
    assert_eq!(calling.show_up_ppm(0), 1_000_000);
    for second in 0..300 {
        calling.run_hold(true, UnixMillis(1_000_000 + second * 1_000));
        calling.note(second * 100, (second + 1) * 100, second * 30, HOLD);
    }
    let learned = calling.show_up_ppm(299 * 30);
    assert!((300_000..350_000).contains(&learned), "{learned}");
    assert_eq!(calling.show_up_ppm(0), 200_000, "never below a fifth");
}

#[test]
fn offers_lapse_after_the_hold_and_their_times_are_on_the_board() {
    let mut calling = Calling::default();
    calling.run_hold(true, UnixMillis(1_000_000));
    calling.note(0, 10, 0, HOLD);
    let [offer] = calling.offers(HOLD)[..] else {
        panic!("one offer")
    };
    assert_eq!(
        offer,
        Offer {
            below: Rank(10),
            stands_until: UnixMillis(1_000_000 + HOLD.0)
        }
    );
    for minute in 1..30 {
        calling.run_hold(true, UnixMillis(1_000_000 + minute * 60_000));
    }
    assert_eq!(calling.lapsed(HOLD), 0);
    calling.run_hold(true, UnixMillis(1_000_000 + 30 * 60_000));
    assert_eq!(calling.lapsed(HOLD), 10);
    assert_eq!(calling.offers(HOLD), []);
}

#[test]
fn a_clock_that_jumps_forward_takes_nobodys_turn() {
    let mut calling = Calling::default();
    calling.run_hold(true, UnixMillis(1_000_000));
    calling.note(0, 10, 0, HOLD);
    calling.run_hold(true, UnixMillis(1_000_000 + 3_600_000));
    assert_eq!(calling.lapsed(HOLD), 0);
}

#[test]
fn the_pace_is_unknown_until_it_is_measured() {
    let mut calling = Calling::default();
    for second in 0..20 {
        calling.note_pace(second * 10, UnixMillis(second * 1_000));
    }
    assert_eq!(calling.advance(), None);
    for second in 20..130 {
        calling.note_pace(second * 10, UnixMillis(second * 1_000));
    }
    let advance = calling.advance().unwrap();
    assert_eq!(advance.likely_milli_per_minute, 600_000);
    assert_eq!(advance.least_milli_per_minute, 400_000);
}
