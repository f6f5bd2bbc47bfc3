//! `npm run load -- --url URL --event EVENT --visitors N --arrivals-per-second R`: exit code 1 when
//! a promise was broken, a place was lost or a visitor did not get through, 2 when it could not run.

use std::process::ExitCode;

use anteroom_load::options::{Options, USAGE};
use anteroom_load::{report, run};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let done = Options::parse(arguments).and_then(|options| {
        let outcome = run::run(&options)?;
        report::print(&outcome);
        if let Some(file) = &options.json {
            let text = serde_json::to_string_pretty(&outcome.figures)
                .map_err(|error| error.to_string())?;
            std::fs::write(file, text + "\n")
                .map_err(|error| format!("--json {}: {error}", file.display()))?;
        }
        Ok(outcome.passed())
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}
