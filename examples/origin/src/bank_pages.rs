//! The bank's pages: a question, and the way back to the shop as a form that sends itself, as 3-D Secure pages do.

use axum::http::StatusCode;
use axum::response::Response;
use maud::html;

use crate::bank::PaymentRequest;
use crate::page::{Page, euros};

const NAME: &str = "Pretend Bank";

/// Asks the visitor to approve or decline.
pub fn question(request: &PaymentRequest) -> Response {
    Page::new(StatusCode::OK, NAME).respond(html! {
        h1 { "Approve this payment?" }
        p.price { (euros(request.cents)) }
        p { (request.purpose) }
        form method="post" {
            button.main name="decision" value="approve" { "Approve" }
            " "
            button name="decision" value="decline" { "Decline" }
        }
        p.quiet { "This bank is made up. Nobody's money moves." }
    })
}

/// Sends the visitor's browser back to the shop with a POST.
pub fn way_back(id: &str, request: &PaymentRequest) -> Response {
    Page::new(StatusCode::OK, NAME)
        .sending_itself()
        .respond(html! {
            h1 { "Back to the shop" }
            form method="post" action=(request.return_url) data-send {
                input type="hidden" name="payment" value=(id);
                button.main { "Continue" }
            }
        })
}

/// There is no such payment.
pub fn unknown() -> Response {
    Page::new(StatusCode::NOT_FOUND, NAME).respond(html! {
        h1 { "Unknown payment" }
        p { "Go back to the shop and start the payment again. Nothing was charged." }
    })
}
