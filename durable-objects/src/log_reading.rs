//! Reading the event log page by page, for operators.
//!
//! Pages are rows of their own, each full one with the same number of lines, so that the page with
//! any line is found by arithmetic and read by its key: no page is kept in memory, and a log of any
//! length costs an answer one row read. What is read is stored, so it will not be taken back.

use anteroom_queue::coordinator::logbook::LogPage;
use anteroom_queue::coordinator::rows::{CoordinatorRow, log_key};
use anteroom_queue::limits::LOG_PAGE_LINES;

use crate::storage::{Store, read_row};
use crate::wire::{LogLines, MAX_MESSAGE_BYTES};

/// Bytes of lines in one answer: a message less ample room for its frame. A page with the longest
/// texts of operators is more and takes several answers.
const MAX_ANSWER_BYTES: usize = MAX_MESSAGE_BYTES - 1_024;

/// The most that a line counts for beside its text: the varint of its length.
const LINE_FRAME_BYTES: usize = 5;

/// The lines of the log behind number `after`, up to the end of the stored page that they are on.
///
/// # Errors
/// Storage cannot be read, or what it holds is not the log: why, in words.
pub fn log_lines(store: &impl Store, after: u64) -> Result<LogLines, String> {
    let Some(page) = page_of(store, after)? else {
        return Ok(LogLines::default());
    };
    let skipped = (after + 1).saturating_sub(page.first) as usize;
    let mut room = MAX_ANSWER_BYTES;
    let lines: Vec<String> = page
        .lines
        .iter()
        .skip(skipped)
        .take_while(|line| {
            let taken = line.len() + LINE_FRAME_BYTES;
            let fits = taken <= room;
            room = room.saturating_sub(taken);
            fits
        })
        .cloned()
        .collect();
    let last = after + lines.len() as u64;
    let ends_page = last + 1 == page.first + page.lines.len() as u64;
    let more = !ends_page || page_of(store, last)?.is_some_and(|next| next.number > page.number);
    Ok(LogLines {
        next: (more && !lines.is_empty()).then_some(last),
        lines,
    })
}

/// The page that has line `after + 1`, or would have it next.
fn page_of(store: &impl Store, after: u64) -> Result<Option<LogPage>, String> {
    let Ok(number) = u32::try_from(after / LOG_PAGE_LINES as u64) else {
        return Ok(None);
    };
    let key = log_key(number);
    let Some(bytes) = store.bytes_of(&key)? else {
        return Ok(None);
    };
    let row = read_row(&key, &bytes).map_err(|why| why.to_string())?;
    match row {
        CoordinatorRow::Log(page)
            if page.number == number
                && page.first == u64::from(number) * LOG_PAGE_LINES as u64 + 1 =>
        {
            Ok(Some(page))
        }
        _ => Err(format!("row {key}: not this page of the log")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::Memory;
    use crate::storage::Changes;

    /// A stored log of lines of that length, with as many on its pages as the core puts there.
    fn log(lines: usize, bytes: usize) -> Memory {
        let all: Vec<String> = (1..=lines).map(|n| format!("{n:0>bytes$}")).collect();
        let mut changes = Changes::default();
        for (number, lines) in all.chunks(LOG_PAGE_LINES).enumerate() {
            let page = LogPage {
                number: number as u32,
                first: (number * LOG_PAGE_LINES) as u64 + 1,
                lines: lines.to_vec(),
                ..LogPage::default()
            };
            changes.extend(vec![CoordinatorRow::Log(page)]);
        }
        let mut memory = Memory::default();
        memory.commit(changes).unwrap();
        memory
    }

    /// Everything, as an operator fetches it: the lines, and in how many answers.
    fn fetched(memory: &Memory) -> (Vec<u64>, usize) {
        let (mut numbers, mut answers, mut after) = (Vec::new(), 0, Some(0));
        while let Some(asked) = after {
            let page = log_lines(memory, asked).unwrap();
            assert!(crate::wire::encode(&page).len() <= MAX_MESSAGE_BYTES);
            numbers.extend(page.lines.iter().map(|line| line.parse::<u64>().unwrap()));
            (answers, after) = (answers + 1, page.next);
        }
        (numbers, answers)
    }

    #[test]
    fn the_whole_log_is_read_page_by_page_and_every_line_comes_once() {
        // Lines, bytes of a line, answers.
        let rows = [
            (0, 20, 1),
            (1, 20, 1),
            (63, 20, 1),
            (64, 20, 1),
            (65, 20, 2),
            (200, 20, 4),
            (64, 3_000, 4),
        ];
        for (lines, bytes, answers) in rows {
            let expected = (1..=lines as u64).collect::<Vec<_>>();
            let what = format!("{lines} lines of {bytes} bytes");
            assert_eq!(fetched(&log(lines, bytes)), (expected, answers), "{what}");
        }
    }

    #[test]
    fn an_answer_begins_behind_the_line_that_the_asker_has() {
        let memory = log(70, 20);
        let lines = |after| log_lines(&memory, after).unwrap();
        assert_eq!((lines(60).lines.len(), lines(60).next), (4, Some(64)));
        assert_eq!((lines(64).lines.len(), lines(64).next), (6, None));
        for beyond in [70, 71, 500, u64::MAX] {
            assert_eq!(lines(beyond), LogLines::default(), "behind {beyond}");
        }
    }

    #[test]
    fn a_log_that_cannot_be_read_is_an_error_and_not_the_end() {
        let mut memory = log(70, 20);
        let wrong = memory.rows[&log_key(1)].clone();
        memory.rows.insert(log_key(0), wrong);
        assert_eq!(
            log_lines(&memory, 0).unwrap_err(),
            "row log/0000000000: not this page of the log"
        );
        memory.is_broken = true;
        assert_eq!(log_lines(&memory, 0).unwrap_err(), "disk unreadable");
    }
}
