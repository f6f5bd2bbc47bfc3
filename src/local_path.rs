//! A path on this host, and nothing that a browser could read as another one: where a form sends its visitor back to.

/// The longest path that is taken back, in bytes: what fits a form twice within the limit on bodies.
pub const MAX_PATH_BYTES: usize = 4_096;

/// A validated path with its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalPath(String);

impl LocalPath {
    /// Takes `text` if a browser can only read it as a path on the host that it is on: it begins with one slash, holds
    /// printable ASCII without backslashes, and is not too long. A fragment is cut off.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.split('#').next().unwrap_or_default();
        let mut bytes = text.bytes();
        let begins_well = bytes.next() == Some(b'/') && !text[1..].starts_with('/');
        let plain = text.bytes().all(|byte| {
            matches!(byte, b'!'..=b'~')
                && byte != b'\\'
                && byte != b'"'
                && byte != b'<'
                && byte != b'>'
        });
        (begins_well && plain && text.len() <= MAX_PATH_BYTES).then(|| LocalPath(text.to_owned()))
    }

    /// The front page.
    pub fn root() -> Self {
        LocalPath("/".to_owned())
    }

    /// Path and query.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path without its query.
    pub fn path(&self) -> &str {
        self.0.split('?').next().unwrap_or("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_on_this_host_is_taken() {
        for good in [
            "/",
            "/events/demo/seats?row=4&x=%2F%2Fa",
            "/a//b",
            "/%5c%5cevil",
            "/:80",
            "/@evil",
        ] {
            assert_eq!(
                LocalPath::parse(good).as_ref().map(LocalPath::as_str),
                Some(good)
            );
        }
        assert_eq!(LocalPath::parse("/a#b").unwrap().as_str(), "/a");
        let long = format!("/{}", "a".repeat(MAX_PATH_BYTES));
        for bad in [
            "",
            "a",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example/",
            "/\t/evil.example",
            "/a\nSet-Cookie: x=1",
            "/\"><script>",
            " /a",
            "javascript:alert(1)",
            "/caf\u{e9}",
            &long,
            "#/a",
            "?/a",
        ] {
            assert_eq!(LocalPath::parse(bad), None, "{bad:?}");
        }
    }
}
