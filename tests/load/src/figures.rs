//! What the programs that measure do alike: one line of figures, or why there is none.

use std::ffi::OsString;
use std::process::ExitCode;

/// Prints what `measured` gives for this program's arguments, or `usage` when help is asked for; exit code 2 when nothing
/// could be run.
pub fn print_figures(
    usage: &str,
    measured: impl FnOnce(Vec<OsString>) -> Result<String, String>,
) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments
        .iter()
        .any(|word| word == "--help" || word == "-h")
    {
        println!("{usage}");
        return ExitCode::SUCCESS;
    }
    match measured(arguments) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}
