use super::tests::{asked, board};
use super::*;
use crate::samples;

fn decided(board: &Board) -> Decision {
    decide(&Asked {
        crawler: true,
        ..asked(board, None)
    })
}

#[test]
fn a_crawler_may_look_in_every_phase_of_a_sale_and_takes_no_session() {
    for mode in [Mode::Always, Mode::Auto, Mode::Rate] {
        for phase in [
            Phase::Before,
            Phase::Prequeue,
            Phase::Drawing,
            Phase::Open,
            Phase::Paused,
            Phase::Soldout,
        ] {
            let board = Board {
                mode,
                ..samples::board(phase)
            };
            assert_eq!(decided(&board), Decision::Crawl, "{mode:?} {phase:?}");
        }
    }
}

#[test]
fn a_crawler_gets_what_everybody_gets_behind_the_brake_and_after_the_sale() {
    let open = board(Mode::Always);
    let stopped = Board {
        stop: true,
        ..open.clone()
    };
    assert_eq!(decided(&stopped), Decision::Room(Why::Stopped));
    assert_eq!(decided(&board(Mode::Closed)), Decision::Room(Why::Closed));
    let over = samples::board(Phase::Closed);
    assert_eq!(decided(&over), Decision::Room(Why::Queue));
    let passes = Decision::Forward(With::OpenPass);
    assert_eq!(decided(&board(Mode::Off)), passes);
    let unheard = Asked {
        crawler: true,
        board: None,
        ..asked(&open, None)
    };
    assert_eq!(decide(&unheard), Decision::Room(Why::Queue));
}

// O7.
#[test]
fn a_shop_in_trouble_is_not_crawled_and_one_that_an_operator_paused_is() {
    let paused = |pause| Board {
        pause: Some(pause),
        ..samples::board(Phase::Paused)
    };
    let in_trouble = paused(Pause::for_origin());
    assert_eq!(decided(&in_trouble), Decision::Room(Why::Queue));
    let by_hand = paused(Pause {
        reason: "a look at the stock".to_owned(),
        next_update_at: None,
    });
    assert_eq!(decided(&by_hand), Decision::Crawl);
}

#[test]
fn only_what_goes_on_because_of_the_visitor_is_the_visitors() {
    let pass = samples::pass();
    for (decision, expected) in [
        (Decision::Forward(With::Pass { renew: false }), true),
        (Decision::Forward(With::New(pass.clone())), true),
        (Decision::Forward(With::Last(pass)), true),
        (Decision::RenewFirst, true),
        (Decision::Try, true),
        (Decision::Forward(With::Nothing), false),
        (Decision::Forward(With::OpenPass), false),
        (Decision::Forward(With::CrawlerPass), false),
        (Decision::Crawl, false),
        (Decision::Room(Why::Queue), false),
    ] {
        assert_eq!(decision.is_the_visitors(), expected, "{decision:?}");
    }
}
