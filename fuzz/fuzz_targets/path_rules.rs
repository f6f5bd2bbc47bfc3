//! `cargo fuzz run path_rules`: see `anteroom_fuzz::path_rules`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::path_rules::check(bytes));

#[cfg(not(fuzzing))]
fn main() {}
