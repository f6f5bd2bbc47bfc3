//! The Durable Object of a shard: I/O around a [`ShardDesk`]. Beside answering it reports to its
//! coordinator, in a task of its own.

use core::pin::pin;
use std::rc::Rc;

use anteroom_queue::coordinator::command::CoordinatorReply;
use anteroom_queue::relay::command::RelayAnswer;
use anteroom_queue::shard::Shard;
use anteroom_queue::sync::{SyncReply, SyncRequest};
use anteroom_queue::tree::relay_of;
use anteroom_queue::units::{Millis, RelayIndex, UnixMillis};
use futures_util::future::{Either, select};
use worker::{Env, console_warn};

use crate::call::Way;
use crate::caller::Caller;
use crate::configuration;
use crate::instance::Driven;
use crate::object::{Class, Shell, durable_object_of};
use crate::opening::{Known, shard_identity};
use crate::permitted::is_visitors;
use crate::platform;
use crate::poking::RELAY;
use crate::pump::Due;
use crate::push::{Listeners, Next};
use crate::refusal::Refusal;
use crate::relay_wire::{RelayAsk, RelayCall, RelaySays, relay_name};
use crate::shard_desk::ShardDesk;
use crate::sqlite::Table;
use crate::storage::WriteFailed;
use crate::uplink::{SYNC_TIMEOUT, SyncFailed};
use crate::wire::{self, CoordinatorAsk, CoordinatorCall, EdgeCounts, ShardAsk, ShardCall};

/// The binding of the coordinators' class.
pub const COORDINATOR: &str = "COORDINATOR";

durable_object_of! {
    /// The class of the shards.
    ShardObject: Open
}

/// An open shard.
#[derive(Debug)]
struct Open {
    desk: ShardDesk<Caller>,
    known: Known,
    /// To the relay, for a shard that has one; otherwise to the coordinator.
    parent: Rc<Way>,
}

impl Class for Open {
    type Core = Shard;
    type Call = ShardCall;

    fn meant(call: &ShardCall) -> Known {
        Known {
            event: call.event.clone(),
            run: call.run,
            shard: Some(call.shard),
        }
    }

    fn open(env: &Env, core: Shard, known: &Known, now: UnixMillis) -> Self {
        let (event, run) = (&known.event, known.run);
        let regions = configuration::regions(env, event);
        let parent = match relay(known) {
            Some(relay) => Way::to(env, RELAY, relay_name(event, run, relay.0)),
            None => Way::to(env, COORDINATOR, wire::coordinator_name(event, run)),
        };
        Self {
            desk: ShardDesk::new(known.run, core, now),
            known: known.clone(),
            parent: Rc::new(parent.in_region(regions.of_coordinator())),
        }
    }

    fn take(
        &mut self,
        call: ShardCall,
        to: Caller,
        table: &mut Table,
        now: UnixMillis,
    ) -> Result<Result<(), Refusal>, WriteFailed> {
        let at_once = match call.ask {
            ShardAsk::Place(command) if !is_visitors(&command) => {
                return Ok(Err(Refusal::not_a_visitors()));
            }
            ShardAsk::Place(command) => {
                let asked = self.desk.ask(command, to, now);
                return Ok(asked.map_err(|_| Refusal::busy()));
            }
            ShardAsk::Board { counts } => self.desk.read_board(counts, to, now, table)?,
            ShardAsk::Watched { counts, apart } => {
                self.desk.read_board(counts.with(apart), to, now, table)?
            }
            ShardAsk::Handled {
                counts,
                apart,
                handling,
            } => {
                let counts = EdgeCounts {
                    handling,
                    ..counts.with(apart)
                };
                self.desk.read_board(counts, to, now, table)?
            }
            ShardAsk::Poke => Some((to, self.desk.poke(now))),
        };
        if let Some((to, bytes)) = at_once {
            to.send(bytes);
        }
        Ok(Ok(()))
    }

    fn step(
        &mut self,
        shell: &Rc<Shell<Self>>,
        table: &mut Table,
        now: UnixMillis,
    ) -> Result<(), WriteFailed> {
        let step = self.desk.step(now, platform::dice(), table)?;
        for (to, bytes) in step.answers {
            to.send(bytes);
        }
        if let Some(word) = step.word {
            shell.say(word);
        }
        if let Some((report, counts)) = step.report {
            self.send(report, counts, shell);
        }
        Ok(())
    }

    fn due(&self, now: UnixMillis) -> Due {
        self.desk.due(now)
    }

    fn listeners(&mut self) -> Option<&mut Listeners> {
        Some(self.desk.listeners())
    }

    fn next_word(&mut self, now: UnixMillis) -> Option<Next> {
        self.desk.next_word(now)
    }

    fn greet(&mut self, now: UnixMillis) -> Result<Option<String>, Refusal> {
        self.desk.greet(now).ok_or_else(Refusal::busy)
    }

    fn is_to_be_forgotten(&self, now: UnixMillis) -> bool {
        self.desk.is_to_be_forgotten(now)
    }
}

impl Open {
    fn send(&self, report: SyncRequest, counts: EdgeCounts, shell: &Rc<Shell<Self>>) {
        let (told, parent, known) = (shell.clone(), self.parent.clone(), self.known.clone());
        shell.instance().spawn(async move {
            let result = match relay(&known) {
                Some(relay) => to_relay(&parent, known, relay, report, counts).await,
                None => to_coordinator(&parent, known, report, counts).await,
            };
            if let Err(why) = &result {
                console_warn!("report: {why:?}");
            }
            told.tell(|open| open.desk.hear(result));
        });
    }
}

fn relay(known: &Known) -> Option<RelayIndex> {
    relay_of(shard_identity(known).shard)
}

async fn to_relay(
    relays: &Way,
    Known { event, run, .. }: Known,
    relay: RelayIndex,
    report: SyncRequest,
    counts: EdgeCounts,
) -> Result<RelayAnswer, SyncFailed> {
    let call = wire::encode(&RelayCall {
        event,
        run,
        relay: relay.0,
        ask: RelayAsk::Report(report, counts.into()),
    });
    match wire::decode(&answered(relays, &call).await?) {
        Ok(RelaySays::Answer(answer)) => Ok(answer),
        Ok(RelaySays::Refused(why)) => Err(SyncFailed::Refused(why)),
        Ok(RelaySays::Poked) => Err(SyncFailed::Refused("not to a report".into())),
        Err(why) => Err(SyncFailed::Refused(why.to_string())),
    }
}

async fn to_coordinator(
    coordinator: &Way,
    Known { event, run, .. }: Known,
    report: SyncRequest,
    counts: EdgeCounts,
) -> Result<RelayAnswer, SyncFailed> {
    let mut counts = counts;
    let reply = loop {
        let call = CoordinatorCall {
            event: event.clone(),
            run,
            ask: CoordinatorAsk::report(report.clone(), counts),
        };
        let result = sync(coordinator, &wire::encode(&call)).await;
        // A coordinator of before there were counts that stand apart takes the same without them.
        match (&result, counts.in_older_words()) {
            (Err(SyncFailed::Refused(_)), Some(older)) => counts = older,
            _ => break result?,
        }
    };
    let behind = Millis(0);
    Ok(RelayAnswer { reply, behind })
}

/// What a parent answers within [`SYNC_TIMEOUT`].
async fn answered(parent: &Way, call: &[u8]) -> Result<Vec<u8>, SyncFailed> {
    let answer = pin!(parent.call(call));
    let timer = pin!(platform::sleep(SYNC_TIMEOUT));
    match select(answer, timer).await {
        Either::Left((answer, _)) => Ok(answer?),
        Either::Right(_) => Err(SyncFailed::Unreachable("no answer in time".into())),
    }
}

/// One report to the coordinator and its answer.
pub async fn sync(coordinator: &Way, call: &[u8]) -> Result<SyncReply, SyncFailed> {
    match wire::decode(&answered(coordinator, call).await?) {
        Ok(CoordinatorReply::Synced(reply)) => Ok(reply),
        Ok(CoordinatorReply::Refused(why)) => Err(SyncFailed::Refused(why)),
        Ok(CoordinatorReply::State { .. }) => Err(SyncFailed::Refused("not to a report".into())),
        Err(why) => Err(SyncFailed::Refused(why.to_string())),
    }
}
