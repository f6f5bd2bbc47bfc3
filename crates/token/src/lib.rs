//! Permits, tickets, passes, invitations and codes: how the waiting room remembers without storing.
//!
//! The edge keeps no state about a visitor. What it must know of somebody comes back with the request in a token that it
//! signed itself. Every token is a JWT that any standard library verifies, in one strict profile: a header that is
//! constant for each key, one byte form of the claims, one algorithm and one key for each purpose. `docs/tokens.md`
//! describes the profile byte by byte. Organizers make two things that the edge takes as well: enqueue tokens, signed by
//! their own systems, and access codes, made with our key beforehand and given to people.
//!
//! An origin needs [`PassVerifier`] and nothing else:
//!
//! ```
//! use anteroom_token::{PassScope, PassVerifier};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let key = "08pSpjHMYcmVPMlYvVkSQ58r3QjaHGTL80_WJjzmAWg";
//! # let waiting_room_pass = "eyJhbGciOiJIUzI1NiIsInR5cCI6IndyLXBhc3Mrand0Iiwia2lkIjoiazIudUJ0VS1ZcG4ifQ.eyJ2IjoxLCJpc3MiOiJsaXZlIiwiYXVkIjoidGlja2V0cy5leGFtcGxlLmNvbSIsImV2dCI6IndvcmxkLXRvdXIiLCJydW4iOjMsImp0aSI6IjcuNDIuMSIsImlhdCI6MTc5OTk5OTk0MCwiZXhwIjoxODAwMDAwMTIwLCJzeCI6MTgwMDAwMTE0MH0.F7-Bb_ZBvDPWruTWUi66n77EdLRyQWj9k1o7Y8tRhBo";
//! # let now = 1_800_000_000;
//! let scope = PassScope { audience: "tickets.example.com".into(), issuer: "live".into(), event: None };
//! let verifier = PassVerifier::hs256(key, "k2.uBtU-Ypn", scope)?;
//! let pass = verifier.verify(waiting_room_pass, now)?;
//! println!("session {} ends in {} s", pass.session, pass.session_seconds_left(now));
//! # assert_eq!((pass.session.to_string().as_str(), pass.session_seconds_left(now)), ("7.42.1", 1140));
//! # assert!(verifier.verify(waiting_room_pass, now + 150).is_err());
//! # Ok(())
//! # }
//! ```
//!
//! There is no clock and no randomness here: `now` and nonces are arguments. Nothing depends on the Workers platform.
//!
//! | file | holds |
//! | --- | --- |
//! | `keys` | root keys, rotation, what makes a key weak |
//! | `derive` | one key for one purpose |
//! | `envelope` | header, signature, the compact form |
//! | `claims` | the byte form of the payload |
//! | `permit`, `ticket`, `pass`, `operator`, `staff` | the claims of each purpose |
//! | `enqueue`, `members` | organizers' tokens, and the JSON of other people's libraries |
//! | `codes`, `handover`, `crockford` | texts that people type |
//! | `key_hash` | what is stored instead of a key or a code |
//! | `marks` | what stands for a network or a browser |
//! | `validity` | when a token holds |
//! | `tokens` | the edge: seal and open |
//! | `verifier`, `origin_keys` | the origin: verify, and with which key |
//! | `refusal` | why not |

mod claims;
mod codes;
mod crockford;
mod derive;
mod enqueue;
mod envelope;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod envelope_tests;
mod handover;
mod key_hash;
mod keys;
mod marks;
mod members;
mod operator;
mod origin_keys;
mod pass;
mod permit;
mod refusal;
mod staff;
mod ticket;
mod tokens;
mod validity;
mod verifier;

pub use claims::{
    CLAIMS_VERSION, MAX_CLAIM_NUMBER, MAX_CLAIM_TEXT_BYTES, MAX_NAME_BYTES, NEWEST_READ_VERSION,
    is_claim_text,
};
pub use codes::{CODE_ID_BITS, Code, MAX_CODE_USES};
pub use derive::{DERIVATION_LABEL, PassAlgorithm, Purpose};
pub use enqueue::{
    EnqueueKey, EnqueueToken, MAX_ENQUEUE_SECONDS, MAX_MEMBER_KEY_BYTES, enqueue_keys,
};
pub use envelope::MAX_TOKEN_BYTES;
pub use handover::{HANDOVER_RANDOM_BYTES, HandoverCode};
pub use key_hash::{KEY_HASH_BYTES, member_key_hash};
pub use keys::{
    KEY_BYTES, KeyError, Keyring, MAX_KEY_ID_BYTES, RootKey, SAMPLE_KEY_CURRENT,
    SAMPLE_KEY_PREVIOUS,
};
pub use marks::MARK_BYTES;
pub use operator::{EVERY_EVENT, OPERATOR_ROLES, OperatorEvents, OperatorRole, OperatorToken};
pub use origin_keys::{OriginKey, origin_keys, public_jwks};
pub use pass::{LAST_PASS_SECONDS, Pass, STAFF_HOME, SessionId};
pub use permit::{Challenge, MAX_WORK_BITS, NONCE_BYTES, Permit, permit_signature};
pub use refusal::Refusal;
pub use staff::{MAX_STAFF_MINUTES, StaffToken};
pub use ticket::Ticket;
pub use tokens::{Scope, Tokens};
pub use validity::{CLOCK_AHEAD_SECONDS, FIND_AGAIN_SECONDS, ORIGIN_LEEWAY_SECONDS};
pub use verifier::{PassClaims, PassScope, PassVerifier};
