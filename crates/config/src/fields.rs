//! A table of the configuration, read key by key. Whatever is wrong is noted and reading goes on,
//! so that an organizer sees all problems at once.

use serde_json::{Map, Value};

use crate::keys::Whole;
use crate::problem::Problem;
use crate::texts;

/// How alike an unknown key and an allowed one have to be for a suggestion, 0 to 1.
const SUGGESTED_FROM: f64 = 0.75;

/// One table and what was found wrong with it.
pub struct Fields<'a> {
    path: String,
    map: &'a Map<String, Value>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Fields<'a> {
    /// Opens a table that may have `keys` only; `None` when it is no table.
    pub fn open(
        path: String,
        json: &'a Value,
        keys: &[&str],
        problems: &'a mut Vec<Problem>,
    ) -> Option<Self> {
        let Value::Object(map) = json else {
            problems.push(Problem::new(path, json.to_string(), "a table"));
            return None;
        };
        for key in map.keys().filter(|key| !keys.contains(&key.as_str())) {
            problems.push(unknown_key(&path, key, keys));
        }
        Some(Self {
            path,
            map,
            problems,
        })
    }

    /// The table's own path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path of one of its keys.
    pub fn path_of(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    /// Where problems are noted.
    pub fn problems(&mut self) -> &mut Vec<Problem> {
        self.problems
    }

    /// What stands at `key`.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    /// Notes that what stands at `key` is not what is allowed.
    pub fn refuse(&mut self, key: &str, allowed: impl Into<String>) {
        let found = self
            .value(key)
            .map_or("nothing".to_owned(), Value::to_string);
        let path = self.path_of(key);
        self.problems.push(Problem::new(path, found, allowed));
    }

    /// A text that `read` understands; absent: `None`.
    pub fn text<T>(
        &mut self,
        key: &str,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let read = value.as_str().and_then(read);
        if read.is_none() {
            self.refuse(key, allowed);
        }
        read
    }

    /// A text in one line, of up to `most_chars` characters; absent: `None`.
    pub fn line(&mut self, key: &str, most_chars: usize) -> Option<String> {
        self.text(key, &texts::line_form(most_chars), |text| {
            texts::line(text, most_chars)
        })
    }

    /// As [`text`](Self::text), and absence is a problem.
    pub fn required_text<T>(
        &mut self,
        key: &str,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        if self.value(key).is_none() {
            self.refuse(key, allowed);
        }
        self.text(key, allowed, read)
    }

    /// A list of up to `most` texts that `read` understands, each once; absent: `None`.
    pub fn list<T: PartialEq>(
        &mut self,
        key: &str,
        most: usize,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let entries = match self.value(key)? {
            Value::Array(entries) if entries.len() <= most => entries,
            _ => {
                self.refuse(key, format!("a list of at most {most}: {allowed}"));
                return None;
            }
        };
        let mut list: Vec<T> = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let path = format!("{}.{key}[{index}]", self.path);
            match entry.as_str().and_then(&read) {
                Some(read) if list.contains(&read) => {
                    self.problems
                        .push(Problem::new(path, entry.to_string(), "each entry once"));
                }
                Some(read) => list.push(read),
                None => self
                    .problems
                    .push(Problem::new(path, entry.to_string(), allowed)),
            }
        }
        Some(list)
    }

    /// A whole number within its range; absent, or refused: `None`.
    pub fn whole(&mut self, field: Whole) -> Option<u32> {
        let read = whole_number(self.value(field.key)?)
            .filter(|number| (field.least..=field.most).contains(number));
        if read.is_none() {
            self.refuse(
                field.key,
                format!("a whole number, {} to {}", field.least, field.most),
            );
        }
        read
    }

    /// A whole number; absent, or refused: its default.
    pub fn whole_or_default(&mut self, field: Whole) -> u32 {
        self.whole(field).or(field.default).unwrap_or(field.least)
    }

    /// A whole number that has to be there.
    pub fn required_whole(&mut self, field: Whole) -> Option<u32> {
        if self.value(field.key).is_none() {
            self.refuse(
                field.key,
                format!("a whole number, {} to {}", field.least, field.most),
            );
        }
        self.whole(field)
    }

    /// A list of up to `most` whole numbers, each within its range and there once; absent: `None`.
    pub fn wholes(&mut self, key: &str, most: usize, field: Whole) -> Option<Vec<u32>> {
        let allowed = format!(
            "a list of at most {most} whole numbers, {} to {}, each once",
            field.least, field.most
        );
        let entries = match self.value(key)? {
            Value::Array(entries) if entries.len() <= most => entries,
            _ => {
                self.refuse(key, allowed);
                return None;
            }
        };
        let mut list = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            match whole_number(entry) {
                Some(number)
                    if (field.least..=field.most).contains(&number) && !list.contains(&number) =>
                {
                    list.push(number);
                }
                _ => {
                    let path = format!("{}.{key}[{index}]", self.path);
                    self.problems
                        .push(Problem::new(path, entry.to_string(), allowed.as_str()));
                }
            }
        }
        Some(list)
    }

    /// True or false; absent, or refused: `None`.
    pub fn flag(&mut self, key: &str) -> Option<bool> {
        let read = self.value(key)?.as_bool();
        if read.is_none() {
            self.refuse(key, "true or false");
        }
        read
    }

    /// A list of 1 to `most` tables, each read by `read`; absent, or no such list: `None`.
    pub fn tables<T>(
        &mut self,
        key: &str,
        most: usize,
        keys: &[&str],
        mut read: impl FnMut(&mut Fields<'_>) -> T,
    ) -> Option<Vec<T>> {
        let entries = match self.value(key)? {
            Value::Array(entries) if (1..=most).contains(&entries.len()) => entries,
            _ => {
                self.refuse(key, format!("a list of 1 to {most} tables"));
                return None;
            }
        };
        let mut list = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let path = format!("{}[{index}]", self.path_of(key));
            if let Some(mut fields) = Fields::open(path, entry, keys, self.problems) {
                list.push(read(&mut fields));
            }
        }
        Some(list)
    }

    /// A table within this one.
    pub fn table(&mut self, key: &str, keys: &[&str]) -> Option<Fields<'_>> {
        let path = self.path_of(key);
        Fields::open(path, self.map.get(key)?, keys, self.problems)
    }
}

/// JavaScript has one kind of number: 20 may arrive as 20.0.
fn whole_number(value: &Value) -> Option<u32> {
    match (value.as_u64(), value.as_f64()) {
        (Some(number), _) => u32::try_from(number).ok(),
        (None, Some(number))
            if number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX) =>
        {
            Some(number as u32)
        }
        _ => None,
    }
}

fn unknown_key(path: &str, key: &str, keys: &[&str]) -> Problem {
    let nearest = keys
        .iter()
        .map(|allowed| (strsim::jaro_winkler(key, allowed), *allowed))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(likeness, _)| *likeness >= SUGGESTED_FROM);
    let allowed = match nearest {
        Some((_, nearest)) => format!("no such key; did you mean {nearest}?"),
        None if keys.is_empty() => "no such key".to_owned(),
        None => format!("no such key; there are {}", keys.join(", ")),
    };
    Problem::new(format!("{path}.{key}"), "an unknown key", allowed)
}
