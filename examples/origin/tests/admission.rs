//! Only a valid pass for the event opens the door.

mod door;

use anteroom_token::PassAlgorithm;
use axum::http::{Request, StatusCode};
use door::{Door, ask};

const PATHS: [&str; 6] = [
    "/events/demo",
    "/events/demo/",
    "/events/demo/ok",
    "/events/demo/cart",
    "/events/demo/anything/else?at=all",
    "/events/demo/checkout",
];

#[tokio::test]
async fn a_direct_visit_is_sent_to_the_waiting_room() {
    let door = Door::open(PassAlgorithm::Hs256, true).await;
    for path in PATHS {
        for method in ["GET", "POST", "PUT", "DELETE", "OPTIONS"] {
            let request = Request::builder().method(method).uri(path);
            let answer = ask(
                &door.router,
                request.header("x-forwarded-host", "evil.example"),
                "",
            )
            .await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
            let place = path.split('?').next().unwrap();
            assert!(
                answer
                    .text
                    .contains(&format!("href=\"https://tickets.example.com{place}\"")),
                "{}",
                answer.text
            );
            assert!(!answer.text.contains("evil.example"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
    }
}

#[tokio::test]
async fn a_pass_opens_its_own_event_while_it_holds() {
    for algorithm in [PassAlgorithm::Hs256, PassAlgorithm::Ed25519] {
        let door = Door::open(algorithm, false).await;
        let pass = door.pass_of("demo", 1, algorithm);
        let with = |pass: &str, path: &str| {
            Request::builder()
                .uri(path)
                .header("waiting-room-pass", pass)
        };
        assert_eq!(
            ask(&door.router, with(&pass, "/events/demo/ok"), "")
                .await
                .text,
            "ok\n"
        );
        assert_eq!(
            ask(&door.router, with(&pass, "/events/other/ok"), "")
                .await
                .status,
            StatusCode::FORBIDDEN
        );
        assert_eq!(
            ask(&door.router, with(&pass, "/events/demo%2F../ok"), "")
                .await
                .status,
            StatusCode::FORBIDDEN
        );
        assert_eq!(
            ask(&door.router, with("junk", "/events/demo/ok"), "")
                .await
                .status,
            StatusCode::FORBIDDEN
        );
        let twice = with(&pass, "/events/demo/ok").header("waiting-room-pass", &pass);
        assert_eq!(
            ask(&door.router, twice, "").await.status,
            StatusCode::FORBIDDEN
        );
        // 180 s of the pass and 30 s of leeway.
        door.wait(209);
        assert_eq!(
            ask(&door.router, with(&pass, "/events/demo/ok"), "")
                .await
                .status,
            StatusCode::OK
        );
        door.wait(1);
        assert_eq!(
            ask(&door.router, with(&pass, "/events/demo/ok"), "")
                .await
                .status,
            StatusCode::FORBIDDEN
        );
    }
}

#[tokio::test]
async fn a_pass_of_another_algorithm_key_or_header_does_not_open() {
    let door = Door::open(PassAlgorithm::Hs256, false).await;
    let public = door.pass_of("demo", 1, PassAlgorithm::Ed25519);
    let good = door.pass("demo", 1);
    for (name, pass) in [
        ("waiting-room-pass", public.as_str()),
        ("waiting-room-pass", &good[..good.len() - 1]),
        ("waiting-room-claims", good.as_str()),
        ("authorization", &format!("Bearer {good}")),
        ("cookie", &format!("pass={good}")),
    ] {
        let answer = ask(
            &door.router,
            Request::builder().uri("/events/demo/ok").header(name, pass),
            "",
        )
        .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{name}");
    }
}

#[tokio::test]
async fn health_and_the_front_page_need_no_pass() {
    let door = Door::open(PassAlgorithm::Hs256, false).await;
    assert_eq!(
        ask(&door.router, Request::builder().uri("/health"), "")
            .await
            .text,
        "ok\n"
    );
    let front = ask(&door.router, Request::builder().uri("/"), "").await;
    assert_eq!(front.status, StatusCode::OK);
    assert!(
        front
            .text
            .contains("https://tickets.example.com/events/demo/"),
        "{}",
        front.text
    );
    assert_eq!(
        ask(&door.router, Request::builder().uri("/nowhere"), "")
            .await
            .status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn who_comes_alone_is_told_how_to_fill_the_line() {
    let door = Door::open(PassAlgorithm::Hs256, false).await;
    let fill = "npm run load -- --url https://tickets.example.com --event demo --visitors 300 --arrivals-per-second 20";
    for (path, told) in [
        ("/", true),
        ("/events/demo/", true),
        ("/events/$(reboot)/", false),
        ("/events/-demo/", false),
        ("/events/demo;reboot/", false),
    ] {
        let answer = ask(&door.router, Request::builder().uri(path), "").await;
        assert_eq!(answer.text.contains(fill), told, "{path}: {}", answer.text);
        assert_eq!(answer.text.contains("npm run load"), told, "{path}");
    }
}
