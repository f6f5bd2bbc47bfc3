//! The bodies of requests on the waiting room's own addresses: small, of a known type, with known fields only.

use std::time::Duration;

use anteroom_challenge::Solution;
use anteroom_token::MAX_TOKEN_BYTES;
use futures_util::future::{Either, select};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::ReadableStreamDefaultReader;
use worker::{Delay, js_sys};

use crate::incoming::Incoming;
use crate::json;
use crate::local_path::MAX_PATH_BYTES;
use crate::problem::Problem;

/// The longest body: a permit, a path and room to spare.
pub const MAX_BODY_BYTES: usize = 16 * 1024;
/// So much of a body that nobody wants is read before the answer: more than a browser sends by mistake.
const MAX_DRAINED_BYTES: usize = 16 * 1024 * 1024;
/// How long a body is waited for. What is read here is smaller than a picture; who sends it more slowly means harm.
const BODY_PATIENCE: Duration = Duration::from_secs(10);

/// A body that was read: a name and a text for each field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fields {
    /// It came from a form, so the answer is a redirect.
    pub is_form: bool,
    named: Vec<(String, String)>,
}

impl Fields {
    /// The text of a field.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.named
            .iter()
            .find(|(present, _)| present == name)
            .map(|(_, text)| text.as_str())
    }
}

/// Reads the body of `request`. `allowed`: the fields that may be there; every value is a text.
pub async fn read(
    request: &web_sys::Request,
    incoming: &Incoming,
    allowed: &[&str],
) -> Result<Fields, Problem> {
    let bytes = read_bytes(request, incoming).await?;
    parse(incoming.header("content-type").as_deref(), &bytes, allowed)
}

/// Reads the body of `request` as a JSON document.
pub async fn read_json(request: &web_sys::Request, incoming: &Incoming) -> Result<Value, Problem> {
    let bytes = read_bytes(request, incoming).await?;
    match kind(incoming.header("content-type").as_deref()) {
        Some(BodyKind::Json) => json::read(&bytes).ok_or_else(not_json),
        _ => Err(wrong_type("application/json")),
    }
}

/// Reads what a sender still sends and nobody wants, up to [`MAX_DRAINED_BYTES`]: a sender that listens only when it is
/// done would otherwise find the connection closed instead of the answer.
pub async fn drain(request: &web_sys::Request, incoming: &Incoming) {
    if request.body().is_none() {
        return;
    }
    let worth_it = announced(incoming).is_none_or(|length| length <= MAX_DRAINED_BYTES as u64);
    if worth_it && !request.body_used() {
        let _ = collect(request, 0).await;
    }
}

fn announced(incoming: &Incoming) -> Option<u64> {
    incoming.header("content-length")?.parse().ok()
}

async fn read_bytes(request: &web_sys::Request, incoming: &Incoming) -> Result<Vec<u8>, Problem> {
    if announced(incoming).is_some_and(|length| length > MAX_BODY_BYTES as u64) {
        return Err(too_long());
    }
    let collected = match announced(incoming) {
        Some(_) => whole(request).await,
        None => collect(request, MAX_BODY_BYTES).await,
    };
    match collected {
        Ok((_, count)) if count > MAX_BODY_BYTES => Err(too_long()),
        Ok((bytes, _)) => Ok(bytes),
        Err(_) => Err(Problem::new(
            400,
            "broken-body",
            "body: it broke off, or took longer than 10 s",
        )),
    }
}

/// All of a body whose length was announced, at once: a reader of the stream is asked piece by piece.
async fn whole(request: &web_sys::Request) -> Result<(Vec<u8>, usize), JsValue> {
    let buffer = js_sys::futures::JsFuture::from(request.array_buffer()?);
    match select(buffer, Delay::from(BODY_PATIENCE)).await {
        Either::Left((buffer, _)) => {
            let bytes = js_sys::Uint8Array::new(&buffer?).to_vec();
            let count = bytes.len();
            Ok((bytes, count))
        }
        Either::Right(_) => Err("too slow".into()),
    }
}

/// The first `kept` bytes of a body, and how many there were, as far as anybody waits for them.
async fn collect(request: &web_sys::Request, kept: usize) -> Result<(Vec<u8>, usize), JsValue> {
    let Some(body) = request.body() else {
        return Ok((Vec::new(), 0));
    };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let collected = Box::pin(collect_from(&reader, kept));
    match select(collected, Delay::from(BODY_PATIENCE)).await {
        Either::Left((collected, _)) => collected,
        Either::Right(_) => {
            let _ = reader.cancel();
            Err("too slow".into())
        }
    }
}

async fn collect_from(
    reader: &ReadableStreamDefaultReader,
    kept: usize,
) -> Result<(Vec<u8>, usize), JsValue> {
    let (mut bytes, mut count) = (Vec::new(), 0);
    while count <= MAX_DRAINED_BYTES {
        let chunk = js_sys::futures::JsFuture::from(reader.read()).await?;
        if js_sys::Reflect::get(&chunk, &"done".into())?.is_truthy() {
            return Ok((bytes, count));
        }
        let chunk = js_sys::Uint8Array::new(&js_sys::Reflect::get(&chunk, &"value".into())?);
        count += chunk.length() as usize;
        if count <= kept {
            bytes.extend(chunk.to_vec());
        }
    }
    let _ = reader.cancel();
    Ok((bytes, count))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    Json,
    Form,
}

fn kind(content_type: Option<&str>) -> Option<BodyKind> {
    let media_type = content_type?
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match media_type.as_str() {
        "application/json" => Some(BodyKind::Json),
        "application/x-www-form-urlencoded" => Some(BodyKind::Form),
        _ => None,
    }
}

/// Reads fields from a body. Without a body and without a type there are none.
pub fn parse(
    content_type: Option<&str>,
    bytes: &[u8],
    allowed: &[&str],
) -> Result<Fields, Problem> {
    let fields = match kind(content_type) {
        Some(BodyKind::Json) if bytes.is_empty() => Fields::default(),
        Some(BodyKind::Json) => Fields {
            is_form: false,
            named: of_json(bytes, allowed)?,
        },
        Some(BodyKind::Form) => Fields {
            is_form: true,
            named: of_form(bytes)?,
        },
        None if bytes.is_empty() && content_type.is_none() => Fields::default(),
        None => {
            return Err(wrong_type(
                "application/json, application/x-www-form-urlencoded",
            ));
        }
    };
    let unknown = fields
        .named
        .iter()
        .any(|(name, _)| !allowed.contains(&name.as_str()));
    let repeated = fields
        .named
        .iter()
        .enumerate()
        .any(|(at, (name, _))| fields.named[..at].iter().any(|(n, _)| n == name));
    if unknown || repeated {
        return Err(only(allowed));
    }
    if fields
        .text("return")
        .is_some_and(|path| path.len() > MAX_PATH_BYTES)
    {
        let allowed = format!("a path of up to {MAX_PATH_BYTES} bytes");
        return Err(Problem::field("return", &allowed));
    }
    // Also where nobody will look at it: what is written wrongly is always said.
    let solution = fields.text("solution").filter(|text| !text.is_empty());
    if let Some(Err(malformed)) = solution.map(Solution::read) {
        return Err(Problem::field("solution", &malformed.to_string()));
    }
    if fields
        .text("check")
        .is_some_and(|text| !is_like_a_token(text))
    {
        return Err(Problem::field("check", "a check of this queue"));
    }
    Ok(fields)
}

/// Whether a text has the form of a token, docs/tokens.md: three segments of base64url.
pub fn is_like_a_token(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let segment = |segment: &str| !segment.is_empty() && segment.bytes().all(letter);
    text.len() <= MAX_TOKEN_BYTES && text.split('.').count() == 3 && text.split('.').all(segment)
}

fn of_json(bytes: &[u8], allowed: &[&str]) -> Result<Vec<(String, String)>, Problem> {
    let Some(Value::Object(members)) = json::read(bytes) else {
        return Err(not_json());
    };
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        _ => Err(match allowed.iter().find(|known| **known == name) {
            Some(known) => Problem::field(known, "a text"),
            None => only(allowed),
        }),
    };
    members.into_iter().map(text).collect()
}

fn only(allowed: &[&str]) -> Problem {
    let names = match allowed {
        [] => "nothing".to_owned(),
        names => names.join(", "),
    };
    let title = format!("body: allowed is {names}, each once");
    Problem::new(400, "bad-field", title)
}

fn of_form(bytes: &[u8]) -> Result<Vec<(String, String)>, Problem> {
    let pieces = bytes
        .split(|byte| *byte == b'&')
        .filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| {
            let mut halves = piece.splitn(2, |byte| *byte == b'=');
            let name = decoded(halves.next().unwrap_or_default())?;
            Ok((name, decoded(halves.next().unwrap_or_default())?))
        })
        .collect()
}

/// Undoes the encoding of a form or a query.
pub fn decoded(encoded: &[u8]) -> Result<String, Problem> {
    let broken = || Problem::new(400, "bad-form", "body: allowed is percent-encoded UTF-8");
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = [
                    *rest.next().ok_or_else(broken)?,
                    *rest.next().ok_or_else(broken)?,
                ];
                let digit = |digit: u8| char::from(digit).to_digit(16).ok_or_else(broken);
                bytes.push((digit(digits[0])? * 16 + digit(digits[1])?) as u8);
            }
            plain => bytes.push(*plain),
        }
    }
    String::from_utf8(bytes).map_err(|_| broken())
}

fn too_long() -> Problem {
    Problem::new(
        413,
        "body-too-long",
        format!("body: allowed are up to {MAX_BODY_BYTES} bytes"),
    )
}

fn wrong_type(allowed: &str) -> Problem {
    Problem::new(
        415,
        "content-type",
        format!("content-type: allowed is {allowed}"),
    )
}

fn not_json() -> Problem {
    Problem::new(
        400,
        "bad-json",
        "body: allowed is one JSON object that names each member once",
    )
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
