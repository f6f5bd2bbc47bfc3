//! What a permit asks for before it may make a place, and whether it was done.
//!
//! Work is asked of everybody alike, and somewhat more where many joins come from: up to eight times as much, never a
//! refusal. It is checked here, with nothing stored and nobody asked; what spends it is the place, which a permit makes
//! once. Who has no script waits instead: the permit says since when, and only a few of a network may do so in ten minutes.
//!
//! How much is asked for is looked at twice: when the permit is made, and when it joins. A permit that asks for half of
//! what its network is asked for by then joins all the same, one for less is asked for the rest ([`raised`]): so permits
//! that were fetched together before the first of them joined are not all as cheap as the first.

use anteroom_challenge::{Difficulty, PUZZLES, Seed, Solution};
use anteroom_queue::board::Board;
use anteroom_queue::units::{Millis, UnixMillis};
use anteroom_token::{Challenge, MAX_WORK_BITS, Permit, permit_signature};
use serde_json::{Value, json};

use crate::networks::{self, Network};
use crate::permits::PERMIT_SECONDS;
use crate::problem::Problem;
use crate::reserved::{Number, Reserved};
use crate::routes::permits::ENDS_SOON_SECONDS;

/// So many joins of one IPv4 network in ten minutes are asked for the base work.
pub const CALM_JOINS_V4: u32 = 64;
/// So many of one IPv6 network, of which anybody can have many.
const CALM_JOINS_V6: u32 = 16;
/// Each time this many times more joins ask for twice the work.
const STEP: u32 = 4;
/// How long who has no script waits at base difficulty: as long as a slow phone works.
const BASE_WAIT_SECONDS: u64 = 15;
/// Nobody waits longer: the permit has to live on, with time for a page without script to be loaded again.
const LONGEST_WAIT_SECONDS: u64 = 180;
const _: () = assert!(LONGEST_WAIT_SECONDS + ENDS_SOON_SECONDS < PERMIT_SECONDS);
/// Clocks of edges differ a little: so much of a wait has to have passed, in hundredths.
const WAITED_PERCENT: u64 = 95;

/// A permit may ask for so many bits less than its network is asked for when it joins: what one step of the joins makes,
/// so that a visitor whose neighbours were a little faster is not asked again.
const LENIENT_BITS: u8 = 1;

/// Who brings no word of a third party's widget works so many bits more: four times as much.
pub const MORE_INSTEAD: u8 = 2;

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
    let (Some(bits), Some(alone)) = (challenge.bits(), bits_alone(challenge)) else {
        return json!({ "kind": challenge.name() });
    };
    let mut document = json!({
        "kind": challenge.name(),
        "puzzles": PUZZLES,
        "or_wait_seconds": wait_seconds(alone),
    });
    if !matches!(challenge, Challenge::Turnstile { .. }) {
        document["bits"] = json!(bits);
    }
    if challenge.asks_turnstile() {
        document["instead_bits"] = json!(alone);
    }
    document
}

/// The work that does by itself what a permit asks for, in zero bits of each hash; `None`: nothing is asked for.
fn bits_alone(challenge: Challenge) -> Option<u8> {
    let more = match challenge.asks_turnstile() {
        true => MORE_INSTEAD,
        false => 0,
    };
    Some((challenge.bits()? + more).min(MAX_WORK_BITS))
}

/// How long somebody waits who cannot work: twice as long for each bit more.
fn wait_seconds(bits: u8) -> u64 {
    let wait = BASE_WAIT_SECONDS << bits.saturating_sub(Difficulty::BASE.bits());
    wait.min(LONGEST_WAIT_SECONDS)
}

/// What a permit that asks for `challenge` asks for instead, as it joins now that `bits` are asked of its network; `None`:
/// it does. Nobody is asked twice: what it asks for then is never too little again.
pub fn raised(challenge: Challenge, bits: u8) -> Option<Challenge> {
    if challenge.bits()? + LENIENT_BITS >= bits {
        return None;
    }
    Some(challenge.with_bits(bits))
}

/// How what a permit asks for was done.
#[derive(Debug, PartialEq, Eq)]
pub enum Done {
    /// Nothing was asked for, or the widget's word was enough.
    Free,
    /// The work was done.
    Worked,
    /// The visitor has waited.
    Waited(Reserved),
}

impl Done {
    /// A place was made, or a check passed, with it.
    pub fn used(self) {
        match self {
            Done::Waited(wait) => wait.used(),
            Done::Free | Done::Worked => {}
        }
    }
}

/// Whether it was done by work or by a wait alone. `token`: the permit's bytes; `solution` as it came; `whose`: for whom a
/// wait counts.
pub fn check(
    permit: &Permit,
    token: &str,
    solution: Option<&str>,
    whose: Number,
    network: Network,
    now: UnixMillis,
) -> Result<Done, Problem> {
    let Some(bits) = bits_alone(permit.challenge) else {
        return Ok(Done::Free);
    };
    match solution.filter(|text| !text.is_empty()) {
        None => waited(permit, whose, network, now).map(Done::Waited),
        solution => match worked(permit, token, solution, bits) {
            // Done for a permit whose widget's word is missing now: more work does.
            Err(_) if is_worked_beside_a_widget(permit, token, solution) => {
                let title =
                    "solution: as much work as stands in instead_bits, without the widget's word";
                Err(unsolved(permit, title))
            }
            worked => worked.map(|()| Done::Worked),
        },
    }
}

/// Whether the work was done that a permit asks for beside the widget's word.
fn is_worked_beside_a_widget(permit: &Permit, token: &str, solution: Option<&str>) -> bool {
    match permit.challenge {
        Challenge::WorkAndTurnstile { bits } => worked(permit, token, solution, bits).is_ok(),
        _ => false,
    }
}

/// Whether work of `bits` was done.
pub fn worked(
    permit: &Permit,
    token: &str,
    solution: Option<&str>,
    bits: u8,
) -> Result<(), Problem> {
    let Some(text) = solution.filter(|text| !text.is_empty()) else {
        let title = "solution: needed with this permit";
        return Err(unsolved(permit, title));
    };
    let solution = Solution::read(text)
        .map_err(|malformed| Problem::field("solution", &malformed.to_string()))?;
    let difficulty = Difficulty::new(bits).expect("permits name no other difficulty");
    let seed = permit_signature(token).map(Seed);
    match seed.is_some_and(|seed| solution.holds(&seed, difficulty)) {
        true => Ok(()),
        false => Err(
            Problem::unusable("solution", "one of this permit's puzzles")
                .and("challenge", document(permit.challenge)),
        ),
    }
}

/// The problem of whoever has to do what `permit` asks for.
pub fn unsolved(permit: &Permit, title: &str) -> Problem {
    Problem::new(422, "unsolved", title)
        .and("field", json!("solution"))
        .and("challenge", document(permit.challenge))
}

/// From when on somebody who cannot work may go on with this permit; `None`: now.
pub fn waits_until(
    permit: &Permit,
    whose: Number,
    network: Network,
    now: UnixMillis,
) -> Option<UnixMillis> {
    let due = due(permit)?;
    match networks::with(|seen| seen.waits.waits(whose, network, now)) {
        Some(lasts) => Some(due.max(now.plus(lasts))),
        None => Some(due).filter(|due| now < *due),
    }
}

/// When the wait that a permit asks for is over; `None`: it asks for none.
fn due(permit: &Permit) -> Option<UnixMillis> {
    let wait = wait_seconds(bits_alone(permit.challenge)?);
    Some(UnixMillis(permit.issued_at * 1_000).plus(Millis(wait * 10 * WAITED_PERCENT)))
}

fn waited(
    permit: &Permit,
    whose: Number,
    network: Network,
    now: UnixMillis,
) -> Result<Reserved, Problem> {
    let wait = match waits_until(permit, whose, network, now) {
        Some(until) => Err(until.since(now)),
        None => Reserved::wait(whose, network, now),
    };
    wait.map_err(|wait| {
        let title = "solution: needed with this permit; or join with it again after the wait";
        unsolved(permit, title).retry(wait.0)
    })
}

#[cfg(test)]
#[path = "challenges_tests.rs"]
mod tests;
