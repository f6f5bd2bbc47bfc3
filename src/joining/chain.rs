//! A join by a permit alone. A permit makes one place, and after it a few more, each in its turn: what is made when the
//! visitor names another line, or comes back after a place that is over. Their numbers follow from one another and from
//! nothing else, so they are one chain, whatever lines they are in. Whoever makes the next has met all before it, and leaves
//! those that live: one permit has one live place, whichever ticket is brought beside it, or none.
//!
//! The newest place is the permit's. One that is over is the answer, too, unless the visitor brought a place or names
//! another line.

use anteroom_queue::shard::command::{PlaceView, Refused, ShardReply};
use anteroom_queue::units::PlaceIndex;

use crate::key_home::Holder;
use crate::line_choice::Right;
use crate::permits;
use crate::standing::Stand;

/// One join, place after place.
#[derive(Debug)]
pub struct Walk {
    right: Right,
    /// The visitor brought the ticket of a place: one that is over is no answer.
    replaces: bool,
    /// The place that is asked about.
    asked: Holder,
    /// How many were asked about before.
    passed: usize,
    /// The place before this one is over, and the answer if there is none after it.
    over: Option<(Holder, PlaceView)>,
    /// Live places that were met.
    leave: Vec<(Holder, PlaceIndex)>,
}

/// What the answer of the home leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The visitor has a place.
    Joined {
        /// The permit's number for it.
        holder: Holder,
        /// The place.
        place: PlaceView,
        /// This join made it.
        new: bool,
    },
    /// The next is asked about.
    Again,
    /// The home is full, and the permit has no place there.
    Elsewhere,
    /// Every place that the permit makes was made, or no other fits into its home: it takes another permit.
    Spent,
    /// Refused.
    Refused(Refused, Option<PlaceView>),
    /// The home did not decide.
    Away,
}

impl Walk {
    /// From the first place of a permit on.
    pub fn new(own: Holder, right: Right, replaces: bool) -> Self {
        Walk {
            right,
            replaces,
            asked: own,
            passed: 0,
            over: None,
            leave: Vec::new(),
        }
    }

    /// The place that is asked about, and whether it is only to be found, not made.
    pub fn asks(&self) -> (Holder, bool) {
        (self.asked, self.over.is_some())
    }

    /// What follows from the answer of the home.
    pub fn heard(&mut self, reply: ShardReply) -> Step {
        match reply {
            ShardReply::Place { place, new } => self.met(place, new),
            ShardReply::Refused { why, place } => match (self.over, why) {
                (Some((holder, place)), Refused::PermitExpired) => found(holder, place),
                (None, Refused::Full) if self.passed == 0 => Step::Elsewhere,
                (None, Refused::Full) => Step::Spent,
                _ => Step::Refused(why, place),
            },
            _ => Step::Away,
        }
    }

    /// Live places that the permit made before, once the visitor has another.
    pub fn leaves(self) -> Vec<(Holder, PlaceIndex)> {
        self.leave
    }

    fn met(&mut self, place: PlaceView, new: bool) -> Step {
        let holder = self.asked;
        let is_elsewhere = self.right.is_named && place.line != self.right.line;
        let is_live = Stand::from(place.state).is_live();
        self.over = None;
        match is_live {
            true if !is_elsewhere => return Step::Joined { holder, place, new },
            true => self.leave.push((holder, place.index)),
            false if !is_elsewhere && !self.replaces => self.over = Some((holder, place)),
            false => {}
        }
        self.passed += 1;
        if self.passed < permits::MOST_PLACES {
            self.asked.nonce = permits::next_nonce(holder.nonce);
            return Step::Again;
        }
        match self.over {
            Some((holder, place)) => found(holder, place),
            None => Step::Spent,
        }
    }
}

fn found(holder: Holder, place: PlaceView) -> Step {
    Step::Joined {
        holder,
        place,
        new: false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use anteroom_queue::shard::command::VisitorState::{self, Left, Waiting};
    use anteroom_queue::units::{LineIndex, Nonce, ShardIndex};

    use super::*;
    use crate::samples;

    const OWN: Holder = Holder {
        nonce: Nonce([1; 16]),
        home: ShardIndex(3),
    };

    /// A home with the places of one permit.
    #[derive(Default)]
    struct Home {
        places: BTreeMap<Nonce, PlaceView>,
        is_full: bool,
    }

    impl Home {
        fn join(&mut self, nonce: Nonce, line: LineIndex, only_finds: bool) -> ShardReply {
            let refused = |why| ShardReply::Refused { why, place: None };
            let index = PlaceIndex(self.places.len() as u32);
            match self.places.get(&nonce) {
                Some(place) => ShardReply::Place {
                    place: *place,
                    new: false,
                },
                None if only_finds => refused(Refused::PermitExpired),
                None if self.is_full => refused(Refused::Full),
                None => {
                    let place = PlaceView {
                        index,
                        ..samples::place(Waiting, line.0)
                    };
                    self.places.insert(nonce, place);
                    ShardReply::Place { place, new: true }
                }
            }
        }

        /// Walks to the end; what is met on the way is left, as after an answer.
        fn walk(&mut self, line: u8, is_named: bool, replaces: bool) -> Step {
            let right = Right {
                line: LineIndex(line),
                is_named,
                key: None,
            };
            let mut walk = Walk::new(OWN, right, replaces);
            loop {
                let (holder, only_finds) = walk.asks();
                let reply = self.join(holder.nonce, right.line, only_finds);
                let step = walk.heard(reply);
                if step == Step::Again {
                    continue;
                }
                let has_place = matches!(step, Step::Joined { place, .. } if Stand::from(place.state).is_live());
                for (holder, _) in walk.leaves().into_iter().filter(|_| has_place) {
                    self.set(holder.nonce, Left);
                }
                return step;
            }
        }

        fn set(&mut self, nonce: Nonce, state: VisitorState) {
            self.places.get_mut(&nonce).unwrap().state = state;
        }

        /// The newest place is left.
        fn leave(&mut self) {
            for place in self.places.values_mut() {
                place.state = Left;
            }
        }

        fn live(&self) -> usize {
            let is_live = |place: &&PlaceView| Stand::from(place.state).is_live();
            self.places.values().filter(is_live).count()
        }
    }

    fn told(step: Step) -> (Option<u8>, bool) {
        match step {
            Step::Joined { place, new, .. } => {
                let live = Stand::from(place.state).is_live();
                (live.then_some(place.line.0), new)
            }
            other => panic!("{other:?}"),
        }
    }

    // P4.
    #[test]
    fn a_permit_has_one_live_place_whatever_lines_it_is_brought_for_and_whichever_ticket_comes_with_it()
     {
        for with_ticket in [true, false] {
            let mut home = Home::default();
            for line in [0, 1, 2, 0] {
                assert_eq!(told(home.walk(line, true, with_ticket)), (Some(line), true));
                assert_eq!(home.live(), 1, "{line} {with_ticket}");
                let again = home.walk(line, true, with_ticket);
                assert_eq!(told(again), (Some(line), false), "sent again");
            }
            for line in [1, 2, 3] {
                assert_eq!(home.walk(line, true, with_ticket), Step::Spent);
                assert_eq!(home.live(), 1, "the place that there is stays");
            }
            assert_eq!(told(home.walk(1, false, with_ticket)), (Some(0), false));
            assert_eq!(home.places.len(), permits::MOST_PLACES);
        }
    }

    // P4.
    #[test]
    fn joining_and_leaving_in_turn_ends_with_the_permit_and_a_lost_answer_is_found_again() {
        let mut home = Home::default();
        for round in 0..permits::MOST_PLACES {
            assert_eq!(told(home.walk(0, round % 2 == 0, true)), (Some(0), true));
            assert_eq!(told(home.walk(0, true, true)), (Some(0), false));
            assert_eq!(told(home.walk(0, false, false)), (Some(0), false));
            home.leave();
            assert_eq!(
                told(home.walk(0, false, false)),
                (None, false),
                "it was left"
            );
        }
        assert_eq!(home.walk(0, true, true), Step::Spent);
        assert_eq!(home.places.len(), permits::MOST_PLACES);
    }

    // P4.
    #[test]
    fn what_an_answer_that_broke_off_did_not_leave_is_left_by_the_next() {
        let mut home = Home::default();
        home.walk(0, true, true);
        home.walk(1, true, true);
        for place in home.places.values_mut() {
            place.state = Waiting;
        }
        assert_eq!(home.live(), 2);
        assert_eq!(told(home.walk(1, true, true)), (Some(1), false));
        assert_eq!(home.live(), 1);
    }

    #[test]
    fn a_full_home_sends_on_whom_it_knows_nothing_of_and_asks_others_for_another_permit() {
        let mut home = Home {
            is_full: true,
            ..Home::default()
        };
        assert_eq!(home.walk(0, true, false), Step::Elsewhere);
        home.is_full = false;
        home.walk(0, true, false);
        home.is_full = true;
        assert_eq!(home.walk(1, true, true), Step::Spent);
        assert_eq!(home.live(), 1);
        home.leave();
        assert_eq!(told(home.walk(0, true, false)), (None, false));
        assert_eq!(home.walk(0, true, true), Step::Spent);
    }
}
