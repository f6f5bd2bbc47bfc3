//! To the bank and back.
//!
//! The shop believes nothing that a browser brings from the bank but the payment's name; it asks the bank itself. Going
//! to the bank twice, coming back twice, coming back when the seats are gone: each ends in one sale or none, never in a
//! payment for nothing.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, RawForm, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};

use crate::bank::{PaymentRequest, PaymentState};
use crate::orders::{Order, OrderState};
use crate::public_address::{is_from_own_page, public_address};
use crate::random::unguessable;
use crate::shop::{Shop, Trouble, Visitor, commanding};
use crate::shop_pages;

/// How much longer a session has to last for somebody who went to the bank.
pub const CHECKOUT_EXTEND_SECONDS: u64 = 5 * 60;
/// The session is not needed any more.
pub const RELEASE: &str = "release";

/// Opens the payment and sends the visitor to the bank.
pub async fn begin(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Result<Response, Trouble> {
    if !is_from_own_page(&headers, shop.public_url.as_deref()) {
        return Ok(shop_pages::foreign_form());
    }
    let (event, holder, now) = (
        visitor.event.clone(),
        visitor.holder.clone(),
        (shop.clock)(),
    );
    let order = shop
        .with_seats(move |seats| seats.order(&event, &holder, &unguessable(), now))
        .await?;
    let Some(order) = order else {
        return Ok(Redirect::to(&format!("{}/cart", visitor.path)).into_response());
    };
    let payment = PaymentRequest {
        cents: order.cents,
        purpose: format!("{}: seats {}", visitor.title, order.seats.join(", ")),
        return_url: format!(
            "{}{}/paid",
            public_address(&headers, shop.public_url.as_deref()),
            visitor.path
        ),
    };
    let opened = shop.till.open(&order.key, &payment).await?.id;
    let page = shop.till.page_of(&opened);
    shop.with_seats(move |seats| seats.note_payment(&order.key, &opened))
        .await?;
    Ok(commanding(
        Redirect::to(&page).into_response(),
        &format!("extend={CHECKOUT_EXTEND_SECONDS}"),
    ))
}

/// Where an order stands once the bank has been asked.
enum Outcome {
    /// The seats are sold.
    Bought(Order),
    /// The bank waits for the visitor.
    Undecided,
    /// The bank said no.
    Declined,
    /// The seats went to somebody else meanwhile.
    Gone,
}

/// The bank's page posted back, from another site. The answer is a redirect, so that going back sends nothing again.
pub async fn back_from_bank(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
    RawForm(form): RawForm,
) -> Result<Response, Trouble> {
    let payment = payment_in(&form).unwrap_or_default();
    let Some(order) = own_order(&shop, &visitor, &payment).await? else {
        return Ok(unknown(&visitor));
    };
    Ok(match settle(&shop, order, &payment).await? {
        Outcome::Bought(order) => to_tickets(&order),
        Outcome::Undecided | Outcome::Declined | Outcome::Gone => {
            let named = form_urlencoded::Serializer::new(String::new())
                .append_pair("payment", &payment)
                .finish();
            Redirect::to(&format!("{}/paid?{named}", visitor.path)).into_response()
        }
    })
}

/// What became of a payment: of the one that the address names, else of the visitor's latest.
pub async fn look_again(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
    RawQuery(query): RawQuery,
) -> Result<Response, Trouble> {
    let named = payment_in(query.unwrap_or_default().as_bytes());
    let found = match named {
        Some(payment) => own_order(&shop, &visitor, &payment)
            .await?
            .map(|order| (order, payment)),
        None => {
            let (event, holder) = (visitor.event.clone(), visitor.holder.clone());
            shop.with_seats(move |seats| seats.latest_order(&event, &holder))
                .await?
        }
    };
    let Some((order, payment)) = found else {
        return Ok(unknown(&visitor));
    };
    let (status, heading, text) = match settle(&shop, order, &payment).await? {
        Outcome::Bought(order) => return Ok(to_tickets(&order)),
        Outcome::Undecided => (
            StatusCode::OK,
            "Not paid yet",
            "The bank has no answer from you yet. Your seats are still reserved.",
        ),
        Outcome::Declined => (
            StatusCode::OK,
            "The payment was declined",
            "Nothing was charged. Your seats are reserved for as long as the cart says.",
        ),
        Outcome::Gone => (
            StatusCode::CONFLICT,
            "Your seats are gone",
            "The time of your reservation was over and somebody else took a seat. Nothing was charged.",
        ),
    };
    Ok(shop_pages::not_paid(&visitor, status, heading, text))
}

fn payment_in(pairs: &[u8]) -> Option<String> {
    let named = form_urlencoded::parse(pairs).find(|(name, _)| name == "payment");
    named.map(|(_, payment)| payment.into_owned())
}

/// The order of a payment, if it is this visitor's.
async fn own_order(
    shop: &Arc<Shop>,
    visitor: &Visitor,
    payment: &str,
) -> Result<Option<Order>, Trouble> {
    let payment = payment.to_owned();
    let order = shop
        .with_seats(move |seats| seats.order_of_payment(&payment))
        .await?;
    Ok(order.filter(|order| order.event == visitor.event && order.holder == visitor.holder))
}

/// On to the tickets: the session is not needed any more.
fn to_tickets(order: &Order) -> Response {
    let page = Redirect::to(&format!("/tickets/{}", order.key));
    commanding(page.into_response(), RELEASE)
}

/// The tickets at their own address, which needs no session.
pub async fn tickets(
    State(shop): State<Arc<Shop>>,
    Path(key): Path<String>,
) -> Result<Response, Trouble> {
    let order = shop
        .with_seats(move |seats| seats.order_with_key(&key))
        .await?;
    Ok(match order {
        Some(order) if matches!(order.state, OrderState::Sold | OrderState::Paid) => {
            shop_pages::tickets(
                &shop.title(&order.event),
                &order,
                order.state == OrderState::Paid,
            )
        }
        _ => shop_pages::not_found(),
    })
}

/// Brings an order as far as the bank lets it. Doing so twice is doing so once.
async fn settle(shop: &Arc<Shop>, order: Order, payment: &str) -> Result<Outcome, Trouble> {
    let key = order.key.clone();
    let state = match order.state {
        OrderState::Open => match shop.till.state(payment).await? {
            Some(PaymentState::Authorised | PaymentState::Captured) => shop
                .with_seats(move |seats| seats.sell(&key))
                .await?
                .unwrap_or(OrderState::Void),
            Some(PaymentState::Open) => return Ok(Outcome::Undecided),
            Some(PaymentState::Declined | PaymentState::Voided) | None => {
                shop.with_seats(move |seats| seats.note_declined(&key))
                    .await?;
                return Ok(Outcome::Declined);
            }
        },
        OrderState::Void if shop.till.state(payment).await? == Some(PaymentState::Declined) => {
            return Ok(Outcome::Declined);
        }
        state => state,
    };
    match state {
        OrderState::Sold => {
            collect(shop, &order, payment).await?;
            Ok(Outcome::Bought(order))
        }
        OrderState::Paid => Ok(Outcome::Bought(order)),
        OrderState::Open | OrderState::Void => {
            // Whether the bank hears it or not: what is not collected is never charged.
            let _ = shop.till.void(payment).await;
            Ok(Outcome::Gone)
        }
    }
}

/// Collects the money of a sold order. If the bank is away the seats stay sold, and the next look tries again.
async fn collect(shop: &Arc<Shop>, order: &Order, payment: &str) -> Result<(), Trouble> {
    if shop.till.capture(payment).await.is_err() {
        return Ok(());
    }
    let key = order.key.clone();
    shop.with_seats(move |seats| seats.note_paid(&key)).await
}

fn unknown(visitor: &Visitor) -> Response {
    let text = "There is no such payment of yours. Nothing was charged.";
    shop_pages::not_paid(visitor, StatusCode::NOT_FOUND, "Unknown payment", text)
}
