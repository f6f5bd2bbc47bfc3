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

use anteroom_durable_objects::literals::with_literal;
use anteroom_queue::units::{ClaimId, Millis, UnixMillis};
use base64ct::{Base64UrlUnpadded, Encoding};
use worker::js_sys::Reflect;

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
    /// A hand-over code is tried.
    Guess,
    /// A visitor or a program looks how it stands.
    Poll,
}

/// Whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// Whoever comes from a network.
    Network(Network),
    /// The browser of this claim id that brings the ticket of this permit's place. The place may be in other hands now:
    /// what they ask is not counted against it.
    Browser([u8; 16], ClaimId),
    /// All browsers of a network that bring the ticket of this permit's place: claim ids are made up easily.
    PlaceIn([u8; 16], Network),
    /// Whoever brings the hand-over code of this hash, which an edge has made.
    Code([u8; 16]),
}

/// Permits of one customer's network in a minute: a hundred a second, which no crowd behind one address asks for and which
/// cost an isolate a hundredth of its time.
const MOST_PERMITS: u32 = 6_000;
/// Codes that no edge has made, of one customer's network in a minute: more than a family with shaking hands types. A code
/// has more random bits than anybody guesses; this keeps who tries from keeping the objects busy.
const MOST_GUESSES: u32 = 20;
/// How often one code that an edge has made is tried in a minute: more than any browser sends it.
const MOST_OF_ONE_CODE: u32 = 20;
/// Looks of one browser with one ticket in ten seconds: a page makes five at most, so forty tabs of one browser.
const MOST_POLLS: u32 = 200;
/// Looks with one ticket of all browsers behind one customer's address in ten seconds: ten that ask as often as they may.
const MOST_POLLS_OF_PLACE: u32 = 2_000;
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
            (Action::Guess, Whose::Network(_)) => Some("RATE_CODES"),
            (Action::Poll, Whose::Browser(..)) => Some("RATE_POLLS"),
            (Action::Guess | Action::Poll, _) => None,
        }
    }

    /// How many are taken here in a period.
    fn most(self, whose: Whose) -> u32 {
        match (self, whose) {
            (Action::Permit, _) => MOST_PERMITS,
            (Action::Guess, Whose::Code(_)) => MOST_OF_ONE_CODE,
            (Action::Guess, _) => MOST_GUESSES,
            (Action::Poll, Whose::Browser(..)) => MOST_POLLS,
            (Action::Poll, Whose::PlaceIn(..)) => MOST_POLLS_OF_PLACE,
            (Action::Poll, _) => MOST_POLLS_OF_NETWORK,
        }
    }

    /// What one is told who has to wait so long.
    fn refusal(self, wait: Millis) -> Problem {
        let (kind, title) = match self {
            Action::Permit => (
                "too-many-permits",
                "too many permits were asked for from this network; try again later",
            ),
            Action::Guess => (
                "too-many-guesses",
                "too many wrong codes from this network; try again later",
            ),
            Action::Poll => (
                "too-many-looks",
                "this is asked too often; ask as often as poll_ms says, and the place is kept meanwhile",
            ),
        };
        Problem::new(429, kind, title).retry(wait.0)
    }
}

impl Whose {
    /// What a mark is made of.
    fn bytes(self) -> Vec<u8> {
        match self {
            Whose::Network(network) => [&b"network"[..], &network.bytes()].concat(),
            Whose::Browser(nonce, claim) => [&b"browser"[..], &nonce, &claim.0].concat(),
            Whose::PlaceIn(nonce, network) => [&b"place"[..], &nonce, &network.bytes()].concat(),
            Whose::Code(hash) => [&b"code"[..], &hash].concat(),
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
            Action::Permit | Action::Guess => &mut self.minutes,
        }
    }

    fn refused(&mut self, action: Action) -> &mut Counts<(Action, Whose)> {
        match action {
            Action::Poll => &mut self.refused_moments,
            Action::Permit | Action::Guess => &mut self.refused_minutes,
        }
    }

    /// How long one more has to wait; `None`: not at all.
    fn waits(&mut self, action: Action, whose: Whose, now: UnixMillis) -> Option<Millis> {
        self.waits_for_platform(action, whose, now).or_else(|| {
            let (count, lasts) = self.counted(action).of((action, whose), now);
            (count >= action.most(whose)).then_some(lasts)
        })
    }

    /// The same as far as the platform's limit says so. That on permits only asks for more work, since nobody is kept from
    /// joining by an address.
    fn waits_for_platform(
        &mut self,
        action: Action,
        whose: Whose,
        now: UnixMillis,
    ) -> Option<Millis> {
        let (said, lasts) = self.refused(action).of((action, whose), now);
        (said > 0 && action != Action::Permit).then_some(lasts)
    }

    /// One more, unless it has to wait; answers since when it counts, or how long it waits.
    fn take(
        &mut self,
        action: Action,
        whose: Whose,
        now: UnixMillis,
    ) -> Result<UnixMillis, Millis> {
        if let Some(wait) = self.waits_for_platform(action, whose, now) {
            return Err(wait);
        }
        let counted = self.counted(action);
        counted.count_up_to(action.most(whose), (action, whose), now)
    }

    /// One more of each, or of none.
    fn take_all(&mut self, action: Action, all: &[Whose], now: UnixMillis) -> Result<(), Millis> {
        let Some((&whose, others)) = all.split_first() else {
            return Ok(());
        };
        let since = self.take(action, whose, now)?;
        let taken = self.take_all(action, others, now);
        if taken.is_err() {
            self.counted(action).give_back((action, whose), since);
        }
        taken
    }
}

thread_local! {
    static SEEN: RefCell<Seen> = const { RefCell::new(Seen::nothing()) };
}

/// The network of the customer that a visit comes from, if the platform tells.
fn customer(visit: &Visit) -> Option<Network> {
    let address = visit.incoming.header("cf-connecting-ip")?;
    Some(Network::of_customer(Some(&address)))
}

/// Refuses what is asked too often by a visit's network; nothing is counted.
pub fn check(visit: &Visit, action: Action) -> Result<(), Problem> {
    let Some(network) = customer(visit) else {
        return Ok(());
    };
    let waits = |seen: &mut Seen| seen.waits(action, Whose::Network(network), visit.now);
    match SEEN.with_borrow_mut(waits) {
        None => Ok(()),
        Some(wait) => Err(action.refusal(wait)),
    }
}

/// Counts one of a visit's network, here and at the platform.
pub fn count(visit: &Visit, room: Room, action: Action) {
    if let Some(network) = customer(visit) {
        let whose = Whose::Network(network);
        SEEN.with_borrow_mut(|seen| seen.counted(action).count((action, whose), visit.now));
        ask_platform(visit, room, action, whose);
    }
}

/// Counts one at the platform, beside the answer.
fn ask_platform(visit: &Visit, room: Room, action: Action, whose: Whose) {
    let refused = |seen: &mut Seen| seen.refused(action).of((action, whose), visit.now).0 > 0;
    let Some(binding) = action.binding(whose) else {
        return;
    };
    if SEEN.with_borrow_mut(refused) {
        return;
    }
    // Most deployments have none, which the platform's own way to a binding tells with an error.
    if !with_literal(binding, |name| Reflect::has(&visit.env, name)).unwrap_or(false) {
        return;
    }
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

/// A look, by a browser with the ticket of a nonce or by a network: counted, or refused.
pub fn look(visit: &Visit, room: Room, by: Option<([u8; 16], ClaimId)>) -> Result<(), Problem> {
    let Some(network) = customer(visit) else {
        return Ok(());
    };
    let all = match by {
        None => vec![Whose::Network(network)],
        Some((nonce, claim)) => vec![Whose::Browser(nonce, claim), Whose::PlaceIn(nonce, network)],
    };
    let taken = SEEN.with_borrow_mut(|seen| seen.take_all(Action::Poll, &all, visit.now));
    taken.map_err(|wait| Action::Poll.refusal(wait))?;
    for whose in all {
        ask_platform(visit, room, Action::Poll, whose);
    }
    Ok(())
}

/// A hand-over code that is tried. It counts from the moment in which it is looked at, so that no more are under way than
/// may be.
#[derive(Debug)]
pub struct Guess {
    counts: Option<(Whose, UnixMillis)>,
}

/// A hand-over code is tried: counted, or refused. `made`: the hash of one that an edge has made, which counts by itself:
/// whatever its neighbours try, it is not refused.
pub fn guess(visit: &Visit, made: Option<[u8; 16]>) -> Result<Guess, Problem> {
    let Some(network) = customer(visit) else {
        return Ok(Guess { counts: None });
    };
    guess_of(network, made, visit.now)
}

fn guess_of(network: Network, made: Option<[u8; 16]>, now: UnixMillis) -> Result<Guess, Problem> {
    let whose = made.map_or(Whose::Network(network), Whose::Code);
    let taken = SEEN.with_borrow_mut(|seen| seen.take(Action::Guess, whose, now));
    let since = taken.map_err(|wait| Action::Guess.refusal(wait))?;
    Ok(Guess {
        counts: Some((whose, since)),
    })
}

impl Guess {
    /// It was a code: of a network it does not count.
    pub fn was_right(self) {
        if let Some((whose @ Whose::Network(_), since)) = self.counts {
            SEEN.with_borrow_mut(|seen| {
                let counted = seen.counted(Action::Guess);
                counted.give_back((Action::Guess, whose), since);
            });
        }
    }

    /// It was none: the platform counts it too.
    pub fn was_wrong(self, visit: &Visit, room: Room) {
        if let Some((whose, _)) = self.counts {
            ask_platform(visit, room, Action::Guess, whose);
        }
    }
}

/// Whether the platform's limit says that a visit's network asks for many permits.
pub fn is_busy(visit: &Visit) -> bool {
    customer(visit).is_some_and(|network| {
        let busy = (Action::Permit, Whose::Network(network));
        SEEN.with_borrow_mut(|seen| seen.refused(Action::Permit).of(busy, visit.now).0 > 0)
    })
}

#[cfg(test)]
#[path = "rate_limits_tests.rs"]
mod tests;
