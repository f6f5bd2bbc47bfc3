//! Where the third party is and with which secret it is asked: the same for all events, or one of the event's own.

use anteroom_config::{Event, challenge, host, variable_name};
use serde_json::Value;

/// What the names of these variables and secrets begin with.
pub const VARIABLES: &str = "TURNSTILE_";
/// The secret of all widgets; with an underscore and the event's name behind it, that of one.
const SECRET: &str = "TURNSTILE_SECRET";
/// The variable with the address of a stand-in for the third party, on this machine.
const STAND_IN: &str = "TURNSTILE_SERVICE";
/// The third party.
const ADDRESS: &str = "https://challenges.cloudflare.com";
/// The longest secret: four times what they are today.
const MAX_SECRET_BYTES: usize = 140;

/// The third party, as one event asks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThirdParty {
    base: String,
    pub(super) secret: String,
    /// The secret is one of those that are published for tests.
    pub(super) for_tests: bool,
    /// The event is for visitors from elsewhere.
    pub(super) in_production: bool,
}

impl ThirdParty {
    /// Scheme and authority: whom the page's policy has to let in.
    pub fn origin(&self) -> &str {
        &self.base
    }

    /// The address of the widget's script.
    pub fn script(&self) -> String {
        format!("{}/turnstile/v0/api.js?render=explicit", self.base)
    }

    /// The address that is asked about a token.
    pub fn verify(&self) -> String {
        format!("{}/turnstile/v0/siteverify", self.base)
    }
}

/// The third party for each of these events that use it. A secret is named in the reasons and never shown.
pub fn of_events(
    events: &[Event],
    variables: &[(String, Value)],
    reasons: &mut Vec<String>,
) -> Vec<Option<ThirdParty>> {
    let mut read = |event: &Event| {
        event.turnstile.as_ref()?;
        of_event(event, variables)
            .map_err(|reason| {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            })
            .ok()
    };
    events.iter().map(&mut read).collect()
}

fn of_event(event: &Event, variables: &[(String, Value)]) -> Result<ThirdParty, String> {
    let value = |name: &str| {
        let found = variables.iter().find(|(present, _)| present == name);
        found.map(|(_, value)| value.as_str().unwrap_or_default())
    };
    let in_production = !event.is_loopback_only();
    let own = own_secret(&event.id);
    let (name, secret) = match (value(&own), value(SECRET)) {
        (Some(secret), _) => (own.as_str(), secret),
        (None, Some(secret)) => (SECRET, secret),
        (None, None) => {
            return Err(format!(
                "{SECRET}: found nothing, allowed: the secret key of the widgets, or {own} for {} alone",
                event.id
            ));
        }
    };
    let fits = (1..=MAX_SECRET_BYTES).contains(&secret.len());
    if !fits || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!(
            "{name}: found {} bytes, allowed: the widget's secret key, 1 to {MAX_SECRET_BYTES} bytes of plain ASCII",
            secret.len()
        ));
    }
    let for_tests = challenge::is_dummy_key(secret);
    if for_tests && in_production {
        return Err(format!(
            "{name}: is a secret for tests, allowed with the hosts of {}: the secret key of a widget of your own",
            event.id
        ));
    }
    let base = match value(STAND_IN) {
        None => ADDRESS.to_owned(),
        Some(address) if !in_production && is_on_loopback(address) => address.to_owned(),
        Some(_) => {
            return Err(format!(
                "{STAND_IN}: allowed: \"http://127.0.0.1:<port>\", where every event that uses it has loopback hosts only"
            ));
        }
    };
    Ok(ThirdParty {
        base,
        secret: secret.to_owned(),
        for_tests,
        in_production,
    })
}

/// The secret of one event alone.
fn own_secret(id: &str) -> String {
    let variable = variable_name(id);
    let name = variable
        .strip_prefix(anteroom_config::EVENT_VARIABLE)
        .unwrap_or(&variable);
    format!("{SECRET}_{name}")
}

/// Whether this is scheme, loopback host and port, and nothing else.
fn is_on_loopback(address: &str) -> bool {
    let authority = address.strip_prefix("http://").unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'-');
    authority.bytes().all(is_plain) && host::is_loopback(&host::normalise(authority))
}

/// One with a secret of no worth.
#[cfg(test)]
pub(super) fn sample(in_production: bool) -> ThirdParty {
    ThirdParty {
        base: ADDRESS.to_owned(),
        secret: "secret".to_owned(),
        for_tests: false,
        in_production,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SECRET_KEY: &str = "0x4AAAAAAADnPIDROz2rJd3oIpZ9CRUqXyA";

    fn read(hosts: Value, variables: &[(&str, &str)]) -> Result<ThirdParty, String> {
        let event = json!({
            "id": "world-tour", "title": "Tour", "hosts": hosts, "paths": ["/*"],
            "challenge": "turnstile", "turnstile_site_key": "0x4AAAAAAADnPIDROrmt1Wwj",
        });
        let any_zone = anteroom_config::any_zone;
        let event = anteroom_config::parse_event("EVENT_WORLD_TOUR", &event, any_zone).unwrap();
        let variables: Vec<(String, Value)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let mut reasons = Vec::new();
        let mut third_parties = of_events(&[event], &variables, &mut reasons);
        third_parties.remove(0).ok_or_else(|| reasons.join("\n"))
    }

    #[test]
    fn the_secret_is_the_events_own_or_that_of_all_and_the_third_party_is_itself() {
        let shop = || json!(["tickets.example.com"]);
        let third_party = read(shop(), &[("TURNSTILE_SECRET", SECRET_KEY)]).unwrap();
        assert_eq!(third_party.secret, SECRET_KEY);
        assert_eq!(
            third_party.verify(),
            "https://challenges.cloudflare.com/turnstile/v0/siteverify"
        );
        assert!(third_party.in_production && !third_party.for_tests);
        let both = [
            ("TURNSTILE_SECRET", SECRET_KEY),
            ("TURNSTILE_SECRET_WORLD_TOUR", "own"),
        ];
        assert_eq!(read(shop(), &both).unwrap().secret, "own");
        let stood_in = [
            ("TURNSTILE_SECRET", SECRET_KEY),
            ("TURNSTILE_SERVICE", "http://127.0.0.1:8123"),
        ];
        let here = read(json!(["*loopback"]), &stood_in).unwrap();
        assert_eq!(here.origin(), "http://127.0.0.1:8123");
    }

    #[test]
    fn each_event_has_a_secret_of_its_own_whatever_its_name_begins_with() {
        for (id, name) in [
            ("tour", "TURNSTILE_SECRET_TOUR"),
            ("event-tour", "TURNSTILE_SECRET_EVENT_TOUR"),
            ("event-event-tour", "TURNSTILE_SECRET_EVENT_EVENT_TOUR"),
        ] {
            assert_eq!(own_secret(id), name);
        }
    }

    // P13.
    #[test]
    fn what_cannot_be_used_stops_the_start_and_is_named_without_being_shown() {
        let (shop, here) = (json!(["tickets.example.com"]), json!(["localhost"]));
        let dummies = [
            "1x0000000000000000000000000000000AA",
            "2x0000000000000000000000000000000AA",
            "3x0000000000000000000000000000000AA",
        ];
        for dummy in dummies {
            for name in ["TURNSTILE_SECRET", "TURNSTILE_SECRET_WORLD_TOUR"] {
                let reason = read(shop.clone(), &[(name, dummy)]).unwrap_err();
                assert!(
                    reason.starts_with(&format!("{name}: is a secret for tests")),
                    "{reason}"
                );
                assert!(!reason.contains("0000"), "{reason}");
                assert!(read(here.clone(), &[(name, dummy)]).unwrap().for_tests);
            }
        }
        let stood_in = |address| {
            [
                ("TURNSTILE_SECRET", SECRET_KEY),
                ("TURNSTILE_SERVICE", address),
            ]
        };
        for (hosts, variables, named) in [
            (&shop, vec![], "TURNSTILE_SECRET: found nothing"),
            (
                &shop,
                vec![("TURNSTILE_SECRET", "")],
                "TURNSTILE_SECRET: found 0 bytes",
            ),
            (
                &shop,
                vec![("TURNSTILE_SECRET", "a b")],
                "TURNSTILE_SECRET: found 3 bytes",
            ),
            (
                &shop,
                stood_in("http://127.0.0.1:1").to_vec(),
                "TURNSTILE_SERVICE: allowed",
            ),
            (
                &here,
                stood_in("https://evil.example").to_vec(),
                "TURNSTILE_SERVICE: allowed",
            ),
            (
                &here,
                stood_in("http://127.0.0.1@evil.example").to_vec(),
                "TURNSTILE_SERVICE: allowed",
            ),
            (
                &here,
                stood_in("http://localhost:1/x").to_vec(),
                "TURNSTILE_SERVICE: allowed",
            ),
        ] {
            let reason = read(hosts.clone(), &variables).unwrap_err();
            assert!(reason.starts_with(named), "{reason}");
            assert!(!reason.contains(SECRET_KEY), "{reason}");
        }
    }
}
