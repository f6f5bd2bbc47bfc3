//! The requests for a round of the [`beacon`](crate::beacon): one server after the other.

use core::pin::pin;

use futures_util::future::{Either, select};
use worker::{AbortController, Env, Fetch, Request, RequestInit, RequestRedirect, console_warn};

use crate::beacon::{DEFAULT_SERVERS, DRAND_URL, FETCH_TIMEOUT, addresses, signature};
use crate::platform;

/// The signature of `round`, from the first server that has it.
pub async fn fetch_round(env: &Env, round: u64) -> Option<Vec<u8>> {
    let configured = env.var(DRAND_URL).map(|servers| servers.to_string());
    let servers = configured.unwrap_or_else(|_| DEFAULT_SERVERS.to_owned());
    for address in addresses(&servers, round) {
        let answer = fetched(&address).await;
        match answer.and_then(|answer| signature(&answer, round)) {
            Ok(signature) => return Some(signature),
            Err(why) => console_warn!("beacon: {address}: {why}"),
        }
    }
    None
}

/// The body at an address, within [`FETCH_TIMEOUT`].
async fn fetched(address: &str) -> Result<Vec<u8>, String> {
    let giving_up = AbortController::default();
    let signal = giving_up.signal();
    let answer = pin!(body(address, &signal));
    let timer = pin!(platform::sleep(FETCH_TIMEOUT));
    match select(answer, timer).await {
        Either::Left((answer, _)) => answer.map_err(|error| error.to_string()),
        Either::Right(_) => {
            giving_up.abort();
            Err("no answer in time".into())
        }
    }
}

async fn body(address: &str, signal: &worker::AbortSignal) -> worker::Result<Vec<u8>> {
    let mut init = RequestInit::new();
    // Only the configured servers are asked, whatever one of them says about others.
    init.with_redirect(RequestRedirect::Manual);
    let request = Request::new_with_init(address, &init)?;
    let mut response = Fetch::Request(request).send_with_signal(signal).await?;
    match response.status_code() {
        200 => response.bytes().await,
        other => Err(format!("status {other}").into()),
    }
}
