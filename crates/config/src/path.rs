//! Path rules: which paths are protected, and which of those go on without a pass.
//!
//! A rule is an exact path (`/shop`) or everything at and below a folder (`/shop/*`). A slash at
//! the end of a request's path makes no difference, nor does the case of its letters.
//!
//! Servers disagree about how a path reads: how often percent-encoding is undone, whether a
//! backslash is a slash, what `;v=1` means. So a path is turned into all its readings: it is
//! protected when any of them is protected, and it is bypassed only when every one of them is.

use std::fmt;

use crate::readings::{self, Reading};

/// The longest rule, in bytes: a variable holds 5 kB in all.
pub const MAX_RULE_BYTES: usize = 512;

/// What a rule has to look like.
pub const RULE_FORM: &str = "a path that begins with / and is at most 512 bytes long, without query, backslash, \
     semicolon, empty or dot segments; a * only as the whole last segment";

const _: () = assert!(MAX_RULE_BYTES == 512, "RULE_FORM names the limit");

/// A protected or bypassed path: exact, or everything at and below a folder.
#[derive(Clone, Debug)]
pub struct PathRule {
    /// Read fully, in lower case, without a slash at the end: empty for the root.
    base: Reading,
    /// Whether everything below `base` is meant too.
    below: bool,
    /// Where it begins, as it was written: what a link may lead to.
    front: String,
}

/// Rules are equal that mean the same requests, however they are written.
impl PartialEq for PathRule {
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base && self.below == other.below
    }
}

impl Eq for PathRule {}

impl PathRule {
    /// Reads a rule; `None` when it does not have the form of [`RULE_FORM`].
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('/')?;
        if text.len() > MAX_RULE_BYTES
            || text.contains(['?', '#', '\\', ';'])
            || text.contains(char::is_control)
        {
            return None;
        }
        let (base, below) = match rest.strip_suffix('*') {
            Some("") => ("", true),
            Some(folder) => (folder.strip_suffix('/')?, true),
            None => (rest.strip_suffix('/').unwrap_or(rest), false),
        };
        let segment = |segment: &str| !matches!(segment, "" | "." | "..") && !segment.contains('*');
        if !base.is_empty() && !base.split('/').all(segment) {
            return None;
        }
        let path = if base.is_empty() {
            String::new()
        } else {
            format!("/{base}")
        };
        // A rule that could be read in two ways would say less than its author thinks.
        let slashes = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'/').count();
        let plain = |reading: &Reading| {
            std::str::from_utf8(reading).is_ok()
                && !reading.contains(&b'%')
                && slashes(reading) == slashes(path.as_bytes())
        };
        match readings::of(&path).as_deref() {
            Some([only]) if plain(only) => Some(Self {
                base: only.clone(),
                below,
                front: text.strip_suffix('*').unwrap_or(text).to_owned(),
            }),
            _ => None,
        }
    }

    /// The path where it begins, in the letters of the configuration: an origin may tell them apart.
    pub fn front(&self) -> &str {
        &self.front
    }

    /// Whether one reading of a path is meant by this rule.
    pub(crate) fn covers(&self, reading: &[u8]) -> bool {
        match reading.strip_prefix(self.base.as_slice()) {
            Some([]) => true,
            Some(rest) => self.below && rest[0] == b'/',
            None => false,
        }
    }

    /// Whether some path is meant by both rules.
    pub(crate) fn overlaps(&self, other: &PathRule) -> bool {
        self.covers(&other.base) || other.covers(&self.base)
    }

    /// Whether every path of `other` is meant by this rule too.
    pub(crate) fn contains(&self, other: &PathRule) -> bool {
        self.covers(&other.base) && (self.below || !other.below)
    }
}

impl fmt::Display for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = String::from_utf8_lossy(&self.base);
        match (self.below, base.is_empty()) {
            (true, _) => write!(f, "{base}/*"),
            (false, true) => f.write_str("/"),
            (false, false) => f.write_str(&base),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_shown() {
        for (text, shown) in [
            ("/", "/"),
            ("/*", "/*"),
            ("/shop", "/shop"),
            ("/Shop/", "/shop"),
            ("/events/World-Tour/*", "/events/world-tour/*"),
            ("/caf%C3%A9/*", "/café/*"),
            ("/a%20b", "/a b"),
            ("/file.html", "/file.html"),
        ] {
            assert_eq!(
                PathRule::parse(text)
                    .map(|rule| rule.to_string())
                    .as_deref(),
                Some(shown),
                "{text}"
            );
        }
    }

    #[test]
    fn a_rule_begins_where_it_was_written() {
        for (text, front) in [
            ("/*", "/"),
            ("/shop", "/shop"),
            ("/events/World-Tour/*", "/events/World-Tour/"),
            ("/caf%C3%A9/*", "/caf%C3%A9/"),
        ] {
            assert_eq!(
                PathRule::parse(text).as_ref().map(PathRule::front),
                Some(front)
            );
        }
    }

    #[test]
    fn rules_that_could_be_misread_are_refused() {
        for text in [
            "",
            "shop",
            "shop/*",
            "*",
            "/shop*",
            "/*/shop",
            "/sh*op/a",
            "/a/**",
            "/a//b",
            "//a",
            "/a/../b",
            "/a/./b",
            "/a/%2e%2e/b",
            "/a?b",
            "/a#b",
            "/a\\b",
            "/a;b",
            "/a%2fb",
            "/a%5cb",
            "/a%252fb",
            "/a%00",
            "/a%ff",
            "/a%zz",
            "/a\nb",
            "https://a/b",
            "/a./b",
            "/a%3bb",
        ] {
            assert_eq!(PathRule::parse(text), None, "{text}");
        }
        assert_eq!(
            PathRule::parse(&format!("/{}", "a".repeat(MAX_RULE_BYTES))),
            None
        );
    }

    #[test]
    fn a_rule_covers_its_folder_and_no_neighbour() {
        let rule = PathRule::parse("/events/tour/*").unwrap();
        for (reading, covered) in [
            ("/events/tour", true),
            ("/events/tour/a/b", true),
            ("/events/tours", false),
            ("/events", false),
            ("", false),
        ] {
            assert_eq!(rule.covers(reading.as_bytes()), covered, "{reading}");
        }
        let exact = PathRule::parse("/events/tour").unwrap();
        assert!(exact.covers(b"/events/tour") && !exact.covers(b"/events/tour/a"));
        assert!(
            PathRule::parse("/*").unwrap().covers(b"")
                && PathRule::parse("/*").unwrap().covers(b"/a")
        );
        assert!(
            PathRule::parse("/").unwrap().covers(b"")
                && !PathRule::parse("/").unwrap().covers(b"/a")
        );
    }

    #[test]
    fn rules_overlap_when_some_path_is_meant_by_both() {
        for (one, other, overlap, contains) in [
            ("/a/*", "/a/b/*", true, true),
            ("/a/*", "/a", true, true),
            ("/a", "/a/*", true, false),
            ("/a/*", "/ab/*", false, false),
            ("/a/b", "/a/c", false, false),
            ("/*", "/x", true, true),
            ("/A", "/a", true, true),
        ] {
            let (one, other) = (
                PathRule::parse(one).unwrap(),
                PathRule::parse(other).unwrap(),
            );
            assert_eq!(one.overlaps(&other), overlap, "{one} {other}");
            assert_eq!(one.contains(&other), contains, "{one} {other}");
        }
    }
}
