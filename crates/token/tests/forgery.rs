//! Whoever has tokens and no key: every small change of a good token is refused.

mod forge;

use anteroom_token::Refusal;
use forge::{EVERY_KIND, Kind, NOW, encode, segments};

fn origin_takes(kind: Kind, token: &str) -> bool {
    kind.purpose == "pass" && forge::verifier(kind).verify(token, NOW).is_ok()
}

/// T24.
#[test]
fn every_flipped_bit_of_a_token_is_refused() {
    for kind in EVERY_KIND {
        let (tokens, verifier, token) = (forge::tokens(kind), forge::verifier(kind), kind.token());
        assert_eq!(kind.open_at_edge(&token, NOW), Ok(()));
        for at in 0..token.len() {
            for bit in 0..8 {
                let mut bytes = token.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                // What is not UTF-8 never reaches this crate as text.
                let Ok(flipped) = String::from_utf8(bytes) else {
                    continue;
                };
                let taken = kind.open_with(&tokens, &flipped, NOW).is_ok()
                    || kind.purpose == "pass" && verifier.verify(&flipped, NOW).is_ok();
                assert!(!taken, "{kind:?}: byte {at}, bit {bit}");
            }
        }
    }
}

/// T24, and so that nothing but the signature refuses it.
#[test]
fn every_flipped_bit_inside_payload_and_signature_is_refused() {
    for kind in EVERY_KIND {
        let token = kind.token();
        let [header, payload, signature] = segments(&token);
        let decode =
            |text| <base64ct::Base64UrlUnpadded as base64ct::Encoding>::decode_vec(text).unwrap();
        let (payload, signature) = (decode(payload), decode(signature));
        let tokens = forge::tokens(kind);
        let refusal = |payload: &[u8], signature: &[u8]| {
            let token = format!("{header}.{}.{}", encode(payload), encode(signature));
            kind.open_with(&tokens, &token, NOW).err()
        };
        assert_eq!(refusal(&payload, &signature), None);
        let flipped = |bytes: &[u8], bit: usize| {
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        };
        for bit in 0..signature.len() * 8 {
            assert_eq!(
                refusal(&payload, &flipped(&signature, bit)),
                Some(Refusal::Signature),
                "signature bit {bit}"
            );
        }
        for bit in 0..payload.len() * 8 {
            assert_eq!(
                refusal(&flipped(&payload, bit), &signature),
                Some(Refusal::Signature),
                "payload bit {bit}"
            );
        }
    }
}

/// T25.
#[test]
fn a_shortened_or_lengthened_signature_is_refused() {
    for kind in EVERY_KIND {
        let token = kind.token();
        let [header, payload, signature] = segments(&token);
        let whole =
            <base64ct::Base64UrlUnpadded as base64ct::Encoding>::decode_vec(signature).unwrap();
        let with = |signature: &[u8]| format!("{header}.{payload}.{}", encode(signature));
        assert_eq!(kind.open_at_edge(&with(&whole), NOW), Ok(()));
        for length in 0..whole.len() {
            let expected = if length == 0 {
                Refusal::Shape
            } else {
                Refusal::Signature
            };
            let cut = with(&whole[..length]);
            assert_eq!(
                kind.open_at_edge(&cut, NOW),
                Err(expected),
                "{kind:?} cut to {length}"
            );
            assert!(!origin_takes(kind, &cut));
        }
        for extra in 1..=32 {
            let mut longer = whole.clone();
            longer.resize(whole.len() + extra, 0);
            assert_eq!(
                kind.open_at_edge(&with(&longer), NOW),
                Err(Refusal::Signature),
                "{kind:?} with {extra} more"
            );
            assert!(!origin_takes(kind, &with(&longer)));
            let mut doubled = whole.clone();
            doubled.extend_from_slice(&whole[..extra]);
            assert_eq!(
                kind.open_at_edge(&with(&doubled), NOW),
                Err(Refusal::Signature),
                "{kind:?} with {extra} of its own"
            );
        }
    }
}

/// T6: safe to log.
#[test]
fn nothing_of_a_refused_token_is_echoed() {
    for kind in EVERY_KIND {
        for junk in ["<script>", "' UNION SELECT", "\u{1b}[31m"] {
            let header = kind.header().replace(&kind.kid(0), junk);
            let refusal = kind
                .open_at_edge(&kind.sign(&header, "{}"), NOW)
                .unwrap_err();
            assert!(!format!("{refusal} {refusal:?}").contains(junk));
        }
    }
}
