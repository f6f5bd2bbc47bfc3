//! How the shop is started: flags, or the environment variables that the project's scripts set.

use std::path::PathBuf;

use serde::Deserialize;

use crate::admission::{Admission, PassKey};

/// What can be said on the command line.
pub const USAGE: &str = "\
anteroom-demo-shop [--port N] [--bank-port N] [--bank-url URL] [--public-url URL] [--database FILE]
                   [--pass-keys KEYS] [--test-endpoints]
  --port N          listens on 127.0.0.1:N (SHOP_LISTEN; 0 or nothing: a free port)
  --bank-port N     the pretend bank listens on localhost:N (SHOP_BANK_LISTEN; 0 or nothing: a free port)
  --bank-url URL    how browsers reach the bank; default http://localhost:<bank port>
  --public-url URL  the waiting room's address, for visitors without a pass (SHOP_ROOM_URL)
  --database FILE   where orders and seats are kept (SHOP_STATE/shop.sqlite; nothing: in memory)
  --pass-keys KEYS  JSON array of JWKs with kid, k or x, issuer and audience (PASS_KEYS), for any event;
                    SHOP_EVENTS instead names the events: [{\"id\",\"title\",\"paths\",\"keys\":[JWK]}]; an event
                    without paths is at /events/<event>/
  --test-endpoints  also serves echo, socket, redirect and the like under an event's path (SHOP_TEST_ENDPOINTS=1)";

/// An event that the shop sells for.
#[derive(Debug, Clone, Deserialize)]
pub struct SoldEvent {
    /// Its id, as in its passes.
    pub id: String,
    /// What visitors read.
    #[serde(default)]
    pub title: Option<String>,
    /// The paths that the waiting room protects for it: `/shop`, `/shop/*`.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The keys of its passes.
    pub keys: Vec<PassKey>,
}

/// How the shop runs.
#[derive(Debug, Default)]
pub struct Settings {
    /// Where the shop listens.
    pub listen: String,
    /// Where the bank listens.
    pub bank_listen: String,
    /// How browsers reach the bank; none: where it listens, as localhost.
    pub bank_url: Option<String>,
    /// The waiting room's address without a trailing slash.
    pub public_url: Option<String>,
    /// The store; none: in memory.
    pub database: Option<PathBuf>,
    /// Keys for any event.
    pub pass_keys: Vec<PassKey>,
    /// Events with their own keys.
    pub events: Vec<SoldEvent>,
    /// Whether the endpoints for tests are served.
    pub test_endpoints: bool,
}

impl Settings {
    /// Reads flags, then what is missing from the environment. The error is a sentence for the terminal.
    pub fn read(
        arguments: impl IntoIterator<Item = String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let mut settings = Settings::from_environment(environment)?;
        let mut arguments = arguments.into_iter();
        while let Some(flag) = arguments.next() {
            if flag == "--test-endpoints" {
                settings.test_endpoints = true;
                continue;
            }
            let value = arguments
                .next()
                .ok_or_else(|| format!("{flag} needs a value\n{USAGE}"))?;
            match flag.as_str() {
                "--port" => settings.listen = loopback(&flag, &value)?,
                "--bank-port" => settings.bank_listen = loopback(&flag, &value)?,
                "--bank-url" => settings.bank_url = Some(address(&flag, &value)?),
                "--public-url" => settings.public_url = Some(address(&flag, &value)?),
                "--database" => settings.database = Some(value.into()),
                "--pass-keys" => settings.pass_keys = json(&flag, &value)?,
                _ => return Err(format!("unknown flag {flag}\n{USAGE}")),
            }
        }
        if settings.pass_keys.is_empty() && settings.events.is_empty() {
            return Err(format!("no pass keys: nobody could ever come in\n{USAGE}"));
        }
        Ok(settings)
    }

    fn from_environment(environment: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let free_port = || "127.0.0.1:0".to_owned();
        Ok(Settings {
            listen: environment("SHOP_LISTEN").unwrap_or_else(free_port),
            bank_listen: environment("SHOP_BANK_LISTEN").unwrap_or_else(free_port),
            bank_url: environment("SHOP_BANK_URL")
                .map(|url| address("SHOP_BANK_URL", &url))
                .transpose()?,
            public_url: environment("SHOP_ROOM_URL")
                .map(|url| address("SHOP_ROOM_URL", &url))
                .transpose()?,
            database: environment("SHOP_STATE")
                .map(|folder| PathBuf::from(folder).join("shop.sqlite")),
            pass_keys: environment("PASS_KEYS")
                .map_or(Ok(Vec::new()), |text| json("PASS_KEYS", &text))?,
            events: environment("SHOP_EVENTS")
                .map_or(Ok(Vec::new()), |text| json("SHOP_EVENTS", &text))?,
            test_endpoints: environment("SHOP_TEST_ENDPOINTS").is_some_and(|value| value == "1"),
        })
    }

    /// The door that these settings describe.
    pub fn admission(&self) -> Result<Admission, String> {
        let mut admission = Admission::default();
        let of_events = self
            .events
            .iter()
            .flat_map(|event| event.keys.iter().map(|key| (Some(event.id.as_str()), key)));
        for (event, key) in self
            .pass_keys
            .iter()
            .map(|key| (None, key))
            .chain(of_events)
        {
            admission
                .admit(event, key)
                .map_err(|error| format!("pass key {:?}: {error}", key.kid))?;
        }
        Ok(admission)
    }
}

fn loopback(flag: &str, port: &str) -> Result<String, String> {
    let port: u16 = port
        .parse()
        .map_err(|_| format!("{flag} is {port:?}, allowed is 0 to 65535"))?;
    Ok(format!("127.0.0.1:{port}"))
}

fn address(flag: &str, url: &str) -> Result<String, String> {
    let url = url.trim_end_matches('/');
    let host = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    match host {
        Some(host) if crate::public_address::is_host(host) => Ok(url.to_owned()),
        _ => Err(format!(
            "{flag} is {url:?}, allowed is http(s)://host[:port]"
        )),
    }
}

fn json<'a, T: Deserialize<'a>>(flag: &str, text: &'a str) -> Result<T, String> {
    // The text holds keys: the message says where it is wrong, not what stands there.
    serde_json::from_str(text).map_err(|error| {
        format!(
            "{flag} is not the JSON it should be: line {}, column {}",
            error.line(),
            error.column()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = r#"{"kty":"oct","k":"HdQKlzRqFmLlmT0kPIXNufkMYf0ZyipOrqqNZoVIOtg","kid":"k1.a","alg":"HS256","issuer":"live","audience":"a.example"}"#;

    fn read(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Settings, String> {
        let of = |name: &str| {
            environment
                .iter()
                .find(|pair| pair.0 == name)
                .map(|pair| pair.1.to_owned())
        };
        Settings::read(arguments.iter().map(|text| (*text).to_owned()), of)
    }

    #[test]
    fn flags_go_before_the_environment() {
        let keys = format!("[{KEY}]");
        let settings = read(
            &[
                "--port",
                "8000",
                "--public-url",
                "http://localhost:8787/",
                "--test-endpoints",
            ],
            &[
                ("SHOP_LISTEN", "127.0.0.1:1"),
                ("SHOP_STATE", "state"),
                ("PASS_KEYS", &keys),
            ],
        )
        .unwrap();
        assert_eq!(settings.listen, "127.0.0.1:8000");
        assert_eq!(
            settings.public_url.as_deref(),
            Some("http://localhost:8787")
        );
        assert_eq!(settings.database, Some(PathBuf::from("state/shop.sqlite")));
        assert!(settings.test_endpoints && settings.admission().is_ok());
    }

    #[test]
    fn what_is_wrong_is_named_and_no_key_is_shown() {
        let keys = format!("[{KEY}]");
        let weak = keys.replace("HdQKlzRqFmLlmT0kPIXNufkMYf0ZyipOrqqNZoVIOtg", "AAAA");
        for (arguments, environment, expected) in [
            (
                &["--port", "70000"][..],
                &[("PASS_KEYS", keys.as_str())][..],
                "--port is \"70000\"",
            ),
            (
                &["--public-url", "javascript:alert(1)"],
                &[("PASS_KEYS", keys.as_str())],
                "--public-url is",
            ),
            (
                &["--port"],
                &[("PASS_KEYS", keys.as_str())],
                "--port needs a value",
            ),
            (
                &["--colour", "red"],
                &[("PASS_KEYS", keys.as_str())],
                "unknown flag --colour",
            ),
            (&[], &[], "no pass keys"),
            (
                &[],
                &[("PASS_KEYS", "[{\"kid\":\"secretish\"}]")],
                "PASS_KEYS is not the JSON it should be",
            ),
        ] {
            let problem = read(arguments, environment).unwrap_err();
            assert!(problem.starts_with(expected), "{problem}");
            assert!(!problem.contains("HdQK") && !problem.contains("secretish"));
        }
        let problem = read(&[], &[("PASS_KEYS", &weak)])
            .unwrap()
            .admission()
            .err()
            .expect("a short key");
        assert!(
            problem.contains("k1.a") && problem.contains("must have 32"),
            "{problem}"
        );
    }
}
