//! Evidence from the real coordinator and shards that neither the time of arrival nor the shard
//! makes a difference to the rank.
//!
//! A thousand draws with secrets of their own, each a table of "which fifth of the arrivals" (or
//! "which shard") by "which fifth of the ranks". Pearson's χ² over the summed table tells whether
//! they depend on one another. The secrets are fixed, so the outcome is too.

use anteroom_queue::coordinator::command::{CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::settings::Settings;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::units::{LineIndex, Millis, Nonce, PlaceIndex, ShardIndex, UnixMillis};
use simulation::chance::Chance;
use simulation::plan::{Beacon, Plan, START};

const DRAWS: u64 = 1_000;
const ENTRANTS: u64 = 40;
const FIFTHS: usize = 5;
const RUN: u32 = 1;

/// χ² is below this with probability 0.999, by degrees of freedom.
const CHI_SQUARED: [(usize, f64); 4] = [(4, 18.47), (12, 32.91), (16, 39.25), (28, 56.89)];

struct World {
    now: UnixMillis,
    coordinator: Coordinator,
    shards: Vec<Shard>,
}

impl World {
    fn new(settings: &Settings, draw: u64, shards: usize) -> Self {
        let name = RunName {
            event: "on-sale",
            run: RUN,
        };
        let entropy = Chance::new(draw, 7).bytes();
        let shard = |number: usize| {
            let shard = ShardIndex(number as u16);
            Shard::new(Identity { run: RUN, shard }, settings.clone(), START).reply
        };
        Self {
            now: START,
            coordinator: Coordinator::new(name, settings.clone(), entropy, START).reply,
            shards: (0..shards).map(shard).collect(),
        }
    }

    fn sync(&mut self, shard: usize) {
        let report = self.shards[shard].report(self.now);
        let entropy = Entropy([3; 16]);
        let command = CoordinatorCommand::Sync { report, entropy };
        match self.coordinator.apply(command, self.now).reply {
            CoordinatorReply::Synced(reply) => {
                self.shards[shard].apply(ShardCommand::Synced { reply }, self.now);
            }
            other => panic!("a report is answered {other:?}"),
        }
    }

    fn sync_all(&mut self) {
        (0..self.shards.len()).for_each(|shard| self.sync(shard));
    }

    fn join(&mut self, visitor: u64, shard: usize) -> PlaceIndex {
        let join = ShardCommand::Join {
            nonce: Nonce(u128::from(visitor).to_le_bytes()),
            line: LineIndex(0),
            permit_expired: false,
            arrived: None,
        };
        match self.shards[shard].apply(join, self.now).reply {
            ShardReply::Place { place, .. } => place.index,
            other => panic!("a join is answered {other:?}"),
        }
    }
}

/// Shard and rank of everybody, in the order of arrival.
fn draw(number: u64, shards: usize) -> Vec<(usize, u64)> {
    let mut settings = Plan::raffle(1, 100, Beacon::Never).settings;
    settings.draw.beacon = false;
    settings.expected_visitors = 8_000 * shards as u64;
    let opens_at = settings.lines[0].opens_at.expect("a raffle opens later");
    let mut world = World::new(&settings, number, shards);
    world.sync_all();
    let mut chance = Chance::new(number, 9);
    let mut seats = Vec::new();
    for visitor in 0..ENTRANTS {
        world.now = world.now.plus(Millis(1_000));
        let shard = chance.within(0..shards as u64) as usize;
        seats.push((shard, world.join(visitor, shard)));
        world.sync(chance.within(0..shards as u64) as usize);
    }
    world.now = opens_at;
    world.sync_all();
    world.sync_all();
    world.now = opens_at.plus(Millis(5_000));
    world.coordinator.apply(CoordinatorCommand::Wake, world.now);
    world.sync_all();
    let rank = |(shard, index): (usize, PlaceIndex)| {
        let view = world.shards[shard].view(index, world.now);
        let rank = view.and_then(|view| view.rank);
        (shard, rank.expect("an entrant has a rank after the draw").0)
    };
    seats.into_iter().map(rank).collect()
}

fn fifth(value: u64) -> usize {
    (value * FIFTHS as u64 / ENTRANTS) as usize
}

fn chi_squared(table: &[[u64; FIFTHS]]) -> f64 {
    let total: u64 = table.iter().flatten().sum();
    let column = |at: usize| table.iter().map(|row| row[at]).sum::<u64>();
    let mut sum = 0.0;
    for row in table {
        let of_row: u64 = row.iter().sum();
        for (at, observed) in row.iter().enumerate() {
            let expected = (of_row * column(at)) as f64 / total as f64;
            sum += (*observed as f64 - expected).powi(2) / expected;
        }
    }
    sum
}

fn limit(rows: usize) -> f64 {
    let degrees = (rows - 1) * (FIFTHS - 1);
    let known = CHI_SQUARED.iter().find(|(known, _)| *known == degrees);
    known.expect("the table has a usual size").1
}

#[test]
fn neither_the_shard_nor_the_time_of_arrival_makes_a_difference_to_the_rank() {
    for shards in [1, 2, 4, 8] {
        let mut by_arrival = vec![[0; FIFTHS]; FIFTHS];
        let mut by_shard = vec![[0; FIFTHS]; shards];
        for number in 0..DRAWS {
            for (arrival, (shard, rank)) in (0..).zip(draw(number, shards)) {
                by_arrival[fifth(arrival)][fifth(rank)] += 1;
                by_shard[shard][fifth(rank)] += 1;
            }
        }
        let found = chi_squared(&by_arrival);
        assert!(
            found < limit(FIFTHS),
            "{shards} shards: {found}, {by_arrival:?}"
        );
        if shards > 1 {
            let found = chi_squared(&by_shard);
            assert!(
                found < limit(shards),
                "{shards} shards: {found}, {by_shard:?}"
            );
        }
    }
}

#[test]
fn a_draw_that_prefers_the_first_is_told_from_a_fair_one() {
    let mut unfair = vec![[1_000; FIFTHS]; FIFTHS];
    unfair[0][0] += 400;
    assert!(chi_squared(&unfair) > limit(FIFTHS));
    let fair = vec![[1_000; FIFTHS]; FIFTHS];
    assert!(chi_squared(&fair) < limit(FIFTHS));
}
