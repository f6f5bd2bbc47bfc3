//! Whether a request that changes something comes from our own page.
//!
//! A WebSocket counts as one: no browser asks whether a page of another site may open it, and what it carries goes both
//! ways. So it is checked whatever its path, also on its way to the origin: there the pass opens it, which travels across
//! sites. Only there the event's other hosts are as good as the one that was asked: a shop's page on `www` may talk to `api`.
//!
//! Browsers say it in `Sec-Fetch-Site`; older ones send `Origin` with every POST. A request that carries neither is a
//! program's, which brings its token itself: a cookie on such a request is refused, since it may be a very old browser
//! led here by another site.

use anteroom_config::host;

use crate::incoming::Incoming;
use crate::problem::Problem;

/// Who sends the request, as far as the headers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// A page of this host, or a site that the event's configuration names.
    Ours,
    /// Another site's page.
    Foreign,
    /// No browser that is younger than these headers.
    Program,
}

/// Who sends it. `cors_origins` are the sites that the event's configuration names.
pub fn sender(incoming: &Incoming, cors_origins: &[String]) -> Sender {
    let origin = incoming.header("origin");
    let named = |origin: &String| cors_origins.iter().any(|allowed| allowed == origin);
    if origin.as_ref().is_some_and(named) {
        return Sender::Ours;
    }
    match (incoming.header("sec-fetch-site").as_deref(), origin) {
        (Some("same-origin" | "none"), _) => Sender::Ours,
        (Some(_), _) => Sender::Foreign,
        (None, Some(origin)) if is_own(&origin, incoming) => Sender::Ours,
        (None, Some(_)) => Sender::Foreign,
        (None, None) => Sender::Program,
    }
}

/// Refuses what another site's page sends, and a cookie from an unknown sender.
pub fn check(
    incoming: &Incoming,
    cors_origins: &[String],
    brings_cookie: bool,
) -> Result<(), Problem> {
    match sender(incoming, cors_origins) {
        Sender::Ours => Ok(()),
        Sender::Program if !brings_cookie => Ok(()),
        Sender::Foreign => Err(Problem::new(
            403,
            "foreign-site",
            "this request may only come from the waiting room's own page",
        )),
        Sender::Program => Err(Problem::new(
            403,
            "unknown-sender",
            "with our cookies, Sec-Fetch-Site or Origin is needed; a program sends its ticket as bearer",
        )),
    }
}

/// The CORS answer for a named site; none for any other.
pub fn cors_headers(incoming: &Incoming, cors_origins: &[String]) -> Vec<(&'static str, String)> {
    if cors_origins.is_empty() {
        return Vec::new();
    }
    let Some(origin) = incoming
        .header("origin")
        .filter(|origin| cors_origins.contains(origin))
    else {
        return Vec::new();
    };
    vec![
        ("access-control-allow-origin", origin),
        ("access-control-allow-credentials", "true".to_owned()),
        (
            "access-control-expose-headers",
            "Waiting-Room-State, Waiting-Room-Pass, Retry-After".to_owned(),
        ),
        ("vary", "Origin".to_owned()),
    ]
}

/// Whether a page sends it that is on another host of the same event, with the scheme and port that were asked.
pub fn is_another_host_of(hosts: &[String], incoming: &Incoming) -> bool {
    let Some(origin) = incoming.header("origin") else {
        return false;
    };
    let scheme = if incoming.secure { "https" } else { "http" };
    let asked = host::normalise(&incoming.authority);
    let port = incoming.authority.strip_prefix(&asked).unwrap_or_default();
    let others = hosts.iter().filter(|host| **host != asked);
    others
        .map(|host| format!("{scheme}://{host}{port}"))
        .any(|other| origin.eq_ignore_ascii_case(&other))
}

fn is_own(origin: &str, incoming: &Incoming) -> bool {
    origin.eq_ignore_ascii_case(&incoming.own_origin())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incoming::Method;

    #[test]
    fn only_our_own_page_and_named_sites_change_anything() {
        let cors = ["https://fans.example".to_owned()];
        let rows: [(&[(&'static str, &str)], Sender); 11] = [
            (&[("sec-fetch-site", "same-origin")], Sender::Ours),
            (&[("sec-fetch-site", "none")], Sender::Ours),
            (&[("sec-fetch-site", "same-site")], Sender::Foreign),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "https://tickets.example.com"),
                ],
                Sender::Foreign,
            ),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "https://fans.example"),
                ],
                Sender::Ours,
            ),
            (&[("origin", "https://tickets.example.com")], Sender::Ours),
            (&[("origin", "http://tickets.example.com")], Sender::Foreign),
            (
                &[("origin", "https://tickets.example.com.evil.example")],
                Sender::Foreign,
            ),
            (&[("origin", "null")], Sender::Foreign),
            (
                &[("origin", "https://fans.example.evil.example")],
                Sender::Foreign,
            ),
            (&[], Sender::Program),
        ];
        for (headers, expected) in rows {
            let incoming = Incoming::listed(
                Method::Post,
                "https://tickets.example.com/_wr/queues/a/tickets",
                headers,
            );
            assert_eq!(sender(&incoming, &cors), expected, "{headers:?}");
            let with_cookie = check(&incoming, &cors, true).is_ok();
            let without = check(&incoming, &cors, false).is_ok();
            assert_eq!(
                (with_cookie, without),
                (expected == Sender::Ours, expected != Sender::Foreign),
                "{headers:?}"
            );
        }
    }

    // C15.
    #[test]
    fn a_page_on_another_host_of_the_event_is_told_from_everybody_elses() {
        let hosts = ["www.shop.example", "api.shop.example"].map(str::to_owned);
        let of = |address: &str, origin: Option<&'static str>| {
            let headers: Vec<_> = origin
                .map(|origin| ("origin", origin))
                .into_iter()
                .collect();
            is_another_host_of(&hosts, &Incoming::listed(Method::Get, address, &headers))
        };
        let api = "https://api.shop.example/live";
        assert!(of(api, Some("https://www.shop.example")));
        assert!(of(
            "https://api.shop.example:8443/",
            Some("https://www.shop.example:8443")
        ));
        assert!(of(
            "http://api.shop.example/",
            Some("http://www.shop.example")
        ));
        for other in [
            None,
            Some("null"),
            Some("http://www.shop.example"),
            Some("https://www.shop.example:8443"),
            Some("https://www.shop.example.evil.example"),
            Some("https://evil.shop.example"),
            Some("https://shop.example"),
            // Its own: that says Sec-Fetch-Site.
            Some("https://api.shop.example"),
        ] {
            assert!(!of(api, other), "{other:?}");
        }
    }

    #[test]
    fn another_site_gets_no_cors_headers() {
        let cors = ["https://fans.example".to_owned()];
        let headers = |origin| {
            let incoming = Incoming::listed(
                Method::Get,
                "https://tickets.example.com/",
                &[("origin", origin)],
            );
            cors_headers(&incoming, &cors)
        };
        assert_eq!(
            headers("https://fans.example")[0],
            (
                "access-control-allow-origin",
                "https://fans.example".to_owned()
            )
        );
        assert!(headers("https://evil.example").is_empty());
        assert!(headers("*").is_empty());
    }
}
