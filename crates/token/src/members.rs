//! A flat JSON object as any library writes it, read strictly.
//!
//! Members stand in any order, with any JSON white space and any JSON spelling of a text (PHP writes `/` as `\/`). Each
//! known name stands at most once, no other name stands there, and a value is a text or a whole number. Two readers
//! therefore never see two different objects in the same bytes.

use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use crate::claims::MAX_CLAIM_NUMBER;

/// Stands for the name of a member that does not belong there.
pub(crate) const UNKNOWN: &str = "unknown";
/// Stands for the name when what was read is no flat JSON object.
pub(crate) const NO_OBJECT: &str = "object";

enum Value {
    Text(String),
    Number(u64),
}

/// The members that were found, each under its known name.
pub(crate) struct Members<const N: usize> {
    names: [&'static str; N],
    values: [Option<Value>; N],
}

impl<const N: usize> Members<N> {
    /// Reads one object and nothing after it. The error is the member at which reading stopped.
    pub(crate) fn read(json: &[u8], names: [&'static str; N]) -> Result<Self, &'static str> {
        let mut members = Members {
            names,
            values: [const { None }; N],
        };
        let mut stopped_at = NO_OBJECT;
        let mut json = serde_json::Deserializer::from_slice(json);
        Reading {
            members: &mut members,
            at: &mut stopped_at,
        }
        .deserialize(&mut json)
        .and_then(|()| json.end())
        .map_err(|_| stopped_at)?;
        Ok(members)
    }

    /// Takes the text of that name.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<String, &'static str> {
        self.optional_text(name)?.ok_or(name)
    }

    /// Takes the text of that name, if there is one.
    pub(crate) fn optional_text(
        &mut self,
        name: &'static str,
    ) -> Result<Option<String>, &'static str> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Number(_)) => Err(name),
        }
    }

    /// Takes the number of that name, at most [`MAX_CLAIM_NUMBER`].
    pub(crate) fn number(&mut self, name: &'static str) -> Result<u64, &'static str> {
        match self.take(name) {
            Some(Value::Number(number)) if number <= MAX_CLAIM_NUMBER => Ok(number),
            _ => Err(name),
        }
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        let at = self.names.iter().position(|known| *known == name);
        self.values[at.expect("only names that were asked for are taken")].take()
    }
}

struct Reading<'m, const N: usize> {
    members: &'m mut Members<N>,
    at: &'m mut &'static str,
}

impl<'de, const N: usize> DeserializeSeed<'de> for Reading<'_, N> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Reading<'_, N> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            *self.at = UNKNOWN;
            let known = self.members.names.iter().position(|known| *known == name);
            let index = known.ok_or_else(|| A::Error::custom("an unknown member"))?;
            *self.at = self.members.names[index];
            if self.members.values[index].is_some() {
                return Err(A::Error::custom("a member twice"));
            }
            self.members.values[index] = Some(map.next_value_seed(Scalar)?);
            *self.at = NO_OBJECT;
        }
        Ok(())
    }
}

struct Scalar;

impl<'de> DeserializeSeed<'de> for Scalar {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl Visitor<'_> for Scalar {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a whole number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<(String, u64), &'static str> {
        let mut members = Members::read(json.as_bytes(), ["a", "b"])?;
        Ok((members.text("a")?, members.number("b")?))
    }

    #[test]
    fn order_white_space_and_spelling_do_not_matter() {
        for json in [
            r#"{"a":"x/y","b":7}"#,
            r#"{"b":7,"a":"x/y"}"#,
            "\r\n{ \"b\" :\t7 , \"a\" : \"x/y\" } \n",
            r#"{"a":"x\/y","b":7}"#,
            r#"{"\u0061":"\u0078/y","b":7}"#,
        ] {
            assert_eq!(read(json), Ok(("x/y".to_owned(), 7)), "{json}");
        }
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        for (json, stopped_at) in [
            (r#"{"a":"x","b":7,"c":1}"#, UNKNOWN),
            (r#"{"a":"x","b":7,"A":"x"}"#, UNKNOWN),
            (r#"{"a":"x","b":7,"a":"x"}"#, "a"),
            (r#"{"a":"x","\u0061":"y","b":7}"#, "a"),
            (r#"{"a":["x"],"b":7}"#, "a"),
            (r#"{"a":{"x":1},"b":7}"#, "a"),
            (r#"{"a":null,"b":7}"#, "a"),
            (r#"{"a":1,"b":7}"#, "a"),
            ("{\"a\":\"\n\",\"b\":7}", "a"),
            (r#"{"a":"\ud800","b":7}"#, "a"),
            (r#"{"b":7}"#, "a"),
            (r#"{"a":"x","b":"7"}"#, "b"),
            (r#"{"a":"x","b":7.0}"#, "b"),
            (r#"{"a":"x","b":7e0}"#, "b"),
            (r#"{"a":"x","b":07}"#, "b"),
            (r#"{"a":"x","b":-7}"#, "b"),
            (r#"{"a":"x","b":-0}"#, "b"),
            (r#"{"a":"x","b":true}"#, "b"),
            (r#"{"a":"x","b":9007199254740992}"#, "b"),
            (r#"{"a":"x","b":18446744073709551616}"#, "b"),
            (r#"{"a":"x"}"#, "b"),
            (r#"{"a":"x","b":7,}"#, NO_OBJECT),
            (r#"{"a":"x" "b":7}"#, NO_OBJECT),
            (r#"{"a":"x","b":7}{}"#, NO_OBJECT),
            (r#"{"a":"x","b":7"#, NO_OBJECT),
            (r#"["x",7]"#, NO_OBJECT),
            (r#"{'a':'x'}"#, NO_OBJECT),
            (r#"{"a":"x",/**/"b":7}"#, NO_OBJECT),
            ("\u{feff}{}", NO_OBJECT),
            ("null", NO_OBJECT),
            ("", NO_OBJECT),
        ] {
            assert_eq!(read(json), Err(stopped_at), "{json}");
        }
    }
}
