//! Recomputes a draw from what was published, so that nobody has to believe the operator.
//!
//! What comes in ([`Evidence`]) is text: the published draw, and if there are any, the event log
//! and a visitor's ticket. Every value in them is either recomputed, compared with another place
//! where it was published, or said to be beyond checking. What goes out is a list of sentences
//! ([`Findings`]): this holds, this does not, this could not be checked.
//!
//! The library reads no file, asks no network and knows no clock; the program around it does.

pub mod beacon;
mod cuts;
pub mod document;
mod drawing;
mod event_log;
mod findings;
mod history;
mod line;
mod ticket;
mod turns;

pub use findings::{Finding, Findings, Verdict};

use beacon::BeaconChain;
use document::DrawDocument;

/// What is not known without the log, and where one comes from.
const NO_LOG: &str = "no event log was given: whether the commitment came first, whether entry numbers have gaps, and \
                      whether anybody was called out of turn is not known. The organizer exports it (npm run operator -- \
                      log --out FILE) and publishes the file; ask for it where the sale was announced, and give it with \
                      --log FILE";

/// What there is to check.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// The draw as published: the text of `/_wr/queues/{event}/draw`.
    pub draw: &'a str,
    /// The event log as exported, one JSON object a line.
    pub log: Option<&'a str>,
    /// A visitor's ticket.
    pub ticket: Option<&'a str>,
    /// Only this line, by its id; none: every line, or the ticket's.
    pub line: Option<&'a str>,
    /// The beacon whose rounds count.
    pub beacon: &'a BeaconChain,
}

/// Checks everything that the evidence allows.
pub fn check(evidence: &Evidence<'_>) -> Findings {
    let mut findings = Findings::default();
    let document = match DrawDocument::read(evidence.draw) {
        Ok(document) => document,
        Err(why) => {
            findings.fails("draw", why);
            return findings;
        }
    };
    document.check_frame(&mut findings);
    let replay = evidence
        .log
        .map(|log| event_log::replay(log, &document, &mut findings));
    if replay.is_none() {
        findings.unchecked("log", NO_LOG);
    }
    let ticket = evidence.ticket.and_then(|text| {
        ticket::Ticket::read(text)
            .map_err(|why| findings.fails("ticket", why))
            .ok()
    });
    let wanted = wanted_lines(evidence, &document, ticket.as_ref(), &mut findings);
    for position in wanted {
        let past = replay.as_ref().and_then(|replay| replay.line(position));
        let order = line::check(&document, position, past, evidence.beacon, &mut findings);
        if let Some(ticket) = ticket
            .as_ref()
            .filter(|ticket| ticket.line_position() == position)
        {
            ticket.check(&document, past, &order, &mut findings);
        }
    }
    findings
}

fn ids_of(document: &DrawDocument) -> String {
    let ids: Vec<&str> = document.lines.iter().map(|line| line.id.as_str()).collect();
    ids.join(", ")
}

/// A number with what it counts: `1 cut`, `2 cuts`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {what}{s}")
}

/// The positions of the lines to check.
fn wanted_lines(
    evidence: &Evidence<'_>,
    document: &DrawDocument,
    ticket: Option<&ticket::Ticket>,
    findings: &mut Findings,
) -> Vec<usize> {
    let lines = document.lines.len();
    if let Some(ticket) = ticket {
        let position = ticket.line_position();
        let Some(line) = document.lines.get(position) else {
            findings.fails(
                "ticket.line",
                format!(
                    "the ticket is for the line at position {}, the draw has {}: {}",
                    position + 1,
                    counted(lines as u64, "line"),
                    ids_of(document)
                ),
            );
            return (0..lines).collect();
        };
        if let Some(id) = evidence.line.filter(|id| *id != line.id) {
            findings.fails(
                "ticket.line",
                format!("the ticket is for the line {}, not {id}", line.id),
            );
        }
    }
    let Some(id) = evidence.line else {
        return (0..lines).collect();
    };
    match document.lines.iter().position(|line| line.id == id) {
        Some(position) => vec![position],
        None => {
            let known = ids_of(document);
            findings.fails(
                "lines",
                format!("the draw has no line {id}; there are: {known}"),
            );
            Vec::new()
        }
    }
}
