//! C20: whoever sends headers or a body slowly loses the connection in time, and holds nobody up meanwhile.

use std::time::{Duration, Instant};

use anteroom_demo_shop::serving::{Patience, serve};
use axum::Router;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const SLOW: usize = 150;
const OTHERS: usize = 20;
const PATIENCE: Patience = Patience {
    headers: Duration::from_secs(5),
    request: Duration::from_secs(5),
};
/// Generous, since the machine may be busy: without a limit they would go on for as long as they like.
const AT_LATEST: Duration = Duration::from_secs(30);
const HEADERS: &str = "GET /seats HTTP/1.1\r\nHost: shop\r\nX-Slow: ";
const BODY: &str = "POST /order HTTP/1.1\r\nHost: shop\r\nContent-Length: 99999\r\n\r\n";

async fn shop() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let router = Router::new()
        .route("/seats", get(|| async { "seats" }))
        .route("/order", post(|body: String| async move { body }));
    tokio::spawn(serve(listener, router, PATIENCE));
    address
}

/// Sends a byte every 50 ms for as long as it is let; what came back until the end.
async fn dribbled(address: String, start: &str) -> String {
    let (mut reading, mut writing) = TcpStream::connect(address).await.unwrap().into_split();
    writing.write_all(start.as_bytes()).await.unwrap();
    let writes = tokio::spawn(async move {
        while writing.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let mut answer = Vec::new();
    // A connection that is reset has ended as well.
    let _ = reading.read_to_end(&mut answer).await;
    writes.abort();
    String::from_utf8_lossy(&answer).into_owned()
}

async fn asked(address: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = "GET /seats HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn slow_headers_and_bodies_end_in_time_and_hold_nobody_up() {
    let address = shop().await;
    let started = Instant::now();
    let slow: Vec<_> = (0..SLOW)
        .map(|n| {
            let start = if n % 2 == 0 { HEADERS } else { BODY };
            tokio::spawn(dribbled(address.clone(), start))
        })
        .collect();
    for _ in 0..OTHERS {
        let answer = asked(&address).await;
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.ends_with("seats"),
            "{answer}"
        );
    }
    // Whoever had to wait for a slow one would wait for all of its patience.
    assert!(started.elapsed() < PATIENCE.headers);
    for (n, ended) in slow.into_iter().enumerate() {
        let left = AT_LATEST.saturating_sub(started.elapsed());
        let answer = tokio::time::timeout(left, ended).await;
        let answer = answer.expect("every slow connection ends").unwrap();
        // What was sent after the answer may take it away.
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 408"),
            "{n}: {answer}"
        );
    }
    let took = started.elapsed();
    assert!(took >= PATIENCE.headers, "cut off after {took:?}");
}
