//! What the edge is measured against: Workers in Rust that do next to nothing, made with the same tools and with the
//! platform's own types, as the room's.
//!
//! - `hello` answers with a word.
//! - `proxy` sends the request on as it came.
//! - `nothing` asks an object that stores nothing.
//!
//! Which of them it is, the variable `KIND` says; it is read once, as the room reads its configuration.

use std::cell::OnceCell;

use wasm_bindgen::JsCast;
use web_sys::Response;
use worker::js_sys;
use worker::js_sys::futures::JsFuture;
use worker::{Context, Env, event};

/// The binding of the objects that store nothing.
const OBJECT: &str = "NOTHING";

#[derive(Clone, Copy)]
enum Kind {
    Hello,
    Proxy,
    Nothing,
}

thread_local! {
    static KIND: OnceCell<Kind> = const { OnceCell::new() };
}

fn kind(env: &Env) -> Kind {
    let read = || match env.var("KIND").map(|kind| kind.to_string()).as_deref() {
        Ok("proxy") => Kind::Proxy,
        Ok("nothing") => Kind::Nothing,
        _ => Kind::Hello,
    };
    KIND.with(|cell| *cell.get_or_init(read))
}

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, _context: Context) -> worker::Result<Response> {
    match kind(&env) {
        Kind::Hello => Ok(Response::new_with_opt_str(Some("hello"))?),
        Kind::Proxy => {
            let global: web_sys::WorkerGlobalScope = js_sys::global().unchecked_into();
            let answer = JsFuture::from(global.fetch_with_request(&request)).await?;
            Ok(answer.unchecked_into())
        }
        Kind::Nothing => {
            let stub = env.durable_object(OBJECT)?.get_by_name("nothing")?;
            let answer = stub.fetch_with_request(request.into()).await?;
            Ok(answer.into())
        }
    }
}

/// The class has to be written in a module of its own: what the macro makes has no documentation.
mod nothing {
    #![allow(missing_docs)]
    use worker::{DurableObject, Env, Request, Response, Result, State, durable_object};

    /// An object that reads what it is sent and answers it, and stores nothing.
    #[durable_object]
    pub struct Nothing {}

    impl DurableObject for Nothing {
        fn new(_state: State, _env: Env) -> Self {
            Self {}
        }

        async fn fetch(&self, mut request: Request) -> Result<Response> {
            let sent = request.bytes().await?;
            Response::from_bytes(sent)
        }
    }
}
pub use nothing::Nothing;
