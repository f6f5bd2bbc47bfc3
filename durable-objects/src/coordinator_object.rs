//! The Durable Object of a coordinator: I/O around a [`CoordinatorDesk`]. Beside answering it asks
//! shards for reports and fetches rounds of the beacon; both are tasks of their own, whose failure
//! is only logged, since the desk asks again.

use std::rc::Rc;

use anteroom_config::Regions;
use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::units::UnixMillis;
use worker::Env;

use crate::caller::Caller;
use crate::configuration;
use crate::coordinator_desk::{CoordinatorDesk, Taken};
use crate::drand::fetch_round;
use crate::instance::Driven;
use crate::object::{Class, Shell, durable_object_of};
use crate::opening::Known;
use crate::platform;
use crate::poking::poke;
use crate::pump::Due;
use crate::refusal::Refusal;
use crate::sqlite::Table;
use crate::storage::WriteFailed;
use crate::wire::CoordinatorCall;

durable_object_of! {
    /// The class of the coordinators.
    CoordinatorObject: Open
}

/// An open coordinator.
#[derive(Debug)]
struct Open {
    desk: CoordinatorDesk<Caller>,
    known: Known,
    regions: Rc<Regions>,
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
        let event = configuration::event(env, &known.event).ok();
        let acts = event.as_ref().is_some_and(|event| event.origin_acts);
        let regions = event.map(|event| event.regions).unwrap_or_default();
        let core = core.spread_over(&regions.are_lost());
        Self {
            desk: CoordinatorDesk::new(core).acting(acts),
            known: known.clone(),
            regions: Rc::new(regions),
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
                to.send(bytes);
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
            to.send(bytes);
        }
        for child in step.pokes {
            let (env, known) = (shell.instance().env().clone(), self.known.clone());
            let regions = self.regions.clone();
            shell.instance().spawn(poke(env, known, regions, child));
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
