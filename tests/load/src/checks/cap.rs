//! **cap**: sessions never exceed `max_active`; grants in any window never exceed what the limits
//! allow.
//!
//! A session surely runs from the arrival of its pass until the request that gives it back is
//! sent; a grant surely lies within a window that holds both the last answer without it and the
//! pass. Only what is sure is counted.

use std::time::Duration;

use crate::history::{History, Moment, Session};

/// What clocks round off at both ends of a window.
const CLOCK_GRAIN: Duration = Duration::from_millis(2);

/// One minute, in microseconds.
const MINUTE_US: u64 = 60_000_000;

/// A moment with too many sessions, a window with too many grants.
pub fn check(history: &History) -> Vec<String> {
    let sessions = sessions(history);
    let mut broken = Vec::new();
    if let Some(max_active) = history.limits.max_active {
        let most = active_max(history);
        if most > max_active {
            broken.push(format!(
                "{most} sessions at the same time, {max_active} allowed"
            ));
        }
    }
    if let Some(per_minute) = history.limits.per_minute {
        let grain = per_minute * CLOCK_GRAIN.as_micros() as u64 / MINUTE_US + 1;
        let burst = per_minute.div_ceil(60).max(1) + grain;
        let rate = Rate {
            grants: per_minute,
            period_us: MINUTE_US,
            burst,
        };
        broken.extend(
            rate.exceeded(&sessions)
                .map(|seen| format!("{seen}, {per_minute} a minute allowed")),
        );
    }
    if let Some((size, every)) = history.limits.batch {
        // A window of any length touches at most two periods more than it has.
        let rate = Rate {
            grants: size,
            period_us: every.as_micros() as u64,
            burst: 2 * size,
        };
        broken.extend(
            rate.exceeded(&sessions)
                .map(|seen| format!("{seen}, {size} in {} s allowed", every.as_secs())),
        );
    }
    broken
}

/// The most sessions that surely ran at the same time.
pub fn active_max(history: &History) -> u64 {
    let mut changes: Vec<(Moment, i64)> = sessions(history)
        .iter()
        .filter(|session| session.sure_until > session.received)
        .flat_map(|session| [(session.received, 1), (session.sure_until, -1)])
        .collect();
    // At the same moment an end comes before a beginning.
    changes.sort_unstable();
    let mut active = 0;
    changes.iter().fold(0, |most, (_, change)| {
        active += change;
        most.max(active)
    }) as u64
}

fn sessions(history: &History) -> Vec<Session> {
    history
        .visitors
        .iter()
        .filter_map(|visitor| visitor.session)
        .collect()
}

/// At most `grants` in each `period`, and `burst` more.
struct Rate {
    grants: u64,
    period_us: u64,
    burst: u64,
}

impl Rate {
    /// The first window found with more grants than allowed.
    ///
    /// A window from `a` to `b` surely holds the grants with `after >= a` and `received <= b`.
    /// Going back through the possible `a`, each grant that joins counts for all `b` from its
    /// `received` on. A tree over the `b` holds `count(b) - rate × b`; its maximum plus `rate × a`
    /// must not exceed the burst. In units of one grant × the period, so that all is whole.
    fn exceeded(&self, sessions: &[Session]) -> Option<String> {
        let mut sessions = sessions.to_vec();
        sessions.sort_unstable_by_key(|session| session.received);
        let due = |at: Moment| i128::from(at.0) * i128::from(self.grants);
        let grant = i128::from(self.period_us);
        let mut tree = Maxima::asleep(
            &sessions
                .iter()
                .map(|session| -due(session.received))
                .collect::<Vec<_>>(),
        );
        let mut joining: Vec<usize> = (0..sessions.len()).collect();
        joining.sort_unstable_by_key(|at| std::cmp::Reverse(sessions[*at].granted_after));
        for at in joining {
            let from = sessions[at].granted_after;
            tree.wake(at);
            tree.add_from(at, grant);
            let over = tree.maximum() + due(from) - i128::from(self.burst) * grant;
            if over > 0 {
                return Some(format!(
                    "{} grants too many in a window from {} ms",
                    over / grant + 1,
                    from.0 / 1_000
                ));
            }
        }
        None
    }
}

/// Values of which all from a position on can be raised; the maximum of those that are awake can
/// be asked for.
struct Maxima {
    leaves: usize,
    /// The maximum at or below a node, without what was added to its ancestors.
    most: Vec<i128>,
    /// What was added to all below a node.
    added: Vec<i128>,
}

/// What keeps a sleeping value below all that are awake.
const ASLEEP: i128 = i128::MIN / 4;

impl Maxima {
    fn asleep(values: &[i128]) -> Self {
        let leaves = values.len().next_power_of_two();
        let mut most = vec![2 * ASLEEP; 2 * leaves];
        for (leaf, value) in most[leaves..].iter_mut().zip(values) {
            *leaf = ASLEEP + value;
        }
        for node in (1..leaves).rev() {
            most[node] = most[2 * node].max(most[2 * node + 1]);
        }
        let added = vec![0; 2 * leaves];
        Self {
            leaves,
            most,
            added,
        }
    }

    /// Lets the value at `position` count.
    fn wake(&mut self, position: usize) {
        self.most[self.leaves + position] -= ASLEEP;
        self.climb(position, 0);
    }

    /// Adds to all values from `position` on.
    fn add_from(&mut self, position: usize, amount: i128) {
        self.most[self.leaves + position] += amount;
        self.climb(position, amount);
    }

    /// Mends the maxima above a leaf, and adds to each right sibling on the way.
    fn climb(&mut self, position: usize, amount: i128) {
        let mut node = self.leaves + position;
        while node > 1 {
            if node.is_multiple_of(2) {
                self.most[node + 1] += amount;
                self.added[node + 1] += amount;
            }
            node /= 2;
            self.most[node] = self.most[2 * node].max(self.most[2 * node + 1]) + self.added[node];
        }
    }

    fn maximum(&self) -> i128 {
        self.most[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::session;
    use crate::history::Limits;

    fn history(sessions: &[(u64, u64, u64)], limits: Limits) -> History {
        History {
            visitors: sessions
                .iter()
                .map(|(after, received, until)| session(*after, *received, *until))
                .collect(),
            limits,
            ..History::default()
        }
    }

    fn active(max: u64) -> Limits {
        Limits {
            max_active: Some(max),
            ..Limits::default()
        }
    }

    fn rate(per_minute: u64) -> Limits {
        Limits {
            per_minute: Some(per_minute),
            ..Limits::default()
        }
    }

    #[test]
    fn a_session_that_begins_when_another_ends_takes_its_slot() {
        let sessions = [(0, 1, 10), (0, 2, 20), (9, 10, 30), (15, 20, 30)];
        assert_eq!(active_max(&history(&sessions, active(2))), 2);
        assert!(check(&history(&sessions, active(2))).is_empty());
    }

    #[test]
    fn one_session_too_many_is_seen() {
        assert_eq!(
            check(&history(&[(0, 1, 10), (0, 2, 20), (0, 3, 30)], active(2))).len(),
            1
        );
    }

    #[test]
    fn grants_as_fast_as_allowed_are_right() {
        // 60 a minute: one a second, and one second's worth at once.
        let steady: Vec<_> = (0..100)
            .map(|second| (second * 1_000, second * 1_000 + 1, second * 1_000 + 2))
            .collect();
        assert!(check(&history(&steady, rate(60))).is_empty());
        assert!(check(&history(&[], rate(60))).is_empty());
    }

    #[test]
    fn a_burst_within_any_window_is_seen() {
        let mut sessions: Vec<_> = (0..100)
            .map(|second| (second * 1_000, second * 1_000 + 1, second * 1_000 + 2))
            .collect();
        sessions.extend((0..4).map(|n| (50_100 + n, 50_110 + n, 50_200)));
        assert_eq!(check(&history(&sessions, rate(60))).len(), 1);
        let double: Vec<_> = (0..60)
            .map(|n| (n * 500, n * 500 + 1, n * 500 + 2))
            .collect();
        assert_eq!(check(&history(&double, rate(60))).len(), 1);
    }

    #[test]
    fn a_grant_whose_time_is_not_known_accuses_nobody() {
        let unsure: Vec<_> = (0..50).map(|n| (0, 50_000 + n, 60_000)).collect();
        assert!(check(&history(&unsure, rate(60))).is_empty());
    }

    #[test]
    fn batches_hold_in_each_period() {
        let limits = Limits {
            batch: Some((10, Duration::from_secs(5))),
            ..Limits::default()
        };
        let batches: Vec<_> = (0..60)
            .map(|n| (n / 10 * 5_000, n / 10 * 5_000 + 5, 60_000))
            .collect();
        assert!(check(&history(&batches, limits)).is_empty());
        let crowd: Vec<_> = (0..40).map(|n| (n, n + 5, 60_000)).collect();
        assert_eq!(check(&history(&crowd, limits)).len(), 1);
    }

    #[test]
    fn the_tree_agrees_with_counting() {
        let mut dice = crate::habits::Dice::of_visitor(7, 7);
        for _ in 0..200 {
            let sessions: Vec<(u64, u64, u64)> = (0..30)
                .map(|_| {
                    let after = dice.between(0, 20_000);
                    (after, after + dice.between(0, 300), 30_000)
                })
                .collect();
            let limit = dice.between(30, 200);
            let counted = sessions.iter().any(|(from, _, _)| {
                sessions.iter().any(|(_, to, _)| {
                    let inside = sessions
                        .iter()
                        .filter(|(after, received, _)| after >= from && received <= to)
                        .count() as u64;
                    let burst = limit.div_ceil(60).max(1) + limit * 2_000 / MINUTE_US + 1;
                    to >= from && inside * 60_000 > limit * (to - from) + burst * 60_000
                })
            });
            assert_eq!(
                !check(&history(&sessions, rate(limit))).is_empty(),
                counted,
                "{limit} {sessions:?}"
            );
        }
    }
}
