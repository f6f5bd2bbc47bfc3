//! To the bank and back.
//!
//! The shop believes nothing that a browser brings from the bank but the payment's name; it asks the bank itself. Going
//! to the bank twice, coming back twice, coming back when the seats are gone: each ends in one sale or none, never in a
//! payment for nothing.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, RawForm, State};
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
        return Ok(Redirect::to(&format!("{}/cart", visitor.path())).into_response());
    };
    let payment = PaymentRequest {
        cents: order.cents,
        purpose: format!("{}: seats {}", visitor.title, order.seats.join(", ")),
        return_url: format!(
            "{}{}/paid",
            public_address(&headers, shop.public_url.as_deref()),
            visitor.path()
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

/// The bank's page posted back, from another site.
pub async fn back_from_bank(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
    RawForm(form): RawForm,
) -> Result<Response, Trouble> {
    let named = form_urlencoded::parse(&form).find(|(name, _)| name == "payment");
    let payment = named
        .map(|(_, payment)| payment.into_owned())
        .unwrap_or_default();
    let known = payment.clone();
    let order = shop
        .with_seats(move |seats| seats.order_of_payment(&known))
        .await?;
    match order {
        Some(order) if order.event == visitor.event && order.holder == visitor.holder => {
            settle(&shop, &visitor, order, &payment).await
        }
        _ => Ok(unknown(&visitor)),
    }
}

/// For who comes back to this address some other way: the visitor's latest order, looked at again.
pub async fn look_again(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Trouble> {
    let (event, holder) = (visitor.event.clone(), visitor.holder.clone());
    match shop
        .with_seats(move |seats| seats.latest_order(&event, &holder))
        .await?
    {
        Some((order, payment)) => settle(&shop, &visitor, order, &payment).await,
        None => Ok(unknown(&visitor)),
    }
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

/// Brings an order as far as the bank lets it.
async fn settle(
    shop: &Arc<Shop>,
    visitor: &Visitor,
    order: Order,
    payment: &str,
) -> Result<Response, Trouble> {
    let key = order.key.clone();
    let state = match order.state {
        OrderState::Open => match shop.till.state(payment).await? {
            Some(PaymentState::Authorised | PaymentState::Captured) => shop
                .with_seats(move |seats| seats.sell(&key))
                .await?
                .unwrap_or(OrderState::Void),
            Some(PaymentState::Open) => {
                let text = "The bank has no answer from you yet. Your seats are still reserved.";
                return Ok(shop_pages::not_paid(
                    visitor,
                    StatusCode::OK,
                    "Not paid yet",
                    text,
                ));
            }
            Some(PaymentState::Declined | PaymentState::Voided) | None => {
                shop.with_seats(move |seats| seats.note_declined(&key))
                    .await?;
                let text =
                    "Nothing was charged. Your seats are reserved for as long as the cart says.";
                return Ok(shop_pages::not_paid(
                    visitor,
                    StatusCode::OK,
                    "The payment was declined",
                    text,
                ));
            }
        },
        state => state,
    };
    match state {
        OrderState::Sold => {
            let is_collected = collect(shop, &order, payment).await?;
            Ok(commanding(
                shop_pages::tickets(&visitor.title, &order, is_collected),
                RELEASE,
            ))
        }
        OrderState::Paid => Ok(commanding(
            shop_pages::tickets(&visitor.title, &order, true),
            RELEASE,
        )),
        OrderState::Open | OrderState::Void => {
            // Whether the bank hears it or not: what is not collected is never charged.
            let _ = shop.till.void(payment).await;
            let text = "The time of your reservation was over and somebody else took a seat. Nothing was charged.";
            Ok(shop_pages::not_paid(
                visitor,
                StatusCode::CONFLICT,
                "Your seats are gone",
                text,
            ))
        }
    }
}

/// Collects the money of a sold order. If the bank is away the seats stay sold, and the next look tries again.
async fn collect(shop: &Arc<Shop>, order: &Order, payment: &str) -> Result<bool, Trouble> {
    if shop.till.capture(payment).await.is_err() {
        return Ok(false);
    }
    let key = order.key.clone();
    shop.with_seats(move |seats| seats.note_paid(&key)).await?;
    Ok(true)
}

fn unknown(visitor: &Visitor) -> Response {
    let text = "There is no such payment of yours. Nothing was charged.";
    shop_pages::not_paid(visitor, StatusCode::NOT_FOUND, "Unknown payment", text)
}
