//! What an object reads of its event's configuration: the variables of the deployment, which are
//! the same for as long as an instance lives.

use anteroom_config::{Event, Regions, variable_name};
use serde_json::Value;
use wasm_bindgen::JsValue;
use worker::Env;
use worker::js_sys::{JSON, Reflect};

use crate::refusal::Refusal;

/// The event called `id`, as the deployment describes it: its variable's name follows from it.
///
/// # Errors
/// A [`Refusal`] when no variable describes it, or the one that does is refused.
pub fn event(env: &Env, id: &str) -> Result<Event, Refusal> {
    let name = variable_name(id);
    let json = variable(env, &name).ok_or_else(|| Refusal::unknown_event(id))?;
    // An object shows no times: whether the zone exists is the edge's to ask.
    anteroom_config::parse_event(&name, &json, anteroom_config::any_zone).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Refusal::misconfigured(problems.join("; "))
    })
}

/// Where the event's objects stand. What cannot be read has been refused before an object opens.
pub fn regions(env: &Env, id: &str) -> Regions {
    let event = event(env, id).ok();
    event.map(|event| event.regions).unwrap_or_default()
}

/// What the variable holds, if it is there and plain data.
fn variable(env: &Env, name: &str) -> Option<Value> {
    let variable = Reflect::get(env.as_ref(), &JsValue::from_str(name)).ok()?;
    let text = JSON::stringify(&variable).ok()?.as_string()?;
    serde_json::from_str(&text).ok()
}
