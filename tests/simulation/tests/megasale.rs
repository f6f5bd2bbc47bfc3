//! The sale of fifty million, small: the same course with fewer visitors.

use simulation::megasale;

const VISITORS: u32 = 40_000;

#[test]
fn a_small_megasale_keeps_every_promise_and_every_limit() {
    let told = megasale::run(1, VISITORS);
    assert!(told.holds(), "{}", told.text());
    let json = told.json(0.0, 0);
    assert_eq!(json["acknowledged"], VISITORS);
    assert!(json["sessions"].as_u64() > Some(1_000), "{json}");
    assert!(json["released"].as_u64() > Some(500), "{json}");
}

#[test]
fn one_seed_gives_one_megasale_and_another_seed_another() {
    let run = |seed| megasale::run(seed, 4_000).text().to_owned();
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}
