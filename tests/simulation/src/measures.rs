//! What is reported besides the promises: how far admission was from the order of arrival, what no-shows cost, how long
//! who was called waited for the grant, and how much any object was asked in a second.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::message::Object;
use crate::observation::{LINES, Observation, Tally, VisitorId};

/// A grant that takes longer is a slow one.
const SOON_MS: u64 = 60_000;

const NONE: u32 = u32::MAX;

/// A share of a whole, summed over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    part: u64,
    whole: u64,
}

impl Share {
    const fn add(&mut self, other: Self) {
        self.part += other.part;
        self.whole += other.whole;
    }

    /// From 0 to 1.
    pub fn value(self) -> f64 {
        self.part as f64 / (self.whole.max(1)) as f64
    }

    fn json(self) -> Value {
        json!((self.value() * 100_000.0).round() / 100_000.0)
    }
}

/// The sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Pairs of visitors let in the other way round than they arrived, of all pairs (Kendall tau distance); lines
    /// without a draw.
    pub disorder: Share,
    /// Slot time that stood empty while somebody waited who was not called, of all slot time.
    pub idle: Share,
    /// Claims whose grant took more than a minute, of all that were granted.
    pub slow: Share,
    /// The most requests of edges to one shard within a second.
    pub busiest_shard: u64,
    /// The most reports to the coordinator within a second.
    pub busiest_coordinator: u64,
}

impl Measures {
    /// Adds those of another run.
    pub fn add(&mut self, other: &Self) {
        self.disorder.add(other.disorder);
        self.idle.add(other.idle);
        self.slow.add(other.slow);
        self.busiest_shard = self.busiest_shard.max(other.busiest_shard);
        self.busiest_coordinator = self.busiest_coordinator.max(other.busiest_coordinator);
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        json!({
            "kendall_tau_distance": self.disorder.json(),
            "slot_time_lost_to_no_shows": self.idle.json(),
            "offers_not_granted_within_a_minute": self.slow.json(),
            "busiest_shard_requests_per_s": self.busiest_shard,
            "busiest_coordinator_reports_per_s": self.busiest_coordinator,
        })
    }

    /// The same in words.
    pub fn told(&self) -> String {
        format!(
            "Kendall tau distance of admission from arrival {:.4}, slot time lost to no-shows {:.2} %, offers not \
             granted within a minute {:.2} %, busiest shard {} requests/s, busiest coordinator {} reports/s",
            self.disorder.value(),
            100.0 * self.idle.value(),
            100.0 * self.slow.value(),
            self.busiest_shard,
            self.busiest_coordinator,
        )
    }
}

/// Measures one run.
pub struct Meter {
    sums: Measures,
    drawn: [bool; LINES],
    arrived: u32,
    /// By permit: how many arrived before.
    arrivals: Vec<u32>,
    /// By permit: since when it claims.
    claims: Vec<u32>,
    line_of: Vec<u8>,
    /// By line: the arrivals of those let in, in the order in which they were.
    admitted: [Vec<u32>; LINES],
    counted: Option<(u64, Tally)>,
    seconds: BTreeMap<Option<u16>, (u64, u64)>,
}

impl Meter {
    /// Of so many visitors; `drawn` are the lines whose order is not that of arrival.
    pub fn new(visitors: u32, drawn: [bool; LINES]) -> Self {
        let visitors = visitors as usize;
        Self {
            sums: Measures::default(),
            drawn,
            arrived: 0,
            arrivals: vec![NONE; visitors],
            claims: vec![NONE; visitors],
            line_of: vec![0; visitors],
            admitted: Default::default(),
            counted: None,
            seconds: BTreeMap::new(),
        }
    }

    /// Takes in what was seen.
    pub fn see(&mut self, at_ms: u64, seen: &Observation) {
        match *seen {
            Observation::JoinBegan { visitor } => {
                self.arrivals[visitor as usize] = self.arrived;
                self.arrived += 1;
            }
            Observation::PlaceTold { visitor, place } => {
                self.line_of[visitor as usize] = place.line
            }
            Observation::ClaimBegan { visitor } => {
                let since = &mut self.claims[visitor as usize];
                *since = (*since).min(at_ms as u32);
            }
            Observation::SessionTold { visitor, .. } => self.let_in(at_ms, visitor),
            Observation::Counted(tally) => self.counted(at_ms, tally),
            _ => {}
        }
    }

    fn let_in(&mut self, at_ms: u64, visitor: VisitorId) {
        let since = std::mem::replace(&mut self.claims[visitor as usize], NONE);
        if since != NONE {
            self.sums.slow.whole += 1;
            self.sums.slow.part += u64::from(at_ms > u64::from(since) + SOON_MS);
        }
        let arrival = std::mem::replace(&mut self.arrivals[visitor as usize], NONE);
        let line = usize::from(self.line_of[visitor as usize]);
        if arrival != NONE && !self.drawn[line] {
            self.admitted[line].push(arrival);
        }
    }

    /// Only sessions at the same time are slots; where a rate or batches hold admissions back nothing is lost.
    fn counted(&mut self, at_ms: u64, tally: Tally) {
        let before = self.counted.replace((at_ms, tally));
        let Some((since_ms, before)) = before else {
            return;
        };
        let limits = before.limits;
        let waits = |tally: &Tally| tally.lines.iter().any(|line| line.entries > line.called);
        if let (Some(most), None, None) = (limits.max_active, limits.per_minute, limits.batch)
            && before.open
            && waits(&before)
        {
            let lasted_ms = at_ms - since_ms;
            let taken = before.active + before.pending;
            self.sums.idle.part += lasted_ms * u64::from(most).saturating_sub(taken);
            self.sums.idle.whole += lasted_ms * u64::from(most);
        }
    }

    /// An object is asked something.
    pub fn asked(&mut self, object: Object, now: u64) {
        let (key, busiest) = match object {
            Object::Coordinator => (None, &mut self.sums.busiest_coordinator),
            Object::Shard(shard) => (Some(shard), &mut self.sums.busiest_shard),
            // What a relay is asked is measured with as many shards as it is for.
            Object::Relay(_) => return,
        };
        let (second, count) = self.seconds.entry(key).or_default();
        if *second != now / 1_000 {
            (*second, *count) = (now / 1_000, 0);
        }
        *count += 1;
        *busiest = (*busiest).max(*count);
    }

    /// The sums at the end.
    pub fn sums(&self) -> Measures {
        let mut sums = self.sums;
        for admitted in &self.admitted {
            let count = admitted.len() as u64;
            sums.disorder.part += inversions(admitted, self.arrived);
            sums.disorder.whole += count * count.saturating_sub(1) / 2;
        }
        sums
    }
}

/// Pairs in the wrong order; every value is below `most` (a Fenwick tree over the values).
fn inversions(values: &[u32], most: u32) -> u64 {
    let mut tree = vec![0_u64; most as usize + 1];
    let mut wrong = 0;
    for (before, value) in (0_u64..).zip(values) {
        let mut smaller = 0;
        let mut node = *value as usize + 1;
        while node > 0 {
            smaller += tree[node];
            node &= node - 1;
        }
        wrong += before - smaller;
        let mut node = *value as usize + 1;
        while node < tree.len() {
            tree[node] += 1;
            node += node & node.wrapping_neg();
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::LimitsSeen;

    #[test]
    fn pairs_in_the_wrong_order_are_counted_each_once() {
        for (values, wrong) in [
            (vec![], 0),
            (vec![0, 1, 2, 3], 0),
            (vec![3, 2, 1, 0], 6),
            (vec![1, 0, 3, 2], 2),
            (vec![3, 0, 1, 2], 3),
        ] {
            assert_eq!(inversions(&values, 4), wrong, "{values:?}");
        }
    }

    #[test]
    fn a_slot_that_stands_empty_while_somebody_waits_is_lost() {
        let tally = |active, entries| {
            let mut tally = Tally {
                active,
                open: true,
                limits: LimitsSeen {
                    max_active: Some(4),
                    ..LimitsSeen::default()
                },
                ..Tally::default()
            };
            tally.lines[0].entries = entries;
            Observation::Counted(tally)
        };
        let mut meter = Meter::new(1, [false; LINES]);
        for (at_ms, seen) in [
            (0, tally(4, 9)),
            (100, tally(3, 9)),
            (200, tally(0, 0)),
            (900, tally(0, 0)),
        ] {
            meter.see(at_ms, &seen);
        }
        assert_eq!(
            meter.sums().idle,
            Share {
                part: 100,
                whole: 800
            }
        );
    }

    #[test]
    fn the_busiest_second_of_an_object_is_kept() {
        let mut meter = Meter::new(1, [false; LINES]);
        for now in [0, 10, 999, 1_000, 1_001] {
            meter.asked(Object::Shard(3), now);
        }
        meter.asked(Object::Coordinator, 5);
        let sums = meter.sums();
        assert_eq!((sums.busiest_shard, sums.busiest_coordinator), (3, 1));
    }
}
