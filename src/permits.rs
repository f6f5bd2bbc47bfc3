//! Making permits, without asking anybody: a random nonce, and a home among the shards that take joins.

use std::borrow::Cow;

use anteroom_config::Regions;
use anteroom_queue::board::Board;
use anteroom_queue::units::{KeyHash, Millis, Nonce, ShardIndex};
use anteroom_token::{Challenge, Permit, Ticket};
use sha2::{Digest, Sha256};

use crate::platform;

/// How long a permit may make a place. Short, so that permits cannot be stockpiled; the page asks for a new one.
pub const PERMIT_SECONDS: u64 = 5 * 60;

/// A new permit that asks for `challenge`, for a visitor from that continent, by a board and its age. Without one its home
/// is one of the first shards, one of each region, which every run has.
pub fn fresh(
    board: Option<(&Board, Millis)>,
    (regions, continent): (&Regions, Option<&str>),
    challenge: Challenge,
    now: u64,
) -> Permit {
    let first: Vec<ShardIndex> = (0..regions.shards.len() as u16).map(ShardIndex).collect();
    let open = board.map_or(Cow::Owned(first), |(board, age)| board.homes(age));
    let open = regions.homes(&open, continent);
    let home = match open.len() {
        0 => 0,
        count => open[platform::random_below(count)].0,
    };
    Permit {
        nonce: platform::random_128(),
        home,
        issued_at: now,
        expires_at: now + PERMIT_SECONDS,
        challenge,
        arrived_at: None,
    }
}

/// The same permit signed anew because its home is away: the same nonce and home, and the time at which the visitor
/// first asked to join, so that the wait counts.
pub fn signed_anew(permit: &Permit, now: u64) -> Permit {
    Permit {
        issued_at: now,
        expires_at: now + PERMIT_SECONDS,
        arrived_at: Some(permit.arrived_at.unwrap_or(now)),
        ..permit.clone()
    }
}

/// The same permit, with more work in it: it makes the same place, so that nothing is lost or doubled by asking for more.
pub fn raised(permit: &Permit, challenge: Challenge, now: u64) -> Permit {
    Permit {
        issued_at: now,
        expires_at: now + PERMIT_SECONDS,
        challenge,
        ..permit.clone()
    }
}

/// The same permit at another of the homes that take joins; `None`: there is no other. It asks for nothing more. Its number
/// ranks the homes, so it is the same one as long as that takes joins, whichever others begin or cease to.
pub fn elsewhere(permit: &Permit, board: &Board, regions: &Regions, now: u64) -> Option<Permit> {
    let others = board.open_shards.iter();
    let others = others.filter(|home| home.0 != permit.home && !regions.has_lost(**home));
    let others = others.map(|home| home.0);
    let weight = |home: &u16| {
        let hash = Sha256::new().chain_update(permit.nonce);
        hash.chain_update(home.to_be_bytes()).finalize()
    };
    Some(Permit {
        home: others.max_by_key(weight)?,
        challenge: Challenge::None,
        ..signed_anew(permit, now)
    })
}

/// So many places a permit makes, one after the other, each when the one before is over or left for another line: its own,
/// what follows it, and twice more for others who do the same at that moment. Whoever wants more needs another permit.
pub const MOST_PLACES: usize = 4;

/// What [`next_nonce`] hashes first.
const NEXT_LABEL: &[u8] = b"anteroom/next/v2";

/// The number of the place that takes the turn of the one made with `nonce`, in whatever line. It follows from the number
/// before and from nothing else: a join that is sent again finds what the first one made, and one for another line, too.
pub fn next_nonce(nonce: Nonce) -> Nonce {
    let hash = Sha256::new()
        .chain_update(NEXT_LABEL)
        .chain_update(nonce.0)
        .finalize();
    Nonce(core::array::from_fn(|at| hash[at]))
}

/// The numbers of the places that a permit makes, in their order.
pub fn places_of(nonce: Nonce) -> impl Iterator<Item = Nonce> {
    core::iter::successors(Some(nonce), |nonce| Some(next_nonce(*nonce))).take(MOST_PLACES)
}

/// Which of the permit's places the ticket is of, the first is 0; `None`: it is another permit's.
pub fn position_of(ticket: &Ticket, permit: &Permit) -> Option<usize> {
    places_of(Nonce(permit.nonce)).position(|nonce| nonce.0 == ticket.nonce)
}

/// What [`keyed_nonce`] hashes first.
const KEYED_LABEL: &[u8] = b"anteroom/keyed/v1";
/// So many bytes of such a number are its key's mark.
const MARK_BYTES: usize = 4;

/// The number of the place that a permit makes by a code or member key. It is another than that of the place which the
/// permit makes without: what was made without a code is never taken for the code's. It carries a mark of its key, so that
/// a permit which has this number already finds the place again.
pub fn keyed_nonce(nonce: Nonce, key: KeyHash) -> Nonce {
    match mark_of(nonce) == mark(key) {
        true => nonce,
        false => marked(key, |hash| hash.update(nonce.0)),
    }
}

/// As [`next_nonce`], for a place by a code or member key.
pub fn next_keyed(nonce: Nonce, key: KeyHash) -> Nonce {
    marked(key, |hash| hash.update(next_nonce(nonce).0))
}

fn marked(key: KeyHash, from: impl FnOnce(&mut Sha256)) -> Nonce {
    let mut hash = Sha256::new().chain_update(KEYED_LABEL).chain_update(key.0);
    from(&mut hash);
    let hash = hash.finalize();
    let mut nonce: [u8; 16] = core::array::from_fn(|at| hash[at]);
    let mark_at = nonce.len() - MARK_BYTES;
    nonce[mark_at..].copy_from_slice(&mark(key));
    Nonce(nonce)
}

fn mark(key: KeyHash) -> [u8; MARK_BYTES] {
    let hash = Sha256::new()
        .chain_update(KEYED_LABEL)
        .chain_update(key.0)
        .finalize();
    core::array::from_fn(|at| hash[at])
}

fn mark_of(nonce: Nonce) -> [u8; MARK_BYTES] {
    let mark_at = nonce.0.len() - MARK_BYTES;
    core::array::from_fn(|at| nonce.0[mark_at + at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use anteroom_queue::board::Phase;
    use anteroom_queue::units::ShardIndex;
    use std::collections::BTreeSet;

    #[test]
    fn a_permit_whose_home_is_full_has_one_other_home_and_asks_for_nothing_more() {
        let permit = |number| Permit {
            nonce: [number; 16],
            ..fresh(
                None,
                (&Regions::default(), None),
                Challenge::Work { bits: 16 },
                1_000,
            )
        };
        let mut board = samples::board(Phase::Open);
        board.open_shards = vec![ShardIndex(0)];
        assert_eq!(
            elsewhere(&permit(1), &board, &Regions::default(), 1_010),
            None
        );
        board.open_shards = (0..4).map(ShardIndex).collect();
        for number in 0..32 {
            let there = elsewhere(&permit(number), &board, &Regions::default(), 1_010).unwrap();
            assert!((1..4).contains(&there.home));
            assert_eq!(
                (there.nonce, there.challenge),
                ([number; 16], Challenge::None)
            );
            assert_eq!(
                elsewhere(&permit(number), &board, &Regions::default(), 1_010),
                Some(there)
            );
        }
    }

    #[test]
    fn by_an_outdated_board_any_shard_of_the_run_is_a_home() {
        let mut board = samples::board(Phase::Open);
        (board.open_shards, board.shards) = (vec![ShardIndex(1)], 4);
        let homes = |age_ms: u64| -> BTreeSet<u16> {
            let here = (&Regions::default(), None);
            let permit = || fresh(Some((&board, Millis(age_ms))), here, Challenge::None, 1_000);
            (0..200).map(|_| permit().home).collect()
        };
        assert_eq!(homes(10_000), BTreeSet::from([1]));
        assert_eq!(homes(10_001), BTreeSet::from([0, 1, 2, 3]));
    }

    // P4.
    #[test]
    fn the_other_home_of_a_permit_stays_the_same_while_it_takes_joins() {
        let mut board = samples::board(Phase::Open);
        for number in 0..32 {
            let permit = Permit {
                nonce: [number; 16],
                ..fresh(None, (&Regions::default(), None), Challenge::None, 1_000)
            };
            let mut home_of = |homes: &[u16]| {
                board.open_shards = homes.iter().copied().map(ShardIndex).collect();
                elsewhere(&permit, &board, &Regions::default(), 1_010).map(|there| there.home)
            };
            let first = home_of(&[0, 1, 2, 3, 4]);
            let without_another: Vec<u16> = (0..5)
                .filter(|home| *home != 1 || first == Some(1))
                .collect();
            assert_eq!(home_of(&without_another), first);
            let grown = home_of(&[0, 1, 2, 3, 4, 5]);
            assert!(grown == first || grown == Some(5));
        }
    }

    #[test]
    fn the_places_of_a_permit_are_its_own_and_always_the_same() {
        let of = |number: u8| places_of(Nonce([number; 16])).collect::<Vec<_>>();
        assert_eq!(of(1), of(1));
        assert_eq!((of(1)[0], of(1).len()), (Nonce([1; 16]), MOST_PLACES));
        let all = [of(1), of(2)].concat();
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one));
        }
    }

    #[test]
    fn a_place_by_a_key_is_apart_from_the_permits_own_and_found_again_by_its_number() {
        let (one, two) = (KeyHash([1; 16]), KeyHash([2; 16]));
        let permit = Nonce([7; 16]);
        let by_one = keyed_nonce(permit, one);
        assert_ne!(by_one, permit);
        assert_eq!(by_one, keyed_nonce(permit, one));
        assert_eq!(
            by_one,
            keyed_nonce(by_one, one),
            "the permit that has its number"
        );
        assert_ne!(by_one, keyed_nonce(permit, two));
        assert_ne!(keyed_nonce(by_one, two), by_one);
        let next = next_keyed(by_one, one);
        assert_ne!(next, by_one);
        assert_eq!(next, keyed_nonce(next, one));
    }

    #[test]
    fn a_permit_signed_anew_is_the_same_place_and_keeps_the_first_arrival() {
        let permit = Permit {
            nonce: [5; 16],
            home: 3,
            issued_at: 100,
            expires_at: 400,
            challenge: Challenge::None,
            arrived_at: None,
        };
        let once = signed_anew(&permit, 350);
        assert_eq!(
            (once.nonce, once.home, once.arrived_at),
            ([5; 16], 3, Some(350))
        );
        assert_eq!(once.expires_at, 350 + PERMIT_SECONDS);
        assert_eq!(signed_anew(&once, 500).arrived_at, Some(350));
    }
}
