//! The door: only requests with a valid pass come in. This is all an origin has to do.
//!
//! The pass comes in `Waiting-Room-Pass`. It must be for the event that the path names. Of everything else that the
//! waiting room or a visitor may write into headers, nothing is believed here.

use anteroom_token::{KeyError, PassClaims, PassScope, PassVerifier, Refusal};
use serde::Deserialize;

/// A key as `anteroom-keys origin-key` prints it.
#[derive(Debug, Clone, Deserialize)]
pub struct PassKey {
    /// The `kid` of the passes it verifies.
    pub kid: String,
    /// A secret key, for HS256.
    pub k: Option<String>,
    /// A public key, for Ed25519.
    pub x: Option<String>,
    /// The issuer that the pass must name.
    pub issuer: String,
    /// The audience that the pass must name.
    pub audience: String,
}

/// Whom the shop admits.
#[derive(Default)]
pub struct Admission {
    doors: Vec<Door>,
}

struct Door {
    event: Option<String>,
    verifier: PassVerifier,
}

impl Admission {
    /// Admits passes of this key; to one event, or to every event that the key holds for.
    pub fn admit(&mut self, event: Option<&str>, key: &PassKey) -> Result<(), KeyError> {
        let event = event.map(str::to_owned);
        let scope = PassScope {
            audience: key.audience.clone(),
            issuer: key.issuer.clone(),
            event: event.clone(),
        };
        let verifier = match (&key.k, &key.x) {
            (Some(secret), None) => PassVerifier::hs256(secret, &key.kid, scope)?,
            (None, Some(public)) => PassVerifier::ed25519(public, &key.kid, scope)?,
            _ => return Err(KeyError::Form),
        };
        self.doors.push(Door { event, verifier });
        Ok(())
    }

    /// The claims of a pass for `event`. Of several refusals the one that came furthest is told.
    pub fn check(&self, event: &str, pass: &str, now: u64) -> Result<PassClaims, Refusal> {
        let mut answer = Err(Refusal::UnknownKey);
        for door in self
            .doors
            .iter()
            .filter(|door| door.event.as_deref().is_none_or(|only| only == event))
        {
            match door.verifier.verify(pass, now) {
                Ok(claims) if claims.event == event => return Ok(claims),
                Ok(_) => answer = Err(Refusal::WrongEvent),
                Err(Refusal::UnknownKey) => {}
                Err(refusal) => answer = Err(refusal),
            }
        }
        answer
    }
}
