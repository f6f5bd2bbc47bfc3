//! A closed loop: so many connections, each of which sends its next request as soon as the last one is answered. What
//! it measures is how much a server can answer; how long visitors wait is for the open loop of [`crate::run`].
//!
//! The requests are made before the clock starts and are sent as they are, so that every server that is compared gets the
//! same bytes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{HOST, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::timeout_at;

use crate::percentiles::percentile;

/// An answer that takes longer counts as none.
const ANSWER_LIMIT: Duration = Duration::from_secs(15);

/// What is sent: one of these after the other, by whichever connection is free.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// Headers beside `Host`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body, if there is one.
    #[serde(default)]
    pub body: Option<String>,
}

/// How it is sent.
#[derive(Clone, Debug)]
pub struct Loop {
    /// `host:port`.
    pub authority: String,
    /// Path and query.
    pub path: String,
    /// The method of all requests.
    pub method: Method,
    /// Connections at the same time.
    pub connections: usize,
    /// For how long.
    pub duration: Duration,
    /// Each request is sent once, and the loop ends when they run out.
    pub once: bool,
    /// The bodies of the answers are kept.
    pub keeps_answers: bool,
}

/// What came of it.
#[derive(Debug, Default, Serialize)]
pub struct Figures {
    /// Requests that were answered in time.
    pub answered: u64,
    /// From the first request to the last answer, or to the end of the time.
    pub seconds: f64,
    /// Answered requests a second.
    pub per_second: f64,
    /// Half of the answers took no longer, in milliseconds.
    pub p50_ms: f64,
    /// 99 of 100 answers took no longer.
    pub p99_ms: f64,
    /// How many answers had which status.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests without an answer.
    pub failed: u64,
}

struct Shared {
    requests: Vec<Request<Full<Bytes>>>,
    next: usize,
    once: bool,
    took_ms: Vec<f64>,
    statuses: BTreeMap<u16, u64>,
    failed: u64,
    answers: Option<Vec<Bytes>>,
}

impl Shared {
    fn next_request(&mut self) -> Option<Request<Full<Bytes>>> {
        if self.next == self.requests.len() {
            if self.once {
                return None;
            }
            self.next = 0;
        }
        self.next += 1;
        Some(self.requests[self.next - 1].clone())
    }
}

/// Runs the loop with `sent` (at least one); the figures, and the answers' bodies if they are kept.
pub fn run(options: &Loop, sent: &[Sent]) -> Result<(Figures, Vec<Bytes>), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    LocalSet::new().block_on(&runtime, run_here(options, sent))
}

/// As [`run`], on the runtime that is there.
pub async fn run_here(options: &Loop, sent: &[Sent]) -> Result<(Figures, Vec<Bytes>), String> {
    let requests = sent
        .iter()
        .map(|sent| request(options, sent))
        .collect::<Result<Vec<_>, _>>()?;
    if requests.is_empty() {
        return Err("there is nothing to send".to_owned());
    }
    let mut connections = Vec::new();
    for _ in 0..options.connections {
        connections.push(connect(&options.authority).await?);
    }
    let shared = Rc::new(RefCell::new(Shared {
        requests,
        next: 0,
        once: options.once,
        took_ms: Vec::new(),
        statuses: BTreeMap::new(),
        failed: 0,
        answers: options.keeps_answers.then(Vec::new),
    }));
    let began = Instant::now();
    let ends = began + options.duration;
    let mut senders = Vec::new();
    for connection in connections {
        let (shared, authority) = (Rc::clone(&shared), options.authority.clone());
        senders.push(tokio::task::spawn_local(async move {
            send_until(ends, connection, &authority, &shared).await
        }));
    }
    for sender in senders {
        sender.await.map_err(|error| error.to_string())??;
    }
    let seconds = began.elapsed().min(options.duration).as_secs_f64();
    let mut shared = shared.borrow_mut();
    let answers = shared.answers.take().unwrap_or_default();
    Ok((figures(&mut shared, seconds), answers))
}

fn figures(shared: &mut Shared, seconds: f64) -> Figures {
    shared.took_ms.sort_unstable_by(f64::total_cmp);
    let answered = shared.took_ms.len() as u64;
    Figures {
        answered,
        seconds,
        per_second: answered as f64 / seconds,
        p50_ms: percentile(&shared.took_ms, 50.0),
        p99_ms: percentile(&shared.took_ms, 99.0),
        statuses: core::mem::take(&mut shared.statuses),
        failed: shared.failed,
    }
}

fn request(options: &Loop, sent: &Sent) -> Result<Request<Full<Bytes>>, String> {
    let uri: Uri = options.path.parse().map_err(|_| {
        format!(
            "--url: found {}, allowed: a path that HTTP allows",
            options.path
        )
    })?;
    let body = sent.body.clone().unwrap_or_default();
    let mut request = Request::new(Full::new(Bytes::from(body)));
    *request.method_mut() = options.method.clone();
    *request.uri_mut() = uri;
    let value = |value: &str| {
        HeaderValue::from_str(value).map_err(|_| format!("a header of a request: found {value:?}"))
    };
    request
        .headers_mut()
        .insert(HOST, value(&options.authority)?);
    for (name, said) in &sent.headers {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("a header of a request: found {name:?}"))?;
        request.headers_mut().insert(name, value(said)?);
    }
    Ok(request)
}

async fn connect(authority: &str) -> Result<SendRequest<Full<Bytes>>, String> {
    let cannot = |error: String| format!("--url: cannot connect to {authority}: {error}");
    let stream = TcpStream::connect(authority)
        .await
        .map_err(|error| cannot(error.to_string()))?;
    stream
        .set_nodelay(true)
        .map_err(|error| cannot(error.to_string()))?;
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(|error| cannot(error.to_string()))?;
    tokio::task::spawn_local(async move {
        // An error here also reaches whoever waits for the answer.
        let _ = connection.await;
    });
    Ok(sender)
}

/// One connection's share. An answer that comes after the end does not count.
async fn send_until(
    ends: Instant,
    mut connection: SendRequest<Full<Bytes>>,
    authority: &str,
    shared: &RefCell<Shared>,
) -> Result<(), String> {
    while Instant::now() < ends {
        let Some(request) = shared.borrow_mut().next_request() else {
            return Ok(());
        };
        if connection.is_closed() {
            connection = connect(authority).await?;
        }
        let began = Instant::now();
        let exchanged = async {
            connection.ready().await?;
            let (head, body) = connection.send_request(request).await?.into_parts();
            Ok::<_, hyper::Error>((head.status, body.collect().await?.to_bytes()))
        };
        let answered = timeout_at((began + ANSWER_LIMIT).into(), exchanged).await;
        let took = began.elapsed();
        let mut shared = shared.borrow_mut();
        match answered {
            Ok(Ok((status, body))) if shared.once || Instant::now() <= ends => {
                *shared.statuses.entry(status.as_u16()).or_default() += 1;
                shared.took_ms.push(took.as_secs_f64() * 1_000.0);
                if let Some(answers) = &mut shared.answers {
                    answers.push(body);
                }
            }
            Ok(Ok(_)) => {}
            Ok(Err(_)) | Err(_) => shared.failed += 1,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use hyper::Response;
    use hyper::body::Incoming;
    use hyper::service::service_fn;
    use tokio::net::TcpListener;

    use super::*;

    /// Answers each request with its body, and 201 where it has the header `x-new`.
    async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let status = if request.headers().contains_key("x-new") {
            201
        } else {
            200
        };
        let body = request
            .into_body()
            .collect()
            .await
            .map_or_else(|_| Bytes::new(), |collected| collected.to_bytes());
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap();
        Ok(response)
    }

    fn run_against_an_echo(
        options: impl FnOnce(String) -> Loop,
        sent: &[Sent],
    ) -> (Figures, Vec<Bytes>) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        LocalSet::new().block_on(&runtime, async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let authority = listener.local_addr().unwrap().to_string();
            let serving = tokio::task::spawn_local(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let service = service_fn(echo);
                    let connection = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service);
                    tokio::task::spawn_local(connection);
                }
            });
            let done = run_here(&options(authority), sent).await.unwrap();
            serving.abort();
            done
        })
    }

    fn closed_loop(authority: String) -> Loop {
        Loop {
            authority,
            path: "/".to_owned(),
            method: Method::POST,
            connections: 4,
            duration: Duration::from_millis(100),
            once: false,
            keeps_answers: false,
        }
    }

    #[test]
    fn what_is_sent_once_is_sent_once_and_its_answers_are_kept() {
        let sent: Vec<Sent> = (0..10)
            .map(|number| Sent {
                headers: match number % 2 {
                    0 => BTreeMap::from([("x-new".to_owned(), "1".to_owned())]),
                    _ => BTreeMap::new(),
                },
                body: Some(format!("body {number}")),
            })
            .collect();
        let (figures, mut answers) = run_against_an_echo(
            |authority| Loop {
                once: true,
                keeps_answers: true,
                duration: Duration::from_secs(10),
                ..closed_loop(authority)
            },
            &sent,
        );
        assert_eq!((figures.answered, figures.failed), (10, 0));
        assert_eq!(figures.statuses, BTreeMap::from([(200, 5), (201, 5)]));
        answers.sort();
        let expected: Vec<Bytes> = (0..10)
            .map(|number| format!("body {number}").into())
            .collect();
        assert_eq!(answers, expected);
        assert!(figures.seconds < 10.0, "it ends when they run out");
    }

    #[test]
    fn a_loop_goes_round_until_its_time_is_over() {
        let (figures, answers) = run_against_an_echo(closed_loop, &[Sent::default()]);
        assert!(figures.answered > 4, "{figures:?}");
        assert_eq!(figures.failed, 0);
        assert_eq!(figures.seconds, 0.1);
        assert!(figures.p50_ms <= figures.p99_ms);
        assert!(answers.is_empty());
    }
}
