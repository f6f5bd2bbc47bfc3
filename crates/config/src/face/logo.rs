//! The logo: a small picture beside the face. It is compiled into the Worker and shown on a page
//! that a crowd loads at once, so it has to be small; it comes from the host of the shop, so an SVG
//! must not do anything but be seen.

use super::file_of;
use crate::problem::Problem;

/// The largest logo, in bytes: less than the page itself.
pub const MAX_LOGO_BYTES: usize = 20_000;

/// The longest name of a logo's file, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The name of a logo's file.
pub const NAME_FORM: &str = "the name of a file beside this one: lower-case letters, digits, hyphens, and .svg, .png or .webp";

/// What an SVG must not contain, in lower case: what runs, what loads, what declares.
const FORBIDDEN_IN_SVG: &[&str] = &[
    "<script",
    "<foreignobject",
    "<!doctype",
    "<!entity",
    "<?xml-stylesheet",
    "<iframe",
    "<image",
    "<a ",
    "javascript:",
    "data:",
    "@import",
    "url(http",
    "href=\"http",
    "href='http",
    "href=\"//",
    "href='//",
];

/// A logo's file name.
pub fn name(text: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let (stem, _) = text.rsplit_once('.')?;
    let fits = text.len() <= MAX_NAME_BYTES && !stem.is_empty() && stem.bytes().all(plain);
    (fits && media_type(text).is_some()).then(|| text.to_owned())
}

/// The media type of a logo's file, by the end of its name.
pub fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

/// Checks what is in the logo `name`.
///
/// # Errors
/// The one problem that there is: its size, or that it is not what its name says.
pub fn check(name: &str, bytes: &[u8]) -> Result<(), Problem> {
    let refuse = |found: String, allowed: &str| Err(Problem::new(file_of(name), found, allowed));
    if bytes.is_empty() || bytes.len() > MAX_LOGO_BYTES {
        let allowed = format!("1 to {MAX_LOGO_BYTES} bytes");
        return refuse(format!("{} bytes", bytes.len()), &allowed);
    }
    let is_what_it_says = match media_type(name) {
        Some("image/png") => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
        Some("image/webp") => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        Some(_) => return check_svg(bytes).or_else(|found| refuse(found, SVG_FORM)),
        None => false,
    };
    if !is_what_it_says {
        return refuse(
            "other content".to_owned(),
            "a picture of the kind that its name says",
        );
    }
    Ok(())
}

const SVG_FORM: &str = "an SVG picture in UTF-8 that runs nothing and loads nothing";

/// What makes it no such picture.
fn check_svg(bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "bytes that are no UTF-8".to_owned())?;
    let text = text.to_ascii_lowercase();
    if !text.contains("<svg") {
        return Err("no <svg> element".to_owned());
    }
    if let Some(forbidden) = FORBIDDEN_IN_SVG.iter().find(|part| text.contains(**part)) {
        return Err((*forbidden).to_owned());
    }
    match handler(&text) {
        Some(handler) => Err(handler.to_owned()),
        None => Ok(()),
    }
}

/// An attribute that runs a script when something happens: `onload="…"`.
fn handler(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(at) = rest.find("on") {
        let name_end = rest[at..]
            .find(|letter: char| !letter.is_ascii_alphabetic())
            .map_or(rest.len(), |end| at + end);
        let begins = rest[..at].ends_with(|before: char| {
            before.is_ascii_whitespace() || matches!(before, '"' | '\'' | '/')
        });
        if begins && rest[name_end..].trim_start().starts_with('=') {
            return Some(&rest[at..name_end]);
        }
        rest = &rest[name_end.max(at + 2)..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_is_a_plain_name_with_a_kind() {
        for text in ["world-tour.svg", "a.png", "2027.webp"] {
            assert_eq!(name(text).as_deref(), Some(text));
        }
        let long = format!("{}.svg", "a".repeat(61));
        for text in [
            "",
            "logo",
            ".svg",
            "logo.gif",
            "logo.SVG",
            "Logo.svg",
            "../logo.svg",
            "a/b.svg",
            "a.b.svg",
            "https://a.example/logo.svg",
            "logo.svg ",
            &long,
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn a_picture_is_taken_when_it_is_what_its_name_says() {
        let svg =
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0h1\"/></svg>".as_slice();
        for (name, bytes) in [
            ("a.svg", svg),
            ("a.png", b"\x89PNG\r\n\x1a\nrest"),
            ("a.webp", b"RIFF\x04\0\0\0WEBPVP8 "),
        ] {
            assert_eq!(check(name, bytes), Ok(()), "{name}");
        }
        for (name, bytes) in [
            ("a.png", svg),
            ("a.webp", svg),
            ("a.svg", b"\x89PNG\r\n\x1a\nrest"),
            ("a.svg", b"hello"),
            ("a.png", b""),
        ] {
            let problem = check(name, bytes).expect_err(name);
            assert_eq!(problem.path, format!("static/events/{name}"));
        }
        let large = check("a.png", &[0; MAX_LOGO_BYTES + 1]).unwrap_err();
        assert_eq!(
            large.to_string(),
            "static/events/a.png: found 20001 bytes, allowed: 1 to 20000 bytes"
        );
    }

    #[test]
    fn an_svg_runs_nothing_and_loads_nothing() {
        for inside in [
            "<script>alert(1)</script>",
            "<SCRIPT href='x'/>",
            "<path onload=\"x()\"/>",
            "<path\nonclick = 'x()'/>",
            "<path d=\"M0 0\"OnFocus=x />",
            "<a href=\"/x\"><path/></a>",
            "<image href=\"/x.png\"/>",
            "<use href=\"https://a.example/x.svg#a\"/>",
            "<use xlink:href='//a.example/x.svg#a'/>",
            "<style>@import 'x.css'</style>",
            "<path fill=\"url(http://a.example/x)\"/>",
            "<foreignObject/>",
        ] {
            let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>");
            let problem = check("a.svg", svg.as_bytes()).expect_err(inside);
            assert_eq!(problem.allowed, SVG_FORM, "{inside}");
        }
        let entity = "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>";
        assert!(check("a.svg", entity.as_bytes()).is_err());
        for inside in [
            "<title>On tour = onward</title>",
            "<path id=\"one\" class=\"online\"/>",
            "<use href=\"#one\"/>",
            "<path fill=\"url(#shade)\"/>",
        ] {
            let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>");
            assert_eq!(check("a.svg", svg.as_bytes()), Ok(()), "{inside}");
        }
    }
}
