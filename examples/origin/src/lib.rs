//! A small ticket shop that admits only visitors with a pass: the origin behind the demo events.
//!
//! It shows what an origin has to do, which is little: `admission` verifies the pass, `shop` asks it before everything
//! under an event's paths (`event_paths`), `holder` says whose seats a visitor sees, `checkout` gives the session back after
//! a sale. The rest is a shop: `seats` and `orders` in SQLite, `hall` and `checkout` for the requests, `shop_pages` for what
//! is seen, a pretend bank on another host (`bank`, `bank_pages`) to which `till` talks, and `serving` with its patience.
//! `probes` serves the tests.

pub mod admission;
pub mod bank;
mod bank_pages;
mod checkout;
pub mod event_paths;
mod hall;
mod holder;
pub mod orders;
mod page;
mod probes;
pub mod public_address;
pub mod random;
pub mod seats;
pub mod serving;
pub mod settings;
pub mod shop;
mod shop_pages;
pub mod till;

pub use checkout::CHECKOUT_EXTEND_SECONDS;
