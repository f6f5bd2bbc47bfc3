//! What the command line says.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::address::{Address, is_loopback};

/// The text of `--help`.
pub const USAGE: &str = include_str!("usage.txt");

/// Where more is said about how the program is called.
const MORE: &str = "npm run load -- --help says what there is";

/// The most visitors of one run: their histories fit in 2 GB.
const MOST_VISITORS: u64 = 1_000_000;

/// The most arrivals a second: what one thread could start.
const MOST_ARRIVALS_PER_SECOND: u64 = 100_000;

/// The most connections: below the ports that one machine has for one address.
const MOST_CONNECTIONS: u64 = 20_000;

/// The longest of the times that can be set, in seconds.
const MOST_SECONDS: u64 = 24 * 60 * 60;

/// The command line, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where the room answers.
    pub address: Address,
    /// The certificates that are trusted, if not those of this machine.
    pub trust: Option<PathBuf>,
    /// The protected page that visitors open.
    pub page: String,
    /// Where the room's own addresses begin.
    pub prefix: String,
    /// The event's id.
    pub event: String,
    /// How many visitors arrive.
    pub visitors: u64,
    /// How many of them each second.
    pub arrivals_per_second: u64,
    /// Where to write the figures.
    pub json: Option<PathBuf>,
    /// Where to write what was seen.
    pub history: Option<PathBuf>,
    /// Only join.
    pub joins_only: bool,
    /// Nobody else uses the event.
    pub alone: bool,
    /// The limit on admissions a minute, if it is not read from the board.
    pub per_minute: Option<u64>,
    /// The limit on sessions at the same time, if it is not read from the board.
    pub max_active: Option<u64>,
    /// How long a visitor shops, if it is not random.
    pub session: Option<Duration>,
    /// How long a session surely counts after its last request.
    pub idle: Duration,
    /// How long after the last arrival visitors are waited for.
    pub deadline: Duration,
    /// Connections at the same time.
    pub connections: usize,
    /// Which visitors.
    pub seed: u64,
}

impl Options {
    /// Reads the command line; the error names the option, what it was and what is allowed.
    pub fn parse(arguments: Vec<OsString>) -> Result<Self, String> {
        let mut arguments = pico_args::Arguments::from_vec(arguments);
        let url = required_text(
            &mut arguments,
            "--url",
            "an address such as http://127.0.0.1:8787",
        )?;
        let event = required_text(&mut arguments, "--event", "an event's id such as demo")?;
        let allow_remote = arguments.contains("--allow-remote");
        let (address, page) = split_url(&url, &event)?;
        let trust = text(&mut arguments, "--trust")?.map(PathBuf::from);
        if trust.is_some() && !address.is_tls {
            return Err(format!(
                "--trust: found with {url}, allowed: with an https address"
            ));
        }
        if !allow_remote && !is_loopback(&address.to_connect()) {
            return Err(format!(
                "--url: found {url}, allowed: an address on this machine, or any with --allow-remote"
            ));
        }
        let seconds = |found: Option<u64>| found.map(Duration::from_secs);
        let options = Self {
            address,
            trust,
            page,
            prefix: text(&mut arguments, "--prefix")?.unwrap_or("/_wr".to_owned()),
            event,
            visitors: required(&mut arguments, "--visitors", MOST_VISITORS)?,
            arrivals_per_second: required(
                &mut arguments,
                "--arrivals-per-second",
                MOST_ARRIVALS_PER_SECOND,
            )?,
            json: text(&mut arguments, "--json")?.map(PathBuf::from),
            history: text(&mut arguments, "--history")?.map(PathBuf::from),
            joins_only: arguments.contains("--joins-only"),
            alone: arguments.contains("--alone"),
            per_minute: number(&mut arguments, "--per-minute", 1, u64::from(u32::MAX))?,
            max_active: number(&mut arguments, "--max-active", 1, u64::from(u32::MAX))?,
            session: seconds(number(
                &mut arguments,
                "--session-seconds",
                0,
                MOST_SECONDS,
            )?),
            idle: Duration::from_secs(
                number(&mut arguments, "--idle-seconds", 1, MOST_SECONDS)?.unwrap_or(60),
            ),
            deadline: Duration::from_secs(
                number(&mut arguments, "--deadline-seconds", 1, MOST_SECONDS)?.unwrap_or(600),
            ),
            connections: number(&mut arguments, "--connections", 1, MOST_CONNECTIONS)?
                .unwrap_or(512) as usize,
            seed: number(&mut arguments, "--seed", 0, u64::MAX)?.unwrap_or(1),
        };
        match arguments.finish().first() {
            Some(unknown) => Err(format!(
                "{}: no such option; {MORE}",
                unknown.to_string_lossy()
            )),
            None => Ok(options),
        }
    }
}

fn text(
    arguments: &mut pico_args::Arguments,
    name: &'static str,
) -> Result<Option<String>, String> {
    arguments
        .opt_value_from_str(name)
        .map_err(|error| format!("{name}: {error}"))
}

fn required_text(
    arguments: &mut pico_args::Arguments,
    name: &'static str,
    allowed: &str,
) -> Result<String, String> {
    text(arguments, name)?
        .ok_or_else(|| format!("{name}: found nothing, allowed: {allowed}; {MORE}"))
}

fn number(
    arguments: &mut pico_args::Arguments,
    name: &'static str,
    least: u64,
    most: u64,
) -> Result<Option<u64>, String> {
    let Some(found) = text(arguments, name)? else {
        return Ok(None);
    };
    let number = found
        .parse()
        .ok()
        .filter(|number| (least..=most).contains(number));
    number
        .map(Some)
        .ok_or_else(|| format!("{name}: found {found}, allowed: {least} to {most}"))
}

fn required(
    arguments: &mut pico_args::Arguments,
    name: &'static str,
    most: u64,
) -> Result<u64, String> {
    number(arguments, name, 1, most)?
        .ok_or_else(|| format!("{name}: found nothing, allowed: 1 to {most}; {MORE}"))
}

/// Where the room answers, and the page that visitors open.
fn split_url(url: &str, event: &str) -> Result<(Address, String), String> {
    let (address, path) = Address::split(url).ok_or_else(|| {
        format!("--url: found {url}, allowed: http://HOST[:PORT][/PAGE], or https")
    })?;
    let page = match path.as_str() {
        "" | "/" => format!("/events/{event}"),
        page => page.to_owned(),
    };
    Ok((address, page))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str =
        "--url http://127.0.0.1:8787 --event demo --visitors 5000 --arrivals-per-second 200";

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn the_shortest_line_gets_the_defaults() {
        let options = parse(FULL).unwrap();
        assert_eq!(
            (options.address.origin().as_str(), options.page.as_str()),
            ("http://127.0.0.1:8787", "/events/demo")
        );
        assert_eq!(
            (
                options.visitors,
                options.arrivals_per_second,
                options.connections
            ),
            (5000, 200, 512)
        );
        assert!(!options.joins_only && options.json.is_none() && options.max_active.is_none());
    }

    #[test]
    fn the_page_is_the_urls_path_if_it_has_one() {
        let line = FULL.replace(":8787", ":8787/events/demo/seats?row=1");
        assert_eq!(parse(&line).unwrap().page, "/events/demo/seats?row=1");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, name) in [
            (FULL.replace("127.0.0.1:8787", "example.com"), "--url"),
            (FULL.replace("http:", "ftp:"), "--url"),
            (format!("{FULL} --trust room.pem"), "--trust"),
            (FULL.replace("5000", "0"), "--visitors"),
            (FULL.replace("200", "many"), "--arrivals-per-second"),
            (FULL.replace("--event demo", ""), "--event"),
            (format!("{FULL} --fast"), "--fast"),
            (format!("{FULL} --connections 0"), "--connections"),
            (format!("{FULL} --max-active -1"), "--max-active"),
        ] {
            let problem = parse(&line).unwrap_err();
            assert!(problem.starts_with(name), "{line}: {problem}");
        }
        assert!(
            parse(&format!(
                "{} --allow-remote",
                FULL.replace("127.0.0.1:8787", "example.com")
            ))
            .is_ok()
        );
    }
}
