//! Makes root keys, shows what an origin needs, signs operator tokens.
//!
//! Reads the root keys from the environment variables `ROOT_KEY` and `ROOT_KEY_PREVIOUS`. Prints one JSON document or one
//! token to standard output; what is wrong goes to standard error and no key with it.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anteroom_token::{
    KEY_BYTES, Keyring, MAX_NAME_BYTES, OperatorScope, OperatorToken, PassAlgorithm, RootKey,
    Scope, Tokens, is_claim_text, origin_keys,
};

const USAGE: &str = "usage:
  anteroom-keys new-root-key [id]                    a fresh root key, <id>:<base64url>
  anteroom-keys origin-key <issuer> <audience> [--algorithm hs256|ed25519]
                                                     the keys that verify passes: {\"keys\":[JWK…]}
  anteroom-keys operator-token <issuer> <event|*> <name> <read|write> <hours>
                                                     a token for the operator API
origin-key and operator-token read ROOT_KEY and ROOT_KEY_PREVIOUS from the environment.";

/// The longest life of an operator token: a season of sales. A longer one would only be forgotten somewhere.
const MAX_OPERATOR_HOURS: u64 = 24 * 92;
/// How often a new key is drawn again because chance made it look weak; once is already next to impossible.
const MAX_DRAWS: usize = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = match arguments[..] {
        ["new-root-key"] => new_root_key("k1"),
        ["new-root-key", id] => new_root_key(id),
        ["origin-key", issuer, audience] => origin_key(issuer, audience, PassAlgorithm::Hs256),
        ["origin-key", issuer, audience, "--algorithm", name] => {
            algorithm(name).and_then(|algorithm| origin_key(issuer, audience, algorithm))
        }
        ["operator-token", issuer, event, name, scope, hours] => {
            operator_token(issuer, event, name, scope, hours)
        }
        _ => Err(USAGE.to_owned()),
    };
    match answer {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn new_root_key(id: &str) -> Result<String, String> {
    for _ in 0..MAX_DRAWS {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|error| format!("no randomness from the system: {error}"))?;
        let text = RootKey::from_bytes(id, bytes)
            .map_err(|error| error.to_string())?
            .to_secret_text();
        if RootKey::parse(&text).is_ok() {
            return Ok(text);
        }
    }
    Err("the system's randomness is not random".to_owned())
}

fn origin_key(issuer: &str, audience: &str, algorithm: PassAlgorithm) -> Result<String, String> {
    checked("issuer", issuer, MAX_NAME_BYTES)?;
    checked("audience", audience, anteroom_token::MAX_CLAIM_TEXT_BYTES)?;
    let keys = origin_keys(&keyring()?, issuer, audience, algorithm);
    let jwks: Vec<String> = keys.iter().map(|key| key.jwk()).collect();
    Ok(format!("{{\"keys\":[{}]}}", jwks.join(",")))
}

fn algorithm(name: &str) -> Result<PassAlgorithm, String> {
    match name {
        "hs256" => Ok(PassAlgorithm::Hs256),
        "ed25519" => Ok(PassAlgorithm::Ed25519),
        _ => Err(format!(
            "--algorithm is {name:?}, allowed are hs256 and ed25519"
        )),
    }
}

fn operator_token(
    issuer: &str,
    event: &str,
    name: &str,
    scope: &str,
    hours: &str,
) -> Result<String, String> {
    for (field, text) in [("issuer", issuer), ("event", event), ("name", name)] {
        checked(field, text, MAX_NAME_BYTES)?;
    }
    let scope = OperatorScope::named(scope)
        .ok_or_else(|| format!("scope is {scope:?}, allowed are read and write"))?;
    let hours: u64 = hours
        .parse()
        .ok()
        .filter(|hours| (1..=MAX_OPERATOR_HOURS).contains(hours))
        .ok_or_else(|| format!("hours is {hours:?}, allowed is 1 to {MAX_OPERATOR_HOURS}"))?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_err(|_| "the clock stands before 1970".to_owned())?;
    // Operator tokens name no run and no audience.
    let tokens = Tokens::new(
        &keyring()?,
        Scope {
            issuer,
            event,
            run: 0,
            audience: issuer,
        },
    );
    Ok(tokens.seal_operator(&OperatorToken {
        name: name.to_owned(),
        scope,
        every_event: event == anteroom_token::EVERY_EVENT,
        issued_at: now.as_secs(),
        expires_at: now.as_secs() + hours * 3600,
    }))
}

fn keyring() -> Result<Keyring, String> {
    let current = std::env::var("ROOT_KEY").map_err(|_| "ROOT_KEY is not set".to_owned())?;
    let previous = std::env::var("ROOT_KEY_PREVIOUS").ok();
    Keyring::parse(&current, previous.as_deref()).map_err(|error| error.to_string())
}

fn checked(field: &str, text: &str, longest: usize) -> Result<(), String> {
    if is_claim_text(text) && text.len() <= longest {
        return Ok(());
    }
    Err(format!(
        "{field} is {text:?}, allowed are 1 to {longest} bytes of plain ASCII without \" and \\"
    ))
}
