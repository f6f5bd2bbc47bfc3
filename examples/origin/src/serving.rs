//! Serves HTTP to connections that are given only so much time: whoever sends headers or a body slowly holds a socket for a
//! while, and nobody up. Waiting room and shop talk over a loopback or a tunnel, where slow means broken or hostile.

use std::io;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

/// After a refused `accept` (no more sockets to be had, say): long enough for some to end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(250);

/// How long a connection is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// From the start of a connection, or the end of the request before, to the last of the headers.
    pub headers: Duration,
    /// From the last of the headers to the start of the answer, so also for the body.
    pub request: Duration,
}

/// Headers: proxies keep idle connections for 5 s, and would meet a closed one if ours ended earlier. Requests: the longest
/// wait that a test may ask for is 60 s.
pub const PATIENCE: Patience = Patience {
    headers: Duration::from_secs(10),
    request: Duration::from_secs(65),
};

/// Serves until the listener breaks, which it does not by itself.
pub async fn serve(listener: TcpListener, router: Router, patience: Patience) {
    let router = router.layer(middleware::from_fn(move |request: Request, next: Next| {
        in_time(request, next, patience.request)
    }));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(converse(stream, router.clone(), patience.headers));
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn converse(stream: TcpStream, router: Router, headers: Duration) {
    // A short answer does not wait for the acknowledgement of what was sent before it. Without it the answer comes all
    // the same, 40 ms later.
    let _ = stream.set_nodelay(true);
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(headers)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    // However it ends, it was this connection's own.
    let _ = conversation.await;
}

async fn in_time(request: Request, next: Next, patience: Duration) -> Response {
    match tokio::time::timeout(patience, next.run(request)).await {
        Ok(response) => response,
        Err(_) => (StatusCode::REQUEST_TIMEOUT, [("connection", "close")]).into_response(),
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}
