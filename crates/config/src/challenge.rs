//! What a visitor is asked for before joining: work, a third party's widget, both or nothing.

use crate::event::{Challenge, Turnstile, TurnstileDown};
use crate::fields::Fields;
use crate::host;
use crate::keys;

/// The keys of the widget, which mean nothing without it.
const WIDGET_KEYS: [&str; 2] = ["turnstile_site_key", "turnstile_down"];

/// What a widget's public key begins with that is only good for tests: it passes, fails or asks whoever comes.
/// <https://developers.cloudflare.com/turnstile/troubleshooting/testing/>
const DUMMY_KEYS: [&str; 3] = ["1x0000000000", "2x0000000000", "3x0000000000"];

/// Whether a public or a secret key of a widget is one of the published ones for tests.
pub fn is_dummy_key(key: &str) -> bool {
    DUMMY_KEYS.iter().any(|dummy| key.starts_with(dummy))
}

/// Reads the challenge, and the widget where it uses one. `hosts` are the event's, as far as they could be read.
pub fn read(fields: &mut Fields<'_>, hosts: Option<&[String]>) -> (Challenge, Option<Turnstile>) {
    let bits = fields.whole_or_default(keys::POW_BITS) as u8;
    let challenge = fields
        .text("challenge", CHALLENGE_FORM, |text| match text {
            "none" => Some(Challenge::None),
            "pow" => Some(Challenge::Work(bits)),
            "turnstile" => Some(Challenge::Turnstile(bits)),
            "pow+turnstile" => Some(Challenge::WorkAndTurnstile(bits)),
            _ => None,
        })
        .unwrap_or(Challenge::Work(bits));
    if !challenge.uses_turnstile() {
        for key in WIDGET_KEYS {
            if fields.value(key).is_some() {
                fields.refuse(
                    key,
                    "this key with challenge \"turnstile\" or \"pow+turnstile\" only",
                );
            }
        }
        return (challenge, None);
    }
    (challenge, read_widget(fields, hosts))
}

const CHALLENGE_FORM: &str = "\"pow\", \"turnstile\", \"pow+turnstile\" or \"none\"";

fn read_widget(fields: &mut Fields<'_>, hosts: Option<&[String]>) -> Option<Turnstile> {
    let allowed = format!(
        "the widget's site key: 1 to {} letters, digits, - and _",
        keys::MAX_SITE_KEY_CHARS
    );
    let site_key = fields.required_text("turnstile_site_key", &allowed, site_key);
    let down = fields
        .text("turnstile_down", "\"pow\", \"deny\" or \"allow\"", |text| {
            [
                TurnstileDown::Work,
                TurnstileDown::Deny,
                TurnstileDown::Allow,
            ]
            .into_iter()
            .find(|down| down.name() == text)
        })
        .unwrap_or(TurnstileDown::Work);
    let site_key = site_key?;
    if is_dummy_key(&site_key) && hosts.is_some_and(|hosts| !host::are_loopback(hosts)) {
        fields.refuse(
            "turnstile_site_key",
            "the site key of a widget of your own: those for tests are for loopback hosts",
        );
    }
    Some(Turnstile { site_key, down })
}

fn site_key(text: &str) -> Option<String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let fits = (1..=keys::MAX_SITE_KEY_CHARS).contains(&text.len());
    (fits && text.bytes().all(allowed)).then(|| text.to_owned())
}
