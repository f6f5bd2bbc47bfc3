//! **fair-draw**: the rank follows from seed, number and size alone; the commitment is known before
//! the size, the size before the secret, in two writes; in the draw are those who came before the
//! opening and were heard in time, and nobody else.
//!
//! Everything is worked out here once more from what boards, storage and visitors showed.

use std::collections::{BTreeMap, BTreeSet};

use anteroom_queue::draw::{SeedFields, all_ranks, commitment, randomness};

use super::{Checker, Findings, Names, Promise, Terms};
use crate::observation::{DrawSeen, FixedSeen, LINES, Observation, PlaceSeen, Step, VisitorId};
use crate::plan::EVENT;

const NONE: u32 = u32::MAX;

/// By then every page that polls has a board that was published.
const BOARD_SEEN_WITHIN_MS: u64 = 10_000;

/// What is known of the draw of one line.
#[derive(Default)]
struct Line {
    public: Option<DrawSeen>,
    stored: Option<DrawSeen>,
    writes: u32,
    fixed_at_ms: Option<u64>,
    drawn_at_ms: Option<u64>,
    /// By shard: of how many entrants a stored report told before the size was fixed.
    heard: BTreeMap<u16, (u64, u64)>,
    /// By shard: how many entrants it has.
    entrants: BTreeMap<u16, u64>,
    ranks: Option<Vec<u64>>,
    /// By shard: the highest number of those who missed the draw, the lowest of those who came later.
    behind: BTreeMap<u16, (Option<u64>, Option<u64>)>,
}

/// Remembers every draw, and the rank that each page showed.
pub struct FairDraw {
    names: Names,
    clock_slack_ms: u64,
    lines: [Line; LINES],
    shown: Vec<u32>,
    told_missed: Vec<bool>,
    /// Objects whose clock leapt.
    leapt: BTreeSet<Option<u16>>,
    asked: Vec<u8>,
    asks: u64,
    most_asks: u8,
    drawing: bool,
    late_polls: u64,
}

impl FairDraw {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms, names: Names) -> Self {
        let visitors = terms.visitors as usize;
        Self {
            names,
            clock_slack_ms: terms.clock_slack_ms,
            lines: Default::default(),
            shown: vec![NONE; visitors],
            told_missed: vec![false; visitors],
            leapt: BTreeSet::new(),
            asked: vec![0; visitors],
            asks: 0,
            most_asks: 0,
            drawing: false,
            late_polls: 0,
        }
    }

    /// What was counted of the first line's draw.
    pub fn counted(&self) -> DrawCounts {
        let line = &self.lines[0];
        let fixed = line.stored.and_then(|draw| draw.fixed);
        DrawCounts {
            entrants: fixed.map_or(0, |fixed| fixed.entrants),
            writes: line.writes,
            asks: self.asks,
            most_asks: self.most_asks,
            late_polls: self.late_polls,
            with_beacon: line
                .stored
                .and_then(|draw| draw.drawn)
                .is_some_and(|drawn| drawn.beacon.is_some()),
        }
    }

    fn draw(&mut self, at_ms: u64, draw: DrawSeen, stored: bool, findings: &mut Findings) {
        let seed = self.seed(&draw);
        let line = &mut self.lines[usize::from(draw.line)];
        let known = if stored { line.stored } else { line.public };
        let mut broken = |what: &str| {
            findings.broken(at_ms, Promise::FairDraw, || format!("{what}: {draw:?}"));
        };
        // A board may be older than another edge's; storage may not.
        if let Some(known) = known {
            if known.commitment != draw.commitment {
                broken("the commitment changed");
            }
            if changed(known.fixed, draw.fixed, stored) {
                broken("who is in the draw changed");
            }
            if changed(known.drawn, draw.drawn, stored) {
                broken("the draw changed");
            }
        } else if draw.fixed.is_some() && stored {
            broken("the number of entrants was stored before the commitment");
        }
        let before = line.stored.and_then(|stored| stored.fixed);
        if draw.drawn.is_some() && before.is_none() {
            broken("the secret was told before the number of entrants was stored");
        }
        if let Some(drawn) = draw.drawn
            && (commitment(&drawn.secret) != draw.commitment || seed != Some(drawn.seed))
        {
            broken("the seed does not follow from what was published");
        }
        if stored {
            line.writes += u32::from(known.is_some());
            if draw.fixed.is_some() {
                line.fixed_at_ms.get_or_insert(at_ms);
            }
            if draw.drawn.is_some() {
                line.drawn_at_ms.get_or_insert(at_ms);
            }
            if line.writes > 2 {
                broken("a third write");
            }
            line.stored = Some(draw);
        } else if known.is_none_or(|known| progress(&known) < progress(&draw)) {
            line.public = Some(draw);
        }
    }

    fn seed(&self, draw: &DrawSeen) -> Option<[u8; 32]> {
        let (fixed, drawn) = (draw.fixed?, draw.drawn?);
        let fields = SeedFields {
            event: EVENT,
            run: self.names.run,
            line: &self.names.lines[usize::from(draw.line)],
            entrants: fixed.entrants,
            root: fixed.root,
            secret: drawn.secret,
            randomness: drawn.beacon.map(|signature| randomness(&signature)),
        };
        Some(fields.seed())
    }

    fn told(&mut self, at_ms: u64, permit: VisitorId, place: PlaceSeen, findings: &mut Findings) {
        self.told_missed[permit as usize] |= place.missed_draw;
        let stored = self.lines[usize::from(place.line)].stored;
        if let Some((fixed, entry)) = stored.and_then(|draw| draw.fixed).zip(place.entry)
            && entry >= fixed.entrants
            && place.arrived_ms + self.clock_slack_ms < fixed.opened_ms
            && place.rank.is_some()
            && !place.missed_draw
        {
            findings.broken(at_ms, Promise::FairDraw, || {
                format!("visitor {permit} missed the draw and is not told so: {place:?}")
            });
        }
        if let Some(rank) = place.rank {
            self.rank(at_ms, permit, rank, findings);
        }
    }

    fn rank(&mut self, at_ms: u64, permit: VisitorId, rank: u64, findings: &mut Findings) {
        let shown = &mut self.shown[permit as usize];
        if *shown != NONE && u64::from(*shown) != rank {
            let before = *shown;
            findings.broken(at_ms, Promise::FairDraw, || {
                format!("visitor {permit} had rank {before} and now has {rank}")
            });
        }
        *shown = rank as u32;
    }

    fn audited(
        &mut self,
        at_ms: u64,
        permit: VisitorId,
        place: PlaceSeen,
        findings: &mut Findings,
    ) {
        let line = &mut self.lines[usize::from(place.line)];
        let (Some(entry), shown) = (place.entry, self.shown[permit as usize]) else {
            return;
        };
        let mut broken = |what: &str| {
            findings.broken(at_ms, Promise::FairDraw, || {
                format!("visitor {permit} {what}: {place:?}, shown {shown}")
            });
        };
        let fixed = line.stored.and_then(|draw| draw.fixed);
        let is_entrant = fixed.is_some_and(|fixed| entry < fixed.entrants);
        let drawn = line.stored.and_then(|draw| draw.drawn);
        if let (Some(fixed), Some(drawn)) = (fixed, drawn) {
            let ranks = &*line
                .ranks
                .get_or_insert_with(|| all_ranks(drawn.seed, fixed.entrants));
            let rank = ranks.get(entry as usize).copied().unwrap_or(entry);
            if shown != NONE && u64::from(shown) != rank {
                broken("has another rank than the draw gave");
            }
        } else if shown != NONE && (line.stored.is_some() && (fixed.is_none() || is_entrant)) {
            broken("was shown a rank before there was a draw");
        }
        let Some(fixed) = fixed else { return };
        // A home notes arrivals by its clock, and one that leapt says nothing of what came before what.
        if self.leapt.contains(&Some(place.home)) || self.leapt.contains(&None) {
            if is_entrant {
                *line.entrants.entry(place.home).or_default() += 1;
            }
            return;
        }
        let came_before = place.arrived_ms + self.clock_slack_ms < fixed.opened_ms;
        let came_later = place.arrived_ms >= fixed.opened_ms + self.clock_slack_ms;
        if is_entrant {
            *line.entrants.entry(place.home).or_default() += 1;
            let asked = self.asked[permit as usize];
            self.asks += u64::from(asked);
            self.most_asks = self.most_asks.max(asked);
            if came_later {
                broken("came after the opening and is in the draw");
            }
            return;
        }
        let (missed, later) = line.behind.entry(place.home).or_default();
        if came_before {
            *missed = Some(missed.unwrap_or(0).max(entry));
            // A home that has just restarted knows no draw; it says so by knowing no rank.
            if place.rank.is_some() && !place.missed_draw {
                broken("missed the draw and is not told so");
            }
        } else if came_later {
            *later = Some(later.unwrap_or(u64::MAX).min(entry));
            if self.told_missed[permit as usize] {
                broken("came after the opening and is told to have missed the draw");
            }
        }
    }

    fn audit_over(&self, at_ms: u64, findings: &mut Findings) {
        for (position, line) in self.lines.iter().enumerate() {
            let Some(FixedSeen { opened_ms, .. }) = line.stored.and_then(|draw| draw.fixed) else {
                continue;
            };
            for (shard, (opens_ms, count)) in &line.heard {
                let of_child = line
                    .entrants
                    .iter()
                    .filter(|(home, _)| self.names.child_of(**home) == *shard);
                let is_in: u64 = of_child.map(|(_, count)| count).sum();
                if *opens_ms == opened_ms && is_in < *count {
                    findings.broken(at_ms, Promise::FairDraw, || {
                        format!("line {position}: {count} of shard {shard} were heard, {is_in} are in the draw")
                    });
                }
            }
            for (shard, behind) in &line.behind {
                if let (Some(missed), Some(later)) = behind
                    && missed > later
                {
                    findings.broken(at_ms, Promise::FairDraw, || {
                        format!("line {position}, shard {shard}: {later} came after the opening and is before {missed}")
                    });
                }
            }
        }
    }
}

/// What was counted of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawCounts {
    /// How many are in it.
    pub entrants: u64,
    /// Commits of the coordinator that changed the draw after it was made.
    pub writes: u32,
    /// Requests to objects between the opening and the rank by the pages of those who are in it.
    pub asks: u64,
    /// The most of them by one visitor.
    pub most_asks: u8,
    /// Pages that could not tell a rank although the draw was over for longer than a board takes.
    pub late_polls: u64,
    /// Whether a beacon took part.
    pub with_beacon: bool,
}

/// Whether a step became another; only on boards it may still be missing.
fn changed<T: PartialEq>(known: Option<T>, now: Option<T>, stored: bool) -> bool {
    match (known, now) {
        (Some(known), Some(now)) => known != now,
        (Some(_), None) => stored,
        (None, _) => false,
    }
}

/// How far a draw has come.
fn progress(draw: &DrawSeen) -> (bool, bool) {
    (draw.drawn.is_some(), draw.fixed.is_some())
}

impl Checker for FairDraw {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::DrawSeen { draw, stored } => self.draw(at_ms, draw, stored, findings),
            Observation::EntrantsHeard {
                shard,
                line,
                opens_ms,
                count,
            } => {
                let line = &mut self.lines[usize::from(line)];
                if line.fixed_at_ms.is_none() {
                    line.heard.insert(shard, (opens_ms, count));
                }
            }
            Observation::PlaceTold { visitor, place } => {
                self.told(at_ms, visitor, place, findings);
            }
            Observation::RankShown { permit, rank } => {
                self.rank(at_ms, permit, rank, findings);
            }
            Observation::ClockLeapt { shard } => {
                self.leapt.insert(shard);
            }
            Observation::UnrankedAsked { permit } if self.drawing => {
                let asked = &mut self.asked[permit as usize];
                *asked = asked.saturating_add(1);
            }
            Observation::UnrankedShown { .. } => {
                let drawn = self.lines[0].drawn_at_ms;
                let late = drawn.is_some_and(|drawn| at_ms > drawn + BOARD_SEEN_WITHIN_MS);
                self.late_polls += u64::from(late);
            }
            Observation::Counted(tally) => {
                self.drawing |= matches!(tally.lines[0].step, Step::Drawing | Step::Fixed);
            }
            Observation::Audited {
                visitor,
                place: Some(place),
            } => self.audited(at_ms, visitor, place, findings),
            Observation::AuditOver { .. } => self.audit_over(at_ms, findings),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
