//! The room's public protocol, as a browser with its page speaks it.

use std::cell::RefCell;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ACCEPT, CONTENT_TYPE, COOKIE, ORIGIN, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use serde::de::DeserializeOwned;

use crate::answers::{BoardAnswer, PageData, PlaceAnswer, page_data};
use crate::connections::{Answer, Connections, NoAnswer};
use crate::cookies::Jar;
use crate::history::{BoardSighting, Limits};
use crate::work;

/// The header by which the room says that an answer is its own.
const ROOM_STATE: &str = "waiting-room-state";

/// What opening the protected page led to.
#[derive(Debug)]
pub enum Page {
    /// The queue page.
    Queue(PageData),
    /// The shop, or what stands behind the room.
    Behind(StatusCode),
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
        Ok(json::<BoardAnswer>(&answer)?.sighting(&answer))
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

    /// Joins, once the permit's work is done.
    pub async fn join(&self, permit: &str) -> Result<(PlaceAnswer, Answer), NoAnswer> {
        let mut body = serde_json::json!({ "permit": permit });
        if let Some(solution) = work::solution(permit).await {
            body["solution"] = solution.into();
        }
        let body = body.to_string();
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
            .header(ORIGIN, self.room.connections.origin())
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
fn is_the_rooms(answer: &Answer) -> bool {
    answer.headers.contains_key(ROOM_STATE)
}

/// Whether an operator has stopped everybody: then the admitted get the page too.
pub fn is_stopped(answer: &Answer) -> bool {
    answer
        .headers
        .get(ROOM_STATE)
        .is_some_and(|state| state == "stopped")
}

fn with_body(
    request: hyper::http::request::Builder,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, NoAnswer> {
    request
        .body(Full::new(body))
        .map_err(|error| NoAnswer(error.to_string()))
}

/// What the room itself says of a request that it refuses.
#[derive(serde::Deserialize)]
struct Refusal {
    title: String,
    detail: Option<String>,
}

impl Refusal {
    fn of(answer: &Answer) -> Option<Self> {
        (answer.status.is_client_error() || answer.status.is_server_error())
            .then(|| serde_json::from_slice(&answer.body).ok())?
    }
}

fn json<T: DeserializeOwned>(answer: &Answer) -> Result<T, NoAnswer> {
    serde_json::from_slice(&answer.body).map_err(|error| {
        if let Some(Refusal { title, detail }) = Refusal::of(answer) {
            let detail = detail.map_or(String::new(), |detail| format!(": {detail}"));
            return NoAnswer(format!("{title}{detail} ({})", answer.status.as_u16()));
        }
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

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;

    use super::*;
    use crate::history::Moment;

    fn said(status: StatusCode, body: &'static str) -> String {
        let answer = Answer {
            sent: Moment(0),
            received: Moment(0),
            status,
            headers: HeaderMap::new(),
            body: Bytes::from_static(body.as_bytes()),
        };
        let Err(NoAnswer(said)) = json::<BoardAnswer>(&answer) else {
            panic!("{body} is no board");
        };
        said
    }

    #[test]
    fn a_refusal_is_told_in_the_rooms_own_words_and_anything_else_as_it_came() {
        let problem =
            r#"{"type":"urn:anteroom:problem:unknown-event","title":"there is no such event"}"#;
        assert_eq!(
            said(StatusCode::NOT_FOUND, problem),
            "there is no such event (404)"
        );
        let page = said(StatusCode::NOT_FOUND, "<html>");
        assert!(page.contains("no answer of a room") && page.ends_with("<html>"));
    }
}
