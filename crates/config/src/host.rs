//! Hosts as requests and configurations spell them: with a port or without, in any case, with the
//! root's dot at the end. ASCII only: other names arrive in their `xn--` form.

use crate::problem::Problem;

/// Stands for every loopback host, on any port: for demo events.
pub const LOOPBACK: &str = "*loopback";

/// The longest host name (RFC 1035, section 2.3.4), in bytes.
const MAX_HOST_BYTES: usize = 253;

/// The longest label of a host name (RFC 1035, section 2.3.4), in bytes.
const MAX_LABEL_BYTES: usize = 63;

/// Second levels under which registries of countries sell names: `co.uk`, `com.au`, `ne.jp`.
const REGISTRY_SECOND_LEVELS: &[&str] = &[
    "ac", "co", "com", "edu", "go", "gob", "gov", "gv", "ltd", "me", "mil", "ne", "net", "nom",
    "or", "org", "plc", "sch",
];

/// Domains under which strangers get names: a cookie for one of them would reach all of them.
const SHARED_DOMAINS: &[&str] = &[
    "amazonaws.com",
    "appspot.com",
    "azurewebsites.net",
    "cloudfront.net",
    "firebaseapp.com",
    "fly.dev",
    "github.io",
    "gitlab.io",
    "herokuapp.com",
    "myshopify.com",
    "netlify.app",
    "onrender.com",
    "pages.dev",
    "vercel.app",
    "web.app",
    "workers.dev",
];

/// `host` in lower case, without port and without dots at its end.
pub fn normalise(host: &str) -> String {
    let host = host.trim();
    let name = match (host.starts_with('['), host.find(']'), host.find(':')) {
        (true, Some(end), _) => &host[..=end],
        (false, _, Some(colon)) => &host[..colon],
        _ => host,
    };
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// Whether a normalised host is this machine: `localhost` and names below it, 127.0.0.0/8, `[::1]`.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host.ends_with(".localhost")
        || host == "[::1]"
        || host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Whether all of these configured hosts are this machine.
pub fn are_loopback(hosts: &[String]) -> bool {
    hosts
        .iter()
        .all(|host| host == LOOPBACK || is_loopback(host))
}

/// Whether a normalised host is one that the configured `pattern` stands for.
pub fn matches(pattern: &str, host: &str) -> bool {
    pattern == host || (pattern == LOOPBACK && is_loopback(host))
}

/// Whether two configured hosts can stand for the same request.
pub fn overlap(one: &str, other: &str) -> bool {
    matches(one, other) || matches(other, one)
}

/// Whether `name` is a host name: labels of letters, digits and inner hyphens, or an address.
pub fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        (1..=MAX_LABEL_BYTES).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name == "[::1]" || (name.len() <= MAX_HOST_BYTES && name.split('.').all(label))
}

/// Checks the domain of the cookies against the hosts it has to serve.
///
/// Public suffixes are refused by a short rule instead of the whole list, which would be a third
/// of the Worker: at least two labels; not a second level that countries' registries sell names
/// under; not one of the large shared domains. Browsers refuse the rest of the list themselves.
pub fn check_cookie_domain(path: &str, domain: &str, hosts: &[String]) -> Result<(), Problem> {
    let refuse = |allowed: &str| Err(Problem::new(path, format!("{domain:?}"), allowed));
    if !is_name(domain) || domain.parse::<std::net::Ipv4Addr>().is_ok() || domain.starts_with('[') {
        return refuse(
            "a domain in lower case without a dot in front, for example \"example.com\"",
        );
    }
    if is_public_suffix(domain) {
        return refuse("a domain of your own, not one under which others have names");
    }
    let below = |host: &String| host == domain || host.ends_with(&format!(".{domain}"));
    if !hosts.iter().all(below) {
        return refuse("a domain that every entry of hosts is equal to or below");
    }
    Ok(())
}

fn is_public_suffix(domain: &str) -> bool {
    let labels: Vec<&str> = domain.split('.').collect();
    match labels.as_slice() {
        [] | [_] => true,
        [second, top] if top.len() == 2 && REGISTRY_SECOND_LEVELS.contains(second) => true,
        _ => SHARED_DOMAINS.contains(&domain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_host_is_the_same_host() {
        for spelling in [
            "tickets.example.com",
            "TICKETS.Example.Com",
            "tickets.example.com.",
            "tickets.example.com:443",
            "Tickets.example.com.:8443",
            " tickets.example.com ",
        ] {
            assert_eq!(normalise(spelling), "tickets.example.com", "{spelling}");
        }
        assert_eq!(normalise("[::1]:8787"), "[::1]");
    }

    #[test]
    fn a_demo_event_matches_any_loopback_host_and_no_other() {
        for host in [
            "localhost",
            "127.0.0.1",
            "127.9.9.9",
            "[::1]",
            "shop.localhost",
            "LOCALHOST:1",
        ] {
            assert!(matches(LOOPBACK, &normalise(host)), "{host}");
        }
        for host in [
            "localhost.example.com",
            "128.0.0.1",
            "notlocalhost",
            "",
            "[::2]",
        ] {
            assert!(!matches(LOOPBACK, &normalise(host)), "{host}");
        }
    }

    #[test]
    fn a_cookie_domain_is_ones_own_and_above_every_host() {
        let hosts = [
            "a.shop.example.com".to_owned(),
            "shop.example.com".to_owned(),
        ];
        for domain in ["shop.example.com", "example.com"] {
            assert_eq!(
                check_cookie_domain("E.cookie_domain", domain, &hosts),
                Ok(()),
                "{domain}"
            );
        }
        for domain in [
            "com",
            "co.uk",
            "com.au",
            "github.io",
            "other.com",
            "a.shop.example.com",
            "ample.com",
            ".example.com",
            "Example.com",
            "127.0.0.1",
            "[::1]",
            "",
        ] {
            assert!(
                check_cookie_domain("E.cookie_domain", domain, &hosts).is_err(),
                "{domain}"
            );
        }
        for domain in ["co.uk", "workers.dev", "localhost"] {
            let host = [format!("a.{domain}")];
            assert!(
                check_cookie_domain("E.cookie_domain", domain, &host).is_err(),
                "{domain}"
            );
        }
    }
}
