//! JSON documents read strictly: a document that names a member twice is none. Readers of JSON disagree about which of the
//! two counts, so whoever looks at a request on its way would see another one than the room.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads a document. `None`: it is no JSON, or names a member of an object twice.
pub fn read(bytes: &[u8]) -> Option<Value> {
    let Strict(value) = serde_json::from_slice(bytes).ok()?;
    Some(value)
}

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
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
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
