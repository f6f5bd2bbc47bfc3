use super::*;

const NOW: UnixMillis = UnixMillis(1_000_000);

fn network(address: &str) -> Whose {
    Whose::Network(Network::of_customer(Some(address)))
}

fn browser(nonce: u8, claim: u8) -> Whose {
    Whose::Browser([nonce; 16], ClaimId([claim; 16]))
}

fn place_in(nonce: u8, address: &str) -> Whose {
    Whose::PlaceIn([nonce; 16], Network::of_customer(Some(address)))
}

/// How many of one kind are taken before one has to wait, and how long it waits.
fn taken(seen: &mut Seen, action: Action, whose: Whose) -> (u32, Millis) {
    for count in 0.. {
        let waits = seen.waits(action, whose, NOW);
        let taken = seen.take(action, whose, NOW);
        assert_eq!(taken.err(), waits, "what has to wait is not taken");
        if let Some(wait) = waits {
            return (count, wait);
        }
    }
    unreachable!("everything has a limit")
}

// Q6.
#[test]
fn each_kind_has_its_limit_for_each_network_and_place() {
    let mut seen = Seen::nothing();
    let here = network("192.0.2.7");
    for (action, whose, most, wait) in [
        (Action::Permit, here, 6_000, MINUTE),
        (Action::Guess, here, 20, MINUTE),
        (Action::Poll, here, 25_000, TEN_SECONDS),
        (Action::Poll, browser(1, 1), 200, TEN_SECONDS),
        (Action::Poll, browser(1, 2), 200, TEN_SECONDS),
        (Action::Poll, browser(2, 1), 200, TEN_SECONDS),
        (Action::Poll, place_in(1, "192.0.2.7"), 2_000, TEN_SECONDS),
        (Action::Poll, place_in(1, "192.0.2.8"), 2_000, TEN_SECONDS),
        (Action::Guess, Whose::Code([1; 16]), 20, MINUTE),
        (Action::Guess, network("192.0.2.8"), 20, MINUTE),
    ] {
        assert_eq!(taken(&mut seen, action, whose), (most, wait), "{action:?}");
    }
    let later = NOW.plus(TEN_SECONDS);
    assert_eq!(seen.waits(Action::Poll, browser(1, 1), later), None);
}

#[test]
fn tries_at_once_are_as_few_as_one_after_the_other_and_no_code_of_ours_waits_for_them() {
    let here = Network::of_customer(Some("198.51.100.200"));
    let tried: Vec<_> = (0..40).map(|_| guess_of(here, None, NOW)).collect();
    assert_eq!(tried.iter().filter(|guess| guess.is_ok()).count(), 20);
    for code in 0..100 {
        let code = guess_of(here, Some([code; 16]), NOW).expect("made by an edge");
        code.was_right();
    }
    let one = || guess_of(here, Some([200; 16]), NOW);
    assert_eq!((0..30).filter(|_| one().is_ok()).count(), 20);
    tried.into_iter().flatten().for_each(Guess::was_right);
    assert!(guess_of(here, None, NOW).is_ok(), "they were codes");
}

#[test]
fn a_look_that_is_refused_for_one_of_two_reasons_counts_for_neither() {
    let mut seen = Seen::nothing();
    let (browser, place) = (browser(1, 1), place_in(1, "192.0.2.7"));
    let counted = seen.counted(Action::Poll);
    for _ in 0..Action::Poll.most(place) {
        counted.count((Action::Poll, place), NOW);
    }
    let look = seen.take_all(Action::Poll, &[browser, place], NOW);
    assert_eq!(look, Err(TEN_SECONDS));
    assert_eq!(
        seen.counted(Action::Poll)
            .of((Action::Poll, browser), NOW)
            .0,
        0
    );
}

// P22.
#[test]
fn the_platforms_limit_of_a_place_is_never_asked_about_a_network() {
    let here = network("192.0.2.7");
    assert_eq!(Action::Poll.binding(browser(1, 1)), Some("RATE_POLLS"));
    assert_eq!(Action::Poll.binding(place_in(1, "192.0.2.7")), None);
    assert_eq!(Action::Guess.binding(Whose::Code([1; 16])), None);
    assert_eq!(Action::Poll.binding(here), None);
    assert_eq!(Action::Permit.binding(here), Some("RATE_PERMITS"));
    assert_eq!(Action::Guess.binding(here), Some("RATE_CODES"));
}

#[test]
fn what_the_platform_refuses_waits_as_long_as_it_counts_but_a_permit_only_costs_more() {
    let mut seen = Seen::nothing();
    let here = network("192.0.2.7");
    for (action, expected) in [
        (Action::Permit, None),
        (Action::Guess, Some(MINUTE)),
        (Action::Poll, Some(TEN_SECONDS)),
    ] {
        seen.refused(action).count((action, here), NOW);
        assert_eq!(seen.waits(action, here, NOW), expected, "{action:?}");
        let there = network("192.0.2.8");
        assert_eq!(seen.waits(action, there, NOW), None, "{action:?}");
    }
}

#[test]
fn a_network_and_a_place_are_never_told_apart_by_less_than_all_of_them() {
    let all = [
        network("192.0.2.7").bytes(),
        network("192.0.2.8").bytes(),
        network("2001:db8::1").bytes(),
        browser(0, 0).bytes(),
        browser(0, 1).bytes(),
        place_in(0, "192.0.2.7").bytes(),
        Whose::Code([0; 16]).bytes(),
    ];
    for (at, one) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|other| other != one));
    }
}
