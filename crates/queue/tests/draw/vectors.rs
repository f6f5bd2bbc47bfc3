//! The public vectors of Ethereum's consensus specification.
//!
//! A vector is a file `mapping.yaml` with `seed`, `count` and `mapping`, where `mapping[i]` is
//! `compute_shuffled_index(i)`. Carried over is what identifies each: its seed and count, and the
//! SHA-256 by which its repository stores it. The file is written here anew from our ranks, in the
//! form that the specification's tools write; one wrong rank gives another hash.

use anteroom_queue::draw::{Hash, Ranks, all_ranks, hex};
use anteroom_queue::units::EntryNumber;
use sha2::{Digest, Sha256};

const VECTORS: &str = include_str!("consensus_spec_vectors.tsv");
/// The YAML writer ends a line once it is longer than this.
const LINE_LETTERS: usize = 80;

fn mapping_file(seed: &Hash, mapping: &[u64]) -> String {
    let mut line = "mapping: [".to_owned();
    let mut lines = vec![
        format!("seed: '0x{}'", hex::text(seed)),
        format!("count: {}", mapping.len()),
    ];
    for (at, rank) in mapping.iter().enumerate() {
        if at > 0 {
            line.push(',');
            if line.len() > LINE_LETTERS {
                lines.push(std::mem::replace(&mut line, " ".to_owned()));
            }
            line.push(' ');
        }
        line.push_str(&rank.to_string());
    }
    line.push_str("]\n");
    lines.push(line);
    lines.join("\n")
}

#[test]
fn ranks_are_those_of_the_consensus_specifications_vectors() {
    let vectors = VECTORS.lines().filter(|line| !line.starts_with('#'));
    let mut checked = 0;
    for vector in vectors {
        let [seed, count, sha256, bytes] = vector.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {vector}");
        };
        let seed = hex::hash(seed).expect("a seed has 64 digits");
        let count: u64 = count.parse().expect("a count is a number");
        let ranks = Ranks::new(seed, count);
        let mapping: Vec<u64> = (0..count)
            .map(|entry| ranks.rank(EntryNumber(entry)).0)
            .collect();
        let file = mapping_file(&seed, &mapping);
        assert_eq!(file.len().to_string(), bytes, "{vector}");
        assert_eq!(hex::text(&Sha256::digest(&file)), sha256, "{vector}");
        assert_eq!(all_ranks(seed, count), mapping, "{vector}");
        checked += 1;
    }
    assert_eq!(checked, 22);
}

#[test]
fn one_wrong_rank_would_be_noticed() {
    let seed = hex::hash(&"01".repeat(32)).expect("64 digits");
    let right = all_ranks(seed, 100);
    let mut wrong = right.clone();
    wrong.swap(3, 4);
    assert_ne!(mapping_file(&seed, &right), mapping_file(&seed, &wrong));
}

#[test]
fn the_whole_list_has_every_rank_exactly_once_and_equals_the_ranks_one_by_one() {
    for entrants in (0..=1_000).chain([65_535, 65_536, 65_537]) {
        let seed: Hash = Sha256::digest(format!("list of {entrants}")).into();
        let list = all_ranks(seed, entrants);
        let ranks = Ranks::new(seed, entrants);
        let step = (entrants / 7).max(1);
        for entry in (0..entrants).step_by(step as usize) {
            assert_eq!(
                ranks.rank(EntryNumber(entry)).0,
                list[entry as usize],
                "entry {entry} of {entrants}"
            );
        }
        let mut sorted = list;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..entrants), "{entrants} entrants");
    }
}
