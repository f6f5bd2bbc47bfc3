//! The life of the event: openings that were moved, lines that were closed, and the end.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Coordinator;
use super::command::Action;
use super::steering::Ending;
use crate::board::{Moved, Phase, Stock};
use crate::limits::{LONGEST_NOTICE, SHORTEST_NOTICE};
use crate::settings::Mode;
use crate::units::{Millis, UnixMillis};

const DAY: Millis = Millis::from_minutes(24 * 60);

/// An opening that the operator has moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// When the line opens now.
    pub at: UnixMillis,
    /// Why.
    pub reason: String,
}

/// What is stored of the event's life, beside the operator's live values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// How many shards keep the records of keys and codes.
    pub homes: u16,
    /// Moved openings, by line.
    pub openings: BTreeMap<u8, Opening>,
    /// Lines that the operator has closed.
    pub closed_lines: BTreeSet<u8>,
    /// What is left.
    pub stock: Option<Stock>,
    /// When the operator ended the run.
    pub ended_at: Option<UnixMillis>,
    /// Passes made for staff.
    pub staff_passes: u64,
    /// Requests that passed without a pass, as far as they were logged.
    pub bypassed: u64,
    /// Requests with a staff pass, as far as they were logged.
    pub staff_requests: u64,
}

impl Coordinator {
    /// When a line opens, after live changes.
    pub(super) fn opens_at(&self, position: usize) -> Option<UnixMillis> {
        let moved = self.life.openings.get(&(position as u8));
        moved
            .map(|opening| opening.at)
            .or(self.settings.lines[position].opens_at)
    }

    /// What to say about a moved opening.
    pub(super) fn moved(&self, position: usize) -> Option<Moved> {
        let opening = self.life.openings.get(&(position as u8))?;
        let from = self.settings.lines[position].opens_at?;
        (from != opening.at && !opening.reason.is_empty()).then(|| Moved {
            from,
            reason: opening.reason.clone(),
        })
    }

    /// The end of a line, if it has come.
    pub(super) fn ended(&self, position: usize) -> Option<Phase> {
        let closed = self.life.closed_lines.contains(&(position as u8));
        match self.live.ending {
            Ending::Soldout => Some(Phase::Soldout),
            Ending::Closed => Some(Phase::Closed),
            Ending::None => (closed || self.settings.mode == Mode::Closed).then_some(Phase::Closed),
        }
    }

    /// The phase of a line: what the operator said, else what the schedule and the draw have.
    pub(super) fn phase(&self, position: usize, now: UnixMillis) -> Phase {
        if let Some(ended) = self.ended(position) {
            return ended;
        }
        let draw = self.lines[position].draw.as_ref();
        let fixed = draw.is_some_and(|draw| draw.fixed.is_some());
        let opened = fixed || self.opens_at(position).is_none_or(|at| now >= at);
        let taking = opened || self.settings.prequeue_at.is_none_or(|at| now >= at);
        let drawing = draw.is_some_and(|draw| draw.drawn.is_none());
        match (opened, taking) {
            (true, _) if drawing => Phase::Drawing,
            (true, _) if self.pauses() => Phase::Paused,
            (true, _) => Phase::Open,
            (false, true) => Phase::Prequeue,
            (false, false) => Phase::Before,
        }
    }

    /// Paused by the operator, because nothing is left to sell for the moment, or because the shop
    /// does not answer.
    fn pauses(&self) -> bool {
        let nothing_left = self.life.stock.is_some_and(|stock| stock.left == 0);
        let origin_away = self.health.restraint.paused;
        (self.live.pause.is_some() || nothing_left || origin_away) && !self.live.stop
    }

    /// Carries out an action on the event's life; `None`: it is not one.
    pub(super) fn live_on(
        &mut self,
        action: &Action,
        now: UnixMillis,
    ) -> Option<Result<(), String>> {
        Some(match action {
            Action::Reschedule {
                line,
                opens_at,
                reason,
            } => self.reschedule(line.as_deref(), *opens_at, reason, now),
            Action::Stock { left } => {
                // It wins over every word that was heard before, also one that was not taken up yet.
                let waiting = self.forget_waiting_stock();
                let heard = self.life.stock.into_iter().chain(waiting);
                let known = heard.map(|stock| stock.at).max().unwrap_or_default();
                let at = now.max(known.plus(Millis(1)));
                self.life.stock = Some(Stock { left: *left, at });
                Ok(())
            }
            Action::CloseLine { line } => self.position_of(line).map(|position| {
                self.life.closed_lines.insert(position as u8);
            }),
            Action::OpenLine { line } => self.position_of(line).map(|position| {
                self.life.closed_lines.remove(&(position as u8));
            }),
            Action::StaffPass { .. } => {
                self.life.staff_passes += 1;
                Ok(())
            }
            _ => return None,
        })
    }

    fn position_of(&self, line: &str) -> Result<usize, String> {
        let lines = &self.settings.lines;
        let known = || {
            let ids: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
            ids.join(", ")
        };
        let position = lines.iter().position(|known| known.id == line);
        position.ok_or_else(|| format!("line is {line}; there are: {}", known()))
    }

    fn reschedule(
        &mut self,
        line: Option<&str>,
        opens_at: UnixMillis,
        reason: &str,
        now: UnixMillis,
    ) -> Result<(), String> {
        let waits = |position: &usize| {
            matches!(self.phase(*position, now), Phase::Before | Phase::Prequeue)
        };
        let positions: Vec<usize> = match line {
            Some(line) => vec![self.position_of(line)?],
            None => (0..self.lines.len()).filter(waits).collect(),
        };
        if positions
            .iter()
            .any(|position| self.ended(*position).is_some())
        {
            return Err("opens_at cannot be moved: the line is closed".to_owned());
        }
        if positions.is_empty() || !positions.iter().all(waits) {
            return Err(
                "opens_at cannot be moved any more: the line has opened or its draw has begun"
                    .to_owned(),
            );
        }
        let notice = now.plus(SHORTEST_NOTICE);
        let earliest = self
            .settings
            .prequeue_at
            .map_or(notice, |at| notice.max(at.plus(Millis(1))));
        let stands = positions.iter().filter_map(|line| self.opens_at(*line));
        let latest = stands.fold(now, UnixMillis::max).plus(LONGEST_NOTICE);
        if opens_at < earliest || opens_at > latest {
            return Err(format!(
                "opens_at is {}; {} to {} are allowed (Unix time in milliseconds): {} s from now at least, \
                 later than prequeue_at, at most {} days later than now and than it was",
                opens_at.0,
                earliest.0,
                latest.0,
                SHORTEST_NOTICE.0 / 1_000,
                LONGEST_NOTICE.0 / DAY.0
            ));
        }
        for position in positions {
            let opening = Opening {
                at: opens_at,
                reason: reason.to_owned(),
            };
            let is_configured = self.settings.lines[position].opens_at == Some(opens_at);
            if is_configured {
                self.life.openings.remove(&(position as u8));
            } else {
                self.life.openings.insert(position as u8, opening);
            }
        }
        Ok(())
    }

    /// A configuration moves no opening whose draw has begun: what it was is kept.
    pub(super) fn keep_begun_openings(&mut self, now: UnixMillis) {
        for position in 0..self.lines.len() {
            let at = self.opens_at(position).filter(|at| now >= *at);
            if let Some(at) = at
                && self.draw_is_open(position)
            {
                let opening = Opening {
                    at,
                    reason: String::new(),
                };
                self.life.openings.entry(position as u8).or_insert(opening);
                self.changed.life = true;
            }
        }
    }

    /// How the gate treats visitors, after live changes.
    pub(super) fn mode(&self) -> Mode {
        match self.live.off {
            true => Mode::Off,
            false => self.settings.mode,
        }
    }

    /// The operator has ended the run, and nothing passes here any more: while the mode is `off` the
    /// shop goes on behind this queue, which must not be deleted under it.
    fn is_over(&self) -> bool {
        self.live.ending != Ending::None && self.mode() != Mode::Off
    }

    /// Notes when the run ended, and forgets it when it goes on.
    pub(super) fn note_end(&mut self, now: UnixMillis) {
        let over = self.is_over();
        if over != self.life.ended_at.is_some() {
            self.life.ended_at = over.then_some(now);
            self.changed.life = true;
        }
    }

    /// Whether everything of the run is to be deleted: it ended longer ago than it is kept.
    pub fn is_to_be_forgotten(&self, now: UnixMillis) -> bool {
        let ended = self.life.ended_at.filter(|_| self.is_over());
        ended.is_some_and(|at| now >= at.plus(self.settings.keep))
    }
}
