//! What one object has stored, and the writes that are under way. Writes become durable in the
//! order in which they were made; a failure loses those that were not, with all that waits for
//! them.

use std::collections::{BTreeMap, VecDeque};

/// The durable rows of an object, and its writes on the way. `After` is what may leave the object
/// once a write is durable.
pub struct Store<Row, After> {
    rows: BTreeMap<String, Row>,
    changed: BTreeMap<String, Row>,
    under_way: VecDeque<(BTreeMap<String, Row>, After)>,
    durable_at_ms: u64,
}

impl<Row, After> Default for Store<Row, After> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            changed: BTreeMap::new(),
            under_way: VecDeque::new(),
            durable_at_ms: 0,
        }
    }
}

impl<Row: Clone, After> Store<Row, After> {
    /// The durable rows, in order of key.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows.values().cloned()
    }

    /// The durable rows with their keys, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (&str, &Row)> {
        self.rows.iter().map(|(key, row)| (key.as_str(), row))
    }

    /// Whether nothing was ever stored.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Keeps changed rows for the next write.
    pub fn change(&mut self, key: String, row: Row) {
        self.changed.insert(key, row);
    }

    /// Writes everything changed; when it will be durable.
    pub fn write(&mut self, now_ms: u64, takes_ms: u64, after: After) -> u64 {
        self.under_way
            .push_back((std::mem::take(&mut self.changed), after));
        self.durable_at_ms = self.durable_at_ms.max(now_ms + takes_ms);
        self.durable_at_ms
    }

    /// What waits for the oldest write.
    pub fn oldest(&self) -> Option<&After> {
        self.under_way.front().map(|(_, after)| after)
    }

    /// The oldest write is durable: what may leave now.
    pub fn written(&mut self) -> Option<After> {
        let (rows, after) = self.under_way.pop_front()?;
        self.rows.extend(rows);
        Some(after)
    }

    /// How many writes are under way.
    pub fn writes(&self) -> usize {
        self.under_way.len()
    }

    /// The object fails: the first `survivors` writes are durable all the same, but nothing that
    /// waits for any of them leaves.
    pub fn fail(&mut self, survivors: usize) -> Vec<After> {
        self.changed.clear();
        let mut lost = Vec::new();
        for (position, (rows, after)) in std::mem::take(&mut self.under_way).into_iter().enumerate()
        {
            if position < survivors {
                self.rows.extend(rows);
            }
            lost.push(after);
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_two_writes() -> Store<u8, &'static str> {
        let mut store = Store::default();
        store.change("a".to_owned(), 1);
        assert_eq!(store.write(10, 5, "first"), 15);
        store.change("a".to_owned(), 2);
        assert_eq!(store.write(11, 1, "second"), 15);
        store.change("b".to_owned(), 3);
        store
    }

    #[test]
    fn writes_become_durable_in_order() {
        let mut store = with_two_writes();
        assert!(store.is_empty());
        assert_eq!(store.written(), Some("first"));
        assert_eq!(store.rows().collect::<Vec<_>>(), [1]);
        assert_eq!(store.written(), Some("second"));
        assert_eq!(store.rows().collect::<Vec<_>>(), [2]);
        assert_eq!(store.written(), None);
    }

    #[test]
    fn a_failure_keeps_a_prefix_and_loses_all_answers() {
        for (survivors, rows) in [(0, vec![]), (1, vec![1]), (2, vec![2])] {
            let mut store = with_two_writes();
            assert_eq!(store.fail(survivors), ["first", "second"]);
            assert_eq!(store.rows().collect::<Vec<_>>(), rows);
            assert_eq!(store.writes(), 0);
        }
    }
}
