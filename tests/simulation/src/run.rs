//! A run from beginning to end: one event, or several side by side.

use crate::calendar::Calendar;
use crate::checkers::fair_draw::DrawCounts;
use crate::checkers::{Findings, isolation};
use crate::injected::Injected;
use crate::measures::Measures;
use crate::message::Event;
use crate::observation::Seen;
use crate::plan::Plan;
use crate::room::Room;

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Course {
    /// The seed.
    pub seed: u64,
    /// Virtual time.
    pub virtual_ms: u64,
    /// The number made of everything seen.
    pub trace: u64,
    /// Broken promises.
    pub findings: Findings,
    /// How often the main things happened.
    pub seen: Seen,
    /// What was measured besides the promises.
    pub measures: Measures,
    /// Faults that were injected.
    pub injected: Injected,
    /// What was counted of the first line's draw.
    pub draw: DrawCounts,
    /// Lines of the event log.
    pub log_lines: u64,
    /// Of a flood of bots: how many of the first places people have.
    pub people_first: u32,
}

/// Runs one seed.
pub fn run(seed: u64, visitors: u32) -> Course {
    let mut courses = side_by_side(vec![Plan::new(seed, visitors)]);
    courses.remove(0)
}

/// Runs one plan with nothing beside it.
pub fn run_alone(plan: Plan) -> Course {
    side_by_side(vec![plan]).remove(0)
}

/// Runs a seed alone and beside another event, and compares what was seen of it.
pub fn run_with_a_neighbour(seed: u64, visitors: u32) -> Course {
    let alone = run(seed, visitors);
    let plans = vec![
        Plan::new(seed, visitors),
        Plan::new(seed ^ 0x5a5a, visitors),
    ];
    let mut beside = side_by_side(plans).remove(0);
    isolation::compare(alone.trace, beside.trace, &mut beside.findings);
    beside
}

/// Runs events side by side, on one calendar.
pub fn side_by_side(plans: Vec<Plan>) -> Vec<Course> {
    let seeds: Vec<u64> = plans.iter().map(|plan| plan.seed).collect();
    let mut rooms: Vec<Room> = plans.into_iter().map(Room::new).collect();
    let mut calendar: Calendar<(u8, Event)> = Calendar::default();
    let mut ended_ms = vec![0; rooms.len()];
    for (number, room) in rooms.iter_mut().enumerate() {
        enter(&mut calendar, number, room);
    }
    while let Some((now, (number, event))) = calendar.take() {
        let room = &mut rooms[usize::from(number)];
        if room.is_over() {
            continue;
        }
        room.handle(now, event);
        enter(&mut calendar, usize::from(number), room);
        if room.is_over() {
            ended_ms[usize::from(number)] = now;
            if rooms.iter().all(Room::is_over) {
                break;
            }
        }
    }
    let course = |((seed, room), virtual_ms): ((u64, &Room), u64)| Course {
        seed,
        virtual_ms,
        trace: room.trace(),
        findings: room.findings().clone(),
        seen: room.seen(),
        measures: room.measures(),
        injected: *room.injected(),
        draw: room.fair_draw().counted(),
        log_lines: room.log_lines(),
        people_first: room.people_first(),
    };
    seeds
        .into_iter()
        .zip(&rooms)
        .zip(ended_ms)
        .map(course)
        .collect()
}

fn enter(calendar: &mut Calendar<(u8, Event)>, number: usize, room: &mut Room) {
    for (at, event) in room.drain() {
        calendar.enter(at, (number as u8, event));
    }
}
