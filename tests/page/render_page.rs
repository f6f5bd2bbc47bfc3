//! Writes queue pages for the page tests: one view as JSON on each line of the standard input, one
//! page as a JSON string on each line of the standard output.

use std::io::{BufRead, Write, stdin, stdout};

use anteroom::page::view::PageView;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in stdin().lock().lines() {
        let view: PageView = serde_json::from_str(&line?)?;
        let page = anteroom::page::render(&view);
        writeln!(stdout(), "{}", serde_json::to_string(&page)?)?;
        stdout().flush()?;
    }
    Ok(())
}
