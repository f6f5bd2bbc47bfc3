//! What holds in every state, and what must happen in some, so that nothing holds for want of anything happening.

use anteroom_queue::shard::command::VisitorState;
use stateright::semantics::ConsistencyTester;
use stateright::{Checker, Expectation, Model, Property};

use crate::world::{Step, World};

/// How many may be inside.
pub const MOST_INSIDE: usize = 1;

/// The search from one beginning.
#[derive(Clone, Debug)]
pub struct Search {
    /// Where it begins.
    pub begins: World,
    /// What must be reached at least.
    pub reaches: Reaches,
}

/// What has to happen somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaches {
    /// Everybody has a number.
    Numbers,
    /// Somebody got in, and somebody else after the session was given back.
    Sessions,
}

fn cap(world: &World) -> bool {
    let inside = world
        .visitors
        .iter()
        .filter(|visitor| visitor.inside)
        .count();
    inside <= MOST_INSIDE && world.coordinator.totals().active <= MOST_INSIDE as u64
}

fn unique_place(world: &World) -> bool {
    let mut entries: Vec<u64> = world
        .visitors
        .iter()
        .filter_map(|visitor| visitor.entry)
        .collect();
    let told = entries.len();
    entries.sort_unstable();
    entries.dedup();
    let given_out = world.coordinator.totals().entries;
    entries.len() == told && entries.iter().all(|entry| *entry < given_out)
}

/// Joins are as if one counter had given the numbers out; and nobody gets in whose number was not called.
fn order(world: &World) -> bool {
    let called = world.coordinator.totals().called;
    let inside = world
        .visitors
        .iter()
        .filter(|visitor| visitor.inside || visitor.over);
    let mut entries = inside.filter_map(|visitor| visitor.entry);
    world.history.is_consistent() && entries.all(|entry| entry < called)
}

fn brake(world: &World) -> bool {
    let granted = world.coordinator.totals().granted;
    world
        .granted_at_pause
        .is_none_or(|at_pause| granted == at_pause)
}

/// What a visitor was told is what the home says, whatever was lost since.
fn durable_ack(world: &World) -> bool {
    (0..world.visitors.len()).all(|who| {
        let visitor = &world.visitors[who];
        let Some(told) = visitor.entry else {
            return true;
        };
        world.place(who).is_some_and(|(entry, state)| {
            let stage_holds = match (visitor.inside, visitor.over) {
                (true, _) => state == VisitorState::Admitted,
                (_, true) => state == VisitorState::Ended,
                _ => true,
            };
            entry == Some(told) && stage_holds
        })
    })
}

fn everybody_has_a_number(world: &World) -> bool {
    world.visitors.iter().all(|visitor| visitor.entry.is_some())
}

fn one_after_another(world: &World) -> bool {
    let over = world.visitors.iter().any(|visitor| visitor.over);
    over && world.visitors.iter().any(|visitor| visitor.inside)
}

impl Model for Search {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![self.begins.clone()]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        steps.extend(world.steps());
    }

    fn next_state(&self, world: &World, step: Step) -> Option<World> {
        world.after(step)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always("cap", |_: &Self, world| cap(world)),
            Property::always("unique-place", |_: &Self, world| unique_place(world)),
            Property::always("order", |_: &Self, world| order(world)),
            Property::always("brake", |_: &Self, world| brake(world)),
            Property::always("durable-ack", |_: &Self, world| durable_ack(world)),
        ];
        properties.push(match self.reaches {
            Reaches::Numbers => Property::sometimes("everybody has a number", |_: &Self, world| {
                everybody_has_a_number(world)
            }),
            Reaches::Sessions => Property::sometimes("one after another", |_: &Self, world| {
                one_after_another(world)
            }),
        });
        properties
    }
}

/// What did not hold, with the steps that led there, and what was never reached.
pub fn broken(checker: &impl Checker<Search>) -> Vec<String> {
    let told = |property: &Property<Search>| {
        let found = checker.discovery(property.name);
        match (property.expectation.clone(), found) {
            (Expectation::Sometimes, None) => Some(format!("never {}", property.name)),
            (Expectation::Sometimes, Some(_)) | (_, None) => None,
            (_, Some(path)) => Some(format!("{} after {:?}", property.name, path.into_actions())),
        }
    };
    checker
        .model()
        .properties()
        .iter()
        .filter_map(told)
        .collect()
}
