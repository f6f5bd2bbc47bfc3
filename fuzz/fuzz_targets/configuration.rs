//! `cargo fuzz run configuration`: see `anteroom_fuzz::configuration`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::configuration::check(bytes));

#[cfg(not(fuzzing))]
fn main() {}
