//! What both objects are made of: the platform's handle, the alarm, the pump, and the end.

use core::cell::{Cell, RefCell};
use core::future::Future;
use std::rc::Rc;

use anteroom_queue::Corrupt;
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::settings::Settings;
use anteroom_queue::units::UnixMillis;
use wasm_bindgen::{JsCast, JsValue};
use worker::js_sys::{Date, Function, Object, Reflect};
use worker::wasm_bindgen_futures::JsFuture;
use worker::{Env, State, WebSocket, console_error, console_log, console_warn};

use crate::alarm::AlarmBook;
use crate::meta::{LeftBehind, META_KEY, Meta};
use crate::opening::{Core, Known, Started, start, who};
use crate::platform_error::message;
use crate::pump::{Due, Pump};
use crate::refusal::Refusal;
use crate::sockets;
use crate::sqlite::Table;
use crate::storage::{Changes, Store, WriteFailed, meta_of, read_all};
use crate::{configuration, platform};

/// One instance of an object.
#[derive(Debug)]
pub struct Instance {
    state: State,
    env: Env,
    book: RefCell<AlarmBook>,
    pump: Pump,
    ended: Cell<bool>,
}

/// An object that the pump drives.
pub trait Driven: 'static {
    /// The instance it runs in.
    fn instance(&self) -> &Instance;
    /// Carries out what is due.
    fn step(self: &Rc<Self>, now: UnixMillis);
    /// When the next step is due; `None`: the object is not open.
    fn due(&self, now: UnixMillis) -> Option<Due>;
}

impl Instance {
    /// A fresh instance.
    pub fn new(state: State, env: Env) -> Self {
        Self {
            state,
            env,
            book: RefCell::default(),
            pump: Pump::default(),
            ended: Cell::new(false),
        }
    }

    /// The bindings and variables.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// Whether nothing must be answered any more.
    pub fn has_ended(&self) -> bool {
        self.ended.get()
    }

    /// Ends this instance because its state may be newer than storage. The caller drops that state
    /// at once, so that nothing can be answered from it; the platform then starts a fresh instance
    /// from storage.
    ///
    /// `abort` terminates whatever JavaScript is running. Inside a task it would take away the
    /// queue that all tasks of the isolate share, so it is called from a timer, where none runs.
    pub fn end(&self, why: &str) {
        if self.ended.replace(true) {
            return;
        }
        console_error!("instance ended: {why}");
        let handle: &JsValue = self.state.as_raw();
        let abort: Function = method(handle, "abort");
        let ending = abort.bind1(handle, &JsValue::from_str(why));
        let global = worker::js_sys::global();
        let timer = method(&global, "setTimeout").call2(&global, &ending, &JsValue::from_f64(0.0));
        timer.expect("a timer can always be set");
    }

    /// The sockets that the platform keeps for this object.
    pub fn sockets(&self) -> Vec<WebSocket> {
        self.state.get_websockets()
    }

    /// Those of `whose`.
    pub fn sockets_of(&self, whose: &str) -> Vec<WebSocket> {
        self.state.get_websockets_with_tag(whose)
    }

    /// The platform keeps a socket of `whose` for this object from now on.
    pub fn accept(&self, socket: &WebSocket, whose: &str) {
        self.state.accept_websocket_with_tags(socket, &[whose]);
    }

    /// Runs a task that no request's end takes away.
    pub fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.state.wait_until(task);
    }

    /// Sets the alarm at once, so that it is one transaction with the rows written in the same
    /// turn; what is returned resolves when it is stored.
    fn set_alarm(&self, at: UnixMillis) -> impl Future<Output = Result<(), String>> + use<> {
        let storage = self.state.storage();
        let options: Object = JsValue::NULL.unchecked_into();
        let date = Date::new(&JsValue::from_f64(at.0 as f64));
        let told = storage.as_raw().set_alarm(date, options);
        async move {
            match told {
                Ok(promise) => JsFuture::from(promise).await.map(|_| ()),
                Err(error) => Err(error),
            }
            .map_err(|error| format!("alarm: {}", message(&error)))
        }
    }
}

fn method(object: &JsValue, name: &str) -> Function {
    Reflect::get(object, &name.into())
        .ok()
        .and_then(|method| method.dyn_into().ok())
        .unwrap_or_else(|| panic!("the platform has no {name}"))
}

/// Something came in, or a step was made outside the pump: sees to the alarm and to the pump.
pub fn wake<D: Driven>(object: &Rc<D>) {
    let now = platform::now();
    let Some(due) = object.due(now) else { return };
    mind_alarm(object, due, now);
    let instance = object.instance();
    if let Some(at) = due.look_at(now)
        && instance.pump.has_to_start_for(at, now)
    {
        instance.spawn(run(object.clone()));
    }
}

async fn run<D: Driven>(object: Rc<D>) {
    let instance = object.instance();
    while !instance.has_ended() {
        object.step(platform::now());
        let now = platform::now();
        let due = object.due(now);
        if let Some(due) = due {
            mind_alarm(&object, due, now);
        }
        match due.and_then(|due| due.look_at(now)) {
            Some(at) => instance.pump.sleep(at, now).await,
            None => return instance.pump.stops(),
        }
    }
}

/// Sets the alarm if it has to come earlier than it is set for. A failure ends the instance: it is
/// a failed write.
fn mind_alarm<D: Driven>(object: &Rc<D>, due: Due, now: UnixMillis) {
    let instance = object.instance();
    let mut book = instance.book.borrow_mut();
    match due.alarm_for(now) {
        Some(at) => {
            if let Some(at) = book.wants(Some(at), now) {
                set_or_end(object, at);
            }
        }
        None if book.has_to_ask(now) => instance.spawn(mind_daily_alarm(object.clone())),
        None => {}
    }
}

fn set_or_end<D: Driven>(object: &Rc<D>, at: UnixMillis) {
    let told = object.instance().set_alarm(at);
    let ended = object.clone();
    object.instance().spawn(async move {
        if let Err(why) = told.await {
            ended.instance().end(&why);
        }
    });
}

/// Sees to it that an alarm stands although nothing is due.
async fn mind_daily_alarm<D: Driven>(object: Rc<D>) {
    let instance = object.instance();
    let stands = instance.state.storage().get_alarm().await;
    if instance.has_ended() || object.due(platform::now()).is_none() {
        return;
    }
    // What the platform does not say counts as no alarm: setting one is never wrong.
    let stands = stands.ok().flatten().map(|at| UnixMillis(at.max(0) as u64));
    let wanted = instance.book.borrow_mut().stands(stands, platform::now());
    if let Some(at) = wanted {
        set_or_end(&object, at);
    }
}

/// The alarm has come: it is armed again, then the step is made, then it is set for what is next.
///
/// # Errors
/// When the alarm cannot be set; the platform then tries again.
pub async fn alarm_comes<D: Driven>(object: &Rc<D>) -> Result<(), String> {
    let instance = object.instance();
    let armed = instance.book.borrow_mut().comes(platform::now());
    instance.set_alarm(armed).await?;
    object.step(platform::now());
    if instance.has_ended() {
        return Ok(());
    }
    let now = platform::now();
    let wanted = object.due(now).and_then(|due| due.alarm_for(now));
    let next = instance.book.borrow_mut().done(wanted, now);
    instance.set_alarm(next).await?;
    wake(object);
    Ok(())
}

/// A core read from storage, stored as far as opening it changed it.
#[derive(Debug)]
pub struct Opened<C> {
    /// The core.
    pub core: C,
    /// Its table.
    pub table: Table,
    /// Its own row.
    pub meta: Meta,
}

impl Instance {
    /// Opens the core for `caller` (`None`: for an alarm). `Ok(None)`: there is nothing to open,
    /// since the object was never called or has deleted everything.
    pub fn open<C: Core>(
        &self,
        caller: Option<&Known>,
        now: UnixMillis,
    ) -> Result<Option<Opened<C>>, Refusal> {
        match caller {
            Some(meant) => drop(self.configured(meant)?),
            None if !Table::is_there(&self.state).map_err(Refusal::failed)? => return Ok(None),
            None => {}
        }
        let mut table = Table::open(&self.state).map_err(Refusal::failed)?;
        let rows = table.read().map_err(Refusal::failed)?;
        let stored = read_all::<C::Row>(rows).map_err(|why| Refusal::unusable(&why))?;
        let meta = stored.as_ref().map(|(meta, _)| meta);
        let Some(known) = who(meta, caller)? else {
            return Ok(None);
        };
        let settings = self.configured(&known)?;
        let started = start(&known, stored, settings, platform::entropy(), now)
            .map_err(|Corrupt(why)| Refusal::failed(why))?;
        let Started {
            core,
            meta,
            changes,
            other_lines,
        } = started;
        self.checked(table.commit(changes))?;
        if let Some(why) = other_lines {
            console_warn!("{}: {why}", known.name());
        }
        Ok(Some(Opened { core, table, meta }))
    }

    /// The alarm of an object that cannot be opened: of a run that the configuration has left
    /// behind, that was deleted, or that is misconfigured. It looks again in a day, and deletes what
    /// has been left behind for long enough.
    ///
    /// # Errors
    /// When storage cannot be used; the platform then tries again.
    pub async fn alarm_comes_to_closed(&self) -> Result<(), String> {
        let now = platform::now();
        let again = self.book.borrow_mut().done(None, now);
        self.set_alarm(again).await?;
        let failed = |error: worker::Error| error.to_string();
        let mut table = Table::open(&self.state).map_err(failed)?;
        // A row that cannot be read was written by a later version: it is that one's to judge.
        let Some(meta) = table.bytes_of(META_KEY)?.and_then(|row| meta_of(&row).ok()) else {
            return Ok(());
        };
        if !self.is_left_behind(&Known::of(&meta)) {
            return Ok(());
        }
        match meta.left_behind(now) {
            LeftBehind::Keep => Ok(()),
            LeftBehind::Notice => {
                let mut changes = Changes::<CoordinatorRow>::default();
                changes.set_meta(meta.noticed(now));
                table.commit(changes).map_err(|WriteFailed(why)| why)
            }
            LeftBehind::Delete => {
                *self.book.borrow_mut() = AlarmBook::default();
                console_log!("{}: deleted", Known::of(&meta).name());
                sockets::close_all(&self.sockets());
                let storage = self.state.storage();
                storage.delete_alarm().await.map_err(failed)?;
                storage.delete_all().await.map_err(failed)
            }
        }
    }

    /// Whether the event is gone from the configuration, or has a later run there.
    fn is_left_behind(&self, known: &Known) -> bool {
        match configuration::event(&self.env, &known.event) {
            Ok(event) => event.run > known.run,
            Err(refusal) => refusal.is_unknown_event(),
        }
    }

    /// The settings of object `known`, if the platform agrees that this is it and its run is the
    /// one that is configured. Asked before storage is touched, so that a mistaken call leaves
    /// nothing behind.
    fn configured(&self, known: &Known) -> Result<Settings, Refusal> {
        if let Some(name) = self.state.id().name()
            && name != known.name()
        {
            return Err(Refusal::not_mine("object", known.name(), name));
        }
        let event = configuration::event(&self.env, &known.event)?;
        if event.run != known.run {
            return Err(Refusal::other_run(&known.name(), known.run, event.run));
        }
        Ok(event.settings)
    }

    /// Ends the instance if a write failed.
    pub fn checked<V>(&self, written: Result<V, WriteFailed>) -> Result<V, Refusal> {
        written.map_err(|WriteFailed(why)| {
            self.end(&format!("a write failed: {why}"));
            Refusal::failed("a write failed")
        })
    }
}
