//! What happens next. Events of one millisecond come in the order in which they were entered, so
//! that nothing but the entries themselves decides the course of a run.
//!
//! The present page of `PAGE_MS` milliseconds has one bucket for each of them; later pages wait
//! unsorted. Entering and taking cost the same whether ten or a million visitors wait.

use std::collections::BTreeMap;

/// Milliseconds of one page: a little over a minute, longer than most waits between polls.
const PAGE_MS: u64 = 1 << 16;

/// Future events of a run.
pub struct Calendar<T> {
    now: u64,
    buckets: Vec<Vec<T>>,
    taken: usize,
    later: BTreeMap<u64, Vec<(u64, T)>>,
    len: usize,
}

impl<T: Copy> Default for Calendar<T> {
    fn default() -> Self {
        Self {
            now: 0,
            buckets: (0..PAGE_MS).map(|_| Vec::new()).collect(),
            taken: 0,
            later: BTreeMap::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Calendar<T> {
    /// Enters an event at `at`; an instant that has passed means now.
    pub fn enter(&mut self, at: u64, event: T) {
        let at = at.max(self.now);
        self.len += 1;
        let page = at / PAGE_MS;
        if page == self.now / PAGE_MS {
            self.buckets[(at % PAGE_MS) as usize].push(event);
        } else {
            self.later.entry(page).or_default().push((at, event));
        }
    }

    /// The next event and its instant.
    pub fn take(&mut self) -> Option<(u64, T)> {
        if self.len == 0 {
            return None;
        }
        loop {
            let slot = (self.now % PAGE_MS) as usize;
            if let Some(event) = self.buckets[slot].get(self.taken) {
                self.taken += 1;
                self.len -= 1;
                return Some((self.now, *event));
            }
            self.buckets[slot].clear();
            self.taken = 0;
            if slot + 1 == PAGE_MS as usize {
                self.turn_page();
            } else {
                self.now += 1;
            }
        }
    }

    /// How many events are still to come.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is left to happen.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn turn_page(&mut self) {
        let (page, events) = self
            .later
            .pop_first()
            .expect("events are counted, and none is left on the present page");
        self.now = page * PAGE_MS;
        for (at, event) in events {
            self.buckets[(at % PAGE_MS) as usize].push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(calendar: &mut Calendar<u32>) -> Vec<(u64, u32)> {
        std::iter::from_fn(|| calendar.take()).collect()
    }

    #[test]
    fn events_come_by_time_and_within_a_millisecond_as_entered() {
        let mut calendar = Calendar::default();
        for (at, event) in [
            (9, 1),
            (3, 2),
            (9, 3),
            (200_000, 4),
            (70_000, 5),
            (200_000, 6),
        ] {
            calendar.enter(at, event);
        }
        assert_eq!(calendar.len(), 6);
        let expected = [
            (3, 2),
            (9, 1),
            (9, 3),
            (70_000, 5),
            (200_000, 4),
            (200_000, 6),
        ];
        assert_eq!(drain(&mut calendar), expected);
        assert!(calendar.is_empty());
    }

    #[test]
    fn an_event_entered_for_the_present_millisecond_or_the_past_comes_next() {
        let mut calendar = Calendar::default();
        calendar.enter(5, 1);
        calendar.enter(6, 2);
        assert_eq!(calendar.take(), Some((5, 1)));
        calendar.enter(5, 3);
        calendar.enter(1, 4);
        assert_eq!(drain(&mut calendar), [(5, 3), (5, 4), (6, 2)]);
    }
}
