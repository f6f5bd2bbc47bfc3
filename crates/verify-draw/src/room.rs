//! Asks a room: for the draw, and whether a ticket is one of its own.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::http::Uri;
use verify_draw::Findings;

/// A room answers in well under a second; a visitor's connection may be slow.
const PATIENCE: Duration = Duration::from_secs(20);
/// A draw of eight lines is a few kB.
const MOST_BYTES: u64 = 1_000_000;

/// A room's address for an event.
pub struct Room {
    agent: Agent,
    url: String,
}

impl Room {
    /// `url` is `https://HOST/_wr/queues/EVENT`; plain HTTP only on this machine.
    pub fn at(url: &str) -> Result<Self, String> {
        let uri: Uri = url
            .parse()
            .map_err(|_| format!("--url: {url} is no address"))?;
        let host = uri.host().unwrap_or_default();
        let is_here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_here => {}
            _ => {
                return Err(format!(
                    "--url: {url} has to begin with https:// (http:// only on this machine)"
                ));
            }
        }
        let agent = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .max_redirects(0)
            .http_status_as_error(false)
            .build()
            .into();
        Ok(Self {
            agent,
            url: url.to_owned(),
        })
    }

    fn answer(&self, path: &str, ticket: Option<&str>) -> Result<(u16, String), String> {
        let url = format!("{}{path}", self.url);
        let mut request = self.agent.get(&url).header("accept", "application/json");
        if let Some(ticket) = ticket {
            request = request.header("authorization", format!("Bearer {ticket}"));
        }
        let mut response = request.call().map_err(|error| format!("{url}: {error}"))?;
        let body = response
            .body_mut()
            .with_config()
            .limit(MOST_BYTES)
            .read_to_string();
        let body = body.map_err(|error| format!("{url}: {error}"))?;
        Ok((response.status().as_u16(), body))
    }

    /// The published draw.
    pub fn draw(&self) -> Result<String, String> {
        match self.answer("/draw", None)? {
            (200, body) => Ok(body),
            (status, body) => {
                let problem: Value = serde_json::from_str(&body).unwrap_or_default();
                let said = problem.get("title").and_then(Value::as_str);
                let said =
                    said.unwrap_or("is there a waiting room, with this event, under this prefix?");
                Err(format!(
                    "{}/draw: answered with status {status}: {said}",
                    self.url
                ))
            }
        }
    }

    /// Shows the ticket to the room, which has the key to check its signature.
    pub fn check_ticket(&self, ticket: &str, findings: &mut Findings) {
        let about = "ticket, shown to the room";
        let (status, body) = match self.answer("/tickets/me", Some(ticket)) {
            Ok(answer) => answer,
            Err(why) => return findings.unchecked(about, why),
        };
        let document: Value = serde_json::from_str(&body).unwrap_or_default();
        let state = document
            .get("state")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match (status, state) {
            (400..=403, _) | (200, "none") => {
                findings.fails(about, "it is none that this room made")
            }
            (200, state) if !state.is_empty() => {
                findings.holds(
                    about,
                    format!("the room's own, its signature is right; the place is {state}"),
                );
            }
            _ => findings.unchecked(about, format!("the room answers with status {status}")),
        }
    }
}
