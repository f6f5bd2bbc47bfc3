//! The Durable Object of a shard: I/O around a [`ShardDesk`].
//!
//! Every call is put on the desk and waits for its answer on a channel; one task, the pump, makes
//! the steps. All requests of an object share an I/O context, so one task may produce what the
//! others wait for. Nothing holds the desk across an `await`.

use core::cell::RefCell;
use core::pin::pin;
use std::rc::Rc;

use anteroom_queue::coordinator::command::CoordinatorReply;
use anteroom_queue::shard::Shard;
use anteroom_queue::sync::{SyncReply, SyncRequest};
use anteroom_queue::units::UnixMillis;
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use worker::{DurableObject, Env, Request, Response, State, console_warn, durable_object};

use crate::call::{CallFailed, Way};
use crate::instance::{Driven, Instance, Opened, alarm_comes, wake};
use crate::opening::Known;
use crate::platform;
use crate::pump::Due;
use crate::refusal::{Refusal, response};
use crate::shard_desk::{ShardDesk, is_visitors};
use crate::sqlite::Table;
use crate::uplink::{SYNC_TIMEOUT, SyncFailed};
use crate::wire::{self, CoordinatorAsk, CoordinatorCall, EdgeCounts, ShardAsk, ShardCall};

/// The binding of the coordinators' class.
const COORDINATOR: &str = "COORDINATOR";

/// The class of the shards.
#[durable_object(alarm)]
pub struct ShardObject {
    shell: Rc<Shell>,
}

struct Shell {
    instance: Instance,
    open: RefCell<Option<Open>>,
}

/// A shard whose rows are read.
struct Open {
    desk: ShardDesk<oneshot::Sender<Vec<u8>>>,
    table: Table,
    known: Known,
    coordinator: Rc<Way>,
}

impl DurableObject for ShardObject {
    fn new(state: State, env: Env) -> Self {
        let instance = Instance::new(state, env);
        let open = RefCell::new(None);
        Self {
            shell: Rc::new(Shell { instance, open }),
        }
    }

    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let body = request.bytes().await?;
        response(self.shell.answer(&body).await)
    }

    async fn alarm(&self) -> worker::Result<Response> {
        if let Err(refusal) = self.shell.opened(None) {
            console_warn!("alarm: {}", refusal.text());
            return Response::empty();
        }
        alarm_comes(&self.shell).await?;
        Response::empty()
    }
}

impl Shell {
    async fn answer(self: &Rc<Self>, body: &[u8]) -> Result<Vec<u8>, Refusal> {
        let call: ShardCall = wire::decode(body).map_err(|why| Refusal::unreadable(&why))?;
        let answered = self.take(call)?;
        wake(self);
        answered.await.map_err(|_| Refusal::ended())
    }

    /// Puts a call on the desk.
    fn take(&self, call: ShardCall) -> Result<oneshot::Receiver<Vec<u8>>, Refusal> {
        let meant = Known {
            event: call.event,
            run: call.run,
            shard: Some(call.shard),
        };
        self.opened(Some(&meant))?;
        let mut slot = self.open.borrow_mut();
        let Open {
            desk, table, known, ..
        } = slot.as_mut().expect("opened above");
        known.expect(&meant)?;
        let (to, answered) = oneshot::channel();
        let now = platform::now();
        match call.ask {
            ShardAsk::Place(command) if !is_visitors(&command) => {
                return Err(Refusal::not_a_visitors());
            }
            ShardAsk::Place(command) => desk.ask(command, to, now).map_err(|_| Refusal::busy())?,
            ShardAsk::Poke => {
                // The receiver is held right here.
                let _ = to.send(desk.poke(now));
            }
            ShardAsk::Board { counts } => {
                let read = desk.read_board(counts, to, now, table);
                match self.instance.checked(read) {
                    // The receiver is held right here.
                    Ok(Some((to, bytes))) => drop(to.send(bytes)),
                    Ok(None) => {}
                    Err(refusal) => {
                        *slot = None;
                        return Err(refusal);
                    }
                }
            }
        }
        Ok(answered)
    }

    /// Reads the rows unless that is done already. An alarm of an object that was never called
    /// opens nothing.
    fn opened(&self, caller: Option<&Known>) -> Result<(), Refusal> {
        if self.instance.has_ended() {
            return Err(Refusal::ended());
        }
        if self.open.borrow().is_some() {
            return Ok(());
        }
        let now = platform::now();
        let Some(opened) = self.instance.open::<Shard>(caller, now)? else {
            return Ok(());
        };
        let Opened { core, table, known } = opened;
        let name = wire::coordinator_name(&known.event, known.run);
        *self.open.borrow_mut() = Some(Open {
            desk: ShardDesk::new(known.run, core, now),
            table,
            coordinator: Rc::new(Way::to(self.instance.env(), COORDINATOR, name)),
            known,
        });
        Ok(())
    }

    fn send(self: &Rc<Self>, report: SyncRequest, counts: EdgeCounts, open: &Open) {
        let call = wire::encode(&CoordinatorCall {
            event: open.known.event.clone(),
            run: open.known.run,
            ask: CoordinatorAsk::Sync(report, counts),
        });
        let (shell, coordinator) = (self.clone(), open.coordinator.clone());
        self.instance.spawn(async move {
            let result = sync(&coordinator, &call).await;
            if let Err(why) = &result {
                console_warn!("report: {why:?}");
            }
            if let Some(open) = shell.open.borrow_mut().as_mut() {
                open.desk.hear(result);
            }
            wake(&shell);
        });
    }
}

impl Driven for Shell {
    fn instance(&self) -> &Instance {
        &self.instance
    }

    fn step(self: &Rc<Self>, now: UnixMillis) {
        let mut slot = self.open.borrow_mut();
        let Some(open) = slot.as_mut() else { return };
        let step = open.desk.step(now, platform::dice(), &mut open.table);
        let Ok(step) = self.instance.checked(step) else {
            *slot = None;
            return;
        };
        for (to, bytes) in step.answers {
            // A visitor who is gone misses nothing: asking again gives the same answer.
            let _ = to.send(bytes);
        }
        if let Some((report, counts)) = step.report {
            self.send(report, counts, open);
        }
    }

    fn due(&self, now: UnixMillis) -> Due {
        match self.open.borrow().as_ref() {
            Some(open) => open.desk.due(now),
            None => Due::NEVER,
        }
    }
}

/// One report and its answer, within [`SYNC_TIMEOUT`].
async fn sync(coordinator: &Way, call: &[u8]) -> Result<SyncReply, SyncFailed> {
    let answer = pin!(coordinator.call(call));
    let timer = pin!(platform::sleep(SYNC_TIMEOUT));
    let Either::Left((answer, _)) = select(answer, timer).await else {
        return Err(SyncFailed::Unreachable("no answer in time".into()));
    };
    let bytes = answer.map_err(|failed| match failed {
        CallFailed::Unreachable(why) => SyncFailed::Unreachable(why),
        CallFailed::Overloaded => SyncFailed::Overloaded,
        CallFailed::Refused { status, text } => SyncFailed::Refused(format!("{status}: {text}")),
    })?;
    match wire::decode(&bytes) {
        Ok(CoordinatorReply::Synced(reply)) => Ok(reply),
        Ok(CoordinatorReply::Refused(why)) => Err(SyncFailed::Refused(why)),
        Ok(CoordinatorReply::State { .. }) => Err(SyncFailed::Refused("not to a report".into())),
        Err(why) => Err(SyncFailed::Refused(why.to_string())),
    }
}
