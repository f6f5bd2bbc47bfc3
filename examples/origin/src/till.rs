//! The shop's side of the bank: requests from server to server, each with a time limit and each safe to repeat.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;

use crate::bank::{IDEMPOTENCY_KEY, PaymentRequest, PaymentState, PaymentStatus};

/// How long the bank may take to answer.
const BANK_PATIENCE: Duration = Duration::from_secs(5);
/// The largest answer that is read.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// The bank did not answer, or not as it should.
#[derive(Debug)]
pub struct BankAway;

/// What the shop talks to its bank with.
pub struct Till {
    bank: String,
    bank_pages: String,
    merchant_secret: String,
    http: Client<HttpConnector, Body>,
}

impl Till {
    /// `bank` is where this process reaches the bank, `bank_pages` where browsers do; both without a trailing slash.
    pub fn new(bank: String, bank_pages: String, merchant_secret: String) -> Self {
        let http = Client::builder(TokioExecutor::new()).build_http();
        Till {
            bank,
            bank_pages,
            merchant_secret,
            http,
        }
    }

    /// The address of the bank's pages.
    pub fn bank_pages(&self) -> &str {
        &self.bank_pages
    }

    /// Where the visitor approves a payment.
    pub fn page_of(&self, payment: &str) -> String {
        format!("{}/pay/{payment}", self.bank_pages)
    }

    /// Opens a payment, or finds the one that was opened with the same key.
    pub async fn open(
        &self,
        idempotency_key: &str,
        payment: &PaymentRequest,
    ) -> Result<PaymentStatus, BankAway> {
        let body = serde_json::to_vec(payment).map_err(|_| BankAway)?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}/payments", self.bank))
            .header(header::CONTENT_TYPE, "application/json")
            .header(IDEMPOTENCY_KEY, idempotency_key);
        self.ask(request, Body::from(body)).await?.ok_or(BankAway)
    }

    /// How a payment stands; none if the bank does not know it.
    pub async fn state(&self, payment: &str) -> Result<Option<PaymentState>, BankAway> {
        let request = Request::builder().uri(format!("{}/payments/{payment}", self.bank));
        Ok(self
            .ask(request, Body::empty())
            .await?
            .map(|status| status.state))
    }

    /// Collects an approved payment. Repeated: the same answer.
    pub async fn capture(&self, payment: &str) -> Result<(), BankAway> {
        self.order(payment, "capture").await
    }

    /// Gives a payment up.
    pub async fn void(&self, payment: &str) -> Result<(), BankAway> {
        self.order(payment, "void").await
    }

    async fn order(&self, payment: &str, order: &str) -> Result<(), BankAway> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}/payments/{payment}/{order}", self.bank));
        self.ask(request, Body::empty())
            .await?
            .map(drop)
            .ok_or(BankAway)
    }

    /// None for what the bank does not know.
    async fn ask(
        &self,
        request: axum::http::request::Builder,
        body: Body,
    ) -> Result<Option<PaymentStatus>, BankAway> {
        let request = request
            .header(
                header::AUTHORIZATION,
                format!("Bearer {}", self.merchant_secret),
            )
            .body(body)
            .map_err(|_| BankAway)?;
        let answer = async {
            let response = self.http.request(request).await.map_err(|_| BankAway)?;
            match response.status() {
                StatusCode::NOT_FOUND => return Ok(None),
                status if !status.is_success() => return Err(BankAway),
                _ => {}
            }
            let body = Limited::new(response.into_body(), MAX_ANSWER_BYTES)
                .collect()
                .await
                .map_err(|_| BankAway)?;
            serde_json::from_slice(&body.to_bytes())
                .map(Some)
                .map_err(|_| BankAway)
        };
        tokio::time::timeout(BANK_PATIENCE, answer)
            .await
            .map_err(|_| BankAway)?
    }
}
