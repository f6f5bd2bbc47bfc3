//! A place by a code or a member key. The home of the key says which permit has its place, first come, first served; the
//! join then goes to that permit's home. So every device of a member finds the same place, and a try that broke off
//! between the two is finished by the next.
//!
//! A live place is the answer, whatever line is named: one key has one, and whoever wants another line leaves first. A
//! place that is over is replaced: a member may come again, and whoever left before the turn may use the code again. A
//! code whose place was let in is used up. Whatever is made anew here follows from the visitor's permit, so that a join
//! whose answer was lost finds what it made.

use anteroom_queue::shard::command::{PlaceView, Refused, ShardCommand, ShardReply};
use anteroom_queue::units::{Nonce, ShardIndex};
use anteroom_token::Permit;

use crate::line_choice::Key;
use crate::permits;
use crate::standing::Stand;

/// A permit, as far as a place hangs on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub nonce: Nonce,
    /// The shard that holds its place.
    pub home: ShardIndex,
}

impl From<&Permit> for Holder {
    fn from(permit: &Permit) -> Self {
        Holder {
            nonce: Nonce(permit.nonce),
            home: ShardIndex(permit.home),
        }
    }
}

/// What to do about the place that the holder of a key has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is the visitor's.
    Keep,
    /// It is over: a new one takes its turn.
    Replace,
    /// Its code is used up.
    Spent,
}

/// Judges a place that was found by `key`.
pub fn judge(place: &PlaceView, key: &Key) -> Verdict {
    match Stand::from(place.state).is_live() {
        true => Verdict::Keep,
        false if key.is_code && place.was_admitted => Verdict::Spent,
        false => Verdict::Replace,
    }
}

/// One join by a key, round by round.
#[derive(Debug)]
pub struct Rounds {
    key: Key,
    wanted: Holder,
    replaces: Option<Nonce>,
}

/// What the answer to a round's join leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The visitor has a place.
    Joined {
        /// The place.
        place: PlaceView,
        /// This join made it.
        new: bool,
    },
    /// The holder is replaced: another round.
    Again,
    /// The home of the visitor's own permit is full: another round, at another home.
    Elsewhere,
    /// Refused.
    Refused(Refused, Option<PlaceView>),
    /// The home did not decide.
    Away,
}

impl Rounds {
    /// For a place by the permit `own`.
    pub fn new(key: Key, own: Holder) -> Self {
        Rounds {
            key,
            wanted: own,
            replaces: None,
        }
    }

    /// What the home of the key is asked.
    pub fn reserve(&self) -> ShardCommand {
        ShardCommand::Reserve {
            key: self.key.hash,
            nonce: self.wanted.nonce,
            home: self.wanted.home,
            uses: self.key.uses,
            replaces: self.replaces,
        }
    }

    /// What follows from the answer of the holder's home.
    pub fn heard(&mut self, holder: Holder, reply: ShardReply) -> Next {
        match reply {
            ShardReply::Place { place, new } => self.found(holder, place, new),
            ShardReply::Refused {
                why: Refused::Full, ..
            } => match self.replace(holder) {
                true => Next::Elsewhere,
                false => Next::Again,
            },
            ShardReply::Refused { why, place } => Next::Refused(why, place),
            _ => Next::Away,
        }
    }

    fn found(&mut self, holder: Holder, place: PlaceView, new: bool) -> Next {
        match judge(&place, &self.key) {
            Verdict::Keep => Next::Joined { place, new },
            Verdict::Spent => Next::Refused(Refused::CodeSpent, Some(place)),
            Verdict::Replace => {
                self.replace(holder);
                Next::Again
            }
        }
    }

    /// The next round asks for what follows from the visitor's permit in place of this holder; whether that is the
    /// visitor's own.
    fn replace(&mut self, holder: Holder) -> bool {
        self.replaces = Some(holder.nonce);
        let is_own = self.wanted.nonce == holder.nonce;
        if is_own {
            self.wanted.nonce = permits::next_keyed(holder.nonce, self.key.hash);
        }
        is_own
    }

    /// The next round asks at another home.
    pub fn want_at(&mut self, home: ShardIndex) {
        self.wanted.home = home;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use anteroom_queue::shard::command::VisitorState;
    use anteroom_queue::units::{KeyHash, LineIndex};

    const HERE: LineIndex = LineIndex(1);

    fn place(state: VisitorState, line: LineIndex, was_admitted: bool) -> PlaceView {
        PlaceView {
            was_admitted,
            ..samples::place(state, line.0)
        }
    }

    fn key(is_code: bool) -> Key {
        Key {
            hash: KeyHash([7; 16]),
            uses: 1,
            is_code,
        }
    }

    fn holder(number: u8) -> Holder {
        Holder {
            nonce: Nonce([number; 16]),
            home: ShardIndex(u16::from(number)),
        }
    }

    fn rounds(is_code: bool) -> Rounds {
        Rounds::new(key(is_code), holder(1))
    }

    fn asked(rounds: &Rounds) -> (Nonce, Option<Nonce>) {
        match rounds.reserve() {
            ShardCommand::Reserve {
                nonce, replaces, ..
            } => (nonce, replaces),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_place_that_is_over_is_replaced_unless_its_code_has_let_somebody_in() {
        use VisitorState::*;
        let there = LineIndex(0);
        for (state, line, admitted, is_code, verdict) in [
            (Waiting, HERE, false, true, Verdict::Keep),
            (Admitted, HERE, true, true, Verdict::Keep),
            (Left, HERE, false, true, Verdict::Replace),
            (Lapsed, HERE, false, true, Verdict::Replace),
            (Left, HERE, true, true, Verdict::Spent),
            (Ended, HERE, true, true, Verdict::Spent),
            (Ended, HERE, true, false, Verdict::Replace),
            (Waiting, there, false, false, Verdict::Keep),
            (Provisional, there, false, false, Verdict::Keep),
            (Called, there, false, false, Verdict::Keep),
            (Admitted, there, true, false, Verdict::Keep),
        ] {
            let found = judge(&place(state, line, admitted), &key(is_code));
            assert_eq!(found, verdict, "{state:?} {line:?} {admitted} {is_code}");
        }
    }

    #[test]
    fn the_same_tries_ask_the_same_and_end_at_the_same_place() {
        let tries = || {
            let mut rounds = rounds(true);
            let mut asks = vec![asked(&rounds)];
            let over = ShardReply::Place {
                place: place(VisitorState::Left, HERE, false),
                new: false,
            };
            assert_eq!(rounds.heard(holder(1), over), Next::Again);
            asks.push(asked(&rounds));
            asks
        };
        let asks = tries();
        assert_eq!(asks[0], (Nonce([1; 16]), None));
        assert_eq!(asks[1].1, Some(Nonce([1; 16])));
        assert_ne!(asks[1].0, Nonce([1; 16]));
        assert_eq!(asks, tries());
    }

    #[test]
    fn a_live_place_is_the_answer_whatever_line_is_named() {
        let mut rounds = rounds(false);
        let place = place(VisitorState::Waiting, LineIndex(0), false);
        let found = ShardReply::Place { place, new: false };
        let joined = Next::Joined { place, new: false };
        assert_eq!(rounds.heard(holder(2), found), joined);
    }

    // P4.
    #[test]
    fn a_full_home_is_replaced_by_another_with_a_number_that_follows_from_the_permit() {
        let full = || ShardReply::Refused {
            why: Refused::Full,
            place: None,
        };
        let tries = || {
            let mut rounds = rounds(true);
            assert_eq!(
                rounds.heard(holder(2), full()),
                Next::Again,
                "of another's permit"
            );
            assert_eq!(asked(&rounds), (Nonce([1; 16]), Some(Nonce([2; 16]))));
            assert_eq!(rounds.heard(holder(1), full()), Next::Elsewhere);
            rounds.want_at(ShardIndex(3));
            asked(&rounds)
        };
        let (nonce, replaces) = tries();
        assert!(nonce != Nonce([1; 16]) && replaces == Some(Nonce([1; 16])));
        assert_eq!(
            tries(),
            (nonce, replaces),
            "the same join makes no second place"
        );
    }
}
