use super::*;
use crate::networks::MOST_WAITED;
use crate::samples;
use anteroom_challenge::search;
use anteroom_queue::board::Phase;
use anteroom_queue::units::EntryNumber;

const ISSUED: u64 = 1_000;

fn network(address: &str) -> Network {
    Network::of_provider(Some(address))
}

fn signals(joins: u32) -> Signals {
    Signals {
        network: network("192.0.2.7"),
        joins,
        above_plan: false,
        unlike_a_browser: false,
        kind: NetworkKind::Unknown,
    }
}

fn more(signals: Signals) -> u8 {
    difficulty(Difficulty::BASE.bits(), &signals).bits() - Difficulty::BASE.bits()
}

fn permit(bits: Option<u8>) -> Permit {
    Permit {
        nonce: [7; 16],
        home: 0,
        issued_at: ISSUED,
        expires_at: ISSUED + 300,
        challenge: bits.map_or(Challenge::None, |bits| Challenge::Work { bits }),
        arrived_at: None,
    }
}

// P22: the worst is eight times the work, and nobody is refused.
#[test]
fn more_work_is_asked_of_networks_that_many_joins_come_from_up_to_eight_times() {
    for (joins, bits) in [
        (0, 0),
        (63, 0),
        (64, 1),
        (255, 1),
        (256, 2),
        (1_024, 3),
        (u32::MAX, 3),
    ] {
        assert_eq!(more(signals(joins)), bits, "{joins} joins");
    }
    let v6 = |joins| Signals {
        network: network("2001:db8::1"),
        ..signals(joins)
    };
    for (joins, bits) in [(15, 0), (16, 1), (64, 2), (256, 3)] {
        assert_eq!(more(v6(joins)), bits, "{joins} joins over IPv6");
    }
}

#[test]
fn signals_add_up_to_three_bits_and_a_carriers_phones_are_asked_for_one_at_most() {
    let odd = Signals {
        above_plan: true,
        unlike_a_browser: true,
        ..signals(0)
    };
    assert_eq!(more(odd), 2);
    let rented = |signals| Signals {
        kind: NetworkKind::DataCentre,
        ..signals
    };
    assert_eq!((more(rented(signals(0))), more(rented(odd))), (2, 3));
    let phones = Signals {
        kind: NetworkKind::Carrier,
        joins: 100_000,
        ..odd
    };
    assert_eq!(more(phones), 1);
}

#[test]
fn more_visitors_than_were_planned_for_are_a_signal() {
    let mut board = samples::board(Phase::Open);
    board.lines[0].entries = EntryNumber(1_000);
    assert!(!is_above_plan(&board, 1_000) && is_above_plan(&board, 999));
}

// P16: less work than the widget costs nobody.
#[test]
fn in_place_of_the_widget_four_times_the_work_or_wait_does_whatever_else_is_asked_for() {
    let (widget, both) = (
        Challenge::Turnstile { bits: 16 },
        Challenge::WorkAndTurnstile { bits: 16 },
    );
    for (challenge, alone) in [
        (Challenge::None, None),
        (Challenge::Work { bits: 16 }, Some(16)),
        (widget, Some(18)),
        (both, Some(18)),
        (Challenge::Turnstile { bits: 23 }, Some(24)),
    ] {
        assert_eq!(bits_alone(challenge), alone, "{challenge:?}");
    }
    let instead =
        json!({"kind": "turnstile", "puzzles": 32, "or_wait_seconds": 60, "instead_bits": 18});
    assert_eq!(document(widget), instead);
    assert_eq!(document(both)["bits"], 16);
    let permit = Permit {
        challenge: widget,
        ..permit(None)
    };
    let at = |seconds: u64| UnixMillis((ISSUED + seconds) * 1_000);
    let until = |now| waits_until(&permit, permit.nonce, network("192.0.2.7"), now);
    assert_eq!((until(at(56)), until(at(57))), (Some(at(57)), None));
}

// P14.
#[test]
fn work_that_was_done_beside_the_widget_leads_to_more_of_it_when_the_widget_is_silent() {
    let room = samples::room(json!([{ "id": "general" }]));
    let permit = Permit {
        challenge: Challenge::WorkAndTurnstile { bits: 2 },
        ..permit(None)
    };
    let token = room.tokens.seal_permit(&permit);
    let seed = Seed(permit_signature(&token).unwrap());
    let ask = |bits: u8| {
        // The first that does for so much, and for no more.
        let (enough, more) = (
            Difficulty::new(bits).unwrap(),
            Difficulty::new(bits + 1).unwrap(),
        );
        let solution = (0..).map(|from| {
            Solution::new(core::array::from_fn(|index| {
                search(&seed, index as u8, enough, 64 * from, u32::MAX).unwrap()
            }))
        });
        let text = solution
            .take(64)
            .find(|solution| !solution.holds(&seed, more))
            .unwrap()
            .to_string();
        let now = UnixMillis(ISSUED * 1_000);
        let whose = permit.nonce;
        check(
            &permit,
            &token,
            Some(&text),
            whose,
            network("192.0.2.7"),
            now,
        )
        .map_err(|problem| problem.kind())
    };
    assert_eq!(ask(4), Ok(Done::Worked));
    assert_eq!(
        ask(2),
        Err("unsolved"),
        "the same permit is good for the rest"
    );
    assert_eq!(ask(1), Err("unusable-field"));
}

// P1, P2, P5.
#[test]
fn work_holds_for_its_permit_only_and_what_is_no_solution_is_refused() {
    let room = samples::room(json!([{ "id": "general" }]));
    let permit = permit(Some(4));
    let token = room.tokens.seal_permit(&permit);
    let seed = Seed(permit_signature(&token).unwrap());
    let four = Difficulty::new(4).unwrap();
    let solution = Solution::new(core::array::from_fn(|index| {
        search(&seed, index as u8, four, 0, u32::MAX).unwrap()
    }));
    let ask = |permit: &Permit, token: &str, solution: &str| {
        let now = UnixMillis(ISSUED * 1_000);
        let whose = permit.nonce;
        check(
            permit,
            token,
            Some(solution),
            whose,
            network("192.0.2.7"),
            now,
        )
    };
    let text = solution.to_string();
    assert_eq!(ask(&permit, &token, &text), Ok(Done::Worked));
    let other = Permit {
        nonce: [8; 16],
        ..permit.clone()
    };
    let of_other = room.tokens.seal_permit(&other);
    assert_eq!(ask(&other, &of_other, &text).unwrap_err().status(), 422);
    let zero = "0".repeat(256);
    assert_eq!(
        ask(&permit, &token, &zero).unwrap_err().named_field(),
        Some("solution")
    );
    assert_eq!(ask(&permit, &token, "x").unwrap_err().status(), 400);
}

#[test]
fn who_cannot_work_waits_and_a_network_may_do_so_a_few_times() {
    let here = network("203.0.113.7");
    let mut people = 0;
    let mut ask = |permit: &Permit, seconds: f64, at: Network| {
        people += 1;
        let now = UnixMillis((1_000.0 * seconds) as u64);
        let done = check(permit, "a.b.c", None, [people; 16], at, now);
        let did = match &done {
            Ok(Done::Waited(_)) => Ok("waited"),
            Ok(_) => Ok("nothing"),
            Err(problem) => Err(problem.kind()),
        };
        if let Ok(done) = done {
            done.used();
        }
        did
    };
    let issued = ISSUED as f64;
    assert_eq!(ask(&permit(None), issued, here), Ok("nothing"));
    for (bits, wait) in [(16, 14.25), (17, 28.5), (19, 114.0), (24, 171.0)] {
        let permit = permit(Some(bits));
        assert_eq!(ask(&permit, issued + wait - 0.01, here), Err("unsolved"));
        assert_eq!(ask(&permit, issued + wait, here), Ok("waited"));
    }
    let patient = permit(Some(16));
    for _ in 4..MOST_WAITED {
        assert_eq!(ask(&patient, issued + 20.0, here), Ok("waited"));
    }
    assert_eq!(ask(&patient, issued + 20.0, here), Err("unsolved"));
    let there = network("198.51.100.7");
    assert_eq!(ask(&patient, issued + 20.0, there), Ok("waited"));
    assert_eq!(ask(&patient, issued + 700.0, here), Ok("waited"), "later");
}

// P18.
#[test]
fn forty_who_wait_at_once_are_ten_and_a_join_sent_again_is_none_more() {
    let here = network("203.0.114.7");
    let permit = permit(Some(16));
    let now = UnixMillis((ISSUED + 20) * 1_000);
    let ask = |person: u8| check(&permit, "a.b.c", None, [person; 16], here, now);
    let mut all: Vec<_> = (0..40).filter_map(|person| ask(person).ok()).collect();
    assert_eq!(all.len(), MOST_WAITED as usize);
    assert!(ask(0).is_ok(), "sent again while the first is under way");
    assert!(ask(10).is_err());
    all.pop();
    assert!(ask(10).is_ok(), "no place was made with the one before");
    all.into_iter().for_each(Done::used);
    assert!(ask(0).is_ok(), "the answer was lost");
    assert_eq!(networks::with(|seen| seen.waits.of(here, now)), 9);
}

// Q2.
#[test]
fn a_permit_joins_for_half_of_what_is_asked_by_then_and_nobody_is_asked_twice() {
    let asks = |bits| Challenge::Work { bits };
    for (permit, now, raised_to) in [
        (16, 16, None),
        (16, 17, None),
        (16, 18, Some(18)),
        (16, 19, Some(19)),
        (17, 18, None),
        (17, 19, Some(19)),
        (19, 16, None),
    ] {
        let raised = raised(asks(permit), now);
        assert_eq!(raised, raised_to.map(asks), "{permit} {now}");
        if let Some(raised) = raised {
            let worst = 16 + Difficulty::MOST_MORE;
            assert_eq!(super::raised(raised, worst), None, "asked once");
        }
    }
    assert_eq!(raised(Challenge::None, 19), None);
    let both = |bits| Challenge::WorkAndTurnstile { bits };
    assert_eq!(raised(both(16), 18), Some(both(18)));
    let widget = |bits| Challenge::Turnstile { bits };
    assert_eq!(raised(widget(16), 18), Some(widget(18)));
}
