//! The room's small pages beside the queue page, in the same clothes: the draw recomputed, a place taken over,
//! the code for that, staff let in. Each is one response, complete without script as far as it can be, and sent with the queue page's policy.
//!
//! `frame` is what all of them share; `draw`, `handover`, `offer` and `staff` are one page each. Their words are in
//! `static/locales/extra/*.json`, one flat object a language; their scripts and styles in `static/sheets/`.
//!
//! Nothing here reads a clock or knows about Workers.

pub mod draw;
pub mod frame;
pub mod handover;
pub mod offer;
pub mod staff;
mod words;

pub use words::{SheetWords, words};

/// Where a small page stands, and for whom.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetView {
    /// The event's id.
    pub event: String,
    /// The event's name.
    pub title: String,
    /// What the API's addresses begin with.
    pub prefix: String,
    /// Scheme and host of the address that was asked.
    pub origin: String,
    /// Where the event's shop begins.
    pub front: String,
    /// The nonce of this response's policy.
    pub nonce: String,
    /// Why a form that was sent without script did not do: the kind of a problem. Anything else is no reason.
    pub refused: Option<String>,
    /// In which language.
    pub language: crate::page::locale::Language,
    /// How the event looks.
    pub look: crate::page::view::Look,
}

impl SheetView {
    /// Why a form that was sent without script did not do, in words; `reason` names the words for a kind of problem.
    fn refusal(&self, reason: fn(&str) -> &'static str) -> Option<&'static str> {
        let kind = self.refused.as_deref()?;
        Some(words(self.language).text(reason(kind)))
    }
}
