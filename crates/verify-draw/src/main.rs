//! Checks a draw from the command line and says in plain words what holds.

mod arguments;
mod room;

use std::fs;
use std::process::ExitCode;

use arguments::{Arguments, Source, USAGE};
use room::Room;
use verify_draw::{Evidence, Findings, Verdict, check};

/// Something does not hold.
const FAILS: u8 = 1;
/// Nothing could be checked: mistaken arguments, a file that is not there, a room that does not answer.
const NOTHING_CHECKED: u8 = 2;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args_os().skip(1).collect()) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("{USAGE}\n\n{why}");
            return ExitCode::from(NOTHING_CHECKED);
        }
    };
    match findings(&arguments) {
        Ok(findings) => {
            println!("{findings}");
            let code = match (
                findings.count(Verdict::Fails),
                findings.count(Verdict::Holds),
            ) {
                (0, 0) => NOTHING_CHECKED,
                (0, _) => 0,
                _ => FAILS,
            };
            ExitCode::from(code)
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(NOTHING_CHECKED)
        }
    }
}

fn findings(arguments: &Arguments) -> Result<Findings, String> {
    let read = |path: &std::path::Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let ticket = match arguments
        .ticket
        .as_deref()
        .map(|text| (text, text.strip_prefix('@')))
    {
        None => None,
        Some((_, Some(path))) => Some(read(path.as_ref())?.trim().to_owned()),
        Some((text, None)) => Some(text.to_owned()),
    };
    let log = arguments.log.as_deref().map(read).transpose()?;
    let (room, draw) = match &arguments.source {
        Source::File(path) => (None, read(path)?),
        Source::Url(url) => {
            let room = Room::at(url)?;
            let draw = room.draw()?;
            (Some(room), draw)
        }
    };
    let mut findings = check(&Evidence {
        draw: &draw,
        log: log.as_deref(),
        ticket: ticket.as_deref(),
        line: arguments.line.as_deref(),
        beacon: &arguments.beacon,
    });
    if let (Some(room), Some(ticket)) = (room, ticket) {
        room.check_ticket(&ticket, &mut findings);
    }
    Ok(findings)
}
