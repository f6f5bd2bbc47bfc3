//! Every interleaving of up to six commands, message losses and repetitions among them, against a
//! model of two visitors that anybody can check by reading: what the coordinator has heard, in
//! which order, and who therefore is inside.

#[path = "../stage/mod.rs"]
mod stage;

mod model;

use anteroom_queue::coordinator::command::{Action, Change, CoordinatorCommand};
use anteroom_queue::settings::Limits;
use anteroom_queue::shard::command::{Refused, ShardCommand, ShardReply, VisitorState};
use anteroom_queue::units::Millis;
use model::{Model, Standing};
use stage::{Stage, settings};

/// How many commands in a row.
const LONGEST: usize = 6;

/// What may happen. Visitor 0 lives at shard 0, visitor 1 at shard 1; one may be inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Happens {
    Join(usize),
    Claim(usize),
    Leave(usize),
    Release(usize),
    Sync(usize),
    ReplyLost(usize),
    /// The last answer comes once more.
    ReplyAgain(usize),
    Pause,
    Resume,
    Time,
}

const ALL: [Happens; 13] = [
    Happens::Join(0),
    Happens::Join(1),
    Happens::Claim(0),
    Happens::Claim(1),
    Happens::Leave(0),
    Happens::Release(1),
    Happens::Sync(0),
    Happens::Sync(1),
    Happens::ReplyLost(0),
    Happens::ReplyAgain(1),
    Happens::Pause,
    Happens::Resume,
    Happens::Time,
];

#[derive(Clone, Debug)]
struct World {
    stage: Stage,
    model: Model,
    told: Vec<Happens>,
}

impl World {
    fn new() -> Self {
        let limits = Limits {
            max_active: Some(1),
            ..Limits::default()
        };
        Self {
            stage: Stage::new(settings(limits), 2),
            model: Model::default(),
            told: Vec::new(),
        }
    }

    /// Carries it out on the stage and in the model; `false`: it cannot happen now.
    fn happen(&mut self, what: Happens) -> bool {
        self.told.push(what);
        match what {
            Happens::Join(who) => self.join(who),
            Happens::Claim(who) if self.model.visitors[who].standing != Standing::Away => {
                self.claim(who)
            }
            Happens::Leave(who) if self.model.visitors[who].standing != Standing::Away => {
                self.leave(who)
            }
            Happens::Release(who) if self.model.visitors[who].standing == Standing::Inside => {
                self.release(who)
            }
            Happens::Sync(who) => self.sync(who, true),
            Happens::ReplyLost(who) => self.sync(who, false),
            Happens::ReplyAgain(who) => match self.model.last_reply[who].clone() {
                Some(reply) => drop(self.stage.at_shard(who, ShardCommand::Synced { reply })),
                None => return false,
            },
            Happens::Pause if !self.model.paused => {
                self.model.paused = true;
                self.stage.operate(Action::Pause {
                    reason: "a till is down".to_owned(),
                    next_update_at: Some(anteroom_queue::units::UnixMillis(1_900_000_000_000)),
                });
            }
            Happens::Resume if self.model.paused => {
                self.model.paused = false;
                self.stage.operate(Action::Resume);
                self.model.grant();
            }
            Happens::Time => {
                self.stage.pass(Millis(300));
                self.stage.at_coordinator(CoordinatorCommand::Wake);
            }
            _ => return false,
        }
        self.compare();
        true
    }

    fn join(&mut self, who: usize) {
        let reply = self.stage.join(who as u64, who);
        let visitor = &mut self.model.visitors[who];
        let new = visitor.standing == Standing::Away;
        if new {
            visitor.standing = Standing::Waiting;
        }
        let ShardReply::Place { place, new: said } = reply else {
            panic!("{:?}: {reply:?}", self.told)
        };
        assert_eq!(
            (said, place.entry.map(|entry| entry.0)),
            (new, visitor.entry),
            "{:?}",
            self.told
        );
    }

    fn claim(&mut self, who: usize) {
        let reply = self.stage.claim(who as u64, 0);
        let called = self.stage.shards[who]
            .board()
            .map_or(0, |board| board.lines[0].called.0);
        let visitor = &mut self.model.visitors[who];
        let is_called = visitor.entry.is_some_and(|entry| entry < called);
        match visitor.standing {
            Standing::Waiting if is_called => {
                visitor.standing = Standing::Claimed;
                visitor.claims += 1;
            }
            Standing::Granted if !visitor.paused => visitor.standing = Standing::Inside,
            _ => {}
        }
        let agrees = match visitor.standing {
            Standing::Waiting => matches!(
                reply,
                ShardReply::Refused {
                    why: Refused::NotCalled,
                    ..
                } | ShardReply::Pending { .. }
            ),
            Standing::Claimed | Standing::Granted => matches!(reply, ShardReply::Pending { .. }),
            // No request has brought the pass: a brake may have come before the first arrived.
            Standing::Inside if visitor.paused => matches!(reply, ShardReply::Pending { .. }),
            Standing::Inside => matches!(reply, ShardReply::Session { first: true, .. }),
            Standing::Ended => matches!(
                reply,
                ShardReply::Refused {
                    why: Refused::Ended,
                    ..
                }
            ),
            Standing::Left => matches!(
                reply,
                ShardReply::Refused {
                    why: Refused::Left,
                    ..
                }
            ),
            Standing::Away => false,
        };
        assert!(agrees, "{:?}: {reply:?} to {visitor:?}", self.told);
    }

    fn leave(&mut self, who: usize) {
        let reply = self.stage.leave(who as u64);
        let visitor = &mut self.model.visitors[who];
        match visitor.standing {
            Standing::Claimed => visitor.withdrawn += 1,
            Standing::Granted | Standing::Inside => visitor.ended += 1,
            _ => {}
        }
        let before = visitor.standing;
        if before != Standing::Ended {
            visitor.standing = Standing::Left;
        }
        let expected = if before == Standing::Ended {
            VisitorState::Ended
        } else {
            VisitorState::Left
        };
        let ShardReply::Place { place, .. } = reply else {
            panic!("{:?}: {reply:?}", self.told)
        };
        assert_eq!(place.state, expected, "{:?}", self.told);
    }

    fn release(&mut self, who: usize) {
        let reply = self.stage.release(who as u64);
        let visitor = &mut self.model.visitors[who];
        visitor.standing = Standing::Ended;
        visitor.ended += 1;
        assert!(
            matches!(reply, ShardReply::SessionOver { .. }),
            "{:?}: {reply:?}",
            self.told
        );
    }

    fn sync(&mut self, who: usize, answered: bool) {
        let report = self.stage.report(who);
        let reply = self.stage.hear(report);
        self.model.hear(who);
        if answered {
            let heard = self.model.heard[who];
            self.model
                .learn(who, heard.entry, heard.grants, self.model.paused);
            self.model.last_reply[who] = Some(reply.clone());
            self.stage.at_shard(who, ShardCommand::Synced { reply });
        }
    }

    /// What both say of the queue.
    fn compare(&self) {
        let totals = self.stage.totals();
        let model = &self.model;
        let grants: u64 = model.heard.iter().map(|heard| heard.grants).sum();
        let pending = (0..2).filter(|who| model.wants(*who)).count() as u64;
        let real = (
            totals.entries,
            totals.granted,
            totals.active,
            totals.pending,
        );
        assert_eq!(
            real,
            (model.entries, grants, model.active(), pending),
            "{:?}",
            self.told
        );
        assert!(
            totals.active <= 1 && totals.called <= totals.entries,
            "{:?}: {totals:?}",
            self.told
        );
    }
}

/// Everything that can follow; returns how many courses there were.
fn explore(world: &World, left: usize) -> u64 {
    if left == 0 {
        return 1;
    }
    let mut courses = 1;
    for what in ALL {
        let mut next = world.clone();
        if next.happen(what) {
            courses += explore(&next, left - 1);
        }
    }
    courses
}

#[test]
fn every_course_of_six_from_an_empty_queue_is_as_the_model_says() {
    assert!(explore(&World::new(), LONGEST) > 100_000);
}

#[test]
fn every_course_of_five_from_two_claims_is_as_the_model_says() {
    let mut world = World::new();
    let most = |limit| Action::Retune {
        max_active: Some(limit),
        per_minute: None,
        batch: None,
    };
    world.stage.operate(most(Change::To(2)));
    let both_called = [
        Happens::Join(0),
        Happens::Join(1),
        Happens::Sync(0),
        Happens::Sync(1),
        Happens::Time,
        Happens::Sync(0),
        Happens::Sync(1),
        Happens::Time,
        Happens::Sync(0),
        Happens::Sync(1),
    ];
    for what in both_called {
        assert!(world.happen(what));
    }
    world.stage.operate(most(Change::Reset));
    for who in 0..2 {
        assert!(world.happen(Happens::Claim(who)));
        assert_eq!(world.model.visitors[who].standing, Standing::Claimed);
    }
    assert!(explore(&world, LONGEST - 1) > 50_000);
}
