//! What homes have said of late about passes past half of their life, as an isolate remembers it.
//!
//! A renewal goes on beside the request to the origin, and most origins answer sooner than the home. The next pass is then
//! handed out with a later request that brings the old one, and the home is not asked again: neither by that one nor by the
//! dozens that a page sends at once. A home looks at the networks in which a pass is used, so what it said counts for the
//! network that it was asked about.

use std::collections::BTreeMap;

use anteroom_queue::units::{Millis, NetworkMark, UnixMillis};
use anteroom_token::{Pass, SessionId};

use crate::renewal;
use crate::rooms::RENEWAL_LIMIT;

/// Passes that one isolate remembers: what a thousand renewals a second bring within four seconds, in half a megabyte. When
/// there are more, all are forgotten, and homes are asked again.
const MOST: usize = 4_096;

/// A call may be made again after a pause, and its answer be read a little later.
const ASKED_FOR: Millis = Millis(2 * RENEWAL_LIMIT.0);

/// What is known of one session in one network.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Known {
    /// Its home is being asked, since then.
    Asked(UnixMillis),
    /// The pass that follows.
    Next(Pass),
}

/// What is to be done about a pass that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// Its home has to be asked.
    Ask,
    /// Its home is being asked: the answer is handed out later.
    Asked,
    /// This one follows.
    Next(Pass),
}

/// The passes of one event's sessions.
#[derive(Debug, Default)]
pub struct Renewed(BTreeMap<(SessionId, [u8; 8]), Known>);

impl Renewed {
    /// About the due pass of `session`, which came from `network`.
    pub fn of(&self, session: SessionId, network: NetworkMark, now: UnixMillis) -> Due {
        match self.0.get(&(session, network.0)) {
            Some(Known::Next(next)) if !renewal::is_due(next, renewal::seconds(now)) => {
                Due::Next(next.clone())
            }
            Some(Known::Asked(since)) if *since <= now && now.since(*since) < ASKED_FOR => {
                Due::Asked
            }
            _ => Due::Ask,
        }
    }

    /// Its home is asked from now on.
    pub fn is_asked(&mut self, session: SessionId, network: NetworkMark, now: UnixMillis) {
        self.keep(session, network, Known::Asked(now));
    }

    /// Its home has answered: with the next pass, or anything else, about which it is asked again.
    pub fn is_answered(&mut self, session: SessionId, network: NetworkMark, next: Option<&Pass>) {
        match next {
            Some(next) => self.keep(session, network, Known::Next(next.clone())),
            None => drop(self.0.remove(&(session, network.0))),
        }
    }

    /// The session was given back: nothing follows its pass.
    pub fn is_over(&mut self, session: SessionId) {
        let networks = (session, [0; 8])..=(session, [u8::MAX; 8]);
        let gone: Vec<_> = self.0.range(networks).map(|(known, _)| *known).collect();
        for known in gone {
            self.0.remove(&known);
        }
    }

    fn keep(&mut self, session: SessionId, network: NetworkMark, known: Known) {
        let key = (session, network.0);
        if self.0.len() >= MOST && !self.0.contains_key(&key) {
            self.0.clear();
        }
        self.0.insert(key, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::pass;

    const HOME: NetworkMark = NetworkMark([2; 8]);
    const CAFE: NetworkMark = NetworkMark([4; 8]);

    fn at(second: u64) -> UnixMillis {
        UnixMillis(second * 1_000)
    }

    /// What follows the pass, from second 1,100 on.
    fn next() -> Pass {
        renewal::resigned(&pass(), 1_100, 180)
    }

    #[test]
    fn a_home_is_asked_once_and_what_it_said_is_handed_out_until_that_is_due_itself() {
        let (mut renewed, session) = (Renewed::default(), pass().session);
        assert_eq!(renewed.of(session, HOME, at(1_100)), Due::Ask);
        renewed.is_asked(session, HOME, at(1_100));
        assert_eq!(renewed.of(session, HOME, at(1_101)), Due::Asked);
        renewed.is_answered(session, HOME, Some(&next()));
        for second in [1_101, 1_150, 1_189] {
            let due = renewed.of(session, HOME, at(second));
            assert_eq!(due, Due::Next(next()), "{second}");
        }
        assert_eq!(renewed.of(session, HOME, at(1_190)), Due::Ask);
    }

    #[test]
    fn a_home_is_asked_again_when_it_did_not_answer_or_gave_no_pass() {
        let (mut renewed, session) = (Renewed::default(), pass().session);
        renewed.is_asked(session, HOME, at(1_100));
        assert_eq!(renewed.of(session, HOME, at(1_102)), Due::Ask);
        assert_eq!(renewed.of(session, HOME, at(1_099)), Due::Ask, "set back");
        renewed.is_answered(session, HOME, None);
        assert_eq!(renewed.of(session, HOME, at(1_101)), Due::Ask);
    }

    #[test]
    fn what_was_said_counts_for_one_session_in_one_network() {
        let (mut renewed, session) = (Renewed::default(), pass().session);
        renewed.is_answered(session, HOME, Some(&next()));
        let taken_over = SessionId {
            generation: session.generation + 1,
            ..session
        };
        assert_eq!(renewed.of(session, CAFE, at(1_101)), Due::Ask);
        assert_eq!(renewed.of(taken_over, HOME, at(1_101)), Due::Ask);
    }

    #[test]
    fn nothing_follows_the_pass_of_a_session_that_was_given_back() {
        let (mut renewed, session) = (Renewed::default(), pass().session);
        for network in [HOME, CAFE] {
            renewed.is_answered(session, network, Some(&next()));
        }
        renewed.is_over(session);
        for network in [HOME, CAFE] {
            assert_eq!(renewed.of(session, network, at(1_101)), Due::Ask);
        }
    }

    #[test]
    fn when_there_are_too_many_all_are_forgotten() {
        let mut renewed = Renewed::default();
        for index in 0..=MOST as u32 {
            let session = SessionId {
                index,
                ..pass().session
            };
            renewed.is_answered(session, HOME, Some(&next()));
        }
        assert_eq!(renewed.0.len(), 1);
    }
}
