//! A root key that was made for a developer's machine, where others than developers are served.
//!
//! `npm run setup` writes one into `.dev.vars` (`scripts/setup/keys.mjs`), from where it is easily put into a deployment.
//! It is as good a key as any other, but lies where everybody who develops can read it, and makes passes and operator
//! tokens. Nothing is refused, since a sale may hang on it: health and log say so, and `npm run deploy` repeats it.

use anteroom_config::Event;

use crate::deployment::ROOT_KEY_PREVIOUS_SECRET;

/// The id of such a key: this, and four hexadecimal digits.
const ID_BEGINS: &str = "dev";
const DIGITS: usize = 4;

/// What is to be said of a root key, `<id>:<key>`, that stands in the secret `name`; `None`: nothing.
pub fn warning(name: &str, root_key: &str, events: &[Event]) -> Option<String> {
    let (id, _) = root_key.split_once(':')?;
    let digits = id.strip_prefix(ID_BEGINS)?;
    let is_made_here = digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let are_others_served = events.iter().any(|event| !event.is_loopback_only());
    (is_made_here && are_others_served).then(|| {
        let mended = match name {
            ROOT_KEY_PREVIOUS_SECRET => "it goes when its tokens are over",
            _ => "another one takes its place with npm run keys",
        };
        format!(
            "{name}: the key {id} was made for a developer's machine; {mended} (docs/key-rotation.md)"
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::deployment::Deployment;

    const BYTES: &str = "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg";

    /// What a deployment says that has the key of this id in `name`, and an event at `host`.
    fn warnings(name: &str, id: &str, host: &str) -> Vec<String> {
        let event = json!({"id": "tour", "title": "Tour", "hosts": [host], "paths": ["/tour"]});
        let mut variables = vec![
            ("ISSUER".to_owned(), json!("test")),
            ("EVENT_TOUR".to_owned(), event),
            (name.to_owned(), json!(format!("{id}:{BYTES}"))),
        ];
        if name != "ROOT_KEY" {
            variables.push(("ROOT_KEY".to_owned(), json!(format!("live:{BYTES}"))));
        }
        let deployment = Deployment::parse(variables, anteroom_config::any_zone);
        deployment.ok().unwrap().warnings().to_vec()
    }

    #[test]
    fn a_key_of_a_developers_machine_is_named_where_others_are_served_and_never_shown() {
        for name in ["ROOT_KEY", "ROOT_KEY_PREVIOUS"] {
            let said = warnings(name, "dev1a2b", "tickets.example.com");
            let [line] = &said[..] else {
                panic!("{said:?}")
            };
            assert!(line.starts_with(&format!("{name}: the key dev1a2b was made for")));
            assert!(!line.contains(BYTES));
        }
    }

    #[test]
    fn nothing_is_said_on_that_machine_nor_of_another_key() {
        assert!(warnings("ROOT_KEY", "dev1a2b", "*loopback").is_empty());
        for id in [
            "live",
            "k261129-f38d",
            "dev",
            "developer",
            "dev-1a2b",
            "devzzzz",
        ] {
            assert!(
                warnings("ROOT_KEY", id, "tickets.example.com").is_empty(),
                "{id}"
            );
        }
    }
}
