//! What visitors of the shop see.

use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};

use crate::orders::Order;
use crate::page::{Page, euros, time_left};
use crate::seats::{BACK_CENTS, FRONT_CENTS, MAX_SEATS_EACH, NotReserved, Seat, SeatState};
use crate::shop::Visitor;

/// The demo's event that many want at once.
const CROWDED: &str = "world-tour";

/// The page of an admitted visitor.
fn page<'a>(status: StatusCode, visitor: &'a Visitor) -> Page<'a> {
    Page::new(status, &visitor.title).with_session(visitor.session_seconds_left)
}

/// The seats, to choose from.
pub fn hall(visitor: &Visitor, seats: &[Seat], notice: Option<&NotReserved>) -> Response {
    let base = &visitor.path;
    let status = if notice.is_some() {
        StatusCode::CONFLICT
    } else {
        StatusCode::OK
    };
    let mine = seats
        .iter()
        .filter(|seat| matches!(seat.state, SeatState::Mine { .. }))
        .count();
    page(status, visitor).respond(html! {
        h1 { "Choose your seats" }
        @if let Some(refusal) = notice { p.notice role="alert" { (why_not(refusal)) } }
        @if mine > 0 {
            p { (mine) " reserved for you. " a href={ (base) "/cart" } { "Go to the cart" } }
        }
        p.quiet { "Up to " (MAX_SEATS_EACH) ". In front " (euros(FRONT_CENTS)) ", behind " (euros(BACK_CENTS)) "." }
        form method="post" action={ (base) "/reservations" } {
            div.stage { "Stage" }
            fieldset.hall aria-label="Seats" {
                @for seat in seats { (seat_box(seat)) }
            }
            div.bar { button.main { "Reserve" } }
        }
    })
}

fn seat_box(seat: &Seat) -> Markup {
    let is_free = seat.state == SeatState::Free;
    let is_mine = matches!(seat.state, SeatState::Mine { .. });
    html! {
        @if is_free || is_mine {
            label.seat.front[seat.cents == FRONT_CENTS] {
                input type="checkbox" name="seat" value=(seat.name) checked[is_mine];
                (seat.name)
            }
        } @else {
            span.seat.gone { (seat.name) }
        }
    }
}

fn why_not(refusal: &NotReserved) -> String {
    match refusal {
        NotReserved::Nothing => "Choose at least one seat.".to_owned(),
        NotReserved::Unknown => "There is no such seat.".to_owned(),
        NotReserved::Taken(seat) => {
            format!("Somebody was faster: {seat} is taken. Nothing was reserved.")
        }
        NotReserved::TooMany => format!("Up to {MAX_SEATS_EACH} seats each. Nothing was reserved."),
    }
}

/// What is reserved, and the way to pay.
pub fn cart(visitor: &Visitor, mine: &[Seat], now: u64, bank: &str) -> Response {
    let base = &visitor.path;
    let until = mine.iter().filter_map(|seat| match seat.state {
        SeatState::Mine { until } => Some(until),
        _ => None,
    });
    let Some(until) = until.min() else {
        return page(StatusCode::OK, visitor).respond(html! {
            h1 { "Your cart is empty" }
            p { a.button.main href=(visitor.first_page()) { "Choose seats" } }
        });
    };
    page(StatusCode::OK, visitor).with_forms_to(bank).respond(html! {
        h1 { "Your seats" }
        ul.tickets { @for seat in mine { li { (seat.name) " · " (euros(seat.cents)) } } }
        p.price { (euros(mine.iter().map(|seat| seat.cents).sum())) }
        p.quiet { "Reserved for you: " span data-seconds-left=(until.saturating_sub(now)) { (time_left(until.saturating_sub(now))) } }
        form method="post" action={ (base) "/checkout" } { button.main { "Pay" } }
        form method="post" action={ (base) "/reservations/give-back" } { p { button { "Give the seats back" } } }
        p { a href=(visitor.first_page()) { "Back to the seats" } }
    })
}

/// The tickets, at their own address.
pub fn tickets(title: &str, order: &Order, is_collected: bool) -> Response {
    Page::new(StatusCode::OK, title).respond(html! {
        h1 { "These are yours" }
        ul.tickets { @for seat in &order.seats { li { "Seat " (seat) } } }
        p { "Paid: " (euros(order.cents)) @if !is_collected { " (the bank will collect it shortly)" } "." }
        p { "Your tickets stay at this address: keep it. Your visit to the shop is over, and your place in it is free for the next." }
    })
}

/// The payment came to nothing.
pub fn not_paid(visitor: &Visitor, status: StatusCode, heading: &str, text: &str) -> Response {
    page(status, visitor).respond(html! {
        h1 { (heading) }
        p { (text) }
        p { a.button.main href={ (visitor.path) "/cart" } { "To the cart" } }
    })
}

/// For who comes without a valid pass.
pub fn refused(room: Option<&str>, path: &str, event: &str) -> Response {
    Page::new(StatusCode::FORBIDDEN, "Ticket shop").respond(html! {
        h1 { "Please come through the waiting room" }
        p { "The shop is open to visitors whose turn it is." }
        @if let Some(room) = room {
            p { a.button.main href={ (room) (path) } { "To the waiting room" } }
            @if is_plain(event) { (alone(room, event)) }
        }
    })
}

/// Whether an event's id is written like one: it becomes part of a command that people copy.
fn is_plain(event: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    event.starts_with(|first: char| first.is_ascii_lowercase()) && event.bytes().all(plain)
}

/// For who tries the demo alone: nobody waits where nobody else is.
fn alone(room: &str, event: &str) -> Markup {
    html! {
        details {
            summary { "To see the line move" }
            p.quiet { "Nobody else is here, so you will be let in at once. This fills the line with visitors first:" }
            pre { code { "npm run load -- --url " (room) " --event " (event) " --visitors 300 --arrivals-per-second 20" } }
        }
    }
}

/// A form that another site made.
pub fn foreign_form() -> Response {
    Page::new(StatusCode::FORBIDDEN, "Ticket shop").respond(html! {
        h1 { "This form is not from the shop" }
        p { "Nothing was changed." }
    })
}

/// There is nothing at this address.
pub fn not_found() -> Response {
    Page::new(StatusCode::NOT_FOUND, "Ticket shop").respond(html! {
        h1 { "Nothing here" }
        p { "This address leads nowhere in the shop." }
    })
}

/// An event on the front page.
pub struct Sold<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Where its pages begin, without a slash at the end.
    pub path: String,
}

/// The front page, open to all.
pub fn front(room: Option<&str>, events: &[Sold]) -> Response {
    Page::new(StatusCode::OK, "Ticket shop").respond(html! {
        h1 { "Tickets" }
        @for Sold { title, path, .. } in events {
            p { a.button.main href={ (room.unwrap_or_default()) (path) "/" } { (title) } }
        }
        p.quiet { "A demo: seats and payments are made up." }
        @if let (Some(room), Some(event)) = (room, crowded(events)) { (alone(room, event)) }
    })
}

/// The event with a line worth seeing.
fn crowded<'a>(events: &[Sold<'a>]) -> Option<&'a str> {
    let ids = || events.iter().map(|event| event.id);
    ids().find(|id| *id == CROWDED).or_else(|| ids().next())
}

/// Something failed here.
pub fn trouble(status: StatusCode) -> Response {
    Page::new(status, "Ticket shop").respond(html! {
        h1 { "That did not work" }
        p { "Please try again. Nothing was charged twice, and no seat was lost." }
    })
}
