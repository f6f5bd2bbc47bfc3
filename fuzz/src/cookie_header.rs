//! The `Cookie` header of a request, and the `Set-Cookie` lines of an origin.
//!
//! Input: a byte that chooses how the event's cookies are named, then the header.

use anteroom::parsers::{
    Incoming, Jar, KEPT_SECONDS, Kind, MAX_OF_ONE_NAME, Method, is_ours, ours, sets_ours,
    without_ours,
};

use crate::choice;

const VALUE: &str = "a.b.c";

/// Ours are found and nobody else's, the origin gets everything but ours, and what we set is found again.
pub fn check(bytes: &[u8]) {
    let (which, header) = choice(bytes);
    let Ok(header) = str::from_utf8(header) else {
        return;
    };
    let (address, domain) = match which % 3 {
        0 => ("http://localhost:8787/", None),
        1 => ("https://tickets.example.com/", None),
        _ => ("https://tickets.example.com/", Some("example.com")),
    };
    let jar = Jar::new("demo", domain, &Incoming::listed(Method::Get, address, &[]));
    for kind in Kind::ALL {
        let name = jar.name(kind);
        let found: Vec<&str> = jar.values(&ours(header), kind).collect();
        assert_eq!(found, by_definition(header, &name), "{name}");
        assert!(is_ours(&name), "{name}");
        let set = jar.set(kind, VALUE, KEPT_SECONDS);
        let pair = set.split(';').next().expect("a cookie has a pair");
        assert!(sets_ours(&set), "{set}");
        assert!(jar.values(&ours(pair), kind).eq([VALUE]), "{set}");
        // Behind whatever else a browser sends it is still found, if nothing of its name stands before it.
        if found.is_empty() {
            let longer = format!("{header}; {pair}");
            assert!(jar.values(&ours(&longer), kind).eq([VALUE]), "{longer}");
        }
    }
    check_what_the_origin_gets(&jar, header);
}

fn check_what_the_origin_gets(jar: &Jar<'_>, header: &str) {
    let pieces = || {
        header
            .split(';')
            .map(str::trim)
            .filter(|piece| !piece.is_empty())
    };
    let name = |piece: &str| {
        piece
            .split('=')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let rest = without_ours(header).unwrap_or_else(|| header.to_owned());
    for kind in Kind::ALL {
        assert_eq!(jar.values(&ours(&rest), kind).count(), 0, "{rest}");
    }
    assert_eq!(without_ours(&rest), None, "{rest}");
    let is_kept = |piece: &&str| !is_ours(&name(piece)) && !piece.contains([',', '\u{fffd}']);
    let arrived: Vec<&str> = rest.split(';').map(str::trim).collect();
    for piece in pieces().filter(is_kept) {
        assert!(arrived.contains(&piece), "{piece}");
    }
    // A line of an origin that would put one of ours into a browser's jar is always recognised.
    for piece in pieces().filter(|piece| piece.contains('=') && is_ours(&name(piece))) {
        assert!(sets_ours(piece), "{piece}");
        assert!(sets_ours(&format!("={piece}")), "={piece}");
    }
}

/// The first values behind exactly this name, as docs/openapi.yaml means the cookie.
fn by_definition<'h>(header: &'h str, name: &str) -> Vec<&'h str> {
    let mut values = Vec::new();
    for piece in header.split(';') {
        let piece = piece.trim();
        if let Some(at) = piece.find('=')
            && &piece[..at] == name
            && values.len() < MAX_OF_ONE_NAME
        {
            values.push(&piece[at + 1..]);
        }
    }
    values
}
