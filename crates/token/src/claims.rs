//! The payload: one JSON object in exactly one byte form.
//!
//! Claims stand in a fixed order without white space. Numbers are decimal, without sign, fraction, exponent or leading
//! zero, at most 2^53 - 1 so that every JSON reader holds them exactly. Texts hold printable ASCII without `"` and `\`,
//! so nothing is ever escaped. Any JSON library reads this; the reader here accepts nothing else, and so a repeated,
//! unknown, missing or mistyped claim has no form in which it could pass.

use core::fmt::Write;

use crate::Refusal;

/// The version of the claims that this release writes.
pub const CLAIMS_VERSION: u64 = 1;
/// The newest version it reads: a release reads a version before any release writes it, so that old and new code can
/// run side by side while a deployment rolls out.
pub const NEWEST_READ_VERSION: u64 = CLAIMS_VERSION + 1;
/// The largest number in a claim: the largest integer that a double holds exactly together with all below it.
pub const MAX_CLAIM_NUMBER: u64 = (1 << 53) - 1;
/// The longest text in a claim, in bytes: a host name has at most 253.
pub const MAX_CLAIM_TEXT_BYTES: usize = 253;
/// The longest issuer, event id and operator's name, in bytes, so that the longest pass (an audience of 253 bytes and
/// Ed25519: 895 bytes) stays below [`crate::MAX_TOKEN_BYTES`].
pub const MAX_NAME_BYTES: usize = 64;

/// Whether `text` can stand in a claim: 1 to 253 bytes of printable ASCII without `"` and `\`.
pub fn is_claim_text(text: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    !text.is_empty() && text.len() <= MAX_CLAIM_TEXT_BYTES && text.bytes().all(plain)
}

/// Writes claims one after the other.
pub(crate) struct ClaimsWriter(String);

impl ClaimsWriter {
    pub(crate) fn new() -> Self {
        ClaimsWriter(String::with_capacity(256)).number("v", CLAIMS_VERSION)
    }

    pub(crate) fn number(mut self, name: &str, value: impl Into<u64>) -> Self {
        let value = value.into();
        assert!(
            value <= MAX_CLAIM_NUMBER,
            "claim {name} is {value}, allowed is up to {MAX_CLAIM_NUMBER}"
        );
        let border = self.border();
        write!(self.0, "{border}\"{name}\":{value}").expect("writing to a String does not fail");
        self
    }

    pub(crate) fn optional_number(self, name: &str, value: Option<u64>) -> Self {
        match value {
            Some(value) => self.number(name, value),
            None => self,
        }
    }

    pub(crate) fn text(mut self, name: &str, value: &str) -> Self {
        assert!(
            is_claim_text(value),
            "claim {name} must be 1 to {MAX_CLAIM_TEXT_BYTES} bytes of plain ASCII"
        );
        let border = self.border();
        write!(self.0, "{border}\"{name}\":\"{value}\"")
            .expect("writing to a String does not fail");
        self
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn border(&self) -> char {
        if self.0.is_empty() { '{' } else { ',' }
    }
}

/// Reads the claims that [`ClaimsWriter`] writes, in the same order.
pub(crate) struct ClaimsReader<'a> {
    rest: &'a str,
    border: char,
}

impl<'a> ClaimsReader<'a> {
    /// Starts with the version, which decides how the rest is read.
    pub(crate) fn new(payload: &'a [u8]) -> Result<Self, Refusal> {
        let rest = core::str::from_utf8(payload).map_err(|_| Refusal::Claims { claim: "v" })?;
        let mut reader = ClaimsReader { rest, border: '{' };
        let version: u64 = reader.number("v")?;
        if !(CLAIMS_VERSION..=NEWEST_READ_VERSION).contains(&version) {
            return Err(Refusal::Version { found: version });
        }
        Ok(reader)
    }

    pub(crate) fn number<N: TryFrom<u64>>(&mut self, claim: &'static str) -> Result<N, Refusal> {
        let refusal = Refusal::Claims { claim };
        let after_name = self.after_name(claim).ok_or(refusal)?;
        let digits = after_name.bytes().take_while(u8::is_ascii_digit).count();
        let value = canonical_number(&after_name[..digits]).ok_or(refusal)?;
        self.rest = &after_name[digits..];
        self.border = ',';
        N::try_from(value).map_err(|_| refusal)
    }

    pub(crate) fn optional_number(&mut self, claim: &'static str) -> Result<Option<u64>, Refusal> {
        match self.after_name(claim) {
            Some(_) => self.number(claim).map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn text(&mut self, claim: &'static str) -> Result<&'a str, Refusal> {
        let refusal = Refusal::Claims { claim };
        let after_name = self.after_name(claim).ok_or(refusal)?;
        let (value, rest) = after_name
            .strip_prefix('"')
            .and_then(|open| open.split_once('"'))
            .ok_or(refusal)?;
        if !is_claim_text(value) {
            return Err(refusal);
        }
        self.rest = rest;
        self.border = ',';
        Ok(value)
    }

    pub(crate) fn finish(self) -> Result<(), Refusal> {
        if self.rest == "}" {
            Ok(())
        } else {
            Err(Refusal::Claims { claim: "end" })
        }
    }

    fn after_name(&self, claim: &str) -> Option<&'a str> {
        let quoted = self.rest.strip_prefix(self.border)?.strip_prefix('"')?;
        quoted.strip_prefix(claim)?.strip_prefix("\":")
    }
}

/// A decimal number in its only form: digits without a leading zero, at most [`MAX_CLAIM_NUMBER`].
pub(crate) fn canonical_number(digits: &str) -> Option<u64> {
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    if leading_zero || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits
        .parse()
        .ok()
        .filter(|value| *value <= MAX_CLAIM_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_form_only() {
        assert_eq!(canonical_number("0"), Some(0));
        assert_eq!(canonical_number("9007199254740991"), Some(MAX_CLAIM_NUMBER));
        for text in [
            "",
            "00",
            "01",
            "+1",
            "-1",
            "1.0",
            "1e3",
            " 1",
            "9007199254740992",
            "18446744073709551616",
            "١",
        ] {
            assert_eq!(canonical_number(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_text_needs_no_escape_and_has_a_length_limit() {
        assert!(is_claim_text("tickets.example.com"));
        assert!(is_claim_text(&"a".repeat(MAX_CLAIM_TEXT_BYTES)));
        for text in [
            "",
            "a\"b",
            "a\\b",
            "a\nb",
            "a\0b",
            "caf\u{e9}",
            &"a".repeat(MAX_CLAIM_TEXT_BYTES + 1),
        ] {
            assert!(!is_claim_text(text), "{text:?}");
        }
    }

    #[test]
    fn what_is_written_reads_back_and_nothing_may_follow() {
        let payload = ClaimsWriter::new()
            .text("iss", "live")
            .optional_number("rank", None)
            .number("iat", 7u64)
            .finish();
        assert_eq!(payload, r#"{"v":1,"iss":"live","iat":7}"#);
        let mut reader = ClaimsReader::new(payload.as_bytes()).unwrap();
        assert_eq!(reader.text("iss"), Ok("live"));
        assert_eq!(reader.optional_number("rank"), Ok(None));
        assert_eq!(reader.number::<u64>("iat"), Ok(7));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn this_version_and_the_next_are_read_and_no_other() {
        let version = |v: u64| ClaimsReader::new(format!("{{\"v\":{v}}}").as_bytes()).err();
        assert_eq!(version(0), Some(Refusal::Version { found: 0 }));
        assert_eq!(version(1), None);
        assert_eq!(version(2), None);
        assert_eq!(version(3), Some(Refusal::Version { found: 3 }));
    }
}
