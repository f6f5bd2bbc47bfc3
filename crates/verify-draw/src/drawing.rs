//! The steps of a draw in the log: the commitment, then who is in it, then how it came out.

use anteroom_queue::draw::Hash;
use anteroom_queue::log::Record;

use crate::Findings;
use crate::history::{DrawnRecord, FixedRecord, History, Step};

/// Takes the next step of a line's draw. `head` is the hash of the log's line before it.
pub(crate) fn take(
    history: &mut History,
    step: Step,
    record: Record,
    head: &Hash,
    findings: &mut Findings,
) {
    let Step { n, at } = step;
    match record {
        Record::Line { commitment, .. } => {
            let is_early = history.commitment.is_none() && history.entries == 0;
            findings.require(is_early, step.about(), || {
                "a commitment after another, or after entry numbers were given out".to_owned()
            });
            history.commitment = Some(commitment);
        }
        Record::Fixed {
            entrants,
            root,
            round,
            ..
        } => {
            let fixed = FixedRecord {
                n,
                at,
                entrants,
                root,
                round,
            };
            take_fixed(history, fixed, head, findings);
        }
        Record::Drawn {
            secret,
            beacon,
            seed,
            ..
        } => {
            let is_next = history.fixed.is_some() && history.drawn.is_none();
            findings.require(is_next, step.about(), || {
                "a draw is decided once, after its entrants".to_owned()
            });
            history.drawn = Some(DrawnRecord {
                n,
                secret,
                beacon,
                seed,
            });
        }
        _ => {}
    }
}

fn take_fixed(history: &mut History, fixed: FixedRecord, head: &Hash, findings: &mut Findings) {
    let about = format!("log line {}", fixed.n);
    let is_next = history.commitment.is_some() && history.fixed.is_none();
    findings.require(is_next, &about, || {
        "entrants are fixed once, after the commitment to a secret".to_owned()
    });
    findings.require(fixed.root == *head, &about, || {
        "its root is not the hash of the line before it".to_owned()
    });
    findings.require(fixed.entrants == history.entries, &about, || {
        let (fixed, numbered) = (fixed.entrants, history.entries);
        format!("{fixed} entrants, but {numbered} entry numbers were given out before")
    });
    history.fixed = Some(fixed);
}
