//! Tokens of every kind, invitations, and codes that people type.
//!
//! Input: a byte that chooses the kind and what is done, then the bytes. Since nobody finds a signature by chance, the
//! payload is also signed here, with keys derived from the description in docs/tokens.md, and so reaches what reads
//! claims. [`DAY_OF_TESTS`] is when all of it happens.

use anteroom_token::{
    Keyring, MAX_TOKEN_BYTES, Refusal, RootKey, SAMPLE_KEY_CURRENT, Scope, Tokens, permit_signature,
};
use base64ct::{Base64UrlUnpadded, Encoding};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::choice;

/// Unix seconds.
pub const DAY_OF_TESTS: u64 = 1_800_000_000;

const SCOPE: Scope<'static> = Scope {
    issuer: "live",
    event: "world-tour",
    run: 3,
    audience: "tickets.example.com",
};

const KINDS: [&str; 6] = ["permit", "ticket", "pass", "operator", "staff", "enqueue"];

/// Nothing unsigned is opened; what is signed is opened in one form only, and by its own purpose only.
pub fn check(bytes: &[u8]) {
    let (which, bytes) = choice(bytes);
    let kind = usize::from(which) % KINDS.len();
    let tokens = tokens();
    if let Ok(text) = str::from_utf8(bytes) {
        check_text(&tokens, text);
    }
    let token = signed(KINDS[kind], bytes);
    for (other, name) in KINDS.iter().enumerate() {
        let opened = opened(&tokens, other, &token);
        if other != kind {
            assert_eq!(opened, None, "a {} as {name}", KINDS[kind]);
            continue;
        }
        if let Some(again) = opened {
            assert!(token.len() <= MAX_TOKEN_BYTES);
            let has_one_form =
                bytes.starts_with(b"{\"v\":1,") && !has_more_forms(KINDS[kind], bytes);
            assert!(!has_one_form || again == token, "{again} is not {token}");
        }
    }
}

/// Version 2 is read and not written, an organizer's token has more than one spelling, and the words for an operator's role
/// of the release before are read during this one.
fn has_more_forms(kind: &str, payload: &[u8]) -> bool {
    let says = |word: &str| str::from_utf8(payload).is_ok_and(|text| text.contains(word));
    kind == "enqueue" || says("\"scp\":\"read\"") || says("\"scp\":\"write\"")
}

/// What nobody signed.
fn check_text(tokens: &Tokens, text: &str) {
    for (kind, name) in KINDS.into_iter().enumerate() {
        // An input may be one of the signed tokens of the corpus: then it has its form.
        if let Some(again) = opened(tokens, kind, text)
            && name != "enqueue"
        {
            assert!(again.len() <= MAX_TOKEN_BYTES && again.starts_with(header_of(text)));
        }
    }
    if let Some(signature) = permit_signature(text) {
        assert!(text.ends_with(&Base64UrlUnpadded::encode_string(&signature)));
    }
    let lines = [(0, "general"), (1, "members")];
    if let Some((line, code)) = tokens.open_code(text, lines) {
        let again = tokens.seal_code(lines[line].1, code.id(), code.uses());
        assert_eq!(again.text(), code.text());
        assert_eq!(again.hash(lines[line].1), code.hash(lines[line].1));
    }
    if let Some(code) = anteroom_token::HandoverCode::read(text) {
        let again = anteroom_token::HandoverCode::read(&code.text());
        let again = again.expect("its own text is read");
        assert_eq!((again.home(), again.hash()), (code.home(), code.hash()));
    }
}

fn header_of(token: &str) -> &str {
    token.split('.').next().unwrap_or_default()
}

/// Opens `token` as a kind; what opens is sealed again.
fn opened(tokens: &Tokens, kind: usize, token: &str) -> Option<String> {
    let now = DAY_OF_TESTS;
    let later = now + 1;
    match KINDS[kind] {
        "permit" => {
            let expired = tokens.open_expired_permit(token, now);
            let permit = tokens.open_permit(token, now);
            assert!(permit.is_err() || permit == expired);
            expired.ok().map(|permit| tokens.seal_permit(&permit))
        }
        "ticket" => tokens
            .open_ticket(token, now)
            .ok()
            .map(|ticket| tokens.seal_ticket(&ticket)),
        "pass" => {
            let expired = tokens.open_expired_pass(token, now);
            let pass = tokens.open_pass(token, now);
            assert!(pass.is_err() || pass == expired);
            if let (Err(_), Ok(pass)) = (&pass, tokens.open_pass(token, later)) {
                assert!(pass.issued_at > now, "time alone never makes it good again");
            }
            expired.ok().map(|pass| tokens.seal_pass(&pass))
        }
        "operator" => tokens
            .open_operator(token, now)
            .ok()
            .map(|operator| tokens.seal_operator(&operator)),
        "staff" => tokens
            .open_staff(token, now)
            .ok()
            .map(|staff| tokens.seal_staff(&staff)),
        _ => match tokens.open_enqueue(token, now, Some("192.0.2.1")) {
            Ok(invitation) => {
                let again = tokens.seal_enqueue(&invitation);
                // Ours leaves out nothing, so it reads back the same unless it has grown too long.
                match tokens.open_enqueue(&again, now, Some("192.0.2.1")) {
                    Ok(read) => assert_eq!(read, invitation),
                    Err(why) => assert!(matches!(why, Refusal::TooLong { .. }), "{why:?}"),
                }
                Some(again)
            }
            Err(_) => None,
        },
    }
}

fn tokens() -> Tokens {
    let root = RootKey::from_bytes("k2", SAMPLE_KEY_CURRENT).expect("it is a root key");
    Tokens::new(
        &Keyring::from_root_keys(root, None).expect("one key"),
        SCOPE,
    )
}

/// A token with this payload, as docs/tokens.md describes it.
pub fn signed(kind: &str, payload: &[u8]) -> String {
    let typ = format!("wr-{kind}+jwt");
    let audience = match kind {
        "pass" => SCOPE.audience,
        "enqueue" => SCOPE.event,
        _ => "",
    };
    let mut info = Vec::new();
    for field in ["anteroom/token/v1", &typ, "HS256", SCOPE.issuer, audience] {
        info.extend_from_slice(&(field.len() as u16).to_be_bytes());
        info.extend_from_slice(field.as_bytes());
    }
    let mut key = [0; 32];
    Hkdf::<Sha256>::new(None, &SAMPLE_KEY_CURRENT)
        .expand(&info, &mut key)
        .expect("32 bytes");
    let kid = match audience {
        "" => "k2".to_owned(),
        _ => format!(
            "k2.{}",
            &Base64UrlUnpadded::encode_string(&Sha256::digest(&info))[..8]
        ),
    };
    let header = format!("{{\"alg\":\"HS256\",\"typ\":\"{typ}\",\"kid\":\"{kid}\"}}");
    let content = format!(
        "{}.{}",
        Base64UrlUnpadded::encode_string(header.as_bytes()),
        Base64UrlUnpadded::encode_string(payload)
    );
    let mac = Hmac::<Sha256>::new_from_slice(&key).expect("any length");
    let mac = mac.chain_update(&content).finalize().into_bytes();
    format!("{content}.{}", Base64UrlUnpadded::encode_string(&mac))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else everything would be refused, and nothing would be shown.
    #[test]
    fn what_is_signed_here_is_opened() {
        let payloads = [
            r#"{"v":1,"iss":"live","evt":"world-tour","run":3,"jti":"AAAAAAAAAAAAAAAAAAAAAA","home":7,"iat":1799999990,"exp":1800000290,"chl":"none"}"#,
            r#"{"v":1,"iss":"live","evt":"world-tour","run":3,"jti":"AAAAAAAAAAAAAAAAAAAAAA","home":7,"idx":42,"line":0,"ent":9,"arr":1799999990,"iat":1799999990,"exp":1800000290}"#,
            r#"{"v":1,"iss":"live","aud":"tickets.example.com","evt":"world-tour","run":3,"jti":"7.42.1","iat":1799999990,"exp":1800000170,"sx":1800001190}"#,
            r#"{"v":1,"iss":"live","evt":"*","sub":"anna","scp":"view","iat":1799999990,"exp":1800000290}"#,
            r#"{"v":1,"iss":"live","evt":"world-tour","run":3,"jti":"AAAAAAAAAAAAAAAAAAAAAA","name":"anna","iat":1799999990,"exp":1800000290}"#,
            r#"{ "exp": 1800000290, "v":1,"iss":"club","aud":"live","evt":"world-tour","line":"members","key":"m\u0031","jti":"1","iat":1799999990}"#,
        ];
        for (kind, payload) in payloads.iter().enumerate() {
            let token = signed(KINDS[kind], payload.as_bytes());
            let again = opened(&tokens(), kind, &token);
            assert!(again.is_some(), "{}", KINDS[kind]);
            assert_eq!(again.as_ref() == Some(&token), KINDS[kind] != "enqueue");
        }
    }
}
