//! The only place of the edge that reads a clock, draws randomness or writes the log. Everything else gets `now` and
//! nonces as arguments.

use anteroom_queue::units::UnixMillis;
use worker::js_sys;

/// The time of this request. In production it stands still between two waits for the network.
pub fn now() -> UnixMillis {
    UnixMillis(js_sys::Date::now() as u64)
}

/// 128 random bits.
pub fn random_128() -> [u8; 16] {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the platform has a source of randomness");
    bytes
}

/// A random number below `bound`, which must not be zero. 64 bits over a small bound: the bias is below 2^-48.
pub fn random_below(bound: usize) -> usize {
    let random = u128::from_le_bytes(random_128()) as u64;
    (random % bound as u64) as usize
}

/// The number of the autonomous system that a request comes from, where the platform tells it:
/// <https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties>.
pub fn autonomous_system(request: &web_sys::Request) -> Option<u32> {
    let told = js_sys::Reflect::get(request, &"cf".into()).ok()?;
    let number = js_sys::Reflect::get(&told, &"asn".into()).ok()?;
    number.as_f64().map(|number| number as u32)
}

/// One line in the log. Never holds a token, a cookie or a visitor's address.
pub fn log(line: &str) {
    worker::console_log!("{line}");
}
