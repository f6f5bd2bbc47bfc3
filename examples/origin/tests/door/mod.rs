//! A shop with its bank for a test: real listener for the bank, the shop asked in process, a clock that stands.

#![allow(dead_code, reason = "every test uses its own part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anteroom_demo_shop::admission::{Admission, PassKey};
use anteroom_demo_shop::bank::Bank;
use anteroom_demo_shop::event_paths::EventPaths;
use anteroom_demo_shop::seats::Seats;
use anteroom_demo_shop::shop::Shop;
use anteroom_demo_shop::till::Till;
use anteroom_token::{
    Keyring, Pass, PassAlgorithm, RootKey, SAMPLE_KEY_CURRENT, Scope, SessionId, Tokens,
    origin_keys,
};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use tower::ServiceExt;

pub const NOW: u64 = 1_800_000_000;
pub const MERCHANT: &str = "merchant";
const MAX_PAGE_BYTES: usize = 200_000;

pub struct Door {
    pub router: Router,
    pub bank: Router,
    pub bank_pages: String,
    keyring: Keyring,
    now: Arc<AtomicU64>,
}

/// What came back.
pub struct Answer {
    pub status: StatusCode,
    pub headers: axum::http::HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .get(name)
            .map(|value| value.to_str().expect("plain text"))
    }

    /// The value of a hidden field of the page.
    pub fn hidden(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let (_, rest) = self
            .text
            .split_once(&start)
            .unwrap_or_else(|| panic!("no field {name} in {}", self.text));
        rest.split('"').next().expect("a value").to_owned()
    }
}

impl Door {
    pub async fn open(algorithm: PassAlgorithm, test_endpoints: bool) -> Door {
        Door::at(&[], algorithm, test_endpoints).await
    }

    /// The event is at paths of its own.
    pub async fn at(rules: &[String], algorithm: PassAlgorithm, test_endpoints: bool) -> Door {
        let root = RootKey::from_bytes("k1", SAMPLE_KEY_CURRENT).unwrap();
        let keyring = Keyring::from_root_keys(root, None).unwrap();
        let key = origin_keys(&keyring, "live", "tickets.example.com", algorithm).remove(0);
        let key: PassKey = serde_json::from_str(&key.jwk()).expect("what the key command prints");
        let mut admission = Admission::default();
        admission.admit(None, &key).unwrap();
        let bank = Bank::new(MERCHANT.to_owned());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bank_address = format!("http://{}", listener.local_addr().unwrap());
        let served = bank.router();
        tokio::spawn(async move { axum::serve(listener, served).await });
        let now = Arc::new(AtomicU64::new(NOW));
        let clock = Arc::clone(&now);
        let bank_pages = "http://bank.example".to_owned();
        let mut paths = EventPaths::default();
        paths.add("demo", rules);
        let shop = Arc::new(Shop {
            admission,
            seats: Seats::open(None).unwrap(),
            till: Till::new(bank_address, bank_pages.clone(), MERCHANT.to_owned()),
            clock: Arc::new(move || clock.load(Ordering::Relaxed)),
            public_url: Some("https://tickets.example.com".to_owned()),
            paths,
            titles: BTreeMap::from([("demo".to_owned(), "Demo <b>\"sale\"</b>".to_owned())]),
        });
        Door {
            router: shop.router(test_endpoints),
            bank: bank.router(),
            bank_pages,
            keyring,
            now,
        }
    }

    pub fn wait(&self, seconds: u64) {
        self.now.fetch_add(seconds, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// A pass of the visitor whose place has this index, good for three minutes from now.
    pub fn pass(&self, event: &str, index: u32) -> String {
        self.pass_of(event, index, PassAlgorithm::Hs256)
    }

    pub fn pass_of(&self, event: &str, index: u32, algorithm: PassAlgorithm) -> String {
        let session = SessionId {
            home: 0,
            index,
            generation: 1,
        };
        self.sealed(event, session, algorithm)
    }

    /// The pass that every visitor has while everything passes.
    pub fn pass_of_nobody(&self, event: &str) -> String {
        self.sealed(event, SessionId::NONE, PassAlgorithm::Hs256)
    }

    fn sealed(&self, event: &str, session: SessionId, algorithm: PassAlgorithm) -> String {
        let scope = Scope {
            issuer: "live",
            event,
            run: 1,
            audience: "tickets.example.com",
        };
        let (issued_at, session_ends_at) = (self.now(), self.now() + 1_140);
        let pass = Pass {
            session,
            issued_at,
            expires_at: issued_at + 180,
            session_ends_at,
        };
        Tokens::with_algorithm(&self.keyring, scope, algorithm).seal_pass(&pass)
    }

    /// A request of visitor `index`, as the waiting room forwards it.
    pub fn forwarded(&self, method: &str, path: &str, index: u32) -> axum::http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header("waiting-room-pass", self.pass("demo", index))
            .header("x-forwarded-host", "tickets.example.com")
            .header("x-forwarded-proto", "https")
    }

    pub async fn show(&self, path: &str, index: u32) -> Answer {
        ask(&self.router, self.forwarded("GET", path, index), "").await
    }

    /// Sends a form of the shop's own pages.
    pub async fn send(&self, path: &str, index: u32, form: &str) -> Answer {
        let request = self
            .forwarded("POST", path, index)
            .header("sec-fetch-site", "same-origin");
        ask(&self.router, request, form).await
    }

    /// What the bank's page makes the browser send.
    pub async fn post_back(&self, payment: &str, index: u32) -> Answer {
        let request = self
            .forwarded("POST", "/events/demo/paid", index)
            .header("sec-fetch-site", "cross-site");
        ask(
            &self.router,
            request.header("origin", &self.bank_pages),
            &format!("payment={payment}"),
        )
        .await
    }

    /// The page that a redirect leads to.
    pub async fn follow(&self, redirect: &Answer, index: u32) -> Answer {
        assert_eq!(redirect.status, StatusCode::SEE_OTHER, "{}", redirect.text);
        let address = redirect.header("location").expect("a redirect");
        self.show(address, index).await
    }

    /// Reserves a seat, goes to the bank and decides there. The payment's name, as the bank's page sends it back.
    pub async fn pay(&self, index: u32, seat: &str, decision: &str) -> String {
        let reserved = self
            .send("/events/demo/reservations", index, &format!("seat={seat}"))
            .await;
        assert_eq!(reserved.status, StatusCode::SEE_OTHER, "{}", reserved.text);
        let page = self.checkout(index).await;
        let decided = ask(
            &self.bank,
            Request::builder().method("POST").uri(page),
            &format!("decision={decision}"),
        )
        .await;
        decided.hidden("payment")
    }

    /// Begins the checkout; the path of the bank's page.
    pub async fn checkout(&self, index: u32) -> String {
        let sent = self.send("/events/demo/checkout", index, "").await;
        assert_eq!(sent.status, StatusCode::SEE_OTHER, "{}", sent.text);
        let page = sent
            .header("location")
            .expect("a redirect")
            .strip_prefix(&self.bank_pages);
        page.expect("to the bank").to_owned()
    }

    /// How the bank says a payment stands.
    pub async fn payment_state(&self, payment: &str) -> String {
        let request = Request::builder()
            .uri(format!("/payments/{payment}"))
            .header(header::AUTHORIZATION, format!("Bearer {MERCHANT}"));
        let status: serde_json::Value =
            serde_json::from_str(&ask(&self.bank, request, "").await.text).unwrap();
        status["state"].as_str().expect("a state").to_owned()
    }
}

pub async fn ask(router: &Router, request: axum::http::request::Builder, form: &str) -> Answer {
    let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    ask_with(router, request.body(Body::from(form.to_owned())).unwrap()).await
}

pub async fn ask_with(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let bytes = to_bytes(response.into_body(), MAX_PAGE_BYTES)
        .await
        .unwrap();
    Answer {
        status,
        headers,
        text: String::from_utf8(bytes.to_vec()).unwrap(),
    }
}
