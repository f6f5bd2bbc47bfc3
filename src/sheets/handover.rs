//! The page on which a place is taken over from another browser. Opening it spends nothing: a code that came in the
//! address is put into the field by the script, which first takes it out of the address; the button sends it.

use askama::Template;
use serde_json::json;

use super::SheetView;
use super::frame::{Frame, json_for_script};
use super::words::words;

const JS: &str = concat!(
    "(()=>{\"use strict\";\n",
    include_str!("../../static/sheets/fragment.js"),
    include_str!("../../static/js/poll.js"),
    include_str!("../../static/sheets/form.js"),
    include_str!("../../static/sheets/handover.js"),
    "})();"
);

#[derive(Template)]
#[template(path = "handover.html")]
struct HandoverPage<'a> {
    frame: Frame<'a>,
    /// What went wrong with the code that was sent without script.
    problem: Option<&'static str>,
    /// The id that this browser keeps for all its tabs.
    browser: &'a str,
    data: String,
    js: &'static str,
}

/// The page. `browser`: the claim id of the browser that asks, as its cookie has it.
pub fn render(view: &SheetView, browser: &str) -> String {
    let data = json!({
        "front": view.front,
        "words": words(view.language).beginning("handover."),
    });
    let page = HandoverPage {
        frame: Frame::of(view, "handover"),
        problem: view.refusal(reason),
        browser,
        data: json_for_script(&data),
        js: JS,
    };
    page.render().expect("writing into a string does not fail")
}

/// What a kind of problem means for somebody who holds a code in the hand.
fn reason(kind: &str) -> &'static str {
    match kind {
        "handover-taken" => "handover.taken",
        "left" | "lapsed" | "ended" => "handover.over",
        "handover-unknown" | "field" => "handover.unknown",
        "too-many-guesses" => "handover.many",
        _ => "handover.failed",
    }
}
