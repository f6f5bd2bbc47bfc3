//! A pretend bank on another host. Nobody's money moves.
//!
//! It has the shape of real ones: the shop opens a payment from server to server with an idempotency key, the visitor
//! approves on the bank's page, the bank's page posts back to the shop across sites and says only which payment it is
//! about, the shop asks the bank how it stands, and collects or gives up. Collecting twice collects once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Path, RawForm, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use crate::bank_pages;
use crate::random::unguessable;

/// The header that makes opening a payment repeatable.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// How a payment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PaymentState {
    /// The visitor has not decided.
    Open,
    /// The visitor approved; the money is set aside.
    Authorised,
    /// The visitor declined.
    Declined,
    /// The money is with the shop.
    Captured,
    /// The shop gave it up.
    Voided,
}

/// What the shop asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentRequest {
    /// The amount.
    pub cents: u32,
    /// What it is for, as the visitor reads it.
    pub purpose: String,
    /// Where the bank's page posts back to.
    pub return_url: String,
}

/// What the bank says of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentStatus {
    /// The bank's name for it.
    pub id: String,
    /// How it stands.
    pub state: PaymentState,
}

struct Payment {
    idempotency_key: String,
    request: PaymentRequest,
    state: PaymentState,
}

/// The bank. Forgets everything when it stops.
pub struct Bank {
    merchant_secret: String,
    payments: Mutex<BTreeMap<String, Payment>>,
}

impl Bank {
    /// A bank with one merchant, who proves itself by `merchant_secret`.
    pub fn new(merchant_secret: String) -> Arc<Self> {
        Arc::new(Bank {
            merchant_secret,
            payments: Mutex::default(),
        })
    }

    /// What the bank serves.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/payments", post(open))
            .route("/payments/{id}", get(status))
            .route("/payments/{id}/{order}", post(collect_or_give_up))
            .route("/pay/{id}", get(ask_visitor).post(hear_visitor))
            .with_state(Arc::clone(self))
    }

    fn payments(&self) -> MutexGuard<'_, BTreeMap<String, Payment>> {
        self.payments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_merchant(&self, headers: &HeaderMap) -> bool {
        let expected = format!("Bearer {}", self.merchant_secret);
        headers
            .get(header::AUTHORIZATION)
            .is_some_and(|value| value.as_bytes() == expected.as_bytes())
    }
}

async fn open(
    State(bank): State<Arc<Bank>>,
    headers: HeaderMap,
    Json(request): Json<PaymentRequest>,
) -> Response {
    if !bank.is_merchant(&headers) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Some(key) = headers
        .get(IDEMPOTENCY_KEY)
        .and_then(|key| key.to_str().ok())
    else {
        return (
            StatusCode::BAD_REQUEST,
            "a payment needs an Idempotency-Key",
        )
            .into_response();
    };
    let mut payments = bank.payments();
    if let Some((id, known)) = payments
        .iter()
        .find(|(_, payment)| payment.idempotency_key == key)
    {
        let same = known.request.cents == request.cents && known.request.purpose == request.purpose;
        let status = PaymentStatus {
            id: id.clone(),
            state: known.state,
        };
        return match same {
            true => Json(status).into_response(),
            false => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "this Idempotency-Key is another payment's",
            )
                .into_response(),
        };
    }
    let (id, state) = (unguessable(), PaymentState::Open);
    payments.insert(
        id.clone(),
        Payment {
            idempotency_key: key.to_owned(),
            request,
            state,
        },
    );
    (StatusCode::CREATED, Json(PaymentStatus { id, state })).into_response()
}

async fn status(
    State(bank): State<Arc<Bank>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    if !bank.is_merchant(&headers) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    match bank.payments().get(&id) {
        Some(payment) => Json(PaymentStatus {
            id,
            state: payment.state,
        })
        .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn collect_or_give_up(
    State(bank): State<Arc<Bank>>,
    headers: HeaderMap,
    Path((id, order)): Path<(String, String)>,
) -> Response {
    if !bank.is_merchant(&headers) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let mut payments = bank.payments();
    let Some(payment) = payments.get_mut(&id) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    payment.state = match (order.as_str(), payment.state) {
        ("capture", PaymentState::Authorised | PaymentState::Captured) => PaymentState::Captured,
        ("void", PaymentState::Open | PaymentState::Authorised | PaymentState::Voided) => {
            PaymentState::Voided
        }
        ("capture" | "void", _) => return StatusCode::CONFLICT.into_response(),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    Json(PaymentStatus {
        id,
        state: payment.state,
    })
    .into_response()
}

async fn ask_visitor(State(bank): State<Arc<Bank>>, Path(id): Path<String>) -> Response {
    match bank.payments().get(&id) {
        Some(Payment {
            request,
            state: PaymentState::Open,
            ..
        }) => bank_pages::question(request),
        Some(Payment { request, .. }) => bank_pages::way_back(&id, request),
        None => bank_pages::unknown(),
    }
}

async fn hear_visitor(
    State(bank): State<Arc<Bank>>,
    Path(id): Path<String>,
    RawForm(form): RawForm,
) -> Response {
    let mut payments = bank.payments();
    let Some(payment) = payments.get_mut(&id) else {
        return bank_pages::unknown();
    };
    let approved =
        form_urlencoded::parse(&form).any(|(name, value)| name == "decision" && value == "approve");
    if payment.state == PaymentState::Open {
        payment.state = if approved {
            PaymentState::Authorised
        } else {
            PaymentState::Declined
        };
    }
    bank_pages::way_back(&id, &payment.request)
}
