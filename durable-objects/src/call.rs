//! Calls from one object to another: one request with bytes, one answer with bytes. The only place
//! that reads the platform's errors.

use core::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue};
use worker::js_sys::{Object, Reflect};
use worker::wasm_bindgen_futures::JsFuture;
use worker::worker_sys::{
    DurableObject as Stub, DurableObjectId as Id, DurableObjectNamespace as Namespace,
};
use worker::{Env, web_sys};

use crate::carried::{Carried, answer_of};
use crate::literals::with_literal;
use crate::platform_error::message;
use crate::refusal::FORGOTTEN;
use crate::uplink::SyncFailed;

/// Why a call brought no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallFailed {
    /// The object cannot be reached, broke off, or failed.
    Unreachable(String),
    /// The object has too much to do: it must not be asked again at once.
    Overloaded,
    /// The object does not take the call.
    Refused {
        /// The HTTP status, 4xx.
        status: u16,
        /// The reason.
        text: String,
    },
}

impl From<CallFailed> for SyncFailed {
    fn from(failed: CallFailed) -> Self {
        match failed {
            CallFailed::Unreachable(why) => SyncFailed::Unreachable(why),
            CallFailed::Overloaded => SyncFailed::Overloaded,
            CallFailed::Refused {
                status: FORGOTTEN, ..
            } => SyncFailed::Forgotten,
            CallFailed::Refused { status, text } => {
                SyncFailed::Refused(format!("{status}: {text}"))
            }
        }
    }
}

/// The way to one object. A stub is kept until a call on it fails: a failed one stays failed.
#[derive(Debug)]
pub struct Way {
    env: Env,
    binding: &'static str,
    name: String,
    region: Option<&'static str>,
    stub: RefCell<Option<Stub>>,
}

impl Way {
    /// The way to the object called `name` of the class behind `binding`.
    pub fn to(env: &Env, binding: &'static str, name: String) -> Self {
        Self {
            env: env.clone(),
            binding,
            name,
            region: None,
            stub: RefCell::new(None),
        }
    }

    /// The same, to an object that is to stand in this region if nobody has asked it before.
    pub fn in_region(self, region: Option<&'static str>) -> Self {
        Self { region, ..self }
    }

    /// Sends `body` and waits for the answer, without a limit of its own.
    ///
    /// # Errors
    /// [`CallFailed`], as its variants say.
    pub async fn call(&self, body: &[u8]) -> Result<Vec<u8>, CallFailed> {
        let kept = self.stub.borrow().clone();
        let stub = match kept {
            Some(stub) => stub,
            None => self.new_stub()?,
        };
        let result = post(&stub, body).await;
        let works = !matches!(result, Err(CallFailed::Unreachable(_)));
        *self.stub.borrow_mut() = works.then_some(stub);
        result
    }

    fn new_stub(&self) -> Result<Stub, CallFailed> {
        stub_of(&self.env, self.binding, &self.name, self.region)
            .map_err(|error| CallFailed::Unreachable(error.to_string()))
    }
}

/// So many ids are kept, more than an event of fifty million has objects: then they are made anew.
const MOST_IDS: usize = 8 * 1_024;

thread_local! {
    /// Of the objects that were called, by name, which says the class too. An id is a keyed hash of both, the same for ever.
    static IDS: RefCell<HashMap<String, Rc<Id>>> = RefCell::default();
}

/// A stub of the object called `name`. The region counts when nobody has asked the object before.
///
/// # Errors
/// What the platform says.
pub fn stub_of(
    env: &Env,
    binding: &'static str,
    name: &str,
    region: Option<&str>,
) -> worker::Result<Stub> {
    let namespace = with_literal(binding, |binding| Reflect::get(env, binding))?;
    let namespace: Namespace = namespace.unchecked_into();
    let known = IDS.with_borrow(|ids| ids.get(name).cloned());
    let id = match known {
        Some(id) => id,
        None => {
            // Says what is wrong if the binding is none of objects.
            env.durable_object(binding)?;
            let id = Rc::new(namespace.id_from_name(name)?);
            IDS.with_borrow_mut(|ids| {
                if ids.len() >= MOST_IDS {
                    ids.clear();
                }
                ids.insert(name.to_owned(), Rc::clone(&id));
            });
            id
        }
    };
    Ok(match region {
        Some(region) => {
            let options = Object::new();
            Reflect::set(&options, &"locationHint".into(), &region.into())?;
            namespace.get_with_options(&id, &options)?
        }
        None => namespace.get(&id)?,
    })
}

async fn post(stub: &Stub, body: &[u8]) -> Result<Vec<u8>, CallFailed> {
    let response = send(stub, body).await.map_err(|error| failure(&error))?;
    let status = response.status();
    let bytes = answer_of(&response)
        .await
        .map_err(|error| failure(&error))?;
    if status < 400 {
        return Ok(bytes);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Err(match status {
        503 => CallFailed::Overloaded,
        500.. => CallFailed::Unreachable(text),
        _ => CallFailed::Refused { status, text },
    })
}

/// What an object responds to a call.
///
/// # Errors
/// What the platform says.
pub async fn send(stub: &Stub, call: &[u8]) -> Result<web_sys::Response, JsValue> {
    let carried = Carried::first(call);
    let response = asked(stub, call, carried).await?;
    match carried.again(response.status()) {
        Some(carried) => asked(stub, call, carried).await,
        None => Ok(response),
    }
}

async fn asked(stub: &Stub, call: &[u8], carried: Carried) -> Result<web_sys::Response, JsValue> {
    let response = JsFuture::from(carried.send(stub, call)?).await?;
    Ok(response.unchecked_into())
}

/// The platform marks an error with `overloaded` when the object has too many requests waiting:
/// <https://developers.cloudflare.com/durable-objects/best-practices/error-handling/>.
fn failure(error: &JsValue) -> CallFailed {
    let overloaded = Reflect::get(error, &"overloaded".into());
    if overloaded.is_ok_and(|flag| flag.is_truthy()) {
        return CallFailed::Overloaded;
    }
    CallFailed::Unreachable(message(error))
}
