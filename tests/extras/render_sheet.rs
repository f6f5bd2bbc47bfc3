//! Writes the small pages for their tests: on each line of the standard input a JSON object with a `view` and either
//! nothing more (the staff page), a `browser` (the hand-over page) or a `document` (the page of the draw); one page as a
//! JSON string on each line of the standard output.

use std::io::{BufRead, Write, stdin, stdout};

use anteroom::sheets::{SheetView, draw, handover, staff};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    view: SheetView,
    browser: Option<String>,
    document: Option<draw::DrawDocument>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in stdin().lock().lines() {
        let Asked {
            view,
            browser,
            document,
        } = serde_json::from_str(&line?)?;
        let page = match (&browser, &document) {
            (_, Some(document)) => draw::render(&view, document),
            (Some(browser), None) => handover::render(&view, browser),
            (None, None) => staff::render(&view),
        };
        writeln!(stdout(), "{}", serde_json::to_string(&page)?)?;
        stdout().flush()?;
    }
    Ok(())
}
