//! Whom an object asks for a report, and when: nobody more than once a second, and all together at a bounded rate, since the
//! platform limits how fast an account makes new ways to objects.
//!
//! Whoever is awaited is asked until the report has come. Whoever is only to be there in time is asked once.

use std::collections::BTreeMap;

use anteroom_queue::units::{Millis, UnixMillis};

/// One child is asked for a report at most this often: it needs a few tenths to make one.
pub const POKE_AFTER: Millis = Millis(1_000);

/// Some are asked at once, and then nobody for this long.
const BATCH_EVERY: Millis = Millis(100);

/// So many at once: a hundred a second.
const BATCH: usize = 10;

/// So many of them only to be there in time: fifty a second, which is all that a board can name in eleven seconds.
const WARMED: usize = 5;

/// Who is to be there, in order, and for which instant.
pub type Warming<K> = Option<(UnixMillis, Vec<K>)>;

/// Who was asked when.
#[derive(Debug)]
pub struct Pokes<K> {
    /// Those who are awaited, and when each was asked last.
    asked: BTreeMap<K, UnixMillis>,
    /// The instant that was prepared for last, and the last who was asked for it.
    warmed: Option<(UnixMillis, K)>,
    last: Option<UnixMillis>,
}

impl<K> Default for Pokes<K> {
    fn default() -> Self {
        Self {
            asked: BTreeMap::new(),
            warmed: None,
            last: None,
        }
    }
}

impl<K: Ord + Copy> Pokes<K> {
    /// Whom to ask now, of those who are awaited and of those to be there in time.
    pub fn take(&mut self, awaited: Vec<K>, warming: Warming<K>, now: UnixMillis) -> Vec<K> {
        self.asked.retain(|child, _| awaited.contains(child));
        if self.batch_at(now) > now {
            return Vec::new();
        }
        // Whoever was asked longest ago comes first.
        let asked = awaited
            .iter()
            .map(|child| (self.ask_at(*child, now), *child));
        let mut due: Vec<_> = asked.filter(|(at, _)| *at <= now).collect();
        due.sort_unstable();
        let due = due.into_iter().map(|(_, child)| child);
        let mut batch: Vec<K> = due.take(BATCH).collect();
        self.asked.extend(batch.iter().map(|child| (*child, now)));
        let rest = (BATCH - batch.len()).min(WARMED);
        let warmed: Vec<K> = self.to_warm(&warming).take(rest).collect();
        if let (Some((at, _)), Some(last)) = (&warming, warmed.last()) {
            self.warmed = Some((*at, *last));
        }
        batch.extend(warmed);
        if !batch.is_empty() {
            self.last = Some(now);
        }
        batch
    }

    /// When somebody may be asked next.
    pub fn next(
        &self,
        awaited: Vec<K>,
        warming: Warming<K>,
        now: UnixMillis,
    ) -> Option<UnixMillis> {
        let asked = awaited.into_iter().map(|child| self.ask_at(child, now));
        let warmed = self.to_warm(&warming).next().map(|_| now);
        let first = asked.chain(warmed).min()?;
        Some(first.max(self.batch_at(now)))
    }

    /// Those who were not asked for that instant yet, in order.
    fn to_warm<'a>(&self, warming: &'a Warming<K>) -> impl Iterator<Item = K> + 'a
    where
        K: 'a,
    {
        let (instant, children) = match warming {
            Some((instant, children)) => (*instant, &children[..]),
            None => (UnixMillis(0), &[][..]),
        };
        let warmed = self.warmed.filter(|(at, _)| *at == instant);
        let children = children.iter().copied();
        children.filter(move |child| warmed.is_none_or(|(_, last)| *child > last))
    }

    /// When one may be asked; a last time in the future was before the clock was set back.
    fn ask_at(&self, child: K, now: UnixMillis) -> UnixMillis {
        let last = self.asked.get(&child).filter(|at| **at <= now);
        last.map_or(UnixMillis(0), |at| at.plus(POKE_AFTER))
    }

    fn batch_at(&self, now: UnixMillis) -> UnixMillis {
        let last = self.last.filter(|at| *at <= now);
        last.map_or(UnixMillis(0), |at| at.plus(BATCH_EVERY))
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::units::ShardIndex;

    use super::*;

    const T: UnixMillis = UnixMillis(1_800_000_000_000);

    fn shards(range: core::ops::Range<u16>) -> Vec<ShardIndex> {
        range.map(ShardIndex).collect()
    }

    /// Asks whenever something is due, and says what was asked when, in milliseconds after the beginning.
    fn asked(
        pokes: &mut Pokes<ShardIndex>,
        awaited: &[ShardIndex],
        warming: &Warming<ShardIndex>,
        for_millis: u64,
    ) -> Vec<(u64, u16)> {
        let mut asked = Vec::new();
        let mut now = T;
        while now < T.plus(Millis(for_millis)) {
            for shard in pokes.take(awaited.to_vec(), warming.clone(), now) {
                asked.push((now.since(T).0, shard.0));
            }
            match pokes.next(awaited.to_vec(), warming.clone(), now) {
                Some(at) => now = at.max(now.plus(Millis(1))),
                None => break,
            }
        }
        asked
    }

    #[test]
    fn whoever_is_awaited_is_asked_once_a_second_until_heard() {
        let mut pokes: Pokes<ShardIndex> = Pokes::default();
        let all = asked(&mut pokes, &shards(0..3), &None, 2_500);
        let of = |second: u64| all.iter().filter(move |(at, _)| at / 1_000 == second);
        for second in 0..3 {
            assert_eq!(of(second).count(), 3, "{all:?}");
        }
        assert_eq!(pokes.next(Vec::new(), None, T), None);
        assert_eq!(pokes.take(Vec::new(), None, T.plus(Millis(5_000))), []);
    }

    #[test]
    fn no_second_has_more_than_a_hundred_questions_whoever_waits() {
        let warming = Some((T.plus(Millis(120_000)), shards(0..512)));
        let all = asked(&mut Pokes::default(), &shards(0..250), &warming, 20_000);
        for (from, _) in &all {
            let second = all
                .iter()
                .filter(|(at, _)| (*from..from + 1_000).contains(at));
            assert!(second.count() <= 100, "from {from} ms");
        }
        for shard in 0..250 {
            assert!(
                all.iter().any(|(_, other)| *other == shard),
                "shard {shard}"
            );
        }
    }

    #[test]
    fn whoever_is_to_be_there_is_asked_once_for_each_instant_fifty_a_second() {
        let mut pokes: Pokes<ShardIndex> = Pokes::default();
        for round in 1..3 {
            let warming = Some((T.plus(Millis(round * 120_000)), shards(0..512)));
            let all = asked(&mut pokes, &[], &warming, 120_000);
            let who: Vec<u16> = all.iter().map(|(_, shard)| *shard).collect();
            assert_eq!(who, (0..512).collect::<Vec<_>>());
            assert!(
                all.iter()
                    .all(|(at, shard)| *at >= u64::from(*shard) / 5 * 100)
            );
            assert_eq!(all.last().unwrap().0, 102 * 100);
        }
    }

    #[test]
    fn a_clock_that_is_set_back_silences_nobody() {
        let mut pokes: Pokes<ShardIndex> = Pokes::default();
        pokes.take(shards(0..1), None, T.plus(Millis(60_000)));
        assert_eq!(pokes.take(shards(0..1), None, T), shards(0..1));
    }
}
