//! What a flood of bots showed: how many of the first places people got, and what it cost the bots.

use serde_json::{Value, json};

use crate::plan::{Defence, Flood};
use crate::run::Course;

/// The share of the first places that people got, as many places as there are people.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    flood: Flood,
    people_first: u32,
}

impl Told {
    /// What this course showed.
    pub const fn new(course: &Course, visitors: u32, defence: Defence) -> Self {
        Self {
            flood: Flood { defence, visitors },
            people_first: course.people_first,
        }
    }

    /// People's share of the first places, 0 to 1.
    pub fn people_share(self) -> f64 {
        f64::from(self.people_first) / f64::from(self.flood.people())
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let hundredths = |value: f64| (value * 100.0).round() / 100.0;
        json!({
            "against": self.flood.defence.says(),
            "visitors": self.flood.visitors,
            "people": self.flood.people(),
            "people_percent_of_first": hundredths(100.0 * self.people_share()),
            "core_seconds_of_one_bot_place": hundredths(self.flood.core_seconds()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::run::run_alone;

    const VISITORS: u32 = 2_100;

    fn share(defence: Defence) -> f64 {
        let course = run_alone(Plan::flood(5, VISITORS, defence));
        assert_eq!(course.findings.total(), 0, "{:?}", course.findings.first);
        Told::new(&course, VISITORS, defence).people_share()
    }

    // Q3.
    #[test]
    fn every_promise_holds_under_a_flood_of_bots_and_work_and_a_draw_leave_people_their_share() {
        let nothing = share(Defence::Nothing);
        let work = share(Defence::Work);
        let drawn = share(Defence::WorkAndDraw);
        assert!(nothing < 0.03, "{nothing}");
        assert!(work > nothing, "{work} with work, {nothing} without");
        // Of 100 places a draw gives people a 21st, give or take three standard deviations.
        assert!(drawn > 0.0 && drawn < 0.11, "{drawn}");
    }
}
