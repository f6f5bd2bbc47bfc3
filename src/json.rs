//! JSON documents read strictly: a document that names a member twice is none. Readers of JSON disagree about which of the
//! two counts, so whoever looks at a request on its way would see another one than the room.
//!
//! A whole number is one however it is written: `5.0` and `5e0` are 5, as JSON Schema means it and as many languages write
//! their only kind of number.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads a document. `None`: it is no JSON, or names a member of an object twice.
pub fn read(bytes: &[u8]) -> Option<Value> {
    let Strict(value) = serde_json::from_slice(bytes).ok()?;
    Some(value)
}

/// The largest number below which a double holds every whole one exactly.
const MAX_EXACT: f64 = (1_u64 << 53) as f64;

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Strict)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON document that names each member once")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        let is_whole = value.fract() == 0.0 && value.abs() <= MAX_EXACT;
        Ok(match is_whole {
            true if value >= 0.0 => Value::Number((value as u64).into()),
            true => Value::Number((value as i64).into()),
            false => Number::from_f64(value).map_or(Value::Null, Value::Number),
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, Strict(value))) = object.next_entry::<String, Strict>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is named twice"));
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_is_read_as_it_is() {
        for text in [
            "null",
            "true",
            "7",
            "-7",
            "1.5",
            "\"text \\u00e9\"",
            "[]",
            "{}",
            r#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":null}"#,
        ] {
            let read = read(text.as_bytes());
            assert_eq!(read, serde_json::from_str(text).ok(), "{text}");
            assert!(read.is_some(), "{text}");
        }
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        for (text, number) in [
            ("151.0", json!(151)),
            ("1.51e2", json!(151)),
            ("0.0", json!(0)),
            ("-0.0", json!(0)),
            ("-3.0", json!(-3)),
            ("9007199254740992.0", json!(9_007_199_254_740_992_u64)),
            ("1.5", json!(1.5)),
            ("1e300", json!(1e300)),
        ] {
            assert_eq!(read(text.as_bytes()), Some(number), "{text}");
        }
        assert_eq!(read(b"1e400"), None);
    }

    #[test]
    fn a_member_named_twice_is_refused_wherever_and_however_it_is_written() {
        for text in [
            r#"{"action":"pause","action":"resume"}"#,
            r#"{"action":"pause","action":"pause"}"#,
            r#"{"action":"pause","\u0061ction":"resume"}"#,
            r#"{"batch":{"size":1,"size":2}}"#,
            r#"[{"a":1,"a":1}]"#,
            r#"{"a":1} {"a":1}"#,
            "{",
            "",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}
