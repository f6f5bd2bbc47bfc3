//! What a permit asks for before it may make a place, and whether it was done.
//!
//! Work is asked of everybody alike, and somewhat more where many joins come from: up to eight times as much, never a
//! refusal. It is checked here, with nothing stored and nobody asked; what spends it is the place, which a permit makes
//! once. Who has no script waits instead: the permit says since when, and only a few of a network may do so in ten minutes.

use anteroom_challenge::{Difficulty, PUZZLES, Seed, Solution};
use anteroom_queue::board::Board;
use anteroom_queue::units::{Millis, UnixMillis};
use anteroom_token::{Challenge, Permit, permit_signature};
use serde_json::{Value, json};

use crate::networks::{Network, Seen};
use crate::permits::PERMIT_SECONDS;
use crate::problem::Problem;
use crate::routes::permits::ENDS_SOON_SECONDS;

/// So many joins of one IPv4 network in ten minutes are asked for the base work.
pub const CALM_JOINS_V4: u32 = 64;
/// So many of one IPv6 network, of which anybody can have many.
const CALM_JOINS_V6: u32 = 16;
/// Each time this many times more joins ask for twice the work.
const STEP: u32 = 4;
/// So many of one network may wait instead of working in ten minutes: a family, an office of people without script.
pub const MOST_WAITED: u32 = 10;
/// How long who has no script waits at base difficulty: as long as a slow phone works.
const BASE_WAIT_SECONDS: u64 = 15;
/// Nobody waits longer: the permit has to live on, with time for a page without script to be loaded again.
const LONGEST_WAIT_SECONDS: u64 = 180;
const _: () = assert!(LONGEST_WAIT_SECONDS + ENDS_SOON_SECONDS < PERMIT_SECONDS);
/// Clocks of edges differ a little: so much of a wait has to have passed, in hundredths.
const WAITED_PERCENT: u64 = 95;

/// What is known of a request for a permit.
#[derive(Debug, Clone, Copy)]
pub struct Signals {
    /// Where it comes from.
    pub network: Network,
    /// Places made from there in the last ten minutes, as far as this isolate knows.
    pub joins: u32,
    /// More visitors have come than the organizer planned for.
    pub above_plan: bool,
    /// No browser sends such headers.
    pub unlike_a_browser: bool,
    /// What the platform knows of the network.
    pub kind: NetworkKind,
}

/// What kind of network a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkKind {
    /// Nothing is known.
    Unknown,
    /// Machines are rented there.
    DataCentre,
    /// Many phones share its addresses.
    Carrier,
}

/// How much work is asked for, if it is `base_bits` of everybody.
pub fn difficulty(base_bits: u8, signals: &Signals) -> Difficulty {
    let calm = match signals.network.is_v6() {
        true => CALM_JOINS_V6,
        false => CALM_JOINS_V4,
    };
    let mut more = u8::from(signals.above_plan) + u8::from(signals.unlike_a_browser);
    let mut bound = calm;
    while signals.joins >= bound && more < Difficulty::MOST_MORE {
        more += 1;
        bound = bound.saturating_mul(STEP);
    }
    match signals.kind {
        NetworkKind::DataCentre => more += 2,
        NetworkKind::Carrier => more = more.min(1),
        NetworkKind::Unknown => {}
    }
    let base = Difficulty::new(base_bits).unwrap_or(Difficulty::BASE);
    base.raised(more)
}

/// Whether more have come than were expected.
pub fn is_above_plan(board: &Board, expected_visitors: u64) -> bool {
    let entries: u64 = board.lines.iter().map(|line| line.entries.0).sum();
    entries > expected_visitors
}

/// What a permit asks for, for the page and for programs.
pub fn document(challenge: Challenge) -> Value {
    match challenge.bits() {
        None => json!({ "kind": challenge.name() }),
        Some(bits) => json!({
            "kind": challenge.name(),
            "bits": bits,
            "puzzles": PUZZLES,
            "or_wait_seconds": wait_seconds(bits),
        }),
    }
}

/// How long somebody waits who cannot work: twice as long for each bit more.
fn wait_seconds(bits: u8) -> u64 {
    let wait = BASE_WAIT_SECONDS << bits.saturating_sub(Difficulty::BASE.bits());
    wait.min(LONGEST_WAIT_SECONDS)
}

/// How what a permit asks for was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// Nothing was asked for, or the work was done.
    Worked,
    /// The visitor has waited.
    Waited,
}

/// Whether it was done. `token`: the permit's bytes; `solution` as it came.
pub fn check(
    permit: &Permit,
    token: &str,
    solution: Option<&str>,
    now: UnixMillis,
    network: Network,
    seen: &Seen,
) -> Result<Done, Problem> {
    let Some(bits) = permit.challenge.bits() else {
        return Ok(Done::Worked);
    };
    let Some(text) = solution.filter(|text| !text.is_empty()) else {
        return waited(permit, now, network, seen).map(|()| Done::Waited);
    };
    let solution = Solution::read(text)
        .map_err(|malformed| Problem::field("solution", &malformed.to_string()))?;
    let difficulty = Difficulty::new(bits).expect("permits name no other difficulty");
    let seed = permit_signature(token).map(Seed);
    match seed.is_some_and(|seed| solution.holds(&seed, difficulty)) {
        true => Ok(Done::Worked),
        false => Err(
            Problem::unusable("solution", "one of this permit's puzzles")
                .and("challenge", document(permit.challenge)),
        ),
    }
}

/// From when on somebody who cannot work may join with this permit; `None`: now.
pub fn waits_until(
    permit: &Permit,
    now: UnixMillis,
    network: Network,
    seen: &Seen,
) -> Option<UnixMillis> {
    let wait = wait_seconds(permit.challenge.bits()?);
    let due = UnixMillis(permit.issued_at * 1_000).plus(Millis(wait * 10 * WAITED_PERCENT));
    let (count, lasts) = seen.waited.of(network, now);
    match count >= MOST_WAITED {
        true => Some(due.max(now.plus(lasts))),
        false => Some(due).filter(|due| now < *due),
    }
}

fn waited(permit: &Permit, now: UnixMillis, network: Network, seen: &Seen) -> Result<(), Problem> {
    let Some(until) = waits_until(permit, now, network, seen) else {
        return Ok(());
    };
    let wait = until.since(now);
    let title = "solution: needed with this permit; or join with it again after the wait";
    Err(Problem::new(422, "unsolved", title)
        .and("field", json!("solution"))
        .and("challenge", document(permit.challenge))
        .retry(wait.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::Counts;
    use crate::samples;
    use anteroom_challenge::search;
    use anteroom_queue::board::Phase;
    use anteroom_queue::units::EntryNumber;

    const ISSUED: u64 = 1_000;

    fn network(address: &str) -> Network {
        Network::of_provider(Some(address))
    }

    fn signals(joins: u32) -> Signals {
        Signals {
            network: network("192.0.2.7"),
            joins,
            above_plan: false,
            unlike_a_browser: false,
            kind: NetworkKind::Unknown,
        }
    }

    fn more(signals: Signals) -> u8 {
        difficulty(Difficulty::BASE.bits(), &signals).bits() - Difficulty::BASE.bits()
    }

    fn nobody() -> Seen {
        Seen {
            joins: Counts::lasting(Millis(1)),
            waited: Counts::lasting(Millis(600_000)),
            entered: Counts::lasting(Millis(1)),
        }
    }

    fn permit(bits: Option<u8>) -> Permit {
        Permit {
            nonce: [7; 16],
            home: 0,
            issued_at: ISSUED,
            expires_at: ISSUED + 300,
            challenge: bits.map_or(Challenge::None, |bits| Challenge::Work { bits }),
            arrived_at: None,
        }
    }

    // P22: the worst is eight times the work, and nobody is refused.
    #[test]
    fn more_work_is_asked_of_networks_that_many_joins_come_from_up_to_eight_times() {
        for (joins, bits) in [
            (0, 0),
            (63, 0),
            (64, 1),
            (255, 1),
            (256, 2),
            (1_024, 3),
            (u32::MAX, 3),
        ] {
            assert_eq!(more(signals(joins)), bits, "{joins} joins");
        }
        let v6 = |joins| Signals {
            network: network("2001:db8::1"),
            ..signals(joins)
        };
        for (joins, bits) in [(15, 0), (16, 1), (64, 2), (256, 3)] {
            assert_eq!(more(v6(joins)), bits, "{joins} joins over IPv6");
        }
    }

    #[test]
    fn signals_add_up_to_three_bits_and_a_carriers_phones_are_asked_for_one_at_most() {
        let odd = Signals {
            above_plan: true,
            unlike_a_browser: true,
            ..signals(0)
        };
        assert_eq!(more(odd), 2);
        let rented = |signals| Signals {
            kind: NetworkKind::DataCentre,
            ..signals
        };
        assert_eq!((more(rented(signals(0))), more(rented(odd))), (2, 3));
        let phones = Signals {
            kind: NetworkKind::Carrier,
            joins: 100_000,
            ..odd
        };
        assert_eq!(more(phones), 1);
    }

    #[test]
    fn more_visitors_than_were_planned_for_are_a_signal() {
        let mut board = samples::board(Phase::Open);
        board.lines[0].entries = EntryNumber(1_000);
        assert!(!is_above_plan(&board, 1_000) && is_above_plan(&board, 999));
    }

    // P1, P2, P5.
    #[test]
    fn work_holds_for_its_permit_only_and_what_is_no_solution_is_refused() {
        let room = samples::room(json!([{ "id": "general" }]));
        let permit = permit(Some(4));
        let token = room.tokens.seal_permit(&permit);
        let seed = Seed(permit_signature(&token).unwrap());
        let four = Difficulty::new(4).unwrap();
        let solution = Solution::new(core::array::from_fn(|index| {
            search(&seed, index as u8, four, 0, u32::MAX).unwrap()
        }));
        let ask = |permit: &Permit, token: &str, solution: &str| {
            let now = UnixMillis(ISSUED * 1_000);
            check(
                permit,
                token,
                Some(solution),
                now,
                network("192.0.2.7"),
                &nobody(),
            )
        };
        let text = solution.to_string();
        assert_eq!(ask(&permit, &token, &text), Ok(Done::Worked));
        let other = Permit {
            nonce: [8; 16],
            ..permit.clone()
        };
        let of_other = room.tokens.seal_permit(&other);
        assert_eq!(ask(&other, &of_other, &text).unwrap_err().status(), 422);
        let zero = "0".repeat(256);
        assert_eq!(
            ask(&permit, &token, &zero).unwrap_err().named_field(),
            Some("solution")
        );
        assert_eq!(ask(&permit, &token, "x").unwrap_err().status(), 400);
    }

    #[test]
    fn who_cannot_work_waits_and_a_network_may_do_so_a_few_times() {
        let here = network("192.0.2.7");
        let mut seen = nobody();
        let ask = |permit: &Permit, seconds: f64, seen: &mut Seen, at: Network| {
            let now = UnixMillis((1_000.0 * seconds) as u64);
            let asked = check(permit, "a.b.c", None, now, at, seen);
            if asked == Ok(Done::Waited) {
                seen.waited.count(at, now);
            }
            asked.map_err(|problem| problem.kind())
        };
        let issued = ISSUED as f64;
        assert_eq!(
            ask(&permit(None), issued, &mut seen, here),
            Ok(Done::Worked)
        );
        for (bits, wait) in [(16, 14.25), (17, 28.5), (19, 114.0), (24, 171.0)] {
            let permit = permit(Some(bits));
            assert_eq!(
                ask(&permit, issued + wait - 0.01, &mut seen, here),
                Err("unsolved")
            );
            assert_eq!(
                ask(&permit, issued + wait, &mut seen, here),
                Ok(Done::Waited)
            );
        }
        let patient = permit(Some(16));
        for _ in 4..MOST_WAITED {
            assert_eq!(
                ask(&patient, issued + 20.0, &mut seen, here),
                Ok(Done::Waited)
            );
        }
        assert_eq!(
            ask(&patient, issued + 20.0, &mut seen, here),
            Err("unsolved")
        );
        let there = network("198.51.100.7");
        assert_eq!(
            ask(&patient, issued + 20.0, &mut seen, there),
            Ok(Done::Waited)
        );
        assert_eq!(
            ask(&patient, issued + 700.0, &mut seen, here),
            Ok(Done::Waited),
            "later again"
        );
    }
}
