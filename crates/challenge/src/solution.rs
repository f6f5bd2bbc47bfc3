//! A solution as a join carries it, and the question whether it holds.

use core::fmt;

use crate::{Block, Difficulty, PUZZLES, Seed};

/// Digits of a counter.
const DIGITS: usize = 8;

/// A counter for each puzzle of a permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution([u32; PUZZLES]);

/// A text that is no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            to,
            "{} lower-case hexadecimal digits, {DIGITS} for each puzzle",
            PUZZLES * DIGITS
        )
    }
}

impl core::error::Error for Malformed {}

impl Solution {
    /// Of the puzzles' counters in order.
    pub const fn new(counters: [u32; PUZZLES]) -> Self {
        Solution(counters)
    }

    /// Reads its one spelling.
    pub fn read(text: &str) -> Result<Self, Malformed> {
        let bytes = text.as_bytes();
        if bytes.len() != PUZZLES * DIGITS {
            return Err(Malformed);
        }
        let mut counters = [0; PUZZLES];
        for (counter, digits) in counters.iter_mut().zip(bytes.chunks_exact(DIGITS)) {
            for digit in digits {
                let value = match digit {
                    b'0'..=b'9' => digit - b'0',
                    b'a'..=b'f' => digit - b'a' + 10,
                    _ => return Err(Malformed),
                };
                *counter = *counter << 4 | u32::from(value);
            }
        }
        Ok(Solution(counters))
    }

    /// Whether every puzzle is solved. The first one that is not ends it: rubbish costs one hash.
    pub fn holds(&self, seed: &Seed, difficulty: Difficulty) -> bool {
        (0_u8..)
            .zip(self.0)
            .all(|(index, counter)| Block::of(seed, index).zero_bits(counter) >= difficulty.bits())
    }
}

impl fmt::Display for Solution {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|counter| write!(to, "{counter:08x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search;
    use proptest::prelude::*;

    fn solved(seed: &Seed, difficulty: Difficulty) -> Solution {
        let counter = |index| search(seed, index as u8, difficulty, 0, u32::MAX).unwrap();
        Solution(core::array::from_fn(counter))
    }

    proptest! {
        #[test]
        fn a_solution_has_one_spelling(counters: [u32; PUZZLES]) {
            let solution = Solution(counters);
            let text = solution.to_string();
            prop_assert_eq!(Solution::read(&text), Ok(solution));
            prop_assert_eq!(text.len(), 256);
        }

        #[test]
        fn whatever_else_is_written_is_refused_or_read_back_as_it_was(text in ".{0,300}") {
            if let Ok(solution) = Solution::read(&text) {
                prop_assert_eq!(solution.to_string(), text);
            }
        }
    }

    #[test]
    fn what_is_not_its_spelling_is_refused() {
        let good = "0".repeat(256);
        assert!(Solution::read(&good).is_ok());
        for bad in [
            "",
            &good[1..],
            &format!("{good}0"),
            &good.replace('0', "A"),
            &format!("{} ", &good[1..]),
            &format!("+{}", &good[1..]),
        ] {
            assert_eq!(Solution::read(bad), Err(Malformed), "{bad}");
        }
    }

    // P1, P2, P5.
    #[test]
    fn a_solution_holds_for_its_permit_and_its_difficulty_only_and_with_every_puzzle_solved() {
        let difficulty = Difficulty::new(8).unwrap();
        let seed = Seed([7; 32]);
        let solution = solved(&seed, difficulty);
        assert!(solution.holds(&seed, difficulty));
        assert!(solution.holds(&seed, Difficulty::new(1).unwrap()));
        assert!(!solution.holds(&seed, Difficulty::new(16).unwrap()));
        assert!(!solution.holds(&Seed([8; 32]), difficulty));
        for at in 0..PUZZLES {
            let mut altered = solution;
            altered.0[at] ^= 1;
            let unlucky = Block::of(&seed, at as u8).zero_bits(altered.0[at]) < 8;
            assert_eq!(altered.holds(&seed, difficulty), !unlucky, "puzzle {at}");
        }
        let mut moved = solution;
        moved.0.rotate_left(1);
        assert!(
            !moved.holds(&seed, difficulty),
            "each counter is of its own puzzle"
        );
    }
}
