//! Reads the event log from its first line: the chain of hashes, and what the lines say.

use anteroom_queue::draw::Hash;
use anteroom_queue::log::{BegunLine, LineFault, LogLine, Record, empty_head, verify_line};
use serde_json::Value;

use crate::document::DrawDocument;
use crate::history::{History, Step};
use crate::{Findings, Verdict, counted, drawing, turns};

/// A log that was read, as far as its chain holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replay {
    lines: Vec<History>,
    /// Unix milliseconds of the last line.
    at: u64,
    /// What operators did, by name.
    operators: Vec<(String, String)>,
    /// Requests that went past the queue and staff passes, as last counted.
    beside: (u64, u64),
}

impl Replay {
    /// What it says about a line, by the line's index.
    pub(crate) fn line(&self, position: usize) -> Option<&History> {
        self.lines.get(position)
    }
}

/// Reads `log`, the log of the event and run that `document` is about.
pub(crate) fn replay(log: &str, document: &DrawDocument, findings: &mut Findings) -> Replay {
    let before = findings.count(Verdict::Fails);
    let mut replay = Replay::default();
    let mut head = empty_head(&document.event, document.run);
    let mut read: u64 = 0;
    for text in log.lines() {
        let n = read + 1;
        let about = format!("log line {n}");
        let line: Option<LogLine> = serde_json::from_str(text).ok();
        if n == 1 && !begins(line.as_ref(), document, findings) {
            return replay;
        }
        match verify_line(&head, text) {
            Ok(next) => {
                let line = line.filter(|line| line.n == n);
                let Some(line) = line else {
                    findings.fails(
                        about,
                        format!("not a line with number {n} of a kind that this program knows"),
                    );
                    return replay;
                };
                replay.take(line, &head, findings);
                head = next;
            }
            Err(fault) => {
                findings.fails(about, broken(fault));
                return replay;
            }
        }
        read = n;
    }
    if read == 0 {
        findings.fails("log", "it is empty");
        return replay;
    }
    replay.finish(document, findings);
    if findings.count(Verdict::Fails) == before {
        replay.tell(read, &head, findings);
    }
    replay
}

fn broken(fault: LineFault) -> &'static str {
    match fault {
        LineFault::NoHash => {
            "it does not end with a hash: it was altered or cut off; what follows was not read"
        }
        LineFault::OtherHash => {
            "its hash is another: this line was altered, or one before it was left out or put in; what follows was \
             not read"
        }
    }
}

/// Whether the first line begins the log of the document's event and run.
fn begins(line: Option<&LogLine>, document: &DrawDocument, findings: &mut Findings) -> bool {
    let Some(LogLine {
        record: Record::Begin { event, run, .. },
        ..
    }) = line
    else {
        findings.fails("log line 1", "a log begins with the line of the kind begin");
        return false;
    };
    let of = |event: &str, run: u32| format!("event {event}, run {run}");
    let (log, draw) = (of(event, *run), of(&document.event, document.run));
    findings.require(log == draw, "event and run", || {
        format!("the log is of {log} (log line 1), the draw of {draw}")
    });
    log == draw
}

impl Replay {
    fn take(&mut self, line: LogLine, head: &Hash, findings: &mut Findings) {
        let (n, at) = (line.n, line.at.0);
        let about = format!("log line {n}");
        findings.require(at >= self.at, &about, || {
            "its time is before the line before it".to_owned()
        });
        self.at = at;
        match line.record {
            Record::Begin { lines, .. } => self.begin(n, lines, findings),
            Record::Operator { by, action } => {
                self.operators.push((by, name_of(&action).to_owned()));
            }
            Record::Stock { .. } => {}
            Record::Edges { bypassed, staff } => self.beside = (bypassed, staff),
            record => self.take_of_line(n, record, head, findings),
        }
    }

    fn begin(&mut self, n: u64, lines: Vec<BegunLine>, findings: &mut Findings) {
        findings.require(n == 1, format!("log line {n}"), || {
            "the log begins a second time".to_owned()
        });
        if n == 1 {
            let histories = lines
                .into_iter()
                .map(|line| History::new(line.id, line.commitment));
            self.lines = histories.collect();
        }
    }

    fn take_of_line(&mut self, n: u64, record: Record, head: &Hash, findings: &mut Findings) {
        let (Record::Line { line, .. }
        | Record::Cut { line, .. }
        | Record::Call { line, .. }
        | Record::Grant { line, .. }
        | Record::Admit { line, .. }
        | Record::Fixed { line, .. }
        | Record::Drawn { line, .. }) = &record
        else {
            return;
        };
        let Some(history) = self.lines.iter_mut().find(|known| known.id == *line) else {
            return findings.fails(
                format!("log line {n}"),
                format!("the run has no line {line}"),
            );
        };
        let step = Step { n, at: self.at };
        match record {
            Record::Line { .. } | Record::Fixed { .. } | Record::Drawn { .. } => {
                drawing::take(history, step, record, head, findings);
            }
            _ => turns::take(history, step, record, findings),
        }
    }

    /// What can be said only at the end.
    fn finish(&self, document: &DrawDocument, findings: &mut Findings) {
        let ours: Vec<&str> = self.lines.iter().map(|line| line.id.as_str()).collect();
        let theirs: Vec<&str> = document.lines.iter().map(|line| line.id.as_str()).collect();
        findings.require(ours == theirs, "lines", || {
            format!(
                "the log has the lines {}, the draw {}",
                ours.join(", "),
                theirs.join(", ")
            )
        });
        for line in &self.lines {
            let stated = line.stated.map_or(0, |(granted, _)| granted);
            findings.require(
                stated == line.granted,
                format!("log, line {}", line.id),
                || format!("its grants are {}, the last says {stated}", line.granted),
            );
        }
    }

    fn tell(&self, read: u64, head: &Hash, findings: &mut Findings) {
        let hash = anteroom_queue::draw::hex::text(head);
        findings.holds(
            "log",
            format!("{}, each chained to the one before it; the last has the hash {hash}, the same in every honest copy", counted(read, "line")),
        );
        for line in &self.lines {
            let about = format!("log, line {}", line.id);
            let cuts = counted(line.cuts.len() as u64, "cut");
            let shards = counted(line.shards.len() as u64, "shard");
            let entries = counted(line.entries, "entry number");
            findings.holds(
                &about,
                format!("{entries} from 0 on, in {cuts} for {shards}, without gap or overlap"),
            );
            let (called, granted, admitted) = (line.called, line.granted, line.admitted);
            findings.holds(
                &about,
                format!(
                    "{} offered in the order of the ranks, {granted} granted, {} admitted while nobody waited",
                    counted(called, "turn"),
                    counted(admitted, "first visit")
                ),
            );
            if granted > called {
                let more = counted(granted - called, "grant");
                findings.unchecked(
                    &about,
                    format!("{more} more than turns: a grant that nobody takes up is given again, and the log does not say which"),
                );
            }
        }
        let by: Vec<String> = self
            .operators
            .iter()
            .map(|(by, what)| format!("{what} by {by}"))
            .collect();
        let did = if by.is_empty() {
            "nothing".to_owned()
        } else {
            by.join(", ")
        };
        let (bypassed, staff) = self.beside;
        findings.holds(
            "log, beside the queue",
            format!(
                "operators did: {did}; {} passed without a pass, {staff} with a staff pass",
                counted(bypassed, "request")
            ),
        );
    }
}

/// What an action is called: its member `action`, its only member, or itself.
fn name_of(action: &Value) -> &str {
    let only = action.as_object().and_then(|members| members.keys().next());
    let named = action.get("action").and_then(Value::as_str);
    named
        .or(action.as_str())
        .or(only.map(String::as_str))
        .unwrap_or("something")
}
