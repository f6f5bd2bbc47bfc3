use anteroom_queue::shard::command::VisitorState::Waiting;

use super::super::histories::{TERMS, broken, place};
use super::*;
use crate::observation::DrawnSeen;

const SECRET: [u8; 32] = [3; 32];
const ENTRANTS: u64 = 4;
const OPENED_MS: u64 = 100;

fn names() -> Names {
    Names {
        run: 1,
        lines: vec!["general".to_owned()],
        through: Vec::new(),
    }
}

fn check(history: &[Observation]) -> u64 {
    let mut checker = FairDraw::new(TERMS, names());
    let history: Vec<_> = (0..).zip(history.iter().copied()).collect();
    broken(&mut checker, Promise::FairDraw, &history)
}

fn step(stored: bool, fixed: bool, drawn: bool) -> Observation {
    let mut draw = DrawSeen {
        line: 0,
        commitment: commitment(&SECRET),
        fixed: fixed.then_some(FixedSeen {
            entrants: ENTRANTS,
            root: [1; 32],
            opened_ms: OPENED_MS,
            round: None,
        }),
        drawn: None,
    };
    if drawn {
        draw.drawn = Some(DrawnSeen {
            secret: SECRET,
            beacon: None,
            seed: seed(),
        });
    }
    Observation::DrawSeen { draw, stored }
}

fn seed() -> [u8; 32] {
    SeedFields {
        event: EVENT,
        run: 1,
        line: "general",
        entrants: ENTRANTS,
        root: [1; 32],
        secret: SECRET,
        randomness: None,
    }
    .seed()
}

fn steps() -> Vec<Observation> {
    vec![
        step(true, false, false),
        step(false, false, false),
        step(true, true, false),
        step(false, true, false),
        step(true, true, true),
        step(false, true, true),
    ]
}

/// Whoever has this number, having come then.
fn audited(entry: u64, arrived_ms: u64, missed_draw: bool) -> Observation {
    Observation::Audited {
        visitor: entry as u32,
        place: Some(PlaceSeen {
            arrived_ms,
            missed_draw,
            ..place(entry as u32, Some(entry), Waiting)
        }),
    }
}

fn shown(entry: u64, rank: u64) -> Observation {
    Observation::RankShown {
        permit: entry as u32,
        rank,
    }
}

fn with(more: &[Observation]) -> u64 {
    let mut history = steps();
    history.extend_from_slice(more);
    check(&history)
}

const OVER: Observation = Observation::AuditOver {
    entries: [0; LINES],
    active: 0,
};

#[test]
fn a_draw_in_two_steps_whose_ranks_follow_from_it_keeps_the_promise() {
    let ranks = all_ranks(seed(), ENTRANTS);
    let mut more = Vec::new();
    for entry in 0..ENTRANTS {
        more.push(shown(entry, ranks[entry as usize]));
        more.push(audited(entry, 99, false));
    }
    more.extend([
        shown(4, 4),
        audited(4, 99, true),
        audited(5, 100, false),
        OVER,
    ]);
    assert_eq!(with(&more), 0);
}

#[test]
fn steps_out_of_order_or_made_again_break_it() {
    let out_of_order = [
        vec![step(true, true, false)],
        vec![step(true, false, false), step(true, true, true)],
        vec![step(true, false, false), step(false, true, true)],
    ];
    for history in out_of_order {
        assert_eq!(check(&history), 1, "{history:?}");
    }
    let mut again = steps();
    again.push(step(true, true, true));
    assert_eq!(check(&again), 1);
    let mut back = steps();
    back.push(step(true, true, false));
    assert_eq!(check(&back), 2, "the draw is gone, and a third write");
}

#[test]
fn a_published_value_that_is_another_breaks_it() {
    let alter: [fn(&mut DrawSeen); 6] = [
        |draw| draw.commitment = [9; 32],
        |draw| draw.fixed.as_mut().expect("fixed").entrants += 1,
        |draw| draw.fixed.as_mut().expect("fixed").root = [9; 32],
        |draw| draw.drawn.as_mut().expect("drawn").secret = [9; 32],
        |draw| draw.drawn.as_mut().expect("drawn").seed = [9; 32],
        |draw| draw.drawn.as_mut().expect("drawn").beacon = Some([9; 48]),
    ];
    for alter in alter {
        let Observation::DrawSeen { mut draw, .. } = step(false, true, true) else {
            unreachable!("a step is a draw that was seen")
        };
        alter(&mut draw);
        let stored = false;
        assert!(
            with(&[Observation::DrawSeen { draw, stored }]) >= 1,
            "{draw:?}"
        );
    }
}

#[test]
fn a_rank_that_does_not_follow_or_changes_breaks_it() {
    let rank = all_ranks(seed(), ENTRANTS)[0];
    let other = (rank + 1) % ENTRANTS;
    assert_eq!(with(&[shown(0, other), audited(0, 99, false)]), 1);
    assert_eq!(with(&[shown(0, rank), shown(0, other)]), 1);
    assert_eq!(with(&[shown(4, 3), audited(4, 100, false)]), 1);
    let early = [step(true, false, false), shown(0, 0), audited(0, 99, false)];
    assert_eq!(check(&early), 1);
}

#[test]
fn somebody_in_or_out_of_the_draw_who_should_not_be_breaks_it() {
    assert_eq!(with(&[audited(0, 100, false)]), 1, "came too late");
    assert_eq!(with(&[audited(4, 99, false)]), 1, "missed it, not told");
    let told = Observation::PlaceTold {
        visitor: 4,
        place: PlaceSeen {
            missed_draw: true,
            ..place(4, Some(4), Waiting)
        },
    };
    assert_eq!(with(&[told, audited(4, 100, false)]), 1, "told wrongly");
    let overtaken = [audited(4, 100, false), audited(5, 99, true), OVER];
    assert_eq!(with(&overtaken), 1, "who came later is before");
    let heard = Observation::EntrantsHeard {
        shard: 0,
        line: 0,
        opens_ms: OPENED_MS,
        count: 1,
    };
    let mut history = vec![
        step(true, false, false),
        heard,
        step(true, true, false),
        OVER,
    ];
    assert_eq!(check(&history), 1, "heard, and not in the draw");
    history.insert(3, audited(0, 99, false));
    assert_eq!(check(&history), 0);
}
