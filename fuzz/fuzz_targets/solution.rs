//! `cargo fuzz run solution`: see `anteroom_fuzz::solution`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::solution::check(bytes));

#[cfg(not(fuzzing))]
fn main() {}
