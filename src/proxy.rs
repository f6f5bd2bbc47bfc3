//! On to the origin and back: bodies are streamed, upgrades are passed through, and only the headers change, as
//! [`rewrite`](crate::rewrite) says. Most responses go back untouched.

use anteroom_queue::board::Stock;
use anteroom_queue::units::UnixMillis;
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Headers, RequestInit, RequestRedirect, Response, ResponseInit};
use worker::js_sys;
use worker::js_sys::futures::JsFuture;

use crate::answer::Answer;
use crate::cookies;
use crate::credentials;
use crate::headers;
use crate::incoming::Incoming;
use crate::page::refused;
use crate::page::view::split_refresh;
use crate::platform;
use crate::problem::Problem;
use crate::references;
use crate::rewrite::{
    COMMAND_HEADER, Command, FOR_SHARED_CACHES, Names, OUR_PREFIX, PASS_HEADER, command,
    is_for_the_edge, is_of_a_preflight,
};
use crate::stock::{self, STOCK_HEADER, Unreadable};
use crate::visit::Visit;
use crate::way_back::without_cookies_off;

/// What the origin answered.
pub struct FromOrigin {
    response: Response,
    status: u16,
    names: Option<Names>,
    present: Vec<String>,
    /// What it asks for about the session.
    pub command: Option<Command>,
    /// What it says is left to sell; `Unreadable` is for the log.
    pub stock: Option<Result<Stock, Unreadable>>,
}

/// How much of a visitor's request goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// All of it, with this pass if there is one.
    Whole(Option<&'a str>),
    /// What belongs to a preflight.
    Preflight,
}

/// Sends the visitor's request on. `base`: the origin's scheme and authority; `None`: the request goes on unchanged.
pub async fn send(
    visit: &Visit,
    base: Option<&str>,
    part: Part<'_>,
) -> Result<FromOrigin, JsValue> {
    let names = base.map(|base| Names::new(base, &visit.incoming));
    let target = match &names {
        Some(names) => Some(names.target(&path_and_query(&visit.incoming))),
        None => without_switches(&visit.incoming),
    };
    let request = &visit.request;
    let onward = match (target, part) {
        (None, Part::Whole(_)) => web_sys::Request::new_with_request(request)?,
        (Some(target), Part::Whole(_)) => {
            web_sys::Request::new_with_str_and_init(&target, request.unchecked_ref())?
        }
        (target, Part::Preflight) => {
            let target = target.unwrap_or_else(|| request.url());
            web_sys::Request::new_with_str_and_init(&target, &without_body(request))?
        }
    };
    prepare(&onward.headers(), &visit.incoming, names.is_some(), part)?;
    let global: web_sys::WorkerGlobalScope = js_sys::global().unchecked_into();
    let response: Response = JsFuture::from(global.fetch_with_request(&onward))
        .await?
        .unchecked_into();
    let status = response.status();
    if !is_an_answer(status) {
        return Err(format!("the origin answers with status {status}").into());
    }
    let answered = response.headers();
    let present = headers::names(&answered);
    let value = |wanted| {
        let is_present = present.iter().any(|name| name == wanted);
        is_present
            .then(|| headers::get(&answered, wanted))
            .flatten()
    };
    let (asked, stock) = (value(COMMAND_HEADER), value(STOCK_HEADER));
    let date = stock.as_ref().and_then(|_| value("date"));
    let stock = stock.map(|stock| stock::read(&stock, date.and_then(instant_of), platform::now()));
    Ok(FromOrigin {
        command: asked.as_deref().and_then(command),
        stock,
        response,
        status,
        names,
        present,
    })
}

/// Whether a final answer has such a status (<https://www.rfc-editor.org/rfc/rfc9110#section-15>), or one that upgrades.
fn is_an_answer(status: u16) -> bool {
    status == 101 || (200..600).contains(&status)
}

/// The instant of a `Date` header; the platform reads the forms that HTTP allows.
fn instant_of(date: String) -> Option<UnixMillis> {
    let millis = js_sys::Date::parse(&date);
    (millis >= 0.0).then_some(UnixMillis(millis as u64))
}

/// The asked address without the switches of our own page, if it has any.
fn without_switches(incoming: &Incoming) -> Option<String> {
    let path = path_and_query(incoming);
    (path != incoming.path_and_query()).then(|| format!("{}{path}", incoming.own_origin()))
}

/// The address for the origin: without the switches of our own page.
fn path_and_query(incoming: &Incoming) -> String {
    let (_, rest) = split_refresh(&incoming.path_and_query());
    let (_, rest) = refused::split(&rest);
    without_cookies_off(&rest)
}

fn without_body(request: &web_sys::Request) -> RequestInit {
    let init = RequestInit::new();
    init.set_method(&request.method());
    init.set_headers(&request.headers());
    init.set_redirect(RequestRedirect::Manual);
    init
}

/// Takes away what only the edge may say, and says it.
fn prepare(
    headers: &Headers,
    incoming: &Incoming,
    elsewhere: bool,
    part: Part<'_>,
) -> Result<(), JsValue> {
    for name in headers::names(headers) {
        let name = name.as_str();
        if is_for_the_edge(name) || part == Part::Preflight && !is_of_a_preflight(name) {
            headers.delete(name)?;
        } else if name == "cookie" {
            set_less(headers, "cookie", cookies::without_ours(incoming.cookie()))?;
        } else if name == "authorization" {
            let came = incoming.header("authorization").unwrap_or_default();
            set_less(headers, "authorization", credentials::without_ours(&came))?;
        }
    }
    if let Part::Whole(Some(pass)) = part {
        headers::set(headers, PASS_HEADER, pass)?;
    }
    if elsewhere {
        headers::set(headers, "x-forwarded-host", &incoming.authority)?;
        let scheme = if incoming.secure { "https" } else { "http" };
        headers::set(headers, "x-forwarded-proto", scheme)?;
        if let Some(address) = incoming.header("cf-connecting-ip") {
            headers::set(headers, "x-forwarded-for", &address)?;
        }
    }
    Ok(())
}

/// Puts what is `left` of a header in its place. `None`: it stays as it came, to the byte.
fn set_less(headers: &Headers, name: &'static str, left: Option<String>) -> Result<(), JsValue> {
    match left {
        None => Ok(()),
        Some(left) if left.is_empty() => headers::delete(headers, name),
        Some(left) => headers::set(headers, name, &left),
    }
}

impl FromOrigin {
    /// The origin's status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The response for the visitor, with what the edge adds. A response that carries a cookie or a pass of ours is for
    /// this visitor only.
    pub fn into_response(
        self,
        cookies: &[String],
        pass: Option<&str>,
    ) -> Result<Response, JsValue> {
        let ours: Vec<&String> = self
            .present
            .iter()
            .filter(|name| name.starts_with(OUR_PREFIX))
            .collect();
        let changes = self.changes()?;
        let adds = !cookies.is_empty() || pass.is_some();
        if !adds && ours.is_empty() && changes == Changes::default() {
            return Ok(self.response);
        }
        let init: &ResponseInit = self.response.unchecked_ref();
        let response =
            Response::new_with_opt_readable_stream_and_init(self.response.body().as_ref(), init)?;
        let headers = response.headers();
        for name in ours {
            headers.delete(name)?;
        }
        for (name, address) in changes.addresses {
            headers::set(&headers, name, &address)?;
        }
        if let Some(set) = changes.cookies {
            headers::delete(&headers, "set-cookie")?;
            for cookie in set {
                headers::append(&headers, "set-cookie", &cookie)?;
            }
        }
        if adds {
            headers::set(&headers, "cache-control", "private, no-store")?;
            for name in FOR_SHARED_CACHES {
                headers::delete(&headers, name)?;
            }
        }
        for cookie in cookies {
            headers::append(&headers, "set-cookie", cookie)?;
        }
        if let Some(pass) = pass {
            headers::set(&headers, PASS_HEADER, pass)?;
        }
        Ok(response)
    }

    /// What a visitor may not see as the origin says it. Without `names` the origin has the asked host's name itself; its cookies
    /// may not be ours either. All else stays as it came, to the byte: what is read here has no byte left that is no UTF-8.
    fn changes(&self) -> Result<Changes, JsValue> {
        let headers = self.response.headers();
        let mut changes = Changes::default();
        if let Some(names) = &self.names {
            for (name, form) in self
                .present
                .iter()
                .filter_map(|name| references::holding(name))
            {
                let came = headers::get(&headers, name).unwrap_or_default();
                if let Some(seen) = references::as_seen(form, &came, names) {
                    changes.addresses.push((name, seen));
                }
            }
        }
        if self.present.iter().any(|name| name == "set-cookie") {
            let came = set_cookies(&headers)?;
            let theirs = came.iter().filter(|cookie| !cookies::sets_ours(cookie));
            let as_seen = |cookie: &String| match &self.names {
                Some(names) => names.set_cookie(cookie),
                None => cookie.clone(),
            };
            let set: Vec<String> = theirs.map(as_seen).collect();
            changes.cookies = (set != came).then_some(set);
        }
        Ok(changes)
    }
}

/// What changes in an origin's response.
#[derive(Debug, Default, PartialEq)]
struct Changes {
    /// Headers that hold an address, with what they say then.
    addresses: Vec<(&'static str, String)>,
    /// All cookies that are set, if any of them changes.
    cookies: Option<Vec<String>>,
}

/// Each `Set-Cookie` by itself; a plain read joins them.
fn set_cookies(headers: &Headers) -> Result<Vec<String>, JsValue> {
    let method: js_sys::Function =
        js_sys::Reflect::get(headers, &"getSetCookie".into())?.unchecked_into();
    let list: js_sys::Array = method.call0(headers)?.unchecked_into();
    Ok(list
        .iter()
        .filter_map(|cookie| cookie.as_string())
        .collect())
}

/// The answer while the origin cannot be reached. `is_inside`: a pass came, or was made, and is kept.
pub fn origin_away(wants_page: bool, is_inside: bool) -> Answer {
    let kept = if is_inside { INSIDE } else { "" };
    let answer = if wants_page {
        let page = ORIGIN_AWAY_PAGE.replace("{kept}", kept);
        Answer::text(502, "text/html; charset=utf-8", page)
    } else {
        Problem::new(502, "origin-away", "the shop does not answer; try again")
            .and("is_inside", json!(is_inside))
            .into()
    };
    answer.with("retry-after", ORIGIN_RETRY_SECONDS.to_string())
}

const ORIGIN_RETRY_SECONDS: u32 = 5;
const ORIGIN_AWAY_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"robots\" content=\"noindex\">\
    <title>The shop does not answer</title><h1>The shop does not answer right now</h1>\
    <p>{kept}Please load this page again in a few seconds.</p>";
const INSIDE: &str = "You are still let in. ";
