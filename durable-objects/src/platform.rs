//! The only place of the objects that reads a clock or draws randomness. Everything else is given
//! `now` and entropy, so that it can be replayed from a list.

use anteroom_queue::units::{Millis, UnixMillis};
use wasm_bindgen::prelude::wasm_bindgen;
use worker::js_sys;

#[wasm_bindgen]
extern "C" {
    /// The Web Crypto generator, which fills what it is given.
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn fill_random(bytes: &mut [u8]);
}

/// The platform's clock. In production it stands still between two events of an object.
pub fn now() -> UnixMillis {
    UnixMillis(js_sys::Date::now() as u64)
}

/// Fresh random bytes.
pub fn entropy<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    fill_random(&mut bytes);
    bytes
}

/// A random 32-bit number, for jitter.
pub fn dice() -> u32 {
    u32::from_le_bytes(entropy())
}

/// Waits; the timer is dropped with the future.
pub async fn sleep(how_long: Millis) {
    worker::Delay::from(core::time::Duration::from_millis(how_long.0)).await;
}
