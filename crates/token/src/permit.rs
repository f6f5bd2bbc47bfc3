//! The permit: a signed leave to join, made by the edge without asking anybody.
//!
//! One permit is one place: whoever joins twice with it gets the same place. So it may outlive its `exp` for finding
//! that place again, and makes no new one then. Claims: `v iss evt run jti home iat exp chl bits? arr?`; `bits` is there
//! whenever something is asked for.

use base64ct::{Base64UrlUnpadded, Encoding};

use crate::Refusal;
use crate::claims::{ClaimsReader, ClaimsWriter};

/// Bytes of the nonce that makes a place unique.
pub const NONCE_BYTES: usize = 16;

/// What a visitor has to do before joining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Challenge {
    /// Nothing.
    None,
    /// Proof of work over the permit's [signature](crate::permit_signature).
    Work {
        /// Zero bits of each hash, at most [`MAX_WORK_BITS`].
        bits: u8,
    },
    /// What a third party's widget says of the visitor, or else work.
    Turnstile {
        /// As for [`Challenge::Work`]: what is asked of who brings work instead follows from it.
        bits: u8,
    },
    /// Both, or else more work.
    WorkAndTurnstile {
        /// As for [`Challenge::Work`].
        bits: u8,
    },
}

/// The most work that a permit can ask for, in zero bits of each hash.
pub const MAX_WORK_BITS: u8 = 24;

impl Challenge {
    /// Its name in the claim `chl` and in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Challenge::None => "none",
            Challenge::Work { .. } => "pow",
            Challenge::Turnstile { .. } => "turnstile",
            Challenge::WorkAndTurnstile { .. } => "pow+turnstile",
        }
    }

    /// The zero bits that the work is reckoned from; `None`: nothing is asked for.
    pub const fn bits(self) -> Option<u8> {
        match self {
            Challenge::None => None,
            Challenge::Work { bits }
            | Challenge::Turnstile { bits }
            | Challenge::WorkAndTurnstile { bits } => Some(bits),
        }
    }

    /// The same, reckoned from `bits`.
    #[must_use]
    pub const fn with_bits(self, bits: u8) -> Self {
        match self {
            Challenge::None => Challenge::None,
            Challenge::Work { .. } => Challenge::Work { bits },
            Challenge::Turnstile { .. } => Challenge::Turnstile { bits },
            Challenge::WorkAndTurnstile { .. } => Challenge::WorkAndTurnstile { bits },
        }
    }

    /// Whether a third party's widget is asked for.
    pub const fn asks_turnstile(self) -> bool {
        matches!(
            self,
            Challenge::Turnstile { .. } | Challenge::WorkAndTurnstile { .. }
        )
    }

    fn read(claims: &mut ClaimsReader<'_>) -> Result<Self, Refusal> {
        let name = claims.text("chl")?;
        let refused = Refusal::Claims { claim: "bits" };
        let bits = match claims.optional_number("bits")? {
            None => None,
            Some(bits) => {
                let bits = u8::try_from(bits).map_err(|_| refused)?;
                let in_range = (1..=MAX_WORK_BITS).contains(&bits);
                Some(in_range.then_some(bits).ok_or(refused)?)
            }
        };
        match (name, bits) {
            ("none", None) => Ok(Challenge::None),
            ("pow", Some(bits)) => Ok(Challenge::Work { bits }),
            ("turnstile", Some(bits)) => Ok(Challenge::Turnstile { bits }),
            ("pow+turnstile", Some(bits)) => Ok(Challenge::WorkAndTurnstile { bits }),
            ("none" | "pow" | "turnstile" | "pow+turnstile", _) => Err(refused),
            _ => Err(Refusal::Claims { claim: "chl" }),
        }
    }
}

/// A signed leave to join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    /// Random; the identity of the place that is made with it. Claim `jti`, base64url.
    pub nonce: [u8; NONCE_BYTES],
    /// The shard that will hold the place.
    pub home: u16,
    /// Unix seconds.
    pub issued_at: u64,
    /// Unix seconds; from then on it finds its place again, and makes none.
    pub expires_at: u64,
    /// What has to be done first.
    pub challenge: Challenge,
    /// When the visitor first asked to join, in Unix seconds; set when the home could not be reached and the permit was
    /// signed anew, so that the wait counts.
    pub arrived_at: Option<u64>,
}

impl Permit {
    pub(crate) fn write(&self, claims: ClaimsWriter) -> ClaimsWriter {
        claims
            .text("jti", &nonce_text(&self.nonce))
            .number("home", self.home)
            .number("iat", self.issued_at)
            .number("exp", self.expires_at)
            .text("chl", self.challenge.name())
            .optional_number("bits", self.challenge.bits().map(u64::from))
            .optional_number("arr", self.arrived_at)
    }

    pub(crate) fn read(claims: &mut ClaimsReader<'_>) -> Result<Self, Refusal> {
        Ok(Permit {
            nonce: read_nonce(claims)?,
            home: claims.number("home")?,
            issued_at: claims.number("iat")?,
            expires_at: claims.number("exp")?,
            challenge: Challenge::read(claims)?,
            arrived_at: claims.optional_number("arr")?,
        })
    }
}

/// Bytes of a permit's signature: permits are always signed with HMAC-SHA256.
const SIGNATURE_BYTES: usize = 32;

/// The signature of a permit, which its work is about; `None` for what is no token. Whether it is right is asked by
/// opening the permit.
pub fn permit_signature(token: &str) -> Option<[u8; SIGNATURE_BYTES]> {
    let (_, signature) = token.rsplit_once('.')?;
    let mut bytes = [0; SIGNATURE_BYTES];
    let decoded = Base64UrlUnpadded::decode(signature, &mut bytes).ok()?;
    (decoded.len() == SIGNATURE_BYTES).then_some(bytes)
}

pub(crate) fn nonce_text(nonce: &[u8; NONCE_BYTES]) -> String {
    Base64UrlUnpadded::encode_string(nonce)
}

pub(crate) fn read_nonce(claims: &mut ClaimsReader<'_>) -> Result<[u8; NONCE_BYTES], Refusal> {
    let mut nonce = [0; NONCE_BYTES];
    match Base64UrlUnpadded::decode(claims.text("jti")?, &mut nonce) {
        Ok(decoded) if decoded.len() == NONCE_BYTES => Ok(nonce),
        _ => Err(Refusal::Claims { claim: "jti" }),
    }
}
