//! Length, alphabet, segments, header, signature.

use anteroom_token::MAX_TOKEN_BYTES;

use super::at_edge;
use crate::case::Case;
use crate::forge::{
    EVERY_KIND, Kind, SCOPE, derive, encode, mac, object, public_key, segments, sign_segments,
};

pub fn cases(kind: Kind) -> Vec<Case> {
    let mut cases = segment_cases(kind);
    cases.extend(header_cases(kind));
    cases.extend(signature_cases(kind));
    cases.extend(purpose_cases(kind));
    cases
}

/// T4, T9, T10: missing, further and empty segments, an empty signature, and what is no letter of base64url.
fn segment_cases(kind: Kind) -> Vec<Case> {
    let token = kind.token();
    let [header, payload, signature] = segments(&token);
    let refused = |name: &str, token: String, refusal| at_edge(kind, name, token, refusal);
    let mut cases = vec![
        refused("nothing", String::new(), "shape"),
        refused("one segment", header.to_owned(), "shape"),
        refused("two segments", format!("{header}.{payload}"), "shape"),
        refused(
            "two segments and a dot",
            format!("{header}.{payload}."),
            "shape",
        ),
        refused(
            "signature null",
            format!("{header}.{payload}.null"),
            "signature",
        ),
        refused("four segments", format!("{token}.{signature}"), "shape"),
        refused(
            "five segments",
            format!("{token}.{payload}.{signature}"),
            "shape",
        ),
        refused("trailing dot", format!("{token}."), "shape"),
        refused("leading dot", format!(".{token}"), "shape"),
        refused("empty header", format!(".{payload}.{signature}"), "shape"),
        refused("empty payload", format!("{header}..{signature}"), "shape"),
        refused("only dots", "..".to_owned(), "shape"),
        refused(
            "longer than allowed",
            format!("{token}{}", "A".repeat(MAX_TOKEN_BYTES + 1 - token.len())),
            "too-long",
        ),
    ];
    for (what, junk) in [
        ("padding", "="),
        ("a plus", "+"),
        ("a slash", "/"),
        ("a space", " "),
        ("a newline", "\n"),
        ("a carriage return", "\r"),
        ("a question mark", "?"),
        ("a NUL", "\0"),
        ("a letter outside ASCII", "\u{e9}"),
        ("a tab", "\t"),
    ] {
        let signed =
            |header: &str, payload: &str| sign_segments(kind.alg, &kind.key(0), header, payload);
        cases.push(refused(
            &format!("{what} in the header"),
            signed(&format!("{header}{junk}"), payload),
            "shape",
        ));
        cases.push(refused(
            &format!("{what} in the payload"),
            signed(header, &format!("{payload}{junk}")),
            "shape",
        ));
        cases.push(refused(
            &format!("{what} after the signature"),
            format!("{token}{junk}"),
            "shape",
        ));
        cases.push(refused(
            &format!("{what} before the header"),
            format!("{junk}{token}"),
            "shape",
        ));
    }
    let other_last = |text: &str| {
        format!(
            "{}{}",
            &text[..text.len() - 1],
            next_letter(text.as_bytes()[text.len() - 1])
        )
    };
    cases.push(refused(
        "spare bits set in the signature",
        format!("{header}.{payload}.{}", other_last(signature)),
        "shape",
    ));
    let spare = encode(spare_bits(&object(&kind.claims())));
    let loose = sign_segments(kind.alg, &kind.key(0), header, &other_last(&spare));
    cases.push(refused("spare bits set in the payload", loose, "shape"));
    cases
}

/// Pads the payload with a space or two until its base64url has spare bits in the last letter.
fn spare_bits(payload: &str) -> String {
    let mut payload = payload.to_owned();
    while payload.len().is_multiple_of(3) {
        payload.push(' ');
    }
    payload
}

/// The next letter of the base64url alphabet after one whose spare bits are zero: it decodes to the same bytes.
fn next_letter(letter: u8) -> char {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let at = ALPHABET
        .iter()
        .position(|other| *other == letter)
        .expect("a base64url letter");
    char::from(ALPHABET[at + 1])
}

/// T1, T2, T6, T13: algorithms that are not the key's, strange key ids, and every other spelling of the header.
fn header_cases(kind: Kind) -> Vec<Case> {
    let (typ, kid, alg, payload) = (kind.typ(), kind.kid(0), kind.alg, object(&kind.claims()));
    let mut headers: Vec<(String, String, &str)> = Vec::new();
    for other in [
        "none", "None", "nOnE", "NONE", "HS384", "HS512", "RS256", "ES256", "PS256", "hs256",
        "eddsa", "Ed25519", "ES256K", "",
    ] {
        headers.push((
            format!("alg {other:?}"),
            kind.header()
                .replace(&format!(r#""alg":"{alg}""#), &format!(r#""alg":"{other}""#)),
            "header",
        ));
    }
    for other in [
        "JWT",
        "jwt",
        "",
        "WR-PASS+JWT",
        "application/wr-pass+jwt",
        "wr-code",
    ] {
        headers.push((
            format!("typ {other:?}"),
            kind.header().replace(&typ, other),
            "header",
        ));
    }
    for other in ["k3", "K1", "k1.AAAAAAAA", "0", "latest"] {
        headers.push((
            format!("unknown kid {other:?}"),
            kind.header().replace(&kid, other),
            "unknown-key",
        ));
    }
    for other in [
        "../../dev/null",
        "' UNION SELECT 'a",
        "k2\0",
        "",
        "k2 ",
        "k2\n",
        "k\u{e9}",
        &"k".repeat(33),
    ] {
        headers.push((
            format!("kid {:?}", other.escape_debug().to_string()),
            kind.header().replace(&kid, other),
            "header",
        ));
    }
    let spellings = [
        (
            "reordered",
            format!(r#"{{"typ":"{typ}","alg":"{alg}","kid":"{kid}"}}"#),
        ),
        (
            "kid first",
            format!(r#"{{"kid":"{kid}","alg":"{alg}","typ":"{typ}"}}"#),
        ),
        (
            "white space",
            format!(r#"{{"alg": "{alg}","typ":"{typ}","kid":"{kid}"}}"#),
        ),
        ("trailing white space", format!("{} ", kind.header())),
        (
            "leading byte order mark",
            format!("\u{feff}{}", kind.header()),
        ),
        (
            "alg twice",
            format!(r#"{{"alg":"{alg}","alg":"{alg}","typ":"{typ}","kid":"{kid}"}}"#),
        ),
        (
            "alg none, then the right one",
            format!(r#"{{"alg":"none","alg":"{alg}","typ":"{typ}","kid":"{kid}"}}"#),
        ),
        (
            "kid twice",
            format!(r#"{{"alg":"{alg}","typ":"{typ}","kid":"{kid}","kid":"{kid}"}}"#),
        ),
        ("no typ", format!(r#"{{"alg":"{alg}","kid":"{kid}"}}"#)),
        ("no kid", format!(r#"{{"alg":"{alg}","typ":"{typ}"}}"#)),
        ("no alg", format!(r#"{{"typ":"{typ}","kid":"{kid}"}}"#)),
        (
            "crit",
            format!(r#"{{"alg":"{alg}","typ":"{typ}","kid":"{kid}","crit":["b64"],"b64":false}}"#),
        ),
        (
            "jku",
            format!(
                r#"{{"alg":"{alg}","typ":"{typ}","kid":"{kid}","jku":"https://evil.example/keys"}}"#
            ),
        ),
        (
            "embedded key",
            format!(
                r#"{{"alg":"{alg}","typ":"{typ}","kid":"{kid}","jwk":{{"kty":"oct","k":"AA"}}}}"#
            ),
        ),
        (
            "escaped letter",
            format!(r#"{{"alg":"{alg}","typ":"{typ}","kid":"{kid}"}}"#).replace("typ", r"t\u0079p"),
        ),
        ("not JSON", "header".to_owned()),
        ("an array", "[]".to_owned()),
        ("an empty object", "{}".to_owned()),
    ];
    headers.extend(spellings.map(|(name, header)| (name.to_owned(), header, "header")));
    headers
        .into_iter()
        .map(|(name, header, refusal)| {
            at_edge(
                kind,
                format!("header: {name}"),
                kind.sign(&header, &payload),
                refusal,
            )
        })
        .chain(["none", "None", "nOnE", "NONE"].map(|none| {
            let header = encode(kind.header().replace(kind.alg, none));
            at_edge(
                kind,
                format!("alg {none:?}, empty signature"),
                format!("{header}.{}.", encode(&payload)),
                "shape",
            )
        }))
        .collect()
}

/// T2, T3, T24: signatures with another key or algorithm, or over something else.
fn signature_cases(kind: Kind) -> Vec<Case> {
    let token = kind.token();
    let [header, payload, _] = segments(&token);
    let signed = format!("{header}.{payload}");
    let refused = |name: &str, token: String, refusal| {
        at_edge(kind, format!("signature: {name}"), token, refusal)
    };
    let with = |signature: &[u8]| format!("{signed}.{}", encode(signature));
    let made_with = |key: [u8; 32]| sign_segments(kind.alg, &key, header, payload);
    let other = |issuer, audience| derive(crate::forge::ROOTS[0].1, &kind.info(issuer, audience));
    let mut cases = vec![
        refused("all zero", with(&[0; 32]), "signature"),
        refused("all zero, 64 bytes", with(&[0; 64]), "signature"),
        refused(
            "with the root key itself",
            made_with(crate::forge::ROOTS[0].1),
            "signature",
        ),
        refused(
            "with the other root's key",
            made_with(kind.key(1)),
            "signature",
        ),
        refused(
            "with the key of another issuer",
            made_with(other("staging", SCOPE.audience)),
            "signature",
        ),
        refused(
            "with an empty key",
            with(&mac(&[], signed.as_bytes())),
            "signature",
        ),
        refused(
            "a bare SHA-256",
            with(&<sha2::Sha256 as sha2::Digest>::digest(&signed)),
            "signature",
        ),
        refused(
            "over the payload only",
            with(&mac(&kind.key(0), payload.as_bytes())),
            "signature",
        ),
        refused(
            "of another payload",
            format!("{signed}.{}", segments(&kind.sign(&kind.header(), "{}"))[2]),
            "signature",
        ),
    ];
    if kind.purpose == "pass" {
        cases.push(refused(
            "with the key of another audience",
            made_with(other(SCOPE.issuer, "other.example.com")),
            "signature",
        ));
    }
    if kind.alg == "EdDSA" {
        let public = public_key(&kind.key(0));
        cases.push(refused(
            "HS256 with the public key, header unchanged",
            with(&mac(&public, signed.as_bytes())),
            "signature",
        ));
        let confused = kind.header().replace("EdDSA", "HS256");
        cases.push(refused(
            "HS256 with the public key",
            sign_segments("HS256", &public, &encode(confused), payload),
            "header",
        ));
    }
    cases
}

/// T21: tokens of every other purpose, all ordered pairs: as they are, and with the header of this one, under which the
/// MAC fails too.
fn purpose_cases(kind: Kind) -> Vec<Case> {
    let mut cases = Vec::new();
    for other in EVERY_KIND.into_iter().filter(|other| *other != kind) {
        let name = format!("a {} signed with {}", other.purpose, other.alg);
        cases.push(at_edge(kind, name.clone(), other.token(), "header"));
        let payload = object(&other.claims());
        let disguised = sign_segments(
            other.alg,
            &other.key(0),
            &encode(kind.header()),
            &encode(payload),
        );
        cases.push(at_edge(
            kind,
            format!("{name}, under this header"),
            disguised,
            "signature",
        ));
    }
    cases
}
