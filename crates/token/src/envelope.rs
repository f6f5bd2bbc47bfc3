//! The compact form: `header.payload.signature`, checked from the outside in.
//!
//! Length, alphabet and the two dots come first, then the header, which must be byte for byte the one of a known key.
//! So no algorithm is ever chosen by what a visitor sends. The signature is verified before one byte of the payload is
//! decoded, in constant time for the MAC and with the strict equation for Ed25519.

use base64ct::{Base64UrlUnpadded, Encoding};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Refusal;
use crate::derive::PassAlgorithm;
use crate::keys::KEY_BYTES;

/// The longest token that is looked at. The longest that is made (two host names of 253 bytes) stays below it.
pub const MAX_TOKEN_BYTES: usize = 1024;
/// The longest `kid`: a root key's id, a dot, a fingerprint, and room for keys that an origin names itself.
pub(crate) const MAX_KEY_ID_IN_HEADER_BYTES: usize = 32;
const HEADER_END: &str = "\"}";

type HmacSha256 = Hmac<Sha256>;

/// The key that a signature is made or checked with.
#[derive(Clone)]
pub(crate) enum Signing {
    Hs256(HmacSha256),
    Ed25519(Box<SigningKey>),
}

impl Signing {
    pub(crate) fn new(algorithm: PassAlgorithm, key: &[u8; KEY_BYTES]) -> Self {
        match algorithm {
            PassAlgorithm::Hs256 => Signing::Hs256(hmac_of(key)),
            PassAlgorithm::Ed25519 => Signing::Ed25519(Box::new(SigningKey::from_bytes(key))),
        }
    }

    pub(crate) fn checking(&self) -> Checking {
        match self {
            Signing::Hs256(mac) => Checking::Hs256(mac.clone()),
            Signing::Ed25519(key) => Checking::Ed25519(key.verifying_key()),
        }
    }
}

/// What a signature is checked with.
#[derive(Clone)]
pub(crate) enum Checking {
    Hs256(HmacSha256),
    Ed25519(VerifyingKey),
}

impl Checking {
    pub(crate) fn hs256(key: &[u8; KEY_BYTES]) -> Self {
        Checking::Hs256(hmac_of(key))
    }

    fn algorithm(&self) -> PassAlgorithm {
        match self {
            Checking::Hs256(_) => PassAlgorithm::Hs256,
            Checking::Ed25519(_) => PassAlgorithm::Ed25519,
        }
    }

    fn holds(&self, signed: &[u8], signature: &[u8]) -> bool {
        match self {
            Checking::Hs256(mac) => mac
                .clone()
                .chain_update(signed)
                .verify_slice(signature)
                .is_ok(),
            Checking::Ed25519(key) => Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify_strict(signed, &signature).is_ok()),
        }
    }
}

fn hmac_of(key: &[u8; KEY_BYTES]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).expect("HMAC takes keys of any length")
}

/// Makes tokens of one purpose with one key.
pub(crate) struct Sealer {
    header: String,
    signing: Signing,
}

impl Sealer {
    pub(crate) fn new(typ: &str, key_id: &str, signing: Signing) -> Self {
        let header = Base64UrlUnpadded::encode_string(
            header(signing.checking().algorithm(), typ, key_id).as_bytes(),
        );
        Sealer { header, signing }
    }

    pub(crate) fn seal(&self, payload: &str) -> String {
        let mut token = format!(
            "{}.{}",
            self.header,
            Base64UrlUnpadded::encode_string(payload.as_bytes())
        );
        let signature = match &self.signing {
            Signing::Hs256(mac) => Base64UrlUnpadded::encode_string(
                &mac.clone().chain_update(&token).finalize().into_bytes(),
            ),
            Signing::Ed25519(key) => {
                Base64UrlUnpadded::encode_string(&key.sign(token.as_bytes()).to_bytes())
            }
        };
        token.push('.');
        token.push_str(&signature);
        token
    }
}

/// Checks tokens of one purpose with one key.
pub(crate) struct Opener {
    header: String,
    header_start: String,
    checking: Checking,
}

impl Opener {
    pub(crate) fn new(typ: &str, key_id: &str, checking: Checking) -> Self {
        let plain = header(checking.algorithm(), typ, key_id);
        let header_start = plain[..plain.len() - key_id.len() - HEADER_END.len()].to_owned();
        Opener {
            header: Base64UrlUnpadded::encode_string(plain.as_bytes()),
            header_start,
            checking,
        }
    }

    pub(crate) fn of(typ: &str, key_id: &str, signing: &Signing) -> Self {
        Opener::new(typ, key_id, signing.checking())
    }

    /// Whether only the key id of this header is not ours.
    fn differs_in_key_id_only(&self, header: &str) -> bool {
        header
            .strip_prefix(self.header_start.as_str())
            .and_then(|rest| rest.strip_suffix(HEADER_END))
            .is_some_and(is_key_id)
    }
}

/// The three segments of a token that has an allowed length and only letters of base64url in them.
pub(crate) struct Compact<'a> {
    pub(crate) header: &'a str,
    payload: &'a str,
    /// Header and payload with their dot, as the signature covers them.
    signed: &'a str,
    signature: &'a str,
}

impl<'a> Compact<'a> {
    pub(crate) fn of(token: &'a str) -> Result<Self, Refusal> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(Refusal::TooLong { bytes: token.len() });
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(Refusal::Shape)?;
        let (header, payload) = signed.split_once('.').ok_or(Refusal::Shape)?;
        let segment = |text: &str| !text.is_empty() && text.bytes().all(is_base64url);
        if !(segment(header) && segment(payload) && segment(signature)) {
            return Err(Refusal::Shape);
        }
        Ok(Compact {
            header,
            payload,
            signed,
            signature,
        })
    }

    /// The payload, once the signature holds.
    pub(crate) fn payload_under(&self, checking: &Checking) -> Result<Vec<u8>, Refusal> {
        let signature =
            Base64UrlUnpadded::decode_vec(self.signature).map_err(|_| Refusal::Shape)?;
        if !checking.holds(self.signed.as_bytes(), &signature) {
            return Err(Refusal::Signature);
        }
        Base64UrlUnpadded::decode_vec(self.payload).map_err(|_| Refusal::Shape)
    }
}

/// The payload of a token whose header and signature hold under one of the keys.
pub(crate) fn open(openers: &[Opener], token: &str) -> Result<Vec<u8>, Refusal> {
    let compact = Compact::of(token)?;
    let opener = openers
        .iter()
        .find(|opener| opener.header == compact.header)
        .ok_or_else(|| unknown_header(openers, compact.header))?;
    compact.payload_under(&opener.checking)
}

fn unknown_header(openers: &[Opener], header: &str) -> Refusal {
    let plain = Base64UrlUnpadded::decode_vec(header)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    match plain {
        Some(plain)
            if openers
                .iter()
                .any(|opener| opener.differs_in_key_id_only(&plain)) =>
        {
            Refusal::UnknownKey
        }
        _ => Refusal::Header,
    }
}

fn header(algorithm: PassAlgorithm, typ: &str, key_id: &str) -> String {
    format!(
        "{{\"alg\":\"{}\",\"typ\":\"{typ}\",\"kid\":\"{key_id}{HEADER_END}",
        algorithm.alg()
    )
}

/// Whether `text` can be a `kid`.
pub(crate) fn is_key_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX_KEY_ID_IN_HEADER_BYTES).contains(&text.len()) && text.bytes().all(plain)
}

fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_looked_at_up_to_its_longest() {
        let refused = |bytes| Compact::of(&"a".repeat(bytes)).err();
        assert_eq!(refused(MAX_TOKEN_BYTES), Some(Refusal::Shape));
        let bytes = MAX_TOKEN_BYTES + 1;
        assert_eq!(refused(bytes), Some(Refusal::TooLong { bytes }));
    }
}
