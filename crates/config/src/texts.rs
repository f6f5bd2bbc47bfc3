//! Texts that people read, and the ids that addresses and cookie names are made of.

use crate::keys;

/// An id of an event or a line.
pub fn id(text: &str) -> Option<String> {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let fits = (1..=keys::MAX_ID_BYTES).contains(&text.len()) && text.bytes().all(inner);
    (fits && !text.starts_with('-') && !text.ends_with('-')).then(|| text.to_owned())
}

/// What a text that people read may not have, in words.
pub const HIDDEN_FORM: &str = "no control characters and none that turn the direction of writing";

/// Whether a character is seen by nobody and changes how the text around it is read: a control character, a separator of
/// lines, one that turns the direction of writing (an embedding, an override, an isolate). The marks for one place
/// (U+200E, U+200F, U+061C) are enough for a text of both directions and none of these, nor are joiners.
pub fn is_hidden(character: char) -> bool {
    let separates_or_turns = matches!(
        character,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
    );
    character.is_control() || separates_or_turns
}

/// What [`line()`] takes.
pub fn line_form(most_chars: usize) -> String {
    format!("1 to {most_chars} characters, {HIDDEN_FORM}")
}

/// A text in one line, not blank, of up to `most_chars` characters.
pub fn line(text: &str, most_chars: usize) -> Option<String> {
    let fits = (1..=most_chars).contains(&text.chars().count());
    let shown = !text.contains(is_hidden) && !text.trim().is_empty();
    (fits && shown).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    // C14.
    #[test]
    fn a_line_has_no_character_that_changes_how_the_rest_is_read() {
        for shown in [
            "Tour 2027",
            "a\u{200d}b",
            "\u{5e9}\u{200f}!",
            "soft\u{ad}hyphen",
            "\u{1f3f4}\u{e0067}\u{e007f}",
        ] {
            assert_eq!(line(shown, 40).as_deref(), Some(shown));
        }
        let hidden = "\u{0}\u{8}\n\u{1b}\u{7f}\u{9b}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2069}\u{206f}\u{feff}\u{fff9}";
        for character in hidden.chars() {
            assert_eq!(line(&format!("ab{character}c"), 40), None, "{character:?}");
        }
    }
}
