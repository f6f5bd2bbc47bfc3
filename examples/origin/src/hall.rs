//! Looking at the seats, reserving some, giving them back.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{RawForm, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};

use crate::public_address::is_from_own_page;
use crate::seats::{Seat, SeatState};
use crate::shop::{Shop, Trouble, Visitor};
use crate::shop_pages;

/// The seats.
pub async fn show(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Trouble> {
    let seats = seats(&shop, &visitor).await?;
    Ok(shop_pages::hall(&visitor, &seats, None))
}

/// What the visitor has reserved.
pub async fn cart(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Trouble> {
    let mut seats = seats(&shop, &visitor).await?;
    seats.retain(|seat| matches!(seat.state, SeatState::Mine { .. }));
    Ok(shop_pages::cart(
        &visitor,
        &seats,
        (shop.clock)(),
        shop.till.bank_pages(),
    ))
}

/// Reserves the seats that the form names, all or none.
pub async fn reserve(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    RawForm(form): RawForm,
) -> Result<Response, Trouble> {
    if !is_from_own_page(&headers, shop.public_url.as_deref()) {
        return Ok(shop_pages::foreign_form());
    }
    let named = form_urlencoded::parse(&form).filter(|(name, _)| name == "seat");
    let names: Vec<String> = named.map(|(_, seat)| seat.into_owned()).collect();
    let (event, holder, now) = (
        visitor.event.clone(),
        visitor.holder.clone(),
        (shop.clock)(),
    );
    let reserved = shop
        .with_seats(move |seats| seats.reserve(&event, &holder, &names, now))
        .await?;
    match reserved {
        Ok(()) => Ok(Redirect::to(&format!("{}/cart", visitor.path)).into_response()),
        Err(refusal) => Ok(shop_pages::hall(
            &visitor,
            &seats(&shop, &visitor).await?,
            Some(&refusal),
        )),
    }
}

/// Gives everything back that is reserved.
pub async fn give_back(
    State(shop): State<Arc<Shop>>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Result<Response, Trouble> {
    if !is_from_own_page(&headers, shop.public_url.as_deref()) {
        return Ok(shop_pages::foreign_form());
    }
    let (event, holder) = (visitor.event.clone(), visitor.holder.clone());
    shop.with_seats(move |seats| seats.give_back(&event, &holder))
        .await?;
    Ok(Redirect::to(visitor.first_page()).into_response())
}

async fn seats(shop: &Arc<Shop>, visitor: &Visitor) -> Result<Vec<Seat>, Trouble> {
    let (event, holder, now) = (
        visitor.event.clone(),
        visitor.holder.clone(),
        (shop.clock)(),
    );
    shop.with_seats(move |seats| seats.hall(&event, &holder, now))
        .await
}
