use super::tests::{asked, board};
use super::*;
use crate::samples;

#[test]
fn staff_look_at_the_shop_in_every_mode_and_phase_but_not_through_the_brake() {
    let pass = samples::staff_pass();
    let through = Decision::Forward(With::Pass { renew: false });
    for mode in [
        Mode::Always,
        Mode::Auto,
        Mode::Rate,
        Mode::Off,
        Mode::Closed,
    ] {
        for phase in [Phase::Before, Phase::Drawing, Phase::Soldout, Phase::Closed] {
            let board = Board {
                mode,
                ..samples::board(phase)
            };
            assert_eq!(
                decide(&asked(&board, Some(&pass))),
                through,
                "{mode:?} {phase:?}"
            );
        }
    }
    let stopped = Board {
        stop: true,
        ..board(Mode::Always)
    };
    let stop = Decision::Room(Why::Stopped);
    assert_eq!(decide(&asked(&stopped, Some(&pass))), stop);
}

#[test]
fn a_staff_pass_is_renewed_here_until_its_token_ends_and_is_nothing_afterwards() {
    let board = board(Mode::Always);
    let pass = samples::staff_pass();
    let next = |expires_at| {
        Decision::Forward(With::New(Pass {
            issued_at: expires_at - 180,
            expires_at,
            ..pass.clone()
        }))
    };
    for (now, expected) in [
        (1_089, Decision::Forward(With::Pass { renew: false })),
        (1_090, Decision::Forward(With::Pass { renew: true })),
        (1_180, next(1_360)),
        (2_200, Decision::Room(Why::Queue)),
    ] {
        for safe in [true, false] {
            let asked = Asked {
                now,
                safe,
                ..asked(&board, Some(&pass))
            };
            assert_eq!(decide(&asked), expected, "second {now}");
        }
    }
}

#[test]
fn nobody_is_let_in_at_once_where_each_line_takes_a_code() {
    let board = board(Mode::Auto);
    let coded = Asked {
        first_line: None,
        ..asked(&board, None)
    };
    assert_eq!(decide(&coded), Decision::Room(Why::Queue));
}
