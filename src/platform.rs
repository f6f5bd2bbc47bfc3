//! The only place of the edge that reads a clock, draws randomness or writes the log. Everything else gets `now` and
//! nonces as arguments.

use std::cell::{Cell, RefCell};

use anteroom_queue::units::UnixMillis;
use wasm_bindgen::JsValue;
use worker::js_sys;

use crate::crawlers::Connection;

thread_local! {
    /// While an answer is carried on: what the clock said in this step, once it has been read.
    static STEP: Cell<Step> = const { Cell::new(Step::None) };
    /// Random bits of the platform's that nobody has had yet.
    static RANDOM: RefCell<Vec<[u8; 16]>> = const { RefCell::new(Vec::new()) };
}

#[derive(Clone, Copy)]
enum Step {
    None,
    Begins,
    At(UnixMillis),
}

/// So many random numbers are fetched at a time: each fetch takes as long as a signature.
const RANDOM_AT_A_TIME: usize = 32;

/// The time of this step. In production it stands still between two waits for the network.
pub fn now() -> UnixMillis {
    if let Step::At(now) = STEP.get() {
        return now;
    }
    let now = UnixMillis(js_sys::Date::now() as u64);
    if let Step::Begins = STEP.get() {
        STEP.set(Step::At(now));
    }
    now
}

/// Runs `step`, in which nothing is waited for. The clock is read once in it at most.
pub fn in_one_step<T>(step: impl FnOnce() -> T) -> T {
    STEP.set(Step::Begins);
    let done = step();
    STEP.set(Step::None);
    done
}

/// 128 random bits.
pub fn random_128() -> [u8; 16] {
    RANDOM.with_borrow_mut(|left| {
        if left.is_empty() {
            let mut bytes = [0; 16 * RANDOM_AT_A_TIME];
            getrandom::fill(&mut bytes).expect("the platform has a source of randomness");
            left.extend(bytes.as_chunks().0);
        }
        left.pop().expect("some were fetched")
    })
}

/// A random number below `bound`, which must not be zero. 64 bits over a small bound: the bias is below 2^-48.
pub fn random_below(bound: usize) -> usize {
    let random = u128::from_le_bytes(random_128()) as u64;
    (random % bound as u64) as usize
}

/// The number of the autonomous system that a request comes from, where the platform tells it:
/// <https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties>.
pub fn autonomous_system(request: &web_sys::Request) -> Option<u32> {
    member(&told(request)?, "asn")?
        .as_f64()
        .map(|number| number as u32)
}

/// The continent that a request comes from, where the platform tells it: `EU`, `NA` and so on.
pub fn continent(request: &web_sys::Request) -> Option<String> {
    member(&told(request)?, "continent")?.as_string()
}

/// The network, and whether the request comes from a program that the platform has verified. Customers of its bot management
/// are told; all others have a category at most:
/// <https://developers.cloudflare.com/bots/reference/bot-management-variables/#workers-variables>.
pub fn connection(request: &web_sys::Request) -> Connection {
    let Some(told) = told(request) else {
        return Connection::default();
    };
    let category = member(&told, "verifiedBotCategory")
        .and_then(|category| category.as_string())
        .filter(|category| !category.is_empty());
    let verified = member(&told, "botManagement")
        .and_then(|told| member(&told, "verifiedBot"))
        .map(|verified| verified.as_bool() == Some(true));
    Connection {
        asn: autonomous_system(request),
        verified: verified.unwrap_or(category.is_some()),
        category,
    }
}

/// What the platform says of a request beside its headers.
fn told(request: &web_sys::Request) -> Option<JsValue> {
    member(request, "cf")
}

fn member(of: &JsValue, name: &str) -> Option<JsValue> {
    let value = js_sys::Reflect::get(of, &name.into()).ok()?;
    (!value.is_null() && !value.is_undefined()).then_some(value)
}

/// One line in the log. Never holds a token, a cookie or a visitor's address.
pub fn log(line: &str) {
    worker::console_log!("{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn nobody_gets_a_random_number_that_another_has_had() {
        let drawn: Vec<_> = (0..3 * RANDOM_AT_A_TIME + 1)
            .map(|_| random_128())
            .collect();
        let different: BTreeSet<_> = drawn.iter().collect();
        assert_eq!(different.len(), drawn.len());
    }
}
