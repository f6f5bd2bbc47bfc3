//! `npm run model`: searches every state within a bound, and tells how many there were; exit code 1 when a promise is
//! broken somewhere, 2 for a wrong call.

use std::process::ExitCode;
use std::time::Instant;

use model::begin;
use model::promises::{Search, broken};
use model::world::Budget;
use stateright::{Checker, Model};

const USAGE: &str = include_str!("usage.txt");

/// Cores of an ordinary machine.
const THREADS: usize = 2;

/// What a fault may still do: the joins of two visitors with everything, of three with a network that only reorders and
/// loses; claims across a pause.
fn small() -> Vec<(&'static str, Search)> {
    let lossy = Budget {
        reports: [2, 1],
        ..Budget::default()
    };
    let joins = Budget {
        crashes: 1,
        doubles: 1,
        ..lossy
    };
    let claims = Budget {
        crashes: 1,
        pauses: 1,
        ..lossy
    };
    let doubled = Budget {
        doubles: 1,
        pauses: 1,
        ..lossy
    };
    vec![
        (
            "two joins, a crash, a message twice",
            begin::joins(&[0, 1], joins),
        ),
        ("three joins", begin::joins(&[0, 1, 0], lossy)),
        ("claims, a pause, a crash", begin::claims(claims)),
        ("claims, a pause, a message twice", begin::claims(doubled)),
    ]
}

fn large() -> Vec<(&'static str, Search)> {
    let joins = Budget {
        reports: [2, 2],
        doubles: 1,
        ..Budget::default()
    };
    let three = Budget {
        doubles: 0,
        ..joins
    };
    let both = Budget {
        reports: [2, 1],
        crashes: 1,
        doubles: 1,
        ..Budget::default()
    };
    let claims = Budget { pauses: 1, ..both };
    vec![
        ("two joins, a message twice", begin::joins(&[0, 1], joins)),
        ("three joins", begin::joins(&[0, 1, 0], three)),
        (
            "three joins, a crash, a message twice",
            begin::joins(&[0, 1, 0], both),
        ),
        (
            "claims, a pause, a crash, a message twice",
            begin::claims(claims),
        ),
    ]
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let searches = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => large(),
        ["--small"] => small(),
        ["--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut holds = true;
    for (name, search) in searches {
        holds &= searched(name, search);
    }
    if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Searches, tells, and says whether everything held.
fn searched(name: &str, search: Search) -> bool {
    let begun = Instant::now();
    let checker = search.checker().threads(THREADS).spawn_bfs().join();
    let broken = broken(&checker);
    println!(
        "{name}: {} states, {} of them different, up to {} steps deep, {:.1} s: {}",
        checker.state_count(),
        checker.unique_state_count(),
        checker.max_depth(),
        begun.elapsed().as_secs_f64(),
        if broken.is_empty() {
            "every promise held".to_owned()
        } else {
            format!("BROKEN: {}", broken.join("; "))
        }
    );
    broken.is_empty()
}
