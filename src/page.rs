//! The queue page: what a visitor without a pass gets at the sale's own address.
//!
//! It is a document first. [`render`] writes a complete page for the visitor's state, which works
//! without script: forms join, enter and leave, a link checks, a refresh keeps it current. The
//! script in the same response then takes it over and improves it.
//!
//! - `view`: everything that is shown, filled in by the edge.
//! - `locale`: the languages and their words.

pub mod locale;
pub mod view;
