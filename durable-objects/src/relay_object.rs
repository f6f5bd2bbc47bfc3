//! The Durable Object of a relay: I/O around a [`RelayDesk`].

use std::rc::Rc;

use anteroom_config::Regions;
use anteroom_queue::relay::Relay;
use anteroom_queue::sync::RelayReport;
use anteroom_queue::tree::Node;
use anteroom_queue::units::UnixMillis;
use worker::{Env, console_warn};

use crate::call::Way;
use crate::caller::Caller;
use crate::configuration;
use crate::instance::Driven;
use crate::object::{Class, Shell, durable_object_of};
use crate::opening::{FIRST_RELAY, Known};
use crate::platform;
use crate::poking::poke;
use crate::pump::Due;
use crate::refusal::Refusal;
use crate::relay_desk::RelayDesk;
use crate::relay_wire::{RelayAsk, RelayCall};
use crate::shard_object::{COORDINATOR, sync};
use crate::sqlite::Table;
use crate::storage::WriteFailed;
use crate::wire::{self, CoordinatorAsk, CoordinatorCall, EdgeCounts};

durable_object_of! {
    /// The class of the relays.
    RelayObject: Open
}

/// An open relay.
#[derive(Debug)]
struct Open {
    desk: RelayDesk<Caller>,
    known: Known,
    regions: Rc<Regions>,
    coordinator: Rc<Way>,
}

impl Class for Open {
    type Core = Relay;
    type Call = RelayCall;

    fn meant(call: &RelayCall) -> Known {
        Known {
            event: call.event.clone(),
            run: call.run,
            shard: Some(FIRST_RELAY.saturating_add(call.relay)),
        }
    }

    fn open(env: &Env, core: Relay, known: &Known, now: UnixMillis) -> Self {
        let name = wire::coordinator_name(&known.event, known.run);
        let regions = configuration::regions(env, &known.event);
        let coordinator = Way::to(env, COORDINATOR, name).in_region(regions.of_coordinator());
        Self {
            desk: RelayDesk::new(known.run, core, now),
            known: known.clone(),
            coordinator: Rc::new(coordinator),
            regions: Rc::new(regions),
        }
    }

    fn take(
        &mut self,
        call: RelayCall,
        to: Caller,
        _: &mut Table,
        now: UnixMillis,
    ) -> Result<Result<(), Refusal>, WriteFailed> {
        let at_once = match call.ask {
            RelayAsk::Report(report, counts) => {
                let entropy = platform::entropy();
                self.desk.ask(report, counts.into(), entropy, to, now)
            }
            RelayAsk::Poke => Some((to, self.desk.poke(now))),
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
            // A shard that is gone misses nothing: asking again gives the same answer.
            to.send(bytes);
        }
        for shard in step.pokes {
            let (env, known) = (shell.instance().env().clone(), self.known.clone());
            let regions = self.regions.clone();
            shell
                .instance()
                .spawn(poke(env, known, regions, Node::Shard(shard)));
        }
        if let Some((report, counts)) = step.report {
            self.send(report, counts, shell);
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
    fn send(&self, report: RelayReport, counts: EdgeCounts, shell: &Rc<Shell<Self>>) {
        let call = wire::encode(&CoordinatorCall {
            event: self.known.event.clone(),
            run: self.known.run,
            ask: CoordinatorAsk::Relayed(report, counts.into()),
        });
        let (told, coordinator) = (shell.clone(), self.coordinator.clone());
        shell.instance().spawn(async move {
            let result = sync(&coordinator, &call).await;
            if let Err(why) = &result {
                console_warn!("report: {why:?}");
            }
            told.tell(|open| open.desk.hear(result));
        });
    }
}
