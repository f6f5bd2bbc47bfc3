//! Web origins: `https://host[:port]`. Plain http only for this machine, since a pass travels there.

use crate::event::OriginUrl;
use crate::host;

/// What an origin has to look like.
pub const ORIGIN_FORM: &str =
    "\"https://host\" or \"https://host:port\", nothing behind it (http for loopback hosts only)";

/// Reads an origin.
pub fn parse(text: &str) -> Option<OriginUrl> {
    let (secure, authority) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
        (Some(authority), _) => (true, authority),
        (_, Some(authority)) => (false, authority),
        _ => return None,
    };
    let authority = authority
        .strip_suffix('/')
        .unwrap_or(authority)
        .to_ascii_lowercase();
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (authority.as_str(), None),
    };
    let usual = if secure { "443" } else { "80" };
    let port_fits =
        port.is_none_or(|port| !port.starts_with(['0', '+']) && port.parse::<u16>().is_ok());
    if !host::is_name(name) || !port_fits || !(secure || host::is_loopback(name)) {
        return None;
    }
    let authority = if port == Some(usual) {
        name.to_owned()
    } else {
        authority
    };
    Some(OriginUrl { secure, authority })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read_into_one_spelling() {
        for (text, base) in [
            ("https://origin.example.com", "https://origin.example.com"),
            ("https://Origin.example.com/", "https://origin.example.com"),
            (
                "https://origin.example.com:443",
                "https://origin.example.com",
            ),
            (
                "https://origin.example.com:8443",
                "https://origin.example.com:8443",
            ),
            ("https://192.0.2.7", "https://192.0.2.7"),
            ("http://127.0.0.1:4000", "http://127.0.0.1:4000"),
            ("http://localhost", "http://localhost"),
            ("http://[::1]:4000", "http://[::1]:4000"),
        ] {
            assert_eq!(
                parse(text).map(|url| url.base()).as_deref(),
                Some(base),
                "{text}"
            );
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "origin.example.com",
            "demo-shop",
            "http://origin.example.com",
            "ftp://a.example",
            "https://",
            "https:///a",
            "https://a.example/path",
            "https://a.example?b",
            "https://u:p@a.example",
            "https://a.example:0",
            "https://a.example:65536",
            "https://a.example:",
            "https://a_b.example",
            "https://a..b",
            "https://a.example\n",
            "HTTPS//a",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
