//! The draw as it was published at each stage, with the logs of that time and of later ones.

use anteroom_queue::draw::hex;
use anteroom_queue::log::Record;
use serde_json::{Value, json};

use crate::evidence::{Step, document, seed, steps, written};

/// How far the draw of the first line is. The second line has none, the third line's is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Only the commitment is there.
    Committed,
    /// It is fixed who is in it, and which round decides.
    Fixed,
    /// Decided, with the round.
    Drawn,
    /// Decided without the round, which did not come.
    Absent,
    /// Decided without a beacon.
    Without,
}

pub const STAGES: [Stage; 5] = [
    Stage::Committed,
    Stage::Fixed,
    Stage::Drawn,
    Stage::Absent,
    Stage::Without,
];

impl Stage {
    /// What was published, and every log that was exported at or after that.
    pub fn published(self) -> (Value, Vec<String>) {
        let steps = self.steps();
        let (log, root) = written(&steps);
        let mut document = document(root);
        let draw = &mut document["lines"][0]["draw"];
        let mut clear = |members: &[&str]| {
            for member in members {
                draw[*member].take();
            }
        };
        match self {
            Stage::Committed => {
                clear(&[
                    "entrants", "log_root", "fixed_at", "beacon", "secret", "seed",
                ]);
            }
            Stage::Fixed => clear(&["secret", "seed"]),
            Stage::Drawn => {}
            Stage::Absent => draw["seed"] = json!(hex::text(&seed(root, None))),
            Stage::Without => {
                draw["seed"] = json!(hex::text(&seed(root, None)));
                draw["beacon"].take();
            }
        }
        if matches!(self, Stage::Fixed | Stage::Absent) {
            let beacon = &mut draw["beacon"];
            beacon["signature"].take();
            beacon["randomness"].take();
            beacon["absent"] = json!(self == Stage::Absent);
        }
        (document, self.logs(&log))
    }

    fn steps(self) -> Vec<Step> {
        let mut steps = steps();
        for (_, record) in &mut steps {
            match record {
                Record::Fixed { round, .. } if self == Stage::Without => *round = None,
                Record::Drawn { beacon, .. } if matches!(self, Stage::Absent | Stage::Without) => {
                    *beacon = None;
                }
                _ => {}
            }
        }
        steps
    }

    /// `log` up to the last line that the stage needs, and whole.
    fn logs(self, log: &str) -> Vec<String> {
        let next = match self {
            Stage::Committed => "\"kind\":\"fixed\"",
            Stage::Fixed => "\"kind\":\"drawn\"",
            _ => return vec![log.to_owned()],
        };
        let then = log.lines().take_while(|line| !line.contains(next));
        let then: String = then.map(|line| format!("{line}\n")).collect();
        vec![then, log.to_owned()]
    }
}
