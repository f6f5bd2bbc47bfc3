//! Connections to the room: HTTP/1.1, with TLS or without, kept alive, at most so many at the same time. A visitor
//! borrows one for one request; waiting for it counts as waiting for the answer.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{HOST, HeaderMap};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::sync::Semaphore;

use crate::address::Address;
use crate::history::{Clock, Moment};
use crate::tls::Tls;

/// How long an answer may take: far beyond what the room promises.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// The largest answer that is read, in bytes: ten times the heaviest queue page.
const MOST_BODY_BYTES: usize = 1 << 20;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// When the request was about to be sent, for the first time if it had to be repeated.
    pub sent: Moment,
    /// When all of the answer was there.
    pub received: Moment,
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

/// Why there was no answer.
#[derive(Debug)]
pub struct NoAnswer(pub String);

/// The connections to one room.
pub struct Connections {
    /// Where it answered first; all connections go there.
    socket: SocketAddr,
    address: Address,
    tls: Option<Tls>,
    clock: Clock,
    slots: Semaphore,
    idle: RefCell<Vec<SendRequest<Full<Bytes>>>>,
    /// Requests that were answered.
    answered: Cell<u64>,
}

impl Connections {
    /// Finds the room at `address`, and makes the first of at most `most` connections, so that a certificate that is not
    /// trusted is said at once. `trusted` are certificates instead of those that this machine trusts.
    pub async fn to(
        address: &Address,
        trusted: Option<&Path>,
        most: usize,
        clock: Clock,
    ) -> Result<Self, String> {
        let host = address.to_connect();
        let cannot = |error: String| format!("--url: cannot connect to {host}: {error}");
        let stream = timed(connected(&host))
            .await
            .map_err(|NoAnswer(error)| cannot(error))?;
        let connections = Self {
            socket: stream
                .peer_addr()
                .map_err(|error| cannot(error.to_string()))?,
            address: address.clone(),
            tls: match address.is_tls {
                true => Some(Tls::to(&address.host(), trusted)?),
                false => None,
            },
            clock,
            slots: Semaphore::new(most),
            idle: RefCell::new(Vec::new()),
            answered: Cell::new(0),
        };
        let first = timed(connections.speak_over(stream))
            .await
            .map_err(|NoAnswer(error)| cannot(error))?;
        connections.idle.borrow_mut().push(first);
        Ok(connections)
    }

    /// The room as the `Origin` header says it.
    pub fn origin(&self) -> String {
        self.address.origin()
    }

    /// How many requests were answered.
    pub fn answered(&self) -> u64 {
        self.answered.get()
    }

    /// From now on nothing is sent, and whoever waits for a connection gets no answer.
    pub fn close(&self) {
        self.slots.close();
    }

    /// Sends `request` and reads the whole answer. All requests to a room may be repeated, so one
    /// that meets a connection that was just closed is sent again on a fresh one.
    pub async fn send(&self, mut request: Request<Full<Bytes>>) -> Result<Answer, NoAnswer> {
        let host = self
            .address
            .authority
            .parse()
            .map_err(|_| NoAnswer("the host is no header".to_owned()))?;
        request.headers_mut().insert(HOST, host);
        let _slot = self
            .slots
            .acquire()
            .await
            .map_err(|_| NoAnswer("nothing was answered, and the run is over".to_owned()))?;
        let sent = self.clock.now();
        let kept = self
            .idle
            .borrow_mut()
            .pop()
            .filter(|connection| !connection.is_closed());
        if let Some(connection) = kept
            && let Ok(answer) = self.exchange(connection, request.clone(), sent).await
        {
            return Ok(answer);
        }
        let connection = self.connect().await?;
        self.exchange(connection, request, sent).await
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, NoAnswer> {
        timed(async { self.speak_over(connected(self.socket).await?).await }).await
    }

    async fn speak_over(&self, stream: TcpStream) -> Result<SendRequest<Full<Bytes>>, String> {
        stream
            .set_nodelay(true)
            .map_err(|error| error.to_string())?;
        let Some(Tls { connector, name }) = &self.tls else {
            return spoken(stream).await;
        };
        let stream = connector
            .connect(name.clone(), stream)
            .await
            .map_err(|error| error.to_string())?;
        spoken(stream).await
    }

    async fn exchange(
        &self,
        mut connection: SendRequest<Full<Bytes>>,
        request: Request<Full<Bytes>>,
        sent: Moment,
    ) -> Result<Answer, NoAnswer> {
        let exchanged = async {
            connection
                .ready()
                .await
                .map_err(|error| error.to_string())?;
            let response = connection
                .send_request(request)
                .await
                .map_err(|error| error.to_string())?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, MOST_BODY_BYTES)
                .collect()
                .await
                .map_err(|error| error.to_string())?;
            Ok(Answer {
                sent,
                received: self.clock.now(),
                status: head.status,
                headers: head.headers,
                body: body.to_bytes(),
            })
        };
        let answer = timed(exchanged).await?;
        self.answered.set(self.answered.get() + 1);
        self.idle.borrow_mut().push(connection);
        Ok(answer)
    }
}

async fn connected(to: impl ToSocketAddrs) -> Result<TcpStream, String> {
    let stream = TcpStream::connect(to).await;
    stream.map_err(|error| error.to_string())
}

/// HTTP over a stream that is open.
async fn spoken(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
) -> Result<SendRequest<Full<Bytes>>, String> {
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    tokio::task::spawn_local(async move {
        // An error here also reaches whoever waits for the answer.
        let _ = connection.await;
    });
    Ok(sender)
}

async fn timed<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, NoAnswer> {
    match tokio::time::timeout(REQUEST_TIMEOUT, work).await {
        Ok(done) => done.map_err(NoAnswer),
        Err(_) => Err(NoAnswer(format!(
            "no answer within {} s",
            REQUEST_TIMEOUT.as_secs()
        ))),
    }
}
