//! From which networks one pass is used. A browser renews its pass once in half of a pass's life at most, so the networks
//! that renewed within one life are used at the same time, by several devices or by one on the move. Networks that claimed
//! count as well: a pass lives on where it was handed out when another browser takes the session over. One on the move has
//! seldom more than two of a kind; IPv4 and IPv6 are counted apart, since a device uses both beside one another.

use crate::limits::MOST_NETWORKS;
use crate::units::{Millis, NetworkMark, UnixMillis};

/// What was seen of one session's pass. At most [`MOST_NETWORKS`] and one more of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks {
    seen: Vec<(NetworkMark, UnixMillis)>,
    too_many: bool,
}

impl Networks {
    /// The pass is used from `network`; `life` is how long a pass lives. Once there were too many, that stands until the
    /// session is checked.
    pub fn note(&mut self, network: NetworkMark, life: Millis, now: UnixMillis) {
        if self.too_many {
            return;
        }
        self.seen
            .retain(|(known, at)| *known != network && now.since(*at) < life);
        self.seen.push((network, now));
        let of_its_kind = |(known, _): &&(NetworkMark, _)| known.is_v6() == network.is_v6();
        self.too_many = self.seen.iter().filter(of_its_kind).count() > MOST_NETWORKS;
    }

    /// Whether the session has to be checked.
    pub fn are_too_many(&self) -> bool {
        self.too_many
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFE: Millis = Millis(180_000);

    fn after(uses: &[(u64, u8)]) -> Networks {
        let mut networks = Networks::default();
        for (second, network) in uses {
            let now = UnixMillis(1_000_000 + second * 1_000);
            networks.note(NetworkMark([*network; 8]), LIFE, now);
        }
        networks
    }

    // R3. Even numbers are networks of IPv4, odd ones of IPv6.
    #[test]
    fn more_than_three_networks_of_a_kind_within_the_life_of_a_pass_are_too_many() {
        type Row = (&'static str, &'static [(u64, u8)], bool);
        let rows: [Row; 8] = [
            ("one place", &[(0, 2), (90, 2), (180, 2)], false),
            ("three", &[(0, 2), (1, 4), (2, 6), (90, 2)], false),
            ("four", &[(0, 2), (1, 4), (2, 6), (3, 8)], true),
            (
                "a train",
                &[(0, 2), (90, 4), (180, 6), (270, 8), (360, 10)],
                false,
            ),
            (
                "a fourth much later",
                &[(0, 2), (1, 4), (2, 6), (180, 8)],
                false,
            ),
            (
                "Wi-Fi, carrier, Wi-Fi, each over both",
                &[(0, 2), (0, 3), (90, 4), (90, 5), (170, 2), (170, 3)],
                false,
            ),
            ("four of IPv6", &[(0, 3), (1, 5), (2, 7), (3, 9)], true),
            (
                "again and again",
                &[(0, 2), (0, 4), (80, 2), (80, 4), (160, 6), (161, 8)],
                true,
            ),
        ];
        for (what, uses, too_many) in rows {
            assert_eq!(after(uses).are_too_many(), too_many, "{what}");
        }
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let many: Vec<(u64, u8)> = (0..255).map(|number| (0, number)).collect();
        assert!(after(&many).seen.len() <= 2 * (MOST_NETWORKS + 1));
    }
}
