//! Where the time of joins goes: each step on the way from a visitor's join to the number at the visitor, of all joins and of
//! the slowest two in a hundred. What a step takes is told without what distance alone takes.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::messages::Join;
use super::meters::Histogram;
use super::objects::{home_region, round_trip_ms};
use anteroom_queue::tree::relay_of;
use anteroom_queue::units::ShardIndex;

/// The instants of a report's way, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The shard has closed its window and begins to store what the report counts.
    Made,
    /// That is stored: it leaves.
    Left,
    /// It is at the parent, which may be busy.
    AtParent,
    /// The parent takes it in.
    Taken,
    /// The parent is done with gathering: it stores, and answers or reports itself.
    Gathered,
    /// A relay has the coordinator's answer. (Of a coordinator: the same instant as before.)
    Answered,
    /// The answer leaves the parent.
    Given,
    /// It is at the shard.
    Heard,
}

const STOPS: usize = Stop::Heard as usize + 1;

/// The steps of a join, by what ends each.
const STEPS: [&str; STOPS + 3] = [
    "to the shard",
    "the shard is busy",
    "until a report leaves",
    "the shard stores",
    "to the parent",
    "the parent is busy",
    "the parent gathers",
    "relay to coordinator",
    "the parent stores",
    "back to the shard",
    "the shard stores, back",
];

/// Times are told apart to so many milliseconds when the slowest are picked out.
const BUCKET_MS: u64 = 5;
/// Buckets: four seconds.
const BUCKETS: usize = 800;
/// The slowest are so many of a thousand.
const SLOWEST_PERMILLE: u64 = 20;

/// A report on its way, and what it counts.
#[derive(Clone, Copy, Debug)]
pub struct Trail {
    /// When it left, by the clock of the core: how its answer names it.
    sent: u64,
    /// Places that it counts.
    counted: u32,
    stops: [u64; STOPS],
}

impl Trail {
    /// A report that is made now.
    const fn new(sent: u64, counted: u32, now: u64) -> Self {
        let mut stops = [0; STOPS];
        stops[Stop::Made as usize] = now;
        Self {
            sent,
            counted,
            stops,
        }
    }

    /// It comes to a stop; the first time counts.
    fn stop(&mut self, stop: Stop, now: u64) {
        let known = &mut self.stops[stop as usize];
        if *known == 0 {
            *known = now;
        }
    }
}

/// The reports of a shard that are on their way or have joins without a number.
#[derive(Clone, Debug, Default)]
pub struct Trails(VecDeque<Trail>);

impl Trails {
    /// A report is made now that counts so many places.
    pub fn start(&mut self, sent: u64, counted: u32, now: u64) {
        self.0.push_back(Trail::new(sent, counted, now));
    }

    /// The report that left at `sent` comes to a stop.
    pub fn stop(&mut self, sent: u64, stop: Stop, now: u64) {
        if let Some(trail) = self.0.iter_mut().find(|trail| trail.sent == sent) {
            trail.stop(stop, now);
        }
    }

    /// The first report that counts a place. Those before it are forgotten, since places get their numbers in order.
    pub fn of_place(&mut self, place: u32) -> Option<Trail> {
        while self.0.len() > 1 && self.0[0].counted <= place {
            self.0.pop_front();
        }
        let first = self.0.front().copied();
        first.filter(|trail| place < trail.counted)
    }
}

#[derive(Clone, Debug, Default)]
struct Bucket {
    joins: u64,
    steps: [u64; STEPS.len()],
}

/// The way of all joins.
pub struct Ways {
    buckets: Vec<Bucket>,
    /// By the region and whether a relay is between.
    groups: Vec<Histogram>,
}

impl Ways {
    /// None yet.
    pub fn new() -> Self {
        Self {
            buckets: vec![Bucket::default(); BUCKETS],
            groups: (0..6)
                .map(|_| Histogram::up_to(BUCKETS * BUCKET_MS as usize))
                .collect(),
        }
    }

    /// A join of `shard`, whose number is at the visitor at `at`, was counted by this report.
    pub fn add(&mut self, shard: u16, join: Join, trail: &Trail, at: u64) {
        let mut last = u64::from(join.began_ms);
        let stops = [u64::from(join.arrived_ms), u64::from(join.taken_ms)];
        let beyond = (at - last).saturating_sub(round_trip_ms(shard));
        let bucket = ((beyond / BUCKET_MS) as usize).min(BUCKETS - 1);
        let bucket = &mut self.buckets[bucket];
        bucket.joins += 1;
        for (step, stop) in stops.into_iter().chain(trail.stops).chain([at]).enumerate() {
            let stop = stop.max(last).min(at);
            bucket.steps[step] += stop - last;
            last = stop;
        }
        let relayed = usize::from(relay_of(ShardIndex(shard)).is_some());
        self.groups[3 * relayed + home_region(shard)].add(beyond);
    }

    /// Mean milliseconds of each step: of all joins, and of the slowest.
    fn means(&self) -> Vec<(&'static str, f64, f64)> {
        let joins: u64 = self.buckets.iter().map(|bucket| bucket.joins).sum();
        let wanted = (joins * SLOWEST_PERMILLE).div_ceil(1_000);
        let (mut all, mut slow, mut slowest) = (Bucket::default(), Bucket::default(), 0);
        for bucket in self.buckets.iter().rev() {
            let is_slow = slowest < wanted;
            slowest += bucket.joins;
            all.take(bucket);
            if is_slow {
                slow.take(bucket);
            }
        }
        let mean = |of: &Bucket, step: usize| of.steps[step] as f64 / of.joins.max(1) as f64;
        let steps = STEPS.iter().enumerate();
        steps
            .map(|(at, step)| (*step, mean(&all, at), mean(&slow, at)))
            .collect()
    }

    /// For people.
    pub fn told(&self) -> Vec<String> {
        let mut lines = vec!["a join's steps           all   slowest 2 %   (mean ms)".to_owned()];
        for (step, all, slow) in self.means() {
            lines.push(format!("{step:<22} {all:>6.1}   {slow:>6.1}"));
        }
        for (at, group) in self.groups.iter().enumerate() {
            lines.push(format!(
                "beyond the trip, region {} {:<8} p50 {:>4} p99 {:>4} of {}",
                at % 3,
                if at < 3 { "direct" } else { "relayed" },
                group.permille(500),
                group.permille(990),
                group.total()
            ));
        }
        lines
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let round = |ms: f64| (ms * 10.0).round() / 10.0;
        let steps = self.means().into_iter();
        let steps = steps.map(|(step, all, slow)| {
            let value = json!({"all": round(all), "slowest": round(slow)});
            (step.replace([' ', ','], "_"), value)
        });
        Value::Object(steps.collect())
    }
}

impl Bucket {
    fn take(&mut self, other: &Bucket) {
        self.joins += other.joins;
        for (sum, more) in self.steps.iter_mut().zip(other.steps) {
            *sum += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_join_add_up_to_what_it_took() {
        let mut trails = Trails::default();
        trails.start(7, 3, 40);
        for (stop, at) in [(Stop::Left, 48), (Stop::AtParent, 51), (Stop::Heard, 90)] {
            trails.stop(7, stop, at);
        }
        trails.stop(7, Stop::Left, 60);
        assert!(trails.of_place(3).is_none(), "no report counts it");
        let trail = trails.of_place(2).expect("it is counted");
        let join = Join {
            visitor: 0,
            began_ms: 10,
            floor: 0,
            arrived_ms: 13,
            taken_ms: 14,
        };
        let mut ways = Ways::new();
        ways.add(0, join, &trail, 101);
        let steps: Vec<f64> = ways.means().into_iter().map(|(_, all, _)| all).collect();
        assert_eq!(steps[..5], [3.0, 1.0, 26.0, 8.0, 3.0]);
        assert_eq!(steps.iter().sum::<f64>(), 91.0);
    }
}
