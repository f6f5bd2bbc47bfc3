//! `GET /_wr/jwks.json`: the public keys for origins that hold no signing key.

use crate::answer::Answer;
use crate::visit::Visit;

/// Origins fetch it again after this long: half of what a rotation waits before it signs with a new key.
const MAX_AGE_SECONDS: u32 = 300;

/// The set; empty while every event signs with HS256.
pub fn answer(visit: &Visit) -> Answer {
    Answer::text(
        200,
        "application/jwk-set+json",
        visit.deployment.jwks().to_owned(),
    )
    .with(
        "cache-control",
        format!("public, max-age={MAX_AGE_SECONDS}"),
    )
}
