//! The shop's address as visitors know it: the waiting room's.

use axum::http::{HeaderMap, header};

/// `http(s)://host[:port]` for links that leave the shop and come back, from what the waiting room wrote into
/// `X-Forwarded-Host` and `X-Forwarded-Proto`. Asked only for requests with a valid pass; a visitor who forges the
/// headers leads nobody astray but themselves.
pub fn public_address(headers: &HeaderMap, configured: Option<&str>) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let forwarded = text("x-forwarded-host").filter(|host| is_host(host));
    let scheme = text("x-forwarded-proto")
        .filter(|scheme| matches!(*scheme, "http" | "https"))
        .unwrap_or("http");
    match (forwarded, configured) {
        (Some(host), _) => format!("{scheme}://{host}"),
        (None, Some(configured)) => configured.to_owned(),
        (None, None) => format!("http://{}", own_host(headers)),
    }
}

/// The `Host` that the request came with.
pub fn own_host(headers: &HeaderMap) -> &str {
    headers
        .get(header::HOST)
        .and_then(|value| value.to_str().ok())
        .filter(|host| is_host(host))
        .unwrap_or("localhost")
}

/// Whether a form comes from the shop's own pages. A pass cookie travels on cross-site requests, because the bank has to
/// find its way back; so it proves nothing about who made the form.
pub fn is_from_own_page(headers: &HeaderMap, configured: Option<&str>) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => origin == public_address(headers, configured),
        (None, None) => true,
    }
}

/// Letters, digits and what else stands in `host:port` or `[address]:port`.
pub fn is_host(text: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']');
    !text.is_empty() && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn the_address_is_the_forwarded_one_if_it_can_be_one() {
        let configured = Some("https://tickets.example.com");
        for (pairs, expected) in [
            (
                &[("x-forwarded-host", "localhost:8787")][..],
                "http://localhost:8787",
            ),
            (
                &[
                    ("x-forwarded-host", "a.example"),
                    ("x-forwarded-proto", "https"),
                ],
                "https://a.example",
            ),
            (
                &[
                    ("x-forwarded-host", "a.example"),
                    ("x-forwarded-proto", "javascript"),
                ],
                "http://a.example",
            ),
            (
                &[("x-forwarded-host", "a.example/\"><script>")],
                "https://tickets.example.com",
            ),
            (&[], "https://tickets.example.com"),
        ] {
            assert_eq!(public_address(&headers(pairs), configured), expected);
        }
        assert_eq!(
            public_address(&headers(&[("host", "127.0.0.1:9")]), None),
            "http://127.0.0.1:9"
        );
    }

    #[test]
    fn a_form_of_another_site_is_recognised() {
        let forwarded = ("x-forwarded-host", "shop.example");
        for (pairs, own) in [
            (&[forwarded, ("sec-fetch-site", "same-origin")][..], true),
            (
                &[
                    forwarded,
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "http://shop.example"),
                ],
                false,
            ),
            (&[forwarded, ("sec-fetch-site", "same-site")], false),
            (&[forwarded, ("origin", "http://shop.example")], true),
            (&[forwarded, ("origin", "http://evil.example")], false),
            (&[forwarded, ("origin", "null")], false),
            (&[forwarded], true),
        ] {
            assert_eq!(is_from_own_page(&headers(pairs), None), own, "{pairs:?}");
        }
    }
}
