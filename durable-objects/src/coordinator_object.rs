//! The Durable Object of a coordinator: I/O around a [`CoordinatorDesk`]. Beside answering it asks
//! shards for reports and fetches rounds of the beacon; both are tasks of their own, whose failure
//! is only logged, since the desk asks again.

use std::collections::BTreeMap;
use std::rc::Rc;

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::units::{ShardIndex, UnixMillis};
use worker::{Env, console_warn};

use crate::call::Way;
use crate::configuration;
use crate::coordinator_desk::{CoordinatorDesk, Taken};
use crate::drand::fetch_round;
use crate::instance::Driven;
use crate::object::{Caller, Class, Shell, durable_object_of};
use crate::opening::Known;
use crate::platform;
use crate::pump::Due;
use crate::refusal::Refusal;
use crate::sqlite::Table;
use crate::storage::WriteFailed;
use crate::wire::{self, CoordinatorCall, ShardAsk, ShardCall};

/// The binding of the shards' class.
const SHARD: &str = "SHARD";

durable_object_of! {
    /// The class of the coordinators.
    CoordinatorObject: Open
}

/// An open coordinator.
#[derive(Debug)]
struct Open {
    desk: CoordinatorDesk<Caller>,
    known: Known,
    shards: BTreeMap<ShardIndex, Rc<Way>>,
}

impl Class for Open {
    type Core = Coordinator;
    type Call = CoordinatorCall;

    fn meant(call: &CoordinatorCall) -> Known {
        Known {
            event: call.event.clone(),
            run: call.run,
            shard: None,
        }
    }

    fn open(env: &Env, core: Coordinator, known: &Known, _: UnixMillis) -> Self {
        // What cannot be read has been refused before.
        let acts = configuration::event(env, &known.event).is_ok_and(|event| event.origin_acts);
        Self {
            desk: CoordinatorDesk::new(core).acting(acts),
            known: known.clone(),
            shards: BTreeMap::new(),
        }
    }

    fn take(
        &mut self,
        call: CoordinatorCall,
        to: Caller,
        table: &mut Table,
        now: UnixMillis,
    ) -> Result<Result<(), Refusal>, WriteFailed> {
        let taken = self.desk.ask(call.ask, platform::entropy(), to, now, table);
        Ok(match taken {
            Taken::Waits => Ok(()),
            Taken::Busy(_) => Err(Refusal::busy()),
            Taken::Failed(why) => Err(Refusal::failed(why)),
            Taken::Answered(to, bytes) => {
                // The receiver is held by the caller of this.
                let _ = to.send(bytes);
                Ok(())
            }
        })
    }

    fn step(
        &mut self,
        shell: &Rc<Shell<Self>>,
        table: &mut Table,
        now: UnixMillis,
    ) -> Result<(), WriteFailed> {
        let step = self.desk.step(now, table)?;
        for (to, bytes) in step.answers {
            // A caller who is gone misses nothing: asking again gives the same answer.
            let _ = to.send(bytes);
        }
        for shard in step.pokes {
            self.poke(shard, shell);
        }
        if let Some(round) = step.beacon {
            fetch(round, shell);
        }
        Ok(())
    }

    fn due(&self, now: UnixMillis) -> Due {
        self.desk.due(now)
    }

    fn is_to_be_forgotten(&self, now: UnixMillis) -> bool {
        self.desk.is_to_be_forgotten(now)
    }
}

impl Open {
    /// Asks a shard for a report.
    fn poke(&mut self, shard: ShardIndex, shell: &Rc<Shell<Self>>) {
        let Known { event, run, .. } = &self.known;
        let call = wire::encode(&ShardCall {
            event: event.clone(),
            run: *run,
            shard: shard.0,
            ask: ShardAsk::Poke,
        });
        let instance = shell.instance();
        let way = self.shards.entry(shard).or_insert_with(|| {
            let name = wire::shard_name(event, *run, shard.0);
            Rc::new(Way::to(instance.env(), SHARD, name))
        });
        let way = way.clone();
        instance.spawn(async move {
            if let Err(why) = way.call(&call).await {
                console_warn!("asking shard {} for a report: {why:?}", shard.0);
            }
        });
    }
}

/// Fetches a round of the beacon and tells the desk.
fn fetch(round: u64, shell: &Rc<Shell<Open>>) {
    let told = shell.clone();
    shell.instance().spawn(async move {
        let came = fetch_round(told.instance().env(), round).await;
        told.tell(|open| {
            open.desk
                .hear_beacon(round, came, platform::now(), platform::dice());
        });
    });
}
