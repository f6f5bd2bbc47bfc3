//! The event log as the coordinator keeps it: the page that is being written, and what is on the
//! full ones only as their hash. A line is stored with the change that it describes, in one
//! commit, so that a crash loses neither without the other.

use serde::{Deserialize, Serialize};

use super::Coordinator;
use crate::draw::Hash;
use crate::limits::LOG_PAGE_LINES;
use crate::log::{Log, Record};
use crate::units::UnixMillis;

/// One stored page of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPage {
    /// Which page, from 0.
    pub number: u32,
    /// The number `n` of its first line.
    pub first: u64,
    /// The hash of its last line, or of the line before it while it has none.
    pub head: Hash,
    /// The lines as published, each with its hash.
    pub lines: Vec<String>,
}

/// The log, and the pages that have to be stored.
#[derive(Clone, Debug)]
pub(super) struct Logbook {
    log: Log,
    page: LogPage,
    /// Pages that were filled and not stored yet.
    full: Vec<LogPage>,
    changed: bool,
}

impl Logbook {
    pub(super) fn begin(event: &str, run: u32) -> Self {
        let log = Log::begin(event, run);
        let page = LogPage {
            first: log.next,
            head: log.head,
            ..LogPage::default()
        };
        Self {
            log,
            page,
            full: Vec::new(),
            changed: false,
        }
    }

    /// Goes on behind a stored page, which is the last.
    pub(super) fn resume(page: LogPage) -> Self {
        let next = page.first + page.lines.len() as u64;
        let log = Log {
            head: page.head,
            next,
        };
        Self {
            log,
            page,
            full: Vec::new(),
            changed: false,
        }
    }

    pub(super) fn head(&self) -> Hash {
        self.log.head
    }

    pub(super) fn is_empty(&self) -> bool {
        self.log.next == 1
    }

    pub(super) fn page_number(&self) -> u32 {
        self.page.number
    }

    pub(super) fn append(&mut self, at: UnixMillis, record: &Record) {
        if self.page.lines.len() >= LOG_PAGE_LINES {
            let next = LogPage {
                number: self.page.number + 1,
                first: self.log.next,
                head: self.log.head,
                lines: Vec::new(),
            };
            self.full.push(std::mem::replace(&mut self.page, next));
        }
        let line = self.log.append(at, record);
        self.page.lines.push(line);
        self.page.head = self.log.head;
        self.changed = true;
    }

    /// The pages that changed since they were last taken.
    pub(super) fn take_pages(&mut self) -> Vec<LogPage> {
        let mut pages = std::mem::take(&mut self.full);
        if std::mem::take(&mut self.changed) {
            pages.push(self.page.clone());
        }
        pages
    }
}

impl Coordinator {
    pub(super) fn log(&mut self, record: &Record, now: UnixMillis) {
        self.logbook.append(now, record);
    }

    /// How many stored pages the log has: they are numbered from 0, and the last may still grow.
    pub fn log_pages(&self) -> u32 {
        self.logbook.page_number() + 1
    }

    pub(super) fn line_id(&self, position: usize) -> String {
        self.settings.lines[position].id.clone()
    }
}
