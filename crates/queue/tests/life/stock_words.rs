//! Several words on what is left, in whatever order they come in.

use super::*;

/// Every order of the numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let insert = |at: usize, order: &Vec<usize>| {
        let mut order = order.clone();
        order.insert(at, count - 1);
        order
    };
    (0..count)
        .flat_map(|at| shorter.iter().map(move |order| insert(at, order)))
        .collect()
}

/// What is left at last, when words come in so long after one another.
fn left_after(words: &[Option<Stock>], order: &[usize], apart: Millis) -> (Option<u64>, Phase) {
    let mut stage = stage();
    for position in order {
        edges(&mut stage, words[*position], 0);
        stage.pass(apart);
        stage.at_coordinator(CoordinatorCommand::Wake);
    }
    stage.pass(Millis(2_000));
    stage.at_coordinator(CoordinatorCommand::Wake);
    (left(&stage), phase(&stage))
}

#[test]
fn of_words_that_come_in_any_order_the_latest_stands_and_of_one_instant_the_smallest() {
    for (words, is_left, is_now) in [
        ([(5, 7), (5, 6), (5, 5)], 5, Phase::Open),
        ([(5, 7), (5, 0), (5, 9)], 0, Phase::Paused),
        ([(5, 0), (5, 0), (6, 3)], 3, Phase::Open),
        ([(5, 0), (6, 3), (6, 0)], 0, Phase::Paused),
        ([(5, 1), (6, 4), (7, 9)], 9, Phase::Open),
        ([(7, 0), (6, 4), (7, 9)], 0, Phase::Paused),
    ] {
        let said = words.map(|(at, left)| stock(left, at));
        for order in orders(said.len()) {
            for apart in [0, 1, 400, 1_500] {
                assert_eq!(
                    left_after(&said, &order, Millis(apart)),
                    (Some(is_left), is_now),
                    "{words:?} in the order {order:?}, {apart} ms apart"
                );
            }
        }
    }
}

#[test]
fn an_operators_word_wins_over_a_word_of_an_origin_that_was_heard_before_and_not_taken_up() {
    let mut stage = stage();
    edges(&mut stage, stock(9, 3_600_000), 0);
    edges(&mut stage, stock(8, 3_600_500), 0);
    assert_eq!(left(&stage), Some(9), "the second waits");
    stage.operate(Action::Stock { left: 100 });
    stage.pass(Millis(2_000));
    stage.at_coordinator(CoordinatorCommand::Wake);
    assert_eq!(left(&stage), Some(100));
    edges(&mut stage, stock(99, 3_600_600), 0);
    stage.pass(Millis(2_000));
    stage.at_coordinator(CoordinatorCommand::Wake);
    assert_eq!(left(&stage), Some(99), "a later one counts");
}

#[test]
fn an_operator_takes_a_stock_back_and_the_origins_next_word_counts_again() {
    let mut stage = stage();
    for (said, is_now) in [(0, Phase::Paused), (12, Phase::Open)] {
        stage.operate(Action::Stock { left: said });
        assert_eq!((left(&stage), phase(&stage)), (Some(said), is_now));
        stage.operate(Action::Stock {
            left: Stock::UNKNOWN,
        });
        assert_eq!((left(&stage), phase(&stage)), (None, Phase::Open));
    }
    edges(&mut stage, stock(0, 0), 0);
    stage.at_coordinator(CoordinatorCommand::Wake);
    assert_eq!(left(&stage), None, "a word of before it was taken back");
    stage.pass(Millis(2_000));
    edges(&mut stage, stock(0, 3_602_000), 0);
    stage.at_coordinator(CoordinatorCommand::Wake);
    assert_eq!((left(&stage), phase(&stage)), (Some(0), Phase::Paused));
}
