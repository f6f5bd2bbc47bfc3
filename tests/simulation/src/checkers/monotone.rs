//! **monotone**: `called`, `lapsed` and the version only grow; a shown `ahead` never rises; one
//! version is one board.

use std::collections::BTreeMap;

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{BoardSeen, Observation, VisitorId};

/// Versions whose content is remembered.
const VERSIONS_KEPT: usize = 4_096;

#[derive(Clone, Copy, Default)]
struct Page {
    version: u64,
    /// One more than what was shown; zero: nothing yet.
    ahead: u32,
}

/// Remembers what each page showed last and what each version was.
pub struct Monotone {
    pages: Vec<Page>,
    boards: BTreeMap<u64, BoardSeen>,
    edges: BTreeMap<u8, u64>,
}

impl Monotone {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            pages: vec![Page::default(); terms.visitors as usize],
            boards: BTreeMap::new(),
            edges: BTreeMap::new(),
        }
    }

    fn shown(
        &mut self,
        at_ms: u64,
        visitor: VisitorId,
        version: u64,
        ahead: u64,
        findings: &mut Findings,
    ) {
        let page = &mut self.pages[visitor as usize];
        let before = *page;
        if version < before.version {
            findings.broken(at_ms, Promise::Monotone, || {
                format!(
                    "visitor {visitor} saw version {version} after {}",
                    before.version
                )
            });
        }
        if before.ahead > 0 && ahead + 1 > u64::from(before.ahead) {
            findings.broken(at_ms, Promise::Monotone, || {
                format!(
                    "visitor {visitor} had {} ahead and now {ahead}",
                    before.ahead - 1
                )
            });
        }
        *page = Page {
            version,
            ahead: ahead as u32 + 1,
        };
    }

    fn board(&mut self, at_ms: u64, board: BoardSeen, findings: &mut Findings) {
        let shown = self.edges.entry(board.edge).or_default();
        if board.version < *shown {
            let shown = *shown;
            findings.broken(at_ms, Promise::Monotone, || {
                format!(
                    "edge {} shows version {} after {shown}",
                    board.edge, board.version
                )
            });
        }
        *shown = board.version;
        if let Some(same) = self.boards.get(&board.version) {
            if same.fingerprint != board.fingerprint {
                findings.broken(at_ms, Promise::Monotone, || {
                    format!("version {} is {same:?} and {board:?}", board.version)
                });
            }
            return;
        }
        let older = self.boards.range(..board.version).next_back();
        let newer = self.boards.range(board.version..).next();
        let pairs = [
            older.map(|(_, o)| (*o, board)),
            newer.map(|(_, n)| (board, *n)),
        ];
        for (old, new) in pairs.into_iter().flatten() {
            if !grows(&old, &new) {
                findings.broken(at_ms, Promise::Monotone, || {
                    format!("{old:?} became {new:?}")
                });
            }
        }
        self.boards.insert(board.version, board);
        if self.boards.len() > VERSIONS_KEPT {
            self.boards.pop_first();
        }
    }
}

/// Whether every line's watermarks have grown and are in order.
fn grows(old: &BoardSeen, new: &BoardSeen) -> bool {
    let mut lines = old.lines.iter().zip(&new.lines);
    lines.all(|(old, new)| {
        let grown =
            old.called <= new.called && old.lapsed <= new.lapsed && old.entries <= new.entries;
        grown && new.lapsed <= new.called && new.called <= new.entries
    })
}

impl Checker for Monotone {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::Shown {
                visitor,
                version,
                rank,
                called,
                ..
            } => {
                self.shown(
                    at_ms,
                    visitor,
                    version,
                    rank.saturating_sub(called),
                    findings,
                );
            }
            Observation::BoardRead(board) => self.board(at_ms, board, findings),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histories::{TERMS, broken};
    use super::*;
    use crate::observation::LineSeen;

    fn check(history: &[Observation]) -> u64 {
        let history: Vec<_> = history.iter().map(|seen| (0, *seen)).collect();
        broken(&mut Monotone::new(TERMS), Promise::Monotone, &history)
    }

    fn shown(version: u64, called: u64) -> Observation {
        Observation::Shown {
            visitor: 3,
            version,
            line: 0,
            rank: 9,
            called,
        }
    }

    fn read(edge: u8, version: u64, called: u64, lapsed: u64) -> Observation {
        let fingerprint = called << 8 | lapsed;
        Observation::BoardRead(BoardSeen {
            edge,
            version,
            lines: [
                LineSeen {
                    called,
                    lapsed,
                    entries: 50,
                },
                LineSeen::default(),
                LineSeen::default(),
            ],
            fingerprint,
        })
    }

    #[test]
    fn numbers_that_only_move_forward_keep_the_promise() {
        assert_eq!(
            check(&[
                shown(1, 3),
                shown(2, 5),
                shown(2, 5),
                read(0, 1, 3, 0),
                read(1, 2, 5, 1),
                read(0, 2, 5, 1)
            ]),
            0
        );
    }

    #[test]
    fn an_ahead_that_rises_and_a_version_that_falls_break_it() {
        assert_eq!(check(&[shown(1, 5), shown(2, 3)]), 1);
        assert_eq!(check(&[shown(2, 5), shown(1, 5)]), 1);
        assert_eq!(check(&[read(0, 2, 5, 1), read(0, 1, 3, 0)]), 1);
    }

    #[test]
    fn a_watermark_that_falls_and_a_version_with_two_contents_break_it() {
        assert_eq!(check(&[read(0, 1, 5, 1), read(0, 2, 4, 1)]), 1);
        assert_eq!(check(&[read(0, 1, 5, 2), read(0, 2, 5, 1)]), 1);
        assert_eq!(check(&[read(0, 2, 4, 1), read(1, 1, 5, 1)]), 1);
        assert_eq!(check(&[read(0, 1, 5, 1), read(1, 1, 6, 1)]), 1);
    }
}
