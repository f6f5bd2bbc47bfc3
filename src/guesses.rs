//! Wrong codes, counted for each network in one isolate. A code has more random bits than anybody guesses; this keeps who
//! tries from keeping the objects busy. Networks are those that one customer has: an IPv6 address is cut to 56 bits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::IpAddr;

use anteroom_queue::units::{Millis, UnixMillis};

/// Wrong codes from one network within [`WINDOW`]: more than a family with shaking hands types.
pub const MAX_WRONG: u32 = 20;
/// So long they are counted, from the first one on.
pub const WINDOW: Millis = Millis(60_000);
/// So many networks are counted at most, about 100 kB; with more, counting begins anew.
const MAX_NETWORKS: usize = 4_096;
/// Bits of an IPv6 address that are the customer's own.
const CUSTOMER_BITS: u32 = 128 - 56;

/// The network of an address; one for all whose address is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Network(u128);

impl Network {
    /// Of the address that the platform tells.
    pub fn of(address: Option<&str>) -> Self {
        let address = address.and_then(|text| text.parse::<IpAddr>().ok());
        Network(match address.map(|address| address.to_canonical()) {
            None => 0,
            Some(IpAddr::V4(v4)) => v4.to_ipv6_mapped().to_bits(),
            Some(IpAddr::V6(v6)) => v6.to_bits() >> CUSTOMER_BITS << CUSTOMER_BITS,
        })
    }
}

/// What was counted.
#[derive(Debug, Default)]
pub struct Guesses {
    wrong: BTreeMap<Network, (UnixMillis, u32)>,
}

impl Guesses {
    /// Whether `network` may try: how long it has to wait if not.
    pub fn wait(&self, network: Network, now: UnixMillis) -> Option<Millis> {
        let (since, count) = *self.wrong.get(&network)?;
        let passed = now.since(since);
        (count >= MAX_WRONG && passed < WINDOW).then(|| Millis(WINDOW.0 - passed.0))
    }

    /// Counts a wrong one.
    pub fn count(&mut self, network: Network, now: UnixMillis) {
        if self.wrong.len() >= MAX_NETWORKS {
            self.wrong
                .retain(|_, (since, _)| now.since(*since) < WINDOW);
        }
        if self.wrong.len() >= MAX_NETWORKS {
            self.wrong.clear();
        }
        let (since, count) = self.wrong.entry(network).or_insert((now, 0));
        if now.since(*since) >= WINDOW {
            (*since, *count) = (now, 0);
        }
        *count += 1;
    }
}

thread_local! {
    static GUESSES: RefCell<Guesses> = RefCell::default();
}

/// Works on what this isolate has counted.
pub fn with<T>(work: impl FnOnce(&mut Guesses) -> T) -> T {
    GUESSES.with_borrow_mut(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_000_000);

    #[test]
    fn too_many_wrong_codes_from_one_network_have_to_wait_and_nobody_else_has() {
        let mut guesses = Guesses::default();
        let (here, there) = (
            Network::of(Some("192.0.2.7")),
            Network::of(Some("192.0.2.8")),
        );
        for _ in 1..MAX_WRONG {
            guesses.count(here, NOW);
        }
        assert_eq!(guesses.wait(here, NOW), None);
        guesses.count(here, NOW.plus(Millis(10_000)));
        assert_eq!(
            guesses.wait(here, NOW.plus(Millis(10_000))),
            Some(Millis(50_000))
        );
        assert_eq!(guesses.wait(there, NOW), None);
        assert_eq!(guesses.wait(here, NOW.plus(WINDOW)), None);
        guesses.count(here, NOW.plus(WINDOW));
        assert_eq!(guesses.wait(here, NOW.plus(WINDOW)), None, "counted anew");
    }

    #[test]
    fn a_customer_is_one_network_however_many_addresses_it_has() {
        let of = |text| Network::of(Some(text));
        assert_eq!(of("2001:db8:1:2a00::1"), of("2001:db8:1:2aff::2"));
        assert_ne!(of("2001:db8:1:2a00::1"), of("2001:db8:1:2b00::1"));
        assert_eq!(of("192.0.2.7"), of("::ffff:192.0.2.7"));
        assert_eq!(Network::of(None), of("no address"));
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let mut guesses = Guesses::default();
        for number in 0..3 * MAX_NETWORKS {
            guesses.count(Network(number as u128), NOW);
        }
        assert!(guesses.wrong.len() <= MAX_NETWORKS);
    }
}
