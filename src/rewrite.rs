//! What changes in headers on the way to the origin and back, as pure functions on names and values.
//!
//! No origin host name reaches a visitor, nothing that a visitor sends can pass for ours, and nothing of ours that is
//! for the visitor reaches the origin.

use crate::incoming::{Incoming, host_of};

/// Headers that only a proxy may set on a request: they say where it came from and what it asked for. An origin may
/// believe them, so a visitor's own are taken away. `Proxy` is none, but gateway interfaces make of it the variable by which
/// programs find their own proxy (<https://httpoxy.org>); `Proxy-Authorization` was for whoever is asked, which is the edge.
const NOT_FROM_VISITORS: [&str; 20] = [
    "proxy",
    "proxy-authorization",
    "x-forward-for",
    "x-scheme",
    "x-url-scheme",
    "front-end-https",
    "forwarded",
    "x-forwarded",
    "x-host",
    "x-http-host-override",
    "x-real-ip",
    "x-client-ip",
    "client-ip",
    "true-client-ip",
    "x-cluster-client-ip",
    "fastly-client-ip",
    "x-remote-ip",
    "x-remote-addr",
    "x-originating-ip",
    "x-proxyuser-ip",
];
/// Of headers that begin so there are many, all of that kind.
const KINDS_NOT_FROM_VISITORS: [&str; 4] =
    ["x-forwarded-", "x-original-", "x-rewrite-", "x-envoy-"];
/// What the platform says about a request; it takes away a visitor's own in this spelling only.
const PLATFORM_PREFIX: &str = "cf-";

/// What a browser puts into a preflight (and what begins so). Nothing else belongs there: no credentials, no body.
const OF_PREFLIGHTS: [&str; 5] = ["accept", "origin", "referer", "user-agent", "dnt"];
const KINDS_OF_PREFLIGHTS: [&str; 5] = [
    "access-control-request-",
    "accept-",
    "sec-fetch-",
    "sec-ch-",
    "sec-gpc",
];

/// Headers by which an origin tells shared caches more than `Cache-Control` does, and which they believe first (RFC 9213,
/// and what was there before it). They go from a response that is for one visitor only.
pub const FOR_SHARED_CACHES: [&str; 4] = [
    "expires",
    "cdn-cache-control",
    "cloudflare-cdn-cache-control",
    "surrogate-control",
];

/// The pass on its way to the origin; the only header of ours that it gets.
pub const PASS_HEADER: &str = "waiting-room-pass";
/// What an origin tells us.
pub const COMMAND_HEADER: &str = "waiting-room-command";
/// Headers that begin so are ours in both directions.
pub const OUR_PREFIX: &str = "waiting-room-";

/// Whether a request header of this lower-case name is the edge's to set. Gateway interfaces (CGI, WSGI, PHP) read `_`,
/// `.` and whatever else is no letter as `-`, so a visitor could say with one what is taken away with the other.
pub fn is_for_the_edge(name: &str) -> bool {
    let letter = |c: u8| if c.is_ascii_alphanumeric() { c } else { b'-' };
    let reads_from = |kind: &str| {
        let mut begins = name.bytes().zip(kind.bytes());
        name.len() >= kind.len() && begins.all(|(c, read)| letter(c) == read)
    };
    let is_spelled = |c: u8| letter(c) == c;
    reads_from(OUR_PREFIX)
        || NOT_FROM_VISITORS
            .iter()
            .any(|whole| whole.len() == name.len() && reads_from(whole))
        || KINDS_NOT_FROM_VISITORS.iter().any(|kind| reads_from(kind))
        || reads_from(PLATFORM_PREFIX) && !name.bytes().all(is_spelled)
}

/// Whether a request header of this lower-case name belongs to a preflight.
pub fn is_of_a_preflight(name: &str) -> bool {
    OF_PREFLIGHTS.contains(&name)
        || KINDS_OF_PREFLIGHTS
            .iter()
            .any(|kind| name.starts_with(kind))
}

/// What an origin may ask for about the session whose request it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// The session ends now.
    Release,
    /// The session gets this much longer.
    Extend {
        /// Seconds.
        seconds: u64,
    },
}

/// Longer is never asked for: the configured maximum is at most a day.
pub const MAX_EXTEND_SECONDS: u64 = 24 * 60 * 60;

/// Reads `Waiting-Room-Command`: `release` or `extend=SECONDS`. Anything else is no command.
pub fn command(value: &str) -> Option<Command> {
    let value = value.trim();
    if value.eq_ignore_ascii_case("release") {
        return Some(Command::Release);
    }
    let seconds = value.strip_prefix("extend=")?;
    let digits = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
    let seconds: u64 = digits.then(|| seconds.parse().ok()).flatten()?;
    (1..=MAX_EXTEND_SECONDS)
        .contains(&seconds)
        .then_some(Command::Extend { seconds })
}

/// How the origin and the visitor name the same server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The origin's scheme and authority, for example `https://origin.example.com`.
    origin_base: String,
    /// Its authority.
    origin_authority: String,
    /// What the visitor asked.
    visitor_base: String,
    /// The host that the visitor asked, without the port.
    visitor_host: String,
}

impl Names {
    /// For an origin at `origin_base` and a visitor's request.
    pub fn new(origin_base: &str, incoming: &Incoming) -> Self {
        let origin_authority = origin_base
            .split_once("://")
            .map_or(origin_base, |(_, authority)| authority);
        Names {
            origin_base: origin_base.to_owned(),
            origin_authority: origin_authority.to_owned(),
            visitor_base: incoming.own_origin(),
            visitor_host: incoming.host(),
        }
    }

    /// Whether this is the origin, and not what the visitor asked: a scheme and an authority as the URL standard writes them.
    /// On the asked host itself only the origin's own port is.
    pub fn is_origin(&self, scheme_and_authority: &str) -> bool {
        let Some((_, authority)) = scheme_and_authority.split_once("://") else {
            return false;
        };
        let host = host_of(authority).trim_end_matches('.');
        let is_origins = authority == self.origin_authority
            || host == host_of(&self.origin_authority) && host != self.visitor_host;
        is_origins && scheme_and_authority != self.visitor_base
    }

    /// Scheme and authority that the visitor asked.
    pub fn visitor_base(&self) -> &str {
        &self.visitor_base
    }

    /// A `Set-Cookie` of the origin as the visitor may see it: a domain that names the origin's host is dropped, which
    /// binds the cookie to the asked host.
    pub fn set_cookie(&self, value: &str) -> String {
        let kept = value.split(';').filter(|attribute| {
            let Some((key, domain)) = attribute.split_once('=') else {
                return true;
            };
            let domain = domain.trim().trim_matches(['.', '"']);
            !(key.trim().eq_ignore_ascii_case("domain") && self.covers_origin(domain))
        });
        kept.collect::<Vec<_>>().join(";")
    }

    /// An `Origin` or `Referer` of the visitor as the origin may see it stays as it is; only the address is the origin's.
    pub fn target(&self, path_and_query: &str) -> String {
        format!("{}{path_and_query}", self.origin_base)
    }

    /// The origin's host or a domain above it, unless the asked host is below that domain too.
    fn covers_origin(&self, domain: &str) -> bool {
        let below = |host: &str| {
            let host = host.to_ascii_lowercase();
            let domain = domain.to_ascii_lowercase();
            host == domain
                || host
                    .strip_suffix(&domain)
                    .is_some_and(|front| front.ends_with('.'))
        };
        below(host_of(&self.origin_authority)) && !below(&self.visitor_host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incoming::Method;

    fn names() -> Names {
        let incoming = Incoming::listed(Method::Get, "https://tickets.example.com/shop", &[]);
        Names::new("https://origin.internal.example:8443", &incoming)
    }

    #[test]
    fn the_origin_is_known_by_its_host_whatever_the_port() {
        for (address, expected) in [
            ("https://origin.internal.example:8443", true),
            ("http://origin.internal.example", true),
            ("https://origin.internal.example.", true),
            ("wss://origin.internal.example:1", true),
            ("https://tickets.example.com", false),
            ("https://bank.example", false),
            ("https://origin.internal.example.evil.example", false),
            ("https://internal.example:8443", false),
            ("null", false),
        ] {
            assert_eq!(names().is_origin(address), expected, "{address}");
        }
    }

    #[test]
    fn on_one_machine_only_the_origins_own_port_is_the_origin() {
        let incoming = Incoming::listed(Method::Get, "http://localhost:8787/shop", &[]);
        let names = Names::new("http://localhost:9000", &incoming);
        assert!(names.is_origin("http://localhost:9000"));
        assert!(!names.is_origin("http://localhost:9100"));
        assert!(!names.is_origin("http://localhost:8787"));
    }

    #[test]
    fn an_origin_of_the_asked_name_is_left_only_by_its_own_scheme() {
        let incoming = Incoming::listed(Method::Get, "https://tickets.example.com/", &[]);
        let names = Names::new("http://tickets.example.com", &incoming);
        assert!(names.is_origin("http://tickets.example.com"));
        assert!(!names.is_origin("https://tickets.example.com"));
    }

    #[test]
    fn an_origins_cookies_lose_its_domain() {
        let rows = [
            (
                "sid=1; Domain=origin.internal.example; Path=/",
                "sid=1; Path=/",
            ),
            ("sid=1; path=/; domain=.internal.example", "sid=1; path=/"),
            ("sid=1; Domain=\"origin.internal.example.\"", "sid=1"),
            ("sid=1; Domain=example.com", "sid=1; Domain=example.com"),
            ("sid=1; HttpOnly", "sid=1; HttpOnly"),
            ("=nameless; Path=/", "=nameless; Path=/"),
        ];
        for (cookie, expected) in rows {
            assert_eq!(names().set_cookie(cookie), expected, "{cookie}");
        }
    }

    #[test]
    fn a_visitor_cannot_speak_for_the_edge_in_any_spelling() {
        for name in [
            "waiting-room-pass",
            "waiting_room_pass",
            "waiting-room_command",
            "x-forwarded-for",
            "x_forwarded_for",
            "x.forwarded.for",
            "x_real-ip",
            "forwarded",
            "x-forwarded-server",
            "x-forwarded-ssl",
            "x_forwarded_uri",
            "x-original-uri",
            "x-original-host",
            "x-rewrite-url",
            "x_client_ip",
            "cf_connecting_ip",
        ] {
            assert!(is_for_the_edge(name), "{name}");
        }
        for name in [
            "x-requested-with",
            "waiting-list",
            "cookie",
            "x_csrf_token",
            "cf-connecting-ip",
            "origin",
        ] {
            assert!(!is_for_the_edge(name), "{name}");
        }
    }

    #[test]
    fn a_preflight_carries_no_credentials_no_body_and_no_other_method() {
        for name in [
            "origin",
            "access-control-request-method",
            "access-control-request-headers",
            "access-control-request-private-network",
            "accept",
            "accept-language",
            "sec-fetch-mode",
            "user-agent",
        ] {
            assert!(is_of_a_preflight(name), "{name}");
        }
        for name in [
            "cookie",
            "authorization",
            "accept_charset",
            "acceptance",
            "content-type",
            "content-length",
            "x-http-method-override",
            "x_http_method_override",
            "x-api-key",
        ] {
            assert!(!is_of_a_preflight(name), "{name}");
        }
    }

    #[test]
    fn an_origin_commands_release_or_a_bounded_extension() {
        let rows = [
            ("release", Some(Command::Release)),
            (" Release ", Some(Command::Release)),
            ("extend=300", Some(Command::Extend { seconds: 300 })),
            ("extend=0", None),
            ("extend=-1", None),
            ("extend=+5", None),
            ("extend=", None),
            ("extend=86401", None),
            ("extend=99999999999999999999", None),
            ("release; extend=3", None),
            ("", None),
        ];
        for (value, expected) in rows {
            assert_eq!(command(value), expected, "{value:?}");
        }
    }
}
