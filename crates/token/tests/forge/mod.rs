//! Tokens made by hand, good and bad: an implementation of `docs/tokens.md` of its own, which shares nothing with the
//! crate but the sample keys, so that a mistake in the crate is not repeated in what it is measured with.

#![allow(dead_code, reason = "every test uses its own part of it")]

use anteroom_token::{
    Keyring, PassAlgorithm, PassScope, PassVerifier, Refusal, RootKey, SAMPLE_KEY_CURRENT,
    SAMPLE_KEY_PREVIOUS, Scope, Tokens, origin_keys,
};
use base64ct::{Base64UrlUnpadded, Encoding};
use ed25519_dalek::{Signer, SigningKey};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The second at which everything here happens.
pub const NOW: u64 = 1_800_000_000;
pub const SCOPE: Scope<'static> = Scope {
    issuer: "live",
    event: "world-tour",
    run: 3,
    audience: "tickets.example.com",
};
pub const ROOTS: [(&str, [u8; 32]); 2] = [("k2", SAMPLE_KEY_CURRENT), ("k1", SAMPLE_KEY_PREVIOUS)];

/// A purpose together with the algorithm it is signed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    pub purpose: &'static str,
    pub alg: &'static str,
}

pub const PERMIT: Kind = Kind {
    purpose: "permit",
    alg: "HS256",
};
pub const TICKET: Kind = Kind {
    purpose: "ticket",
    alg: "HS256",
};
pub const PASS: Kind = Kind {
    purpose: "pass",
    alg: "HS256",
};
pub const PUBLIC_PASS: Kind = Kind {
    purpose: "pass",
    alg: "EdDSA",
};
pub const OPERATOR: Kind = Kind {
    purpose: "operator",
    alg: "HS256",
};
pub const STAFF: Kind = Kind {
    purpose: "staff",
    alg: "HS256",
};
/// Made by organizers with whatever library they have, so it has more than one byte form.
pub const ENQUEUE: Kind = Kind {
    purpose: "enqueue",
    alg: "HS256",
};
/// What the edge makes itself.
pub const KINDS: [Kind; 6] = [PERMIT, TICKET, PASS, PUBLIC_PASS, OPERATOR, STAFF];
pub const EVERY_KIND: [Kind; 7] = [PERMIT, TICKET, PASS, PUBLIC_PASS, OPERATOR, STAFF, ENQUEUE];

impl Kind {
    pub fn typ(self) -> String {
        format!("wr-{}+jwt", self.purpose)
    }

    pub fn info(self, issuer: &str, audience: &str) -> Vec<u8> {
        let audience = match self.purpose {
            "pass" => audience,
            "enqueue" => SCOPE.event,
            _ => "",
        };
        let mut info = Vec::new();
        for field in ["anteroom/token/v1", &self.typ(), self.alg, issuer, audience] {
            info.extend_from_slice(&[0, u8::try_from(field.len()).expect("short here")]);
            info.extend_from_slice(field.as_bytes());
        }
        info
    }

    /// The signing key under one of [`ROOTS`].
    pub fn key(self, root: usize) -> [u8; 32] {
        derive(ROOTS[root].1, &self.info(SCOPE.issuer, SCOPE.audience))
    }

    pub fn kid(self, root: usize) -> String {
        let id = ROOTS[root].0;
        match self.purpose {
            "pass" | "enqueue" => format!(
                "{id}.{}",
                &encode(Sha256::digest(self.info(SCOPE.issuer, SCOPE.audience)))[..8]
            ),
            _ => id.to_owned(),
        }
    }

    pub fn header(self) -> String {
        format!(
            r#"{{"alg":"{}","typ":"{}","kid":"{}"}}"#,
            self.alg,
            self.typ(),
            self.kid(0)
        )
    }

    /// Name and raw JSON of every claim, in order.
    pub fn claims(self) -> Vec<(&'static str, String)> {
        let claims: &[(&str, &str)] = match self.purpose {
            "permit" => &[
                ("v", "1"),
                ("iss", r#""live""#),
                ("evt", r#""world-tour""#),
                ("run", "3"),
                ("jti", r#""AAECAwQFBgcICQoLDA0ODw""#),
                ("home", "7"),
                ("iat", "1799999940"),
                ("exp", "1800000120"),
                ("chl", r#""pow""#),
                ("bits", "16"),
                ("arr", "1799999900"),
            ],
            "ticket" => &[
                ("v", "1"),
                ("iss", r#""live""#),
                ("evt", r#""world-tour""#),
                ("run", "3"),
                ("jti", r#""AAECAwQFBgcICQoLDA0ODw""#),
                ("home", "7"),
                ("idx", "42"),
                ("line", "0"),
                ("ent", "1234"),
                ("rank", "987"),
                ("arr", "1799999900"),
                ("iat", "1799999940"),
                ("exp", "1800000120"),
            ],
            "pass" => &[
                ("v", "1"),
                ("iss", r#""live""#),
                ("aud", r#""tickets.example.com""#),
                ("evt", r#""world-tour""#),
                ("run", "3"),
                ("jti", r#""7.42.1""#),
                ("iat", "1799999940"),
                ("exp", "1800000120"),
                ("sx", "1800001140"),
            ],
            "operator" => &[
                ("v", "1"),
                ("iss", r#""live""#),
                ("evt", r#""world-tour""#),
                ("sub", r#""night shift""#),
                ("scp", r#""operate""#),
                ("iat", "1799999940"),
                ("exp", "1800000120"),
            ],
            "staff" => &[
                ("v", "1"),
                ("iss", r#""live""#),
                ("evt", r#""world-tour""#),
                ("run", "3"),
                ("jti", r#""AAECAwQFBgcICQoLDA0ODw""#),
                ("name", r#""box office""#),
                ("iat", "1799999940"),
                ("exp", "1800000120"),
            ],
            "enqueue" => &[
                ("v", "1"),
                ("iss", r#""shop.example.com""#),
                ("aud", r#""live""#),
                ("evt", r#""world-tour""#),
                ("line", r#""fans""#),
                ("key", r#""member-4711""#),
                ("jti", r#""mail-0815""#),
                ("iat", "1799999940"),
                ("exp", "1800000120"),
            ],
            other => panic!("no claims for {other}"),
        };
        claims
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect()
    }

    /// The claims with one of them changed.
    pub fn claims_with(self, name: &str, value: &str) -> Vec<(&'static str, String)> {
        let mut claims = self.claims();
        claims
            .iter_mut()
            .filter(|claim| claim.0 == name)
            .for_each(|claim| value.clone_into(&mut claim.1));
        claims
    }

    pub fn optional(self, name: &str) -> bool {
        matches!((self.purpose, name), ("permit", "arr") | ("ticket", "rank"))
    }

    pub fn token(self) -> String {
        self.sign(&self.header(), &object(&self.claims()))
    }

    pub fn sign_claims(self, claims: &[(&str, String)]) -> String {
        self.sign(&self.header(), &object(claims))
    }

    /// A token with the right key and whatever header and payload.
    pub fn sign(self, header: &str, payload: &str) -> String {
        sign_segments(self.alg, &self.key(0), &encode(header), &encode(payload))
    }

    /// What the edge answers.
    pub fn open_at_edge(self, token: &str, now: u64) -> Result<(), Refusal> {
        self.open_with(&tokens(self), token, now)
    }

    /// As [`Kind::open_at_edge`], with keys that are already derived.
    pub fn open_with(self, tokens: &Tokens, token: &str, now: u64) -> Result<(), Refusal> {
        match self.purpose {
            "permit" => tokens.open_permit(token, now).map(drop),
            "ticket" => tokens.open_ticket(token, now).map(drop),
            "pass" => tokens.open_pass(token, now).map(drop),
            "operator" => tokens.open_operator(token, now).map(drop),
            "staff" => tokens.open_staff(token, now).map(drop),
            "enqueue" => tokens.open_enqueue(token, now, None).map(drop),
            other => panic!("no way to open {other}"),
        }
    }
}

pub fn object(claims: &[(&str, String)]) -> String {
    let claims: Vec<String> = claims
        .iter()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", claims.join(","))
}

pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    Base64UrlUnpadded::encode_string(bytes.as_ref())
}

pub fn derive(root: [u8; 32], info: &[u8]) -> [u8; 32] {
    let mut key = [0; 32];
    Hkdf::<Sha256>::new(None, &root)
        .expand(info, &mut key)
        .expect("32 bytes");
    key
}

/// `header.payload` is signed as the two texts stand, whether they are base64url or not.
pub fn sign_segments(alg: &str, key: &[u8; 32], header: &str, payload: &str) -> String {
    let signed = format!("{header}.{payload}");
    let signature = match alg {
        "EdDSA" => SigningKey::from_bytes(key)
            .sign(signed.as_bytes())
            .to_bytes()
            .to_vec(),
        _ => mac(key, signed.as_bytes()).to_vec(),
    };
    format!("{signed}.{}", encode(signature))
}

pub fn mac(key: &[u8], signed: &[u8]) -> [u8; 32] {
    Hmac::<Sha256>::new_from_slice(key)
        .expect("any length")
        .chain_update(signed)
        .finalize()
        .into_bytes()
        .into()
}

pub fn public_key(secret: &[u8; 32]) -> [u8; 32] {
    SigningKey::from_bytes(secret).verifying_key().to_bytes()
}

/// Header, payload and signature segment.
pub fn segments(token: &str) -> [&str; 3] {
    let parts: Vec<&str> = token.split('.').collect();
    parts.try_into().expect("three segments")
}

pub fn keyring() -> Keyring {
    let root = |(id, bytes)| RootKey::from_bytes(id, bytes).expect("a well-formed id");
    Keyring::from_root_keys(root(ROOTS[0]), Some(root(ROOTS[1]))).expect("two ids")
}

fn algorithm(kind: Kind) -> PassAlgorithm {
    if kind.alg == "EdDSA" {
        PassAlgorithm::Ed25519
    } else {
        PassAlgorithm::Hs256
    }
}

pub fn tokens(kind: Kind) -> Tokens {
    Tokens::with_algorithm(&keyring(), SCOPE, algorithm(kind))
}

/// An origin that takes passes of the event, with the keys it would be given.
pub fn verifier(kind: Kind) -> PassVerifier {
    let scope = PassScope {
        audience: SCOPE.audience.to_owned(),
        issuer: SCOPE.issuer.to_owned(),
        event: Some(SCOPE.event.to_owned()),
    };
    let keys = origin_keys(&keyring(), SCOPE.issuer, SCOPE.audience, algorithm(kind));
    let (first, second) = (&keys[0], &keys[1]);
    let verifier = match kind.alg {
        "EdDSA" => PassVerifier::ed25519(&first.key, &first.key_id, scope)
            .and_then(|verifier| verifier.and_ed25519(&second.key, &second.key_id)),
        _ => PassVerifier::hs256(&first.key, &first.key_id, scope)
            .and_then(|verifier| verifier.and_hs256(&second.key, &second.key_id)),
    };
    verifier.expect("derived keys are good keys")
}
