use super::*;
use crate::samples;

const YOUNG: Millis = Millis(500);

pub fn asked<'a>(board: &'a Board, pass: Option<&'a Pass>) -> Asked<'a> {
    Asked {
        now: 1_050,
        safe: true,
        takes_nothing: false,
        preflight: false,
        pass,
        is_elsewhere: false,
        has_place: false,
        first_line: Some(0),
        pass_seconds: 180,
        board: Some((board, YOUNG)),
        crawler: false,
        configured_mode: Mode::Always,
    }
}

pub fn board(mode: Mode) -> Board {
    Board {
        mode,
        ..samples::board(Phase::Open)
    }
}

#[test]
fn every_mode_treats_visitors_with_and_without_a_pass_as_it_says() {
    let pass = samples::pass();
    let through = Decision::Forward(With::Pass { renew: false });
    let rows = [
        (Mode::Always, false, Decision::Room(Why::Queue)),
        (Mode::Always, true, through.clone()),
        (Mode::Auto, false, Decision::Try),
        (Mode::Auto, true, through.clone()),
        (Mode::Rate, false, Decision::Try),
        (Mode::Rate, true, through.clone()),
        (Mode::Off, false, Decision::Forward(With::OpenPass)),
        (Mode::Off, true, through),
        (Mode::Closed, false, Decision::Room(Why::Closed)),
        (Mode::Closed, true, Decision::Room(Why::Closed)),
    ];
    for (mode, with_pass, expected) in rows {
        let board = board(mode);
        let decision = decide(&asked(&board, with_pass.then_some(&pass)));
        assert_eq!(decision, expected, "{mode:?}, with a pass: {with_pass}");
    }
}

#[test]
fn a_pass_goes_through_its_life() {
    let board = board(Mode::Always);
    let pass = samples::pass();
    let rows = [
        (1_000, true, Decision::Forward(With::Pass { renew: false })),
        (1_090, true, Decision::Forward(With::Pass { renew: true })),
        (1_179, true, Decision::Forward(With::Pass { renew: true })),
        (1_180, true, Decision::RenewFirst),
        (2_199, true, Decision::RenewFirst),
        (2_200, true, Decision::Room(Why::Ended(2_200))),
        (2_200, false, Decision::RenewFirst),
        (2_259, false, Decision::RenewFirst),
        (2_260, false, Decision::Room(Why::Ended(2_200))),
    ];
    for (now, safe, expected) in rows {
        let asked = Asked {
            now,
            safe,
            ..asked(&board, Some(&pass))
        };
        assert_eq!(decide(&asked), expected, "second {now}, safe: {safe}");
    }
}

#[test]
fn who_queues_again_after_a_session_sees_the_queue() {
    let board = board(Mode::Always);
    let pass = samples::pass();
    let asked = Asked {
        now: 5_000,
        has_place: true,
        ..asked(&board, Some(&pass))
    };
    assert_eq!(decide(&asked), Decision::Room(Why::Queue));
}

#[test]
fn the_brake_holds_for_everybody_and_for_preflights_too() {
    let stopped = Board {
        stop: true,
        ..board(Mode::Off)
    };
    let pass = samples::pass();
    assert_eq!(
        decide(&asked(&stopped, Some(&pass))),
        Decision::Room(Why::Stopped)
    );
    assert_eq!(decide(&asked(&stopped, None)), Decision::Room(Why::Stopped));
    let (open, closed) = (board(Mode::Always), board(Mode::Closed));
    for (board, expected) in [
        (&stopped, Decision::Room(Why::Stopped)),
        (&closed, Decision::Room(Why::Closed)),
        (&open, Decision::Forward(With::Nothing)),
    ] {
        let preflight = Asked {
            preflight: true,
            ..asked(board, None)
        };
        assert_eq!(decide(&preflight), expected);
    }
}

#[test]
fn a_first_visit_is_tried_only_with_room_on_a_young_board_for_somebody_who_looks() {
    let open = board(Mode::Auto);
    assert_eq!(decide(&asked(&open, None)), Decision::Try);
    assert_eq!(
        decide(&Asked {
            board: Some((&open, BRAKE_AGE)),
            ..asked(&open, None)
        }),
        Decision::Try
    );
    let full = Board {
        room: false,
        ..board(Mode::Auto)
    };
    let paused = Board {
        mode: Mode::Auto,
        ..samples::board(Phase::Paused)
    };
    let sold = Board {
        mode: Mode::Rate,
        ..samples::board(Phase::Soldout)
    };
    let rows = [
        (
            Asked {
                board: Some((&open, Millis(BRAKE_AGE.0 + 1))),
                ..asked(&open, None)
            },
            Why::Queue,
        ),
        (
            Asked {
                takes_nothing: true,
                ..asked(&open, None)
            },
            Why::Queue,
        ),
        (
            Asked {
                has_place: true,
                ..asked(&open, None)
            },
            Why::Queue,
        ),
        (
            Asked {
                board: None,
                configured_mode: Mode::Auto,
                ..asked(&open, None)
            },
            Why::Queue,
        ),
        (asked(&full, None), Why::Queue),
        (asked(&paused, None), Why::Queue),
        (asked(&sold, None), Why::Rate),
    ];
    for (asked, why) in rows {
        assert_eq!(decide(&asked), Decision::Room(why), "{asked:?}");
    }
}

#[test]
fn without_any_board_passes_open_the_gate_and_the_configured_mode_holds() {
    let unused = board(Mode::Off);
    let pass = samples::pass();
    let blind = |configured_mode, pass| Asked {
        board: None,
        configured_mode,
        ..asked(&unused, pass)
    };
    assert_eq!(
        decide(&blind(Mode::Always, Some(&pass))),
        Decision::Forward(With::Pass { renew: false })
    );
    assert_eq!(
        decide(&blind(Mode::Always, None)),
        Decision::Room(Why::Queue)
    );
    assert_eq!(
        decide(&blind(Mode::Off, None)),
        Decision::Forward(With::OpenPass)
    );
    assert_eq!(
        decide(&blind(Mode::Closed, Some(&pass))),
        Decision::Room(Why::Closed)
    );
}

#[test]
fn an_expired_pass_goes_on_as_its_home_says_and_by_itself_while_the_home_is_away() {
    let board = board(Mode::Always);
    let pass = samples::pass();
    let fresh = Pass {
        issued_at: 1_200,
        expires_at: 1_380,
        ..pass.clone()
    };
    let resigned = |now: u64| Decision::Forward(With::New(renewal::resigned(&pass, now, 180)));
    let last = |now: u64| Decision::Forward(With::Last(renewal::last(&pass, now)));
    let rows = [
        (
            1_200,
            true,
            Renewal::Runs(fresh.clone()),
            Decision::Forward(With::New(fresh)),
        ),
        (
            1_200,
            true,
            Renewal::Over { ended: 1_150 },
            Decision::Room(Why::Ended(1_150)),
        ),
        (
            1_200,
            true,
            Renewal::Elsewhere,
            Decision::Room(Why::Elsewhere),
        ),
        (1_200, true, Renewal::Unknown, Decision::Room(Why::Queue)),
        (1_200, true, Renewal::Unreachable, resigned(1_200)),
        (1_690, true, Renewal::Unreachable, resigned(1_690)),
        // Longer without a request than the idle time: the session may be over.
        (
            1_691,
            true,
            Renewal::Unreachable,
            Decision::Room(Why::Queue),
        ),
        // A form sent as the time ran out.
        (2_230, false, Renewal::Over { ended: 2_200 }, last(2_230)),
        (
            2_230,
            true,
            Renewal::Over { ended: 2_200 },
            Decision::Room(Why::Ended(2_200)),
        ),
        // Released or idle before its end: nothing more.
        (
            2_230,
            false,
            Renewal::Over { ended: 2_100 },
            Decision::Room(Why::Ended(2_100)),
        ),
    ];
    for (now, safe, renewal, expected) in rows {
        let asked = Asked {
            now,
            safe,
            ..asked(&board, Some(&pass))
        };
        assert_eq!(
            after_renewal(&asked, &pass, &renewal, 600, 180),
            expected,
            "second {now}: {renewal:?}"
        );
    }
    let late = Pass {
        issued_at: 2_100,
        expires_at: 2_200,
        ..pass.clone()
    };
    let unsafe_late = Asked {
        now: 2_230,
        safe: false,
        ..asked(&board, Some(&late))
    };
    let decision = after_renewal(&unsafe_late, &late, &Renewal::Unreachable, 600, 180);
    assert_eq!(
        decision,
        Decision::Forward(With::Last(renewal::last(&late, 2_230)))
    );
}

#[test]
fn nothing_follows_an_unconfirmed_pass_while_its_home_is_away() {
    let board = board(Mode::Auto);
    let first = Pass {
        expires_at: 1_000 + renewal::FIRST_PASS_SECONDS,
        ..samples::pass()
    };
    for (now, safe) in [(1_030, true), (1_030, false), (2_199, true), (2_230, false)] {
        let asked = Asked {
            now,
            safe,
            ..asked(&board, Some(&first))
        };
        assert_eq!(decide(&asked), Decision::RenewFirst, "second {now}");
        let decision = after_renewal(&asked, &first, &Renewal::Unreachable, 86_400, 180);
        assert_eq!(decision, Decision::Room(Why::Queue), "second {now}");
    }
}

#[test]
fn no_first_pass_is_issued_while_a_brake_is_on() {
    for (phase, expected) in [
        (Phase::Open, true),
        (Phase::Before, false),
        (Phase::Prequeue, false),
        (Phase::Drawing, false),
        (Phase::Paused, false),
        (Phase::Soldout, false),
        (Phase::Closed, false),
    ] {
        assert_eq!(
            may_admit(&samples::board(phase), YOUNG, 0),
            expected,
            "{phase:?}"
        );
    }
    let stopped = Board {
        stop: true,
        ..samples::board(Phase::Open)
    };
    assert!(!may_admit(&stopped, YOUNG, 0));
    assert!(!may_admit(&samples::board(Phase::Open), Millis(2_001), 0));
    assert!(
        !may_admit(&samples::board(Phase::Open), YOUNG, 1),
        "a line that does not exist"
    );
}

#[test]
fn while_its_home_is_away_a_session_ends_in_its_last_second_and_a_form_a_minute_later() {
    let board = board(Mode::Always);
    let late = Pass {
        issued_at: 2_100,
        expires_at: 2_200,
        ..samples::pass()
    };
    let over = Decision::Room(Why::Ended(2_200));
    let last = |now| Decision::Forward(With::Last(renewal::last(&late, now)));
    for (now, safe, expected) in [
        (2_200, true, over.clone()),
        (2_200, false, last(2_200)),
        (2_259, false, last(2_259)),
        (2_260, false, over.clone()),
        (2_260, true, over),
    ] {
        let asked = Asked {
            now,
            safe,
            ..asked(&board, Some(&late))
        };
        let decision = after_renewal(&asked, &late, &Renewal::Unreachable, 600, 180);
        assert_eq!(decision, expected, "second {now}, safe: {safe}");
    }
}
