//! Numbers, turns and grants in the log: given out in order, and to nobody out of turn.

use anteroom_queue::log::Record;

use crate::Findings;
use crate::cuts::{self, Cut};
use crate::history::{CutRecord, History, Step};

/// Takes the next record of a line that is no step of its draw.
pub(crate) fn take(history: &mut History, step: Step, record: Record, findings: &mut Findings) {
    match record {
        Record::Cut {
            shard,
            first_join,
            count,
            first_entry,
            joined,
            chain,
            ..
        } => {
            let record = CutRecord {
                n: step.n,
                shard: shard.0,
                first_join,
                count,
            };
            let cut = Cut {
                record,
                first_entry: first_entry.0,
                joined,
                chain,
            };
            cuts::take(history, &cut, findings);
        }
        Record::Call { called, .. } => take_call(history, step.n, called.0, findings),
        Record::Grant { count, granted, .. } => take_grant(history, step, count, granted, findings),
        Record::Admit { count, .. } => {
            let nobody_waits = history.may_call() && history.called == history.entries;
            findings.require(nobody_waits, step.about(), || {
                let waiting = history.entries - history.called.min(history.entries);
                format!(
                    "a first visit was admitted in one step while {waiting} waited for their turn"
                )
            });
            history.admitted = history.admitted.saturating_add(count);
        }
        _ => {}
    }
}

fn take_call(history: &mut History, n: u64, called: u64, findings: &mut Findings) {
    let about = format!("log line {n}");
    findings.require(called > history.called, &about, || {
        format!(
            "called goes from {} to {called}: it only grows",
            history.called
        )
    });
    findings.require(called <= history.entries, &about, || {
        format!(
            "{called} were called, {} have an entry number",
            history.entries
        )
    });
    findings.require(history.may_call(), &about, || {
        "somebody was called before the draw was decided".to_owned()
    });
    history.called = called;
}

/// Grants of several shards in one commit all state the total after it, or each the total so far.
fn take_grant(
    history: &mut History,
    step: Step,
    count: u64,
    granted: u64,
    findings: &mut Findings,
) {
    let (about, at) = (step.about(), step.at);
    let before = history.stated.unwrap_or((0, at));
    let is_complete = before.1 == at || before.0 == history.granted;
    findings.require(is_complete, &about, || {
        format!(
            "the grants before it are {}, the last of them says {}",
            history.granted, before.0
        )
    });
    history.granted = history.granted.saturating_add(count);
    findings.require(
        count > 0 && granted >= history.granted && granted >= before.0,
        &about,
        || format!("{count} grants make {}, not {granted}", history.granted),
    );
    findings.require(history.called > 0, &about, || {
        "a grant before anybody was called".to_owned()
    });
    history.stated = Some((granted, at));
}
