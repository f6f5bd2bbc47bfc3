//! Faces: what is read of them, and everything that is refused.

use anteroom_config::face::{self, Face, LANGUAGES, MAX_FACE_BYTES};
use anteroom_config::{Access, EventLine, Problem};
use serde_json::{Value, json};

fn lines() -> Vec<EventLine> {
    ["general", "fan-club"]
        .map(|id| EventLine {
            id: id.to_owned(),
            title: None,
            access: Access::Everyone,
        })
        .to_vec()
}

fn parse(face: &Value) -> Result<Face, Vec<Problem>> {
    face::parse("tour", &face.to_string(), &lines())
}

fn accepted(face: &Value) -> Face {
    parse(face).unwrap_or_else(|problems| panic!("{face}: {problems:?}"))
}

/// One mistake is one problem.
fn refused(face: &Value, path: &str, allowed: &str) {
    let problems = parse(face).expect_err(&face.to_string());
    assert_eq!(problems.len(), 1, "{face}: {problems:?}");
    let expected = format!("static/events/tour.json: {path}");
    assert_eq!(problems[0].path, expected, "{face}: {}", problems[0]);
    assert!(
        problems[0].allowed.contains(allowed),
        "{face}: {}",
        problems[0]
    );
}

#[test]
fn an_empty_face_is_the_pages_own() {
    assert_eq!(accepted(&json!({})), Face::default());
    let empty = json!({"links": {}, "texts": {"de": {"lines": {}}}});
    assert_eq!(accepted(&empty).texts("de"), Some(&face::Texts::default()));
}

#[test]
fn a_whole_face_is_read_as_it_is_written() {
    let face = accepted(&json!({
        "logo": "tour-2027.webp",
        "colours": {"accent": "#0A6153", "accent_dark": "#6ad7bf"},
        "links": {
            "organizer": "https://tour.example", "help": "https://Tour.example:8443/help?a=1#now",
            "privacy": "https://tour.example/%C3%A9", "accessibility": "https://tour.example/",
        },
        "texts": {
            "de": {"title": "Tournee", "intro": "Zwölf Städte.", "lines": {"fan-club": "Fanclub"}},
            "ar": {"title": "جولة"},
        },
    }));
    assert_eq!(face.logo.as_deref(), Some("tour-2027.webp"));
    let colours = face.colours.unwrap();
    let written = [colours.day, colours.night]
        .map(|accent| (accent.colour.to_string(), accent.text.to_string()));
    assert_eq!(
        written,
        [
            ("#0a6153".to_owned(), "#ffffff".to_owned()),
            ("#6ad7bf".to_owned(), "#0d1413".to_owned())
        ],
        "white by day, nearly black by night"
    );
    assert_eq!(
        face.links.help.as_deref(),
        Some("https://Tour.example:8443/help?a=1#now")
    );
    let german = face.texts("de").unwrap();
    assert_eq!(german.title.as_deref(), Some("Tournee"));
    assert_eq!(german.line("fan-club"), Some("Fanclub"));
    assert_eq!(german.line("general"), None);
    assert_eq!(
        face.texts("ar").and_then(|texts| texts.intro.as_deref()),
        None
    );
    assert_eq!(face.texts("en"), None);
}

#[test]
fn the_faces_of_the_repository_fit_their_events() {
    let file: Value = toml::from_str(include_str!("../../../wrangler.toml")).unwrap();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../static/events");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let id = path.file_stem().unwrap().to_str().unwrap();
        let variable = &file["vars"][anteroom_config::variable_name(id)];
        let mut event = variable.clone();
        event["origin"] = "http://127.0.0.1:4000".into();
        let name = anteroom_config::variable_name(id);
        let event = anteroom_config::parse_event(&name, &event, anteroom_config::any_zone)
            .unwrap_or_else(|problems| panic!("{problems:?}"));
        let json = std::fs::read_to_string(&path).unwrap();
        let face =
            face::parse(id, &json, &event.lines).unwrap_or_else(|problems| panic!("{problems:?}"));
        for language in ["en", "de"] {
            let texts = face.texts(language).expect(language);
            assert!(texts.title.is_some() && texts.intro.is_some(), "{language}");
            for line in &event.lines {
                assert!(texts.line(&line.id).is_some(), "{language} {}", line.id);
            }
        }
        let logo = face.logo.expect("a logo");
        let bytes = std::fs::read(format!("{folder}/{logo}")).unwrap();
        assert_eq!(face::check_logo(&logo, &bytes), Ok(()));
        seen += 1;
    }
    assert!(seen > 0, "the demo event has a face");
}

#[test]
fn the_languages_are_the_pages() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../static/locales");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    found.sort();
    assert_eq!(found, LANGUAGES);
}

#[test]
fn a_colour_that_cannot_be_read_is_refused_with_its_contrast() {
    let with = |accent: Value, accent_dark: Value| json!({"colours": {"accent": accent, "accent_dark": accent_dark}});
    let (day, night) = ("#0a6153", "#6ad7bf");
    for (accent, behind, ratio) in [
        ("#ffd166", "glow #f5eedc", "1.24:1"),
        ("#ffffff", "text on it #ffffff", "1.00:1"),
        ("#767676", "glow #e5e3de", "3.54:1"),
        ("#6ad7bf", "glow #e3efe7", "1.47:1"),
    ] {
        refused(
            &with(json!(accent), json!(night)),
            "colours.accent",
            &format!(
                "at least 4.5:1 (WCAG 2.2, 1.4.3) with what is behind it and on it; with the page's {behind} it has {ratio}"
            ),
        );
    }
    for (accent, behind, ratio) in [
        ("#0a6153", "warm #2b2414", "2.08:1"),
        ("#000000", "glow #0b1110", "1.10:1"),
        ("#4a2fa8", "warm #2b2414", "1.65:1"),
    ] {
        refused(
            &with(json!(day), json!(accent)),
            "colours.accent_dark",
            &format!("with the page's {behind} it has {ratio}"),
        );
    }
    for colour in [
        json!("#fff"),
        json!("green"),
        json!("0a6153"),
        json!("#0a61531"),
        json!(7),
        json!(null),
    ] {
        refused(
            &with(colour, json!(night)),
            "colours.accent",
            "a colour as \"#rrggbb\"",
        );
    }
    refused(
        &json!({"colours": {"accent": day}}),
        "colours.accent_dark",
        "a colour as",
    );
    refused(
        &json!({"colours": {"accent_dark": night}}),
        "colours.accent",
        "a colour as",
    );
    refused(&json!({"colours": day}), "colours", "a table");
}

#[test]
fn links_are_addresses_of_https() {
    let long = format!("https://a.example/{}", "a".repeat(500));
    for link in [
        json!("http://tour.example"),
        json!("javascript:alert(1)"),
        json!("//tour.example"),
        json!("/help"),
        json!("mailto:help@tour.example"),
        json!("https://"),
        json!("https://user@tour.example/"),
        json!("https://tour.example:0/"),
        json!("https://tour.example:70000/"),
        json!("https://tour.example/a b"),
        json!("https://tour.example/\"onclick"),
        json!("https://tour.example/é"),
        json!("HTTPS://tour.example/"),
        json!(long),
        json!(1),
        json!(null),
    ] {
        for key in ["organizer", "help", "privacy", "accessibility"] {
            refused(
                &json!({"links": { key: link }}),
                &format!("links.{key}"),
                "begins with \"https://\"",
            );
        }
    }
}

#[test]
fn unknown_members_are_refused() {
    for (face, path, allowed) in [
        (json!({"colors": {}}), "colors", "did you mean colours?"),
        (
            json!({"css": "x"}),
            "css",
            "there are logo, colours, links, texts",
        ),
        (
            json!({"links": {"imprint": "https://a.example"}}),
            "links.imprint",
            "there are organizer, help",
        ),
        (
            json!({"texts": {"xx": {"title": "?"}}}),
            "texts.xx",
            "there are ar, de, en, es, fr, pl",
        ),
        (
            json!({"texts": {"en-GB": {}}}),
            "texts.en-GB",
            "no such key",
        ),
        (
            json!({"texts": {"en": {"titel": "?"}}}),
            "texts.en.titel",
            "did you mean title?",
        ),
        (
            json!({"texts": {"en": {"lines": {"vip": "VIP"}}}}),
            "texts.en.lines.vip",
            "there are general, fan-club",
        ),
        (
            json!({"texts": {"en": {"lines": {"fanclub": "Fans"}}}}),
            "texts.en.lines.fanclub",
            "did you mean fan-club?",
        ),
        (
            json!({"colours": {"accent": "#0a6153", "accent_dark": "#6ad7bf", "paper": "#fff"}}),
            "colours.paper",
            "there are accent, accent_dark",
        ),
    ] {
        refused(&face, path, allowed);
    }
}

#[test]
fn texts_and_names_have_their_form() {
    let text = |key: &str, text: Value| json!({"texts": {"de": { key: text }}});
    for (key, most) in [("title", 120), ("intro", 400)] {
        accepted(&text(key, json!("ä".repeat(most))));
        let form = format!("1 to {most} characters");
        for wrong in [
            json!("ä".repeat(most + 1)),
            json!(""),
            json!(" "),
            json!("a\nb"),
            json!(1),
            json!(null),
        ] {
            refused(&text(key, wrong), &format!("texts.de.{key}"), &form);
        }
    }
    for wrong in [json!("x".repeat(61)), json!(""), json!(["x"])] {
        refused(
            &text("lines", json!({"general": wrong})),
            "texts.de.lines.general",
            "1 to 60 characters",
        );
    }
    for logo in [
        json!("logo.gif"),
        json!("https://a.example/logo.svg"),
        json!("../logo.svg"),
        json!(1),
    ] {
        refused(&json!({ "logo": logo }), "logo", ".svg, .png or .webp");
    }
    refused(
        &text("lines", json!(["general"])),
        "texts.de.lines",
        "a table",
    );
    refused(&json!({"texts": {"de": "x"}}), "texts.de", "a table");
    refused(&json!({"links": []}), "links", "a table");
}

#[test]
fn a_file_that_is_no_face_is_named() {
    let large = format!("{{\"x\": \"{}\"}}", "x".repeat(MAX_FACE_BYTES));
    for (id, json, allowed) in [
        ("tour", "{", "JSON"),
        ("tour", "[]", "a table"),
        ("tour", &large, "at most 20000 bytes"),
        ("World_Tour", "{}", "the event's id with .json"),
    ] {
        let problems = face::parse(id, json, &lines()).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].path, format!("static/events/{id}.json"));
        assert!(problems[0].allowed.contains(allowed), "{}", problems[0]);
    }
}

#[test]
fn without_the_event_the_names_of_lines_are_checked_for_their_form() {
    let titled = |ids: &[&str]| {
        let titles: serde_json::Map<String, Value> = ids
            .iter()
            .map(|id| ((*id).to_owned(), json!("?")))
            .collect();
        face::check(
            "tour",
            &json!({"texts": {"en": {"lines": titles}}}).to_string(),
        )
    };
    assert_eq!(
        titled(&["vip"])
            .unwrap()
            .texts("en")
            .and_then(|texts| texts.line("vip")),
        Some("?")
    );
    assert!(titled(&["1", "2", "3", "4", "5", "6", "7", "8"]).is_ok());
    for ids in [
        vec!["Vip"],
        vec!["vip_1"],
        vec!["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    ] {
        assert_eq!(titled(&ids).unwrap_err().len(), 1, "{ids:?}");
    }
}

#[test]
fn all_problems_are_found_at_once() {
    let face = json!({
        "logo": "x", "colours": {"accent": "#fff"}, "links": {"help": "x", "typo": "x"},
        "texts": {"en": {"title": ""}, "zz": {}},
    });
    assert_eq!(parse(&face).unwrap_err().len(), 7);
}
