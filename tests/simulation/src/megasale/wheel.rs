//! What is to happen when, by the millisecond: a ring of the next seconds and a map of everything later. Things of one
//! millisecond happen in the order in which they were put in.

use std::collections::BTreeMap;

/// Milliseconds on the ring: above every latency, window and pause but those of visitors.
const RING_MS: u64 = 8_192;

/// The coming events.
pub struct Wheel<T> {
    ring: Vec<Vec<T>>,
    later: BTreeMap<u64, Vec<T>>,
    now: u64,
}

impl<T> Wheel<T> {
    /// Nothing is to happen; the time is 0.
    pub fn new() -> Self {
        Self {
            ring: (0..RING_MS).map(|_| Vec::new()).collect(),
            later: BTreeMap::new(),
            now: 0,
        }
    }

    /// The present millisecond.
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Has something happen at `at`, in the next millisecond at the earliest.
    pub fn put(&mut self, at: u64, what: T) {
        let at = at.max(self.now + 1);
        if at - self.now < RING_MS {
            self.ring[(at % RING_MS) as usize].push(what);
        } else {
            self.later.entry(at).or_default().push(what);
        }
    }

    /// Goes on to the next millisecond: what happens in it. `spare` is empty and is used again.
    pub fn step(&mut self, spare: Vec<T>) -> Vec<T> {
        self.now += 1;
        let slot = (self.now % RING_MS) as usize;
        let due = std::mem::replace(&mut self.ring[slot], spare);
        match self.later.first_entry() {
            Some(first) if *first.key() <= self.now => {
                let mut early = first.remove();
                early.extend(due);
                early
            }
            _ => due,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_happens_in_its_millisecond_and_in_the_order_in_which_it_was_put_in() {
        let mut wheel = Wheel::new();
        for (at, what) in [(3, 'b'), (20_000, 'd'), (0, 'a'), (3, 'c'), (8_193, 'x')] {
            wheel.put(at, what);
        }
        let mut seen = Vec::new();
        for _ in 0..20_001 {
            let due = wheel.step(Vec::new());
            seen.extend(due.into_iter().map(|what| (wheel.now(), what)));
        }
        let expected = [(1, 'a'), (3, 'b'), (3, 'c'), (8_193, 'x'), (20_000, 'd')];
        assert_eq!(seen, expected);
    }
}
