//! `cargo fuzz run stored_rows`: see `anteroom_fuzz::stored_rows`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::stored_rows::check(bytes));

#[cfg(not(fuzzing))]
fn main() {}
