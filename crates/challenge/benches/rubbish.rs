//! What `npm run bench -- challenge` measures, as a WebAssembly module: how long the edge needs to refuse a solution that
//! is none, and one bare hash for comparison.

use anteroom_challenge::{Difficulty, Seed, Solution, search};

/// The hardest there is: what is tried here never holds by chance.
const HARDEST: u8 = Difficulty::MOST_BITS;

fn hardest() -> Difficulty {
    Difficulty::new(HARDEST).expect("it is in range")
}

fn seed(number: u32) -> Seed {
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&number.to_be_bytes());
    Seed(seed)
}

/// Reads and checks `count` solutions of rubbish, each for another permit; how many held.
#[expect(
    unsafe_code,
    reason = "an export has a name that the linker keeps; nothing unsafe is done"
)]
#[unsafe(no_mangle)]
pub extern "C" fn rubbish(count: u32) -> u32 {
    let text = "0123abcd".repeat(32);
    let holds = |number| {
        let solution = Solution::read(&text).expect("it has the right form");
        solution.holds(&seed(number), hardest())
    };
    (0..count).filter(|number| holds(*number)).count() as u32
}

/// Makes `count` hashes; how many solved their puzzle.
#[expect(
    unsafe_code,
    reason = "an export has a name that the linker keeps; nothing unsafe is done"
)]
#[unsafe(no_mangle)]
pub extern "C" fn hashes(count: u32) -> u32 {
    let solves = |number| search(&seed(number), 0, hardest(), number, 1).is_some();
    (0..count).filter(|number| solves(*number)).count() as u32
}
