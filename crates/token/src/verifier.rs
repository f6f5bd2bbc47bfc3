//! What an origin verifies passes with: one key for its audience, more while keys are rotated. It can issue nothing
//! that it was not given the key for, and has no clock: the caller says what time it is.

use ed25519_dalek::VerifyingKey;

use crate::claims::ClaimsReader;
use crate::derive::Purpose;
use crate::envelope::{Checking, Opener, is_key_id, open};
use crate::keys::{decode_key, refuse_weak};
use crate::validity::{self, ORIGIN_LEEWAY_SECONDS};
use crate::{KeyError, Pass, Refusal, SessionId};

/// What a pass must say to be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassScope {
    /// The audience that the origin belongs to: the first of the event's hosts.
    pub audience: String,
    /// The deployment that issues the passes.
    pub issuer: String,
    /// The only event that is taken; none takes every event of the audience.
    pub event: Option<String>,
}

/// The claims of a pass that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassClaims {
    /// The event it admits to.
    pub event: String,
    /// The event's run.
    pub run: u32,
    /// The session.
    pub session: SessionId,
    /// Unix seconds.
    pub issued_at: u64,
    /// Unix seconds.
    pub expires_at: u64,
    /// The end of the session in Unix seconds.
    pub session_ends_at: u64,
}

impl PassClaims {
    /// How long the session still lasts; 0 once it has ended.
    pub fn session_seconds_left(&self, now: u64) -> u64 {
        self.session_ends_at.saturating_sub(now)
    }
}

/// Verifies passes at an origin.
pub struct PassVerifier {
    scope: PassScope,
    openers: Vec<Opener>,
}

impl PassVerifier {
    /// A verifier with a secret key: 32 bytes as base64url, and the `kid` of the passes it is for.
    pub fn hs256(key: &str, key_id: &str, scope: PassScope) -> Result<Self, KeyError> {
        PassVerifier {
            scope,
            openers: Vec::new(),
        }
        .and_hs256(key, key_id)
    }

    /// A verifier with an Ed25519 public key: 32 bytes as base64url, and the `kid` of the passes it is for.
    pub fn ed25519(public_key: &str, key_id: &str, scope: PassScope) -> Result<Self, KeyError> {
        PassVerifier {
            scope,
            openers: Vec::new(),
        }
        .and_ed25519(public_key, key_id)
    }

    /// Takes passes of another secret key as well.
    pub fn and_hs256(self, key: &str, key_id: &str) -> Result<Self, KeyError> {
        let bytes = decode_key(checked_key_id(key_id)?, key)?;
        refuse_weak(key_id, &bytes)?;
        Ok(self.and(key_id, Checking::hs256(&bytes)))
    }

    /// Takes passes of another Ed25519 public key as well.
    pub fn and_ed25519(self, public_key: &str, key_id: &str) -> Result<Self, KeyError> {
        let bytes = decode_key(checked_key_id(key_id)?, public_key)?;
        match VerifyingKey::from_bytes(&bytes) {
            Ok(key) if !key.is_weak() => Ok(self.and(key_id, Checking::Ed25519(key))),
            _ => Err(KeyError::PublicKey {
                id: key_id.to_owned(),
            }),
        }
    }

    fn and(mut self, key_id: &str, checking: Checking) -> Self {
        self.openers
            .push(Opener::new(Purpose::Pass.typ(), key_id, checking));
        self
    }

    /// The claims of a pass that holds at `now_unix_seconds`, with [`ORIGIN_LEEWAY_SECONDS`] after its `exp`.
    pub fn verify(&self, token: &str, now_unix_seconds: u64) -> Result<PassClaims, Refusal> {
        let payload = open(&self.openers, token)?;
        let mut claims = ClaimsReader::new(&payload)?;
        let (issuer, audience, event) = (
            claims.text("iss")?,
            claims.text("aud")?,
            claims.text("evt")?,
        );
        let run = claims.number("run")?;
        let Pass {
            session,
            issued_at,
            expires_at,
            session_ends_at,
        } = Pass::read(&mut claims)?;
        claims.finish()?;
        if issuer != self.scope.issuer {
            return Err(Refusal::WrongIssuer);
        }
        if audience != self.scope.audience {
            return Err(Refusal::WrongAudience);
        }
        if self
            .scope
            .event
            .as_deref()
            .is_some_and(|expected| expected != event)
        {
            return Err(Refusal::WrongEvent);
        }
        validity::check(
            issued_at,
            expires_at,
            ORIGIN_LEEWAY_SECONDS,
            now_unix_seconds,
        )?;
        Ok(PassClaims {
            event: event.to_owned(),
            run,
            session,
            issued_at,
            expires_at,
            session_ends_at,
        })
    }
}

fn checked_key_id(key_id: &str) -> Result<&str, KeyError> {
    if is_key_id(key_id) {
        Ok(key_id)
    } else {
        Err(KeyError::Form)
    }
}
