//! Our cookies: their names, their attributes, and how they are found among others.
//!
//! A name carries the event and an epoch: when an attribute changes, the epoch is raised, and what a browser still has
//! under the old name is left alone. `__Host-` binds a cookie to one host; an event on several hosts has a configured
//! domain and `__Secure-`. Plain names exist only on unencrypted loopback, where browsers keep no prefixed cookies.
//! The pass is `SameSite=None`: a bank's form that posts back from its own site must find it. It opens the gate and
//! authorises nothing else. Names and attributes are kept by browsers across deploys: changing one without a new epoch
//! loses places.

use anteroom_config::host;

use crate::incoming::Incoming;

/// Raised when an attribute of a cookie changes.
pub const EPOCH: u32 = 1;
/// How long a browser keeps ticket, permit and claim id: a day, as long as a permit finds its place again.
pub const KEPT_SECONDS: u64 = 24 * 60 * 60;
/// Of several cookies of one name so many are tried; a browser sends one for each path and domain it was set for.
pub const MAX_OF_ONE_NAME: usize = 4;
/// A longer `Cookie` header is refused with 431: twice what browsers allow for ours and a busy shop's together.
pub const MAX_COOKIE_HEADER_BYTES: usize = 64 * 1024;

/// What a cookie is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The leave to join.
    Permit,
    /// The proof of a place.
    Ticket,
    /// What opens the gate.
    Pass,
    /// The claim id that a browser keeps for all its tabs.
    Browser,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Permit, Kind::Ticket, Kind::Pass, Kind::Browser];

    fn word(self) -> &'static str {
        match self {
            Kind::Permit => "permit",
            Kind::Ticket => "ticket",
            Kind::Pass => "pass",
            Kind::Browser => "browser",
        }
    }
}

/// How this event's cookies look on the host that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jar<'a> {
    event: &'a str,
    dress: Dress<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dress<'a> {
    Plain,
    Host,
    Domain(&'a str),
}

impl<'a> Jar<'a> {
    /// For `event` and the host of `incoming`.
    pub fn new(event: &'a str, cookie_domain: Option<&'a str>, incoming: &Incoming) -> Self {
        let plain = !incoming.secure && host::is_loopback(&host::normalise(&incoming.authority));
        let dress = match cookie_domain {
            _ if plain => Dress::Plain,
            Some(domain) => Dress::Domain(domain),
            None => Dress::Host,
        };
        Jar { event, dress }
    }

    /// The cookie's name.
    pub fn name(&self, kind: Kind) -> String {
        let prefix = match self.dress {
            Dress::Plain => "",
            Dress::Host => "__Host-",
            Dress::Domain(_) => "__Secure-",
        };
        format!("{prefix}wr-{}-{}-{EPOCH}", kind.word(), self.event)
    }

    /// The `Set-Cookie` that keeps `value` for `seconds`.
    pub fn set(&self, kind: Kind, value: &str, seconds: u64) -> String {
        let name = self.name(kind);
        let seconds = seconds.min(KEPT_SECONDS);
        let same_site = match (kind, self.dress) {
            (_, Dress::Plain) => "; SameSite=Lax",
            (Kind::Pass, _) => "; Secure; SameSite=None",
            (_, _) => "; Secure; SameSite=Lax",
        };
        let domain = match self.dress {
            Dress::Domain(domain) => format!("; Domain={domain}"),
            _ => String::new(),
        };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly{same_site}{domain}")
    }

    /// The `Set-Cookie` that takes a cookie away.
    pub fn clear(&self, kind: Kind) -> String {
        self.set(kind, "", 0)
    }

    /// The values of a cookie in a `Cookie` header, in their order.
    pub fn values<'h>(
        &self,
        header: &'h str,
        kind: Kind,
    ) -> impl Iterator<Item = &'h str> + use<'h> {
        let name = self.name(kind);
        pairs(header)
            .filter(move |(present, _)| *present == name)
            .map(|(_, value)| value)
            .take(MAX_OF_ONE_NAME)
    }
}

/// The name and value of each cookie; pieces without an equals sign are no cookies.
fn pairs(header: &str) -> impl Iterator<Item = (&str, &str)> {
    header
        .split(';')
        .filter_map(|piece| piece.trim().split_once('='))
}

/// Whether a name is one of ours, of any event and epoch and behind any prefix that browsers know or will know.
pub fn is_ours(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    let prefix = name
        .strip_prefix("__")
        .and_then(|rest| rest.find("-wr-").map(|at| at + "__-".len()));
    let Some(rest) = name[prefix.unwrap_or(0)..].strip_prefix("wr-") else {
        return false;
    };
    Kind::ALL.iter().any(|kind| {
        rest.strip_prefix(kind.word())
            .is_some_and(|rest| rest.starts_with('-'))
    })
}

/// Whether a `Set-Cookie` could make a browser send one of ours. Browsers send `=name=value`, a cookie without a name, back
/// as `name=value`.
pub fn sets_ours(line: &str) -> bool {
    let named = line.trim_start_matches(|c: char| c == '=' || c.is_whitespace() || c.is_control());
    is_ours(named.split(['=', ';']).next().unwrap_or_default())
}

/// A `Cookie` header without ours, for the origin; `None` when nothing is left.
pub fn without_ours(header: &str) -> Option<String> {
    let kept = header.split(';').filter(|piece| {
        let name = piece.split('=').next().unwrap_or_default();
        !is_ours(name) && !piece.trim().is_empty()
    });
    let kept: Vec<&str> = kept.map(str::trim).collect();
    (!kept.is_empty()).then(|| kept.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incoming::Method;

    fn jar(address: &str, domain: Option<&'static str>) -> Jar<'static> {
        Jar::new("demo", domain, &Incoming::listed(Method::Get, address, &[]))
    }

    /// Browsers keep these bytes: whoever changes them without a new epoch loses places.
    #[test]
    fn names_and_attributes_are_pinned() {
        let rows = [
            (
                "https://a.example/",
                None,
                Kind::Ticket,
                "__Host-wr-ticket-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
            ),
            (
                "https://a.example/",
                None,
                Kind::Permit,
                "__Host-wr-permit-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
            ),
            (
                "https://a.example/",
                None,
                Kind::Browser,
                "__Host-wr-browser-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
            ),
            (
                "https://a.example/",
                None,
                Kind::Pass,
                "__Host-wr-pass-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=None",
            ),
            (
                "https://localhost:1/",
                None,
                Kind::Pass,
                "__Host-wr-pass-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=None",
            ),
            (
                "http://a.example/",
                None,
                Kind::Ticket,
                "__Host-wr-ticket-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
            ),
            (
                "https://a.example/",
                Some("example.com"),
                Kind::Pass,
                "__Secure-wr-pass-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=None; Domain=example.com",
            ),
            (
                "http://127.0.0.1:8787/",
                None,
                Kind::Pass,
                "wr-pass-demo-1=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax",
            ),
            (
                "http://localhost/",
                Some("example.com"),
                Kind::Ticket,
                "wr-ticket-demo-1=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax",
            ),
        ];
        for (address, domain, kind, expected) in rows {
            assert_eq!(jar(address, domain).set(kind, "x", 60), expected);
        }
        assert!(
            jar("https://a.example/", None)
                .set(Kind::Ticket, "x", u64::MAX)
                .contains("Max-Age=86400")
        );
        assert!(
            jar("https://a.example/", None)
                .clear(Kind::Ticket)
                .contains("=; Path=/; Max-Age=0;")
        );
    }

    #[test]
    fn ours_are_found_among_malformed_ones() {
        let jar = jar("http://localhost/", None);
        let header = "a=b; =; ;;wr-ticket-demo-1=one;\u{1f3ab}=x; wr-ticket-demo=no; wr-ticket-demo-1=two; wr-ticket-demo-1";
        assert_eq!(
            jar.values(header, Kind::Ticket).collect::<Vec<_>>(),
            ["one", "two"]
        );
        assert_eq!(jar.values(header, Kind::Pass).count(), 0);
        let many = "wr-ticket-demo-1=x; ".repeat(500);
        assert_eq!(jar.values(&many, Kind::Ticket).count(), MAX_OF_ONE_NAME);
    }

    #[test]
    fn the_origin_gets_every_cookie_but_ours() {
        let header = "sid=1; __Host-wr-pass-demo-1=p; wr-ticket-other-7=t; theme=dark; wr-browser-x-1=b; wr-theme=w";
        assert_eq!(
            without_ours(header).as_deref(),
            Some("sid=1; theme=dark; wr-theme=w")
        );
        assert_eq!(without_ours("__Secure-wr-permit-demo-1=p"), None);
    }

    #[test]
    fn whatever_a_browser_could_send_back_as_one_of_ours_is_found() {
        for line in [
            "wr-pass-demo-1=x; Path=/",
            "  wr-pass-demo-1 =x",
            "=wr-pass-demo-1=x",
            " = \t==wr-pass-demo-1=x",
            "wr-pass-demo-1; Path=/",
            "__Host-wr-ticket-demo-1=x",
            "__HOST-wr-ticket-demo-1=x",
            "__Host-Http-wr-ticket-demo-1=x",
            "=__Secure-wr-browser-demo-1=x",
        ] {
            assert!(sets_ours(line), "{line}");
        }
        for line in [
            "sid=1",
            "=nameless; Path=/",
            "sid==wr-pass-demo-1=x",
            "wr-theme=w",
            "__Host-sid=1",
            "",
        ] {
            assert!(!sets_ours(line), "{line}");
        }
    }
}
