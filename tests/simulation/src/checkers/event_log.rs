//! **event-log**: the log is whole (every hash follows from the line before), its cuts leave no gap,
//! calls and grants are consistent with them, draws were fixed and decided once and in that order,
//! and everybody who was let in is in it.

use std::collections::{BTreeMap, BTreeSet};

use anteroom_queue::draw::{Hash, commitment};
use anteroom_queue::log::{LogLine, Record, empty_head, verify_line};

use super::{Checker, Findings, Names, Promise};
use crate::observation::{Observation, Tally, VisitorId};
use crate::plan::EVENT;

/// What the log says of one line, as far as it is read.
#[derive(Clone, Debug, Default)]
struct Line {
    entries: u64,
    called: u64,
    granted: u64,
    admitted: u64,
    commitment: Option<Hash>,
    fixed: bool,
    drawn: bool,
    closed: bool,
    /// Joins numbered, by shard.
    numbered: BTreeMap<u16, u64>,
    /// Let in, by shard.
    let_in: BTreeMap<u16, u64>,
}

/// Remembers who was let in where.
pub struct EventLog {
    names: Names,
    let_in: BTreeMap<(u8, u16), BTreeSet<VisitorId>>,
}

impl EventLog {
    /// A checker that has seen nothing.
    pub fn new(names: Names) -> Self {
        Self {
            names,
            let_in: BTreeMap::new(),
        }
    }

    /// Reads the whole log at the end of a run, and compares it with what was counted and seen.
    pub fn read(&self, at_ms: u64, log: &[&str], tally: Tally, findings: &mut Findings) {
        let mut broken = |what: String| findings.broken(at_ms, Promise::EventLog, || what);
        let mut head = empty_head(EVENT, self.names.run);
        let mut lines = BTreeMap::new();
        for (position, text) in log.iter().enumerate() {
            let before = head;
            match verify_line(&head, text) {
                Ok(next) => head = next,
                Err(fault) => return broken(format!("line {}: {fault:?}", position + 1)),
            }
            let read: LogLine = match serde_json::from_str(text) {
                Ok(read) => read,
                Err(fault) => return broken(format!("{text}: {fault}")),
            };
            let told = if read.n == position as u64 + 1 {
                self.follow(&mut lines, &read.record, &before)
            } else {
                Err("its number does not follow")
            };
            if let Err(what) = told {
                broken(format!("{text}: {what}"));
            }
        }
        for (position, id) in self.names.lines.iter().enumerate() {
            let line = lines.remove(id.as_str()).unwrap_or_default();
            let counted = tally.lines[position];
            if (line.entries, line.called) != (counted.entries, counted.called) {
                broken(format!("{id}: {counted:?} counted, the log has {line:?}"));
            }
            for (child, seen) in self.let_in_of(position as u8) {
                let logged = line.let_in.get(&child).copied().unwrap_or(0);
                if logged < seen {
                    broken(format!(
                        "{id}, child {child}: {seen} let in, {logged} in the log"
                    ));
                }
            }
        }
    }

    /// How many were let in, by child of the coordinator.
    fn let_in_of(&self, line: u8) -> BTreeMap<u16, u64> {
        let mut let_in = BTreeMap::new();
        for ((_, shard), visitors) in self.let_in.range((line, 0)..=(line, u16::MAX)) {
            *let_in.entry(self.names.child_of(*shard)).or_insert(0) += visitors.len() as u64;
        }
        let_in
    }

    /// Takes in one record; what is wrong with it.
    fn follow(
        &self,
        lines: &mut BTreeMap<String, Line>,
        record: &Record,
        before: &Hash,
    ) -> Result<(), &'static str> {
        let id = match record {
            Record::Begin { lines: begun, .. } => {
                let all = begun.iter().map(|line| &line.id).eq(&self.names.lines);
                for line in begun {
                    lines.entry(line.id.clone()).or_default().commitment = line.commitment;
                }
                return check(all && begun.len() == lines.len(), "other lines");
            }
            Record::Operator { action, .. } => return self.operated(lines, action),
            Record::Stock { .. } | Record::Edges { .. } => return Ok(()),
            Record::Line { line, .. }
            | Record::Cut { line, .. }
            | Record::Call { line, .. }
            | Record::Grant { line, .. }
            | Record::Admit { line, .. }
            | Record::Fixed { line, .. }
            | Record::Drawn { line, .. } => line,
        };
        let line = lines.get_mut(id).ok_or("of a line that did not begin")?;
        line.follow(record, before)
    }

    fn operated(
        &self,
        lines: &mut BTreeMap<String, Line>,
        action: &serde_json::Value,
    ) -> Result<(), &'static str> {
        for (name, closed) in [("closeline", true), ("openline", false)] {
            if let Some(id) = action[name]["line"].as_str() {
                lines.get_mut(id).ok_or("of an unknown line")?.closed = closed;
            }
        }
        Ok(())
    }
}

impl Line {
    fn follow(&mut self, record: &Record, before: &Hash) -> Result<(), &'static str> {
        match record {
            Record::Cut {
                shard,
                first_join,
                count,
                first_entry,
                joined,
                ..
            } => {
                let numbered = self.numbered.entry(shard.0).or_default();
                check(first_entry.0 == self.entries, "a gap between entry numbers")?;
                check(*first_join == *numbered, "a gap between a shard's joins")?;
                *numbered += count;
                self.entries += count;
                check(*numbered <= *joined, "more numbers than joins")
            }
            Record::Call { called, .. } => {
                let grows = called.0 > self.called && called.0 <= self.entries;
                self.called = called.0;
                check(grows && !self.closed, "a call that cannot be")?;
                let decided = self.commitment.is_none() || self.drawn;
                check(decided, "a call before the draw")
            }
            Record::Grant {
                shard,
                count,
                granted,
                ..
            } => {
                self.granted += count;
                *self.let_in.entry(shard.0).or_default() += count;
                check(self.granted == *granted, "another sum of grants")?;
                check(!self.closed, "a grant in a closed line")
            }
            Record::Admit { shard, count, .. } => {
                self.admitted += count;
                *self.let_in.entry(shard.0).or_default() += count;
                check(!self.closed, "an admission to a closed line")
            }
            Record::Line { commitment, .. } => {
                let new = self.commitment.replace(*commitment).is_none();
                check(new && self.entries == 0, "a commitment that comes too late")
            }
            Record::Fixed { entrants, root, .. } => {
                let first = !std::mem::replace(&mut self.fixed, true);
                check(first && self.commitment.is_some(), "a draw fixed twice")?;
                check(*entrants == self.entries, "another number of entrants")?;
                check(root == before, "a root that is not the line before")
            }
            Record::Drawn { secret, .. } => {
                let first = !std::mem::replace(&mut self.drawn, true);
                check(first && self.fixed, "a draw out of turn")?;
                let committed = self.commitment == Some(commitment(secret));
                check(committed, "a secret that was not committed to")
            }
            _ => Ok(()),
        }
    }
}

fn check(holds: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(otherwise) }
}

impl Checker for EventLog {
    fn see(&mut self, _: u64, seen: &Observation, _: &mut Findings) {
        if let Observation::SessionTold {
            visitor,
            home,
            line,
            ..
        } = *seen
        {
            self.let_in.entry((line, home)).or_default().insert(visitor);
        }
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::log::{BegunLine, Log};
    use anteroom_queue::units::{EntryNumber, Rank, ShardIndex, UnixMillis};

    use super::*;
    use crate::observation::LineTally;

    const SECRET: Hash = [3; 32];

    fn names() -> Names {
        Names {
            run: 1,
            lines: vec!["general".to_owned()],
            through: Vec::new(),
        }
    }

    fn line() -> String {
        "general".to_owned()
    }

    fn cut(first_join: u64, count: u64, first_entry: u64) -> Record {
        Record::Cut {
            line: line(),
            shard: ShardIndex(0),
            first_join,
            count,
            first_entry: EntryNumber(first_entry),
            joined: 9,
            chain: [0; 32],
        }
    }

    fn grant(count: u64, granted: u64) -> Record {
        Record::Grant {
            line: line(),
            shard: ShardIndex(0),
            count,
            granted,
        }
    }

    fn call(called: u64) -> Record {
        Record::Call {
            line: line(),
            called: Rank(called),
        }
    }

    fn write(records: Vec<Record>) -> Vec<String> {
        let mut log = Log::begin(EVENT, 1);
        let begin = Record::Begin {
            event: EVENT.to_owned(),
            run: 1,
            lines: vec![BegunLine {
                id: line(),
                commitment: Some(commitment(&SECRET)),
            }],
        };
        let mut texts = vec![log.append(UnixMillis(1), &begin)];
        for mut record in records {
            if let Record::Fixed { root, .. } = &mut record
                && *root == [0; 32]
            {
                *root = log.head;
            }
            texts.push(log.append(UnixMillis(1), &record));
        }
        texts
    }

    fn fixed(entrants: u64) -> Record {
        Record::Fixed {
            line: line(),
            entrants,
            root: [0; 32],
            round: None,
        }
    }

    fn drawn(secret: Hash) -> Record {
        Record::Drawn {
            line: line(),
            secret,
            beacon: None,
            seed: [0; 32],
        }
    }

    fn whole() -> Vec<Record> {
        vec![
            cut(0, 3, 0),
            fixed(3),
            drawn(SECRET),
            call(2),
            grant(1, 1),
            cut(3, 1, 3),
        ]
    }

    /// How many faults are found in a log of four joins, two of them called, one let in.
    fn faults(texts: &[String], let_in: u32) -> u64 {
        let mut checker = EventLog::new(names());
        let mut findings = Findings::default();
        for visitor in 0..let_in {
            let told = Observation::SessionTold {
                visitor,
                home: 0,
                line: 0,
                asked_ms: 0,
                index: visitor,
                generation: 0,
                ends_ms: 9,
            };
            checker.see(0, &told, &mut findings);
        }
        let mut tally = Tally::default();
        tally.lines[0] = LineTally {
            entries: 4,
            called: 2,
            ..LineTally::default()
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        checker.read(0, &texts, tally, &mut findings);
        findings.total()
    }

    #[test]
    fn a_whole_log_keeps_the_promise() {
        assert_eq!(faults(&write(whole()), 1), 0);
    }

    #[test]
    fn a_line_that_was_changed_left_out_or_moved_breaks_it() {
        let texts = write(whole());
        let mut changed = texts.clone();
        changed[2] = changed[2].replace("\"entrants\":3", "\"entrants\":4");
        let mut left_out = texts.clone();
        left_out.remove(4);
        let mut moved = texts.clone();
        moved.swap(3, 4);
        for texts in [changed, left_out, moved, texts[..6].to_vec()] {
            assert_eq!(faults(&texts, 1), 1);
        }
    }

    #[test]
    fn records_that_contradict_each_other_break_it() {
        let with = |at: usize, record: Record| {
            let mut records = whole();
            records[at] = record;
            write(records)
        };
        for texts in [
            with(0, cut(1, 3, 0)),
            with(1, fixed(2)),
            with(2, drawn([4; 32])),
            with(4, grant(1, 2)),
            with(5, cut(3, 1, 5)),
        ] {
            assert!(faults(&texts, 1) >= 1);
        }
        let mut early = whole();
        early.swap(2, 3);
        assert_eq!(faults(&write(early), 1), 1);
    }

    #[test]
    fn somebody_let_in_of_whom_it_says_nothing_breaks_it() {
        assert_eq!(faults(&write(whole()), 2), 1);
    }
}
