//! T26: does it take longer to refuse a MAC whose first byte is right? Welch's t-test over interleaved measurements, as dudect
//! does it: |t| below 4.5 is no evidence of a difference.
//!
//! Measured times depend on what else the machine does, so the largest measurements are cropped, and only three runs in
//! a row that all see a difference count.

#![cfg(not(target_arch = "wasm32"))]

mod forge;

use std::hint::black_box;
use std::time::Instant;

use forge::{NOW, PASS, encode, segments, tokens};

const ROUNDS: usize = 20_000;
const CROPPED_SHARE: usize = 10;
const T_LIMIT: f64 = 4.5;
const TRIES: usize = 3;

fn welch_t(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let spread = |values: &[f64], mean: f64| {
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        squares / (values.len() - 1) as f64 / values.len() as f64
    };
    let (a, b) = (mean(one), mean(other));
    (a - b) / (spread(one, a) + spread(other, b)).sqrt()
}

/// Interleaves the two inputs in an order that follows no pattern, and drops the slowest tenth of each. Both are copied
/// to the same place before the clock starts, so that where they lie in memory makes no difference.
fn measure<const N: usize>(inputs: [[u8; N]; 2], mut judge: impl FnMut(&[u8; N])) -> f64 {
    let mut times = [Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS)];
    let mut place = Box::new([0; N]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    while times.iter().any(|times| times.len() < ROUNDS) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let which = (state >> 63) as usize;
        place.copy_from_slice(black_box(&inputs[which]));
        let start = Instant::now();
        judge(black_box(&place));
        times[which].push(start.elapsed().as_nanos() as f64);
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
        times.truncate(ROUNDS - ROUNDS / CROPPED_SHARE);
    }
    welch_t(&times[0], &times[1])
}

fn with_wrong_byte(at: usize) -> String {
    let token = PASS.token();
    let [header, payload, signature] = segments(&token);
    let mut mac =
        <base64ct::Base64UrlUnpadded as base64ct::Encoding>::decode_vec(signature).unwrap();
    mac[at] ^= 0x55;
    format!("{header}.{payload}.{}", encode(mac))
}

#[test]
fn a_wrong_first_byte_of_the_mac_is_refused_no_faster_than_a_wrong_last() {
    const TOKEN_BYTES: usize = 306;
    let tokens = tokens(PASS);
    let inputs = [0, 31].map(|at| {
        with_wrong_byte(at)
            .into_bytes()
            .try_into()
            .expect("a sample pass has 306 bytes")
    });
    let open = |token: &[u8; TOKEN_BYTES]| {
        let token = std::str::from_utf8(token).expect("ASCII");
        assert!(black_box(tokens.open_pass(token, NOW)).is_err());
    };
    let runs: Vec<f64> = (0..TRIES).map(|_| measure(inputs, open)).collect();
    assert!(
        runs.iter().any(|t| t.abs() < T_LIMIT),
        "t in {TRIES} runs: {runs:?}"
    );
}

/// The measurement can see what it looks for.
#[test]
fn a_comparison_that_stops_early_is_noticed() {
    let right = [7u8; 4096];
    let (mut first, mut last) = (right, right);
    first[0] ^= 1;
    last[4095] ^= 1;
    let t = measure([first, last], |other| {
        let same = black_box(&right).iter().zip(other).all(|(a, b)| a == b);
        assert!(!black_box(same));
    });
    assert!(t.abs() > T_LIMIT, "t {t}");
}
