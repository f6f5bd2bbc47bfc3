//! Texts that people type: twenty characters of Crockford's base32, in groups of five.
//!
//! The alphabet has no I, L, O and U. Whoever types may use small letters, leave hyphens and spaces out or put more of
//! them in, and read 1 as I or L and 0 as O.

/// Characters of a code: 100 bits.
pub(crate) const CODE_CHARS: usize = 20;
/// Bits of a code.
pub(crate) const CODE_BITS: u32 = 100;
/// The longest text that is looked at, in bytes: every character apart from the next, and a few too many.
const MAX_TYPED_BYTES: usize = 100;
const BITS_PER_CHAR: u32 = 5;
const CHARS_PER_GROUP: usize = 5;
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const _: () = assert!(CODE_CHARS as u32 * BITS_PER_CHAR == CODE_BITS);

/// The lowest 100 bits as twenty characters, the form that is hashed.
pub(crate) fn write(bits: u128) -> String {
    assert!(bits >> CODE_BITS == 0, "a code has {CODE_BITS} bits");
    (0..CODE_CHARS as u32)
        .rev()
        .map(|at| char::from(ALPHABET[(bits >> (at * BITS_PER_CHAR)) as usize & 31]))
        .collect()
}

/// The bits of what somebody typed.
pub(crate) fn read(typed: &str) -> Option<u128> {
    if typed.len() > MAX_TYPED_BYTES {
        return None;
    }
    let mut bits = 0;
    let mut count = 0;
    for char in typed.chars().filter(|char| !is_between(*char)) {
        bits = bits << BITS_PER_CHAR | u128::from(value(char)?);
        count += 1;
        if count > CODE_CHARS {
            return None;
        }
    }
    (count == CODE_CHARS).then_some(bits)
}

/// A code as it is shown: groups of five with hyphens.
pub(crate) fn grouped(code: &str) -> String {
    let groups: Vec<&str> = (0..code.len())
        .step_by(CHARS_PER_GROUP)
        .map(|at| &code[at..(at + CHARS_PER_GROUP).min(code.len())])
        .collect();
    groups.join("-")
}

/// White space and hyphens, also those that mail programs make of them.
fn is_between(char: char) -> bool {
    char.is_whitespace() || matches!(char, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

fn value(char: char) -> Option<u8> {
    let upper = match char.to_ascii_uppercase() {
        'I' | 'L' => '1',
        'O' => '0',
        other => other,
    };
    let at = ALPHABET
        .iter()
        .position(|known| char::from(*known) == upper)?;
    u8::try_from(at).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "0123456789ABCDEFGHJK";

    #[test]
    fn a_code_reads_back_however_it_is_typed() {
        let bits = read(CODE);
        assert_eq!(write(bits.unwrap()), CODE);
        assert_eq!(grouped(CODE), "01234-56789-ABCDE-FGHJK");
        for typed in [
            "01234-56789-ABCDE-FGHJK",
            "o1234-56789-abcde-fghjk",
            "OI234 56789 ABCDE FGHJK",
            " 0l23-4567-89AB-CDEF-GHJK\n",
            "0L234\u{2013}56789\u{2011}ABCDE\u{a0}FGHJK",
            "0-1-2-3-4-5-6-7-8-9-A-B-C-D-E-F-G-H-J-K-",
        ] {
            assert_eq!(read(typed), bits, "{typed:?}");
        }
    }

    #[test]
    fn what_is_no_code_is_not_read() {
        for typed in [
            "",
            "-",
            "0123456789ABCDEFGHJ",
            "0123456789ABCDEFGHJKM",
            "U123456789ABCDEFGHJK",
            "0123456789ABCDEFGHJ!",
            "0123456789ABCDEFGHJ\u{fc}",
            "\u{ff10}123456789ABCDEFGHJK",
            "0123456789_ABCDEFGHJK",
            "0123456789ABCDEFGHJK\0",
            &format!("{CODE}{}", " ".repeat(81)),
        ] {
            assert_eq!(read(typed), None, "{typed:?}");
        }
    }
}
