//! Rows that are written as one: what changes again and again stands together in one row until it has grown, and only
//! then each in its own. Every row written is paid for, whatever its size, and under load most of them (counters, the line,
//! the last page of the log, the pages of those who join) change with every commit.
//!
//! What stands together is newer than what stands under its own key, so a reader lays it over the rest. Once there is
//! too much of it, all of it is put under its own keys in the same transaction that empties the row. The shell's own row
//! stays apart: it says who the object is before anything else is read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::meta::META_KEY;
use crate::storage::Unusable;

/// The key of the row.
pub const TOGETHER_KEY: &str = "together";

/// Its format byte: a version that does not know it does not start without what stands in it.
pub const TOGETHER_FORMAT: u8 = 3;

/// So much stands together at most, in bytes of keys and rows: some twenty pages of places. A commit writes all of it
/// again, so it is the price of a row in bytes; the platform's own limit for a row is 2 MB.
const MOST_BYTES: usize = 128 * 1_024;

/// A row and its key.
type Stored = (String, Vec<u8>);

/// What stands together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Together(BTreeMap<String, Vec<u8>>);

impl Together {
    /// What the row of [`TOGETHER_KEY`] holds.
    ///
    /// # Errors
    /// When it is none, or one of a later version.
    pub fn of_row(bytes: &[u8]) -> Result<Self, Unusable> {
        match bytes.split_first() {
            Some((&TOGETHER_FORMAT, content)) => match postcard::take_from_bytes(content) {
                Ok((together, [])) => Ok(together),
                _ => Err(Unusable::Malformed {
                    key: TOGETHER_KEY.to_owned(),
                }),
            },
            other => Err(Unusable::Format {
                key: TOGETHER_KEY.to_owned(),
                found: other.map(|(&found, _)| found),
            }),
        }
    }

    fn row(&self) -> Stored {
        let bytes = postcard::to_extend(self, vec![TOGETHER_FORMAT])
            .expect("keys and bytes can always be written");
        (TOGETHER_KEY.to_owned(), bytes)
    }

    fn bytes(&self) -> usize {
        let rows = self.0.iter();
        rows.map(|(key, bytes)| key.len() + bytes.len()).sum()
    }

    /// The bytes of a row that stands in here.
    pub fn bytes_of(&self, key: &str) -> Option<&Vec<u8>> {
        self.0.get(key)
    }

    /// All rows of a table: those that stand together over those that stand under their own keys.
    pub fn over(&self, stored: impl IntoIterator<Item = Stored>) -> Vec<Stored> {
        let under = stored
            .into_iter()
            .filter(|(key, _)| key != TOGETHER_KEY && !self.0.contains_key(key));
        let mut rows: Vec<Stored> = under.collect();
        rows.extend(
            self.0
                .iter()
                .map(|(key, bytes)| (key.clone(), bytes.clone())),
        );
        rows
    }

    /// How `changed` is put: the rows to write, in one transaction, and what stands together afterwards.
    pub fn put(&self, changed: Vec<Stored>) -> (Vec<Stored>, Self) {
        let (mut written, mut changed): (Vec<Stored>, Vec<Stored>) =
            changed.into_iter().partition(|(key, _)| key == META_KEY);
        if changed.is_empty() {
            return (written, self.clone());
        }
        // One row alone is as cheap under its own key.
        if self.0.is_empty() && changed.len() == 1 {
            written.append(&mut changed);
            return (written, Self::default());
        }
        let mut all = self.clone();
        all.0.extend(changed);
        if all.bytes() <= MOST_BYTES {
            written.push(all.row());
            return (written, all);
        }
        written.extend(all.0);
        let emptied = Self::default();
        if !self.0.is_empty() {
            written.push(emptied.row());
        }
        (written, emptied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, size: usize, content: u8) -> Stored {
        (key.to_owned(), vec![content; size])
    }

    fn keys(rows: &[Stored]) -> Vec<&str> {
        rows.iter().map(|(key, _)| key.as_str()).collect()
    }

    /// A table of rows that are written so.
    #[derive(Default)]
    struct Table {
        stored: BTreeMap<String, Vec<u8>>,
        together: Together,
        written: usize,
    }

    impl Table {
        fn put(&mut self, changed: Vec<Stored>) {
            let (written, together) = self.together.put(changed);
            self.written += written.len();
            self.stored.extend(written);
            self.together = together;
        }

        /// As an instance finds it that starts.
        fn read(&self) -> Vec<Stored> {
            let row = self.stored.get(TOGETHER_KEY);
            let together = row.map_or(Together::default(), |row| Together::of_row(row).unwrap());
            assert_eq!(together, self.together);
            let mut rows = together.over(self.stored.clone());
            rows.sort();
            rows
        }
    }

    #[test]
    fn what_changes_together_is_one_row_and_one_alone_stands_under_its_own_key() {
        let (written, together) = Together::default().put(vec![row("counters", 10, 1)]);
        assert_eq!(keys(&written), ["counters"]);
        let changed = vec![row("counters", 10, 2), row("page/0", 10, 2)];
        let (written, together) = together.put(changed);
        assert_eq!(keys(&written), [TOGETHER_KEY]);
        let (written, together) = together.put(vec![row("counters", 10, 3)]);
        assert_eq!(
            keys(&written),
            [TOGETHER_KEY],
            "the older one stands in there"
        );
        assert_eq!(together.bytes_of("counters"), Some(&vec![3; 10]));
        assert_eq!(together.bytes_of("meta"), None);
    }

    #[test]
    fn the_shells_own_row_stays_apart() {
        let changed = vec![
            row(META_KEY, 10, 1),
            row("queue", 10, 1),
            row("life", 10, 1),
        ];
        let (written, together) = Together::default().put(changed);
        assert_eq!(keys(&written), [META_KEY, TOGETHER_KEY]);
        let (written, _) = together.put(vec![row(META_KEY, 10, 2)]);
        assert_eq!(keys(&written), [META_KEY]);
    }

    #[test]
    fn whatever_is_written_in_whatever_order_is_read_as_it_was_last() {
        let mut table = Table::default();
        let mut expected = BTreeMap::new();
        for number in 0..500_u32 {
            let mut changed = vec![
                row("counters", 40, number as u8),
                row(&format!("page/{:04}", number / 12), 3_000, number as u8),
            ];
            if number % 50 == 0 {
                changed.push(row(META_KEY, 100, number as u8));
            }
            expected.extend(changed.clone());
            table.put(changed);
            assert_eq!(
                table.read(),
                expected.clone().into_iter().collect::<Vec<_>>()
            );
        }
        assert!(
            table.written < 600,
            "{} rows for 500 commits",
            table.written
        );
    }

    #[test]
    fn more_than_there_is_room_for_goes_under_its_own_keys_at_once() {
        let large = vec![row("a", MOST_BYTES, 1), row("b", 10, 1)];
        let (written, together) = Together::default().put(large);
        assert_eq!(keys(&written), ["a", "b"]);
        assert_eq!(together, Together::default());
        let (_, together) = together.put(vec![row("c", 10, 1), row("d", 10, 1)]);
        let (written, together) = together.put(vec![row("a", MOST_BYTES, 2)]);
        assert_eq!(keys(&written), ["a", "c", "d", TOGETHER_KEY]);
        assert_eq!(together, Together::default());
    }

    /// Who breaks: every object that was stored with a row that reads otherwise.
    #[test]
    fn the_row_is_a_format_byte_and_the_keys_with_their_bytes() {
        let (written, together) = Together::default().put(vec![row("a", 2, 7), row("bc", 1, 8)]);
        let bytes = [3, 2, 1, b'a', 2, 7, 7, 2, b'b', b'c', 1, 8];
        assert_eq!(written, [(TOGETHER_KEY.to_owned(), bytes.to_vec())]);
        assert_eq!(Together::of_row(&bytes), Ok(together));
        for (wrong, found) in [(&[][..], None), (&[4, 0], Some(4))] {
            let refused = Together::of_row(wrong).unwrap_err();
            assert!(matches!(refused, Unusable::Format { found: is, .. } if is == found));
        }
        for wrong in [&[3][..], &[3, 1], &[3, 0, 0]] {
            let refused = Together::of_row(wrong).unwrap_err();
            assert!(matches!(refused, Unusable::Malformed { .. }), "{wrong:?}");
        }
    }
}
