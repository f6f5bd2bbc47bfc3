//! The headers of an answer that lead a browser somewhere: where in them a reference stands, and how a browser reads it.

use std::ops::Range;

use web_sys::Url;

use crate::rewrite::Names;

/// How a header holds references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// It is one.
    Whole,
    /// Behind the seconds of a `Refresh`.
    Delayed,
    /// In angle brackets or quotation marks, any number of them.
    Enclosed,
}

/// The header of this lower-case name, if it holds references.
pub fn holding(name: &str) -> Option<(&'static str, Form)> {
    match name {
        "location" => Some(("location", Form::Whole)),
        "content-location" => Some(("content-location", Form::Whole)),
        "sourcemap" => Some(("sourcemap", Form::Whole)),
        "x-sourcemap" => Some(("x-sourcemap", Form::Whole)),
        "x-pingback" => Some(("x-pingback", Form::Whole)),
        "refresh" => Some(("refresh", Form::Delayed)),
        "link" => Some(("link", Form::Enclosed)),
        "reporting-endpoints" => Some(("reporting-endpoints", Form::Enclosed)),
        "report-to" => Some(("report-to", Form::Enclosed)),
        "speculation-rules" => Some(("speculation-rules", Form::Enclosed)),
        _ => None,
    }
}

/// The header as the visitor may see it; `None`: nothing in it leads to the origin, and it stays as it came.
pub fn as_seen(form: Form, value: &str, names: &Names) -> Option<String> {
    let base = names.visitor_base();
    with_each(form, value, |reference| {
        let url = read(reference, base)?;
        let rest = || url.pathname() + &url.search() + &url.hash();
        // What a `blob:` stands for has an origin, and no host.
        let leads_there = names.is_origin(&url.origin()) && !url.host().is_empty();
        leads_there.then(|| format!("{base}{}", rest()))
    })
}

/// The header with each of its references in the place of which there is another.
fn with_each(form: Form, value: &str, another: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut seen = String::new();
    let (mut from, mut done) = (0, 0);
    while let Some(place) = next(form, value, from) {
        // A bracket is the beginning of the next also behind a quotation mark that nothing closes.
        let is_bracket = value[place.end..].starts_with('<');
        from = place.end + usize::from(!is_bracket);
        let reference = &value[place.clone()];
        if is_path(reference) {
            continue;
        }
        if let Some(other) = another(reference) {
            seen.extend([&value[done..place.start], &other]);
            done = place.end;
        }
    }
    (done > 0).then(|| seen + &value[done..])
}

/// Whether it has neither scheme nor host, as nearly all, and so can lead nowhere but to the asked host.
fn is_path(reference: &str) -> bool {
    let mut bytes = reference.bytes();
    // Browsers read a backslash as a slash, and leave out spaces in front and tabs everywhere.
    match bytes.next() {
        None => true,
        Some(b'/') => !matches!(bytes.next(), Some(b'/' | b'\\' | b'\t')),
        Some(b'\\' | ..=b' ') => false,
        Some(_) => !reference.contains(':'),
    }
}

/// Where the next reference stands, from there on.
fn next(form: Form, value: &str, from: usize) -> Option<Range<usize>> {
    match form {
        Form::Whole => (from == 0).then_some(0..value.len()),
        Form::Delayed => (from == 0).then(|| delayed(value)),
        Form::Enclosed => {
            let rest = value.get(from..)?;
            let at = rest.find(['<', '"'])? + 1;
            let ends: &[char] = match rest[..at].ends_with('<') {
                true => &['>'],
                false => &['"', '<'],
            };
            let length = rest[at..].find(ends).unwrap_or(rest.len() - at);
            Some(from + at..from + at + length)
        }
    }
}

/// The reference of a `Refresh`, as <https://html.spec.whatwg.org/#shared-declarative-refresh-steps> finds it.
fn delayed(value: &str) -> Range<usize> {
    let space = |c: char| c.is_ascii_whitespace();
    let seconds = |c: char| c.is_ascii_digit() || c == '.';
    let rest = value.trim_start_matches(space).trim_start_matches(seconds);
    let rest = rest.trim_start_matches(space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let rest = rest.trim_start_matches(space);
    let named = || {
        let (name, behind) = rest.split_at_checked("url".len())?;
        let behind = behind.trim_start_matches(space).strip_prefix('=')?;
        name.eq_ignore_ascii_case("url")
            .then(|| behind.trim_start_matches(space))
    };
    let rest = named().unwrap_or(rest);
    let quoted = |mark| rest.strip_prefix(mark)?.split(mark).next();
    let reference = quoted('"').or_else(|| quoted('\''));
    let start = value.len() - rest.len() + usize::from(reference.is_some());
    start..start + reference.unwrap_or(rest).len()
}

/// A reference as the platform reads it, which is as browsers do; one with a scheme first by itself, since only browsers read
/// `https:a.example` as a path. `None`: it leads nowhere.
fn read(reference: &str, base: &str) -> Option<Url> {
    Url::new(reference)
        .or_else(|_| Url::new_with_base(reference, base))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starred(name: &str, value: &str) -> Option<String> {
        let (same, form) = holding(name).expect("it holds references");
        assert_eq!(same, name);
        with_each(form, value, |reference| {
            reference.contains("//o").then(|| "*".to_owned())
        })
    }

    #[test]
    fn a_reference_is_found_wherever_a_browser_would_find_it() {
        for (name, value, expected) in [
            ("location", "http://o/a, b", "*"),
            ("content-location", " http://o/a", "*"),
            ("sourcemap", "//o/a", "*"),
            ("refresh", "5; url=http://o/a?b;c", "5; url=*"),
            ("refresh", "0;URL = \"http://o/a\"; d", "0;URL = \"*\"; d"),
            ("refresh", " .5,'http://o/a' d", " .5,'*' d"),
            ("refresh", "5\thttp://o/a", "5\t*"),
            ("refresh", "5; url='http://o/a", "5; url='*"),
            ("refresh", "url=http://o/a", "url=*"),
            ("link", "<http://o/a>; rel=preload", "<*>; rel=preload"),
            (
                "link",
                "</b>; rel=next, <//o/a,b>; title=\"c\"; anchor=\"http://o/d\"",
                "</b>; rel=next, <*>; title=\"c\"; anchor=\"*\"",
            ),
            ("link", "<b>, <http://o/a", "<b>, <*"),
            (
                "link",
                "</b>; title=\"5\\\" d\", <http://o/a>; title=5\", <http://o/c>",
                "</b>; title=\"5\\\" d\", <*>; title=5\", <*>",
            ),
            (
                "report-to",
                "{\"endpoints\":[{\"url\":\"http://o/a\"}]}",
                "{\"endpoints\":[{\"url\":\"*\"}]}",
            ),
            ("speculation-rules", "\"//o/a\"", "\"*\""),
            ("x-pingback", "http://o/a", "*"),
            ("reporting-endpoints", "a=\"http://o/a\"", "a=\"*\""),
        ] {
            assert_eq!(starred(name, value).as_deref(), Some(expected), "{value}");
        }
    }

    #[test]
    fn what_holds_no_reference_to_elsewhere_stays_as_it_came() {
        for (name, value) in [
            ("location", "/a?b=//o/"),
            ("location", "a"),
            ("location", ""),
            ("refresh", "5"),
            ("refresh", "5; url"),
            ("refresh", "5; u\u{e9}=x"),
            ("refresh", "5; url=/b//o"),
            ("link", "</b//o>; rel=preload; as=\"font\""),
            ("link", "<>; \"\""),
        ] {
            assert_eq!(starred(name, value), None, "{value}");
        }
        for name in ["server", "set-cookie", "via", "x-location"] {
            assert_eq!(holding(name), None, "{name}");
        }
    }

    #[test]
    fn only_what_has_neither_scheme_nor_host_is_taken_for_a_path() {
        for path in ["", "/", "/a", "/ /o", "/a//o", "/:80", "a", "?b", "#", "."] {
            assert!(is_path(path), "{path}");
        }
        for other in [
            "//o",
            "/\\o",
            "\\/o",
            "/\t/o",
            " //o",
            "\t//o",
            "http:/a",
            "h\tttp://o",
            "a:b",
        ] {
            assert!(!is_path(other), "{other:?}");
        }
    }
}
