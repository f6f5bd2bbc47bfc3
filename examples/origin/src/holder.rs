//! Who has the seats.
//!
//! That is the place behind the session, the same in every pass and every browser of it. While the waiting room lets
//! everything pass (mode `off`) there are no sessions, and every visitor's pass names the same nobody: then the browser
//! keeps a number of the shop's own.

use anteroom_token::{PassClaims, SessionId};
use axum::http::{HeaderMap, HeaderValue, header};

use crate::random::{UNGUESSABLE_CHARS, unguessable};

const COOKIE: &str = "shop-holder";

/// The holder, and the cookie to set where the browser has to keep who it is.
pub fn holder_of(claims: &PassClaims, headers: &HeaderMap) -> (String, Option<HeaderValue>) {
    if claims.session != SessionId::NONE {
        let SessionId { home, index, .. } = claims.session;
        return (format!("{}.{home}.{index}", claims.run), None);
    }
    match kept(headers) {
        Some(number) => (format!("browser {number}"), None),
        None => {
            let number = unguessable();
            let cookie = HeaderValue::from_str(&cookie(&number, headers));
            (
                format!("browser {number}"),
                Some(cookie.expect("base64url is plain text")),
            )
        }
    }
}

fn kept(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter();
    cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, number)| *name == COOKIE && is_number(number))
        .map(|(_, number)| number)
}

fn is_number(text: &str) -> bool {
    text.len() == UNGUESSABLE_CHARS
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// The bank posts back from its own site, which only a `SameSite=None` cookie survives, and only over TLS.
fn cookie(number: &str, headers: &HeaderMap) -> String {
    let proto = headers.get("x-forwarded-proto");
    let same_site = if proto.is_some_and(|proto| proto == "https") {
        "Secure; SameSite=None"
    } else {
        "SameSite=Lax"
    };
    format!("{COOKIE}={number}; Path=/; HttpOnly; {same_site}")
}
