//! The question to the third party: within two seconds, and once more if that gave no answer. Both have the same key for
//! idempotency, so that the third party answers the second as the first; the key follows from permit and token, so a join
//! that a visitor sends again is the same question too, and a token with another permit is another one.

use std::time::Duration;

use anteroom_queue::units::Millis;
use anteroom_token::NONCE_BYTES;
use futures_util::future::{Either, select};
use serde_json::json;
use sha2::{Digest, Sha256};
use worker::{AbortController, Delay, Fetch, Method, Request, RequestInit, RequestRedirect};

use super::third_party::ThirdParty;
use super::verdict::{self, Expected, Verdict};
use crate::platform;

/// How long one answer is waited for.
const ANSWER_LIMIT: Millis = Millis(2_000);
/// What the key for idempotency hashes first.
const LABEL: &[u8] = b"anteroom/turnstile/v1";

/// What is asked.
pub struct Question<'a> {
    /// Whom.
    pub third_party: &'a ThirdParty,
    /// About which token.
    pub token: &'a str,
    /// The permit that it came with.
    pub nonce: [u8; NONCE_BYTES],
    /// What has to be so.
    pub expected: Expected<'a>,
}

/// Asks, and once more unless `is_hopeless` says then that others had no answer either.
pub async fn ask(question: &Question<'_>, is_hopeless: impl Fn() -> bool) -> Verdict {
    let first = once(question).await;
    match first.may_change() && !is_hopeless() {
        true => once(question).await,
        false => first,
    }
}

/// Asks once.
pub async fn once(question: &Question<'_>) -> Verdict {
    let abort = AbortController::default();
    let signal = abort.signal();
    let answer = Box::pin(fetch(question, &signal));
    let timer = Delay::from(Duration::from_millis(ANSWER_LIMIT.0));
    match select(answer, timer).await {
        Either::Left((Ok((status, body)), _)) => {
            verdict::read(status, &body, &question.expected, platform::now())
        }
        Either::Left((Err(_), _)) => Verdict::Unanswered("no connection"),
        Either::Right(_) => {
            abort.abort();
            Verdict::Unanswered("not within 2 s")
        }
    }
}

async fn fetch(
    question: &Question<'_>,
    signal: &worker::AbortSignal,
) -> worker::Result<(u16, Vec<u8>)> {
    let body = json!({
        "secret": question.third_party.secret,
        "response": question.token,
        "idempotency_key": idempotency_key(question.nonce, question.token),
    });
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(body.to_string().into()));
    let request = Request::new_with_init(&question.third_party.verify(), &init)?;
    request.headers().set("content-type", "application/json")?;
    let mut response = Fetch::Request(request).send_with_signal(signal).await?;
    Ok((response.status_code(), response.bytes().await?))
}

/// A UUID (RFC 9562, version 8) that follows from permit and token.
fn idempotency_key(nonce: [u8; NONCE_BYTES], token: &str) -> String {
    let hash = Sha256::new()
        .chain_update(LABEL)
        .chain_update(nonce)
        .chain_update(token)
        .finalize();
    let mut bytes: [u8; 16] = core::array::from_fn(|at| hash[at]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_join_is_the_same_question_and_another_permit_is_another() {
        let key = idempotency_key([1; 16], "token");
        assert_eq!(key, idempotency_key([1; 16], "token"));
        assert_ne!(key, idempotency_key([2; 16], "token"));
        assert_ne!(key, idempotency_key([1; 16], "tokem"));
        let parts: Vec<usize> = key.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(&key[14..15], "8");
        assert!("89ab".contains(&key[19..20]));
    }
}
