//! The command line.

use std::path::PathBuf;

use anteroom_queue::draw::{beacon::QUICKNET, hex};
use pico_args::Arguments as Words;
use verify_draw::beacon::BeaconChain;

/// How the program is called.
pub const USAGE: &str = "usage:
  verify-draw --url URL --event EVENT [--ticket TICKET] [--log FILE] [--line ID]
      asks a room: URL is https://HOST; without --event it is https://HOST/_wr/queues/EVENT
  verify-draw --draw FILE [--ticket TICKET] [--log FILE] [--line ID]
      offline: FILE is what https://HOST/_wr/queues/EVENT/draw answered as JSON
options:
  --log FILE             the event log, which the organizer exports and publishes
  --line ID              only this line
  --prefix PATH          with --event: where the room's own addresses begin (/_wr if left out)
  --ticket TICKET        the ticket's text, or @FILE to read it from there
  --beacon-key HEX       public key of another beacon than drand's quicknet
  --beacon-chain HEX     that beacon's name
  --beacon-genesis S     when its first round was, Unix seconds (quicknet's if left out)
  --beacon-period S      seconds between its rounds (quicknet's if left out)
exit code: 0 everything that could be checked holds (the last line says it if the draw had no beacon, so that the
operator could have influenced it), 1 something does not, 2 nothing could be checked";

/// Where a room's own addresses begin, unless its configuration says otherwise.
const USUAL_PREFIX: &str = "/_wr";

/// Where the draw comes from.
#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    /// A room's address for the event.
    Url(String),
    /// A saved file.
    File(PathBuf),
}

/// What was asked for.
#[derive(Debug)]
pub struct Arguments {
    /// Where the draw comes from.
    pub source: Source,
    /// The ticket, or `@` and the file that has it.
    pub ticket: Option<String>,
    /// The file of the event log.
    pub log: Option<PathBuf>,
    /// Only this line.
    pub line: Option<String>,
    /// The beacon whose rounds count.
    pub beacon: BeaconChain,
}

impl Arguments {
    /// Reads the words behind the program's name; none: help was asked for.
    pub fn parse(words: Vec<std::ffi::OsString>) -> Result<Option<Self>, String> {
        let mut words = Words::from_vec(words);
        if words.contains(["-h", "--help"]) {
            return Ok(None);
        }
        let url: Option<String> = optional(&mut words, "--url")?;
        let file: Option<PathBuf> = optional(&mut words, "--draw")?;
        let source = match (url, file) {
            (Some(url), None) => Source::Url(queue_at(&url, &mut words)?),
            (None, Some(file)) => Source::File(file),
            _ => return Err("one of --url and --draw is needed".to_owned()),
        };
        let arguments = Self {
            source,
            ticket: optional(&mut words, "--ticket")?,
            log: optional(&mut words, "--log")?,
            line: optional(&mut words, "--line")?,
            beacon: beacon(&mut words)?,
        };
        match words.finish()[..] {
            [] => Ok(Some(arguments)),
            [ref word, ..] => Err(format!("{} is not known", word.display())),
        }
    }
}

/// The address of the event's queue, from the plain one of its host or already whole.
fn queue_at(url: &str, words: &mut Words) -> Result<String, String> {
    let event: Option<String> = optional(words, "--event")?;
    let prefix: Option<String> = optional(words, "--prefix")?;
    let url = url.trim_end_matches('/');
    let is_whole = url.contains("/queues/");
    match event {
        None if is_whole => Ok(url.to_owned()),
        None => Err(format!(
            "--url: {url} names no event: add --event EVENT, or say https://HOST{USUAL_PREFIX}/queues/EVENT"
        )),
        Some(event) if is_whole && url.ends_with(&format!("/queues/{event}")) => Ok(url.to_owned()),
        Some(event) if is_whole => Err(format!("--url: {url} names another event than {event}")),
        Some(event) => {
            let prefix = prefix.as_deref().unwrap_or(USUAL_PREFIX);
            Ok(format!("{url}{prefix}/queues/{event}"))
        }
    }
}

fn optional<T: std::str::FromStr>(
    words: &mut Words,
    name: &'static str,
) -> Result<Option<T>, String>
where
    T::Err: std::fmt::Display,
{
    words
        .opt_value_from_str(name)
        .map_err(|error| format!("{name}: {error}"))
}

fn beacon(words: &mut Words) -> Result<BeaconChain, String> {
    let key: Option<String> = optional(words, "--beacon-key")?;
    let name: Option<String> = optional(words, "--beacon-chain")?;
    let genesis: Option<u64> = optional(words, "--beacon-genesis")?;
    let period: Option<u64> = optional(words, "--beacon-period")?;
    let Some(key) = key else {
        return if name.is_none() && genesis.is_none() && period.is_none() {
            Ok(BeaconChain::quicknet())
        } else {
            Err("--beacon-chain, --beacon-genesis and --beacon-period need --beacon-key".to_owned())
        };
    };
    let name = name
        .map(|name| {
            hex::hash(&name).ok_or("--beacon-chain: 64 lower-case hexadecimal digits are wanted")
        })
        .transpose()?;
    BeaconChain::other(
        &key,
        genesis.unwrap_or(QUICKNET.genesis.0 / 1_000),
        period.unwrap_or(QUICKNET.period.0 / 1_000),
        name,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Arguments>, String> {
        Arguments::parse(line.split_whitespace().map(Into::into).collect())
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for line in [
            "",
            "--url https://a.example/_wr/queues/e --draw file",
            "--draw",
            "--draw file --unknown",
            "--draw file other",
            "--draw file --beacon-period 3",
            "--draw file --beacon-key 00",
            "--draw file --beacon-genesis later",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
        assert!(parsed("--help").expect("help is no mistake").is_none());
    }

    #[test]
    fn a_room_is_found_by_its_host_and_event_or_by_the_whole_address() {
        let whole = "https://a.example/_wr/queues/tour";
        for (line, address) in [
            ("--url https://a.example --event tour", whole),
            ("--url https://a.example/ --event tour", whole),
            (
                "--url https://a.example/_wr/queues/tour/ --event tour",
                whole,
            ),
            ("--url https://a.example/_wr/queues/tour", whole),
            (
                "--url https://a.example --event tour --prefix /line",
                "https://a.example/line/queues/tour",
            ),
        ] {
            let arguments = parsed(line).expect(line).expect("not help");
            assert_eq!(arguments.source, Source::Url(address.to_owned()), "{line}");
        }
        let missing = parsed("--url https://a.example").unwrap_err();
        assert!(missing.contains("add --event EVENT"), "{missing}");
        let other = parsed("--url https://a.example/_wr/queues/gig --event tour").unwrap_err();
        assert!(other.contains("another event than tour"), "{other}");
    }

    #[test]
    fn without_another_beacon_it_is_quicknet() {
        let arguments = parsed("--url https://a.example/_wr/queues/e/ --line fans");
        let arguments = arguments.expect("understood").expect("not help");
        assert_eq!(arguments.beacon, BeaconChain::quicknet());
        assert_eq!(
            arguments.source,
            Source::Url("https://a.example/_wr/queues/e".to_owned())
        );
        assert_eq!(arguments.line.as_deref(), Some("fans"));
    }
}
