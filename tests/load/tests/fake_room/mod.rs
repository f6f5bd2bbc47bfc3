//! A small room with a scripted queue, on a free port of this machine. It keeps all promises, or
//! breaks exactly one.

mod certificate;
mod queue;

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, COOKIE, SET_COOKIE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

pub use certificate::self_signed;
pub use queue::{Misbehaviour, Queue};

/// What the room answers: status, state, JSON, cookies to set.
pub struct Reply {
    pub status: u16,
    pub body: Value,
    pub cookies: Vec<String>,
}

impl Reply {
    pub fn new(status: u16, body: Value) -> Self {
        Self {
            status,
            body,
            cookies: Vec::new(),
        }
    }

    pub fn with_cookie(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.cookies.push(format!(
            "wr-{name}-demo-1={value}; Path=/; HttpOnly; Max-Age=600"
        ));
        self
    }
}

/// Starts the room within the running `LocalSet`, over TLS with an acceptor; gives its `host:port`.
pub async fn start(queue: Queue, tls: Option<TlsAcceptor>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let queue = Rc::new(RefCell::new(queue));
    tokio::task::spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (queue, tls) = (Rc::clone(&queue), tls.clone());
            tokio::task::spawn_local(async move {
                match tls {
                    None => serve(queue, stream).await,
                    Some(tls) => {
                        // Who does not trust the certificate goes away.
                        if let Ok(stream) = tls.accept(stream).await {
                            serve(queue, stream).await;
                        }
                    }
                }
            });
        }
    });
    authority
}

async fn serve(queue: Rc<RefCell<Queue>>, stream: impl AsyncRead + AsyncWrite + Unpin + 'static) {
    let service = service_fn(move |request| answer(Rc::clone(&queue), request));
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(
    queue: Rc<RefCell<Queue>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map(|body| body.to_bytes())
        .unwrap_or_default();
    let cookies = head
        .headers
        .get(COOKIE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let cookie = |name: &str| {
        let wanted = format!("wr-{name}-demo-1=");
        cookies
            .split("; ")
            .find_map(|pair| pair.strip_prefix(wanted.as_str()))
            .and_then(|value| value.parse::<usize>().ok())
    };
    let mut queue = queue.borrow_mut();
    queue.advance();
    let (ticket, pass) = (cookie("ticket"), cookie("pass"));
    let path = head.uri.path();
    let Some(what) = path.strip_prefix("/_wr/queues/demo") else {
        return Ok(page(&mut queue, cookie("permit"), pass));
    };
    let reply = match (&head.method, what) {
        (&Method::GET, "") => Reply::new(200, queue.board()),
        (&Method::POST, "/permits") => {
            Reply::new(201, json!({"permit": queue.permit().to_string()}))
        }
        (&Method::POST, "/tickets") => {
            let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
            let permit = asked["permit"]
                .as_str()
                .and_then(|permit| permit.parse().ok());
            permit.map_or(Reply::new(400, json!({"title": "no permit"})), |permit| {
                queue.join(permit)
            })
        }
        (&Method::GET, "/tickets/me") => Reply::new(200, queue.state(ticket)),
        (&Method::DELETE, "/tickets/me") => queue.leave(ticket),
        (&Method::POST, "/tickets/me/pass") => queue.claim(ticket),
        (&Method::DELETE, "/tickets/me/pass") => queue.give_back(pass),
        _ => Reply::new(404, json!({"title": "not here"})),
    };
    let mut response = Response::builder()
        .status(reply.status)
        .header("waiting-room-state", "none");
    for cookie in reply.cookies {
        response = response.header(SET_COOKIE, cookie);
    }
    if queue.closes_connections() {
        response = response.header(CONNECTION, "close");
    }
    Ok(response
        .body(Full::new(reply.body.to_string().into()))
        .unwrap())
}

fn page(queue: &mut Queue, permit: Option<usize>, pass: Option<usize>) -> Response<Full<Bytes>> {
    if pass.is_some_and(|pass| queue.lets_in(pass)) {
        return Response::new(Full::new("the shop".into()));
    }
    let permit = permit.unwrap_or_else(|| queue.permit());
    let data = json!({"permit": permit.to_string(), "prefix": "/_wr", "event": "demo"});
    let html = format!(
        "<!doctype html><title>Queue</title><script type=\"application/json\" id=\"room\">{data}</script>"
    );
    Response::builder()
        .status(503)
        .header("waiting-room-state", "none")
        .header(SET_COOKIE, format!("wr-permit-demo-1={permit}; Path=/"))
        .body(Full::new(html.into()))
        .unwrap()
}
