//! What is counted before it is known what comes of it: the place that a join is about to make, the wait that it brings
//! instead of work. It is counted in the moment in which the limit is looked at, so that a thousand requests at once find
//! what they would find one after the other; and it is given back where nothing came of it, also when the request breaks
//! off in the middle.
//!
//! The same thing counts once, by its number, however often it is brought and however many requests are under way with it.
//! A request of which the platform is never heard again gives nothing back: what it reserved counts until its time is over.

use std::collections::BTreeMap;

use anteroom_queue::units::{Millis, UnixMillis};

use crate::networks::{self, Counts, Network, Seen};

/// So many things are remembered at most, about 300 kB; with more, those whose time is over are forgotten, then all. A
/// network's count stays.
const MOST_REMEMBERED: usize = 4_096;

/// The number of a thing that counts once.
pub type Number = [u8; 16];

/// What is counted by network, each thing once.
#[derive(Debug)]
pub struct Reservations {
    most: u32,
    life: Millis,
    /// What was used is known as long as it counts; else only what is under way.
    remembers: bool,
    by_network: Counts,
    known: BTreeMap<Number, Known>,
}

/// A thing that counts.
#[derive(Debug)]
struct Known {
    network: Network,
    /// The period of the network's count.
    since: UnixMillis,
    at: UnixMillis,
    under_way: u32,
    used: bool,
}

impl Reservations {
    /// Up to `most` of one network within `life`, each once for as long.
    pub const fn up_to(most: u32, life: Millis) -> Self {
        Reservations {
            most,
            life,
            remembers: true,
            by_network: Counts::lasting(life),
            known: BTreeMap::new(),
        }
    }

    /// As many as come within `life`, each once while requests with it are under way.
    pub const fn unlimited(life: Millis) -> Self {
        let mut all = Reservations::up_to(u32::MAX, life);
        all.remembers = false;
        all
    }

    /// How many of a network count.
    pub fn of(&self, network: Network, now: UnixMillis) -> u32 {
        self.by_network.of(network, now).0
    }

    /// How long `number` has to wait until it may count; `None`: it may, or does already.
    pub fn waits(&self, number: Number, network: Network, now: UnixMillis) -> Option<Millis> {
        let (count, lasts) = self.by_network.of(network, now);
        (count >= self.most && !self.counts(number, now)).then_some(lasts)
    }

    fn counts(&self, number: Number, now: UnixMillis) -> bool {
        let known = self.known.get(&number);
        known.is_some_and(|known| now.since(known.at) < self.life)
    }

    /// Counts `number`, unless it has to wait: then how long.
    fn take(&mut self, number: Number, network: Network, now: UnixMillis) -> Result<(), Millis> {
        if let Some(wait) = self.waits(number, network, now) {
            return Err(wait);
        }
        if !self.counts(number, now) {
            self.forget(now);
            let since = self.by_network.count(network, now);
            let known = Known {
                network,
                since,
                at: now,
                under_way: 0,
                used: false,
            };
            self.known.insert(number, known);
        }
        let known = self.known.get_mut(&number);
        known.expect("it counts").under_way += 1;
        Ok(())
    }

    fn forget(&mut self, now: UnixMillis) {
        let life = self.life;
        if self.known.len() >= MOST_REMEMBERED {
            self.known.retain(|_, known| now.since(known.at) < life);
        }
        if self.known.len() >= MOST_REMEMBERED {
            self.known.clear();
        }
    }

    /// A request with `number` is over. What none of them has used is given back.
    fn end(&mut self, number: Number, used: bool) {
        let Some(known) = self.known.get_mut(&number) else {
            return;
        };
        known.used |= used;
        known.under_way = known.under_way.saturating_sub(1);
        if known.under_way > 0 || known.used && self.remembers {
            return;
        }
        let (network, since, used) = (known.network, known.since, known.used);
        self.known.remove(&number);
        if !used {
            self.by_network.give_back(network, since);
        }
    }
}

/// Which of the counts of an isolate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Place,
    Wait,
}

impl Kind {
    fn of(self, seen: &mut Seen) -> &mut Reservations {
        match self {
            Kind::Place => &mut seen.joins,
            Kind::Wait => &mut seen.waits,
        }
    }
}

/// One that counts while it is held, and stays counted once it was used.
#[derive(Debug, PartialEq, Eq)]
pub struct Reserved {
    kind: Kind,
    number: Number,
    used: bool,
}

impl Reserved {
    /// The place that the permit of this number is about to make.
    pub fn place(number: Number, network: Network, now: UnixMillis) -> Self {
        let kept = Reserved::take(Kind::Place, number, network, now);
        kept.expect("places are counted without a limit")
    }

    /// A wait instead of work, of whoever has this number; else how long it is until there is one.
    pub fn wait(number: Number, network: Network, now: UnixMillis) -> Result<Self, Millis> {
        Reserved::take(Kind::Wait, number, network, now)
    }

    fn take(kind: Kind, number: Number, network: Network, now: UnixMillis) -> Result<Self, Millis> {
        networks::with(|seen| kind.of(seen).take(number, network, now))?;
        Ok(Reserved {
            kind,
            number,
            used: false,
        })
    }

    /// It came to what it was reserved for.
    pub fn used(mut self) {
        self.used = true;
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        networks::with(|seen| self.kind.of(seen).end(self.number, self.used));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_000_000);
    const LIFE: Millis = Millis(600_000);

    fn network(last: u8) -> Network {
        Network::of_provider(Some(&format!("192.0.{last}.7")))
    }

    #[test]
    fn as_many_at_once_as_one_after_the_other_and_what_was_not_used_is_given_back() {
        let mut three = Reservations::up_to(3, LIFE);
        let here = network(1);
        let taken: Vec<bool> = (0..40)
            .map(|number| three.take([number; 16], here, NOW).is_ok())
            .collect();
        assert_eq!(taken.iter().filter(|taken| **taken).count(), 3);
        assert_eq!(three.take([9; 16], here, NOW), Err(LIFE));
        assert!(three.take([9; 16], network(2), NOW).is_ok(), "elsewhere");
        three.end([0; 16], true);
        three.end([1; 16], false);
        assert_eq!(three.of(here, NOW), 2);
        assert!(three.take([10; 16], here, NOW).is_ok());
        assert!(three.take([11; 16], here, NOW).is_err());
        assert!(three.take([11; 16], here, NOW.plus(LIFE)).is_ok(), "later");
    }

    #[test]
    fn the_same_number_counts_once_however_often_it_comes_and_until_nobody_is_under_way_with_it() {
        let mut three = Reservations::up_to(3, LIFE);
        let here = network(1);
        for _ in 0..30 {
            assert!(three.take([7; 16], here, NOW).is_ok());
        }
        assert_eq!(three.of(here, NOW), 1);
        for _ in 0..29 {
            three.end([7; 16], false);
        }
        assert_eq!(three.of(here, NOW), 1, "one is under way");
        three.end([7; 16], true);
        for again in 0..30 {
            let now = NOW.plus(Millis(again));
            assert!(three.take([7; 16], here, now).is_ok());
            three.end([7; 16], false);
            assert_eq!(three.of(here, now), 1);
        }
        for number in 0..2 {
            assert!(three.take([number; 16], here, NOW).is_ok());
        }
        assert!(three.take([7; 16], here, NOW).is_ok(), "it counts already");
        assert!(three.take([8; 16], here, NOW).is_err());
    }

    #[test]
    fn what_is_kept_has_an_end_and_the_counts_outlive_it() {
        let mut some = Reservations::unlimited(LIFE);
        let number = |n: u32| {
            let bytes = n.to_be_bytes();
            core::array::from_fn(|at| bytes[at % 4])
        };
        for n in 0..3 * MOST_REMEMBERED as u32 {
            some.take(number(n), network(1), NOW).unwrap();
        }
        assert!(some.known.len() <= MOST_REMEMBERED);
        assert_eq!(some.of(network(1), NOW), 3 * MOST_REMEMBERED as u32);
        some.end(number(0), false);
        let mut made = Reservations::unlimited(LIFE);
        made.take([1; 16], network(1), NOW).unwrap();
        made.end([1; 16], true);
        assert!(made.known.is_empty() && made.of(network(1), NOW) == 1);
    }

    #[test]
    fn a_request_that_breaks_off_gives_back_what_it_reserved() {
        let here = network(200);
        let of = || networks::with(|seen| seen.waits.of(here, NOW));
        let one = Reserved::wait([1; 16], here, NOW).unwrap();
        let other = Reserved::wait([2; 16], here, NOW).unwrap();
        assert_eq!(of(), 2);
        drop(one);
        assert_eq!(of(), 1);
        other.used();
        assert_eq!(of(), 1);
    }
}
