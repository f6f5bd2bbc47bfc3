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
            "https://a.example/",
            None,
            Kind::Check,
            "__Host-wr-check-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
        ),
        (
            "https://a.example/",
            None,
            Kind::Binding,
            "__Host-wr-binding-demo-1=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=None",
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
    let cleared: Vec<String> = jar("https://a.example/", None)
        .clear(&[], Kind::Ticket)
        .collect();
    assert!(cleared[0].contains("=; Path=/; Max-Age=0;"));
    assert_eq!(cleared.len(), 1);
}

const PARTNER: [&str; 2] = ["'self'", "https://partner.example"];

fn framed(headers: &[(&'static str, &str)], cookies: &str) -> String {
    let incoming = Incoming::listed(Method::Get, "https://a.example/shop", headers);
    let ancestors = PARTNER.map(str::to_owned);
    let jar = Jar::new("demo", None, &incoming).below(&ancestors, &incoming, &ours(cookies));
    jar.set(Kind::Ticket, "x", 60)
}

/// Browsers keep these bytes: whoever changes them without a new epoch loses places.
#[test]
fn in_a_frame_of_a_named_site_cookies_are_partitioned() {
    let partitioned = "__Host-wr-ticket-demo-1-framed=x; Path=/; Max-Age=60; HttpOnly; \
        Secure; SameSite=None; Partitioned";
    let plain = jar("https://a.example/", None).set(Kind::Ticket, "x", 60);
    let (site, dest) = (
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-dest", "iframe"),
    );
    let from = |referer| [site, dest, ("referer", referer)];
    type Headers<'a> = &'a [(&'static str, &'a str)];
    let rows: [(Headers<'_>, &str, &str); 9] = [
        (&[site, dest], "", partitioned),
        (&from("https://partner.example/"), "", partitioned),
        (&from("https://partner.example/page?x"), "", partitioned),
        (&from("https://partner.example.evil.example/"), "", &plain),
        (&from("https://evil.example/"), "", &plain),
        (&[site, ("sec-fetch-dest", "document")], "", &plain),
        (&[("sec-fetch-site", "same-site"), dest], "", &plain),
        (&[("sec-fetch-site", "same-origin")], "", &plain),
        // What the page in the frame sends says only by its cookies where it is.
        (
            &[("sec-fetch-site", "same-origin")],
            "__Host-wr-permit-demo-1-framed=p",
            partitioned,
        ),
    ];
    for (headers, cookies, expected) in rows {
        assert_eq!(framed(headers, cookies), expected, "{headers:?} {cookies}");
    }
}

#[test]
fn where_no_other_site_may_frame_the_page_no_partitioned_cookie_means_anything() {
    let headers = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-dest", "iframe"),
    ];
    let cookies = "__Host-wr-ticket-demo-1-framed=f; __Host-wr-ticket-demo-1=p";
    let incoming = Incoming::listed(Method::Get, "https://a.example/shop", &headers);
    let of = |ancestors: &[&str]| {
        let ancestors: Vec<String> = ancestors.iter().map(|site| site.to_string()).collect();
        let jar = Jar::new("demo", None, &incoming).below(&ancestors, &incoming, &ours(cookies));
        jar.values(&ours(cookies), Kind::Ticket).collect::<Vec<_>>()
    };
    assert_eq!(of(&PARTNER), ["f", "p"]);
    for none in [&[][..], &["'self'"]] {
        assert_eq!(of(none), ["p"], "{none:?}");
    }
}

/// C5. A browser brings what it got before the deploy that raised the epoch.
#[test]
fn cookies_of_the_epoch_before_are_read_behind_those_of_this_one_and_never_set() {
    let jar = jar("https://a.example/", None);
    let of = |epoch: u32, value: &str| format!("__Host-wr-ticket-demo-{epoch}={value}");
    let header = [
        of(EPOCH - 1, "old"),
        of(EPOCH, "new"),
        of(EPOCH + 1, "later"),
    ]
    .join("; ");
    let read: Vec<&str> = jar.values(&ours(&header), Kind::Ticket).collect();
    assert_eq!(read, ["new", "old"]);
    assert!(jar.set(Kind::Ticket, "x", 60).starts_with(&of(EPOCH, "x")));
}

/// C5. In a frame, and what was left under the old name comes back no more.
#[test]
fn a_frame_and_what_is_taken_away_in_it_outlive_an_epoch() {
    let (old, new) = (EPOCH - 1, EPOCH);
    let name = |kind: &str, epoch: u32| format!("__Host-wr-{kind}-demo-{epoch}-framed");
    let cookies = format!("{}=old; {}=p", name("ticket", old), name("pass", old));
    let headers = [("sec-fetch-site", "same-origin")];
    let incoming = Incoming::listed(Method::Get, "https://a.example/shop", &headers);
    let jar = Jar::new("demo", None, &incoming);
    let jar = jar.below(&PARTNER.map(str::to_owned), &incoming, &ours(&cookies));
    assert!(jar.is_framed());
    let read: Vec<&str> = jar.values(&ours(&cookies), Kind::Ticket).collect();
    assert_eq!(read, ["old"]);
    let cleared: Vec<String> = jar.clear(&ours(&cookies), Kind::Ticket).collect();
    let starts = [name("ticket", new), name("ticket", old)]
        .map(|name| format!("{name}=; Path=/; Max-Age=0;"));
    assert_eq!(cleared.len(), starts.len());
    for (line, start) in cleared.iter().zip(starts) {
        assert!(
            line.starts_with(&start) && line.ends_with("; Partitioned"),
            "{line}"
        );
    }
    assert_eq!(jar.clear(&ours(&cookies), Kind::Permit).count(), 1);
}

#[test]
fn ours_are_found_among_malformed_ones() {
    let jar = jar("http://localhost/", None);
    let header = "a=b; =; ;;wr-ticket-demo-1=one;\u{1f3ab}=x; wr-ticket-demo=no; wr-ticket-demo-1=two; wr-ticket-demo-1";
    assert_eq!(
        jar.values(&ours(header), Kind::Ticket).collect::<Vec<_>>(),
        ["one", "two"]
    );
    assert_eq!(jar.values(&ours(header), Kind::Pass).count(), 0);
    let many = "wr-ticket-demo-1=x; ".repeat(500);
    assert_eq!(
        jar.values(&ours(&many), Kind::Ticket).count(),
        MAX_OF_ONE_NAME
    );
}

#[test]
fn the_origin_gets_every_cookie_but_ours_as_it_came() {
    for (header, expected) in [
        (
            "sid=1; __Host-wr-pass-demo-1=p; wr-ticket-other-7=t; theme=dark; wr-browser-x-1=b; wr-theme=w",
            "sid=1; theme=dark; wr-theme=w",
        ),
        ("__Secure-wr-permit-demo-1=p", ""),
        (
            "WR-PASS-demo-1=p ; a = b;;c=\"d, e\"; ",
            "a = b;;c=\"d, e\"; ",
        ),
        ("a=Zo\u{eb};wr-pass-demo-1=p;b", "a=Zo\u{eb};b"),
        // Of a second header, and of a third.
        ("a=1, wr-ticket-demo-1=t; b=2", "a=1; b=2"),
        ("a=x,y, __Host-wr-pass-demo-1=p, b=2; c=3", "a=x,y; c=3"),
        // What cannot be said again is left out rather than said wrongly.
        ("a=\u{fffd}; wr-pass-demo-1=p; b=2", "b=2"),
    ] {
        assert_eq!(without_ours(header).as_deref(), Some(expected), "{header}");
    }
}

#[test]
fn cookies_among_which_none_is_ours_are_not_touched() {
    for header in [
        "sid=1;theme=dark;",
        " ; =; ;;; novalue; =x",
        "a=\u{fffd}; b=wr-pass-demo-1=x",
        "a=x, wr-theme=w",
        "",
    ] {
        assert_eq!(without_ours(header), None, "{header}");
    }
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
