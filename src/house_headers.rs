//! What every answer of ours says to browsers unless its route says something else: pages, scripts, documents, problems
//! and redirects alike. An origin's responses are the origin's own and get none of this.
//!
//! - Nothing is loaded, run, sent or framed: a route that answers a page says what that page needs ([`crate::page::policy`]).
//! - The type is what it is called, addresses go to no other site, other sites' pages load nothing of ours, and no device
//!   is asked for.
//! - Nothing is stored: what may be kept, for how long, is said where it is answered.
//!
//! Two headers are deliberately absent. `Strict-Transport-Security` holds for the whole host, and perhaps its subdomains,
//! long after the last event, and cannot be taken back: only who owns the host can say it. `Cross-Origin-Opener-Policy`
//! stands on the small pages only ([`crate::routes::sheet`]): the queue page is shown at the shop's own addresses, and a
//! payment window that meets it for a moment would lose its way back to the page that opened it.

use wasm_bindgen::JsValue;
use web_sys::Headers;

/// For what is no page: nothing of it is ever run or framed.
pub const NO_PAGE_POLICY: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Those that the queue page does without and every browser knows. Sound, clipboard and the screen's wakefulness it uses.
const NO_DEVICES: &str =
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";

/// Each with what it says.
pub const HOUSE_HEADERS: [(&str, &str); 6] = [
    ("cache-control", "no-store"),
    ("content-security-policy", NO_PAGE_POLICY),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", NO_DEVICES),
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
];

thread_local! {
    /// All of them, made once an isolate: a copy of the whole costs about as much as one header that is put in.
    static MADE: Result<Headers, JsValue> = made();
}

fn made() -> Result<Headers, JsValue> {
    let headers = Headers::new()?;
    for (name, value) in HOUSE_HEADERS {
        headers.set(name, value)?;
    }
    Ok(headers)
}

/// Headers of the platform's that hold all of them.
pub fn with_house_headers() -> Result<Headers, JsValue> {
    MADE.with(|made| Headers::new_with_headers(made.as_ref().map_err(Clone::clone)?))
}

/// What is said under this lower-case name.
pub fn house_header(name: &str) -> Option<&'static str> {
    let found = HOUSE_HEADERS.iter().find(|(house, _)| *house == name);
    found.map(|(_, value)| *value)
}
