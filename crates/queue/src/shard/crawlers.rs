//! Requests of crawlers that go on to the origin without a place: how many there were in any minute.
//!
//! One shard counts for the whole event, and stores each count before it answers, so the budget holds exactly across
//! edges and restarts. A second that has begun counts whole: in no 60 s are there more than the budget.

use serde::{Deserialize, Serialize};

use super::Shard;
use super::command::ShardReply;
use crate::units::{Millis, UnixMillis};

/// For so many seconds a request counts.
const WINDOW_SECONDS: u64 = 60;

/// What is stored of a second: the second since 1970, and how many requests went on in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawledSecond {
    /// The second since 1970.
    pub second: u64,
    /// How many requests went on to the origin.
    pub count: u32,
}

/// What crawlers were given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crawlers {
    /// The seconds that count, oldest first.
    pub recent: Vec<CrawledSecond>,
    /// Requests that went on to the origin, since the run began.
    pub let_through: u64,
    /// Requests that were beyond the budget, as far as edges told; stored with the next that goes on.
    pub turned_away: u64,
}

impl Crawlers {
    fn in_window(&self) -> u32 {
        self.recent.iter().map(|second| second.count).sum()
    }

    /// Leaves out what does not count any more. What was noted by a clock that was ahead counts from now on.
    fn look(&mut self, now_second: u64) {
        for noted in &mut self.recent {
            noted.second = noted.second.min(now_second);
        }
        self.recent
            .retain(|noted| noted.second + WINDOW_SECONDS >= now_second);
    }

    /// One more, if the budget allows it.
    fn take(&mut self, per_minute: u32, now_second: u64) -> bool {
        if self.in_window() >= per_minute {
            self.turned_away += 1;
            return false;
        }
        match self.recent.last_mut() {
            Some(last) if last.second == now_second => last.count += 1,
            _ => self.recent.push(CrawledSecond {
                second: now_second,
                count: 1,
            }),
        }
        self.let_through += 1;
        true
    }

    /// How long until one of those that count does not any more.
    fn frees_in(&self, now: UnixMillis) -> Millis {
        let frees = |oldest: &CrawledSecond| (oldest.second + WINDOW_SECONDS + 1) * 1_000;
        let at = self.recent.first().map_or(0, frees);
        UnixMillis(at).since(now)
    }
}

impl Shard {
    pub(super) fn crawl(
        &mut self,
        per_minute: u32,
        turned_away: u32,
        now: UnixMillis,
    ) -> ShardReply {
        self.crawlers.look(now.0 / 1_000);
        self.crawlers.turned_away += u64::from(turned_away);
        let went_on = self.crawlers.take(per_minute, now.0 / 1_000);
        self.changed.crawlers |= went_on;
        ShardReply::Crawled {
            went_on,
            retry_in: if went_on {
                Millis(0)
            } else {
                self.crawlers.frees_in(now)
            },
        }
    }

    pub(super) fn crawled(&mut self, now: UnixMillis) -> ShardReply {
        self.crawlers.look(now.0 / 1_000);
        ShardReply::CrawlerCounts {
            in_last_minute: self.crawlers.in_window(),
            let_through: self.crawlers.let_through,
            turned_away: self.crawlers.turned_away,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_000;

    /// Asks once every `step` ms for `seconds`; the instants that went on.
    fn went_on(per_minute: u32, step: u64, seconds: u64) -> Vec<u64> {
        let mut crawlers = Crawlers::default();
        let instants = (START * 1_000..(START + seconds) * 1_000).step_by(step as usize);
        instants
            .filter(|at| {
                crawlers.look(at / 1_000);
                crawlers.take(per_minute, at / 1_000)
            })
            .collect()
    }

    #[test]
    fn no_sixty_seconds_see_more_than_the_budget_and_none_of_it_is_lost_for_long() {
        for (per_minute, step) in [(1, 100), (7, 333), (60, 50), (600, 20)] {
            let instants = went_on(per_minute, step, 300);
            for (at, first) in instants.iter().enumerate() {
                let within = instants[at..]
                    .iter()
                    .take_while(|later| **later < first + 60_000)
                    .count();
                assert!(within <= per_minute as usize, "{within} of {per_minute}");
            }
            let least = 4 * per_minute as usize;
            assert!(
                instants.len() >= least,
                "{} of {per_minute}",
                instants.len()
            );
        }
    }

    #[test]
    fn who_is_turned_away_is_told_when_one_more_may_go_on() {
        let mut crawlers = Crawlers::default();
        let now = UnixMillis(START * 1_000 + 700);
        assert!(crawlers.take(1, START));
        assert!(!crawlers.take(1, START));
        let at = now.plus(crawlers.frees_in(now));
        crawlers.look(at.0 / 1_000 - 1);
        assert!(!crawlers.take(1, at.0 / 1_000 - 1));
        crawlers.look(at.0 / 1_000);
        assert!(crawlers.take(1, at.0 / 1_000));
        assert_eq!((crawlers.let_through, crawlers.turned_away), (2, 2));
    }

    #[test]
    fn a_clock_that_was_far_ahead_blocks_no_longer_than_a_minute() {
        let mut crawlers = Crawlers::default();
        assert!(crawlers.take(1, START + 90_000));
        crawlers.look(START);
        assert!(!crawlers.take(1, START), "it still counts");
        crawlers.look(START + 61);
        assert!(crawlers.take(1, START + 61));
    }

    #[test]
    fn what_is_kept_is_at_most_the_seconds_of_the_window() {
        let mut crawlers = Crawlers::default();
        for second in START..START + 500 {
            crawlers.look(second);
            crawlers.take(6_000, second);
        }
        assert!(crawlers.recent.len() <= WINDOW_SECONDS as usize + 1);
    }
}
