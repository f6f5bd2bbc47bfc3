//! Writes the small pages for their tests: on each line of the standard input a JSON object with a `view` and either
//! nothing more (the staff page), a `browser` (the hand-over page), a `document` (the page of the draw), an `offered` or a
//! `kind` of problem (the page with a code, or without one); one page as a JSON string on each line of the standard output.

use std::io::{BufRead, Write, stdin, stdout};

use anteroom::sheets::{SheetView, draw, handover, offer, staff};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    view: SheetView,
    browser: Option<String>,
    document: Option<draw::DrawDocument>,
    offered: Option<offer::Offered>,
    kind: Option<String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in stdin().lock().lines() {
        let Asked {
            view,
            browser,
            document,
            offered,
            kind,
        } = serde_json::from_str(&line?)?;
        let page = if let Some(document) = &document {
            draw::render(&view, document)
        } else if let Some(browser) = &browser {
            handover::render(&view, browser)
        } else if let Some(offered) = &offered {
            offer::render(&view, Ok(offered), &view.front)
        } else if let Some(kind) = &kind {
            offer::render(&view, Err(kind), &view.front)
        } else {
            staff::render(&view)
        };
        writeln!(stdout(), "{}", serde_json::to_string(&page)?)?;
        stdout().flush()?;
    }
    Ok(())
}
