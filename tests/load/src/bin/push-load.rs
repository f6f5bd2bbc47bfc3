//! `push-load`: sockets at one shard, joins beside them, and changes of the board. The figures as one line of JSON; exit code
//! 2 when nothing could be run.

use std::ffi::OsString;
use std::process::ExitCode;

use anteroom_load::address::is_loopback;
use anteroom_load::figures::print_figures;
use anteroom_load::push::{Options, run};

const USAGE: &str =
    "push-load --url http://HOST:PORT --event EVENT --sockets N --joins-per-second N --changes N
The operator's token is in OPERATOR_TOKEN. The room is on this machine.";

fn main() -> ExitCode {
    print_figures(USAGE, measured)
}

fn measured(arguments: Vec<OsString>) -> Result<String, String> {
    let mut arguments = pico_args::Arguments::from_vec(arguments);
    let wrong = |error: pico_args::Error| format!("{error}\n{USAGE}");
    let url: String = arguments.value_from_str("--url").map_err(wrong)?;
    let authority = url.strip_prefix("http://").unwrap_or_default().to_owned();
    if !is_loopback(&authority) {
        return Err(format!(
            "--url: found {url}, allowed: http://HOST:PORT on this machine"
        ));
    }
    let options = Options {
        authority,
        event: arguments.value_from_str("--event").map_err(wrong)?,
        sockets: arguments.value_from_str("--sockets").map_err(wrong)?,
        joins_per_second: arguments
            .value_from_str("--joins-per-second")
            .map_err(wrong)?,
        changes: arguments.value_from_str("--changes").map_err(wrong)?,
        operator: std::env::var("OPERATOR_TOKEN")
            .map_err(|error| format!("OPERATOR_TOKEN: {error}"))?,
    };
    if let Some(unknown) = arguments.finish().first() {
        return Err(format!(
            "{}: no such option\n{USAGE}",
            unknown.to_string_lossy()
        ));
    }
    serde_json::to_string(&run(&options)?).map_err(|error| error.to_string())
}
