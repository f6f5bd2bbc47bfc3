//! What an origin is given to verify passes with: the key of its audience, as a JWK and as plain base64url.

use base64ct::{Base64UrlUnpadded, Encoding};
use ed25519_dalek::SigningKey;

use crate::Keyring;
use crate::derive::{PassAlgorithm, Purpose, derivation_info, derive, key_id};

/// A key that verifies the passes of one audience.
#[derive(Clone, PartialEq, Eq)]
pub struct OriginKey {
    /// The `kid` in the header of the passes that it verifies.
    pub key_id: String,
    /// Whether [`OriginKey::key`] is a secret ([`PassAlgorithm::Hs256`]) or public ([`PassAlgorithm::Ed25519`]).
    pub algorithm: PassAlgorithm,
    /// The issuer that a pass must name.
    pub issuer: String,
    /// The audience that a pass must name.
    pub audience: String,
    /// The 32 bytes of the secret or public key, base64url without padding.
    pub key: String,
}

impl OriginKey {
    /// The key as a JSON Web Key, with the members `issuer` and `audience` beside those of the standard.
    pub fn jwk(&self) -> String {
        let OriginKey {
            key_id,
            algorithm,
            issuer,
            audience,
            key,
        } = self;
        let alg = algorithm.alg();
        let kind = match algorithm {
            PassAlgorithm::Hs256 => format!(r#""kty":"oct","k":"{key}""#),
            PassAlgorithm::Ed25519 => format!(r#""kty":"OKP","crv":"Ed25519","x":"{key}""#),
        };
        format!(
            r#"{{{kind},"kid":"{key_id}","alg":"{alg}","use":"sig","issuer":"{issuer}","audience":"{audience}"}}"#
        )
    }
}

/// The keys that verify passes of `audience`, one for each root key, the one that signs first.
///
/// # Panics
/// When issuer or audience cannot stand in a claim (see [`crate::is_claim_text`]).
pub fn origin_keys(
    keyring: &Keyring,
    issuer: &str,
    audience: &str,
    algorithm: PassAlgorithm,
) -> Vec<OriginKey> {
    for text in [issuer, audience] {
        assert!(
            crate::is_claim_text(text),
            "issuer and audience must be 1 to 253 bytes of plain ASCII"
        );
    }
    let info = derivation_info(Purpose::Pass, algorithm, issuer, audience);
    let origin_key = |root: &crate::RootKey| {
        let secret = derive(root, &info);
        let key = match algorithm {
            PassAlgorithm::Hs256 => secret,
            PassAlgorithm::Ed25519 => SigningKey::from_bytes(&secret).verifying_key().to_bytes(),
        };
        OriginKey {
            key_id: key_id(Purpose::Pass, root, &info),
            algorithm,
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            key: Base64UrlUnpadded::encode_string(&key),
        }
    };
    keyring.all().map(origin_key).collect()
}

/// The JSON Web Key Set of the public keys among `keys`. Secret ones are left out whatever the caller passes.
pub fn public_jwks(keys: &[OriginKey]) -> String {
    let public: Vec<String> = keys
        .iter()
        .filter(|key| key.algorithm == PassAlgorithm::Ed25519)
        .map(OriginKey::jwk)
        .collect();
    format!(r#"{{"keys":[{}]}}"#, public.join(","))
}
