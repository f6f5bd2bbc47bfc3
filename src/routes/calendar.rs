//! `GET /_wr/queues/{event}/calendar.ics`: the opening as an appointment for the visitor's calendar.
//!
//! RFC 5545. The appointment's name never changes within a run, and its sequence number is the board's version once the
//! opening was moved: a file fetched again replaces the one before. Texts are escaped, lines are folded at 75 octets, and
//! never inside a character.

use anteroom_queue::board::{LineBoard, Phase};
use anteroom_queue::units::UnixMillis;

use crate::answer::Answer;
use crate::deployment::Room;
use crate::instants;
use crate::looks;
use crate::page::locale::Language;
use crate::platform;
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::sheets::words;
use crate::visit::Visit;

/// The longest line in octets, without its end: RFC 5545, 3.1.
const MAX_LINE_BYTES: usize = 75;
/// How long the appointment lasts: a while that nobody plans something else in.
const LASTS: &str = "PT30M";
/// When the calendar reminds: time to sit down and open the page.
const REMIND: &str = "-PT10M";
/// The largest sequence number that every calendar can hold: 31 bits.
const MAX_SEQUENCE: u64 = (1 << 31) - 1;

/// The file.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let in_use = visit.board(room).await;
    let in_use = in_use.ok_or_else(|| Problem::away(SHORTEST_POLL.0))?;
    let line = asked_line(&visit.incoming.query, &in_use.board.lines)?;
    let begins = opening(line).ok_or_else(|| {
        Problem::new(
            404,
            "no-opening",
            "this line is open already, or nobody has said when it opens",
        )
    })?;
    let event = room.event;
    let language = Language::choose(visit.incoming.header("accept-language").as_deref());
    let address = format!("{}{}", visit.incoming.own_origin(), event.front());
    let appointment = Appointment {
        name: name_of(event, &line.id),
        sequence: line.moved.as_ref().map_or(0, |_| in_use.board.version),
        written: platform::now(),
        begins,
        summary: words(language).fill("calendar.summary", "event", &looks::title(room, language)),
        description: [
            line.moved
                .as_ref()
                .map(|moved| words(language).fill("calendar.moved", "reason", &moved.reason)),
            Some(words(language).text("calendar.description").to_owned()),
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n"),
        address,
    };
    let file_name = format!("attachment; filename=\"{}.ics\"", event.id);
    Ok(
        Answer::text(200, "text/calendar; charset=utf-8", appointment.file())
            .with("content-disposition", file_name),
    )
}

/// The line that the query names, else the first that will open.
fn asked_line<'l>(query: &str, lines: &'l [LineBoard]) -> Result<&'l LineBoard, Problem> {
    let asked = query.split('&').find_map(|pair| pair.strip_prefix("line="));
    let found = match asked {
        None => lines
            .iter()
            .find(|line| opening(line).is_some())
            .or(lines.first()),
        Some(id) => lines.iter().find(|line| line.id == id),
    };
    found.ok_or_else(|| Problem::new(400, "no-such-line", "line: allowed is a line of this queue"))
}

/// When the line opens, while it has not.
fn opening(line: &LineBoard) -> Option<UnixMillis> {
    line.opens_at
        .filter(|_| matches!(line.phase, Phase::Before | Phase::Prequeue))
}

/// The appointment's name all over the world: of the event's first host, run and line.
fn name_of(event: &anteroom_config::Event, line: &str) -> String {
    let host = event
        .hosts
        .first()
        .map_or("", |host| host.trim_start_matches(['*', '.']));
    format!("anteroom-{}-{}-{line}@{host}", event.id, event.run)
}

struct Appointment {
    name: String,
    sequence: u64,
    written: UnixMillis,
    begins: UnixMillis,
    summary: String,
    description: String,
    address: String,
}

impl Appointment {
    fn file(&self) -> String {
        let summary = escaped(&self.summary);
        let lines = [
            "BEGIN:VCALENDAR".to_owned(),
            "VERSION:2.0".to_owned(),
            "PRODID:-//Anteroom//Anteroom//EN".to_owned(),
            "CALSCALE:GREGORIAN".to_owned(),
            "METHOD:PUBLISH".to_owned(),
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}", self.name),
            format!("SEQUENCE:{}", self.sequence.min(MAX_SEQUENCE)),
            format!("DTSTAMP:{}", instants::compact(self.written)),
            format!("DTSTART:{}", instants::compact(self.begins)),
            format!("DURATION:{LASTS}"),
            format!("SUMMARY:{summary}"),
            format!("DESCRIPTION:{}", escaped(&self.description)),
            format!("URL:{}", self.address),
            "TRANSP:OPAQUE".to_owned(),
            "BEGIN:VALARM".to_owned(),
            "ACTION:DISPLAY".to_owned(),
            format!("TRIGGER:{REMIND}"),
            format!("DESCRIPTION:{summary}"),
            "END:VALARM".to_owned(),
            "END:VEVENT".to_owned(),
            "END:VCALENDAR".to_owned(),
        ];
        lines.iter().map(|line| folded(line)).collect()
    }
}

/// A text as a property holds it (RFC 5545, 3.3.11). What else controls a terminal or a parser is left out.
fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 8);
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\\' | ';' | ',' => written.extend(['\\', c]),
            '\n' => written.push_str("\\n"),
            c if c.is_control() => {}
            c => written.push(c),
        }
    }
    written
}

/// A line with its end, folded where it is too long (RFC 5545, 3.1).
fn folded(line: &str) -> String {
    let mut written = String::with_capacity(line.len() + 8);
    let mut bytes = 0;
    for c in line.chars() {
        if bytes + c.len_utf8() > MAX_LINE_BYTES {
            written.push_str("\r\n ");
            bytes = 1;
        }
        written.push(c);
        bytes += c.len_utf8();
    }
    written.push_str("\r\n");
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn appointment() -> Appointment {
        Appointment {
            name: "anteroom-demo-1-general@tickets.example.com".to_owned(),
            sequence: 0,
            written: UnixMillis(1_803_800_000_000),
            begins: UnixMillis(1_803_891_600_000),
            summary: "World Tour; 2027, the sale".to_owned(),
            description: "One\nTwo".to_owned(),
            address: "https://tickets.example.com/shop/".to_owned(),
        }
    }

    #[test]
    fn the_file_is_one_appointment_with_a_reminder() {
        let file = appointment().file();
        for line in [
            "DTSTART:20270301T090000Z",
            "UID:anteroom-demo-1-general@tickets.example.com",
            "SEQUENCE:0",
            "SUMMARY:World Tour\\; 2027\\, the sale",
            "DESCRIPTION:One\\nTwo",
            "TRIGGER:-PT10M",
            "URL:https://tickets.example.com/shop/",
        ] {
            assert!(file.contains(&format!("{line}\r\n")), "{line} in {file}");
        }
        assert!(file.starts_with("BEGIN:VCALENDAR\r\n") && file.ends_with("END:VCALENDAR\r\n"));
        assert!(!file.replace("\r\n", "").contains(['\r', '\n']));
    }

    #[test]
    fn nothing_in_a_text_ends_its_line() {
        let title = "A\r\nEND:VEVENT\rB\u{7}\\";
        assert_eq!(escaped(title), "A\\nEND:VEVENTB\\\\");
    }

    #[test]
    fn long_lines_are_folded_between_characters_and_unfold_to_what_they_were() {
        for text in ["x".repeat(400), "ü€🎫".repeat(60), "y".repeat(75)] {
            let written = folded(&text);
            for line in written.split("\r\n") {
                assert!(line.len() <= MAX_LINE_BYTES, "{} octets", line.len());
            }
            assert_eq!(written.replace("\r\n ", ""), format!("{text}\r\n"));
        }
        assert_eq!(folded(&"y".repeat(75)).matches("\r\n").count(), 1);
    }

    #[test]
    fn only_a_line_that_will_open_has_an_appointment() {
        let at = Some(UnixMillis(5));
        for (phase, opens_at, expected) in [
            (Phase::Before, at, at),
            (Phase::Prequeue, at, at),
            (Phase::Before, None, None),
            (Phase::Drawing, at, None),
            (Phase::Open, at, None),
            (Phase::Closed, at, None),
        ] {
            let mut board = samples::board(phase);
            board.lines[0].opens_at = opens_at;
            assert_eq!(opening(&board.lines[0]), expected, "{phase:?}");
        }
    }

    #[test]
    fn the_asked_line_is_the_named_one_or_the_first_that_will_open() {
        let mut lines = samples::board(Phase::Before).lines;
        lines.push(LineBoard {
            id: "club".to_owned(),
            ..lines[0].clone()
        });
        assert_eq!(asked_line("x=1&line=club", &lines).unwrap().id, "club");
        for (opens_at, phase_of_first, expected) in [
            ([None, None], Phase::Before, "general"),
            ([None, Some(5)], Phase::Before, "club"),
            ([Some(9), Some(5)], Phase::Before, "general"),
            ([Some(9), Some(5)], Phase::Open, "club"),
        ] {
            for (line, at) in lines.iter_mut().zip(opens_at) {
                line.opens_at = at.map(UnixMillis);
            }
            lines[0].phase = phase_of_first;
            let found = asked_line("", &lines).unwrap();
            assert_eq!(found.id, expected, "{opens_at:?} {phase_of_first:?}");
        }
        assert_eq!(asked_line("line=nobody", &lines).unwrap_err().status(), 400);
    }
}
