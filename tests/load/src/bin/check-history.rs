//! `check-history FILE...`: holds what was seen of a run against the promises. It took no part in
//! the run and asks nobody. Exit code 1 when a promise was broken or somebody did not get through,
//! 2 when a file cannot be read.

use std::io::BufReader;
use std::process::ExitCode;

use anteroom_load::history::History;
use anteroom_load::lines;
use anteroom_load::verdict::Verdict;

const USAGE: &str = "check-history [--json] FILE...
  FILE    lines of JSON: what `npm run load -- --history FILE` and `npm run faults` write
  --json  the figures as JSON on standard output, the words on standard error";

fn main() -> ExitCode {
    let (options, files): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|word| word.starts_with("--"));
    if files.is_empty() || options.iter().any(|option| option != "--json") {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    match read(&files) {
        Ok(history) => {
            let verdict = Verdict::of(history);
            if options.is_empty() {
                println!("{}", verdict.text());
            } else {
                eprintln!("{}", verdict.text());
                println!("{}", serde_json::json!(verdict));
            }
            ExitCode::from(u8::from(!verdict.passed()))
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn read(files: &[String]) -> Result<History, String> {
    let mut history = History::default();
    for name in files {
        let file = std::fs::File::open(name).map_err(|error| format!("{name}: {error}"))?;
        lines::read(name, BufReader::new(file), &mut history)?;
    }
    Ok(history)
}
