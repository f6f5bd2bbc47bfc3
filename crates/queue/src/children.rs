//! What a coordinator and a relay do alike with those who report to them: check a report, take it in, tell who is next,
//! give up whoever is lost, and put late joins in order.

use std::collections::BTreeMap;

use crate::child::{Child, ChildLine};
use crate::coordinator::command::Entropy;
use crate::limits::{GRANT_TO_HEARD, LAST_PASS, LONGEST_UNCONFIRMED, WRITE_OFF_MARGIN};
use crate::sync::{LateJoins, LineAnswer, LineReport, SyncRequest};
use crate::units::{Millis, UnixMillis};

/// Children by the number that they report with.
pub(crate) type Children = BTreeMap<u16, Child>;

/// Pieces into which the late joins of one second of one child are cut, so that those of several
/// children are mixed.
const PIECES_OF_A_SECOND: u64 = 16;

/// Pieces of one child in all: its answer brings as many cuts, below 20 kB.
const MOST_PIECES: u64 = 1_024;

/// Why a report cannot be one of a child of this run.
pub(crate) fn refusal(children: &Children, report: &SyncRequest, lines: usize) -> Option<String> {
    if report.lines.len() != lines {
        return Some(format!(
            "{} lines reported, the queue has {lines}",
            report.lines.len(),
        ));
    }
    let blank = ChildLine::default();
    for (position, LineReport { counters, .. }) in report.lines.iter().enumerate() {
        let known = children
            .get(&report.shard.0)
            .map_or(&blank, |child| &child.lines[position]);
        let given = known.granted + known.tries_granted;
        if counters.numbered > known.cut
            || counters.numbered > counters.joined
            || counters.ended > given
        {
            return Some(format!(
                "line {position}: {counters:?} with {} cut and {given} granted",
                known.cut
            ));
        }
    }
    None
}

/// Takes in what a report says of its child, except for its joins. Whether anything grew that is stored.
pub(crate) fn hear(children: &mut Children, report: &SyncRequest, now: UnixMillis) -> bool {
    let lines = report.lines.len();
    let child = children
        .entry(report.shard.0)
        .or_insert_with(|| Child::of_lines(lines));
    child.heard = now;
    child.unconfirmed = Some(u64::from(report.unconfirmed));
    let came = child.came();
    let mut grew = false;
    for (position, line) in report.lines.iter().enumerate() {
        let unnumbered = child.lines[position].cuts.len();
        grew |= child.lines[position].hear(&line.counters, now);
        grew |= unnumbered != child.lines[position].cuts.len();
        // A report that was overtaken says nothing new of these.
        if line.counters.joined >= child.chains[position].0 {
            child.entrants[position] = line.entrants.or(child.entrants[position]);
            child.chains[position] = (line.counters.joined, line.chain);
        }
    }
    child.load.add(child.came() - came, now);
    child.reports.add(1, now);
    grew
}

/// First visits admitted in one step that may be unconfirmed.
pub(crate) fn unconfirmed(children: &Children, now: UnixMillis) -> u64 {
    let children = children.values();
    children.map(|child| child.unconfirmed(now)).sum()
}

/// The children that have not said, since their parent began, how many of their first visits are unconfirmed, each with the
/// last instant at which any may be.
pub(crate) fn unsaid(
    children: &Children,
    now: UnixMillis,
) -> impl Iterator<Item = (u16, UnixMillis)> {
    let unsaid = children
        .iter()
        .filter(move |(_, child)| child.unconfirmed.is_none() && child.unconfirmed(now) > 0);
    unsaid.map(|(number, child)| (*number, child.granted_at.plus(LONGEST_UNCONFIRMED)))
}

/// What a child is answered about its lines.
pub(crate) fn answers(child: &Child) -> Vec<LineAnswer> {
    let answer = |line: &ChildLine| LineAnswer {
        cuts: line.cuts.iter().copied().collect(),
        granted: line.granted,
        tries_decided: line.tries_decided,
        tries_granted: line.tries_granted,
        ended_floor: line.ended_floor,
    };
    child.lines.iter().map(answer).collect()
}

/// How many of the joins that a child has reported may be given on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joins {
    /// So many at most, counted from the first.
    UpTo(u64),
    /// Some are late: all of them wait until the late ones of every child are collected.
    Collected,
}

/// What a report's joins of a line may do, of which the first `given` have been given on already. While it is open who is in
/// the draw of a line that opens at `draw_at`, only those who arrived before are taken: as the child says; all of them in a
/// report that left before; none in a later one of a child that knows of another opening, until it is asked again.
pub(crate) fn joins_of(
    child: &mut Child,
    position: usize,
    report: &SyncRequest,
    given: u64,
    draw_at: Option<Option<UnixMillis>>,
) -> Joins {
    let line = &report.lines[position];
    if let Some(opens_at) = draw_at {
        let told = line
            .entrants
            .filter(|entrants| Some(entrants.opens_at) == opens_at);
        return Joins::UpTo(match told {
            Some(entrants) => entrants.count,
            None if opens_at.is_none_or(|at| report.sent < at) => line.counters.joined,
            None => 0,
        });
    }
    let late = beyond(&line.late, given.saturating_sub(line.counters.numbered));
    if late.is_empty() && child.late[position].is_empty() {
        return Joins::UpTo(u64::MAX);
    }
    if !late.is_empty() {
        child.late[position] = late;
    }
    Joins::Collected
}

/// The collected late joins of a line in the order in which they are given on: the child, and how many of its next joins at
/// most. Within a second the order says nothing of the children. `second` is that of the arrival; `None` for joins that
/// arrived in time behind late ones of the same child, which come after all of them.
pub(crate) fn collected(
    children: &mut Children,
    position: usize,
    entropy: &Entropy,
) -> Vec<(Option<u64>, u16, u64)> {
    let mut runs = Vec::new();
    for (number, child) in children {
        let late = std::mem::take(&mut child.late[position]);
        if late.is_empty() {
            continue;
        }
        let pieces = (MOST_PIECES / late.len() as u64).clamp(1, PIECES_OF_A_SECOND);
        for run in late {
            for piece in 0..pieces {
                let count = share(u64::from(run.count), piece, pieces);
                let salt = (run.arrived_second << 24) ^ (piece << 16) ^ u64::from(*number);
                runs.push((run.arrived_second, mix(entropy, salt), *number, count));
            }
        }
        let salt = u64::from(*number);
        runs.push((u64::MAX, mix(entropy, salt), *number, u64::MAX));
    }
    runs.sort_unstable();
    let runs = runs.into_iter();
    runs.map(|(second, _, number, count)| ((second != u64::MAX).then_some(second), number, count))
        .collect()
}

/// The size of the `piece`th of so many pieces of `whole`.
fn share(whole: u64, piece: u64, pieces: u64) -> u64 {
    whole * (piece + 1) / pieces - whole * piece / pieces
}

/// The late joins beyond the first `numbered` of them.
fn beyond(late: &[LateJoins], numbered: u64) -> Vec<LateJoins> {
    let mut skip = numbered;
    let mut rest = Vec::new();
    for run in late {
        let skipped = u64::from(run.count).min(skip);
        skip -= skipped;
        let count = run.count - skipped as u32;
        if count > 0 {
            rest.push(LateJoins { count, ..*run });
        }
    }
    rest
}

/// The child with the oldest pending claims of a line, among those that can be reached.
pub(crate) fn next_claimant(
    children: &Children,
    position: usize,
    entropy: &Entropy,
    now: UnixMillis,
) -> Option<u16> {
    children
        .iter()
        .filter(|(_, child)| now.since(child.heard) <= GRANT_TO_HEARD)
        .filter(|(_, child)| {
            child.lines[position].counters.ended >= child.lines[position].ended_floor
        })
        .filter_map(|(number, child)| {
            let first = child.lines[position].pending.front()?;
            Some((first.at, mix(entropy, u64::from(*number)), *number))
        })
        .min()
        .map(|(_, _, number)| number)
}

/// A child that has been silent for longer than any of its sessions can last no longer counts. If it comes back, its first
/// answer tells it so. Those of which that was not known before.
pub(crate) fn write_off_lost(
    children: &mut Children,
    longest_session: Millis,
    now: UnixMillis,
) -> Vec<u16> {
    let longest = Millis(longest_session.0 + LAST_PASS.0 + WRITE_OFF_MARGIN.0);
    let mut lost = Vec::new();
    for (number, child) in children {
        if now.since(child.heard.max(child.granted_at)) <= longest {
            continue;
        }
        for line in child.lines.iter_mut().filter(|line| line.active() > 0) {
            line.ended_floor = line.granted + line.tries_granted;
            lost.push(*number);
        }
    }
    lost
}

/// What was noted by a clock that was far ahead is brought back.
pub(crate) fn bring_back(children: &mut Children, now: UnixMillis) {
    for child in children.values_mut() {
        child.heard = child.heard.min(now);
        child.granted_at = child.granted_at.min(now);
    }
}

/// A well-mixed number from fresh entropy: the finalizer of SplitMix64
/// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub(crate) fn mix(entropy: &Entropy, salt: u64) -> u64 {
    let (low, high) = entropy.0.split_at(8);
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0u64, |word, byte| (word << 8) | u64::from(*byte))
    };
    let mut mixed =
        word(low) ^ word(high).rotate_left(32) ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
