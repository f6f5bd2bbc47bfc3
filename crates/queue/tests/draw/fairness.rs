//! Evidence that when one comes, or through which shard, makes no difference to the rank.
//!
//! A thousand draws with seeds made as real ones are, each a table of "which tenth of the arrivals"
//! by "which tenth of the ranks". Pearson's χ² over the summed table tells whether they depend on
//! one another. The seeds are fixed, so the outcome is too; a run with other seeds would fail once
//! in a thousand times.

use anteroom_queue::draw::{Hash, Ranks, SeedFields, all_ranks, commitment, secret_of};
use anteroom_queue::units::EntryNumber;

const DRAWS: u64 = 1_000;
const ENTRANTS: u64 = 1_000;
const TENTHS: usize = 10;
/// χ² is below this with probability 0.999 at 81 = (10 - 1)² degrees of freedom.
const CHI_SQUARED_81: f64 = 126.08;
/// The same at 63 = (8 - 1) × (10 - 1).
const CHI_SQUARED_63: f64 = 103.44;
/// The same at 9.
const CHI_SQUARED_9: f64 = 27.88;

fn seed_of_draw(number: u64) -> Hash {
    let entropy = u128::from(number).to_be_bytes();
    let secret = secret_of(&entropy, 0);
    let fields = SeedFields {
        event: "world-tour",
        run: 1,
        line: "general",
        entrants: ENTRANTS,
        root: commitment(&secret),
        secret,
        randomness: None,
    };
    fields.seed()
}

fn ranks_of_draw(number: u64) -> Vec<u64> {
    all_ranks(seed_of_draw(number), ENTRANTS)
}

fn tenth(value: u64) -> usize {
    (value * TENTHS as u64 / ENTRANTS) as usize
}

/// How far a table is from one whose rows all have the same distribution over the columns.
fn chi_squared<const COLUMNS: usize>(table: &[[u64; COLUMNS]]) -> f64 {
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

// Q4.
#[test]
fn arrival_time_and_rank_are_independent() {
    let mut table = [[0; TENTHS]; TENTHS];
    for draw in 0..DRAWS {
        for (entry, rank) in ranks_of_draw(draw).into_iter().enumerate() {
            table[tenth(entry as u64)][tenth(rank)] += 1;
        }
    }
    let found = chi_squared(&table);
    assert!(found < CHI_SQUARED_81, "χ² is {found:.1}");
}

#[test]
fn the_first_and_the_last_to_come_get_every_tenth_of_the_ranks_alike() {
    for entry in [0, 1, 499, 998, 999] {
        let mut row = [0; TENTHS];
        for draw in 0..DRAWS {
            let ranks = Ranks::new(seed_of_draw(draw), ENTRANTS);
            row[tenth(ranks.rank(EntryNumber(entry)).0)] += 1;
        }
        let expected = DRAWS as f64 / TENTHS as f64;
        let found: f64 = row
            .iter()
            .map(|seen| (f64::from(*seen) - expected).powi(2) / expected)
            .sum();
        assert!(found < CHI_SQUARED_9, "entry {entry}: χ² is {found:.1}");
    }
}

#[test]
fn the_blocks_of_entries_of_different_shards_have_the_same_ranks() {
    // Eight shards of very different size take turns: cuts of 1 to 8 entries, as reports bring them.
    const SHARDS: usize = 8;
    let mut shard_of = Vec::new();
    for shard in (0..SHARDS).cycle() {
        shard_of.extend(std::iter::repeat_n(shard, shard + 1));
        if shard_of.len() >= ENTRANTS as usize {
            break;
        }
    }
    let mut table = [[0; TENTHS]; SHARDS];
    for draw in 0..DRAWS {
        for (rank, shard) in ranks_of_draw(draw).into_iter().zip(&shard_of) {
            table[*shard][tenth(rank)] += 1;
        }
    }
    let found = chi_squared(&table);
    assert!(found < CHI_SQUARED_63, "χ² is {found:.1}");
}

#[test]
fn a_draw_that_favours_the_early_by_one_in_fifty_would_be_noticed() {
    let mut table = [[0; TENTHS]; TENTHS];
    for draw in 0..DRAWS {
        for (entry, rank) in ranks_of_draw(draw).into_iter().enumerate() {
            let favoured = draw % 50 == 0;
            let rank = if favoured { entry as u64 } else { rank };
            table[tenth(entry as u64)][tenth(rank)] += 1;
        }
    }
    assert!(chi_squared(&table) > CHI_SQUARED_81);
}
