//! The browser's module: one export that takes and gives numbers, so that it needs no glue and no memory of its own.

use crate::{Difficulty, Seed, search};

/// What [`solve`] gives when no counter was found among those it tried.
pub const NONE: u32 = u32::MAX;

/// The counter that solves puzzle `index` among the `tries` from `from` on, or [`NONE`]; also for a difficulty that
/// nobody asks for. `a` to `h`: the seed as eight numbers of 32 bits, most significant byte first.
#[expect(
    unsafe_code,
    reason = "an export has a name that the linker keeps; nothing unsafe is done"
)]
#[unsafe(no_mangle)]
pub extern "C" fn solve(
    a: u32,
    b: u32,
    c: u32,
    d: u32,
    e: u32,
    f: u32,
    g: u32,
    h: u32,
    index: u32,
    bits: u32,
    from: u32,
    tries: u32,
) -> u32 {
    let mut seed = [0; 32];
    for (bytes, word) in seed.chunks_exact_mut(4).zip([a, b, c, d, e, f, g, h]) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    let difficulty = u8::try_from(bits).ok().and_then(Difficulty::new);
    difficulty
        .and_then(|difficulty| search(&Seed(seed), index as u8, difficulty, from, tries))
        .unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_export_finds_what_the_search_finds() {
        let mut seed = [0; 32];
        seed[3] = 1;
        seed[31] = 8;
        let difficulty = Difficulty::new(10).unwrap();
        let found = search(&Seed(seed), 5, difficulty, 100, 1 << 20);
        assert_eq!(
            Some(solve(1, 0, 0, 0, 0, 0, 0, 8, 5, 10, 100, 1 << 20)),
            found
        );
        assert_eq!(solve(1, 0, 0, 0, 0, 0, 0, 8, 5, 10, 100, 0), NONE);
        assert_eq!(solve(1, 0, 0, 0, 0, 0, 0, 8, 5, 0, 100, 9), NONE);
    }
}
