//! What one isolate knows of its deployment: the configuration parsed once, the keys derived once.
//!
//! A configuration or a key that cannot be used stops everything: every request is answered with a 503, the log says
//! which field or key id is wrong, and so does `/_wr/health`. Key bytes appear in neither.

use std::cell::OnceCell;

use anteroom_config::face::{self, Face};
use anteroom_config::{Event, Origin, PassAlgorithm, Problem, Rooms, ZoneExists, host};
use anteroom_token::{
    Keyring, MAX_NAME_BYTES, OriginKey, Scope, Tokens, is_claim_text, origin_keys, public_jwks,
};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use worker::{Env, js_sys};

use crate::development_key;
use crate::turnstile::{self, ThirdParty};

/// The variable with the deployment's name, which all its tokens carry.
pub const ISSUER_VARIABLE: &str = "ISSUER";
/// The secret with the root key that seals.
pub const ROOT_KEY_SECRET: &str = "ROOT_KEY";
/// The secret with the root key that only opens any more.
pub const ROOT_KEY_PREVIOUS_SECRET: &str = "ROOT_KEY_PREVIOUS";

/// Everything that an isolate needs to know and never changes.
pub struct Deployment {
    rooms: Rooms,
    tokens: Vec<Tokens>,
    faces: Vec<Option<Face>>,
    third_parties: Vec<Option<ThirdParty>>,
    jwks: String,
    warnings: Vec<String>,
}

/// What else is known of the events, in their order.
struct OfEvents {
    faces: Vec<Option<Face>>,
    third_parties: Vec<Option<ThirdParty>>,
}

/// One event with the keys of its run.
#[derive(Clone, Copy)]
pub struct Room {
    /// The event.
    pub event: &'static Event,
    /// Seals and opens.
    pub tokens: &'static Tokens,
    /// What the event looks like, if that is its own.
    pub face: Option<&'static Face>,
    /// Whom to ask about the widget, where the event uses it.
    pub turnstile: Option<&'static ThirdParty>,
}

impl Room {
    /// Whether the event is on the host that a request asked, with or without a port.
    pub fn is_at(&self, authority: &str) -> bool {
        let asked = host::normalise(authority);
        let mut hosts = self.event.hosts.iter();
        hosts.any(|pattern| host::matches(pattern, &asked))
    }
}

thread_local! {
    static DEPLOYMENT: OnceCell<Result<&'static Deployment, Vec<String>>> = const { OnceCell::new() };
}

/// This isolate's deployment, or what is wrong with it. Read from `env` at the first request.
pub fn of_isolate(env: &Env) -> Result<&'static Deployment, Vec<String>> {
    DEPLOYMENT.with(|cell| {
        let read = || {
            let deployment = Deployment::parse(variables(env), crate::zones::exists)
                .map(|deployment| &*Box::leak(Box::new(deployment)));
            let said = match &deployment {
                Ok(deployment) => deployment.warnings(),
                Err(reasons) => reasons,
            };
            said.iter()
                .for_each(|line| crate::platform::log(&format!("configuration: {line}")));
            deployment
        };
        cell.get_or_init(read).clone()
    })
}

/// The variables and secrets of `env` that are plain data, in order of their names.
fn variables(env: &Env) -> Vec<(String, Value)> {
    let object: &js_sys::Object = AsRef::<JsValue>::as_ref(env).unchecked_ref();
    let concerns_us = |name: &String| {
        name.starts_with(anteroom_config::EVENT_VARIABLE)
            || name.starts_with(turnstile::VARIABLES)
            || [
                ISSUER_VARIABLE,
                ROOT_KEY_SECRET,
                ROOT_KEY_PREVIOUS_SECRET,
                "PREFIX",
            ]
            .contains(&name.as_str())
    };
    let mut names: Vec<String> = js_sys::Object::keys(object)
        .iter()
        .filter_map(|name| name.as_string())
        .filter(concerns_us)
        .collect();
    names.sort();
    let value = |name: &String| {
        let value = js_sys::Reflect::get(object, &JsValue::from_str(name)).ok()?;
        let text = js_sys::JSON::stringify(&value).ok()?.as_string()?;
        serde_json::from_str(&text).ok()
    };
    names
        .iter()
        .map(|name| (name.clone(), value(name).unwrap_or(Value::Null)))
        .collect()
}

impl Deployment {
    /// Reads variables and secrets, strictly. Errors are one line each.
    pub fn parse(
        variables: Vec<(String, Value)>,
        zone_exists: ZoneExists,
    ) -> Result<Deployment, Vec<String>> {
        let mut reasons = Vec::new();
        let text = |name: &str| {
            variables
                .iter()
                .find(|(present, _)| present == name)
                .and_then(|(_, value)| value.as_str())
                .map(str::to_owned)
        };
        let issuer = keep(issuer(text(ISSUER_VARIABLE)), &mut reasons);
        let keyring = keep(
            keyring(text(ROOT_KEY_SECRET), text(ROOT_KEY_PREVIOUS_SECRET)),
            &mut reasons,
        );
        let rooms = match anteroom_config::parse_all(variables.iter().cloned(), zone_exists) {
            Ok(rooms) => Some(rooms),
            Err(problems) => {
                reasons.extend(problems.iter().map(reason));
                None
            }
        };
        let of_events = rooms.as_ref().map(|rooms| OfEvents {
            faces: faces(rooms.events(), &mut reasons),
            third_parties: turnstile::of_events(rooms.events(), &variables, &mut reasons),
        });
        match (issuer, keyring, rooms, of_events) {
            (Some(issuer), Some(keyring), Some(rooms), Some(of_events)) if reasons.is_empty() => {
                let warnings = [ROOT_KEY_SECRET, ROOT_KEY_PREVIOUS_SECRET]
                    .into_iter()
                    .filter_map(|name| development_key::warning(name, &text(name)?, rooms.events()))
                    .collect();
                Ok(Deployment::derive(
                    &issuer, &keyring, rooms, of_events, warnings,
                ))
            }
            _ => Err(reasons),
        }
    }

    fn derive(
        issuer: &str,
        keyring: &Keyring,
        rooms: Rooms,
        of_events: OfEvents,
        warnings: Vec<String>,
    ) -> Deployment {
        let mut keys = Vec::new();
        let mut tokens = Vec::new();
        for event in rooms.events() {
            let algorithm = match event.pass_algorithm {
                PassAlgorithm::Hs256 => anteroom_token::PassAlgorithm::Hs256,
                PassAlgorithm::EdDsa => anteroom_token::PassAlgorithm::Ed25519,
            };
            let audience = &event.hosts[0];
            let scope = Scope {
                issuer,
                event: &event.id,
                run: event.run,
                audience,
            };
            tokens.push(Tokens::with_algorithm(keyring, scope, algorithm));
            for key in origin_keys(keyring, issuer, audience, algorithm) {
                if !keys
                    .iter()
                    .any(|known: &OriginKey| known.key_id == key.key_id)
                {
                    keys.push(key);
                }
            }
        }
        Deployment {
            jwks: public_jwks(&keys),
            tokens,
            faces: of_events.faces,
            third_parties: of_events.third_parties,
            rooms,
            warnings,
        }
    }

    /// The events and their path rules.
    pub fn rooms(&self) -> &Rooms {
        &self.rooms
    }

    /// What works and should not stay as it is, a line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The public keys of all events that sign with Ed25519, as a JWK set.
    pub fn jwks(&self) -> &str {
        &self.jwks
    }

    /// The event of this name.
    pub fn room(&'static self, id: &str) -> Option<Room> {
        self.all().find(|room| room.event.id == id)
    }

    /// Every event.
    pub fn all(&'static self) -> impl Iterator<Item = Room> {
        self.rooms
            .events()
            .iter()
            .zip(&self.tokens)
            .zip(&self.faces)
            .zip(&self.third_parties)
            .map(|(((event, tokens), face), third_party)| Room {
                event,
                tokens,
                face: face.as_ref(),
                turnstile: third_party.as_ref(),
            })
    }

    /// Where requests of this event go; `None`: they go on unchanged.
    pub fn origin_base(&self, event: &Event) -> Option<String> {
        match &event.origin {
            Origin::Unchanged => None,
            Origin::Url(url) => Some(url.base()),
        }
    }
}

/// The faces of the events, in their order. One that speaks of a line that its event does not have is refused.
fn faces(events: &[Event], reasons: &mut Vec<String>) -> Vec<Option<Face>> {
    let mut read = |event: &Event| {
        let json = crate::faces::of(&event.id)?;
        face::parse(&event.id, json, &event.lines)
            .map_err(|problems| reasons.extend(problems.iter().map(Problem::to_string)))
            .ok()
    };
    events.iter().map(&mut read).collect()
}

/// A problem in one line. No host of an origin reaches a visitor, so its value is left out.
fn reason(problem: &Problem) -> String {
    if problem.path.ends_with(".origin") {
        return format!("{}: allowed: {}", problem.path, problem.allowed);
    }
    problem.to_string()
}

fn keep<T>(found: Result<T, String>, reasons: &mut Vec<String>) -> Option<T> {
    found.map_err(|reason| reasons.push(reason)).ok()
}

fn issuer(text: Option<String>) -> Result<String, String> {
    let allowed = format!("1 to {MAX_NAME_BYTES} bytes of plain ASCII");
    match text {
        None => Err(format!(
            "{ISSUER_VARIABLE}: found nothing, allowed: {allowed}"
        )),
        Some(text) if is_claim_text(&text) && text.len() <= MAX_NAME_BYTES => Ok(text),
        Some(text) => Err(format!(
            "{ISSUER_VARIABLE}: found {} bytes, allowed: {allowed}",
            text.len()
        )),
    }
}

fn keyring(current: Option<String>, previous: Option<String>) -> Result<Keyring, String> {
    let Some(current) = current else {
        return Err(format!(
            "{ROOT_KEY_SECRET}: found nothing, allowed: <id>:<base64url of 32 random bytes>"
        ));
    };
    Keyring::parse(&current, previous.as_deref()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "k1:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg";

    fn refusals(changes: &[(&str, Value)]) -> Vec<String> {
        let event = json!({
            "id": "demo", "title": "Demo", "hosts": ["localhost"], "paths": ["/events/demo/*"],
            "origin": "http://127.0.0.1:9000", "mode": "always", "admission": {"per_minute": 60}, "challenge": "none"
        });
        let mut variables = vec![
            ("ISSUER".to_owned(), json!("test")),
            ("ROOT_KEY".to_owned(), json!(KEY)),
            ("EVENT_DEMO".to_owned(), event),
        ];
        for (name, value) in changes {
            variables.retain(|(present, _)| present != name);
            if !value.is_null() {
                variables.push(((*name).to_owned(), value.clone()));
            }
        }
        Deployment::parse(variables, |zone| zone == "UTC")
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn a_complete_deployment_is_taken() {
        assert_eq!(refusals(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_face_speaks_of_the_lines_of_its_event() {
        let tour = |lines: Value| {
            json!({
                "id": "world-tour", "title": "Tour", "hosts": ["localhost"], "paths": ["/tour"], "lines": lines
            })
        };
        let fitting = json!([{"id": "general"}, {"id": "fan-club"}, {"id": "late"}]);
        assert_eq!(
            refusals(&[("EVENT_WORLD_TOUR", tour(fitting))]),
            Vec::<String>::new()
        );
        let reasons = refusals(&[("EVENT_WORLD_TOUR", tour(json!([{"id": "late"}])))]);
        assert!(
            reasons.iter().all(|reason| reason
                .starts_with("static/events/world-tour.json: texts.")
                && reason.ends_with("no such key; there are late")),
            "{reasons:?}"
        );
        assert!(!reasons.is_empty());
    }

    // T5.
    #[test]
    fn whatever_is_missing_or_weak_is_named_and_no_key_is_shown() {
        let weak = "old-key:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let rows = [
            ("ISSUER", json!(null), "ISSUER"),
            ("ISSUER", json!(""), "ISSUER"),
            ("ROOT_KEY", json!(null), "ROOT_KEY"),
            ("ROOT_KEY", json!(weak), "key old-key"),
            ("ROOT_KEY", json!("k1:short"), "key k1"),
            ("ROOT_KEY_PREVIOUS", json!(KEY), "key k1"),
            ("EVENT_DEMO", json!({"id": "demo"}), "EVENT_DEMO."),
            (
                "EVENT_DEMO",
                json!({"time_zone": "Europe/Berlim"}),
                "EVENT_DEMO.time_zone",
            ),
        ];
        for (name, value, named) in rows {
            let reasons = refusals(&[(name, value.clone())]);
            assert!(
                reasons.iter().any(|reason| reason.contains(named)),
                "{name} = {value}: {reasons:?}"
            );
            assert!(
                !reasons
                    .iter()
                    .any(|reason| reason.contains("AAAAAA") || reason.contains("n4bQ")),
                "{reasons:?}"
            );
        }
    }
}
