//! An `Authorization` header on its way to the origin: what of it is a token of ours, in whatever place, stays here. The
//! origin's own passes through, also beside one of ours.

use base64ct::{Base64UrlUnpadded, Encoding};
use serde_json::Value;

use crate::headers::UNREADABLE;

/// The header without ours; `None`: none of ours is in it, and it goes on as it came. Several headers come joined by commas.
pub fn without_ours(header: &str) -> Option<String> {
    if !holds_ours(header) {
        return None;
    }
    let theirs = header
        .split(',')
        .filter(|part| !holds_ours(part) && !part.contains(UNREADABLE));
    Some(theirs.map(str::trim).collect::<Vec<_>>().join(", "))
}

/// Whether a token of ours stands in it, valid or not, between whatever no token is written with.
fn holds_ours(text: &str) -> bool {
    let is_of_a_token = |c: char| c.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&c);
    // Payload and signature stand behind it.
    let begins_one = |run: &str| run.rsplit('.').skip(2).any(is_header_of_ours);
    text.split(|c| !is_of_a_token(c)).any(begins_one)
}

/// Whether this is the first segment of a token of ours. An organizer's has its members in any order.
fn is_header_of_ours(segment: &str) -> bool {
    let bytes = Base64UrlUnpadded::decode_vec(segment).unwrap_or_default();
    let header: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    header["typ"]
        .as_str()
        .is_some_and(|typ| typ.starts_with("wr-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use serde_json::json;

    fn token(header: &str) -> String {
        format!(
            "{}.e30.x",
            Base64UrlUnpadded::encode_string(header.as_bytes())
        )
    }

    #[test]
    fn no_token_of_ours_reaches_the_origin_wherever_it_stands() {
        let room = samples::room(json!([{ "id": "general" }]));
        let ours = [
            room.tokens.seal_pass(&samples::pass()),
            room.tokens.seal_ticket(&samples::ticket()),
            token(r#"{"alg":"EdDSA","typ":"wr-pass+jwt","kid":"k"}"#),
            token("{ \"typ\" : \"wr-enqueue+jwt\", \"kid\":\"k\",\"alg\":\"HS256\" }"),
        ];
        for ours in &ours {
            for (header, expected) in [
                (format!("Bearer {ours}"), ""),
                (format!("bearer\t{ours}"), ""),
                (ours.clone(), ""),
                (format!("Token token=\"{ours}\""), ""),
                (format!("Bearer .{ours}"), ""),
                (format!("Basic YTpi, Bearer {ours}"), "Basic YTpi"),
                (format!("Bearer {ours},Basic YTpi"), "Basic YTpi"),
                (format!("Bearer {ours} , Bearer {ours}"), ""),
                (
                    format!("Digest username=\"a\", realm=\"b\", Bearer {ours}"),
                    "Digest username=\"a\", realm=\"b\"",
                ),
                (format!("Bearer {ours}, Basic \u{fffd}"), ""),
            ] {
                assert_eq!(without_ours(&header).as_deref(), Some(expected), "{header}");
            }
        }
    }

    #[test]
    fn an_authorization_of_the_shops_own_is_not_touched() {
        let foreign = token(r#"{"alg":"HS256","typ":"JWT"}"#);
        for header in [
            "Basic YTpi",
            "Basic YTpi,Bearer  opaque-token ",
            &format!("Bearer {foreign}"),
            "Bearer a.b.c",
            "Bearer \u{fffd}",
            "Digest username=\"wr-pass\", realm=\"wr-\"",
            "",
        ] {
            assert_eq!(without_ours(header), None, "{header}");
        }
    }
}
