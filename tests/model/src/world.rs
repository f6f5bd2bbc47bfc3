//! The world: the objects, the messages under way, what visitors were told.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::numbers::Numbers;
use crate::sides::{CoordinatorSide, ShardSide, print_of};
use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::settings::Settings;
use anteroom_queue::shard::command::{ShardCommand, ShardReply, VisitorState};
use anteroom_queue::sync::{SyncReply, SyncRequest};
use anteroom_queue::units::{ClaimId, LineIndex, Millis, Nonce, PlaceIndex, UnixMillis};
use stateright::semantics::{ConsistencyTester, LinearizabilityTester};

/// Shards.
pub const SHARDS: usize = 2;

const START: UnixMillis = UnixMillis(1_800_000_000_000);
/// What time does in one step: longer than `called` rests between two moves, shorter than anything lapses.
const TICK: Millis = Millis(300);

/// A message under way. Once delivered it may come a second time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Which shard it is from, or to.
    pub shard: usize,
    /// What it carries.
    pub content: Content,
    /// It came once already.
    pub came: bool,
    print: u64,
}

/// What a message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// To the coordinator.
    Report(Arc<SyncRequest>),
    /// To the shard.
    Answer(Arc<SyncReply>),
}

/// One visitor, as the browser knows things.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Visitor {
    /// The home.
    pub home: usize,
    /// The place, once told.
    pub index: Option<u32>,
    /// The number, once acknowledged.
    pub entry: Option<u64>,
    /// Whether a join was sent.
    pub joined: bool,
    /// Whether the visitor has a pass.
    pub inside: bool,
    /// Whether the session was given back, and that was told.
    pub over: bool,
}

/// How much of everything may still happen; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Reports of each shard.
    pub reports: [u8; SHARDS],
    /// Losses of memory.
    pub crashes: u8,
    /// Messages that come twice.
    pub doubles: u8,
    /// Steps of time.
    pub ticks: u8,
    /// Pauses.
    pub pauses: u8,
}

/// One thing that happens. A message that is lost is one that never arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A visitor joins, or joins once more.
    Join(usize),
    /// A visitor asks to enter.
    Claim(usize),
    /// A visitor gives the session back.
    Release(usize),
    /// A shard reports.
    Report(usize),
    /// A message arrives.
    Arrive(usize),
    /// A message arrives, and will once more.
    ArriveTwice(usize),
    /// A shard loses its memory.
    CrashShard(usize),
    /// The coordinator loses its memory.
    CrashCoordinator,
    /// The operator pauses, and is told so.
    Pause,
    /// The operator goes on.
    Resume,
    /// Time passes.
    Tick,
}

/// Everything at one moment.
#[derive(Clone, Debug)]
pub struct World {
    settings: Settings,
    now: UnixMillis,
    /// The coordinator.
    pub coordinator: Arc<CoordinatorSide>,
    shards: Vec<Arc<ShardSide>>,
    /// The messages under way.
    pub messages: Vec<Message>,
    /// The visitors.
    pub visitors: Vec<Visitor>,
    /// What may still happen.
    pub left: Budget,
    /// Grants when the pause was acknowledged, while it lasts.
    pub granted_at_pause: Option<u64>,
    /// Joins as they began and were acknowledged.
    pub history: LinearizabilityTester<usize, Numbers>,
    /// A deliberate mistake: answers leave before anything is stored.
    pub answers_before_storing: bool,
    print: u64,
}

fn nonce(visitor: usize) -> Nonce {
    Nonce((visitor as u128 + 1).to_le_bytes())
}

impl World {
    /// An empty queue; visitors have these homes.
    pub fn new(settings: Settings, homes: &[usize], left: Budget) -> Self {
        let side = |shard| Arc::new(ShardSide::new(shard, settings.clone(), START));
        Self {
            now: START,
            coordinator: Arc::new(CoordinatorSide::new(settings.clone(), START)),
            shards: (0..SHARDS).map(side).collect(),
            messages: Vec::new(),
            visitors: homes
                .iter()
                .map(|home| Visitor {
                    home: *home,
                    ..Visitor::default()
                })
                .collect(),
            left,
            granted_at_pause: None,
            history: LinearizabilityTester::new(Numbers::default()),
            answers_before_storing: false,
            print: 0,
            settings,
        }
    }

    fn at_coordinator(&mut self, command: CoordinatorCommand) -> CoordinatorReply {
        Arc::make_mut(&mut self.coordinator).apply(command, self.now)
    }

    fn at_shard(&mut self, shard: usize, command: ShardCommand) -> ShardReply {
        let stores = !self.answers_before_storing;
        Arc::make_mut(&mut self.shards[shard]).apply(command, stores, self.now)
    }

    /// Every step that may happen now.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (who, visitor) in self.visitors.iter().enumerate() {
            if visitor.entry.is_none() {
                steps.push(Step::Join(who));
            } else if !visitor.inside && !visitor.over {
                steps.push(Step::Claim(who));
            } else if visitor.inside {
                steps.push(Step::Release(who));
            }
        }
        steps.extend(
            (0..SHARDS)
                .filter(|shard| self.left.reports[*shard] > 0)
                .map(Step::Report),
        );
        for (message, under_way) in self.messages.iter().enumerate() {
            steps.push(Step::Arrive(message));
            if self.left.doubles > 0 && !under_way.came {
                steps.push(Step::ArriveTwice(message));
            }
        }
        if self.left.crashes > 0 {
            steps.extend((0..SHARDS).map(Step::CrashShard));
            steps.push(Step::CrashCoordinator);
        }
        match self.granted_at_pause {
            Some(_) => steps.push(Step::Resume),
            None if self.left.pauses > 0 => steps.push(Step::Pause),
            None => {}
        }
        if self.left.ticks > 0 {
            steps.push(Step::Tick);
        }
        steps
    }

    /// The world after a step; `None`: nothing has changed.
    pub fn after(&self, step: Step) -> Option<Self> {
        let mut world = self.clone();
        world.happen(step);
        world.print = world.fingerprint();
        (world.print != self.print).then_some(world)
    }

    /// Carries a step out.
    pub fn happen(&mut self, step: Step) {
        match step {
            Step::Join(who) => self.join(who),
            Step::Claim(who) => self.claim(who),
            Step::Release(who) => self.release(who),
            Step::Report(shard) => {
                self.left.reports[shard] -= 1;
                let report = Arc::make_mut(&mut self.shards[shard]).report(self.now);
                self.send(shard, Content::Report(Arc::new(report)));
            }
            Step::Arrive(message) => {
                let message = self.messages.remove(message);
                self.arrive(message.shard, message.content);
            }
            Step::ArriveTwice(message) => {
                self.left.doubles -= 1;
                self.messages[message].came = true;
                self.messages[message].print ^= 1;
                let Message { shard, content, .. } = self.messages[message].clone();
                self.arrive(shard, content);
            }
            Step::CrashShard(shard) => self.crash_shard(shard),
            Step::CrashCoordinator => self.crash_coordinator(),
            Step::Pause => self.pause(),
            Step::Resume => {
                self.granted_at_pause = None;
                self.operate(Action::Resume);
            }
            Step::Tick => {
                self.left.ticks -= 1;
                self.now = self.now.plus(TICK);
                self.at_coordinator(CoordinatorCommand::Wake);
            }
        }
    }

    /// The operator acts, and is told so.
    pub fn operate(&mut self, action: Action) {
        let by = "box office".to_owned();
        match self.at_coordinator(CoordinatorCommand::Operate { action, by }) {
            CoordinatorReply::State { .. } => {}
            other => panic!("an action is answered {other:?}"),
        }
    }

    fn pause(&mut self) {
        self.left.pauses -= 1;
        self.operate(Action::Pause {
            reason: "a till is down".to_owned(),
            next_update_at: Some(START.plus(Millis::from_minutes(24 * 60))),
        });
        self.granted_at_pause = Some(self.coordinator.totals().granted);
    }

    fn send(&mut self, shard: usize, content: Content) {
        let print = print_of(&(shard, &content));
        self.messages.push(Message {
            shard,
            content,
            came: false,
            print,
        });
    }

    fn arrive(&mut self, shard: usize, content: Content) {
        match content {
            Content::Report(report) => {
                let entropy = Entropy([shard as u8; 16]);
                match self.at_coordinator(CoordinatorCommand::Sync {
                    report: SyncRequest::clone(&report),
                    entropy,
                }) {
                    CoordinatorReply::Synced(reply) => {
                        self.send(shard, Content::Answer(Arc::new(reply)))
                    }
                    other => panic!("a report is answered {other:?}"),
                }
            }
            Content::Answer(reply) => {
                self.at_shard(
                    shard,
                    ShardCommand::Synced {
                        reply: SyncReply::clone(&reply),
                    },
                );
            }
        }
    }

    fn crash_shard(&mut self, shard: usize) {
        self.left.crashes -= 1;
        let settings = self.settings.clone();
        Arc::make_mut(&mut self.shards[shard]).crash(shard, settings, self.now);
    }

    fn crash_coordinator(&mut self) {
        self.left.crashes -= 1;
        let settings = self.settings.clone();
        Arc::make_mut(&mut self.coordinator).crash(settings, self.now);
    }

    fn join(&mut self, who: usize) {
        if !std::mem::replace(&mut self.visitors[who].joined, true) {
            let began = self.history.on_invoke(who, ());
            began.expect("each visitor joins once");
        }
        let join = ShardCommand::Join {
            nonce: nonce(who),
            line: LineIndex(0),
            permit_expired: false,
            arrived: None,
        };
        let home = self.visitors[who].home;
        if let ShardReply::Place { place, .. } = self.at_shard(home, join)
            && let Some(entry) = place.entry
        {
            self.visitors[who].index = Some(place.index.0);
            self.visitors[who].entry = Some(entry.0);
            let told = self.history.on_return(who, entry.0);
            told.expect("each join is acknowledged once");
        }
    }

    fn claim(&mut self, who: usize) {
        let Some(index) = self.visitors[who].index else {
            return;
        };
        let claim = ShardCommand::Claim {
            index: PlaceIndex(index),
            nonce: nonce(who),
            claim: ClaimId((who as u128 + 1).to_le_bytes()),
        };
        let home = self.visitors[who].home;
        if let ShardReply::Session { .. } = self.at_shard(home, claim) {
            self.visitors[who].inside = true;
        }
    }

    fn release(&mut self, who: usize) {
        let Some(index) = self.visitors[who].index else {
            return;
        };
        let release = ShardCommand::Release {
            index: PlaceIndex(index),
            generation: anteroom_queue::units::Generation(0),
        };
        let home = self.visitors[who].home;
        if let ShardReply::SessionOver { .. } = self.at_shard(home, release) {
            (self.visitors[who].inside, self.visitors[who].over) = (false, true);
        }
    }

    /// What the home says of a visitor's place.
    pub fn place(&self, who: usize) -> Option<(Option<u64>, VisitorState)> {
        let visitor = &self.visitors[who];
        let index = PlaceIndex(visitor.index?);
        let view = self.shards[visitor.home].view(index, self.now)?;
        Some((view.entry.map(|entry| entry.0), view.state))
    }

    /// A number made of everything but how it came about.
    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.coordinator.print.hash(&mut hasher);
        for shard in &self.shards {
            shard.print.hash(&mut hasher);
        }
        let mut messages: Vec<u64> = self.messages.iter().map(|message| message.print).collect();
        messages.sort_unstable();
        (messages, self.now.0, &self.visitors, self.left).hash(&mut hasher);
        (self.granted_at_pause, &self.history).hash(&mut hasher);
        hasher.finish()
    }
}

impl Hash for World {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

impl PartialEq for World {
    fn eq(&self, other: &Self) -> bool {
        self.print == other.print
    }
}
