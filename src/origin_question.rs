//! The edge's own question to an origin: does the shop answer?
//!
//! A HEAD of the event's first path. It brings a pass of no session, as a crawler's request does: what stands before the
//! shop and lets nobody through without a pass would answer for it otherwise. A shop that denies is up, so is one that
//! knows no such page or no HEAD. One whose HEAD fails is asked as browsers do before it counts as down, unless it has
//! answered a HEAD before; one that answers only then is asked so from then on.

use std::time::Duration;

use futures_util::future::{Either, select};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{RequestInit, RequestRedirect, Response};
use worker::Delay;
use worker::js_sys;
use worker::js_sys::futures::JsFuture;

use crate::headers;
use crate::origin_evidence::{Head, Heard, QUESTION_LIMIT};
use crate::rewrite::PASS_HEADER;

/// With this header the room answers.
const STATE_HEADER: &str = "waiting-room-state";

/// Asks the origin at `address`, and says what is known of its HEAD then. `None`: this room itself answered, so nothing
/// is learned.
pub async fn ask(address: &str, pass: &str, head: Head) -> (Option<Heard>, Head) {
    let timer = Delay::from(Duration::from_millis(QUESTION_LIMIT.0));
    let by = async |method: &str| {
        let answered = ask_by(method, address, pass).await;
        answered.unwrap_or(Some(Heard::Failed))
    };
    match select(Box::pin(ask_twice(by, head)), timer).await {
        Either::Left((found, _)) => found,
        Either::Right(_) => (Some(Heard::Failed), head),
    }
}

/// Asks by HEAD, by GET, or by one after the other.
async fn ask_twice(by: impl AsyncFn(&str) -> Option<Heard>, head: Head) -> (Option<Heard>, Head) {
    if head == Head::Refused {
        return (by("GET").await, head);
    }
    match by("HEAD").await {
        Some(Heard::Failed) if head == Head::Answered => (Some(Heard::Failed), head),
        Some(Heard::Failed) => match by("GET").await {
            Some(Heard::Failed) => (Some(Heard::Failed), head),
            heard => (heard, Head::Refused),
        },
        heard => (heard, Head::Answered),
    }
}

async fn ask_by(method: &str, address: &str, pass: &str) -> Result<Option<Heard>, JsValue> {
    let init = RequestInit::new();
    init.set_method(method);
    init.set_redirect(RequestRedirect::Manual);
    let request = web_sys::Request::new_with_str_and_init(address, &init)?;
    let asks = request.headers();
    headers::set(&asks, "user-agent", "anteroom-origin-health")?;
    headers::set(&asks, PASS_HEADER, pass)?;
    let global: web_sys::WorkerGlobalScope = js_sys::global().unchecked_into();
    let response: Response = JsFuture::from(global.fetch_with_request(&request))
        .await?
        .unchecked_into();
    if let Some(body) = response.body() {
        // Nobody reads it.
        let _ = body.cancel();
    }
    if response.headers().has(STATE_HEADER)? {
        return Ok(None);
    }
    Ok(Some(Heard::of_status(response.status())))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn o9_a_shop_is_asked_twice_only_until_it_is_known_how_it_takes_a_head() {
        use Heard::{Failed, Good};
        // What HEAD and GET find, what was known, what is found, what is known then, how it was asked.
        for (finds, knows, found, then, asked) in [
            ([Good, Good], Head::Unknown, Good, Head::Answered, "HEAD "),
            (
                [Failed, Good],
                Head::Unknown,
                Good,
                Head::Refused,
                "HEAD GET ",
            ),
            (
                [Failed, Failed],
                Head::Unknown,
                Failed,
                Head::Unknown,
                "HEAD GET ",
            ),
            ([Failed, Good], Head::Refused, Good, Head::Refused, "GET "),
            (
                [Failed, Failed],
                Head::Refused,
                Failed,
                Head::Refused,
                "GET ",
            ),
            (
                [Failed, Good],
                Head::Answered,
                Failed,
                Head::Answered,
                "HEAD ",
            ),
        ] {
            let ways = RefCell::new(String::new());
            let by = async |method: &str| {
                ways.borrow_mut().push_str(&format!("{method} "));
                Some(finds[usize::from(method == "GET")])
            };
            let heard = ask_twice(by, knows).now_or_never();
            assert_eq!(heard, Some((Some(found), then)), "{finds:?} {knows:?}");
            assert_eq!(ways.into_inner(), asked, "{finds:?} {knows:?}");
        }
    }
}
