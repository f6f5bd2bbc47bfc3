//! The room's public protocol, as a browser with its page speaks it.

use std::cell::RefCell;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ACCEPT, CONTENT_TYPE, COOKIE, ORIGIN, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::connections::{Answer, Connections, NoAnswer};
use crate::cookies::Jar;
use crate::history::{BoardSighting, Limits, Sighting, State};

/// The header by which the room says that an answer is its own.
const ROOM_STATE: &str = "waiting-room-state";

/// What the page's script is given.
#[derive(Clone, Debug, Deserialize)]
pub struct PageData {
    /// The permit to join with.
    pub permit: Option<String>,
    /// Where the room's own addresses begin.
    pub prefix: String,
}

/// What opening the protected page led to.
#[derive(Debug)]
pub enum Page {
    /// The queue page.
    Queue(PageData),
    /// The shop, or what stands behind the room.
    Behind(StatusCode),
}

/// An answer of the room about a place; every field that a kind of answer lacks is absent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct PlaceAnswer {
    state: Option<State>,
    line: Option<String>,
    entry: Option<u64>,
    rank: Option<u64>,
    ahead: Option<u64>,
    called: Option<u64>,
    board_version: Option<u64>,
    board_age_ms: Option<u64>,
    /// When to ask again.
    pub poll_ms: Option<u64>,
    /// When a session ends, in Unix milliseconds.
    pub session_ends_at_ms: Option<u64>,
    /// A pass, if the visitor was admitted.
    pub pass: Option<String>,
    /// A permit to join with, when its home was away.
    pub permit: Option<String>,
    /// When to try again.
    pub retry_after_ms: Option<u64>,
}

impl PlaceAnswer {
    /// The visitor's state, if it was said.
    pub fn state(&self) -> Option<State> {
        self.state
    }

    /// The entry number, if it was said.
    pub fn entry(&self) -> Option<u64> {
        self.entry
    }

    /// What this answer adds to a history.
    pub fn sighting(&self, answer: &Answer) -> Option<Sighting> {
        Some(Sighting {
            sent: answer.sent,
            received: answer.received,
            state: self.state?,
            line: self.line.clone().unwrap_or_default(),
            entry: self.entry,
            rank: self.rank.or(self.entry),
            ahead: self.ahead,
            called: self.called,
            version: self.board_version,
            board_age: self.board_age_ms.map(Duration::from_millis),
        })
    }
}

#[derive(Deserialize)]
struct BoardAnswer {
    version: u64,
    #[serde(default)]
    age_ms: Option<u64>,
    #[serde(default)]
    limits: BoardLimits,
    #[serde(default)]
    lines: Vec<BoardLine>,
}

#[derive(Default, Deserialize)]
struct BoardLimits {
    #[serde(default)]
    max_active: Option<u64>,
    #[serde(default)]
    per_minute: Option<u64>,
    #[serde(default)]
    batch: Option<BoardBatch>,
}

#[derive(Deserialize)]
struct BoardBatch {
    size: u64,
    #[serde(alias = "every_ms")]
    every: Option<u64>,
    every_seconds: Option<u64>,
}

#[derive(Deserialize)]
struct BoardLine {
    id: String,
    called: u64,
    #[serde(default)]
    lapsed: u64,
    entries: u64,
}

/// The room as one browser sees it.
pub struct Browser<'a> {
    room: &'a Room,
    jar: RefCell<Jar>,
}

/// Where the room is, and how it is reached.
pub struct Room {
    /// The connections.
    pub connections: Connections,
    /// `host:port`.
    pub authority: String,
    /// The event's id.
    pub event: String,
    /// The protected page.
    pub page: String,
    /// Where the room's own addresses begin.
    pub prefix: String,
}

impl Room {
    /// The board, without any cookie.
    pub async fn board(&self) -> Result<(BoardSighting, Limits), NoAnswer> {
        let path = format!("{}/queues/{}", self.prefix, self.event);
        let request = Request::get(path).header(ACCEPT, "application/json");
        let answer = self
            .connections
            .send(with_body(request, Bytes::new())?)
            .await?;
        let board: BoardAnswer = json(&answer)?;
        let batch = board.limits.batch.and_then(|batch| {
            let every = batch
                .every
                .map(Duration::from_millis)
                .or(batch.every_seconds.map(Duration::from_secs));
            every.map(|every| (batch.size, every))
        });
        let limits = Limits {
            max_active: board.limits.max_active,
            per_minute: board.limits.per_minute,
            batch,
        };
        let lines = board
            .lines
            .into_iter()
            .map(|line| (line.id, line.called, line.lapsed, line.entries))
            .collect();
        let sighting = BoardSighting {
            sent: answer.sent,
            received: answer.received,
            version: board.version,
            age: board.age_ms.map(Duration::from_millis),
            lines,
        };
        Ok((sighting, limits))
    }

    /// A permit, made without a page.
    pub async fn permit(&self) -> Result<String, NoAnswer> {
        let browser = self.browser();
        let answer = browser
            .ask(Method::POST, "permits", Some("{}".into()))
            .await?;
        let made: PlaceAnswer = json(&answer)?;
        made.permit
            .ok_or_else(|| NoAnswer(format!("no permit: {}", answer.status)))
    }

    /// A browser that was never here.
    pub fn browser(&self) -> Browser<'_> {
        Browser {
            room: self,
            jar: Jar::default().into(),
        }
    }
}

impl<'a> Browser<'a> {
    /// A browser that was here before, with its cookies.
    pub fn with_cookies(room: &'a Room, cookies: Jar) -> Self {
        let browser = room.browser();
        browser.jar.replace(cookies);
        browser
    }

    /// The cookies, for later.
    pub fn into_cookies(self) -> Jar {
        self.jar.into_inner()
    }

    /// Opens the protected page as a navigation.
    pub async fn open_page(&self) -> Result<(Page, Answer), NoAnswer> {
        let request = Request::get(&self.room.page)
            .header(ACCEPT, "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
            .header("accept-language", "en")
            .header("sec-fetch-mode", "navigate")
            .header("sec-fetch-dest", "document")
            .header("sec-fetch-site", "none");
        let answer = self.send(request, Bytes::new()).await?;
        if !is_the_rooms(&answer) {
            return Ok((Page::Behind(answer.status), answer));
        }
        let data = page_data(&answer.body).ok_or_else(|| {
            NoAnswer(format!(
                "a page of the room without its data: {}",
                answer.status
            ))
        })?;
        if data.prefix != self.room.prefix {
            return Err(NoAnswer(format!(
                "the page names the prefix {}, not {}",
                data.prefix, self.room.prefix
            )));
        }
        Ok((Page::Queue(data), answer))
    }

    /// Joins.
    pub async fn join(&self, permit: &str) -> Result<(PlaceAnswer, Answer), NoAnswer> {
        let body = serde_json::json!({ "permit": permit }).to_string();
        self.place(Method::POST, "tickets", Some(body)).await
    }

    /// Asks for the state.
    pub async fn state(&self) -> Result<(PlaceAnswer, Answer), NoAnswer> {
        self.place(Method::GET, "tickets/me", None).await
    }

    /// Leaves the queue.
    pub async fn leave(&self) -> Result<(PlaceAnswer, Answer), NoAnswer> {
        self.place(Method::DELETE, "tickets/me", None).await
    }

    /// Claims, or asks what became of the claim.
    pub async fn claim(&self) -> Result<(PlaceAnswer, Answer), NoAnswer> {
        self.place(Method::POST, "tickets/me/pass", Some("{}".to_owned()))
            .await
    }

    /// Gives the session back.
    pub async fn give_back(&self) -> Result<Answer, NoAnswer> {
        self.ask(Method::DELETE, "tickets/me/pass", None).await
    }

    /// Whether a pass has been set.
    pub fn has_pass(&self) -> bool {
        self.jar.borrow().has("wr-pass-")
    }

    async fn place(
        &self,
        method: Method,
        what: &str,
        body: Option<String>,
    ) -> Result<(PlaceAnswer, Answer), NoAnswer> {
        let answer = self.ask(method, what, body).await?;
        Ok((json(&answer)?, answer))
    }

    /// A request of the page's script.
    async fn ask(
        &self,
        method: Method,
        what: &str,
        body: Option<String>,
    ) -> Result<Answer, NoAnswer> {
        let path = format!("{}/queues/{}/{what}", self.room.prefix, self.room.event);
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(ACCEPT, "application/json")
            .header(ORIGIN, format!("http://{}", self.room.authority))
            .header("sec-fetch-mode", "cors")
            .header("sec-fetch-site", "same-origin");
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        self.send(request, body.unwrap_or_default().into()).await
    }

    async fn send(
        &self,
        mut request: hyper::http::request::Builder,
        body: Bytes,
    ) -> Result<Answer, NoAnswer> {
        if let Some(cookies) = self.jar.borrow().header() {
            request = request.header(COOKIE, cookies);
        }
        let answer = self
            .room
            .connections
            .send(with_body(request, body)?)
            .await?;
        let mut jar = self.jar.borrow_mut();
        for cookie in answer.headers.get_all(SET_COOKIE) {
            jar.take(&String::from_utf8_lossy(cookie.as_bytes()));
        }
        Ok(answer)
    }
}

/// Whether the room itself answered, and not what stands behind it.
pub fn is_the_rooms(answer: &Answer) -> bool {
    answer.headers.contains_key(ROOM_STATE)
}

fn with_body(
    request: hyper::http::request::Builder,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, NoAnswer> {
    request
        .body(Full::new(body))
        .map_err(|error| NoAnswer(error.to_string()))
}

fn json<T: DeserializeOwned>(answer: &Answer) -> Result<T, NoAnswer> {
    serde_json::from_slice(&answer.body).map_err(|error| {
        let text: String = String::from_utf8_lossy(&answer.body)
            .chars()
            .take(120)
            .collect();
        NoAnswer(format!(
            "{} with a body that is no answer of a room ({error}): {text}",
            answer.status
        ))
    })
}

/// The data in the page: the text of `<script … id="room">`.
fn page_data(page: &[u8]) -> Option<PageData> {
    let page = std::str::from_utf8(page).ok()?;
    let tag = page
        .match_indices("<script")
        .map(|(at, _)| &page[at..])
        .find(|rest| {
            rest.split('>')
                .next()
                .is_some_and(|tag| tag.contains("id=\"room\"") || tag.contains("id=room"))
        })?;
    let text = &tag[tag.find('>')? + 1..];
    serde_json::from_str(&text[..text.find("</script")?]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_data_is_found_among_its_scripts() {
        let page = r#"<!doctype html><script nonce="a">let id="room"</script>
            <script type="application/json" nonce="x" id="room">{"permit":"p.q.r","prefix":"/_wr","event":"demo","more":{"a":1}}</script>"#;
        let data = page_data(page.as_bytes()).unwrap();
        assert_eq!(
            (data.permit.as_deref(), data.prefix.as_str()),
            (Some("p.q.r"), "/_wr")
        );
        assert!(
            page_data(b"<html></html>").is_none() && page_data(b"<script id=\"room\">{").is_none()
        );
    }

    #[test]
    fn states_that_nobody_knows_are_no_error() {
        let answer: PlaceAnswer =
            serde_json::from_str(r#"{"state":"dancing","entry":7,"eta":null}"#).unwrap();
        assert_eq!(
            (answer.state(), answer.entry()),
            (Some(State::Other), Some(7))
        );
    }
}
