//! The Durable Object of a coordinator: I/O around a [`CoordinatorDesk`].
//!
//! As in a shard, calls wait on channels for the steps that the pump makes, and nothing holds the
//! desk across an `await`.

use core::cell::RefCell;
use std::rc::Rc;

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::units::UnixMillis;
use futures_channel::oneshot;
use worker::{DurableObject, Env, Request, Response, State, console_warn, durable_object};

use crate::coordinator_desk::{CoordinatorDesk, Taken};
use crate::instance::{Driven, Instance, Opened, alarm_comes, wake};
use crate::opening::Known;
use crate::platform;
use crate::pump::Due;
use crate::refusal::{Refusal, response};
use crate::sqlite::Table;
use crate::wire::{self, CoordinatorCall};

/// The class of the coordinators.
#[durable_object(alarm)]
pub struct CoordinatorObject {
    shell: Rc<Shell>,
}

struct Shell {
    instance: Instance,
    open: RefCell<Option<Open>>,
}

/// A coordinator whose rows are read.
struct Open {
    desk: CoordinatorDesk<oneshot::Sender<Vec<u8>>>,
    table: Table,
    known: Known,
}

impl DurableObject for CoordinatorObject {
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
        let call: CoordinatorCall = wire::decode(body).map_err(|why| Refusal::unreadable(&why))?;
        let answered = self.take(call)?;
        wake(self);
        answered.await.map_err(|_| Refusal::ended())
    }

    /// Puts a call on the desk.
    fn take(&self, call: CoordinatorCall) -> Result<oneshot::Receiver<Vec<u8>>, Refusal> {
        let meant = Known {
            event: call.event,
            run: call.run,
            shard: None,
        };
        self.opened(Some(&meant))?;
        let mut open = self.open.borrow_mut();
        let Open { desk, table, known } = open.as_mut().expect("opened above");
        known.expect(&meant)?;
        let (to, answered) = oneshot::channel();
        match desk.ask(call.ask, platform::entropy(), to, platform::now(), table) {
            Taken::Waits => {}
            Taken::Busy(_) => return Err(Refusal::busy()),
            Taken::Failed(why) => return Err(Refusal::failed(why)),
            Taken::Answered(to, bytes) => {
                // The receiver is held right here.
                let _ = to.send(bytes);
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
        let opened = self.instance.open::<Coordinator>(caller, platform::now())?;
        if let Some(Opened { core, table, known }) = opened {
            let desk = CoordinatorDesk::new(core);
            *self.open.borrow_mut() = Some(Open { desk, table, known });
        }
        Ok(())
    }
}

impl Driven for Shell {
    fn instance(&self) -> &Instance {
        &self.instance
    }

    fn step(self: &Rc<Self>, now: UnixMillis) {
        let mut slot = self.open.borrow_mut();
        let Some(open) = slot.as_mut() else { return };
        let step = open.desk.step(now, &mut open.table);
        let Ok(answers) = self.instance.checked(step) else {
            *slot = None;
            return;
        };
        for (to, bytes) in answers {
            // A caller who is gone misses nothing: asking again gives the same answer.
            let _ = to.send(bytes);
        }
    }

    fn due(&self, _: UnixMillis) -> Due {
        match self.open.borrow().as_ref() {
            Some(open) => open.desk.due(),
            None => Due::NEVER,
        }
    }
}
