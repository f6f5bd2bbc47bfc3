//! Root keys and origins' keys: what is refused before anything starts, and how keys change without losing anybody.

mod forge;

use anteroom_token::{
    KeyError, Keyring, Pass, PassAlgorithm, PassScope, PassVerifier, Refusal, RootKey,
    SAMPLE_KEY_CURRENT, SAMPLE_KEY_PREVIOUS, SessionId, Tokens, enqueue_keys, origin_keys,
    public_jwks,
};
use forge::{ENQUEUE, NOW, SCOPE, encode};

const GOOD: &str = "iVm4mWlk0nUlaOIhwkCjz0OzBhSFMcy_hVISSEjA3dA";
const OTHER: &str = "HdQKlzRqFmLlmT0kPIXNufkMYf0ZyipOrqqNZoVIOtg";

#[test]
fn a_key_of_random_bytes_is_taken_with_a_previous_one_or_none() {
    for previous in [
        None,
        Some(""),
        Some("  "),
        Some(format!("k1:{OTHER}").as_str()),
    ] {
        let keyring = Keyring::parse(&format!("k2:{GOOD}\n"), previous).expect("good keys");
        assert_eq!(keyring.current().id(), "k2");
        let count = usize::from(previous.is_some_and(|text| !text.trim().is_empty()));
        assert_eq!(keyring.all().count(), 1 + count);
    }
    assert_eq!(
        RootKey::parse(&format!("k2:{GOOD}"))
            .unwrap()
            .to_secret_text(),
        format!("k2:{GOOD}")
    );
}

/// T5.
#[test]
fn weak_short_and_malformed_keys_are_refused_by_id_only() {
    let counting: [u8; 32] = core::array::from_fn(|at| at as u8);
    let halves: [u8; 32] = core::array::from_fn(|at| (at % 8) as u8 ^ 0x5a);
    let rows: [(&str, String, &str); 18] = [
        ("nothing", String::new(), "form"),
        ("no id", GOOD.to_owned(), "form"),
        ("an empty id", format!(":{GOOD}"), "form"),
        ("an id in capitals", format!("K1:{GOOD}"), "form"),
        ("an id with a path", format!("../k1:{GOOD}"), "form"),
        (
            "an id of 17 characters",
            format!("{}:{GOOD}", "k".repeat(17)),
            "form",
        ),
        ("no key", "k1:".to_owned(), "length"),
        ("31 bytes", format!("k1:{}", encode([0x5a; 31])), "length"),
        ("33 bytes", format!("k1:{}", encode([0x5a; 33])), "length"),
        ("padded", format!("k1:{GOOD}="), "encoding"),
        (
            "the other base64",
            format!("k1:{}", GOOD.replace('_', "/")),
            "encoding",
        ),
        ("all zero", format!("k1:{}", encode([0; 32])), "weak"),
        ("all the same", format!("k1:{}", encode([0xa7; 32])), "weak"),
        ("counting up", format!("k1:{}", encode(counting)), "weak"),
        (
            "eight bytes four times",
            format!("k1:{}", encode(halves)),
            "weak",
        ),
        (
            "a sentence",
            format!("k1:{}", encode("Correct-horse-battery-staple-42!")),
            "weak",
        ),
        (
            "the documentation's key",
            format!("k1:{}", encode(SAMPLE_KEY_CURRENT)),
            "weak",
        ),
        (
            "the documentation's other key",
            format!("k1:{}", encode(SAMPLE_KEY_PREVIOUS)),
            "weak",
        ),
    ];
    for (name, text, expected) in rows {
        let error = Keyring::parse(&text, None).expect_err(name);
        let kind = match error {
            KeyError::Form => "form",
            KeyError::Encoding { .. } => "encoding",
            KeyError::Length { .. } => "length",
            KeyError::Weak { .. } => "weak",
            KeyError::SameId { .. } | KeyError::PublicKey { .. } => "another",
        };
        assert_eq!(kind, expected, "{name}");
        let as_previous = Keyring::parse(&format!("k9:{OTHER}"), Some(&text));
        assert_eq!(
            as_previous.is_err(),
            !text.is_empty(),
            "{name} as the previous key"
        );
        let secret = text.split_once(':').map_or(text.as_str(), |parts| parts.1);
        let said = format!("{error} {error:?}");
        assert!(
            secret.is_empty() || !said.contains(secret),
            "{name}: {said}"
        );
    }
}

#[test]
fn two_keys_with_one_id_are_refused() {
    let same = Keyring::parse(&format!("k1:{GOOD}"), Some(&format!("k1:{OTHER}")));
    assert_eq!(
        same.unwrap_err(),
        KeyError::SameId {
            id: "k1".to_owned()
        }
    );
}

#[test]
fn no_key_shows_itself_in_debug_output() {
    let keyring = Keyring::parse(&format!("k2:{GOOD}"), Some(&format!("k1:{OTHER}"))).unwrap();
    let shown = format!("{keyring:?}");
    assert!(shown.contains("k2") && shown.contains("k1"));
    assert!(
        !shown.contains("137, 89") && !shown.contains(GOOD),
        "{shown}"
    );
}

fn pass() -> Pass {
    let session = SessionId {
        home: 7,
        index: 42,
        generation: 1,
    };
    Pass {
        session,
        issued_at: NOW,
        expires_at: NOW + 180,
        session_ends_at: NOW + 1200,
    }
}

fn scope() -> PassScope {
    PassScope {
        audience: SCOPE.audience.to_owned(),
        issuer: SCOPE.issuer.to_owned(),
        event: None,
    }
}

/// T5.
#[test]
fn an_origin_refuses_keys_it_cannot_trust() {
    let weak_point = encode([&[1][..], &[0; 31]].concat());
    assert!(matches!(
        PassVerifier::hs256("short", "k1.x", scope()),
        Err(KeyError::Encoding { .. } | KeyError::Length { .. })
    ));
    assert!(matches!(
        PassVerifier::hs256(&encode([7; 32]), "k1.x", scope()),
        Err(KeyError::Weak { .. })
    ));
    assert!(matches!(
        PassVerifier::hs256(GOOD, "", scope()),
        Err(KeyError::Form)
    ));
    assert!(matches!(
        PassVerifier::hs256(GOOD, "a\"b", scope()),
        Err(KeyError::Form)
    ));
    assert!(matches!(
        PassVerifier::hs256(GOOD, &"k".repeat(33), scope()),
        Err(KeyError::Form)
    ));
    assert!(matches!(
        PassVerifier::ed25519(&weak_point, "k1.x", scope()),
        Err(KeyError::PublicKey { .. })
    ));
}

/// T27: a rotation with every visitor and an origin that gets its keys later than the edge.
#[test]
fn a_rotation_loses_no_visitor_and_retires_the_old_key() {
    let (old, new) = (format!("k1:{GOOD}"), format!("k2:{OTHER}"));
    for algorithm in [PassAlgorithm::Hs256, PassAlgorithm::Ed25519] {
        let ring =
            |current: &str, previous: Option<&str>| Keyring::parse(current, previous).unwrap();
        let edge = |ring: &Keyring| Tokens::with_algorithm(ring, SCOPE, algorithm);
        let origin = |ring: &Keyring| {
            let keys = origin_keys(ring, SCOPE.issuer, SCOPE.audience, algorithm);
            let mut verifier = None;
            for key in keys {
                verifier = Some(match (verifier, algorithm) {
                    (None, PassAlgorithm::Hs256) => {
                        PassVerifier::hs256(&key.key, &key.key_id, scope()).unwrap()
                    }
                    (None, PassAlgorithm::Ed25519) => {
                        PassVerifier::ed25519(&key.key, &key.key_id, scope()).unwrap()
                    }
                    (Some(verifier), PassAlgorithm::Hs256) => {
                        PassVerifier::and_hs256(verifier, &key.key, &key.key_id).unwrap()
                    }
                    (Some(verifier), PassAlgorithm::Ed25519) => {
                        PassVerifier::and_ed25519(verifier, &key.key, &key.key_id).unwrap()
                    }
                });
            }
            verifier.expect("at least one key")
        };
        let stages = [
            ring(&old, None),       // before
            ring(&old, Some(&new)), // published ahead: opens with both, seals with the old
            ring(&new, Some(&old)), // exchanged
            ring(&old, Some(&new)), // rolled back
            ring(&new, Some(&old)), // exchanged again
            ring(&new, None),       // retired
        ];
        for stage in stages.windows(2) {
            let sealed = edge(&stage[0]).seal_pass(&pass());
            let retired = stage[1].all().count() == 1;
            if !retired {
                assert!(edge(&stage[1]).open_pass(&sealed, NOW).is_ok());
            }
            // The origin still has the keys of the stage before.
            let sealed_now = edge(&stage[1]).seal_pass(&pass());
            assert!(origin(&stage[0]).verify(&sealed_now, NOW).is_ok());
        }
        let old_pass = edge(&stages[0]).seal_pass(&pass());
        assert_eq!(
            edge(&stages[5]).open_pass(&old_pass, NOW),
            Err(Refusal::UnknownKey)
        );
        assert_eq!(
            origin(&stages[5]).verify(&old_pass, NOW),
            Err(Refusal::UnknownKey)
        );
    }
}

/// T20.
#[test]
fn the_key_of_one_origin_is_worth_nothing_at_another() {
    let keyring = Keyring::parse(&format!("k1:{GOOD}"), None).unwrap();
    let of = |audience| origin_keys(&keyring, "live", audience, PassAlgorithm::Hs256).remove(0);
    let (one, other) = (of("a.example"), of("b.example"));
    assert_ne!(one.key, other.key);
    assert_ne!(one.key_id, other.key_id);
    let staging = origin_keys(&keyring, "staging", "a.example", PassAlgorithm::Hs256).remove(0);
    assert_ne!(one.key, staging.key);
}

#[test]
fn a_published_key_set_holds_public_keys_only() {
    let keyring = Keyring::parse(&format!("k1:{GOOD}"), Some(&format!("k0:{OTHER}"))).unwrap();
    let secret = origin_keys(&keyring, "live", "a.example", PassAlgorithm::Hs256);
    assert_eq!(public_jwks(&secret), r#"{"keys":[]}"#);
    let public = origin_keys(&keyring, "live", "a.example", PassAlgorithm::Ed25519);
    let set: serde_json::Value = serde_json::from_str(&public_jwks(&public)).unwrap();
    assert_eq!(set["keys"].as_array().unwrap().len(), 2);
    for key in set["keys"].as_array().unwrap() {
        assert_eq!(
            (key["kty"].as_str(), key["alg"].as_str(), key.get("d")),
            (Some("OKP"), Some("EdDSA"), None)
        );
    }
}

#[test]
fn whoever_invites_gets_the_documented_key_of_each_root() {
    let keys = enqueue_keys(&forge::keyring(), SCOPE.issuer, SCOPE.event);
    assert_eq!(keys.len(), forge::ROOTS.len());
    for (root, key) in keys.iter().enumerate() {
        assert_eq!(key.key_id, ENQUEUE.kid(root));
        assert_eq!(key.key, encode(ENQUEUE.key(root)));
        assert_eq!((&*key.audience, &*key.event), (SCOPE.issuer, SCOPE.event));
    }
}
