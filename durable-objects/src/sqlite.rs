//! The table of an object's rows in its SQLite storage.
//!
//! `WITHOUT ROWID` keeps the key in the table itself, so that a put is one row written and not two
//! (a separate index of the key would be billed like a row). What changes together is one row, see `together.rs`.

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use worker::js_sys::{Function, Reflect, Uint8Array};
use worker::{SqlStorage, SqlStorageValue, State};

use crate::meta::META_KEY;
use crate::platform_error::message;
use crate::storage::{Store, WriteFailed};
use crate::together::{TOGETHER_KEY, Together};

const CREATE: &str =
    "CREATE TABLE IF NOT EXISTS rows (key TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID";
const FIND: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'rows'";
/// All rows but the pages of the event log, of which only the last is wanted. Keys of pages lie
/// between the prefix and the prefix with its last character raised by one; the ranges keep a long
/// log from being scanned.
const READ: &str = "SELECT key, bytes FROM rows WHERE key < 'log/' \
                    UNION ALL SELECT key, bytes FROM rows WHERE key > 'log0' \
                    UNION ALL SELECT * FROM (SELECT key, bytes FROM rows \
                    WHERE key BETWEEN 'log/' AND 'log0' ORDER BY key DESC LIMIT 1)";
const CLEAR: &str = "DELETE FROM rows";
const READ_ONE: &str = "SELECT bytes FROM rows WHERE key = ?";
const PUT: &str = "INSERT INTO rows (key, bytes) VALUES (?, ?) \
                   ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes";

/// The table.
#[derive(Debug)]
pub struct Table {
    storage: JsValue,
    sql: SqlStorage,
    together: Together,
    /// Why what stands together cannot be read, if it cannot: then nothing but the shell's own row is read or written.
    unusable: Option<String>,
}

impl Table {
    /// Whether the object has a table. It has none before it is first called, and when it has deleted
    /// everything; an alarm that comes then, late or once more, must leave it so.
    ///
    /// # Errors
    /// The platform's, when storage cannot be used.
    pub fn is_there(state: &State) -> worker::Result<bool> {
        let found = state.storage().sql().exec(FIND, None)?.raw().next();
        Ok(found.transpose()?.is_some())
    }

    /// The table of this object, made if it is not there.
    ///
    /// # Errors
    /// The platform's, when storage cannot be used.
    pub fn open(state: &State) -> worker::Result<Self> {
        let storage = state.storage();
        let sql = storage.sql();
        sql.exec(CREATE, None)?;
        let storage: &JsValue = storage.as_raw();
        let mut table = Self {
            storage: storage.clone(),
            sql,
            together: Together::default(),
            unusable: None,
        };
        match table
            .stored(TOGETHER_KEY)?
            .map(|row| Together::of_row(&row))
        {
            Some(Ok(together)) => table.together = together,
            Some(Err(why)) => table.unusable = Some(why.to_string()),
            None => {}
        }
        Ok(table)
    }

    /// Everything from which the object starts: of the event log only the last page.
    ///
    /// # Errors
    /// The platform's, when storage cannot be read.
    pub fn read(&self) -> worker::Result<Vec<(String, Vec<u8>)>> {
        if let Some(why) = &self.unusable {
            return Err(why.as_str().into());
        }
        let mut rows = Vec::new();
        for row in self.sql.exec(READ, None)?.raw() {
            let row = <[SqlStorageValue; 2]>::try_from(row?);
            let Ok([SqlStorageValue::String(key), SqlStorageValue::Blob(bytes)]) = row else {
                return Err("rows: a row that is not a key and bytes".into());
            };
            rows.push((key, bytes));
        }
        Ok(self.together.over(rows))
    }

    /// The bytes that stand under a key of their own.
    fn stored(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        let key = vec![SqlStorageValue::from(key)];
        let found = self.sql.exec(READ_ONE, Some(key));
        let mut rows = found.map_err(|error| error.to_string())?.raw();
        match rows.next() {
            None => Ok(None),
            Some(row) => match row.map_err(|error| error.to_string())?.pop() {
                Some(SqlStorageValue::Blob(bytes)) => Ok(Some(bytes)),
                _ => Err("rows: a row without bytes".into()),
            },
        }
    }
}

impl Table {
    /// A transaction that throws leaves nothing behind:
    /// <https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#transactionsync>.
    fn transact(&self, clear: bool, rows: Vec<(String, Vec<u8>)>) -> Result<(), WriteFailed> {
        let sql = self.sql.clone();
        let write = Closure::once(move || -> Result<(), JsValue> {
            if clear {
                sql.exec(CLEAR, None).map_err(JsValue::from)?;
            }
            for (key, bytes) in &rows {
                let bytes = Uint8Array::from(bytes.as_slice());
                sql.exec_raw(PUT, vec![JsValue::from_str(key), bytes.into()])
                    .map_err(JsValue::from)?;
            }
            Ok(())
        });
        Reflect::get(&self.storage, &"transactionSync".into())
            .and_then(|method| method.dyn_into::<Function>())
            .and_then(|method| method.call1(&self.storage, write.as_ref().unchecked_ref()))
            .map(|_| ())
            .map_err(|error| WriteFailed(message(&error)))
    }
}

impl Store for Table {
    fn put(&mut self, rows: Vec<(String, Vec<u8>)>) -> Result<(), WriteFailed> {
        if let Some(why) = &self.unusable
            && rows.iter().any(|(key, _)| key != META_KEY)
        {
            return Err(WriteFailed(why.clone()));
        }
        let (written, together) = self.together.put(rows);
        self.transact(false, written)?;
        self.together = together;
        Ok(())
    }

    fn replace_all(&mut self, rows: Vec<(String, Vec<u8>)>) -> Result<(), WriteFailed> {
        self.transact(true, rows)?;
        self.together = Together::default();
        Ok(())
    }

    fn bytes_of(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        match self.together.bytes_of(key) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => self.stored(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::coordinator::rows::{LOG_KEYS, log_key};

    #[test]
    fn the_query_leaves_out_the_pages_of_the_log_and_nothing_else() {
        assert_eq!(LOG_KEYS, "log/");
        assert!(super::READ.contains("BETWEEN 'log/' AND 'log0'"));
        for number in [0, 7, u32::MAX] {
            let key = log_key(number);
            assert!("log/" <= key.as_str() && key.as_str() <= "log0");
        }
    }
}
