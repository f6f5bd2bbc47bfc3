//! What both classes of objects do alike: open at the first call or alarm, put calls on a desk,
//! make the steps that are due, and let go of everything when the run's time is over.
//!
//! Every call is given a promise; one task, the pump, makes the steps and keeps them. All requests
//! of an object share an I/O context, so one task may produce what the others wait for. Nothing
//! holds the desk across an `await`.

use core::cell::RefCell;
use std::rc::Rc;

use anteroom_queue::units::UnixMillis;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;
use worker::js_sys::Promise;
use worker::wasm_bindgen_futures::future_to_promise;
use worker::web_sys::{Request, Response};
use worker::{Env, State, console_log, console_warn};

use crate::caller::{Caller, Closed};
use crate::carried::{self, Carried};
use crate::instance::{Driven, Instance, Opened, alarm_comes, wake};
use crate::meta::Meta;
use crate::opening::{Core, Known};
use crate::platform;
use crate::pump::Due;
use crate::push::{Listeners, Next};
use crate::refusal::{Refusal, response};
use crate::sockets;
use crate::sqlite::Table;
use crate::storage::{Store, WriteFailed};
use crate::wire;

/// One class of objects: the desk of an open one, and the ways out of it.
pub trait Class: Sized + 'static {
    /// The state machine.
    type Core: Core;
    /// What it is called with.
    type Call: DeserializeOwned;

    /// Which object a call means.
    fn meant(call: &Self::Call) -> Known;
    /// A desk for a core whose rows are stored.
    fn open(env: &Env, core: Self::Core, known: &Known, now: UnixMillis) -> Self;
    /// Puts a call on the desk.
    fn take(
        &mut self,
        call: Self::Call,
        to: Caller,
        table: &mut Table,
        now: UnixMillis,
    ) -> Result<Result<(), Refusal>, WriteFailed>;
    /// Carries out what is due. Answers and messages go out only when all rows are stored.
    fn step(
        &mut self,
        shell: &Rc<Shell<Self>>,
        table: &mut Table,
        now: UnixMillis,
    ) -> Result<(), WriteFailed>;
    /// When the next step is due.
    fn due(&self, now: UnixMillis) -> Due;
    /// Who listens, where somebody may.
    fn listeners(&mut self) -> Option<&mut Listeners> {
        None
    }
    /// The word for the next of those who listen; `None`: there is nothing to say.
    fn next_word(&mut self, _now: UnixMillis) -> Option<Next> {
        None
    }
    /// Somebody wants to listen: what is said first, if anything.
    fn greet(&mut self, _now: UnixMillis) -> Result<Option<String>, Refusal> {
        Err(sockets::refused())
    }
    /// Whether everything of the run is to be deleted.
    fn is_to_be_forgotten(&self, now: UnixMillis) -> bool;
}

/// One instance of an object, open or not.
#[derive(Debug)]
pub struct Shell<C> {
    instance: Instance,
    open: RefCell<Option<Open<C>>>,
}

/// An object whose rows are read.
#[derive(Debug)]
struct Open<C> {
    desk: C,
    table: Table,
    meta: Meta,
}

impl<C: Class> Shell<C> {
    /// A fresh instance.
    pub fn new(state: State, env: Env) -> Rc<Self> {
        Rc::new(Self {
            instance: Instance::new(state, env),
            open: RefCell::new(None),
        })
    }

    /// A request comes in: its response, or a promise of one.
    pub fn fetch(self: &Rc<Self>, request: Request) -> JsValue {
        if let Some(call) = carried::call_of(&request) {
            return self.answer(&call, Carried::Header);
        }
        if let Some(socket) = sockets::given(self, &request) {
            return socket;
        }
        let object = self.clone();
        let answer = future_to_promise(async move {
            let call = carried::body_of(&request).await?;
            Ok(object.answer(&call, Carried::Body))
        });
        answer.into()
    }

    /// The alarm comes. It may be late, come twice, or find nothing to do.
    pub fn alarm(self: &Rc<Self>) -> Promise {
        let object = self.clone();
        future_to_promise(async move {
            match object.opened(None) {
                Ok(()) if object.open.borrow().is_none() => {}
                Ok(()) => alarm_comes(&object).await?,
                Err(refusal) => {
                    console_warn!("alarm: {}", refusal.text());
                    object.instance.alarm_comes_to_closed().await?;
                }
            }
            Ok(Response::new()?.into())
        })
    }

    fn answer(self: &Rc<Self>, call: &[u8], carried: Carried) -> JsValue {
        match self.taken(call, carried) {
            Ok(promise) => promise.into(),
            Err(refusal) => response(carried, Err(refusal)),
        }
    }

    fn taken(self: &Rc<Self>, call: &[u8], carried: Carried) -> Result<Promise, Refusal> {
        let call: C::Call = wire::decode(call).map_err(|why| Refusal::unreadable(&why))?;
        let meant = C::meant(&call);
        self.opened(Some(&meant))?;
        let (caller, promise) = Caller::with_promise(carried, &meant, self.clone());
        self.take(call, caller, &meant)?;
        wake(self);
        Ok(promise)
    }

    fn take(&self, call: C::Call, to: Caller, meant: &Known) -> Result<(), Refusal> {
        let mut slot = self.open.borrow_mut();
        let Open { desk, table, meta } = slot.as_mut().expect("opened before");
        Known::of(meta).expect(meant)?;
        let taken = desk.take(call, to, table, platform::now());
        match self.instance.checked(taken) {
            Ok(taken) => taken,
            Err(refusal) => {
                *slot = None;
                Err(refusal)
            }
        }
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
        let Some(opened) = self.instance.open::<C::Core>(caller, now)? else {
            return Ok(());
        };
        let Opened { core, table, meta } = opened;
        let desk = C::open(self.instance.env(), core, &Known::of(&meta), now);
        *self.open.borrow_mut() = Some(Open { desk, table, meta });
        self.count_sockets();
        Ok(())
    }

    /// What a page that wants to listen is told first.
    pub fn greeting(&self, meant: &Known) -> Result<Option<String>, Refusal> {
        self.opened(Some(meant))?;
        let mut slot = self.open.borrow_mut();
        let Open { desk, meta, .. } = slot.as_mut().expect("opened above");
        Known::of(meta).expect(meant)?;
        desk.greet(platform::now())
    }

    /// The desk knows how many listen.
    pub fn count_sockets(&self) {
        let count = self.instance.sockets().len();
        self.about_listeners(|listeners| listeners.are(count));
    }

    /// Something about who listens, if the object is open.
    pub fn about_listeners(&self, what: impl FnOnce(&mut Listeners)) {
        let mut slot = self.open.borrow_mut();
        if let Some(listeners) = slot.as_mut().and_then(|open| open.desk.listeners()) {
            what(listeners);
        }
    }

    /// The word for the next of those who listen, if the object is still open.
    pub fn next_word(&self) -> Option<Next> {
        let mut slot = self.open.borrow_mut();
        slot.as_mut()?.desk.next_word(platform::now())
    }

    /// A round to all who listen, from `word` on, in a task of its own.
    pub fn say(self: &Rc<Self>, word: String) {
        let saying = self.clone();
        self.instance.spawn(async move {
            sockets::tell(&saying, word).await;
            saying.about_listeners(|listeners| listeners.heard_it(platform::now()));
            wake(&saying);
        });
    }

    /// Says something to the desk, if the object is still open, and makes the steps that follow.
    pub fn tell(self: &Rc<Self>, what: impl FnOnce(&mut C)) {
        if let Some(open) = self.open.borrow_mut().as_mut() {
            what(&mut open.desk);
        }
        wake(self);
    }

    /// One step, and whether the object stays open: not if its run was deleted by it.
    fn stepped(self: &Rc<Self>, open: &mut Open<C>, now: UnixMillis) -> Result<bool, WriteFailed> {
        open.desk.step(self, &mut open.table, now)?;
        if !open.desk.is_to_be_forgotten(now) {
            return Ok(true);
        }
        open.table.forget(&open.meta.forgotten(now))?;
        sockets::close_all(&self.instance.sockets());
        console_log!("{}: deleted", Known::of(&open.meta).name());
        Ok(false)
    }
}

impl<C: Class> Closed for Shell<C> {
    fn why_closed(&self, meant: &Known) -> Refusal {
        self.opened(Some(meant))
            .err()
            .unwrap_or_else(Refusal::ended)
    }
}

/// The platform's class `$name` of the objects of one [`Class`]. What the platform calls is written out: the `worker` crate's
/// own macro makes a promise and a task of each call, and makes its requests anew.
macro_rules! durable_object_of {
    ($(#[$said:meta])* $name:ident: $class:ty) => {
        $(#[$said])*
        #[wasm_bindgen::prelude::wasm_bindgen]
        pub struct $name {
            shell: std::rc::Rc<crate::object::Shell<$class>>,
        }

        #[wasm_bindgen::prelude::wasm_bindgen]
        impl $name {
            #[wasm_bindgen(constructor)]
            pub fn new(state: worker::worker_sys::DurableObjectState, env: worker::Env) -> Self {
                Self {
                    shell: crate::object::Shell::new(state.into(), env),
                }
            }

            pub fn fetch(&self, request: worker::web_sys::Request) -> wasm_bindgen::JsValue {
                self.shell.fetch(request)
            }

            pub fn alarm(&self) -> worker::js_sys::Promise {
                self.shell.alarm()
            }

            #[wasm_bindgen(js_name = webSocketMessage)]
            pub fn web_socket_message(&self, socket: worker::web_sys::WebSocket) {
                crate::sockets::hears(&socket);
            }

            #[wasm_bindgen(js_name = webSocketClose)]
            pub fn web_socket_close(&self, socket: worker::web_sys::WebSocket) {
                crate::sockets::is_closed(&socket);
                self.shell.about_listeners(|listeners| listeners.go());
            }

            #[wasm_bindgen(js_name = webSocketError)]
            pub fn web_socket_error(&self) {
                self.shell.about_listeners(|listeners| listeners.go());
            }
        }
    };
}
pub(crate) use durable_object_of;

impl<C: Class> Driven for Shell<C> {
    fn instance(&self) -> &Instance {
        &self.instance
    }

    fn step(self: &Rc<Self>, now: UnixMillis) {
        let mut slot = self.open.borrow_mut();
        let Some(open) = slot.as_mut() else { return };
        let stepped = self.stepped(open, now);
        if !matches!(self.instance.checked(stepped), Ok(true)) {
            *slot = None;
        }
    }

    fn due(&self, now: UnixMillis) -> Option<Due> {
        let open = self.open.borrow();
        open.as_ref().map(|open| open.desk.due(now))
    }
}
