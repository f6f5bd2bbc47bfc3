//! Where a room answers.

/// What stands before the path of a room's addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Whether it is `https`.
    pub is_tls: bool,
    /// The host, and the port unless it is the scheme's own.
    pub authority: String,
}

impl Address {
    /// Takes an address apart, into where the room answers and the path, which begins with `/` or is empty.
    pub fn split(url: &str) -> Option<(Self, String)> {
        let (is_tls, own_port, rest) = match url.split_once("://")? {
            ("http", rest) => (false, ":80", rest),
            ("https", rest) => (true, ":443", rest),
            _ => return None,
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let uri = format!("http://{authority}{path}")
            .parse::<hyper::Uri>()
            .ok()?;
        if authority.contains(['@', '?', '#']) || uri.host().is_none_or(str::is_empty) {
            return None;
        }
        let authority = authority.strip_suffix(own_port).unwrap_or(authority);
        let address = Self {
            is_tls,
            authority: authority.to_owned(),
        };
        Some((address, path.to_owned()))
    }

    /// As the `Origin` header says it.
    pub fn origin(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    /// `host:port`.
    pub fn to_connect(&self) -> String {
        let has_port = self
            .authority
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        match (has_port, self.is_tls) {
            (true, _) => self.authority.clone(),
            (false, true) => format!("{}:443", self.authority),
            (false, false) => format!("{}:80", self.authority),
        }
    }

    /// The host, without the brackets of an IPv6 address.
    pub fn host(&self) -> String {
        host(&self.to_connect()).to_owned()
    }
}

/// Whether a `host:port` is on this machine.
pub fn is_loopback(authority: &str) -> bool {
    let host = host(authority);
    host == "localhost"
        || host.ends_with(".localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn host(authority: &str) -> &str {
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_a_host_and_perhaps_a_port_and_a_path() {
        for (url, origin, to_connect, host, path) in [
            (
                "http://127.0.0.1:8787",
                "http://127.0.0.1:8787",
                "127.0.0.1:8787",
                "127.0.0.1",
                "",
            ),
            (
                "https://t.example.com/a/b?c=1",
                "https://t.example.com",
                "t.example.com:443",
                "t.example.com",
                "/a/b?c=1",
            ),
            (
                "https://t.example.com:443/",
                "https://t.example.com",
                "t.example.com:443",
                "t.example.com",
                "/",
            ),
            (
                "http://t.example.com:80",
                "http://t.example.com",
                "t.example.com:80",
                "t.example.com",
                "",
            ),
            (
                "https://t.example.com:80",
                "https://t.example.com:80",
                "t.example.com:80",
                "t.example.com",
                "",
            ),
            ("https://[::1]/x", "https://[::1]", "[::1]:443", "::1", "/x"),
            (
                "https://[::1]:8443",
                "https://[::1]:8443",
                "[::1]:8443",
                "::1",
                "",
            ),
        ] {
            let (address, rest) = Address::split(url).unwrap();
            let found = (address.origin(), address.to_connect(), address.host(), rest);
            assert_eq!(
                found,
                (origin.into(), to_connect.into(), host.into(), path.into())
            );
        }
    }

    #[test]
    fn what_is_no_address_of_a_room_is_none() {
        for url in [
            "",
            "127.0.0.1:80",
            "ftp://x",
            "http://",
            "https:///x",
            "https://a@b/",
            "http://a b/",
            "https://t.example.com?x=1",
            "https://t.example.com#x",
        ] {
            assert_eq!(Address::split(url), None, "{url}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for near in ["localhost:1", "a.localhost:1", "127.0.0.2:80", "[::1]:443"] {
            assert!(is_loopback(near), "{near}");
        }
        for far in [
            "example.com:80",
            "localhost.example.com:80",
            "[::2]:80",
            "10.0.0.1:80",
        ] {
            assert!(!is_loopback(far), "{far}");
        }
    }
}
