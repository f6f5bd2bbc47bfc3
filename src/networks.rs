//! What is counted for each network in one isolate: joins, and what was waited for instead of worked for
//! ([`reserved`](crate::reserved)).
//!
//! In memory only, for minutes, and never logged. An isolate sees a part of the traffic, so these are signals and brakes,
//! never proofs; nobody is refused for an address alone. [`Counts`] counts in this way whatever is to be told apart.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::IpAddr;

use anteroom_queue::units::{Millis, UnixMillis};

use crate::reserved::Reservations;

/// So many are counted at most unless said otherwise, about 100 kB for networks; with more, counting begins anew.
const MAX_NETWORKS: usize = 4_096;

/// A network; one for all whose address is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Network {
    bits: u128,
    is_v6: bool,
}

impl Network {
    /// The network that one customer has: an IPv4 address, or the first 56 bits of an IPv6 address.
    pub fn of_customer(address: Option<&str>) -> Self {
        Network::cut(address, 32, 56)
    }

    /// The network that a provider gives to a neighbourhood: 24 bits of IPv4, 48 of IPv6.
    pub fn of_provider(address: Option<&str>) -> Self {
        Network::cut(address, 24, 48)
    }

    /// All that tells it from others.
    pub fn bytes(self) -> [u8; 17] {
        let mut bytes = [u8::from(self.is_v6); 17];
        bytes[1..].copy_from_slice(&self.bits.to_be_bytes());
        bytes
    }

    /// Whether it is one of IPv6, of which everybody can have many.
    pub fn is_v6(self) -> bool {
        self.is_v6
    }

    fn cut(address: Option<&str>, v4_bits: u32, v6_bits: u32) -> Self {
        let address = address.and_then(|text| text.parse::<IpAddr>().ok());
        let first = |bits: u128, count: u32| bits >> (128 - count) << (128 - count);
        match address.map(|address| address.to_canonical()) {
            None => Network {
                bits: 0,
                is_v6: false,
            },
            Some(IpAddr::V4(v4)) => Network {
                bits: first(v4.to_ipv6_mapped().to_bits(), 96 + v4_bits),
                is_v6: false,
            },
            Some(IpAddr::V6(v6)) => Network {
                bits: first(v6.to_bits(), v6_bits),
                is_v6: true,
            },
        }
    }
}

/// Counts for each network, or whatever else is told apart, from its first event on, for `life`.
#[derive(Debug)]
pub struct Counts<K = Network> {
    life: Millis,
    most: usize,
    /// A tree: visitors choose some of the keys, and those of a hash table could be made to collide.
    counted: BTreeMap<K, (UnixMillis, u32)>,
}

impl<K> Counts<K> {
    /// Nothing is counted yet.
    pub const fn lasting(life: Millis) -> Self {
        Counts {
            life,
            most: MAX_NETWORKS,
            counted: BTreeMap::new(),
        }
    }

    /// The same for so many at most.
    pub const fn for_up_to(most: usize, life: Millis) -> Self {
        Counts {
            life,
            most,
            counted: BTreeMap::new(),
        }
    }
}

impl<K: Ord + Copy> Counts<K> {
    /// How many there were, and how long they still count.
    pub fn of(&self, network: K, now: UnixMillis) -> (u32, Millis) {
        match self.counted.get(&network) {
            Some((since, count)) if now.since(*since) < self.life => {
                (*count, Millis(self.life.0 - now.since(*since).0))
            }
            _ => (0, Millis(0)),
        }
    }

    /// One more; answers since when they count.
    pub fn count(&mut self, network: K, now: UnixMillis) -> UnixMillis {
        let (since, count) = self.counting(network, now);
        *count += 1;
        *since
    }

    /// One more if there are fewer than `most`; answers since when they count, or how long those that there are still will.
    pub fn count_up_to(
        &mut self,
        most: u32,
        network: K,
        now: UnixMillis,
    ) -> Result<UnixMillis, Millis> {
        let life = self.life;
        let (since, count) = self.counting(network, now);
        if *count >= most {
            return Err(Millis(life.0 - now.since(*since).0));
        }
        *count += 1;
        Ok(*since)
    }

    fn counting(&mut self, network: K, now: UnixMillis) -> &mut (UnixMillis, u32) {
        let life = self.life;
        if self.counted.len() >= self.most {
            self.counted
                .retain(|_, (since, _)| now.since(*since) < life);
        }
        if self.counted.len() >= self.most {
            self.counted.clear();
        }
        let counting = self.counted.entry(network).or_insert((now, 0));
        if now.since(counting.0) >= life {
            *counting = (now, 0);
        }
        counting
    }

    /// One of those that count `since` then is no more.
    pub fn give_back(&mut self, network: K, since: UnixMillis) {
        let Some((known, count)) = self.counted.get_mut(&network) else {
            return;
        };
        match (*known == since, *count) {
            (true, 0 | 1) => {
                self.counted.remove(&network);
            }
            (true, _) => *count -= 1,
            (false, _) => {}
        }
    }
}

/// Joins count for ten minutes.
const JOINS_LIFE: Millis = Millis(10 * 60_000);
/// So many of one network may wait instead of working in ten minutes: a family, an office of people without script.
pub const MOST_WAITED: u32 = 10;

/// What this isolate has counted.
#[derive(Debug)]
pub struct Seen {
    /// Places that were made, or are about to be, by provider; each by the number of its permit.
    pub joins: Reservations,
    /// Waits instead of work, by provider; each by who has waited.
    pub waits: Reservations,
    /// Visitors who were let in, by provider.
    pub entered: Counts,
}

impl Seen {
    /// Nothing was counted yet.
    pub const fn nothing() -> Self {
        Seen {
            joins: Reservations::unlimited(JOINS_LIFE),
            waits: Reservations::up_to(MOST_WAITED, JOINS_LIFE),
            entered: Counts::lasting(JOINS_LIFE),
        }
    }
}

thread_local! {
    static SEEN: RefCell<Seen> = const { RefCell::new(Seen::nothing()) };
}

/// Works on what this isolate has counted.
pub fn with<T>(work: impl FnOnce(&mut Seen) -> T) -> T {
    SEEN.with_borrow_mut(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_000_000);
    const LIFE: Millis = Millis(60_000);

    #[test]
    fn a_network_is_counted_from_its_first_event_on_and_apart_from_all_others() {
        let mut counts = Counts::lasting(LIFE);
        let (here, there) = (
            Network::of_customer(Some("192.0.2.7")),
            Network::of_customer(Some("192.0.2.8")),
        );
        counts.count(here, NOW);
        counts.count(here, NOW.plus(Millis(10_000)));
        let at = |millis| NOW.plus(Millis(millis));
        assert_eq!(counts.of(here, at(10_000)), (2, Millis(50_000)));
        assert_eq!(counts.of(there, at(10_000)), (0, Millis(0)));
        assert_eq!(counts.of(here, at(60_000)), (0, Millis(0)));
        counts.count(here, at(60_000));
        assert_eq!(counts.of(here, at(60_000)).0, 1, "counted anew");
    }

    #[test]
    fn what_is_given_back_no_longer_counts_and_takes_nothing_from_a_later_period() {
        let mut counts = Counts::lasting(LIFE);
        let since = counts.count(1, NOW);
        counts.count(1, NOW.plus(Millis(10)));
        counts.give_back(1, since);
        assert_eq!(counts.of(1, NOW.plus(Millis(20))), (1, Millis(59_980)));
        counts.count(1, NOW.plus(LIFE));
        counts.give_back(1, since);
        assert_eq!(counts.of(1, NOW.plus(LIFE)).0, 1);
        counts.give_back(1, NOW.plus(LIFE));
        assert!(counts.counted.is_empty());
        counts.give_back(1, NOW);
    }

    #[test]
    fn a_customer_and_a_provider_are_one_network_however_many_addresses_they_have() {
        let customer = |text| Network::of_customer(Some(text));
        assert_eq!(
            customer("2001:db8:1:2a00::1"),
            customer("2001:db8:1:2aff::2")
        );
        assert_ne!(
            customer("2001:db8:1:2a00::1"),
            customer("2001:db8:1:2b00::1")
        );
        assert_eq!(customer("192.0.2.7"), customer("::ffff:192.0.2.7"));
        assert_eq!(Network::of_customer(None), customer("no address"));
        let provider = |text| Network::of_provider(Some(text));
        assert_eq!(provider("192.0.2.7"), provider("192.0.2.200"));
        assert_ne!(provider("192.0.2.7"), provider("192.0.3.7"));
        assert_eq!(
            provider("2001:db8:1:2a00::1"),
            provider("2001:db8:1:ffff::1")
        );
        assert_ne!(provider("2001:db8:1::1"), provider("2001:db8:2::1"));
        assert!(provider("2001:db8:1::1").is_v6() && !provider("::ffff:192.0.2.7").is_v6());
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let mut counts = Counts::lasting(LIFE);
        for number in 0..3 * MAX_NETWORKS as u32 {
            let address = std::net::Ipv4Addr::from(number).to_string();
            counts.count(Network::of_customer(Some(&address)), NOW);
        }
        assert!(counts.counted.len() <= MAX_NETWORKS);
        let mut few = Counts::for_up_to(3, LIFE);
        for number in 0..10 {
            few.count(number, NOW);
        }
        assert!(few.counted.len() <= 3);
    }
}
