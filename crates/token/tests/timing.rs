//! T26: does it take longer to refuse a MAC whose first byte is right? Welch's t-test over interleaved measurements, as dudect
//! does it: |t| below 4.5 is no evidence of a difference.
//!
//! Measured times depend on what else the machine does, so the largest measurements are cropped, and only three runs in
//! a row that all see a difference count.

#![cfg(not(target_arch = "wasm32"))]

mod forge;

use std::hint::black_box;
use std::sync::atomic::{Ordering, fence};
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

/// Interleaves the two inputs of each pair in an order that follows no pattern, and drops the slowest tenth of each kind.
///
/// Every input is copied to the same place, and the fence waits until nothing of the copy is under way: where the inputs
/// lie in memory would show in the time of whoever reads the copy first.
fn measure<const N: usize>(pairs: &[[[u8; N]; 2]], mut judge: impl FnMut(&[u8; N])) -> f64 {
    let mut times = [Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS)];
    let mut place = Box::new([0; N]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    while times.iter().any(|times| times.len() < ROUNDS) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let which = (state >> 63) as usize;
        let pair = (state >> 32) as usize % pairs.len();
        place.copy_from_slice(black_box(&pairs[pair][which]));
        fence(Ordering::SeqCst);
        let start = Instant::now();
        judge(black_box(&place));
        times[which].push(start.elapsed().as_nanos() as f64);
    }
    for times in &mut times {
        times.truncate(ROUNDS);
        times.sort_by(f64::total_cmp);
        times.truncate(ROUNDS - ROUNDS / CROPPED_SHARE);
    }
    welch_t(&times[0], &times[1])
}

const TOKEN_BYTES: usize = 309;

/// A pass of visitor `number` whose MAC is wrong in one byte.
fn with_wrong_byte(number: u16, at: usize) -> [u8; TOKEN_BYTES] {
    let token = PASS.sign_claims(&PASS.claims_with("jti", &format!(r#""7.{number}.1""#)));
    let [header, payload, signature] = segments(&token);
    let mut mac =
        <base64ct::Base64UrlUnpadded as base64ct::Encoding>::decode_vec(signature).unwrap();
    mac[at] ^= 1 + (number % 255) as u8;
    format!("{header}.{payload}.{}", encode(mac))
        .into_bytes()
        .try_into()
        .expect("a pass of a number with four digits has 309 bytes")
}

/// Many passes, since some bytes are decoded a little faster than others, which tells nobody anything about the right
/// ones, and a single pass has the same bytes in every round.
#[test]
fn a_wrong_first_byte_of_the_mac_is_refused_no_faster_than_a_wrong_last() {
    let tokens = tokens(PASS);
    let pairs: Vec<_> = (1000..3000)
        .map(|number| [0, 31].map(|at| with_wrong_byte(number, at)))
        .collect();
    let open = |token: &[u8; TOKEN_BYTES]| {
        let token = std::str::from_utf8(token).expect("ASCII");
        assert!(black_box(tokens.open_pass(token, NOW)).is_err());
    };
    let runs: Vec<f64> = (0..TRIES).map(|_| measure(&pairs, open)).collect();
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
    let t = measure(&[[first, last]], |other| {
        let same = black_box(&right).iter().zip(other).all(|(a, b)| a == b);
        assert!(!black_box(same));
    });
    assert!(t.abs() > T_LIMIT, "t {t}");
}
