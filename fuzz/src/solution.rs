//! The solution that a join carries.
//!
//! Input: a seed of 32 bytes, then the text.

use anteroom_challenge::{Difficulty, PREFIX, PUZZLES, Seed, Solution};
use sha2::{Digest, Sha256};

/// The text is read as its documentation says, in its one spelling, and holds exactly when all its hashes do.
pub fn check(bytes: &[u8]) {
    let Some((seed, text)) = bytes.split_first_chunk::<32>() else {
        return;
    };
    let Ok(text) = str::from_utf8(text) else {
        return;
    };
    let counters = counters(text);
    match (Solution::read(text), counters) {
        (Err(_), None) => {}
        (Ok(solution), Some(counters)) => {
            assert_eq!(solution.to_string(), text, "one spelling");
            assert_eq!(solution, Solution::new(counters));
            let zeros = |(index, counter): (usize, &u32)| zero_bits(seed, index as u8, *counter);
            let least = counters.iter().enumerate().map(zeros).min();
            let least = least.expect("there are puzzles");
            for bits in [1, 2, 8, 16] {
                let difficulty = Difficulty::new(bits).expect("it is in range");
                let holds = solution.holds(&Seed(*seed), difficulty);
                assert_eq!(holds, least >= u32::from(bits), "{bits} bits");
            }
        }
        (read, counters) => panic!("{text:?}: {read:?} and by its definition {counters:?}"),
    }
}

/// By its definition: 8 lower-case hexadecimal digits for each puzzle.
fn counters(text: &str) -> Option<[u32; PUZZLES]> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != 8 * PUZZLES || !text.bytes().all(is_digit) {
        return None;
    }
    let counter = |index| u32::from_str_radix(&text[8 * index..8 * index + 8], 16);
    Some(core::array::from_fn(|index| {
        counter(index).expect("they are digits")
    }))
}

fn zero_bits(seed: &[u8; 32], index: u8, counter: u32) -> u32 {
    let hash = Sha256::new()
        .chain_update(PREFIX)
        .chain_update(seed)
        .chain_update([index])
        .chain_update(counter.to_be_bytes())
        .finalize();
    u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]).leading_zeros()
}
