//! `cargo fuzz run sync_message`: see `anteroom_fuzz::sync_message`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::sync_message::check(bytes));

#[cfg(not(fuzzing))]
fn main() {}
