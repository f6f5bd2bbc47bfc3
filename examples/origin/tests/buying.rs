//! A visitor's way through the shop: seats, cart, bank, tickets; and what can go wrong on it.

mod door;

use anteroom_demo_shop::CHECKOUT_EXTEND_SECONDS;
use anteroom_demo_shop::seats::RESERVATION_SECONDS;
use anteroom_token::PassAlgorithm;
use axum::http::{Request, StatusCode};
use door::{Door, MERCHANT, ask};

async fn door() -> Door {
    Door::open(PassAlgorithm::Hs256, false).await
}

#[tokio::test]
async fn an_event_at_paths_of_its_own_is_sold_there_from_the_first_link_to_the_last() {
    let rules = ["/concerts/2027/*".to_owned()];
    let door = Door::at(&rules, PassAlgorithm::Hs256, true).await;
    for first in ["/concerts/2027", "/concerts/2027/"] {
        let hall = door.show(first, 1).await;
        assert_eq!(hall.status, StatusCode::OK);
        assert!(hall.text.contains("action=\"/concerts/2027/reservations\""));
    }
    let reserved = door.send("/concerts/2027/reservations", 1, "seat=C7").await;
    assert_eq!(reserved.header("location"), Some("/concerts/2027/cart"));
    let cart = door.show("/concerts/2027/cart", 1).await;
    assert!(cart.text.contains("action=\"/concerts/2027/checkout\""));
    assert!(!cart.text.contains("/events/"), "{}", cart.text);
    let echo = door.show("/concerts/2027/echo?a=%2F", 1).await;
    assert!(echo.text.contains("\"/concerts/2027/echo?a=%2F\""));
    let stranger = Request::builder().uri("/concerts/2027/cart");
    let refused = ask(&door.router, stranger, "").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let back = "href=\"https://tickets.example.com/concerts/2027/cart\"";
    assert!(refused.text.contains(back), "{}", refused.text);
    assert!(refused.text.contains("--event demo"), "{}", refused.text);
    let nowhere = door.show("/concerts/2027/nowhere", 1).await;
    assert_eq!(nowhere.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_visitor_buys_two_seats_and_gives_the_session_back() {
    let door = door().await;
    let hall = door.show("/events/demo", 1).await;
    assert_eq!(hall.status, StatusCode::OK);
    assert!(
        hall.text.contains("19 minutes left") && hall.text.contains("value=\"C7\""),
        "{}",
        hall.text
    );
    assert!(
        hall.text.contains("Demo &lt;b&gt;") && !hall.text.contains("<b>"),
        "titles are escaped"
    );

    let reserved = door
        .send("/events/demo/reservations", 1, "seat=C7&seat=L8")
        .await;
    assert_eq!(
        (reserved.status, reserved.header("location")),
        (StatusCode::SEE_OTHER, Some("/events/demo/cart"))
    );
    let cart = door.show("/events/demo/cart", 1).await;
    assert!(
        cart.text.contains("€148.00") && cart.text.contains("10 minutes left"),
        "{}",
        cart.text
    );

    let sent = door.send("/events/demo/checkout", 1, "").await;
    let extend = format!("extend={CHECKOUT_EXTEND_SECONDS}");
    assert_eq!(sent.header("waiting-room-command"), Some(extend.as_str()));
    let page = door.checkout(1).await;
    let question = ask(&door.bank, Request::builder().uri(&page), "").await;
    assert!(
        question.text.contains("€148.00") && question.text.contains("C7, L8"),
        "{}",
        question.text
    );
    let decided = ask(
        &door.bank,
        Request::builder().method("POST").uri(&page),
        "decision=approve",
    )
    .await;
    assert!(
        decided
            .text
            .contains("action=\"https://tickets.example.com/events/demo/paid\""),
        "{}",
        decided.text
    );

    let payment = decided.hidden("payment");
    let bought = door.post_back(&payment, 1).await;
    assert_eq!(bought.status, StatusCode::SEE_OTHER, "{}", bought.text);
    assert_eq!(bought.header("waiting-room-command"), Some("release"));
    let tickets = door.follow(&bought, 1).await;
    assert_eq!(tickets.status, StatusCode::OK, "{}", tickets.text);
    assert!(tickets.text.contains("Seat C7") && tickets.text.contains("Seat L8"));
    assert_eq!(door.payment_state(&payment).await, "captured");
}

#[tokio::test]
async fn bought_tickets_have_their_own_address_and_are_not_for_sale_again() {
    let door = door().await;
    let payment = door.pay(1, "C7", "approve").await;
    let bought = door.post_back(&payment, 1).await;
    let address = bought.header("location").expect("the tickets' own address");
    assert!(address.starts_with("/tickets/"), "{address}");
    let later = ask(&door.router, Request::builder().uri(address), "").await;
    assert!(later.text.contains("Seat C7"), "without a pass");
    assert!(
        !door
            .show("/events/demo", 2)
            .await
            .text
            .contains("value=\"C7\"")
    );
    let unknown = ask(&door.router, Request::builder().uri("/tickets/guess"), "").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn coming_back_twice_sells_and_collects_once() {
    let door = door().await;
    let payment = door.pay(1, "A1", "approve").await;
    let first = door.post_back(&payment, 1).await;
    let again = door.post_back(&payment, 1).await;
    assert_eq!(
        (first.status, again.status),
        (StatusCode::SEE_OTHER, StatusCode::SEE_OTHER)
    );
    assert_eq!(first.header("location"), again.header("location"));
    let looked = door.show("/events/demo/paid", 1).await;
    assert_eq!(looked.header("location"), first.header("location"));
    assert_eq!(looked.header("waiting-room-command"), Some("release"));
    assert!(door.follow(&looked, 1).await.text.contains("Seat A1"));
}

#[tokio::test]
async fn going_to_the_bank_twice_opens_one_payment() {
    let door = door().await;
    door.send("/events/demo/reservations", 1, "seat=A1").await;
    let first = door.checkout(1).await;
    assert_eq!(door.checkout(1).await, first);
    door.send("/events/demo/reservations", 1, "seat=A2").await;
    assert_ne!(
        door.checkout(1).await,
        first,
        "other seats are another payment"
    );
}

#[tokio::test]
async fn a_declined_payment_keeps_the_seats_reserved_and_can_be_tried_again() {
    let door = door().await;
    let payment = door.pay(1, "A1", "decline").await;
    let back = door.post_back(&payment, 1).await;
    assert!(back.header("waiting-room-command").is_none());
    for _ in 0..2 {
        let told = door.follow(&back, 1).await;
        assert!(told.text.contains("was declined"), "{}", told.text);
    }
    assert!(door.show("/events/demo/cart", 1).await.text.contains("A1"));
    let page = door.checkout(1).await;
    let approved = ask(
        &door.bank,
        Request::builder().method("POST").uri(page),
        "decision=approve",
    )
    .await;
    let bought = door.post_back(&approved.hidden("payment"), 1).await;
    assert!(door.follow(&bought, 1).await.text.contains("Seat A1"));
}

#[tokio::test]
async fn seats_that_went_to_somebody_else_meanwhile_are_not_charged() {
    let door = door().await;
    let payment = door.pay(1, "A1", "approve").await;
    door.wait(RESERVATION_SECONDS);
    let other = door.pay(2, "A1", "approve").await;
    let bought = door.post_back(&other, 2).await;
    assert!(door.follow(&bought, 2).await.text.contains("Seat A1"));
    let late = door.post_back(&payment, 1).await;
    assert!(late.header("waiting-room-command").is_none());
    for _ in 0..2 {
        assert_eq!(
            door.follow(&late, 1).await.status,
            StatusCode::CONFLICT,
            "told again"
        );
    }
    assert_eq!(door.payment_state(&payment).await, "voided");
    assert_eq!(door.payment_state(&other).await, "captured");
}

#[tokio::test]
async fn an_undecided_payment_sells_nothing() {
    let door = door().await;
    door.send("/events/demo/reservations", 1, "seat=A1").await;
    let payment = door.checkout(1).await.replace("/pay/", "");
    let early = door.post_back(&payment, 1).await;
    assert!(early.header("waiting-room-command").is_none());
    assert!(door.follow(&early, 1).await.text.contains("Not paid yet"));
    assert_eq!(door.payment_state(&payment).await, "open");
}

#[tokio::test]
async fn nobody_comes_back_with_the_payment_of_another() {
    let door = door().await;
    let payment = door.pay(1, "A1", "approve").await;
    for (payment, index) in [(payment.as_str(), 2), ("unknown", 1), ("", 1)] {
        let refused = door.post_back(payment, index).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{payment:?}");
        assert!(refused.header("waiting-room-command").is_none());
        let looked = door
            .show(&format!("/events/demo/paid?payment={payment}"), index)
            .await;
        assert_eq!(looked.status, StatusCode::NOT_FOUND, "{payment:?}");
    }
    let bought = door.post_back(&payment, 1).await;
    assert!(door.follow(&bought, 1).await.text.contains("Seat A1"));
}

#[tokio::test]
async fn only_the_bank_may_post_from_another_site() {
    let door = door().await;
    for path in [
        "/events/demo/reservations",
        "/events/demo/reservations/give-back",
        "/events/demo/checkout",
    ] {
        let foreign = [
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://evil.example"),
            ("origin", "null"),
        ];
        for (name, value) in foreign {
            let request = door.forwarded("POST", path, 1).header(name, value);
            assert_eq!(
                ask(&door.router, request, "seat=A1").await.status,
                StatusCode::FORBIDDEN,
                "{path} {name}"
            );
        }
    }
    assert!(
        door.show("/events/demo/cart", 1)
            .await
            .text
            .contains("empty")
    );
}

#[tokio::test]
async fn one_seat_wanted_by_forty_at_once_goes_to_one() {
    let door = std::sync::Arc::new(door().await);
    let tries = (0..40).map(|index| {
        let door = std::sync::Arc::clone(&door);
        tokio::spawn(async move {
            door.send("/events/demo/reservations", index, "seat=E5&seat=E6")
                .await
                .status
        })
    });
    let mut statuses = Vec::new();
    for one in tries.collect::<Vec<_>>() {
        statuses.push(one.await.unwrap());
    }
    let count = |status| statuses.iter().filter(|each| **each == status).count();
    assert_eq!(
        (count(StatusCode::SEE_OTHER), count(StatusCode::CONFLICT)),
        (1, 39)
    );
}

#[tokio::test]
async fn the_bank_takes_orders_from_its_merchant_only_and_keeps_keys_apart() {
    let door = door().await;
    let merchant = format!("Bearer {MERCHANT}");
    let open = |secret: &str, key: &str, cents: u32| {
        let request = Request::builder()
            .method("POST")
            .uri("/payments")
            .header("authorization", secret)
            .header("idempotency-key", key)
            .header("content-type", "application/json");
        let body = format!(
            r#"{{"cents":{cents},"purpose":"seats","return_url":"http://shop.example/paid"}}"#
        );
        request.body(axum::body::Body::from(body)).unwrap()
    };
    let refused = door::ask_with(&door.bank, open("Bearer guess", "one", 5)).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let first = door::ask_with(&door.bank, open(&merchant, "one", 5)).await;
    let again = door::ask_with(&door.bank, open(&merchant, "one", 5)).await;
    assert_eq!(
        (first.status, again.status),
        (StatusCode::CREATED, StatusCode::OK)
    );
    assert_eq!(first.text, again.text);
    let other = door::ask_with(&door.bank, open(&merchant, "one", 6)).await;
    assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
    let status: serde_json::Value = serde_json::from_str(&first.text).unwrap();
    let capture = format!("/payments/{}/capture", status["id"].as_str().unwrap());
    let early = Request::builder()
        .method("POST")
        .uri(&capture)
        .header("authorization", &merchant);
    assert_eq!(
        ask(&door.bank, early, "").await.status,
        StatusCode::CONFLICT,
        "nobody approved it"
    );
    assert_eq!(
        ask(
            &door.bank,
            Request::builder().method("POST").uri(capture),
            ""
        )
        .await
        .status,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn while_everything_passes_each_browser_has_seats_of_its_own() {
    let door = door().await;
    let request = |method: &str, path: &str, cookie: Option<&str>| {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("waiting-room-pass", door.pass_of_nobody("demo"))
            .header("sec-fetch-site", "same-origin");
        if let Some(cookie) = cookie {
            request = request.header("cookie", format!("theme=dark; {cookie}"));
        }
        request
    };
    let reserve = "/events/demo/reservations";
    let anna = ask(&door.router, request("POST", reserve, None), "seat=A1").await;
    assert_eq!(anna.status, StatusCode::SEE_OTHER);
    let cookie = anna.header("set-cookie").expect("who it is");
    let cookie = cookie.split(';').next().expect("a name and a value");
    let hers = ask(
        &door.router,
        request("GET", "/events/demo/cart", Some(cookie)),
        "",
    )
    .await;
    assert!(hers.text.contains("A1") && hers.header("set-cookie").is_none());
    let others = ask(&door.router, request("GET", "/events/demo/cart", None), "").await;
    assert!(others.text.contains("Your cart is empty"));
    let taken = ask(&door.router, request("POST", reserve, None), "seat=A1").await;
    assert_eq!(taken.status, StatusCode::CONFLICT);
}
