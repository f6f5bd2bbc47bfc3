//! Headers of the platform's, read and written by names that are strings of its own already.

use anteroom_durable_objects::literals::with_literal;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Headers;
use worker::js_sys::JsString;

#[wasm_bindgen(
    inline_js = "export const lines_of_names = (headers) => { let lines = ''; headers.forEach((_, name) => { lines += name + '\\n'; }); return lines; };"
)]
extern "C" {
    // An iterator of the platform's takes four times as long.
    fn lines_of_names(headers: &Headers) -> String;

    type Named;
    #[wasm_bindgen(method)]
    fn get(this: &Named, name: &JsString) -> Option<String>;
    #[wasm_bindgen(method, catch)]
    fn set(this: &Named, name: &JsString, value: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn append(this: &Named, name: &JsString, value: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn delete(this: &Named, name: &JsString) -> Result<(), JsValue>;
}

/// What the platform reads for bytes of a value that are no UTF-8; which ones they were is lost
/// (<https://github.com/cloudflare/workerd/issues/6927>). Only a value that is not written anew keeps them.
pub const UNREADABLE: char = char::REPLACEMENT_CHARACTER;

/// The header of this name; several of one name come joined by commas.
pub fn get(headers: &Headers, name: &'static str) -> Option<String> {
    with_literal(name, |name| headers.unchecked_ref::<Named>().get(name))
}

/// In place of what this header says. An error: the value is none that a header may have.
pub fn set(headers: &Headers, name: &'static str, value: &str) -> Result<(), JsValue> {
    with_literal(name, |name| {
        headers.unchecked_ref::<Named>().set(name, value)
    })
}

/// Beside what this header says. An error: the value is none that a header may have.
pub fn append(headers: &Headers, name: &'static str, value: &str) -> Result<(), JsValue> {
    with_literal(name, |name| {
        headers.unchecked_ref::<Named>().append(name, value)
    })
}

/// Takes this header away. An error: these headers are the platform's own and stay as they are.
pub fn delete(headers: &Headers, name: &'static str) -> Result<(), JsValue> {
    with_literal(name, |name| headers.unchecked_ref::<Named>().delete(name))
}

/// The lower-case names of all headers, in one crossing; one for each cookie that is set.
pub fn names(headers: &Headers) -> Vec<String> {
    lines_of_names(headers).lines().map(str::to_owned).collect()
}
