//! However an address is spelled, the gate decides the same; when servers would read it
//! differently, the gate is on the safe side.

use anteroom_config::{Decision, Rooms, any_zone, parse_all};
use proptest::prelude::*;
use serde_json::json;

fn rooms() -> Rooms {
    let event = |id: &str, hosts: &[&str], paths: &[&str], bypass: &[&str]| {
        (
            anteroom_config::variable_name(id),
            json!({"id": id, "title": id, "hosts": hosts, "paths": paths, "bypass": bypass}),
        )
    };
    let events = [
        event(
            "tour",
            &["tickets.example.com"],
            &["/events/world-tour/*", "/seat map"],
            &["/events/world-tour/webhooks/*", "/events/world-tour/health"],
        ),
        event("other", &["tickets.example.com"], &["/events/other/*"], &[]),
        event("demo", &["*loopback"], &["/events/*"], &[]),
    ];
    parse_all(events, any_zone).unwrap()
}

fn said(decision: Decision<'_>) -> String {
    match decision {
        Decision::Event(event) => format!("event {}", event.id),
        Decision::Bypass(event) => format!("bypass {}", event.id),
        Decision::None => "none".to_owned(),
        Decision::Conflict => "conflict".to_owned(),
    }
}

#[test]
fn addresses_are_decided_as_a_table() {
    let rooms = rooms();
    for (host, path, expected) in [
        (
            "tickets.example.com",
            "/events/world-tour/seats",
            "event tour",
        ),
        (
            "TICKETS.example.com.:443",
            "/EVENTS/World-Tour",
            "event tour",
        ),
        ("tickets.example.com", "/events/world-tour/", "event tour"),
        ("tickets.example.com", "/events/world-tours", "none"),
        ("tickets.example.com", "/seat%20map", "event tour"),
        ("tickets.example.com", "/seat%20map/x", "none"),
        ("tickets.example.com", "/", "none"),
        ("tickets.example.com", "", "none"),
        ("shop.example.com", "/events/world-tour/seats", "none"),
        ("xtickets.example.com", "/events/world-tour/seats", "none"),
        ("", "/events/world-tour/seats", "none"),
        ("localhost:8787", "/events/x", "event demo"),
        ("127.0.0.1:9", "/Events", "event demo"),
        ("[::1]:9", "/events/", "event demo"),
        // Safe ways to write a bypass, and unsafe ones.
        (
            "tickets.example.com",
            "/events/world-tour/webhooks/bank",
            "bypass tour",
        ),
        (
            "tickets.example.com",
            "/events/World-Tour/Web%68ooks/./bank",
            "bypass tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/health",
            "bypass tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/healthy",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/health/x",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/webhooks/../seats",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/webhooks/..%2fseats",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/webhooks/..%255cseats",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/webhooks/..;/seats",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/webhooks//../../seats",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/seats;/../webhooks/x",
            "bypass tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/health%00seats",
            "conflict",
        ),
        (
            "tickets.example.com",
            "/events/world-tour/health%3fseats",
            "event tour",
        ),
        // Any server that reads it as protected makes it protected.
        (
            "tickets.example.com",
            "/public/..%2fevents/world-tour/x",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/public\\..\\events\\world-tour\\x",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/%65vents%2Fworld-tour%2fx",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/%25252565vents/world-tour",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/;a=b/events;c/world-tour;d/x",
            "event tour",
        ),
        (
            "tickets.example.com",
            "//events///world-tour//x",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events/world-tour%ff/../world-tour/%ff",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/events%c0%afworld-tour/x",
            "event tour",
        ),
        ("tickets.example.com", "/events/world-tour/x%00", "conflict"),
        (
            "tickets.example.com",
            "/events/world-tour%00.html",
            "conflict",
        ),
        (
            "tickets.example.com",
            "/events./world-tour%20/x",
            "event tour",
        ),
        // A host in front, for servers that read the path as an address.
        (
            "tickets.example.com",
            "//anything/events/world-tour/x",
            "event tour",
        ),
        (
            "tickets.example.com",
            "/%5C%5Canything/events/world-tour",
            "event tour",
        ),
        (
            "tickets.example.com",
            "//anything/events/world-tour/webhooks/x",
            "event tour",
        ),
        ("tickets.example.com", "//anything/about", "none"),
        // Control characters, which some servers drop.
        ("tickets.example.com", "/eve%09nts/world-tour/x", "conflict"),
        ("tickets.example.com", "/events/world-tour%0a", "conflict"),
        ("tickets.example.com", "/about%7f", "conflict"),
        ("shop.example.com", "/about%7f", "none"),
        // Two events at once.
        (
            "tickets.example.com",
            "/events/other/..%2fworld-tour/x",
            "conflict",
        ),
        (
            "tickets.example.com",
            "/events/other/../world-tour/x",
            "event tour",
        ),
    ] {
        assert_eq!(said(rooms.decide(host, path)), expected, "{host} {path}");
    }
}

/// One way to spell a byte of a path differently.
fn respelled_byte(byte: u8, how: u8, depth: usize) -> String {
    let encoded = |text: String| (0..depth).fold(text, |text, _| text.replace('%', "%25"));
    match how {
        0 => (byte as char).to_string(),
        1 => (byte as char).to_ascii_uppercase().to_string(),
        2 => encoded(format!("%{byte:02x}")),
        _ => encoded(format!("%{byte:02X}")),
    }
}

/// What stands between two segments: a slash in one of its spellings, with nothing in between.
fn respelled_slash(how: u8) -> &'static str {
    [
        "/",
        "//",
        "/./",
        "/x/../",
        "\\",
        "%2f",
        "%252F",
        "%5c",
        "/%2e/",
        "/y/%2e%2E/",
        ";p=1/",
        ";/",
        "/.//",
    ][how as usize]
}

fn respelled(path: &str, choices: &[(u8, u8)], depth: usize) -> String {
    let mut choices = choices.iter().cycle();
    path.bytes()
        .enumerate()
        .map(|(at, byte)| {
            let (letter, slash) = *choices.next().unwrap();
            match byte {
                b'/' if at == 0 => "/".to_owned(),
                b'/' => respelled_slash(slash).to_owned(),
                _ => respelled_byte(byte, letter, depth),
            }
        })
        .collect()
}

fn respelled_host(upper: bool, dot: bool, port: bool) -> String {
    let host = if upper {
        "Tickets.EXAMPLE.com"
    } else {
        "tickets.example.com"
    };
    format!(
        "{host}{}{}",
        if dot { "." } else { "" },
        if port { ":8443" } else { "" }
    )
}

proptest! {
    #[test]
    fn no_spelling_leads_past_the_gate(
        path in prop::sample::select(vec!["/events/world-tour", "/events/world-tour/seats", "/events/world-tour/a/b", "/seat map", "/events/other/x"]),
        choices in prop::collection::vec((0_u8..4, 0_u8..13), 1..40),
        depth in 0_usize..9,
        (upper, dot, port) in any::<(bool, bool, bool)>(),
    ) {
        let rooms = rooms();
        let plain = said(rooms.decide("tickets.example.com", path));
        prop_assert!(plain.starts_with("event"));
        let (host, spelled) = (respelled_host(upper, dot, port), respelled(path, &choices, depth));
        prop_assert_eq!(said(rooms.decide(&host, &spelled)), plain, "{} {}", host, spelled);
    }

    #[test]
    fn spellings_that_all_servers_read_alike_change_nothing(
        path in prop::sample::select(vec!["/", "/events", "/about/us", "/events/world-tours", "/events/world-tour/x", "/events/world-tour/webhooks/a", "/events/world-tour/health"]),
        choices in prop::collection::vec((0_u8..4, prop::sample::select(vec![0_u8, 1, 2, 3, 8, 9])), 1..40),
        (upper, dot, port) in any::<(bool, bool, bool)>(),
    ) {
        let rooms = rooms();
        let plain = said(rooms.decide("tickets.example.com", path));
        let (host, spelled) = (respelled_host(upper, dot, port), respelled(path, &choices, 0));
        prop_assert_eq!(said(rooms.decide(&host, &spelled)), plain, "{} {}", host, spelled);
    }

    #[test]
    fn an_unprotected_path_stays_unprotected(
        path in prop::sample::select(vec!["/", "/about/us", "/events/world-tours", "/seat", "/event/world-tour/x"]),
        choices in prop::collection::vec((0_u8..4, 0_u8..13), 1..40),
        depth in 0_usize..9,
    ) {
        let rooms = rooms();
        let spelled = respelled(path, &choices, depth);
        prop_assert_eq!(said(rooms.decide("tickets.example.com", &spelled)), "none", "{}", spelled);
    }

    #[test]
    fn a_respelled_bypass_is_bypassed_or_protected_and_never_lost(
        choices in prop::collection::vec((0_u8..4, 0_u8..13), 1..40),
        depth in 0_usize..9,
    ) {
        let rooms = rooms();
        let spelled = respelled("/events/world-tour/webhooks/bank", &choices, depth);
        let decided = said(rooms.decide("tickets.example.com", &spelled));
        prop_assert!(decided == "bypass tour" || decided == "event tour", "{} {}", decided, spelled);
    }

    #[test]
    fn any_text_is_decided_without_a_panic(host in ".{0,30}", path in ".{0,60}") {
        said(rooms().decide(&host, &path));
    }
}
