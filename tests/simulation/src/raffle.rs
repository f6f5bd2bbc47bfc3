//! The raffle profile: one large draw whose beacon comes, and smaller ones whose beacon comes late
//! or not at all; what was counted of each.

use serde_json::{Value, json};

use crate::checkers::fair_draw::DrawCounts;
use crate::plan::{Beacon, Plan};
use crate::run::Course;

/// The raffles whose beacon is late or missing have at most so many visitors: what differs does
/// not depend on their number.
const SMALL_VISITORS: u32 = 20_000;

/// Writes of a draw after the commitment: who is in it, and what decides it.
const WRITES: u32 = 2;

/// What a raffle showed.
#[derive(Clone, Debug)]
pub struct Raffle {
    visitors: u32,
    beacon: Beacon,
    draw: DrawCounts,
    ranks_shown: u64,
    log_lines: u64,
    wall_s: f64,
}

impl Beacon {
    /// What the beacon does, in words.
    pub fn says(self) -> &'static str {
        match self {
            Beacon::InTime => "comes",
            Beacon::Late(_) => "comes late",
            Beacon::Never => "does not come",
        }
    }
}

/// The raffles of a seed, with their numbers of visitors.
pub fn plans(seed: u64, visitors: u32) -> Vec<(Plan, u32)> {
    let small = visitors.min(SMALL_VISITORS);
    let raffle = |visitors, beacon| (Plan::raffle(seed, visitors, beacon), visitors);
    vec![
        raffle(visitors, Beacon::InTime),
        raffle(small, Beacon::Late(0)),
        raffle(small, Beacon::Never),
    ]
}

impl Raffle {
    /// What this course of a raffle showed.
    pub fn new(course: &Course, visitors: u32, beacon: Beacon, wall_s: f64) -> Self {
        Self {
            visitors,
            beacon,
            draw: course.draw,
            ranks_shown: course.seen.ranks,
            log_lines: course.log_lines,
            wall_s,
        }
    }

    /// Whether it kept its numbers: two writes whatever the size, every page has its rank with its
    /// first poll after the draw, and made an object work once at most.
    pub fn holds(&self) -> bool {
        let beacon = self.draw.with_beacon == (self.beacon != Beacon::Never);
        self.draw.writes == WRITES
            && self.draw.most_asks <= 1
            && self.draw.late_polls == 0
            && self.draw.entrants > u64::from(self.visitors / 2)
            && beacon
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        json!({
            "visitors": self.visitors,
            "beacon": self.beacon.says(),
            "beacon_took_part": self.draw.with_beacon,
            "entrants": self.draw.entrants,
            "draw_writes": self.draw.writes,
            "object_requests_before_rank": self.draw.asks,
            "object_requests_before_rank_most": self.draw.most_asks,
            "polls_without_rank_after_draw": self.draw.late_polls,
            "ranks_shown": self.ranks_shown,
            "log_lines": self.log_lines,
            "wall_s": (self.wall_s * 100.0).round() / 100.0,
            "holds": self.holds(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::side_by_side;

    #[test]
    fn a_small_raffle_is_drawn_in_two_writes_whether_or_not_the_beacon_comes() {
        for (plan, visitors) in plans(3, 600) {
            let beacon = plan.beacon;
            let course = side_by_side(vec![plan]).remove(0);
            assert_eq!(course.findings.total(), 0, "{:?}", course.findings.first);
            let raffle = Raffle::new(&course, visitors, beacon, 0.0);
            assert!(raffle.holds(), "{raffle:?}");
        }
    }

    #[test]
    fn a_raffle_that_takes_a_third_write_or_makes_entrants_ask_twice_does_not_hold() {
        let kept = Raffle {
            visitors: 10,
            beacon: Beacon::InTime,
            draw: DrawCounts {
                entrants: 9,
                writes: 2,
                with_beacon: true,
                ..DrawCounts::default()
            },
            ranks_shown: 9,
            log_lines: 5,
            wall_s: 0.0,
        };
        assert!(kept.holds());
        let spoil: [fn(&mut DrawCounts); 5] = [
            |draw| draw.writes = 3,
            |draw| draw.most_asks = 2,
            |draw| draw.late_polls = 1,
            |draw| draw.entrants = 1,
            |draw| draw.with_beacon = false,
        ];
        for spoil in spoil {
            let mut raffle = kept.clone();
            spoil(&mut raffle.draw);
            assert!(!raffle.holds(), "{raffle:?}");
        }
    }
}
