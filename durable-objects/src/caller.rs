//! Who called an object and waits for its answer: the function that keeps the promise which the call was given.
//!
//! All calls of an object share an I/O context, so the step that works an answer out keeps the promise itself. A task for each
//! call, which is woken to pass the answer on, costs more than most calls.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use worker::js_sys::{Function, Promise};
use worker::wasm_bindgen_futures::spawn_local;

use crate::carried::Carried;
use crate::opening::Known;
use crate::refusal::{Refusal, response};

/// An object that can say why it answers nobody any more.
pub trait Closed {
    /// What whoever calls it next is told.
    fn why_closed(&self, meant: &Known) -> Refusal;
}

/// To whom an answer goes.
pub struct Caller {
    keeps_promise: Option<Function>,
    carried: Carried,
    meant: Known,
    object: Rc<dyn Closed>,
}

impl core::fmt::Debug for Caller {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(out, "Caller({:?})", self.meant)
    }
}

impl Caller {
    /// Whoever is given this promise.
    pub fn with_promise(
        carried: Carried,
        meant: &Known,
        object: Rc<dyn Closed>,
    ) -> (Self, Promise) {
        let mut keeps_promise = None;
        let promise = Promise::new(&mut |keeps, _| keeps_promise = Some(keeps));
        let caller = Self {
            keeps_promise,
            carried,
            meant: meant.clone(),
            object,
        };
        (caller, promise)
    }

    /// Answers. Somebody who is gone misses nothing: asking again gives the same answer.
    pub fn send(mut self, answer: Vec<u8>) {
        if let Some(keeps_promise) = self.keeps_promise.take() {
            keep(&keeps_promise, self.carried, Ok(answer));
        }
    }
}

/// Whoever gets no answer is told why, once the object can be asked.
impl Drop for Caller {
    fn drop(&mut self) {
        let Some(keeps_promise) = self.keeps_promise.take() else {
            return;
        };
        let (object, meant) = (self.object.clone(), self.meant.clone());
        let carried = self.carried;
        spawn_local(async move {
            keep(&keeps_promise, carried, Err(object.why_closed(&meant)));
        });
    }
}

fn keep(keeps_promise: &Function, carried: Carried, answer: Result<Vec<u8>, Refusal>) {
    let told = keeps_promise.call1(&JsValue::UNDEFINED, &response(carried, answer));
    told.expect("a promise takes its value");
}
