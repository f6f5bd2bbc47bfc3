use super::tests::{asked, board};
use super::*;
use crate::samples;

// R1, R2.
#[test]
fn a_bound_pass_from_elsewhere_is_asked_about_first_and_goes_through_while_nobody_can_be_asked() {
    let board = board(Mode::Always);
    let pass = samples::pass();
    let elsewhere = Asked {
        is_elsewhere: true,
        ..asked(&board, Some(&pass))
    };
    assert_eq!(decide(&elsewhere), Decision::RenewFirst);
    let after = |renewal| after_renewal(&elsewhere, &pass, &renewal, 600, 180);
    let anew = renewal::resigned(&pass, 1_050, 180);
    assert_eq!(
        after(Renewal::Runs(anew.clone())),
        Decision::Forward(With::New(anew))
    );
    assert_eq!(
        after(Renewal::Unreachable),
        Decision::Forward(With::Pass { renew: false })
    );
    assert_eq!(after(Renewal::Elsewhere), Decision::Room(Why::Elsewhere));
}

#[test]
fn a_session_that_is_to_be_checked_goes_on_after_the_check() {
    let board = board(Mode::Always);
    let pass = samples::pass();
    let late = Asked {
        now: 1_200,
        ..asked(&board, Some(&pass))
    };
    assert_eq!(decide(&late), Decision::RenewFirst);
    let decision = after_renewal(&late, &pass, &Renewal::Recheck, 600, 180);
    assert_eq!(decision, Decision::Room(Why::Recheck));
}
