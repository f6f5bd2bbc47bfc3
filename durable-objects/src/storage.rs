//! How state becomes rows: a key, and bytes that begin with a format byte.
//!
//! An object's storage is one table of rows. Every change is a set of whole rows, put by key in
//! one transaction, before anything is answered; reading all rows back gives the same state. One
//! row, `meta`, is the shell's own: who the object is, and the settings it applied last.
//!
//! Stored bytes outlive every deploy. A row says its own format, so a later version reads rows of
//! earlier formats and writes the new one when the row next changes: no row has to be rewritten at
//! once, and a migration that is interrupted has nothing to resume. A row of an unknown format
//! (written by a later version) refuses the start instead of being guessed at. A kind of row that
//! earlier versions do not have is of a new format too, so that they say why they do not start.

use std::collections::BTreeMap;

use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::relay::rows::RelayRow;
use anteroom_queue::shard::rows::ShardRow;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::meta::SCHEMA;
use crate::meta::{META_KEY, Meta, NotMeta, read_meta};

/// The first byte of a row's bytes: postcard of the present types.
pub const FIRST_FORMAT: u8 = 1;

/// The format of the kinds of rows that came later, and the highest that is read.
pub const ROW_FORMAT: u8 = 2;

/// The longest row that storage takes (the platform's limit is 2 MB for a row).
pub const MAX_ROW_BYTES: usize = 2_000_000;

/// A row of the core, as storage sees it.
pub trait Row: Serialize + DeserializeOwned {
    /// The key under which the row is stored.
    fn key(&self) -> String;

    /// The format of this kind of row.
    fn format(&self) -> u8;
}

impl Row for ShardRow {
    fn key(&self) -> String {
        ShardRow::key(self)
    }

    fn format(&self) -> u8 {
        match self {
            ShardRow::Crawlers(_) => ROW_FORMAT,
            _ => FIRST_FORMAT,
        }
    }
}

impl Row for RelayRow {
    fn key(&self) -> String {
        RelayRow::KEY.to_owned()
    }

    fn format(&self) -> u8 {
        ROW_FORMAT
    }
}

impl Row for CoordinatorRow {
    fn key(&self) -> String {
        CoordinatorRow::key(self)
    }

    fn format(&self) -> u8 {
        match self {
            CoordinatorRow::Origin(_) => ROW_FORMAT,
            _ => FIRST_FORMAT,
        }
    }
}

/// Why stored bytes do not make a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The row `key` has this format, which this version does not read (`None`: no bytes at all).
    Format {
        /// The row's key.
        key: String,
        /// The format byte.
        found: Option<u8>,
    },
    /// The row's bytes do not fit its format, or belong under another key.
    Malformed {
        /// The row's key.
        key: String,
    },
    /// The table was written by a later version.
    Schema(u16),
}

impl core::fmt::Display for Unusable {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Unusable::Format { key, found } => write!(
                out,
                "row {key}: format {found:?}, this version reads {FIRST_FORMAT} to {ROW_FORMAT}, each kind of row in its own"
            ),
            Unusable::Malformed { key } => {
                write!(out, "row {key}: bytes do not fit its format")
            }
            Unusable::Schema(found) => {
                write!(
                    out,
                    "table: schema {found}, this version reads 1 to {SCHEMA}"
                )
            }
        }
    }
}

/// Rows that changed and are not stored yet: the last state of each key.
#[derive(Debug)]
pub struct Changes<R> {
    rows: BTreeMap<String, R>,
    meta: Option<Meta>,
}

impl<R> Default for Changes<R> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            meta: None,
        }
    }
}

impl<R: Row> Changes<R> {
    /// Adds rows; a later state of a row replaces an earlier one.
    pub fn extend(&mut self, rows: Vec<R>) {
        for row in rows {
            self.rows.insert(row.key(), row);
        }
    }

    /// Adds the shell's own row.
    pub fn set_meta(&mut self, meta: Meta) {
        self.meta = Some(meta);
    }

    /// Keys and bytes, in order of key with the shell's own row last; empty when nothing changed.
    pub fn into_rows(self) -> Vec<(String, Vec<u8>)> {
        let meta = self
            .meta
            .map(|meta| (META_KEY.to_owned(), meta_bytes(&meta)));
        self.rows
            .into_iter()
            .map(|(key, row)| (key, row_bytes(&row)))
            .chain(meta)
            .collect()
    }
}

/// Where changes are stored. All of them or none, before the call returns; what leaves the object
/// afterwards waits until they are durable.
pub trait Store {
    /// Puts rows by key in one transaction.
    fn put(&mut self, rows: Vec<(String, Vec<u8>)>) -> Result<(), WriteFailed>;

    /// Deletes every row and puts these instead, in one transaction.
    fn replace_all(&mut self, rows: Vec<(String, Vec<u8>)>) -> Result<(), WriteFailed>;

    /// Leaves only the shell's own row.
    fn forget(&mut self, meta: &Meta) -> Result<(), WriteFailed> {
        self.replace_all(vec![(META_KEY.to_owned(), meta_bytes(meta))])
    }

    /// The bytes of one row, if it is there; otherwise why storage cannot be read.
    fn bytes_of(&self, key: &str) -> Result<Option<Vec<u8>>, String>;

    /// Stores `changes` if there are any.
    fn commit<R: Row>(&mut self, changes: Changes<R>) -> Result<(), WriteFailed>
    where
        Self: Sized,
    {
        let rows = changes.into_rows();
        if rows.is_empty() {
            return Ok(());
        }
        self.put(rows)
    }
}

/// A write that did not happen. The instance that sees it must answer nothing more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteFailed(pub String);

/// The shell's row and the core's rows out of everything stored; `None` when nothing is.
pub fn read_all<R: Row>(
    stored: impl IntoIterator<Item = (String, Vec<u8>)>,
) -> Result<Option<(Meta, Vec<R>)>, Unusable> {
    let mut meta: Option<Meta> = None;
    let mut rows = Vec::new();
    for (key, bytes) in stored {
        if key == META_KEY {
            meta = Some(meta_of(&bytes)?);
            continue;
        }
        let row: R = read_row(&key, &bytes)?;
        if row.key() != key {
            return Err(Unusable::Malformed { key });
        }
        rows.push(row);
    }
    match meta {
        Some(meta) => Ok(Some((meta, rows))),
        None if rows.is_empty() => Ok(None),
        None => Err(Unusable::Malformed {
            key: META_KEY.to_owned(),
        }),
    }
}

fn row_bytes(row: &impl Row) -> Vec<u8> {
    bytes_in(row.format(), row)
}

fn meta_bytes(meta: &Meta) -> Vec<u8> {
    bytes_in(FIRST_FORMAT, meta)
}

fn bytes_in(format: u8, row: &impl Serialize) -> Vec<u8> {
    let bytes = postcard::to_extend(row, vec![format]).expect("a row can always be written");
    assert!(
        bytes.len() <= MAX_ROW_BYTES,
        "a row of {} bytes, allowed up to {MAX_ROW_BYTES}",
        bytes.len()
    );
    bytes
}

/// The row in `bytes`, stored as `key`.
pub fn read_row<R: Row>(key: &str, bytes: &[u8]) -> Result<R, Unusable> {
    let (found, content) = content(key, bytes, ROW_FORMAT)?;
    match postcard::take_from_bytes::<R>(content) {
        Ok((row, [])) if row.format() == found => Ok(row),
        Ok((_, [])) => Err(Unusable::Format {
            key: key.to_owned(),
            found: Some(found),
        }),
        _ => Err(Unusable::Malformed {
            key: key.to_owned(),
        }),
    }
}

/// The shell's own row in `bytes`.
pub fn meta_of(bytes: &[u8]) -> Result<Meta, Unusable> {
    let (_, content) = content(META_KEY, bytes, FIRST_FORMAT)?;
    read_meta(content).map_err(|why| match why {
        NotMeta::Schema(found) => Unusable::Schema(found),
        NotMeta::Malformed => Unusable::Malformed {
            key: META_KEY.to_owned(),
        },
    })
}

/// The format byte, `highest` at most, and what is behind it.
fn content<'a>(key: &str, bytes: &'a [u8], highest: u8) -> Result<(u8, &'a [u8]), Unusable> {
    match bytes.split_first() {
        Some((&found, rest)) if (FIRST_FORMAT..=highest).contains(&found) => Ok((found, rest)),
        other => Err(Unusable::Format {
            key: key.to_owned(),
            found: other.map(|(&found, _)| found),
        }),
    }
}

#[cfg(test)]
#[path = "storage_tests.rs"]
mod tests;
