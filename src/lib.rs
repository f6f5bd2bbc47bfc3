//! The edge of the waiting room: a Worker that keeps no state about a visitor.
//!
//! A request on a protected path comes to the `gate`: with a pass it goes on to the origin, without one the room answers
//! at the same address, with the queue page for a person and a problem document for a program. Permits, tickets and
//! passes are verified here; the board is kept here for a second or two. About a visitor who only waits, or who holds a
//! fresh pass, no object is asked.
//!
//! ```text
//! entry ─ own addresses ─► routes/*            one file each
//!       └ everything else ► routes/protected ─► gate (the decision) ─► proxy (origin) or routes/room (page, problem)
//!                                       rooms (the only calls to objects) ◄── all of them
//! ```
//!
//! Pure, and tested natively: `gate`, `renewal`, `boards`, `standing`, `eta`, `poll`, `cookies`, `rewrite`, `same_site`,
//! `local_path`, `actions`, `incoming`, `fields`, `json`, `line_choice`, `key_home`, `taking_joins`, `stock`, `networks`,
//! `challenges`, `checks`, `development_key`, `suspicion`, `providers`, `deleted`, `roles`, `guesses`, what decides in
//! `crawlers` and `rate_limits`, and of `turnstile` all but the question.
//! Clock and entropy are read in `platform` only. What an isolate keeps between requests is plain data: boards and counts
//! in `isolate`, with how origins answer, configuration and keys in `deployment`, what networks did in `networks`, who asks
//! too often in `rate_limits`, wrong operator tokens in `guesses`, distances of time zones in `zones`, random bits that
//! nobody has had in `platform`, and in `stock` when it last wrote a line about a header that cannot be read. Of the
//! platform's own it keeps what no visitor has a part in: names of headers in `headers`, what many answers say alike in
//! `answer`, ids of objects.

mod actions;
mod answer;
mod answering;
mod binding;
mod board_reads;
mod boards;
mod challenges;
mod checks;
mod cookies;
mod crawlers;
mod credentials;
mod deleted;
mod deployment;
mod development_key;
mod documents;
mod entry;
mod eta;
mod faces;
mod fields;
mod gate;
mod guesses;
mod headers;
mod house_headers;
mod incoming;
mod instants;
mod isolate;
mod joining;
mod json;
mod key_home;
mod line_choice;
mod local_path;
mod looks;
mod networks;
mod objects;
mod observed;
mod onward;
mod operators;
mod origin_evidence;
mod origin_health;
mod origin_question;
pub mod page;
#[cfg(feature = "fuzzing")]
pub mod parsers;
mod permits;
mod place;
mod platform;
mod poll;
mod problem;
mod providers;
mod proxy;
mod rate_limits;
mod references;
mod refusals;
mod renewal;
mod renewed;
mod reserved;
mod rewrite;
mod roles;
mod rooms;
mod routes;
mod same_site;
#[cfg(test)]
mod samples;
mod sessions;
pub mod sheets;
mod standing;
mod stock;
mod suspicion;
mod taking_joins;
mod turnstile;
mod visit;
mod visitor;
mod way_back;
mod zones;

pub use anteroom_durable_objects::{CoordinatorObject, RelayObject, ShardObject};
