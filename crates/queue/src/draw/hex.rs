//! Hashes and signatures as text: lower-case hexadecimal, two digits a byte, nothing else.

use serde::{Deserialize, Deserializer, Serializer, de};

use super::Hash;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// `bytes` as text.
pub fn text(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// The bytes that `text` stands for; none when it is anything but lower-case digits in pairs.
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |letter: u8| DIGITS.iter().position(|known| *known == letter);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let whole = rest.is_empty();
    let byte = |[high, low]: &[u8; 2]| Some((digit(*high)? << 4 | digit(*low)?) as u8);
    pairs
        .iter()
        .map(byte)
        .collect::<Option<_>>()
        .filter(|_| whole)
}

/// The hash that `text` stands for: exactly 64 digits.
pub fn hash(text: &str) -> Option<Hash> {
    bytes(text)?.try_into().ok()
}

/// For `#[serde(with = "hex")]`: a hash as text.
pub fn serialize<S: Serializer>(value: &Hash, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text(value))
}

/// For `#[serde(with = "hex")]`: a hash from text.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Hash, D::Error> {
    let written = String::deserialize(from)?;
    hash(&written).ok_or_else(|| de::Error::custom("a hash has 64 lower-case hexadecimal digits"))
}

/// Bytes of any length that may be absent (`null`).
pub mod optional {
    use super::{Deserialize, Deserializer, Serializer, bytes, de, text};

    /// For `#[serde(with = "hex")]`: a hash as text.
    pub fn serialize<B: AsRef<[u8]>, S: Serializer>(
        value: &Option<B>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(bytes) => to.serialize_str(&text(bytes.as_ref())),
            None => to.serialize_none(),
        }
    }

    /// Reads text or `null`.
    pub fn deserialize<'de, B: TryFrom<Vec<u8>>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<B>, D::Error> {
        let Some(written) = Option::<String>::deserialize(from)? else {
            return Ok(None);
        };
        let read = bytes(&written).and_then(|bytes| bytes.try_into().ok());
        let why = "lower-case hexadecimal digits, two a byte, as many as the value has";
        read.map(Some).ok_or_else(|| de::Error::custom(why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_no_other_spelling() {
        assert_eq!(text(&[0, 0x9f, 0xff]), "009fff");
        assert_eq!(bytes("009fff"), Some(vec![0, 0x9f, 0xff]));
        assert_eq!(bytes(""), Some(Vec::new()));
        for refused in ["0", "009", "0G", "FF", "0x", " 00", "é"] {
            assert_eq!(bytes(refused), None, "{refused}");
        }
        assert_eq!(hash(&text(&[5; 32])), Some([5; 32]));
        assert_eq!(hash(&text(&[5; 31])), None);
        assert_eq!(hash(&text(&[5; 33])), None);
    }
}
