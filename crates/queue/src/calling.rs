//! How far to call: a prediction that keeps the doors busy, never a grant.
//!
//! A turn is an offer that some take at once, some later, some never. What is known is how many
//! were called and how many answered (claimed, or are known to have left), over time. From that
//! follow the learned show-up rate (in
//! parts per million, starting at 1 and kept within 0.2 to 1), the claims still to be expected
//! from those just called, and how many more to call so that pending and expected claims fill
//! what the limits can admit within [`CALL_HORIZON`]. The called who have not decided, weighed by
//! how likely they are to come, are kept below what the limits can admit within half the hold,
//! unless the doors would stand idle.

use serde::{Deserialize, Serialize};

use crate::board::{Advance, Offer};
use crate::limits::{CALL_HORIZON, HOLD_STEP, MAX_OFFERS, MAX_SAMPLES};
use crate::sync::OfferClock;
use crate::units::{Millis, Rank, UnixMillis};

const MILLION: u64 = 1_000_000;
const LEAST_SHOW_UP_PPM: u64 = 200_000;
/// As if so many had been called and had all come: the weight of the starting value.
const PRIOR_SHOWS: u64 = 16;
/// How long the claims of one call take to come in.
const RESPONSE: Millis = CALL_HORIZON;
/// Half of this is kept between the samples of the pace.
const PACE_SPACING: Millis = Millis(10_000);
/// Samples of the pace: five minutes.
const PACE_SAMPLES: usize = 30;

/// What had been called and answered when the hold had run for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The hold clock at its first call.
    since: Millis,
    /// The hold clock at its last call: from here its offers run.
    until: Millis,
    /// Called before its first call.
    from: u64,
    /// Called by its last call.
    called: u64,
    /// Claimed by its first call.
    answered: u64,
}

/// The history of a line's calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calling {
    /// How long the hold has run: it stands still while nobody can enter.
    hold_clock: Millis,
    /// When `hold_clock` was last brought up to date.
    hold_at: UnixMillis,
    /// Whether the hold ran then. Not stored: it follows from the queue's state.
    #[serde(skip)]
    runs: bool,
    /// `hold_at` less `hold_clock` when the hold last ran. Not stored: both are, whenever it stops.
    #[serde(skip)]
    zero: UnixMillis,
    /// `hold_clock` as it is stored.
    #[serde(skip)]
    stored_clock: Millis,
    samples: Vec<Sample>,
    /// (when, called), while visitors were waiting.
    pace: Vec<(UnixMillis, u64)>,
}

/// What a line's counts say, for [`Calling::to_call`].
pub(crate) struct Counts {
    /// Called so far.
    pub(crate) called: u64,
    /// Claimed so far, less what was taken back, and known to have left.
    pub(crate) answered: u64,
    /// Claims that wait for a grant.
    pub(crate) pending: u64,
    /// Numbered and not called.
    pub(crate) waiting: u64,
}

/// What the limits can admit, for [`Calling::to_call`].
pub(crate) struct Room {
    /// Within the horizon of calls.
    pub(crate) soon: u64,
    /// Within half the hold.
    pub(crate) half_hold: u64,
}

impl Calling {
    /// Lets the hold run up to `now`, if it ran before and runs still. True when its clock is to be
    /// stored: it has begun or stopped, or a restart would lose too much of it.
    pub(crate) fn run_hold(&mut self, running: bool, now: UnixMillis) -> bool {
        if running && self.runs {
            self.hold_clock.0 += now.since(self.hold_at).0.min(HOLD_STEP.0);
        }
        self.hold_at = now;
        if running {
            self.zero = UnixMillis(now.0.saturating_sub(self.hold_clock.0));
        }
        let turned = std::mem::replace(&mut self.runs, running) != running;
        turned || self.hold_clock.0 - self.stored_clock.0 >= HOLD_STEP.0
    }

    /// After a restart: whether the hold has run since it was stored, which is stored whenever that
    /// changes.
    pub(crate) fn resume(&mut self, running: bool, now: UnixMillis) {
        self.runs = running;
        self.zero = UnixMillis(self.hold_at.0.saturating_sub(self.hold_clock.0));
        self.stored_clock = self.hold_clock;
        self.run_hold(running, now);
    }

    /// As it is stored now.
    pub(crate) fn stored(&mut self) -> Self {
        self.stored_clock = self.hold_clock;
        self.clone()
    }

    /// What shards hear of the hold.
    pub(crate) fn clock(&self) -> OfferClock {
        OfferClock {
            at: self.hold_clock,
            zero: self.zero,
            runs: self.runs,
        }
    }

    /// Ranks below this were offered their turn longer ago than the hold.
    pub(crate) fn lapsed(&self, hold: Millis) -> u64 {
        let over = |sample: &&Sample| hold.0 > 0 && sample.until.0 + hold.0 <= self.hold_clock.0;
        self.samples
            .iter()
            .rev()
            .find(over)
            .map_or(0, |sample| sample.called)
    }

    /// Notes that ranks from `from` to below `called` are called now, when `answered` had
    /// answered.
    pub(crate) fn note(&mut self, from: u64, called: u64, answered: u64, hold: Millis) {
        let spacing = (hold.0 / MAX_SAMPLES).clamp(1_000, 15_000);
        let clock = self.hold_clock;
        match self.samples.last_mut() {
            Some(last) if clock.0 - last.since.0 < spacing => {
                (last.until, last.called) = (clock, called);
            }
            _ => self.samples.push(Sample {
                since: clock,
                until: clock,
                from,
                called,
                answered,
            }),
        }
        // The last lapsed one stays: it is what `lapsed` finds.
        let lapsed = self.lapsed(hold);
        while self.samples.len() > 1
            && (self.samples[1].called <= lapsed || self.samples.len() as u64 > 2 * MAX_SAMPLES)
        {
            self.samples.remove(0);
        }
    }

    /// The learned share of the called who claim, in parts per million.
    pub(crate) fn show_up_ppm(&self, answered: u64) -> u64 {
        let (Some(base), Some(mature)) = (self.samples.first(), self.mature()) else {
            return MILLION;
        };
        let called = mature.called.saturating_sub(base.from) + PRIOR_SHOWS;
        let came = answered.saturating_sub(base.answered) + PRIOR_SHOWS;
        (came * MILLION / called).clamp(LEAST_SHOW_UP_PPM, MILLION)
    }

    /// The last sample whose claims have had time to come in.
    fn mature(&self) -> Option<&Sample> {
        let ripe = |sample: &&Sample| sample.until.0 + RESPONSE.0 <= self.hold_clock.0;
        self.samples.iter().rev().find(ripe)
    }

    /// How many more to call.
    pub(crate) fn to_call(&self, counts: &Counts, hold: Millis, room: &Room) -> u64 {
        let &Counts {
            called,
            answered,
            pending,
            waiting,
        } = counts;
        let rate = self.show_up_ppm(answered);
        let (ripe_called, ripe_answered) = self.ripe_counts();
        let young = called.saturating_sub(ripe_called) * rate / MILLION;
        let expected = young.saturating_sub(answered.saturating_sub(ripe_answered));
        let wanted = room.soon.saturating_sub(pending.saturating_add(expected));
        let burden = self.undecided(called, answered, hold) * burden_ppm(rate) / MILLION;
        let mut bearable = room.half_hold.saturating_sub(burden);
        if pending + expected == 0 {
            // The doors stand idle: whoever was called does not come, and others must not pay for it.
            bearable = bearable.max(wanted);
        }
        let come = wanted.min(bearable).min(waiting);
        come.saturating_mul(MILLION).div_ceil(rate).min(waiting)
    }

    /// What had been called and answered by the end of the last ripe sample.
    fn ripe_counts(&self) -> (u64, u64) {
        let Some(mature) = self.mature() else {
            return (0, 0);
        };
        let next = self
            .samples
            .iter()
            .find(|sample| sample.since > mature.until);
        (
            mature.called,
            next.map_or(mature.answered, |sample| sample.answered),
        )
    }

    /// Offers that stand and have not been answered, as far as the counts tell.
    fn undecided(&self, called: u64, answered: u64, hold: Millis) -> u64 {
        let lapsed = self.lapsed(hold);
        let Some(first) = self.samples.iter().find(|sample| sample.called > lapsed) else {
            return 0;
        };
        (called - lapsed).saturating_sub(answered.saturating_sub(first.answered))
    }

    /// The last offers and until when they stand at least, for the board. While the hold stands still,
    /// by how much they last longer is known when the line is open again.
    pub(crate) fn offers(&self, hold: Millis) -> Vec<Offer> {
        if hold.0 == 0 {
            return Vec::new();
        }
        let lapsed = self.lapsed(hold);
        let standing: Vec<&Sample> = self
            .samples
            .iter()
            .filter(|sample| sample.called > lapsed)
            .collect();
        let group = standing.len().div_ceil(MAX_OFFERS).max(1);
        standing
            .chunks(group)
            .map(|samples| Offer {
                below: Rank(samples[samples.len() - 1].called),
                stands_until: self.zero.plus(samples[0].since).plus(hold),
            })
            .collect()
    }

    /// Notes the pace, while somebody waits; true when that changed the history.
    pub(crate) fn note_pace(&mut self, called: u64, now: UnixMillis) -> bool {
        if self
            .pace
            .last()
            .is_some_and(|(at, _)| now.since(*at) < PACE_SPACING && now >= *at)
        {
            return false;
        }
        self.pace.push((now, called));
        if self.pace.len() > PACE_SAMPLES {
            self.pace.remove(0);
        }
        true
    }

    /// A pause or an empty line says nothing about the pace: measure anew.
    pub(crate) fn forget_pace(&mut self) {
        self.pace.clear();
    }

    /// How fast the line moves: over the last two minutes, and at the slowest minute seen. `None`
    /// before 20 s are measured.
    pub(crate) fn advance(&self) -> Option<Advance> {
        let (last_at, last_called) = *self.pace.last()?;
        let over = |span: u64| -> Option<u64> {
            let from = self
                .pace
                .iter()
                .find(|(at, _)| last_at.since(*at).0 <= span)?;
            per_minute_milli(last_called - from.1, last_at.since(from.0))
        };
        let likely = over(120_000)?;
        let slowest_minute = self
            .pace
            .windows(7)
            .filter_map(|span| per_minute_milli(span[6].1 - span[0].1, span[6].0.since(span[0].0)))
            .min()
            .unwrap_or(likely);
        let least = slowest_minute.min(likely * 2 / 3).max(likely / 4);
        (likely > 0).then_some(Advance {
            likely_milli_per_minute: likely,
            least_milli_per_minute: least,
        })
    }
}

/// How much an offer that stands undecided weighs against what can be admitted within half the
/// hold. With a steady share of no-shows `1 - p`, the offers that pile up within a hold are
/// `(1 - p) / p` for each admission; weighing them by `p / (2 (1 - p))` lets just those be, and by
/// at most `p` counts how many of them are likely to come.
fn burden_ppm(show_up_ppm: u64) -> u64 {
    let absent = (MILLION - show_up_ppm).max(1);
    show_up_ppm.min(show_up_ppm * MILLION / (2 * absent))
}

/// Calls a minute × 1,000; `None` for less than 20 s.
fn per_minute_milli(called: u64, within: Millis) -> Option<u64> {
    (within.0 >= 20_000).then(|| called * 60_000_000 / within.0)
}

#[cfg(test)]
#[path = "calling_tests.rs"]
mod tests;
