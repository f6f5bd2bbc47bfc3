//! The page on which the organizer's people let themselves in before the sale. Opening it spends nothing: the pass that
//! came in the address is put into the field by the script, which first takes it out of the address; the button sends it.

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
    include_str!("../../static/sheets/staff.js"),
    "})();"
);

#[derive(Template)]
#[template(path = "staff.html")]
struct StaffPage<'a> {
    frame: Frame<'a>,
    /// What went wrong with the pass that was sent without script.
    problem: Option<&'static str>,
    data: String,
    js: &'static str,
}

/// The page.
pub fn render(view: &SheetView) -> String {
    let data = json!({
        "front": view.front,
        "words": words(view.language).beginning("staff."),
    });
    let page = StaffPage {
        frame: Frame::of(view, "staff"),
        problem: view.refusal(reason),
        data: json_for_script(&data),
        js: JS,
    };
    page.render().expect("writing into a string does not fail")
}

/// What a kind of problem means for somebody who holds a staff pass.
fn reason(kind: &str) -> &'static str {
    match kind {
        "unauthorized" => "staff.refused",
        _ => "staff.failed",
    }
}
