//! Why a token is not taken: one value for each question that was answered with no.
//!
//! The questions are asked in the order of the variants. A refusal therefore also says what held: a token refused as
//! [`Refusal::Expired`] has a good signature, complete claims and the right scope. Nothing of the token's text is kept,
//! so a refusal can be logged and answered as it is.

use core::fmt;

use crate::envelope::MAX_TOKEN_BYTES;
use crate::members::{NO_OBJECT, UNKNOWN};

/// Why a token was refused. The greater of two refusals answered more questions with yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// Longer than [`MAX_TOKEN_BYTES`].
    TooLong {
        /// The length of what was presented.
        bytes: usize,
    },
    /// Not three segments of canonical base64url without padding.
    Shape,
    /// The header is not, byte for byte, one that is expected here: another purpose, algorithm or spelling.
    Header,
    /// The header has the right form, and no key with its `kid` is known.
    UnknownKey,
    /// The signature or MAC does not belong to header and payload.
    Signature,
    /// A version of the claims that this release cannot read.
    Version {
        /// What the claim `v` says.
        found: u64,
    },
    /// A claim is missing, mistyped, out of range, repeated, out of its place, or unknown.
    Claims {
        /// The claim at which reading stopped; `end` when something follows the last one. In an enqueue token also
        /// `unknown` for one that does not belong there, and `object` for what is no flat JSON object.
        claim: &'static str,
    },
    /// Issued by another deployment.
    WrongIssuer,
    /// For another audience.
    WrongAudience,
    /// For another event.
    WrongEvent,
    /// For another run of this event.
    WrongRun,
    /// For a visitor with another address.
    WrongIp,
    /// Valid for longer than its kind may be.
    LongLived {
        /// From `iat` to `exp`.
        seconds: u64,
    },
    /// Issued further in the future than clocks may differ.
    NotYet {
        /// When it says it was issued, in Unix seconds.
        issued_at: u64,
    },
    /// Everything else holds; its time is over.
    Expired {
        /// The first second in which it no longer held, in Unix seconds.
        expired_at: u64,
    },
}

impl Refusal {
    /// A stable name for problem documents, logs and test vectors.
    pub fn code(self) -> &'static str {
        match self {
            Refusal::TooLong { .. } => "too-long",
            Refusal::Shape => "shape",
            Refusal::Header => "header",
            Refusal::UnknownKey => "unknown-key",
            Refusal::Signature => "signature",
            Refusal::Version { .. } => "version",
            Refusal::Claims { .. } => "claims",
            Refusal::WrongIssuer => "wrong-issuer",
            Refusal::WrongAudience => "wrong-audience",
            Refusal::WrongEvent => "wrong-event",
            Refusal::WrongRun => "wrong-run",
            Refusal::WrongIp => "wrong-ip",
            Refusal::LongLived { .. } => "long-lived",
            Refusal::NotYet { .. } => "not-yet",
            Refusal::Expired { .. } => "expired",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Refusal::TooLong { bytes } => write!(
                f,
                "the token has {bytes} bytes, allowed are {MAX_TOKEN_BYTES}"
            ),
            Refusal::Shape => {
                f.write_str("not three segments of canonical base64url without padding")
            }
            Refusal::Header => f.write_str("the header is not the one expected here"),
            Refusal::UnknownKey => f.write_str("no key with this key id is known"),
            Refusal::Signature => f.write_str("the signature does not match"),
            Refusal::Version { found } => write!(
                f,
                "claims of version {found} cannot be read by this release"
            ),
            Refusal::Claims { claim: UNKNOWN } => {
                f.write_str("a claim that does not belong in this token")
            }
            Refusal::Claims { claim: NO_OBJECT } => {
                f.write_str("the claims are not one JSON object of texts and whole numbers")
            }
            Refusal::Claims { claim } => write!(
                f,
                "claim {claim}: missing, mistyped, out of range or out of place"
            ),
            Refusal::WrongIssuer => f.write_str("issued by another deployment"),
            Refusal::WrongAudience => f.write_str("for another audience"),
            Refusal::WrongEvent => f.write_str("for another event"),
            Refusal::WrongRun => f.write_str("for another run of this event"),
            Refusal::WrongIp => f.write_str("for a visitor with another address"),
            Refusal::LongLived { seconds } => {
                write!(f, "valid for {seconds} s, longer than its kind may be")
            }
            Refusal::NotYet { issued_at } => {
                write!(f, "issued in the future, at Unix second {issued_at}")
            }
            Refusal::Expired { expired_at } => write!(f, "expired at Unix second {expired_at}"),
        }
    }
}

impl core::error::Error for Refusal {}
