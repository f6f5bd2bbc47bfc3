//! The one promise of a ticket shop: a seat is sold to one visitor, whoever else asks at the same instant.

use std::sync::Barrier;

use anteroom_demo_shop::orders::OrderState;
use anteroom_demo_shop::seats::{RESERVATION_SECONDS, Seats};

const NOW: u64 = 1_800_000_000;

/// Many visitors, two shops on one file, every seat wanted by all: each is sold once and every order gets what it
/// was sold for or nothing.
#[test]
fn under_concurrency_no_seat_is_sold_twice() {
    const VISITORS: usize = 12;
    const WANTED: [&str; 8] = ["A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4"];
    let folder = std::env::temp_dir().join(format!("anteroom-shop-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("race.sqlite");
    let shops = [
        Seats::open(Some(&file)).unwrap(),
        Seats::open(Some(&file)).unwrap(),
    ];
    let (start, sold) = (Barrier::new(VISITORS), std::sync::Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for visitor in 0..VISITORS {
            let (shop, start, sold) = (&shops[visitor % 2], &start, &sold);
            scope.spawn(move || {
                let holder = format!("visitor {visitor}");
                start.wait();
                for (turn, seat) in WANTED.iter().enumerate() {
                    // Every other turn comes after the reservations of the others have ended.
                    let now = NOW + (turn as u64 % 2) * RESERVATION_SECONDS;
                    if shop
                        .reserve("demo", &holder, &[(*seat).to_owned()], now)
                        .unwrap()
                        .is_err()
                    {
                        continue;
                    }
                    let key = format!("{holder} {seat}");
                    let Some(order) = shop.order("demo", &holder, &key, now).unwrap() else {
                        continue;
                    };
                    if shop.sell(&order.key).unwrap() == Some(OrderState::Sold) {
                        sold.lock().unwrap().extend(order.seats);
                    }
                }
            });
        }
    });
    let mut sold = sold.into_inner().unwrap();
    sold.sort_unstable();
    let mut distinct = sold.clone();
    distinct.dedup();
    assert_eq!(sold, distinct);
    assert_eq!(sold, WANTED, "every wanted seat was sold to somebody");
    std::fs::remove_dir_all(&folder).unwrap();
}
