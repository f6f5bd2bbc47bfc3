//! Entry numbers: consecutive from 0, and of each shard join after join.

use anteroom_queue::draw::Hash;

use crate::Findings;
use crate::history::{CutRecord, History};

/// A cut as the log has it.
pub(crate) struct Cut {
    pub record: CutRecord,
    pub first_entry: u64,
    pub joined: u64,
    pub chain: Hash,
}

/// Takes the next cut of a line.
pub(crate) fn take(history: &mut History, cut: &Cut, findings: &mut Findings) {
    let CutRecord {
        n,
        shard,
        first_join,
        count,
    } = cut.record;
    let about = format!("log line {n}");
    let line = history.id.clone();
    findings.require(count > 0, &about, || "a cut of no joins".to_owned());
    findings.require(cut.first_entry == history.entries, &about, || {
        let what = if cut.first_entry > history.entries { "a gap" } else { "an overlap" };
        let (first, next) = (cut.first_entry, history.entries);
        format!("{what} in the entry numbers of {line}: the cut begins at {first}, the next free number is {next}")
    });
    let known = history.shards.entry(shard).or_default();
    findings.require(first_join == known.cut, &about, || {
        let next = known.cut;
        format!("the cut begins with join {first_join} of shard {shard}, the next without a number is {next}")
    });
    let end = first_join.saturating_add(count);
    findings.require(end <= cut.joined && known.joined <= cut.joined, &about, || {
        let joined = cut.joined;
        format!("shard {shard} had reported {joined} joins, fewer than were numbered or reported before")
    });
    let is_same = known.joined == cut.joined && known.joined > 0;
    findings.require(!is_same || known.chain == cut.chain, &about, || {
        format!(
            "shard {shard} names other permits for the same {}",
            crate::counted(cut.joined, "join")
        )
    });
    known.cut = end;
    known.joined = cut.joined;
    known.chain = cut.chain;
    history.cuts.insert(cut.first_entry, cut.record);
    history.entries = cut.first_entry.saturating_add(count);
}
