//! From the coordinator's state to rows and back.

use super::logbook::Logbook;
use super::rows::{CoordinatorRow, LineRow};
use super::{Coordinator, RunName};
use crate::clock::Clock;
use crate::outcome::Corrupt;
use crate::settings::Settings;
use crate::units::UnixMillis;

impl Coordinator {
    /// The coordinator whose rows these are: the inverse of storing them. Of the event log only the
    /// last page is needed.
    ///
    /// # Errors
    /// [`Corrupt`] when the rows are not those of one coordinator with these lines.
    pub fn restore(
        name: RunName<'_>,
        settings: Settings,
        rows: impl IntoIterator<Item = CoordinatorRow>,
        now: UnixMillis,
    ) -> Result<Self, Corrupt> {
        let mut coordinator = Self::empty(name, settings, now);
        let lines = coordinator.lines.len();
        let mut known = false;
        for row in rows {
            match row {
                CoordinatorRow::Queue {
                    version,
                    admission,
                    longest_session,
                    live,
                    seen,
                } => {
                    let longest = coordinator.longest_session.max(longest_session);
                    coordinator.longest_session = longest;
                    known = true;
                    coordinator.board.version = version;
                    coordinator.admission = admission;
                    coordinator.live = live;
                    coordinator.clock = Clock::at(seen);
                }
                CoordinatorRow::Line { index, line } if usize::from(index) < lines => {
                    coordinator.lines[usize::from(index)].row = line;
                }
                CoordinatorRow::Calls { index, calling } if usize::from(index) < lines => {
                    coordinator.lines[usize::from(index)].calling = calling;
                }
                CoordinatorRow::Child { shard, mut child } if child.lines.len() == lines => {
                    child.heard = now;
                    coordinator
                        .children
                        .insert(shard, child.with_blank_reports());
                }
                CoordinatorRow::Noted(noted) => coordinator.noted = noted,
                CoordinatorRow::Life(life) => coordinator.life = life,
                CoordinatorRow::Origin(restraint) => coordinator.health.restraint = restraint,
                CoordinatorRow::Draw { index, draw } if usize::from(index) < lines => {
                    coordinator.lines[usize::from(index)].draw = Some(draw);
                }
                CoordinatorRow::Log(page) => {
                    if page.number >= coordinator.logbook.page_number() {
                        coordinator.logbook = Logbook::resume(page);
                    }
                }
                other => {
                    return Err(Corrupt(format!(
                        "{} does not fit {lines} lines",
                        other.key()
                    )));
                }
            }
        }
        if !known {
            return Err(Corrupt("the row of the queue is missing".to_owned()));
        }
        coordinator.check()?;
        coordinator.resume_openings(coordinator.clock.high(), now);
        for position in 0..lines {
            let running = coordinator.holds_run(position, now);
            coordinator.lines[position].calling.resume(running, now);
        }
        Ok(coordinator)
    }

    pub(super) fn take_rows(&mut self) -> Vec<CoordinatorRow> {
        let changed = std::mem::take(&mut self.changed);
        let mut rows = Vec::new();
        if changed.queue {
            rows.push(CoordinatorRow::Queue {
                version: self.board.version,
                admission: self.admission,
                longest_session: self.longest_session,
                live: self.live.clone(),
                seen: self.clock.high(),
            });
        }
        for index in changed.lines {
            rows.push(CoordinatorRow::Line {
                index: index as u8,
                line: self.lines[index].row,
            });
        }
        for index in changed.calls {
            rows.push(CoordinatorRow::Calls {
                index: index as u8,
                calling: self.lines[index].calling.stored(),
            });
        }
        for shard in changed.children {
            rows.push(CoordinatorRow::Child {
                shard,
                child: self.children[&shard].clone(),
            });
        }
        if changed.noted {
            rows.push(CoordinatorRow::Noted(self.done()));
        }
        if changed.life {
            rows.push(CoordinatorRow::Life(self.life.clone()));
        }
        if changed.origin {
            rows.push(CoordinatorRow::Origin(self.health.restraint));
        }
        for index in changed.draws {
            let draw = self.lines[index]
                .draw
                .clone()
                .expect("a changed draw is there");
            let index = index as u8;
            rows.push(CoordinatorRow::Draw { index, draw });
        }
        let pages = self.logbook.take_pages();
        rows.extend(pages.into_iter().map(CoordinatorRow::Log));
        rows
    }

    /// What must hold of every stored state.
    fn check(&self) -> Result<(), Corrupt> {
        for (position, line) in self.lines.iter().enumerate() {
            // Stored bytes may say anything: what no counter can have reached is no state.
            let cut = self
                .child_lines(position..position + 1)
                .try_fold(0_u64, |sum, child| sum.checked_add(child.cut));
            let LineRow {
                entries,
                called,
                lapsed,
                ..
            } = line.row;
            if cut != Some(entries) || called > entries || lapsed > called {
                return Err(Corrupt(format!(
                    "line {position}: {cut:?} cut, {:?}",
                    line.row
                )));
            }
        }
        Ok(())
    }
}
