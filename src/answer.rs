//! An answer of the waiting room itself, as plain data until the last moment: handlers make it, tests read it, and
//! [`Answer::into_response`] is the only place that turns it into the platform's response.

use std::cell::RefCell;

use wasm_bindgen::JsValue;
use web_sys::{Headers, ReadableStream, Response, ResponseInit, WebSocket};
use worker::js_sys;

use crate::{headers, house_headers};

/// Headers that say the same to many visitors. What an answer says in them is handed to the platform once and kept: putting a
/// header in costs as much as a signature.
const SAID_TO_MANY: [&str; 6] = [
    "content-type",
    "cross-origin-resource-policy",
    "retry-after",
    "vary",
    "waiting-room-state",
    "x-robots-tag",
];

/// So many combinations of them are kept, and with more, all are made anew: statuses, states and some seconds.
const MOST_KEPT: usize = 64;

/// A status with headers that are said to many, as the platform takes them.
struct Kept {
    status: u16,
    said: Vec<(&'static str, String)>,
    init: ResponseInit,
}

thread_local! {
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// The body of an answer.
pub enum Body {
    /// None.
    Empty,
    /// Text in UTF-8.
    Text(String),
    /// Bytes that were compiled in.
    Bytes(&'static [u8]),
    /// What arrives over time.
    Stream(ReadableStream),
    /// A WebSocket.
    Socket(WebSocket),
}

/// A status, headers and a body. What it does not say itself the [house headers](crate::house_headers) say, `no-store` among them.
pub struct Answer {
    /// The status code.
    pub status: u16,
    headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Body,
}

impl Answer {
    /// An answer without a body.
    pub fn empty(status: u16) -> Self {
        Answer {
            status,
            headers: Vec::new(),
            body: Body::Empty,
        }
    }

    /// A text of the given type.
    pub fn text(status: u16, content_type: &'static str, text: String) -> Self {
        let answer = Answer {
            body: Body::Text(text),
            ..Answer::empty(status)
        };
        answer.with("content-type", content_type)
    }

    /// Bytes that were compiled in, of the given type.
    pub fn bytes(content_type: &'static str, bytes: &'static [u8]) -> Self {
        Answer {
            body: Body::Bytes(bytes),
            ..Answer::empty(200)
        }
        .with("content-type", content_type)
    }

    /// What arrives over time, of the given type.
    pub fn stream(content_type: &'static str, stream: ReadableStream) -> Self {
        Answer {
            body: Body::Stream(stream),
            ..Answer::empty(200)
        }
        .with("content-type", content_type)
    }

    /// A WebSocket.
    pub fn socket(socket: WebSocket) -> Self {
        Answer {
            body: Body::Socket(socket),
            ..Answer::empty(101)
        }
    }

    /// A JSON document.
    pub fn json(status: u16, document: &impl serde::Serialize) -> Self {
        let text = serde_json::to_string(document).expect("plain data becomes JSON");
        Answer::text(status, "application/json", text)
    }

    /// To another address, which the visitor fetches with GET.
    pub fn see_other(location: &str) -> Self {
        Answer::empty(303).with("location", location)
    }

    /// With a header, which replaces one of the same name. Only `set-cookie` and `vary` stand as often as they are said:
    /// what an answer depends on, several parts of the room know.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if !["set-cookie", "vary"].contains(&name) {
            self.headers.retain(|(present, _)| *present != name);
        }
        self.headers.push((name, value.into()));
        self
    }

    /// With cookies.
    pub fn with_cookies(self, cookies: impl IntoIterator<Item = String>) -> Self {
        cookies
            .into_iter()
            .fold(self, |answer, cookie| answer.with("set-cookie", cookie))
    }

    /// The cookies.
    pub fn cookies(&self) -> impl Iterator<Item = &str> {
        self.all("set-cookie")
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers
            .iter()
            .filter(move |(present, _)| *present == name)
            .map(|(_, value)| value.as_str())
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.all(name).next().or_else(|| {
            let mut house = house_headers::of_type(self.all("content-type").next());
            house.find_map(|(house, value)| (house == name).then_some(value))
        })
    }

    /// The platform's response. `head_only`: without the body, as HEAD is answered.
    pub fn into_response(mut self, head_only: bool) -> Result<Response, JsValue> {
        let (said, own): (Vec<_>, Vec<_>) = core::mem::take(&mut self.headers)
            .into_iter()
            .partition(|(name, _)| SAID_TO_MANY.contains(name));
        let init = match self.body {
            Body::Socket(_) => init_with(self.status, &headers_with(&said)?),
            _ => kept(self.status, said)?,
        };
        let response = match self.body {
            Body::Text(text) if !head_only => with_bytes(text.into_bytes(), &init),
            Body::Bytes(bytes) if !head_only => with_bytes(bytes.to_vec(), &init),
            Body::Stream(stream) if !head_only => {
                Response::new_with_opt_readable_stream_and_init(Some(&stream), &init)
            }
            Body::Socket(socket) => {
                js_sys::Reflect::set(&init, &"webSocket".into(), socket.as_ref())?;
                Response::new_with_opt_str_and_init(None, &init)
            }
            _ => Response::new_with_opt_str_and_init(None, &init),
        }?;
        // The response has a copy of its own of what is kept.
        if !own.is_empty() {
            put_in(&response.headers(), &own)?;
        }
        Ok(response)
    }
}

/// The platform copies the bytes out of the module's own memory (<https://fetch.spec.whatwg.org/#concept-bodyinit-extract>):
/// no string and no array is made of them on the way there, which took a page half of all its time.
fn with_bytes(mut bytes: Vec<u8>, init: &ResponseInit) -> Result<Response, JsValue> {
    Response::new_with_opt_u8_array_and_init(Some(&mut bytes), init)
}

fn init_with(status: u16, headers: &Headers) -> ResponseInit {
    let init = ResponseInit::new();
    // What a response has anyway takes as long to say as to say something else.
    if status != 200 {
        init.set_status(status);
    }
    init.set_headers(headers);
    init
}

fn put_in(headers: &Headers, said: &[(&'static str, String)]) -> Result<(), JsValue> {
    for (name, value) in said {
        match house_headers::has(name) {
            true => headers::set(headers, name, value)?,
            false => headers::append(headers, name, value)?,
        }
    }
    Ok(())
}

fn headers_with(said: &[(&'static str, String)]) -> Result<Headers, JsValue> {
    let content_type = said.iter().find(|(name, _)| *name == "content-type");
    let headers = house_headers::made(content_type.map(|(_, value)| value.as_str()))?;
    put_in(&headers, said)?;
    Ok(headers)
}

/// What is kept of a status with these headers; made now if it is not there.
fn kept(status: u16, said: Vec<(&'static str, String)>) -> Result<ResponseInit, JsValue> {
    KEPT.with_borrow_mut(|all| {
        let known = all
            .iter()
            .find(|kept| kept.status == status && kept.said == said);
        if let Some(known) = known {
            return Ok(known.init.clone());
        }
        if all.len() >= MOST_KEPT {
            all.clear();
        }
        let init = init_with(status, &headers_with(&said)?);
        all.push(Kept {
            status,
            said,
            init: init.clone(),
        });
        Ok(init)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    #[test]
    fn nothing_may_be_stored_unless_its_route_says_so() {
        for (made_by, answer) in [
            ("empty", Answer::empty(204)),
            ("text", Answer::text(200, "text/plain", String::new())),
            ("bytes", Answer::bytes("image/png", &[])),
            ("json", Answer::json(200, &1)),
            ("see_other", Answer::see_other("/shop")),
            ("a problem", Problem::not_found().into()),
        ] {
            assert_eq!(
                answer.header("cache-control"),
                Some("no-store"),
                "{made_by}"
            );
            let kept = answer.with("cache-control", "private, max-age=1");
            assert_eq!(kept.header("cache-control"), Some("private, max-age=1"));
        }
    }

    #[test]
    fn whatever_is_answered_nothing_of_it_runs_or_is_framed_unless_its_route_says_so() {
        for answer in [
            Answer::empty(204),
            Answer::text(200, "text/plain", String::new()),
            Answer::bytes("image/png", &[]),
            Answer::json(200, &1),
            Answer::see_other("/shop"),
            Problem::not_found().into(),
        ] {
            for (name, value) in [
                ("content-security-policy", house_headers::NO_PAGE_POLICY),
                ("cross-origin-resource-policy", "same-origin"),
                ("x-content-type-options", "nosniff"),
            ] {
                assert_eq!(answer.header(name), Some(value));
            }
            let page = answer.with("content-security-policy", "default-src 'self'");
            assert_eq!(
                page.header("content-security-policy"),
                Some("default-src 'self'")
            );
        }
    }

    #[test]
    fn what_has_no_links_and_asks_for_no_device_says_nothing_of_them_and_all_else_does() {
        for (answer, says) in [
            (
                Answer::text(200, "text/html; charset=utf-8", String::new()),
                true,
            ),
            (Answer::bytes("text/javascript", &[]), true),
            (Answer::see_other("/shop"), true),
            (Answer::empty(204), true),
            (Answer::json(200, &1), false),
            (Problem::not_found().into(), false),
        ] {
            let content_type = answer.header("content-type").unwrap_or_default();
            for name in ["permissions-policy", "referrer-policy"] {
                assert_eq!(
                    answer.header(name).is_some(),
                    says,
                    "{name} of {content_type:?}"
                );
            }
        }
    }

    #[test]
    fn an_answer_depends_on_everything_that_is_said_of_it() {
        let answer = Answer::empty(200)
            .with("vary", "Accept, Accept-Language")
            .with("vary", "Origin");
        let all: Vec<&str> = answer.all("vary").collect();
        assert_eq!(all, ["Accept, Accept-Language", "Origin"]);
    }

    #[test]
    fn a_header_replaces_and_a_cookie_adds() {
        let answer = Answer::empty(200)
            .with("retry-after", "2")
            .with("retry-after", "3");
        let answer = answer.with_cookies(["a=1".to_owned(), "b=2".to_owned()]);
        assert_eq!(answer.header("retry-after"), Some("3"));
        assert_eq!(answer.cookies().count(), 2);
    }
}
