//! The endpoints for tests: there when asked for, and only then.

mod door;

use anteroom_token::PassAlgorithm;
use axum::http::StatusCode;
use door::{Door, ask};

#[tokio::test]
async fn without_the_flag_they_do_not_exist() {
    let door = Door::open(PassAlgorithm::Hs256, false).await;
    for path in [
        "echo",
        "socket",
        "redirect",
        "cacheable",
        "slow",
        "stream?chunks=1",
        "cookie",
        "status/500",
    ] {
        assert_eq!(
            door.show(&format!("/events/demo/{path}"), 1).await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
}

#[tokio::test]
async fn echo_tells_what_arrived() {
    let door = Door::open(PassAlgorithm::Hs256, true).await;
    let request = door
        .forwarded("PATCH", "/events/demo/echo?a=%2F", 1)
        .header("accept-language", "de");
    let seen = ask(&door.router, request, &"x".repeat(100_000)).await.text;
    let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(
        (seen["method"].as_str(), seen["path"].as_str()),
        (Some("PATCH"), Some("/events/demo/echo?a=%2F"))
    );
    assert_eq!(
        (
            seen["body_bytes"].as_u64(),
            seen["headers"]["accept-language"][0].as_str()
        ),
        (Some(100_000), Some("de"))
    );
}

#[tokio::test]
async fn the_others_answer_as_their_names_say() {
    let door = Door::open(PassAlgorithm::Hs256, true).await;
    let redirect = ask(
        &door.router,
        door.forwarded("GET", "/events/demo/redirect", 1)
            .header("host", "127.0.0.1:9"),
        "",
    )
    .await;
    assert_eq!(
        redirect.header("location"),
        Some("http://127.0.0.1:9/events/demo/ok")
    );
    let cacheable = door.show("/events/demo/cacheable?cookie=true", 1).await;
    assert_eq!(
        cacheable.header("cache-control"),
        Some("public, max-age=600")
    );
    assert!(cacheable.header("set-cookie").is_some());
    assert_eq!(door.show("/events/demo/slow?ms=1", 1).await.text, "slow\n");
    assert_eq!(
        door.show("/events/demo/stream?chunks=3", 1).await.text,
        "piece 0\npiece 1\npiece 2\n"
    );
    assert_eq!(
        door.show("/events/demo/status/503", 1).await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
    let commanded = door.show("/events/demo/command?value=extend%3D60", 1).await;
    assert_eq!(commanded.header("waiting-room-command"), Some("extend=60"));
    assert_eq!(
        door.show("/events/demo/command?value=a%0Ab", 1)
            .await
            .status,
        StatusCode::BAD_REQUEST
    );
}
