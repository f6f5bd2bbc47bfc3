//! Endpoints with which tests look through the waiting room at what arrives here and send back what is hard to forward.
//! Served only with `--test-endpoints`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Json, Router};
use futures_util::stream;
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::json;

use crate::event_paths::AskedAt;
use crate::public_address::own_host;
use crate::shop::{Shop, Visitor, commanding};

/// The longest a test may make the shop wait, and the most pieces of a streamed answer.
const MAX_WAIT_MS: u64 = 60_000;
const MAX_CHUNKS: u32 = 1_000;

pub(crate) fn router() -> Router<Arc<Shop>> {
    Router::new()
        .route("/events/{event}/echo", any(echo))
        .route("/events/{event}/socket", any(socket))
        .route("/events/{event}/redirect", any(redirect))
        .route("/events/{event}/cacheable", get(cacheable))
        .route("/events/{event}/slow", any(slow))
        .route("/events/{event}/stream", get(streamed))
        .route("/events/{event}/cookie", get(cookie))
        .route("/events/{event}/command", any(command))
        .route("/events/{event}/status/{code}", any(status))
}

/// What arrived: method, path with query, headers in the order of their names, and how long the streamed body was.
async fn echo(request: Request) -> Response {
    let (parts, mut body) = request.into_parts();
    let mut body_bytes = 0u64;
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => body_bytes += frame.data_ref().map_or(0, |data| data.len() as u64),
            Err(_) => return StatusCode::BAD_REQUEST.into_response(),
        }
    }
    let mut headers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in &parts.headers {
        headers
            .entry(name.to_string())
            .or_default()
            .push(String::from_utf8_lossy(value.as_bytes()).into_owned());
    }
    let asked = parts
        .extensions
        .get::<AskedAt>()
        .map_or(&parts.uri, |asked| &asked.0);
    let path = asked.path_and_query().map_or("/", |path| path.as_str());
    let seen = json!({
        "method": parts.method.as_str(), "path": path, "headers": headers, "body_bytes": body_bytes,
    });
    ([(header::CACHE_CONTROL, "no-store")], Json(seen)).into_response()
}

/// Sends every message back until the other side closes.
async fn socket(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(async |mut socket: WebSocket| {
        while let Some(Ok(message)) = socket.recv().await {
            let again = matches!(message, Message::Text(_) | Message::Binary(_));
            if again && socket.send(message).await.is_err() {
                return;
            }
        }
    })
}

/// A redirect that names the shop's own host.
async fn redirect(Extension(visitor): Extension<Visitor>, headers: HeaderMap) -> Response {
    let location = format!("http://{}{}/ok", own_host(&headers), visitor.path);
    (StatusCode::FOUND, [(header::LOCATION, location)]).into_response()
}

#[derive(Deserialize)]
struct Cacheable {
    cookie: Option<bool>,
}

/// What a shared cache may keep; with `?cookie=true` it also sets a cookie of its own.
async fn cacheable(Query(asked): Query<Cacheable>) -> Response {
    let mut response = (
        [(header::CACHE_CONTROL, "public, max-age=600")],
        "cacheable\n",
    )
        .into_response();
    if asked.cookie == Some(true) {
        response.headers_mut().insert(
            header::SET_COOKIE,
            header::HeaderValue::from_static("shop=1; Path=/"),
        );
    }
    response
}

/// A cookie whose domain is the shop's own host.
async fn cookie(headers: HeaderMap) -> Response {
    let host = own_host(&headers)
        .split(':')
        .next()
        .unwrap_or_default()
        .to_owned();
    (
        [(header::SET_COOKIE, format!("shop=1; Domain={host}; Path=/"))],
        "cookie\n",
    )
        .into_response()
}

#[derive(Deserialize)]
struct Slow {
    #[serde(default)]
    ms: u64,
}

async fn slow(Query(asked): Query<Slow>) -> &'static str {
    tokio::time::sleep(Duration::from_millis(asked.ms.min(MAX_WAIT_MS))).await;
    "slow\n"
}

#[derive(Deserialize)]
struct Streamed {
    chunks: u32,
    #[serde(default)]
    ms: u64,
}

/// A body in pieces, with a pause before each but the first.
async fn streamed(Query(asked): Query<Streamed>) -> Response {
    let pause = Duration::from_millis(asked.ms.min(MAX_WAIT_MS));
    let chunks = asked.chunks.min(MAX_CHUNKS);
    let pieces = stream::unfold(0, move |at| async move {
        if at == chunks {
            return None;
        }
        if at > 0 {
            tokio::time::sleep(pause).await;
        }
        Some((
            Ok::<_, std::convert::Infallible>(Bytes::from(format!("piece {at}\n"))),
            at + 1,
        ))
    });
    Body::from_stream(pieces).into_response()
}

#[derive(Deserialize)]
struct Command {
    value: String,
}

/// A response with `Waiting-Room-Command: <value>`.
async fn command(Query(asked): Query<Command>) -> Response {
    if asked.value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        commanding("commanded\n".into_response(), &asked.value)
    } else {
        StatusCode::BAD_REQUEST.into_response()
    }
}

/// An answer with the status that the path names.
async fn status(Path((_, code)): Path<(String, u16)>) -> Response {
    match StatusCode::from_u16(code) {
        Ok(status) if code >= 200 => (status, "as asked\n").into_response(),
        _ => StatusCode::BAD_REQUEST.into_response(),
    }
}
