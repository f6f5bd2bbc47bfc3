//! Makes root keys and access codes, shows what an origin and an organizer need, signs operator tokens, and says what is
//! wrong with an enqueue token.
//!
//! Reads the root keys from the environment variables `ROOT_KEY` and `ROOT_KEY_PREVIOUS`. Prints one JSON document, one
//! token or codes one a line to standard output; what is wrong goes to standard error and no key with it.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anteroom_token::{
    CODE_ID_BITS, EVERY_EVENT, KEY_BYTES, Keyring, MAX_CLAIM_TEXT_BYTES, MAX_CODE_USES,
    MAX_NAME_BYTES, OPERATOR_ROLES, OperatorEvents, OperatorRole, OperatorToken, PassAlgorithm,
    RootKey, Scope, Tokens, enqueue_keys, is_claim_text, origin_keys,
};

const USAGE: &str = "usage:
  anteroom-keys new-root-key [id]                    a fresh root key, <id>:<base64url>
  anteroom-keys origin-key <issuer> <audience> [--algorithm hs256|ed25519]
                                                     the keys that verify passes: {\"keys\":[JWK…]}
  anteroom-keys operator-token <issuer> <events|*> <name> <role> <hours>
                                                     a token for the operator API, of one event or several
                                                     (a,b); the role is view, operate or configure
  anteroom-keys enqueue-key <issuer> <event>         the keys that sign enqueue tokens: {\"keys\":[JWK…]}
  anteroom-keys check-enqueue <issuer> <event> <token> [address]
                                                     the claims of an enqueue token that holds now
  anteroom-keys codes <issuer> <event> <run> <line> <count> <uses>
                                                     access codes, one a line
All but new-root-key read ROOT_KEY and ROOT_KEY_PREVIOUS from the environment.";

/// The longest life of an operator token: a season of sales. A longer one would only be forgotten somewhere.
const MAX_OPERATOR_HOURS: u64 = 24 * 92;
/// The most codes made in one go. Their ids have 40 bits: among so many and as many made before, two random ones are the
/// same once in a hundred times, and then one code too few was given out.
const MAX_CODES: u64 = 100_000;
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
        ["operator-token", issuer, events, name, role, hours] => {
            operator_token(issuer, events, name, role, hours)
        }
        ["enqueue-key", issuer, event] => enqueue_key(issuer, event),
        ["check-enqueue", issuer, event, token] => check_enqueue(issuer, event, token, None),
        ["check-enqueue", issuer, event, token, address] => {
            check_enqueue(issuer, event, token, Some(address))
        }
        ["codes", issuer, event, run, line, count, uses] => {
            codes(issuer, event, run, line, (count, uses))
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
    checked("audience", audience, MAX_CLAIM_TEXT_BYTES)?;
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
    events: &str,
    name: &str,
    role: &str,
    hours: &str,
) -> Result<String, String> {
    checked("name", name, MAX_NAME_BYTES)?;
    checked("events", events, MAX_CLAIM_TEXT_BYTES)?;
    let events = OperatorEvents::read(events).ok_or_else(|| {
        format!(
            "events are {events:?}, allowed are \"*\" or ids, each once, with a comma between two"
        )
    })?;
    let role = OperatorRole::named(role).ok_or_else(|| {
        let roles = OPERATOR_ROLES.map(OperatorRole::name).join(", ");
        format!("role is {role:?}, allowed are {roles}")
    })?;
    let hours = whole("hours", hours, MAX_OPERATOR_HOURS)?;
    let now = now_seconds()?;
    // What signs it is the deployment's: whatever stands here as the event.
    let tokens = tokens_without_audience(issuer, EVERY_EVENT, 0)?;
    Ok(tokens.seal_operator(&OperatorToken {
        name: name.to_owned(),
        role,
        events,
        issued_at: now,
        expires_at: now + hours * 3600,
    }))
}

fn enqueue_key(issuer: &str, event: &str) -> Result<String, String> {
    checked("issuer", issuer, MAX_NAME_BYTES)?;
    checked("event", event, MAX_NAME_BYTES)?;
    let keys = enqueue_keys(&keyring()?, issuer, event);
    let jwks: Vec<String> = keys.iter().map(|key| key.jwk()).collect();
    Ok(format!("{{\"keys\":[{}]}}", jwks.join(",")))
}

fn check_enqueue(
    issuer: &str,
    event: &str,
    token: &str,
    address: Option<&str>,
) -> Result<String, String> {
    let token = tokens_without_audience(issuer, event, 0)?
        .open_enqueue(token.trim(), now_seconds()?, address)
        .map_err(|refusal| format!("{}: {refusal}", refusal.code()))?;
    Ok(serde_json::json!({
        "iss": token.organizer, "aud": issuer, "evt": event, "line": token.line, "key": token.key, "jti": token.id,
        "iat": token.issued_at, "exp": token.expires_at, "ip": token.ip.map(|ip| ip.to_string()),
    })
    .to_string())
}

fn codes(
    issuer: &str,
    event: &str,
    run: &str,
    line: &str,
    (count, uses): (&str, &str),
) -> Result<String, String> {
    checked("line", line, MAX_NAME_BYTES)?;
    let run = whole("run", run, u64::from(u32::MAX))? as u32;
    let count = whole("count", count, MAX_CODES)? as usize;
    let uses = whole("uses", uses, u64::from(MAX_CODE_USES))? as u16;
    let tokens = tokens_without_audience(issuer, event, run)?;
    let mut ids = BTreeSet::new();
    let mut codes = Vec::with_capacity(count);
    while codes.len() < count {
        let random =
            getrandom::u64().map_err(|error| format!("no randomness from the system: {error}"))?;
        let id = random >> (u64::BITS - CODE_ID_BITS);
        if ids.insert(id) {
            codes.push(tokens.seal_code(line, id, uses).to_string());
        }
    }
    Ok(codes.join("\n"))
}

/// What signs and opens things that no host has a part in.
fn tokens_without_audience(issuer: &str, event: &str, run: u32) -> Result<Tokens, String> {
    checked("issuer", issuer, MAX_NAME_BYTES)?;
    checked("event", event, MAX_NAME_BYTES)?;
    let scope = Scope {
        issuer,
        event,
        run,
        audience: issuer,
    };
    Ok(Tokens::new(&keyring()?, scope))
}

fn now_seconds() -> Result<u64, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map(|now| now.as_secs())
        .map_err(|_| "the clock stands before 1970".to_owned())
}

fn whole(name: &str, text: &str, most: u64) -> Result<u64, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (1..=most).contains(number))
        .ok_or_else(|| format!("{name} is {text:?}, allowed is 1 to {most}"))
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
