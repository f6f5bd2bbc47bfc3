//! `cargo fuzz run token`: see `anteroom_fuzz::token`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::token::check(bytes));

#[cfg(not(fuzzing))]
fn main() {}
