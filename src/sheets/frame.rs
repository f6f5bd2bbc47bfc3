//! What every small page shares: head, header, styles, and how data gets into its script.

use serde_json::Value;

use super::SheetView;
use super::words::words;
use crate::page::look;

/// The styles: the queue page's, and what only small pages have.
pub const CSS: &str = concat!(
    include_str!("../../static/colours.css"),
    include_str!("../../static/queue.css"),
    include_str!("../../static/sheets/sheets.css")
);

/// The frame of one page, as its template reads it.
pub struct Frame<'a> {
    /// Where and for whom.
    pub view: &'a SheetView,
    /// The language, for `lang`.
    pub lang: &'static str,
    /// The direction, for `dir`.
    pub dir: &'static str,
    /// The name of the whole thing.
    pub room: &'static str,
    /// The heading, also in the title.
    pub headline: &'static str,
    /// The styles.
    pub css: String,
    /// The address of the event's logo.
    pub logo: Option<String>,
}

impl<'a> Frame<'a> {
    /// The frame of the page whose words begin with `name`.
    pub fn of(view: &'a SheetView, name: &str) -> Frame<'a> {
        let words = words(view.language);
        Frame {
            view,
            lang: view.language.tag(),
            dir: view.language.direction(),
            room: words.text("room"),
            headline: words.text(&format!("{name}.headline")),
            css: format!("{CSS}{}", look::css(&view.look)),
            logo: view
                .look
                .logo
                .then(|| format!("{}/events/{}/logo", view.prefix, view.event)),
        }
    }

    /// A word of this page's language.
    pub fn say(&self, key: &str) -> &'static str {
        words(self.view.language).text(key)
    }
}

/// Data as JSON that may stand inside a `script` element: `<` is never written as itself, so nothing in it can end the
/// element or open a comment.
pub fn json_for_script(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}
