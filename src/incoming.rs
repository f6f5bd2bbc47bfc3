//! A request as the gate and the routes see it. Headers are read when they are asked for, and once: each read crosses from
//! wasm to the platform, and an admitted request needs only a few.

use std::cell::{OnceCell, RefCell};

use web_sys::Headers;

use crate::headers;

/// How a request is made, as far as anything here depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Reads without the body.
    Head,
    /// Writes.
    Post,
    /// Writes.
    Put,
    /// Writes.
    Patch,
    /// Writes.
    Delete,
    /// Asks what is allowed.
    Options,
    /// Any other.
    Other(String),
}

impl Method {
    /// The method of this name; names are case-sensitive.
    pub fn named(name: &str) -> Self {
        match name {
            "GET" => Method::Get,
            "HEAD" => Method::Head,
            "POST" => Method::Post,
            "PUT" => Method::Put,
            "PATCH" => Method::Patch,
            "DELETE" => Method::Delete,
            "OPTIONS" => Method::Options,
            other => Method::Other(other.to_owned()),
        }
    }

    /// Whether a request of this method is expected to change nothing (RFC 9110).
    pub fn is_safe(&self) -> bool {
        matches!(self, Method::Get | Method::Head | Method::Options)
    }
}

/// A header that was read, or is known not to be there.
type ReadHeader = (&'static str, Option<String>);

/// Where headers come from.
enum HeaderSource {
    /// The platform's, and those that were read from it.
    Request(Headers, RefCell<Vec<ReadHeader>>),
    #[cfg(any(test, feature = "fuzzing"))]
    Listed(Vec<(&'static str, String)>),
}

/// A request's line and headers.
pub struct Incoming {
    /// The method.
    pub method: Method,
    /// Whether the visitor's connection is encrypted.
    pub secure: bool,
    /// The host that was asked, with the port if it is not the scheme's own.
    pub authority: String,
    /// The path, still encoded; begins with a slash.
    pub path: String,
    /// What follows the question mark, still encoded; empty when there is none.
    pub query: String,
    headers: HeaderSource,
    /// The longest of all headers, and asked for by several.
    cookie: OnceCell<String>,
}

impl Incoming {
    /// From the platform's request. `None`: its address is none that a browser or an HTTP library makes.
    pub fn of(request: &web_sys::Request) -> Option<Self> {
        let (secure, authority, path, query) = split_address(&request.url())?;
        let method = Method::named(&request.method());
        Some(Incoming {
            method,
            secure,
            authority,
            path,
            query,
            headers: HeaderSource::Request(request.headers(), RefCell::default()),
            cookie: OnceCell::new(),
        })
    }

    /// The header of this lower-case name; several of one name come joined by commas.
    pub fn header(&self, name: &'static str) -> Option<String> {
        match &self.headers {
            HeaderSource::Request(headers, read) => {
                let known = |read: &Vec<ReadHeader>| {
                    let found = read.iter().find(|(present, _)| *present == name);
                    found.map(|(_, value)| value.clone())
                };
                if let Some(value) = known(&read.borrow()) {
                    return value;
                }
                let value = headers::get(headers, name);
                read.borrow_mut().push((name, value.clone()));
                value
            }
            #[cfg(any(test, feature = "fuzzing"))]
            HeaderSource::Listed(listed) => listed
                .iter()
                .find(|(present, _)| *present == name)
                .map(|(_, value)| value.clone()),
        }
    }

    /// The cookies that came; empty when there are none.
    pub fn cookie(&self) -> &str {
        self.cookie
            .get_or_init(|| self.header("cookie").unwrap_or_default())
    }

    /// The host without its port, in lower case.
    pub fn host(&self) -> String {
        host_of(&self.authority).to_ascii_lowercase()
    }

    /// Scheme and host that were asked, as a browser writes an origin: `https://tickets.example.com`.
    pub fn own_origin(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    /// Path and query, as in the request line.
    pub fn path_and_query(&self) -> String {
        if self.query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{}", self.path, self.query)
        }
    }

    /// The token of an `Authorization: Bearer` header.
    pub fn bearer(&self) -> Option<String> {
        let authorization = self.header("authorization")?;
        let (scheme, token) = authorization.split_once([' ', '\t'])?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then(|| token.trim().to_owned())
    }

    /// A person follows a link, sends a form or types the address: the answer will be shown as a page.
    pub fn wants_page(&self) -> bool {
        match self.header("sec-fetch-mode") {
            Some(mode) => mode == "navigate",
            None => {
                let no_fetch_metadata = self.header("sec-fetch-dest").is_none()
                    && self.header("sec-fetch-site").is_none();
                no_fetch_metadata
                    && self
                        .header("accept")
                        .is_some_and(|accept| names_html(&accept))
            }
        }
    }

    /// A guess of the browser that a page may be wanted: nobody looks at it yet.
    pub fn is_prefetch(&self) -> bool {
        let purpose = self
            .header("sec-purpose")
            .or_else(|| self.header("purpose"));
        purpose.is_some_and(|purpose| purpose.starts_with("prefetch"))
    }

    /// Whether the headers are those that every browser sends: its name and a language.
    pub fn is_like_a_browser(&self) -> bool {
        let says = |name: &'static str| self.header(name).is_some_and(|value| !value.is_empty());
        says("user-agent") && says("accept-language")
    }

    /// A WebSocket is asked for. Browsers send such a request with cookies wherever the page is from, and ask nobody first.
    pub fn is_upgrade(&self) -> bool {
        self.header("upgrade").is_some_and(|protocols| {
            protocols.split(',').any(|protocol| {
                let name = protocol.split('/').next().unwrap_or_default();
                name.trim().eq_ignore_ascii_case("websocket")
            })
        })
    }

    /// The question of a browser whether a script of another site may send a request.
    pub fn is_preflight(&self) -> bool {
        self.method == Method::Options
            && self.header("origin").is_some()
            && self.header("access-control-request-method").is_some()
    }

    /// A request of this address with these headers, without a platform.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn listed(method: Method, address: &str, headers: &[(&'static str, &str)]) -> Self {
        let (secure, authority, path, query) =
            split_address(address).expect("a test has an address");
        let listed = headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        Incoming {
            method,
            secure,
            authority,
            path,
            query,
            headers: HeaderSource::Listed(listed),
            cookie: OnceCell::new(),
        }
    }
}

fn names_html(accept: &str) -> bool {
    accept.split(',').any(|range| {
        let media_type = range.split(';').next().unwrap_or_default().trim();
        media_type.eq_ignore_ascii_case("text/html")
            || media_type.eq_ignore_ascii_case("application/xhtml+xml")
    })
}

/// The host of an authority, without the port; an IPv6 address keeps its brackets.
pub fn host_of(authority: &str) -> &str {
    match authority.rfind(':') {
        Some(colon) if !authority[colon..].contains(']') => &authority[..colon],
        _ => authority,
    }
}

/// Scheme, authority, path and query of an address as the platform writes it: parsed and serialized by the URL standard.
fn split_address(address: &str) -> Option<(bool, String, String, String)> {
    let (scheme, rest) = address.split_once("://")?;
    let secure = match scheme {
        "https" => true,
        "http" => false,
        _ => return None,
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let path_start = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path_and_query) = rest.split_at(path_start);
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let (path, query) = path_and_query
        .split_once('?')
        .unwrap_or((path_and_query, ""));
    let path = if path.is_empty() { "/" } else { path };
    (!authority.is_empty()).then(|| {
        (
            secure,
            authority.to_owned(),
            path.to_owned(),
            query.to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(headers: &[(&'static str, &str)]) -> Incoming {
        Incoming::listed(Method::Get, "https://tickets.example.com/shop", headers)
    }

    #[test]
    fn an_address_falls_into_scheme_host_path_and_query() {
        let rows = [
            ("https://a.example/", Some((true, "a.example", "/", ""))),
            (
                "http://a.example:8787/b/c?d=e?f#g",
                Some((false, "a.example:8787", "/b/c", "d=e?f")),
            ),
            ("https://a.example?x", Some((true, "a.example", "/", "x"))),
            (
                "https://name:word@a.example/b",
                Some((true, "a.example", "/b", "")),
            ),
            ("https://[::1]:80/", Some((true, "[::1]:80", "/", ""))),
            ("ftp://a.example/", None),
            ("/b", None),
            ("https:///b", None),
        ];
        for (address, expected) in rows {
            let expected =
                expected.map(|(s, a, p, q)| (s, a.to_owned(), p.to_owned(), q.to_owned()));
            assert_eq!(split_address(address), expected, "{address}");
        }
        assert_eq!(host_of("a.example:80"), "a.example");
        assert_eq!(host_of("[::1]"), "[::1]");
        assert_eq!(host_of("[::1]:80"), "[::1]");
    }

    #[test]
    fn a_page_is_wanted_by_navigations_and_by_old_browsers_and_by_nobody_else() {
        let rows: [(&[(&'static str, &str)], bool); 8] = [
            (&[("sec-fetch-mode", "navigate"), ("accept", "*/*")], true),
            (
                &[("sec-fetch-mode", "cors"), ("accept", "text/html")],
                false,
            ),
            (
                &[("sec-fetch-mode", "no-cors"), ("accept", "image/*")],
                false,
            ),
            (
                &[("accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")],
                true,
            ),
            (&[("accept", "application/json, text/html;q=0.1")], true),
            (&[("accept", "*/*")], false),
            (
                &[("sec-fetch-dest", "image"), ("accept", "text/html")],
                false,
            ),
            (&[], false),
        ];
        for (headers, expected) in rows {
            assert_eq!(get(headers).wants_page(), expected, "{headers:?}");
        }
    }

    #[test]
    fn a_browser_sends_its_name_and_a_language() {
        let agent = ("user-agent", "Mozilla/5.0");
        assert!(get(&[agent, ("accept-language", "de")]).is_like_a_browser());
        for headers in [
            &[agent][..],
            &[("accept-language", "de")],
            &[agent, ("accept-language", "")],
        ] {
            assert!(!get(headers).is_like_a_browser(), "{headers:?}");
        }
    }

    #[test]
    fn prefetches_and_preflights_are_told_apart() {
        assert!(get(&[("sec-purpose", "prefetch;prerender")]).is_prefetch());
        assert!(get(&[("purpose", "prefetch")]).is_prefetch());
        assert!(!get(&[]).is_prefetch());
        let options = |headers| {
            Incoming::listed(Method::Options, "https://a.example/", headers).is_preflight()
        };
        assert!(options(&[
            ("origin", "https://b.example"),
            ("access-control-request-method", "PUT")
        ]));
        assert!(!options(&[("origin", "https://b.example")]));
        assert!(!options(&[("access-control-request-method", "PUT")]));
    }

    #[test]
    fn a_websocket_is_asked_for_in_any_case_and_among_others() {
        for (protocols, expected) in [
            ("websocket", true),
            ("WebSocket", true),
            ("h2c, websocket/13", true),
            ("h2c", false),
            ("", false),
        ] {
            let asked = get(&[("upgrade", protocols)]).is_upgrade();
            assert_eq!(asked, expected, "{protocols}");
        }
        assert!(!get(&[("connection", "upgrade")]).is_upgrade());
    }

    #[test]
    fn a_bearer_is_found_whatever_the_case_of_its_scheme() {
        assert_eq!(
            get(&[("authorization", "bearer  a.b.c")])
                .bearer()
                .as_deref(),
            Some("a.b.c")
        );
        assert_eq!(
            get(&[("authorization", "Bearer\ta.b.c")])
                .bearer()
                .as_deref(),
            Some("a.b.c")
        );
        assert_eq!(get(&[("authorization", "Basic YTpi")]).bearer(), None);
        assert_eq!(get(&[("authorization", "Bearer")]).bearer(), None);
    }
}
