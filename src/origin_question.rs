//! The edge's own question to an origin: does the shop answer?
//!
//! A HEAD of the event's first path, without a pass. A shop that denies is up, so is one that knows no such page or no
//! HEAD. One whose HEAD fails is asked as browsers do before it counts as down.

use std::time::Duration;

use futures_util::future::{Either, select};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{RequestInit, RequestRedirect, Response};
use worker::Delay;
use worker::js_sys;
use worker::js_sys::futures::JsFuture;

use crate::origin_health::{Heard, QUESTION_LIMIT};

/// With this header the room answers.
const STATE_HEADER: &str = "waiting-room-state";
/// Not implemented: the server answers, it only knows no such method.
const NOT_IMPLEMENTED: u16 = 501;

/// Asks the origin at `address`. `None`: this room itself answered, so nothing is learned.
pub async fn ask(address: &str) -> Option<Heard> {
    let timer = Delay::from(Duration::from_millis(QUESTION_LIMIT.0));
    match select(Box::pin(ask_twice(address)), timer).await {
        Either::Left((heard, _)) => heard,
        Either::Right(_) => Some(Heard::Failed),
    }
}

async fn ask_twice(address: &str) -> Option<Heard> {
    match ask_by("HEAD", address).await {
        Ok(Some(Heard::Failed)) => ask_by("GET", address).await.unwrap_or(Some(Heard::Failed)),
        Ok(heard) => heard,
        Err(_) => Some(Heard::Failed),
    }
}

async fn ask_by(method: &str, address: &str) -> Result<Option<Heard>, JsValue> {
    let init = RequestInit::new();
    init.set_method(method);
    init.set_redirect(RequestRedirect::Manual);
    let request = web_sys::Request::new_with_str_and_init(address, &init)?;
    request
        .headers()
        .set("user-agent", "anteroom-origin-health")?;
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
    Ok(Some(match response.status() {
        NOT_IMPLEMENTED => Heard::Good,
        status if status >= 500 => Heard::Failed,
        _ => Heard::Good,
    }))
}
