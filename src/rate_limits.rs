//! How often one visitor or one network may ask for something.
//!
//! Each isolate counts by itself ([`networks`](crate::networks)): that keeps any one from being busy with one visitor.
//! Where the deployment has the platform's rate limits (`[[ratelimits]]`, counted for a whole data centre), they are asked
//! too, beside the answer: what they say holds from the next request on, for as long as they count. They get a keyed hash
//! ([`Tokens::mark`](anteroom_token::Tokens::mark)), never an address. Both are approximate, and neither takes a place
//! away: who is told to wait keeps it, and no object hears of it.
//!
//! A request without `CF-Connecting-IP` is not counted: on the platform there is none, only on somebody's own machine.
//! Nothing else that a request says of its address is looked at.

use std::cell::RefCell;

use anteroom_queue::units::{Millis, UnixMillis};
use base64ct::{Base64UrlUnpadded, Encoding};

use crate::deployment::Room;
use crate::networks::{Counts, Network};
use crate::platform;
use crate::problem::Problem;
use crate::visit::Visit;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// A permit is made.
    Permit,
    /// A code was wrong.
    WrongCode,
    /// A visitor or a program looks how it stands.
    Poll,
}

/// Whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// Whoever comes from a network.
    Network(Network),
    /// Whoever brings the ticket of this permit's place.
    Place([u8; 16]),
}

/// Permits of one customer's network in a minute: a hundred a second, which no crowd behind one address asks for and which
/// cost an isolate a hundredth of its time.
const MOST_PERMITS: u32 = 6_000;
/// Wrong codes of one customer's network in a minute: more than a family with shaking hands types. A code has more random
/// bits than anybody guesses; this keeps who tries from keeping the objects busy.
const MOST_WRONG_CODES: u32 = 20;
/// Looks with one ticket in ten seconds: a page makes five at most, so forty tabs of one browser.
const MOST_POLLS: u32 = 200;
/// Looks without a ticket, of one customer's network in ten seconds: five thousand visitors behind one address.
const MOST_POLLS_OF_NETWORK: u32 = 25_000;
/// A minute, and ten seconds: the two periods that the platform's limits know.
const MINUTE: Millis = Millis(60_000);
const TEN_SECONDS: Millis = Millis(10_000);
/// So many are counted at most, about 6 MB: more places than one isolate answers in ten seconds.
const MOST_COUNTED: usize = 64 * 1_024;

impl Action {
    /// The binding of the platform's limit, where the deployment has one. There is none for looks of a network: a whole
    /// town's phones may come from one address, and a limit that is right for a place would stop all of them.
    fn binding(self, whose: Whose) -> Option<&'static str> {
        match (self, whose) {
            (Action::Permit, _) => Some("RATE_PERMITS"),
            (Action::WrongCode, _) => Some("RATE_CODES"),
            (Action::Poll, Whose::Place(_)) => Some("RATE_POLLS"),
            (Action::Poll, Whose::Network(_)) => None,
        }
    }

    /// How many are taken here in a period.
    fn most(self, whose: Whose) -> u32 {
        match (self, whose) {
            (Action::Permit, _) => MOST_PERMITS,
            (Action::WrongCode, _) => MOST_WRONG_CODES,
            (Action::Poll, Whose::Place(_)) => MOST_POLLS,
            (Action::Poll, Whose::Network(_)) => MOST_POLLS_OF_NETWORK,
        }
    }

    fn refusal(self) -> Problem {
        let (kind, title) = match self {
            Action::Permit => (
                "too-many-permits",
                "too many permits were asked for from this network; try again later",
            ),
            Action::WrongCode => (
                "too-many-guesses",
                "too many wrong codes from this network; try again later",
            ),
            Action::Poll => (
                "too-many-looks",
                "this is asked too often; ask as often as poll_ms says, and the place is kept meanwhile",
            ),
        };
        Problem::new(429, kind, title)
    }
}

impl Whose {
    /// What a mark is made of.
    fn bytes(self) -> Vec<u8> {
        match self {
            Whose::Network(network) => [&b"network"[..], &network.bytes()].concat(),
            Whose::Place(nonce) => [&b"place"[..], &nonce].concat(),
        }
    }
}

/// What this isolate has counted, and what the platform's limits said.
#[derive(Debug)]
struct Seen {
    minutes: Counts<(Action, Whose)>,
    moments: Counts<(Action, Whose)>,
    refused_minutes: Counts<(Action, Whose)>,
    refused_moments: Counts<(Action, Whose)>,
}

impl Seen {
    const fn nothing() -> Self {
        Seen {
            minutes: Counts::for_up_to(MOST_COUNTED, MINUTE),
            moments: Counts::for_up_to(MOST_COUNTED, TEN_SECONDS),
            refused_minutes: Counts::lasting(MINUTE),
            refused_moments: Counts::lasting(TEN_SECONDS),
        }
    }

    fn counted(&mut self, action: Action) -> &mut Counts<(Action, Whose)> {
        match action {
            Action::Poll => &mut self.moments,
            Action::Permit | Action::WrongCode => &mut self.minutes,
        }
    }

    fn refused(&mut self, action: Action) -> &mut Counts<(Action, Whose)> {
        match action {
            Action::Poll => &mut self.refused_moments,
            Action::Permit | Action::WrongCode => &mut self.refused_minutes,
        }
    }

    /// How long one more has to wait; `None`: not at all. A platform's limit on permits only asks for more work, since
    /// nobody is kept from joining by an address.
    fn waits(&mut self, action: Action, whose: Whose, now: UnixMillis) -> Option<Millis> {
        let (count, lasts) = self.counted(action).of((action, whose), now);
        if count >= action.most(whose) {
            return Some(lasts);
        }
        let (said, lasts) = self.refused(action).of((action, whose), now);
        (said > 0 && action != Action::Permit).then_some(lasts)
    }
}

thread_local! {
    static SEEN: RefCell<Seen> = const { RefCell::new(Seen::nothing()) };
}

/// The network of the customer that a visit comes from, if the platform tells.
fn customer(visit: &Visit) -> Option<Whose> {
    let address = visit.incoming.header("cf-connecting-ip")?;
    Some(Whose::Network(Network::of_customer(Some(&address))))
}

/// Refuses what is asked too often; nothing is counted.
pub fn check(visit: &Visit, action: Action) -> Result<(), Problem> {
    customer(visit).map_or(Ok(()), |whose| check_of(action, whose, visit.now))
}

fn check_of(action: Action, whose: Whose, now: UnixMillis) -> Result<(), Problem> {
    match SEEN.with_borrow_mut(|seen| seen.waits(action, whose, now)) {
        None => Ok(()),
        Some(wait) => Err(action.refusal().retry(wait.0)),
    }
}

/// Counts one of a visit's network, here and at the platform.
pub fn count(visit: &Visit, room: Room, action: Action) {
    if let Some(whose) = customer(visit) {
        count_of(visit, room, action, whose);
    }
}

fn count_of(visit: &Visit, room: Room, action: Action, whose: Whose) {
    let now = visit.now;
    let asks = SEEN.with_borrow_mut(|seen| {
        seen.counted(action).count((action, whose), now);
        seen.refused(action).of((action, whose), now).0 == 0
    });
    let Some(binding) = action.binding(whose).filter(|_| asks) else {
        return;
    };
    let Ok(limiter) = visit.env.rate_limiter(binding) else {
        return;
    };
    let mark = Base64UrlUnpadded::encode_string(&room.tokens.mark(&whose.bytes()));
    visit.context.wait_until(async move {
        match limiter.limit(mark).await {
            Ok(outcome) if outcome.success => {}
            Ok(_) => SEEN.with_borrow_mut(|seen| {
                seen.refused(action).count((action, whose), platform::now());
            }),
            Err(error) => platform::log(&format!("{binding}: {error}")),
        }
    });
}

/// A look, by whoever brings the ticket of this nonce or by a network: counted, or refused.
pub fn look(visit: &Visit, room: Room, ticket: Option<[u8; 16]>) -> Result<(), Problem> {
    let Some(network) = customer(visit) else {
        return Ok(());
    };
    let whose = ticket.map_or(network, Whose::Place);
    check_of(Action::Poll, whose, visit.now)?;
    count_of(visit, room, Action::Poll, whose);
    Ok(())
}

/// Whether the platform's limit says that a visit's network asks for many permits.
pub fn is_busy(visit: &Visit) -> bool {
    customer(visit).is_some_and(|whose| {
        let busy = (Action::Permit, whose);
        SEEN.with_borrow_mut(|seen| seen.refused(Action::Permit).of(busy, visit.now).0 > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_000_000);

    fn network(address: &str) -> Whose {
        Whose::Network(Network::of_customer(Some(address)))
    }

    /// How many of one kind are taken before one has to wait, and how long it waits.
    fn taken(seen: &mut Seen, action: Action, whose: Whose) -> (u32, Millis) {
        for count in 0.. {
            if let Some(wait) = seen.waits(action, whose, NOW) {
                return (count, wait);
            }
            seen.counted(action).count((action, whose), NOW);
        }
        unreachable!("everything has a limit")
    }

    // Q6.
    #[test]
    fn each_kind_has_its_limit_for_each_network_and_place() {
        let mut seen = Seen::nothing();
        let here = network("192.0.2.7");
        for (action, whose, most, wait) in [
            (Action::Permit, here, 6_000, MINUTE),
            (Action::WrongCode, here, 20, MINUTE),
            (Action::Poll, here, 25_000, TEN_SECONDS),
            (Action::Poll, Whose::Place([1; 16]), 200, TEN_SECONDS),
            (Action::Poll, Whose::Place([2; 16]), 200, TEN_SECONDS),
            (Action::WrongCode, network("192.0.2.8"), 20, MINUTE),
        ] {
            assert_eq!(taken(&mut seen, action, whose), (most, wait), "{action:?}");
        }
        let later = NOW.plus(TEN_SECONDS);
        let place = Whose::Place([1; 16]);
        assert_eq!(seen.waits(Action::Poll, place, later), None);
    }

    // P22.
    #[test]
    fn the_platforms_limit_of_a_place_is_never_asked_about_a_network() {
        let (here, place) = (network("192.0.2.7"), Whose::Place([1; 16]));
        assert_eq!(Action::Poll.binding(place), Some("RATE_POLLS"));
        assert_eq!(Action::Poll.binding(here), None);
        assert_eq!(Action::Permit.binding(here), Some("RATE_PERMITS"));
        assert_eq!(Action::WrongCode.binding(here), Some("RATE_CODES"));
    }

    #[test]
    fn what_the_platform_refuses_waits_as_long_as_it_counts_but_a_permit_only_costs_more() {
        let mut seen = Seen::nothing();
        let here = network("192.0.2.7");
        for (action, expected) in [
            (Action::Permit, None),
            (Action::WrongCode, Some(MINUTE)),
            (Action::Poll, Some(TEN_SECONDS)),
        ] {
            seen.refused(action).count((action, here), NOW);
            assert_eq!(seen.waits(action, here, NOW), expected, "{action:?}");
            let there = network("192.0.2.8");
            assert_eq!(seen.waits(action, there, NOW), None, "{action:?}");
        }
    }

    #[test]
    fn a_network_and_a_place_are_never_told_apart_by_less_than_all_of_them() {
        let all = [
            network("192.0.2.7").bytes(),
            network("192.0.2.8").bytes(),
            network("2001:db8::1").bytes(),
            Whose::Place([0; 16]).bytes(),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other != one));
        }
    }
}
