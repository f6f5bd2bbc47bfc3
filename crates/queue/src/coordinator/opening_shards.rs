//! Which shards take joins: as few as the load needs, since the joins of a group share what it costs, and in time.
//!
//! Of each region's shards so many are open as its joins a second ask for, in their order, so that the same ones stay open
//! and whole relays stay asleep. Two things only are looked at: whether a shard is full, and how many join in its region.
//!
//! - **More at once, fewer later.** A need that grows is met with the next board. One that falls is believed after
//!   [`FEWER_AFTER`], and only when it has fallen by a quarter, so that a rate that wavers makes no boards.
//! - **Full before it is.** A permit finds its home seconds after it was made. A shard counts as full when what comes
//!   meanwhile fills it, and goes on counting as full until the region's rate has fallen by half.
//! - **The cold start.** Nothing is measured when joins begin, and before an opening nobody knows how many wait for it. Then
//!   all shards take joins (at most [`MOST_OPEN`]): fifty hold seventy times what one is planned for, at
//!   [`HIGHEST_JOINS_PER_SECOND`](crate::limits::HIGHEST_JOINS_PER_SECOND) each. Ten seconds later the rate is known.
//!
//! Nothing of this is stored: a coordinator that begins anew has measured within a second.

use std::collections::BTreeSet;

use super::Coordinator;
use crate::board::{MOST_OPEN, Phase};
use crate::child::Child;
use crate::limits::{MAX_SHARDS, PLANNED_JOINS_PER_SECOND};
use crate::load::Load;
use crate::regions::{region_of, region_of_child};
use crate::settings::planned_shards;
use crate::tree::{Node, child_of, relay_of, shards_of};
use crate::units::{Millis, ShardIndex, UnixMillis};

/// One more is opened when those that are have this many joins a second each: below the plan, since the rate goes on growing
/// until the board has reached every edge.
const MORE_ABOVE: u64 = PLANNED_JOINS_PER_SECOND * 7 / 10;

/// As many stay open as have at least this many joins a second each.
const FEWER_BELOW: u64 = MORE_ABOVE * 3 / 4;

/// The time after which a need that fell is believed.
const FEWER_AFTER: Millis = Millis(10_000);

/// Of the planned shards one in this many is open although nobody comes, at most [`MOST_IDLE`]: a crowd that nobody announced
/// finds them.
const IDLE_SHARE: u16 = 16;
const MOST_IDLE: u16 = 16;

/// Nothing is known of the rate for so long after joins begin.
const COLD: Millis = Millis(10_000);

/// A coordinator that was gone for no longer than this knows nothing of a rate that may be high.
const GONE: Millis = Millis(5_000);

/// Before an opening, all shards take joins from this long before, and are warmed.
pub(super) const AHEAD: Millis = Millis(2 * 60_000);

/// Which shards are open is looked at this often: it makes four boards a second at most, and costs little with thousands.
const STEP: Millis = Millis(250);

/// One region's joins, and what they ask for.
#[derive(Clone, Copy, Debug, Default)]
struct Need {
    load: Load,
    /// So many shards.
    shards: u64,
    /// The highest rate since `since`.
    peak: u64,
    since: UnixMillis,
    is_lost: bool,
}

/// What is known of the load.
#[derive(Clone, Debug)]
pub(super) struct Openings {
    /// By region; at least one.
    needs: Vec<Need>,
    /// Shards that counted as full, as long as they do.
    full: BTreeSet<u16>,
    /// The run has at least so many shards.
    grown: u16,
    /// Nothing was measured yet.
    is_cold: bool,
    /// When joins were first heard of.
    begun: Option<UnixMillis>,
    /// The open ones, in order.
    open: Vec<ShardIndex>,
    looked_at: Option<UnixMillis>,
}

impl Default for Openings {
    fn default() -> Self {
        Self {
            needs: vec![Need::default()],
            full: BTreeSet::new(),
            grown: 1,
            is_cold: true,
            begun: None,
            open: Vec::new(),
            looked_at: None,
        }
    }
}

impl Need {
    fn of_region(is_lost: &bool) -> Self {
        Self {
            is_lost: *is_lost,
            ..Self::default()
        }
    }

    /// Looks at the rate; whether what it asked for lately is forgotten with this.
    fn look(&mut self, now: UnixMillis) -> bool {
        let rate = self.load.per_second(now);
        self.peak = self.peak.max(rate);
        self.shards = self.shards.max(rate.div_ceil(MORE_ABOVE));
        let is_over = self.since > now || now.since(self.since) >= FEWER_AFTER;
        if is_over {
            self.shards = self.shards.min(self.peak.div_ceil(FEWER_BELOW));
            self.peak = rate;
            self.since = now;
        }
        is_over
    }
}

impl Coordinator {
    /// The same, of an event whose shards are spread over these regions; of each, whether it is lost for good: then its
    /// shards take no joins, while there are others.
    pub fn spread_over(mut self, lost: &[bool]) -> Self {
        self.openings.needs = match lost {
            [] => vec![Need::default()],
            lost => lost.iter().map(Need::of_region).collect(),
        };
        self.openings.looked_at = None;
        self
    }

    /// The rows that it begins with were stored last at `seen`.
    pub(super) fn resume_openings(&mut self, seen: UnixMillis, now: UnixMillis) {
        let has_joins = self.sum(|line| line.counters.joined + line.counters.tried) > 0;
        self.openings.is_cold = !has_joins || now.since(seen) <= GONE;
    }

    /// Everybody who came to a child so far: who joined, and who tried to be let in at once.
    pub(super) fn came_to(&self, child: u16) -> u64 {
        self.children.get(&child).map_or(0, Child::came)
    }

    /// A child has reported; `before` came to it until then.
    pub(super) fn measure(&mut self, child: u16, before: u64, now: UnixMillis) {
        let more = self.came_to(child) - before;
        if more == 0 {
            return;
        }
        self.openings.begun.get_or_insert(now);
        let region = region_of_child(child, self.openings.needs.len());
        self.openings.needs[region].load.add(more, now);
    }

    /// How many shards the run has: as many as the plan needs, as were used, and more when those are full.
    pub(super) fn shards(&self) -> u16 {
        let regions = self.openings.needs.len().min(usize::from(MAX_SHARDS)) as u16;
        self.planned_shards()
            .max(regions)
            .max(self.used_shards())
            .max(self.openings.grown)
    }

    /// As many as up to the last one that has reported, to the coordinator or to a relay.
    fn used_shards(&self) -> u16 {
        // Of a relay that was not heard since the start it is known that it has a shard.
        let last_of = |(number, child): (&u16, &Child)| match Node::of_child(*number) {
            Node::Shard(shard) => Some(shard),
            Node::Relay(relay) => match &child.below {
                Some(below) => below.last,
                None => Some(ShardIndex(shards_of(relay).start)),
            },
        };
        self.children
            .iter()
            .filter_map(last_of)
            .max()
            .map_or(0, |last| last.0 + 1)
    }

    /// As many shards as the expected visitors need.
    pub(super) fn planned_shards(&self) -> u16 {
        let expected = self
            .settings
            .expected_visitors
            .max(self.live.expected_visitors);
        planned_shards(expected)
    }

    /// Whether a shard is full, or will be when so many a second are on their way to it. Of its shards a relay says so; until
    /// it is heard none is.
    fn is_full(&self, shard: u16, per_second: u64) -> bool {
        let shard = ShardIndex(shard);
        let child = self.children.get(&child_of(shard));
        child.is_some_and(|child| match (relay_of(shard), &child.below) {
            (None, _) => child.is_full_with(per_second),
            (Some(_), Some(below)) => below.full.contains(&shard),
            (Some(_), None) => false,
        })
    }

    /// Nothing says how many will come: joins begin, or are about to.
    fn is_cold(&self, now: UnixMillis) -> bool {
        let begun = self.openings.begun;
        let unmeasured = begun.is_none_or(|begun| now.since(begun) < COLD);
        let waits = |position| self.phase(position, now) == Phase::Before;
        let near = |at: UnixMillis| now >= at.minus(AHEAD) && now < at.plus(COLD);
        self.openings.is_cold && unmeasured
            || (0..self.lines.len()).all(waits)
            || self.beginnings().any(near)
    }

    /// When many come at once: joins begin, or a line opens.
    pub(super) fn beginnings(&self) -> impl Iterator<Item = UnixMillis> + '_ {
        let openings = (0..self.lines.len()).filter_map(|position| self.opens_at(position));
        openings.chain(self.settings.prequeue_at)
    }

    /// The shards that take joins now, at least one.
    pub(super) fn open_shards(&self) -> Vec<ShardIndex> {
        self.openings.open.clone()
    }

    /// Looks again at what the load needs.
    pub(super) fn mind_openings(&mut self, now: UnixMillis) {
        let looked_at = self.openings.looked_at;
        if looked_at.is_some_and(|at| at <= now && now.since(at) < STEP) {
            return;
        }
        self.openings.looked_at = Some(now);
        let is_cold = self.is_cold(now);
        self.openings.grown = self.shards();
        let mut open = Vec::new();
        let there = (0..self.openings.needs.len()).filter(|at| !self.openings.needs[*at].is_lost);
        for region in there.collect::<Vec<_>>() {
            open.extend(self.open_of_region(region, is_cold, now));
        }
        if open.is_empty() {
            open = self.all_take_joins();
        }
        open.sort_unstable();
        self.openings.open = open.into_iter().map(ShardIndex).collect();
    }

    /// The open shards of one region, in order. The run grows when there are too few with room.
    fn open_of_region(&mut self, region: usize, is_cold: bool, now: UnixMillis) -> Vec<u16> {
        let regions = self.openings.needs.len();
        let known = self.openings.grown;
        let was_open = self.openings.open.iter();
        let was_open = was_open.filter(|shard| region_of(**shard, regions) == region);
        let open_before = was_open.count().max(1) as u64;
        let need = &mut self.openings.needs[region];
        let forgets = need.look(now);
        let needed = need.shards.max(1);
        let idle = (known / IDLE_SHARE).clamp(1, MOST_IDLE);
        let idle = u64::from(idle).div_ceil(regions as u64);
        let most = u64::from(MOST_OPEN) / regions as u64;
        let wanted = if is_cold { most } else { needed.max(idle) };
        let wanted = wanted.min(most) as usize;
        let each = need.load.per_second(now).div_ceil(open_before);
        if forgets {
            let mut kept = std::mem::take(&mut self.openings.full);
            kept.retain(|shard| {
                region_of(ShardIndex(*shard), regions) != region || self.is_full(*shard, 2 * each)
            });
            self.openings.full = kept;
        }
        let mut open = Vec::new();
        let mut spare = Vec::new();
        for shard in (0..MAX_SHARDS).filter(|at| region_of(ShardIndex(*at), regions) == region) {
            // Beyond those that the run has, it grows by no more than the rate needs.
            let enough = if shard < known {
                wanted
            } else {
                needed as usize
            };
            if open.len() >= enough.min(wanted) {
                break;
            }
            if self.is_full(shard, 0) {
                continue;
            }
            if self.openings.full.contains(&shard) || self.is_full(shard, each) {
                self.openings.full.insert(shard);
                spare.push(shard);
                continue;
            }
            self.openings.grown = self.openings.grown.max(shard + 1);
            open.push(shard);
        }
        if open.is_empty() {
            open = spare;
        }
        open
    }

    /// Every shard is full: they take joins beyond the plan. Of more than a board names these are a part, and after a
    /// thousand joins for each another part.
    fn all_take_joins(&self) -> Vec<u16> {
        let shards = self.shards();
        let stride = shards.div_ceil(MOST_OPEN);
        let joined = self.sum(|line| line.counters.joined);
        let turn = joined / (u64::from(MOST_OPEN) * 1_000) % u64::from(stride);
        let all = (turn as u16..shards).step_by(usize::from(stride));
        let needs = &self.openings.needs;
        let is_there = |shard: &u16| !needs[region_of(ShardIndex(*shard), needs.len())].is_lost;
        let there: Vec<u16> = all.clone().filter(is_there).collect();
        match there.is_empty() {
            true => all.collect(),
            false => there,
        }
    }
}

#[cfg(test)]
#[path = "opening_shards_tests.rs"]
mod tests;
