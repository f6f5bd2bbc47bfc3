//! `cargo fuzz run join_body`: see `anteroom_fuzz::join_body`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::join_body::check(bytes));

#[cfg(not(fuzzing))]
fn main() {}
