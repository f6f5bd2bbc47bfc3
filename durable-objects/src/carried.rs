//! How the bytes of a message get to an object and back: a short call in a header, and its answer in one too; what is longer
//! as the bodies of a `POST` and of its answer.
//!
//! Reading a body is a wait for the platform on each side, for a few dozen bytes that are there already: two of the four waits
//! of a join. An object answers the way it was asked, so an older edge gets what it reads. An older object takes a call in a
//! header for an empty one and refuses it, which changes nothing: it is asked again with a body.

use base64ct::{Base64Unpadded, Encoding};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::js_sys::{Promise, Uint8Array};
use worker::wasm_bindgen_futures::JsFuture;
use worker::web_sys::{Request, RequestInit, Response};
use worker::worker_sys::DurableObject as Stub;

use crate::refusal::UNREADABLE;
use crate::wire::ADDRESS;

// One crossing for each, with nothing but the message: to hand over the names of headers and to make a request before it is
// sent costs as much as a group's share of a commit.
//
// The platform leaves headers out of its logs whose names say that they are secret, and a call holds the number that a place
// is known by: <https://developers.cloudflare.com/workers/runtime-apis/handlers/tail/#tailrequest>.
#[wasm_bindgen(inline_js = "
// The names are read by objects and edges of other versions; the address is `wire::ADDRESS`.
const CALL = 'anteroom-secret-call';
const ANSWER = 'anteroom-answer';
export const sent_in_header = (stub, text) => stub.fetch('http://object/', { headers: { [CALL]: text } });
export const call_in_header = (request) => request.headers.get(CALL);
export const response_with_header = (text) => new Response(null, { headers: { [ANSWER]: text } });
export const answer_in_header = (response) => response.headers.get(ANSWER);
")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn sent_in_header(stub: &Stub, text: &str) -> Result<Promise, JsValue>;
    fn call_in_header(request: &Request) -> Option<String>;
    fn response_with_header(text: &str) -> Response;
    fn answer_in_header(response: &Response) -> Option<String>;
}

/// The longest message in a header, in bytes before it is written as text: a board of several lines with a draw each. All
/// headers together may have 128 kB: <https://developers.cloudflare.com/workers/platform/limits/#request-and-response-limits>.
const MOST_IN_HEADER: usize = 8 * 1_024;

/// How a message was carried, and its answer will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// In a header.
    Header,
    /// As a body.
    Body,
}

impl Carried {
    /// How a call is carried at first.
    pub fn first(call: &[u8]) -> Self {
        match call.len() <= MOST_IN_HEADER {
            true => Carried::Header,
            false => Carried::Body,
        }
    }

    /// How a call is carried again that was refused with `status`: by an object that reads no headers, perhaps.
    pub fn again(self, status: u16) -> Option<Self> {
        (self == Carried::Header && status == UNREADABLE).then_some(Carried::Body)
    }

    /// Sends `call`; the promise is of a [`Response`].
    ///
    /// # Errors
    /// What the platform says.
    pub fn send(self, stub: &Stub, call: &[u8]) -> Result<Promise, JsValue> {
        if self == Carried::Header {
            return sent_in_header(stub, &Base64Unpadded::encode_string(call));
        }
        let init = RequestInit::new();
        init.set_method("POST");
        init.set_body(&Uint8Array::from(call));
        stub.fetch_with_request(&Request::new_with_str_and_init(ADDRESS, &init)?)
    }

    /// The response that carries `answer`.
    ///
    /// # Errors
    /// What the platform says.
    pub fn response(self, answer: &mut [u8]) -> Result<Response, JsValue> {
        if self == Carried::Header && answer.len() <= MOST_IN_HEADER {
            return Ok(response_with_header(&Base64Unpadded::encode_string(answer)));
        }
        Response::new_with_opt_u8_array(Some(answer))
    }
}

/// The call that a request carries in a header, if it does; one that cannot be read is empty.
pub fn call_of(request: &Request) -> Option<Vec<u8>> {
    let text = call_in_header(request)?;
    Some(Base64Unpadded::decode_vec(&text).unwrap_or_default())
}

/// The answer that a response carries.
///
/// # Errors
/// What the platform says when the body breaks off.
pub async fn answer_of(response: &Response) -> Result<Vec<u8>, JsValue> {
    if let Some(text) = answer_in_header(response) {
        return Base64Unpadded::decode_vec(&text)
            .map_err(|_| JsValue::from_str("an answer that is no message"));
    }
    // All at once: a reader of the stream is asked piece by piece.
    let buffer = JsFuture::from(response.array_buffer()?).await?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// The call that a request carries as its body.
///
/// # Errors
/// What the platform says when it breaks off.
pub async fn body_of(request: &Request) -> Result<Vec<u8>, JsValue> {
    let buffer = JsFuture::from(request.array_buffer()?).await?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_call_is_carried_in_a_header_and_a_long_one_as_a_body() {
        assert_eq!(Carried::first(&[0; MOST_IN_HEADER]), Carried::Header);
        assert_eq!(Carried::first(&[0; MOST_IN_HEADER + 1]), Carried::Body);
    }

    #[test]
    fn only_what_could_not_be_read_in_a_header_is_sent_again() {
        for (carried, status, again) in [
            (Carried::Header, UNREADABLE, Some(Carried::Body)),
            (Carried::Header, 409, None),
            (Carried::Header, 200, None),
            (Carried::Body, UNREADABLE, None),
        ] {
            assert_eq!(carried.again(status), again, "{carried:?} {status}");
        }
    }
}
