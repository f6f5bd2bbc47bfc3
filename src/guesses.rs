//! Operator tokens that nobody has signed: what a wrong one costs whoever sends it, and how an operator hears of them.
//!
//! A token is a MAC of 256 bits, and guessing one is hopeless at any speed. What this is for: that trying is not free, and
//! is seen. The answer to a wrong token is held back, longer with each one of the same network; after some it says 429 and
//! when to try again. A token that holds is never held back, also from the same network and in the middle of a flood:
//! nobody can keep an operator from the brake. So the answer to a right one would come at once, and no delay can hide that.
//!
//! Nothing of a wrong token is kept. The isolate counts them for each event and tells the coordinator at most once a
//! minute; the log gets one line then.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anteroom_queue::units::{Millis, UnixMillis};

use crate::networks::{Counts, Network};

/// Wrong tokens of one network count for so long.
const LIFE: Millis = Millis(10 * 60_000);
/// The first wrong token is answered after this long, each further one after twice as long as the one before.
const FIRST_HOLD: Millis = Millis(100);
/// So many are told what is wrong with them: a person with a token cut off in the middle tries a few times. The last of
/// them waits 3.2 s.
const TOLD: u32 = 6;
/// The longest that a network is told to wait.
const LONGEST_RETRY: Millis = Millis(60_000);
/// So many answers are held back at the same time, so that a flood fills no memory. Those beyond it are told at once to
/// come back later.
const MOST_HELD: usize = 32;
/// The coordinator and the log are told of wrong tokens at most so often: a thousand isolates make 17 calls a second.
const TELL_EVERY: Millis = Millis(60_000);

/// What a wrong token costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// The answer waits this long.
    pub hold: Millis,
    /// It says to try again after this long, instead of what is wrong.
    pub retry: Option<Millis>,
}

/// What is kept of wrong tokens.
#[derive(Debug)]
struct Guesses {
    by_network: Counts,
    /// When the answers that are held back go out.
    held: Vec<UnixMillis>,
    untold: BTreeMap<&'static str, Untold>,
}

/// What the coordinator of an event was not told yet.
#[derive(Debug, Default)]
struct Untold {
    count: u32,
    told: UnixMillis,
}

impl Guesses {
    const fn new() -> Self {
        Guesses {
            by_network: Counts::lasting(LIFE),
            held: Vec::new(),
            untold: BTreeMap::new(),
        }
    }

    /// One more from `network`.
    fn cost(&mut self, network: Network, now: UnixMillis) -> Cost {
        self.by_network.count(network, now);
        let (count, _) = self.by_network.of(network, now);
        let doublings = count.min(TOLD) - 1;
        let hold = Millis(FIRST_HOLD.0 << doublings);
        // A release in the distant future is of before the clock was set back.
        let longest = now.plus(Millis(FIRST_HOLD.0 << (TOLD - 1)));
        self.held.retain(|until| (now..=longest).contains(until));
        let is_full = self.held.len() >= MOST_HELD;
        if !is_full {
            self.held.push(now.plus(hold));
        }
        let beyond = count.saturating_sub(TOLD + 1).min(6);
        let retry = Millis((1_000 << beyond).min(LONGEST_RETRY.0));
        Cost {
            hold: if is_full { Millis(0) } else { hold },
            retry: (is_full || count > TOLD).then_some(retry),
        }
    }

    /// One more about `event`. How many the coordinator is to be told of now, if any.
    fn note(&mut self, event: &'static str, now: UnixMillis) -> Option<u32> {
        let untold = self.untold.entry(event).or_default();
        untold.count = untold.count.saturating_add(1);
        let is_due =
            untold.told.0 == 0 || now < untold.told || now.since(untold.told) >= TELL_EVERY;
        is_due.then(|| {
            untold.told = now;
            core::mem::take(&mut untold.count)
        })
    }

    /// How many about `event` nobody was told of; they are now.
    fn tell(&mut self, event: &str) -> u32 {
        let untold = self.untold.get_mut(event);
        untold.map_or(0, |untold| core::mem::take(&mut untold.count))
    }
}

thread_local! {
    static GUESSES: RefCell<Guesses> = const { RefCell::new(Guesses::new()) };
}

/// What a wrong token from `network` costs.
pub fn cost(network: Network, now: UnixMillis) -> Cost {
    GUESSES.with_borrow_mut(|guesses| guesses.cost(network, now))
}

/// Counts a wrong token about `event`. How many its coordinator is to be told of now, if any.
pub fn note(event: &'static str, now: UnixMillis) -> Option<u32> {
    GUESSES.with_borrow_mut(|guesses| guesses.note(event, now))
}

/// How many wrong tokens about `event` this isolate has told nobody of. Whoever asks tells.
pub fn tell(event: &str) -> u32 {
    GUESSES.with_borrow_mut(|guesses| guesses.tell(event))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_800_000_000_000);

    fn network(last: u8) -> Network {
        Network::of_customer(Some(&format!("192.0.2.{last}")))
    }

    #[test]
    fn each_wrong_token_of_a_network_costs_twice_as_long_and_then_it_is_told_to_stay_away() {
        let mut guesses = Guesses::new();
        let mut now = NOW;
        for (hold, retry) in [
            (100, None),
            (200, None),
            (400, None),
            (800, None),
            (1_600, None),
            (3_200, None),
            (3_200, Some(1_000)),
            (3_200, Some(2_000)),
            (3_200, Some(4_000)),
            (3_200, Some(8_000)),
            (3_200, Some(16_000)),
            (3_200, Some(32_000)),
            (3_200, Some(60_000)),
            (3_200, Some(60_000)),
        ] {
            let cost = guesses.cost(network(1), now);
            assert_eq!((cost.hold, cost.retry), (Millis(hold), retry.map(Millis)));
            now = now.plus(cost.hold).plus(Millis(1));
        }
        let elsewhere = guesses.cost(network(2), now);
        assert_eq!(
            elsewhere,
            Cost {
                hold: FIRST_HOLD,
                retry: None
            },
            "another network"
        );
        let later = guesses.cost(network(1), now.plus(LIFE));
        assert_eq!(
            later,
            Cost {
                hold: FIRST_HOLD,
                retry: None
            },
            "it is forgotten"
        );
    }

    #[test]
    fn a_flood_from_everywhere_holds_no_more_than_so_many_answers() {
        let mut guesses = Guesses::new();
        let costs: Vec<Cost> = (0..200)
            .map(|last| guesses.cost(network(last), NOW))
            .collect();
        let held = costs.iter().filter(|cost| cost.hold > Millis(0)).count();
        assert_eq!(held, MOST_HELD);
        assert!(costs[MOST_HELD..].iter().all(|cost| cost.retry.is_some()));
        let after = guesses.cost(network(201), NOW.plus(Millis(101)));
        assert_eq!(after.retry, None, "the next one is told again");
        let set_back = guesses.cost(network(202), UnixMillis(1_000_000));
        assert_eq!(
            set_back.retry, None,
            "what was held by another clock is over"
        );
    }

    #[test]
    fn a_coordinator_hears_of_the_first_at_once_and_then_once_a_minute() {
        let mut guesses = Guesses::new();
        let at = |millis| NOW.plus(Millis(millis));
        assert_eq!(guesses.note("tour", at(0)), Some(1));
        for second in 1..60 {
            assert_eq!(guesses.note("tour", at(second * 1_000)), None);
        }
        assert_eq!(guesses.note("club", at(5_000)), Some(1), "another event");
        assert_eq!(guesses.note("tour", at(60_000)), Some(60));
        assert_eq!(guesses.note("tour", at(61_000)), None);
        assert_eq!(
            (
                guesses.tell("tour"),
                guesses.tell("tour"),
                guesses.tell("none")
            ),
            (1, 0, 0)
        );
    }
}
