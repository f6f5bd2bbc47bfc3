//! What is not a message, and how counts add up.

use anteroom_queue::units::UnixMillis;

use super::*;

#[test]
fn what_is_not_a_message_is_refused_with_the_reason() {
    let whole = encode(&CoordinatorCall {
        event: "demo".into(),
        run: 1,
        ask: CoordinatorAsk::Observe,
    });
    let mut longer = whole.clone();
    longer.push(0);
    let mut older = whole.clone();
    older[0] = FORMAT - 1;
    let mut newer = whole.clone();
    newer[0] = FORMAT + 1;
    let rows: [(&[u8], Unreadable); 7] = [
        (&[], Unreadable::Empty),
        (&[FORMAT], Unreadable::Malformed),
        (&newer, Unreadable::Format(FORMAT + 1)),
        (&older, Unreadable::Format(FORMAT - 1)),
        (&whole[..whole.len() - 1], Unreadable::Malformed),
        (&longer, Unreadable::Malformed),
        (
            &[FORMAT; MAX_MESSAGE_BYTES + 1],
            Unreadable::TooLong(MAX_MESSAGE_BYTES + 1),
        ),
    ];
    for (bytes, why) in rows {
        assert_eq!(decode::<CoordinatorCall>(bytes), Err(why));
    }
}

#[test]
fn a_refusal_says_what_was_found_and_what_is_read() {
    assert_eq!(
        Unreadable::Format(7).to_string(),
        "message: format 7, this version reads 2"
    );
    assert_eq!(
        Unreadable::TooLong(70_000).to_string(),
        "message: 70000 bytes, allowed up to 65536"
    );
}

#[test]
fn counts_add_up_and_never_wrap() {
    let mut counts = EdgeCounts {
        requests: u32::MAX,
        ..EdgeCounts::default()
    };
    counts.add(EdgeCounts {
        requests: 1,
        bypassed: 2,
        ..EdgeCounts::default()
    });
    assert_eq!((counts.requests, counts.bypassed), (u32::MAX, 2));
    assert_eq!(counts.stock, None);
    let mut totals = EdgeTotals::default();
    totals.add(counts);
    totals.add(counts);
    assert_eq!(
        (totals.requests, totals.bypassed),
        (2 * u64::from(u32::MAX), 4)
    );
}

#[test]
fn of_the_third_partys_widget_the_last_word_of_any_edge_counts() {
    let heard = |answered, silent| TurnstileCounts {
        passed: 2,
        answered_at: UnixMillis(answered),
        silent_at: UnixMillis(silent),
        ..TurnstileCounts::default()
    };
    for (known, news, is_down) in [
        ((0, 0), (0, 0), false),
        ((5, 0), (0, 9), true),
        ((0, 9), (10, 0), false),
        ((10, 0), (0, 9), false),
    ] {
        let mut sum = heard(known.0, known.1);
        sum.add(heard(news.0, news.1));
        assert_eq!(
            (sum.is_down(), sum.passed),
            (is_down, 4),
            "{known:?} {news:?}"
        );
    }
}

#[test]
fn of_what_is_left_the_latest_word_counts_in_whatever_order_it_comes() {
    let stock = |left, at| {
        Some(Stock {
            left,
            at: UnixMillis(at),
        })
    };
    let rows = [
        (None, None, None),
        (None, stock(5, 1), stock(5, 1)),
        (stock(5, 1), None, stock(5, 1)),
        (stock(5, 1), stock(4, 2), stock(4, 2)),
        (stock(4, 2), stock(5, 1), stock(4, 2)),
        (stock(4, 2), stock(3, 2), stock(3, 2)),
        (stock(3, 2), stock(4, 2), stock(3, 2)),
    ];
    for (known, news, counts) in rows {
        let mut sum = EdgeCounts {
            stock: known,
            ..EdgeCounts::default()
        };
        sum.add(EdgeCounts {
            stock: news,
            staff: 2,
            ..EdgeCounts::default()
        });
        assert_eq!((sum.stock, sum.staff), (counts, 2), "{known:?} {news:?}");
    }
}
