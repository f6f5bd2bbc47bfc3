//! The draw of a line, in two writes whatever the number of entrants.
//!
//! A secret is drawn and its hash published when the run begins. At the opening every shard is
//! asked for its joins up to then (`phase` drawing). When all have answered, or the grace is over,
//! the first write fixes how many are in the draw, the log's hash, and the beacon's round; the
//! second, later, publishes the secret and the beacon. Ranks follow from these alone
//! ([`draw`](crate::draw)), so nothing is written or said about any single visitor.
//!
//! Nothing is stored between the opening and the first write: after a restart the shards are asked
//! again. Both writes are made at most once: what is stored is never replaced.

use serde::{Deserialize, Serialize};

use super::Coordinator;
use super::command::CoordinatorReply;
use crate::board::{DrawBoard, Drawn, Fixed};
use crate::draw::beacon::{BEACON_DELAY, SIGNATURE_BYTES};
use crate::draw::{Hash, SeedFields, commitment, randomness, round_after, round_time, secret_of};
use crate::limits::REVEAL_AFTER;
use crate::log::{BegunLine, Record};
use crate::tree::child_of;
use crate::units::{Millis, ShardIndex, UnixMillis};

/// The stored draw of one line.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draw {
    /// What the commitment is made of; nobody outside sees it before [`Draw::drawn`].
    pub secret: Hash,
    /// The first step, once made.
    pub fixed: Option<Fixed>,
    /// The second step, once made.
    pub drawn: Option<Drawn>,
}

/// Without the secret, which nobody may read before it is published.
impl core::fmt::Debug for Draw {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.debug_struct("Draw")
            .field("fixed", &self.fixed)
            .field("drawn", &self.drawn)
            .finish_non_exhaustive()
    }
}

impl Draw {
    /// What everybody may know.
    pub(super) fn board(&self) -> DrawBoard {
        DrawBoard {
            commitment: commitment(&self.secret),
            fixed: self.fixed.clone(),
            drawn: self.drawn.clone(),
        }
    }
}

impl Coordinator {
    /// Gives a draw to every line that opens later and of which nothing is numbered yet. The log
    /// names the commitments.
    pub(super) fn prepare_draws(&mut self, entropy: &[u8; 16], now: UnixMillis) {
        let mut new = Vec::new();
        for position in 0..self.lines.len() {
            let later = self.opens_at(position).is_some_and(|at| now < at);
            let line = &mut self.lines[position];
            if later && line.draw.is_none() && line.row.entries == 0 {
                let secret = secret_of(entropy, position as u8);
                line.draw = Some(Draw {
                    secret,
                    fixed: None,
                    drawn: None,
                });
                self.changed.draws.insert(position);
                new.push(position);
            }
        }
        if self.logbook.is_empty() {
            let record = Record::Begin {
                event: self.event.clone(),
                run: self.run,
                lines: (0..self.lines.len())
                    .map(|position| self.begun_line(position))
                    .collect(),
            };
            return self.log(&record, now);
        }
        for position in new {
            let begun = self.begun_line(position);
            if let Some(commitment) = begun.commitment {
                let line = begun.id;
                self.log(&Record::Line { line, commitment }, now);
            }
        }
    }

    fn begun_line(&self, position: usize) -> BegunLine {
        let draw = self.lines[position].draw.as_ref();
        BegunLine {
            id: self.line_id(position),
            commitment: draw.map(|draw| commitment(&draw.secret)),
        }
    }

    /// Whether entry numbers below are still entrants of a draw: it is not fixed who is in it.
    pub(super) fn draw_is_open(&self, position: usize) -> bool {
        let draw = self.lines[position].draw.as_ref();
        draw.is_some_and(|draw| draw.fixed.is_none())
    }

    /// Makes the steps that are due.
    pub(super) fn draw(&mut self, now: UnixMillis) {
        for position in 0..self.lines.len() {
            let opened = self.opens_at(position).is_none_or(|at| now >= at);
            if self.draw_is_open(position) && opened && self.ended(position).is_none() {
                let since = *self.lines[position].collecting.get_or_insert(now);
                if self.grace_ends(position, since) <= now
                    || self.unheard_entrants(position).next().is_none()
                {
                    self.fix(position, now);
                }
            } else if self.draw_is_open(position) {
                self.lines[position].collecting = None;
            } else if let Some(due) = self.reveal_at(position)
                && now >= due
            {
                self.reveal(position, None, now);
            }
        }
    }

    /// When children that were asked since then are waited for no longer. Whoever restarts asks anew, and that begins the
    /// grace anew; one who restarts all the time must come to an end too, so a sixth is enough when the opening was twelve
    /// times the grace ago.
    fn grace_ends(&self, position: usize, since: UnixMillis) -> UnixMillis {
        let grace = self.settings.draw.grace;
        let opened = self.opens_at(position).unwrap_or(since);
        let at_the_latest = opened
            .plus(Millis(12 * grace.0))
            .max(since.plus(Millis(grace.0 / 6)));
        since.plus(grace).min(at_the_latest)
    }

    /// The children that have not said, or not had numbered, who joined before the opening.
    fn unheard_entrants(&self, position: usize) -> impl Iterator<Item = u16> + '_ {
        let opens_at = self.opens_at(position);
        let last = child_of(ShardIndex(self.shards() - 1));
        (0..=last).filter(move |number| {
            self.children.get(number).is_none_or(|child| {
                let below = child.below.as_ref();
                let unheard = below.and_then(|below| below.unheard.get(position).copied());
                let entrants = child.entrants[position];
                unheard.unwrap_or(false)
                    || entrants.is_none_or(|entrants| {
                        Some(entrants.opens_at) != opens_at
                            || child.lines[position].cut < entrants.count
                    })
            })
        })
    }

    /// The children without whose report the draw would wait.
    pub(super) fn awaited_entrants(&self) -> impl Iterator<Item = u16> + '_ {
        (0..self.lines.len())
            .filter(|position| self.lines[*position].collecting.is_some())
            .filter(|position| self.draw_is_open(*position))
            .flat_map(|position| self.unheard_entrants(position))
    }

    fn fix(&mut self, position: usize, now: UnixMillis) {
        let with_beacon = self.settings.draw.beacon;
        let fixed = Fixed {
            entrants: self.lines[position].row.entries,
            root: self.logbook.head(),
            at: now,
            opened: self.opens_at(position).unwrap_or(now),
            round: with_beacon.then(|| round_after(now.plus(BEACON_DELAY))),
        };
        let record = Record::Fixed {
            line: self.line_id(position),
            entrants: fixed.entrants,
            root: fixed.root,
            round: fixed.round,
        };
        self.log(&record, now);
        let line = &mut self.lines[position];
        line.collecting = None;
        if let Some(draw) = &mut line.draw {
            draw.fixed = Some(fixed);
        }
        self.changed.draws.insert(position);
    }

    /// When the second step is made without a beacon: soon after the first if none is wanted, or
    /// when it has been waited for long enough.
    fn reveal_at(&self, position: usize) -> Option<UnixMillis> {
        let draw = self.lines[position].draw.as_ref()?;
        let fixed = draw.fixed.as_ref().filter(|_| draw.drawn.is_none())?;
        Some(match fixed.round {
            Some(round) => round_time(round).plus(self.settings.draw.beacon_wait),
            None => fixed.at.plus(REVEAL_AFTER),
        })
    }

    fn reveal(&mut self, position: usize, beacon: Option<&[u8]>, now: UnixMillis) {
        let line = self.line_id(position);
        let event = self.event.clone();
        let run = self.run;
        let Some(draw) = &mut self.lines[position].draw else {
            return;
        };
        let Some(fixed) = draw.fixed.as_ref().filter(|_| draw.drawn.is_none()) else {
            return;
        };
        let seed = SeedFields {
            event: &event,
            run,
            line: &line,
            entrants: fixed.entrants,
            root: fixed.root,
            secret: draw.secret,
            randomness: beacon.map(randomness),
        }
        .seed();
        let (secret, beacon) = (draw.secret, beacon.map(<[u8]>::to_vec));
        draw.drawn = Some(Drawn {
            secret,
            beacon: beacon.clone(),
            seed,
        });
        self.changed.draws.insert(position);
        let record = Record::Drawn {
            line,
            secret,
            beacon,
            seed,
        };
        self.log(&record, now);
    }

    /// The beacon's round that is waited for, and since when it exists.
    pub fn awaited_round(&self) -> Option<(u64, UnixMillis)> {
        let rounds = self.lines.iter().filter_map(|line| {
            let draw = line.draw.as_ref()?;
            draw.fixed.as_ref().filter(|_| draw.drawn.is_none())?.round
        });
        rounds.min().map(|round| (round, round_time(round)))
    }

    /// A round has come: every draw that waits for it is decided.
    pub(super) fn take_beacon(
        &mut self,
        round: u64,
        signature: &[u8],
        now: UnixMillis,
    ) -> CoordinatorReply {
        if signature.len() != SIGNATURE_BYTES {
            return CoordinatorReply::Refused(format!(
                "a signature of {} bytes; {SIGNATURE_BYTES} are wanted",
                signature.len()
            ));
        }
        for position in 0..self.lines.len() {
            let draw = self.lines[position].draw.as_ref();
            let fixed = draw.and_then(|draw| draw.fixed.as_ref());
            if fixed.is_some_and(|fixed| fixed.round == Some(round)) {
                self.reveal(position, Some(signature), now);
            }
        }
        self.proceed(now);
        self.state_reply()
    }

    /// When the next step of a draw is due although nobody asks.
    pub(super) fn next_draw_step(&self, now: UnixMillis) -> Option<UnixMillis> {
        let step = |position: usize| {
            let collecting = self.lines[position].collecting;
            collecting
                .map(|since| self.grace_ends(position, since))
                .or(self.reveal_at(position))
        };
        let steps = (0..self.lines.len()).filter_map(step);
        let round = self.awaited_round().map(|(_, at)| at);
        steps.chain(round.filter(|at| *at > now)).min()
    }
}
