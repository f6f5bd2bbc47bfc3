//! What every answer of ours says to browsers unless its route says something else: pages, scripts, documents, problems
//! and redirects alike. An origin's responses are the origin's own and get none of this.
//!
//! - Nothing is loaded, run, sent or framed: a route that answers a page says what that page needs ([`crate::page::policy`]).
//! - The type is what it is called, other sites' pages load nothing of ours, and, where there is something that could do it,
//!   addresses go to no other site and no device is asked for: data does neither, and is what is answered most.
//! - Nothing is stored: what may be kept, for how long, is said where it is answered.
//!
//! Two headers are deliberately absent. `Strict-Transport-Security` holds for the whole host, and perhaps its subdomains,
//! long after the last event, and cannot be taken back: only who owns the host can say it. `Cross-Origin-Opener-Policy`
//! stands on the small pages only ([`crate::routes::sheet`]): the queue page is shown at the shop's own addresses, and a
//! payment window that meets it for a moment would lose its way back to the page that opened it.

use wasm_bindgen::JsValue;
use web_sys::Headers;

use crate::headers;

/// For what is no page: nothing of it is ever run or framed.
pub const NO_PAGE_POLICY: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Types of data.
const DATA: [&str; 2] = ["application/json", "application/problem+json"];

/// Those that the queue page does without and every browser knows. Sound, clipboard and the screen's wakefulness it uses.
const NO_DEVICES: &str =
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";

/// Each with what it says, whatever is answered.
const OF_EVERYTHING: [(&str, &str); 4] = [
    ("cache-control", "no-store"),
    ("content-security-policy", NO_PAGE_POLICY),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
];

/// Of everything but data: of what has links, goes elsewhere, asks for something itself or for a device.
const OF_MORE_THAN_DATA: [(&str, &str); 2] = [
    ("permissions-policy", NO_DEVICES),
    ("referrer-policy", "same-origin"),
];

/// The house headers of an answer of this type, each with what it says.
pub fn of_type(content_type: Option<&str>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_data = content_type.is_some_and(|is| DATA.iter().any(|data| is.starts_with(data)));
    let more = OF_MORE_THAN_DATA.iter().filter(move |_| !is_data);
    OF_EVERYTHING.iter().chain(more).copied()
}

/// Headers of the platform's that hold all of them.
pub fn made(content_type: Option<&str>) -> Result<Headers, JsValue> {
    let headers = Headers::new()?;
    for (name, value) in of_type(content_type) {
        headers::set(&headers, name, value)?;
    }
    Ok(headers)
}

/// Whether this lower-case name is one of theirs, which is said once.
pub fn has(name: &str) -> bool {
    let mut all = OF_EVERYTHING.iter().chain(&OF_MORE_THAN_DATA);
    all.any(|(house, _)| *house == name)
}
