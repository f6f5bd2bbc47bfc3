//! Sockets of pages that listen to a shard. The platform keeps them while the object sleeps; what is said to them is the
//! shard's own, in `push.rs`.

use std::rc::Rc;

use anteroom_queue::units::Millis;
use wasm_bindgen::{JsCast, JsValue};
use worker::js_sys::{Function, Promise, Reflect};
use worker::web_sys::{self, Request};
use worker::{Response, WebSocket, WebSocketPair};

use crate::carried::Carried;
use crate::instance::{Driven, wake};
use crate::object::{Class, Shell};
use crate::opening::Known;
use crate::platform;
use crate::push::{Listeners, REST, SLICE};
use crate::refusal::{Refusal, response};

/// A socket is asked for at this address and what [`address`] writes behind it.
const ADDRESS: &str = "http://object/sockets/";

/// The close code for a page that says something: nobody listens to it (RFC 6455, section 7.4.1: a policy is violated).
const POLICY: u16 = 1008;
/// The close code when the run is over and deleted: the other side goes away.
const AWAY: u16 = 1001;

/// Sockets of one place, so that nobody takes the room of others: a few devices and tabs. One more listens to the stream.
const MOST_OF_A_PLACE: usize = 4;

/// The address at which a shard gives out a socket for the page of a place, with a `GET` and `Upgrade: websocket`.
pub fn address(event: &str, run: u32, shard: u16, place: u32) -> String {
    format!("{ADDRESS}{event}/{run}/{shard}/{place}")
}

/// Which shard an address means, and which of its places; `None`: it is not one of a socket.
fn meant(address: &str) -> Option<(Known, u32)> {
    let mut pieces = address.strip_prefix(ADDRESS)?.split('/');
    let known = Known {
        event: pieces.next()?.to_owned(),
        run: pieces.next()?.parse().ok()?,
        shard: Some(pieces.next()?.parse().ok()?),
    };
    let place = pieces.next()?.parse().ok()?;
    pieces.next().is_none().then_some((known, place))
}

/// What answers a request for a socket; `None`: it asks for something else.
pub fn given<C: Class>(shell: &Rc<Shell<C>>, request: &Request) -> Option<JsValue> {
    let (meant, place) = meant(&request.url())?;
    Some(match shell.greeting(&meant) {
        Ok(greeting) => match open(shell, place, greeting) {
            Ok(given) => given,
            Err(error) => Promise::reject(&error.into()).into(),
        },
        Err(refusal) => response(Carried::Body, Err(refusal)),
    })
}

fn open<C: Class>(
    shell: &Rc<Shell<C>>,
    place: u32,
    greeting: Option<String>,
) -> worker::Result<JsValue> {
    let place = place.to_string();
    if shell.instance().sockets_of(&place).len() >= MOST_OF_A_PLACE {
        return Ok(response(Carried::Body, Err(Refusal::busy())));
    }
    let WebSocketPair { client, server } = WebSocketPair::new()?;
    shell.instance().accept(&server, &place);
    if let Some(word) = greeting {
        server.send_with_str(word)?;
    }
    shell.about_listeners(Listeners::come);
    wake(shell);
    Ok(web_sys::Response::from(Response::from_websocket(client)?).into())
}

/// A round to all, slice by slice, from `word` on. A word is handed to the platform once for a slice: for each socket anew it
/// would take half of the time.
pub async fn tell<C: Class>(shell: &Rc<Shell<C>>, mut word: String) {
    let sockets = shell.instance().sockets();
    shell.about_listeners(|listeners| listeners.are(sockets.len()));
    let Some(send) = sockets.first().and_then(how_to_send) else {
        return;
    };
    let (mut told, mut rest) = (0, REST);
    loop {
        let said = JsValue::from_str(&word);
        for socket in sockets[told..].iter().take(SLICE) {
            // One that is gone is not counted the next time.
            let _ = send.call1(socket.as_ref(), &said);
        }
        told += SLICE;
        if told >= sockets.len() {
            return;
        }
        platform::sleep(rest).await;
        match shell.next_word() {
            None => return,
            Some(next) if next.anew => (word, told, rest) = (next.word, 0, Millis(0)),
            Some(next) => word = next.word,
        }
    }
}

/// The platform's own function, which all sockets share.
fn how_to_send(socket: &WebSocket) -> Option<Function> {
    Reflect::get(socket.as_ref(), &"send".into())
        .ok()?
        .dyn_into()
        .ok()
}

/// A page has said something.
pub fn hears(socket: &web_sys::WebSocket) {
    let _ = socket.close_with_code_and_reason(POLICY, "nothing is to be said here");
}

/// A page has closed its end.
pub fn is_closed(socket: &web_sys::WebSocket) {
    let _ = socket.close();
}

/// The run is over: nothing will be said any more.
pub fn close_all(sockets: &[WebSocket]) {
    for socket in sockets {
        let _ = socket.close(Some(AWAY), Some("the run is over"));
    }
}

/// The refusal of an object that nobody can listen to.
pub fn refused() -> Refusal {
    Refusal::not_mine("ask", "a socket", "none to give")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_one_shard_and_nothing_else_is_one() {
        let (known, place) = meant(&address("on-sale", 3, 124, 70_000)).unwrap();
        let Known { event, run, shard } = known;
        assert_eq!(
            (&*event, run, shard, place),
            ("on-sale", 3, Some(124), 70_000)
        );
        for other in [
            "http://object/",
            "http://object/sockets/",
            "http://object/sockets/on-sale/3/124",
            "http://object/sockets/on-sale/3/124/5/6",
            "http://object/sockets/on-sale/3/65536/5",
            "http://object/sockets/on-sale/-1/2/5",
            "http://other/sockets/on-sale/3/124/5",
        ] {
            assert!(meant(other).is_none(), "{other}");
        }
    }
}
