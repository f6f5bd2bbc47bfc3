//! The draw: what is published about it, as a document for programs and as the page on which a visitor's browser
//! recomputes it.
//!
//! The document has only what `verify-draw` can hold against something else: a hash, a signature, the event log. What
//! changes from minute to minute (phases, entry numbers so far) is on the board.

use anteroom_queue::board::{Board, DrawBoard, Drawn, LineBoard};
use anteroom_queue::draw::beacon::QUICKNET;
use anteroom_queue::draw::{ALGORITHM, SEED_LABEL, hex, randomness};
use askama::Template;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::SheetView;
use super::frame::{Frame, json_for_script};
use super::words::words;
use crate::instants;

/// Everything that is public about the draws of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawDocument {
    /// The event.
    pub event: String,
    /// The run.
    pub run: u32,
    /// The permutation.
    pub algorithm: String,
    /// What is hashed first in a seed.
    pub label: String,
    /// Every line, in the order of the configuration.
    pub lines: Vec<LineDraw>,
}

/// A line with its draw.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LineDraw {
    /// Its public name.
    pub id: String,
    /// Its draw; `None`: first come, first served.
    pub draw: Option<Draw>,
}

/// The draw of one line; what is not decided yet is `None`. Hashes are hex, the instant is RFC 3339.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Draw {
    /// The hash of the secret, published before anybody joined.
    pub commitment: String,
    /// How many take part.
    pub entrants: Option<u64>,
    /// The event log's hash when that was fixed.
    pub log_root: Option<String>,
    /// When that was fixed.
    pub fixed_at: Option<String>,
    /// The public random number, from the moment at which its round is named; `None` later on: without one.
    pub beacon: Option<Beacon>,
    /// What the commitment is the hash of.
    pub secret: Option<String>,
    /// What the order follows from.
    pub seed: Option<String>,
}

/// The drand round that takes part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Beacon {
    /// The hash of the chain.
    pub chain: String,
    /// Which round.
    pub round: u64,
    /// The round's signature.
    pub signature: Option<String>,
    /// The hash of the signature.
    pub randomness: Option<String>,
    /// The round did not come within the wait; the draw went on without.
    pub absent: bool,
}

impl DrawDocument {
    /// The document of `board`.
    pub fn new(event: &str, run: u32, board: &Board) -> DrawDocument {
        let line = |line: &LineBoard| LineDraw {
            id: line.id.clone(),
            draw: line.draw.as_ref().map(Draw::new),
        };
        DrawDocument {
            event: event.to_owned(),
            run,
            algorithm: ALGORITHM.to_owned(),
            label: SEED_LABEL.to_owned(),
            lines: board.lines.iter().map(line).collect(),
        }
    }
}

impl Draw {
    fn new(draw: &DrawBoard) -> Draw {
        let fixed = draw.fixed.as_ref();
        let drawn = draw.drawn.as_ref();
        Draw {
            commitment: hex::text(&draw.commitment),
            entrants: fixed.map(|fixed| fixed.entrants),
            log_root: fixed.map(|fixed| hex::text(&fixed.root)),
            fixed_at: fixed.map(|fixed| instants::rfc3339(fixed.at)),
            beacon: fixed
                .and_then(|fixed| fixed.round)
                .map(|round| Beacon::new(round, drawn)),
            secret: drawn.map(|drawn| hex::text(&drawn.secret)),
            seed: drawn.map(|drawn| hex::text(&drawn.seed)),
        }
    }
}

impl Beacon {
    fn new(round: u64, drawn: Option<&Drawn>) -> Beacon {
        let signature = drawn.and_then(|drawn| drawn.beacon.as_deref());
        Beacon {
            chain: hex::text(&QUICKNET.hash),
            round,
            signature: signature.map(hex::text),
            randomness: signature.map(|signature| hex::text(&randomness(signature))),
            absent: drawn.is_some() && signature.is_none(),
        }
    }
}

const JS: &str = concat!(
    "(()=>{\"use strict\";\n",
    include_str!("../../static/js/poll.js"),
    include_str!("../../static/sheets/shuffle.js"),
    include_str!("../../static/sheets/draw.js"),
    "})();"
);

#[derive(Template)]
#[template(path = "draw.html")]
struct DrawPage<'a> {
    frame: Frame<'a>,
    document: &'a DrawDocument,
    address: String,
    data: String,
    js: &'static str,
}

impl DrawPage<'_> {
    /// Whether there is anything to recompute, now or later.
    fn has_draw(&self) -> bool {
        self.document.lines.iter().any(|line| line.draw.is_some())
    }

    /// With more than one line, each says which it is.
    fn names_lines(&self) -> bool {
        self.document.lines.len() > 1
    }

    /// What is published about the draw of a line, in the order in which it came about. Whether a beacon takes part is
    /// known when its round is named.
    fn values(&self, line: &str, draw: &Draw) -> Vec<Value> {
        let beacon = |field: fn(&Beacon) -> Option<String>| match (&draw.beacon, draw.entrants) {
            (Some(beacon), _) => Some(field(beacon)),
            (None, None) => Some(None),
            (None, Some(_)) => None,
        };
        let rows = [
            ("commitment", Some(Some(draw.commitment.clone()))),
            ("entrants", Some(draw.entrants.map(|n| n.to_string()))),
            ("fixed_at", Some(draw.fixed_at.clone())),
            ("log_root", Some(draw.log_root.clone())),
            ("round", beacon(|beacon| Some(beacon.round.to_string()))),
            ("signature", beacon(|beacon| beacon.signature.clone())),
            ("randomness", beacon(|beacon| beacon.randomness.clone())),
            ("secret", Some(draw.secret.clone())),
            ("seed", Some(draw.seed.clone())),
        ];
        let value = |(name, text): (&str, Option<Option<String>>)| {
            Some(Value {
                id: format!("{line}.{name}"),
                label: self.frame.say(&format!("draw.{name}")),
                text: text?.unwrap_or_else(|| self.frame.say("draw.unknown").to_owned()),
            })
        };
        rows.into_iter().filter_map(value).collect()
    }
}

/// A published number, as the page shows it.
struct Value {
    id: String,
    label: &'static str,
    text: String,
}

/// The page that recomputes.
pub fn render(view: &SheetView, document: &DrawDocument) -> String {
    let address = format!("{}/queues/{}", view.prefix, view.event);
    let data = json!({
        "address": address,
        "lang": view.language.intl_tag(),
        "words": words(view.language).beginning("draw."),
    });
    let page = DrawPage {
        frame: Frame::of(view, "draw"),
        document,
        address,
        data: json_for_script(&data),
        js: JS,
    };
    page.render().expect("writing into a string does not fail")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anteroom_queue::board::{Drawn, Fixed};
    use anteroom_queue::units::UnixMillis;

    fn draw(round: Option<u64>, beacon: Option<Vec<u8>>) -> DrawBoard {
        DrawBoard {
            commitment: [1; 32],
            fixed: Some(Fixed {
                entrants: 7,
                root: [2; 32],
                at: UnixMillis(1_803_891_600_123),
                opened: UnixMillis(1_803_891_600_000),
                round,
            }),
            drawn: Some(Drawn {
                secret: [3; 32],
                beacon,
                seed: [4; 32],
            }),
        }
    }

    #[test]
    fn before_anything_is_fixed_only_the_commitment_is_known() {
        let early = DrawBoard {
            commitment: [0xab; 32],
            fixed: None,
            drawn: None,
        };
        let document = serde_json::to_value(Draw::new(&early)).unwrap();
        assert_eq!(document["commitment"], "ab".repeat(32));
        for unknown in [
            "entrants", "log_root", "fixed_at", "beacon", "secret", "seed",
        ] {
            assert!(document[unknown].is_null(), "{unknown}");
        }
    }

    #[test]
    fn a_beacon_that_came_is_told_with_its_randomness_and_one_that_did_not_is_absent() {
        let came = Draw::new(&draw(Some(9), Some(vec![5; 48])));
        let beacon = came.beacon.unwrap();
        assert_eq!(beacon.signature, Some("05".repeat(48)));
        assert_eq!(beacon.randomness, Some(hex::text(&randomness(&[5; 48]))));
        assert!(!beacon.absent);
        assert_eq!(came.fixed_at.as_deref(), Some("2027-03-01T09:00:00.123Z"));

        let missing = Draw::new(&draw(Some(9), None)).beacon.unwrap();
        assert!(missing.absent && missing.signature.is_none());
        assert_eq!(missing.round, 9);
    }

    #[test]
    fn a_draw_that_was_fixed_without_a_beacon_stays_without_one() {
        assert!(Draw::new(&draw(None, None)).beacon.is_none());
    }
}
