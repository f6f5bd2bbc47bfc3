//! What the platform's errors say, without their stack traces.

use wasm_bindgen::JsValue;
use worker::js_sys::Reflect;

/// The message of an error.
pub fn message(error: &JsValue) -> String {
    Reflect::get(error, &"message".into())
        .ok()
        .and_then(|message| message.as_string())
        .unwrap_or_else(|| format!("{error:?}"))
}
