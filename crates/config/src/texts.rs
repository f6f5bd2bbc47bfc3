//! Texts that people read, and the ids that addresses and cookie names are made of.

use crate::keys;

/// An id of an event or a line.
pub fn id(text: &str) -> Option<String> {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let fits = (1..=keys::MAX_ID_BYTES).contains(&text.len()) && text.bytes().all(inner);
    (fits && !text.starts_with('-') && !text.ends_with('-')).then(|| text.to_owned())
}

/// What [`line`] takes.
pub fn line_form(most_chars: usize) -> String {
    format!("1 to {most_chars} characters, no control characters")
}

/// A text in one line, not blank, of up to `most_chars` characters.
pub fn line(text: &str, most_chars: usize) -> Option<String> {
    let fits = (1..=most_chars).contains(&text.chars().count());
    let shown = !text.contains(char::is_control) && !text.trim().is_empty();
    (fits && shown).then(|| text.to_owned())
}
