//! What the room answers, read from JSON and from its page.

use std::time::Duration;

use serde::Deserialize;

use crate::connections::Answer;
use crate::history::{BoardSighting, Limits, Sighting, State};

/// What the page's script is given.
#[derive(Clone, Debug, Deserialize)]
pub struct PageData {
    /// The permit to join with.
    pub permit: Option<String>,
    /// Where the room's own addresses begin.
    pub prefix: String,
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
    /// The ticket, of a join or in exchange for an older one.
    pub ticket: Option<String>,
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

/// The board.
#[derive(Deserialize)]
pub struct BoardAnswer {
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
    every_seconds: u64,
}

#[derive(Deserialize)]
struct BoardLine {
    id: String,
    called: u64,
    #[serde(default)]
    lapsed: u64,
    entries: u64,
}

impl BoardAnswer {
    /// What this answer adds to a history, and the limits in force.
    pub fn sighting(self, answer: &Answer) -> (BoardSighting, Limits) {
        let batch = self
            .limits
            .batch
            .map(|batch| (batch.size, Duration::from_secs(batch.every_seconds)));
        let limits = Limits {
            max_active: self.limits.max_active,
            per_minute: self.limits.per_minute,
            batch,
        };
        let sighting = BoardSighting {
            sent: answer.sent,
            received: answer.received,
            version: self.version,
            age: self.age_ms.map(Duration::from_millis),
            lines: self
                .lines
                .into_iter()
                .map(|line| (line.id, line.called, line.lapsed, line.entries))
                .collect(),
        };
        (sighting, limits)
    }
}

/// The data in the page: the text of `<script … id="room">`.
pub fn page_data(page: &[u8]) -> Option<PageData> {
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
