//! From the shard's state to rows and back.

use std::collections::BTreeMap;

use super::keeping::Holder;
use super::place::{Place, Standing};
use super::rows::ShardRow;
use super::{Identity, Shard, offers};
use crate::draw::chain;
use crate::limits::{CLOCK_TOLERANCE, PLACES_PER_PAGE};
use crate::outcome::Corrupt;
use crate::settings::Settings;
use crate::units::{PlaceIndex, Rank, UnixMillis};

impl Shard {
    /// The shard whose rows these are: the inverse of storing them.
    ///
    /// # Errors
    /// [`Corrupt`] when the rows are not those of one shard with these lines.
    pub fn restore(
        identity: Identity,
        settings: Settings,
        rows: impl IntoIterator<Item = ShardRow>,
        now: UnixMillis,
    ) -> Result<Self, Corrupt> {
        let mut shard = Self::empty(identity, settings, now);
        let mut pages = BTreeMap::new();
        let mut brakes = Vec::new();
        for row in rows {
            match row {
                ShardRow::Page {
                    number,
                    epoch,
                    places,
                } => {
                    pages.insert(number, (epoch, places));
                }
                ShardRow::Counters { lines } if lines.len() == shard.lines.len() => {
                    for (line, row) in shard.lines.iter_mut().zip(lines) {
                        line.row = row;
                    }
                }
                ShardRow::Key { key, holders } => {
                    // Nobody has told of them: each may be asked about at once.
                    let long_ago = UnixMillis(0);
                    let holders = holders.into_iter();
                    let holders =
                        holders.map(|holder| Holder::asking(holder.nonce, holder.home, long_ago));
                    shard.keys.insert(key, holders.collect());
                }
                ShardRow::Holders { key, holders } => {
                    shard.keys.insert(key, holders);
                }
                ShardRow::Handovers { index, offers } => shard.adopt_handovers(index, offers),
                ShardRow::End { at } => shard.ended_at = at,
                ShardRow::Brakes { since } => brakes = since,
                ShardRow::Crawlers(crawlers) => shard.crawlers = crawlers,
                ShardRow::Counters { lines } => {
                    return Err(Corrupt(format!(
                        "{} lines stored, {} configured",
                        lines.len(),
                        shard.lines.len()
                    )));
                }
            }
        }
        let last = pages.len();
        for (position, (number, (epoch, rows))) in pages.into_iter().enumerate() {
            let full = rows.len() == PLACES_PER_PAGE || position + 1 == last;
            if number as usize != position || !full || rows.len() > PLACES_PER_PAGE {
                return Err(Corrupt(format!(
                    "page {number} with {} places at position {position}",
                    rows.len()
                )));
            }
            for row in rows {
                let mut place = row.into_place(epoch);
                offers::read_earlier(&mut place, &brakes, now);
                shard.adopt(place, now)?;
            }
        }
        shard.check()?;
        shard.restore_order();
        Ok(shard)
    }

    /// Takes up a stored place and everything that follows from it.
    fn adopt(&mut self, mut place: Place, now: UnixMillis) -> Result<(), Corrupt> {
        let index = PlaceIndex(self.places.len() as u32);
        let position = usize::from(place.line.0);
        let idle_now = self.idle_clock(now);
        let Some(line) = self.lines.get_mut(position) else {
            return Err(Corrupt(format!("place {} in line {position}", index.0)));
        };
        match &mut place.standing {
            Standing::Claimed(claim) => {
                claim.seen = now;
                line.claims.insert((claim.order, index));
            }
            Standing::Granted(session) => {
                session.renewed = idle_now;
                // Granted by a clock that was far ahead, before this instance began.
                if session.granted.since(now) > CLOCK_TOLERANCE {
                    session.begin_at_the_latest(now);
                    self.changed.pages.insert(index.0 / PLACES_PER_PAGE as u32);
                }
                if !session.issued {
                    self.unissued.insert(index);
                }
                if !session.confirmed {
                    self.unconfirmed.insert(index);
                }
            }
            Standing::OfferedFor { .. } => {
                self.unset_offers.insert(index);
            }
            _ => {}
        }
        if !place.direct {
            line.joins.push(index);
            line.chain = chain(&line.chain, &place.nonce);
        }
        if matches!(place.standing, Standing::Left { .. }) && !place.direct {
            line.left.add(index, Rank(line.row.absent_below));
        }
        if place.standing != Standing::Void {
            self.by_permit.add(place.nonce, index);
        }
        self.places.push(place);
        self.remind(index, now);
        Ok(())
    }

    /// What has to be stored of everything that was carried out since the last time.
    pub fn take_rows(&mut self) -> Vec<ShardRow> {
        let changed = std::mem::take(&mut self.changed);
        let mut rows = Vec::with_capacity(changed.pages.len() + usize::from(changed.counters));
        for number in changed.pages {
            let first = number as usize * PLACES_PER_PAGE;
            let end = (first + PLACES_PER_PAGE).min(self.places.len());
            rows.push(ShardRow::of_page(number, &self.places[first..end]));
        }
        if changed.counters {
            rows.push(ShardRow::Counters {
                lines: self.lines.iter().map(|line| line.row).collect(),
            });
        }
        for key in changed.keys {
            let holders = self.keys[&key].clone();
            rows.push(ShardRow::Holders { key, holders });
        }
        for index in changed.handovers {
            let offers = self.handovers[&index].clone();
            rows.push(ShardRow::Handovers { index, offers });
        }
        if changed.end {
            rows.push(ShardRow::End { at: self.ended_at });
        }
        if changed.crawlers {
            rows.push(ShardRow::Crawlers(self.crawlers.clone()));
        }
        rows
    }

    /// How many rows that would be. They are not made: for whoever keeps none.
    pub fn count_rows(&mut self) -> usize {
        let changed = std::mem::take(&mut self.changed);
        let others = [changed.counters, changed.end, changed.crawlers];
        let others = others.into_iter().filter(|changed| *changed).count();
        changed.pages.len() + changed.keys.len() + changed.handovers.len() + others
    }

    /// What must hold of every stored state.
    fn check(&self) -> Result<(), Corrupt> {
        for (position, line) in self.lines.iter().enumerate() {
            let row = &line.row;
            // Stored bytes may say anything: what no counter can have reached is no state.
            let granted = row.granted.checked_add(row.tries_granted);
            if row.counters.joined != line.joins.len() as u64 {
                return Err(Corrupt(format!(
                    "line {position}: {} joins counted, {} places",
                    row.counters.joined,
                    line.joins.len()
                )));
            }
            if row.counters.numbered > row.counters.joined
                || granted.is_none_or(|granted| row.counters.ended > granted)
            {
                return Err(Corrupt(format!(
                    "line {position}: counters {:?} with {granted:?} grants",
                    row.counters
                )));
            }
        }
        Ok(())
    }
}
