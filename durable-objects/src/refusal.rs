//! Why an object does not take a call: a status and a reason in plain text. A refusal changes
//! nothing.

use wasm_bindgen::JsValue;
use worker::web_sys::{Response, ResponseInit};

use crate::carried::Carried;
use crate::storage::Unusable;
use crate::wire::Unreadable;

/// The status of the refusal that the run ended and was deleted, and of nothing else.
pub const FORGOTTEN: u16 = 410;

/// The status of the refusal that the bytes are not a call that this object takes.
pub const UNREADABLE: u16 = 400;

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: u16,
    text: String,
}

impl Refusal {
    /// The bytes are not a call.
    pub fn unreadable(why: &Unreadable) -> Self {
        Self::new(UNREADABLE, why.to_string())
    }

    /// The command is not one that a visitor's call may carry.
    pub fn not_a_visitors() -> Self {
        Self::new(400, "ask: a command of the shard's own".into())
    }

    /// No event of this name is configured.
    pub fn unknown_event(id: &str) -> Self {
        Self::new(404, format!("event: {id:?} is not configured"))
    }

    /// The run ended and its time to be kept is over.
    pub fn forgotten(run: u32) -> Self {
        Self::new(FORGOTTEN, format!("run: {run} is over and was deleted"))
    }

    /// Whether it is [`Refusal::unknown_event`].
    pub fn is_unknown_event(&self) -> bool {
        self.status == 404
    }

    /// The call is meant for another object or another run.
    pub fn not_mine(
        field: &str,
        found: impl core::fmt::Display,
        mine: impl core::fmt::Display,
    ) -> Self {
        Self::new(409, format!("{field}: {found}, this object has {mine}"))
    }

    /// The event has another run than the object's. That is no fault: after a new run the objects of the old one are
    /// kept for a while.
    pub fn other_run(name: &str, own: u32, configured: u32) -> Self {
        let text = if configured > own {
            format!(
                "{name}: the event has run {configured} now; what is left of run {own} only waits to be deleted"
            )
        } else {
            format!(
                "{name}: the event is configured with run {configured}, which is older than run {own}"
            )
        };
        Self::new(409, text)
    }

    /// Too many calls wait already.
    pub fn busy() -> Self {
        Self::new(503, "too many calls wait".into())
    }

    /// The event's configuration is refused.
    pub fn misconfigured(problems: String) -> Self {
        Self::new(500, problems)
    }

    /// What is stored cannot be used.
    pub fn unusable(why: &Unusable) -> Self {
        Self::new(500, why.to_string())
    }

    /// The object failed.
    pub fn failed(why: impl core::fmt::Display) -> Self {
        Self::new(500, why.to_string())
    }

    /// The instance has ended; the next one starts from storage.
    pub fn ended() -> Self {
        Self::failed("the instance has ended")
    }

    fn new(status: u16, text: String) -> Self {
        Self { status, text }
    }

    /// The reason.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The HTTP answer to a call.
pub fn response(carried: Carried, result: Result<Vec<u8>, Refusal>) -> JsValue {
    let made = match result {
        Ok(mut bytes) => carried.response(&mut bytes),
        Err(refusal) => {
            let init = ResponseInit::new();
            init.set_status(refusal.status);
            Response::new_with_opt_str_and_init(Some(&refusal.text), &init)
        }
    };
    made.expect("an answer of ours can be made").into()
}
