//! What an object reads of its event's configuration: the variables of the deployment, which are
//! the same for as long as an instance lives.

use anteroom_config::{EVENT_VARIABLE, Event};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;
use worker::js_sys::{JSON, Object, Reflect};

use crate::refusal::Refusal;

/// The event called `id`, as the deployment describes it.
///
/// # Errors
/// A [`Refusal`] when no variable describes it, or the one that does is refused.
pub fn event(env: &Env, id: &str) -> Result<Event, Refusal> {
    for (name, json) in event_variables(env) {
        if json.get("id").and_then(Value::as_str) != Some(id) {
            continue;
        }
        return anteroom_config::parse_event(&name, &json).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Refusal::misconfigured(problems.join("; "))
        });
    }
    Err(Refusal::unknown_event(id))
}

/// The variables whose names mark them as events, with what they hold.
fn event_variables(env: &Env) -> Vec<(String, Value)> {
    let variables: &JsValue = env.as_ref();
    Object::keys(variables.unchecked_ref::<Object>())
        .iter()
        .filter_map(|name| name.as_string())
        .filter(|name| name.starts_with(EVENT_VARIABLE))
        .filter_map(|name| {
            let variable = Reflect::get(variables, &JsValue::from_str(&name)).ok()?;
            let text = JSON::stringify(&variable).ok()?.as_string()?;
            Some((name, serde_json::from_str(&text).ok()?))
        })
        .collect()
}
