//! `cargo fuzz run cookie_header`: see `anteroom_fuzz::cookie_header`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anteroom_fuzz::cookie_header::check(bytes));

#[cfg(not(fuzzing))]
fn main() {}
