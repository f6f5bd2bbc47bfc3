//! One visitor's way: arrive, load the page, join, wait, enter, shop, give back.

mod shopping;

use std::time::Duration;

use tokio::time::sleep;

use crate::answers::PlaceAnswer;
use crate::connections::{Answer, NoAnswer};
use crate::habits::{Dice, Habit};
use crate::history::{Clock, End, Join, Moment, Session, Sighting, State, VisitorHistory};
use crate::room::{Browser, Page, Room};

/// When to ask again if an answer does not say, or there was none.
const USUAL_POLL: Duration = Duration::from_secs(2);

/// The shortest time between two questions, whatever an answer says.
const SHORTEST_POLL: Duration = Duration::from_millis(20);

/// A visitor who leaves does so after so many answers.
const LEAVES_AFTER_POLLS: u32 = 2;

/// A shard may know of a grant so much later than the coordinator: a claim that is answered
/// "pending" may have been granted already, so much before.
const GRANT_ON_ITS_WAY: Duration = Duration::from_secs(1);

/// What all visitors share.
pub struct Surroundings {
    /// The room.
    pub room: Room,
    /// The clock.
    pub clock: Clock,
    /// When visitors give up waiting.
    pub deadline: Moment,
    /// How long visitors shop, if it is not random.
    pub session: Option<Duration>,
    /// How long a session surely counts after its last request.
    pub idle: Duration,
}

struct Visitor<'a> {
    around: &'a Surroundings,
    browser: Browser<'a>,
    habit: Habit,
    dice: Dice,
    permit: String,
    claimed: Option<Moment>,
    /// The first claim whose answer, or lack of one, leaves open whether there is a pass.
    asking: Option<Moment>,
    granted_after: Moment,
    session_ends: Option<Moment>,
    seen: VisitorHistory,
}

/// Lives the way of visitor `number`, who was due at `arrival`. The browser is handed back with
/// what was seen, for a question at the end.
pub async fn live(
    around: &Surroundings,
    number: u64,
    seed: u64,
    arrival: Moment,
) -> (VisitorHistory, Browser<'_>) {
    let mut dice = Dice::of_visitor(seed, number);
    let mut visitor = Visitor {
        around,
        browser: around.room.browser(),
        habit: dice.habit(),
        dice,
        permit: String::new(),
        claimed: None,
        asking: None,
        granted_after: arrival,
        session_ends: None,
        seen: VisitorHistory::default(),
    };
    visitor.seen.end = visitor.way(arrival).await;
    (visitor.seen, visitor.browser)
}

impl Visitor<'_> {
    async fn way(&mut self, arrival: Moment) -> End {
        let Some((page, answer)) = self.open_page().await else {
            return End::NotJoined;
        };
        let Page::Queue(data) = page else {
            return self.go_in_at_once(&answer).await;
        };
        let Some(permit) = data.permit else {
            return End::NotJoined;
        };
        self.permit = permit;
        // The page joins as soon as it is there; that it was loaded late counts.
        let late = answer.sent.since(arrival);
        let due = answer.received.minus(late);
        match self.join(due).await {
            None => End::NotJoined,
            Some(State::Closed | State::Soldout) => End::Over,
            Some(_) if self.habit == Habit::NoShow => End::Kept,
            Some(state) => self.wait(state).await,
        }
    }

    fn past_deadline(&self) -> bool {
        self.around.clock.now() >= self.around.deadline
    }

    /// About so long, and not beyond the deadline.
    async fn rest(&mut self, about: Duration) {
        let left = self.around.deadline.since(self.around.clock.now());
        sleep(self.dice.around(about).min(left)).await;
    }

    /// Keeps what an answer said; a failure counts.
    fn note(
        &mut self,
        result: Result<(PlaceAnswer, Answer), NoAnswer>,
    ) -> Option<(PlaceAnswer, Answer)> {
        match result {
            Ok((place, answer)) => {
                let known = self
                    .seen
                    .sightings
                    .iter()
                    .rev()
                    .find(|sighting| sighting.rank.is_some());
                let known = known.map(|sighting| (sighting.line.clone(), sighting.rank));
                self.seen
                    .sightings
                    .extend(place.sighting(&answer).map(|sighting| match known {
                        // The answer to a claim does not repeat whose place it is.
                        Some((line, rank))
                            if sighting.rank.is_none() && sighting.state.has_turn() =>
                        {
                            Sighting {
                                line,
                                rank,
                                ..sighting
                            }
                        }
                        _ => sighting,
                    }));
                if place.state().is_none() {
                    self.seen.failures += 1;
                }
                Some((place, answer))
            }
            Err(_) => {
                self.seen.failures += 1;
                None
            }
        }
    }

    async fn open_page(&mut self) -> Option<(Page, Answer)> {
        while !self.past_deadline() {
            match self.browser.open_page().await {
                Ok(opened) => return Some(opened),
                Err(_) => self.seen.failures += 1,
            }
            self.rest(USUAL_POLL).await;
        }
        None
    }

    /// Joins until it is acknowledged; the first acknowledgement counts for the time it took.
    async fn join(&mut self, due: Moment) -> Option<State> {
        let mut began = None;
        while !self.past_deadline() {
            let sent = self.around.clock.now();
            let began = *began.get_or_insert(sent);
            let state = match self.habit {
                Habit::TwoTabs => {
                    let (one, other) = tokio::join!(
                        self.browser.join(&self.permit),
                        self.browser.join(&self.permit)
                    );
                    let first = self.joined(one, began);
                    self.joined(other, began).or(first)
                }
                _ => {
                    let answer = self.browser.join(&self.permit).await;
                    self.joined(answer, began)
                }
            };
            match state {
                Some((state, retry)) if retry.is_none() => {
                    if let Some(first) = self.seen.joins.first() {
                        self.seen
                            .join_took
                            .get_or_insert(first.acknowledged.since(due));
                    }
                    return Some(state);
                }
                Some((_, retry)) => self.rest(retry.unwrap_or(USUAL_POLL)).await,
                None => {
                    self.seen.unanswered_joins += 1;
                    self.rest(USUAL_POLL).await;
                }
            }
        }
        None
    }

    /// What came of one join: the state, or when to try again.
    fn joined(
        &mut self,
        result: Result<(PlaceAnswer, Answer), NoAnswer>,
        began: Moment,
    ) -> Option<(State, Option<Duration>)> {
        let (place, answer) = self.note(result)?;
        if answer.status.is_success() {
            self.seen.joins.push(Join {
                began,
                acknowledged: answer.received,
                entry: place.entry(),
            });
            return Some((place.state().unwrap_or(State::Other), None));
        }
        if let Some(permit) = &place.permit {
            self.permit.clone_from(permit);
        }
        match place.state() {
            Some(state @ (State::Closed | State::Soldout)) => Some((state, None)),
            state => {
                let retry = place
                    .retry_after_ms
                    .map_or(USUAL_POLL, Duration::from_millis);
                Some((state.unwrap_or(State::Other), Some(retry)))
            }
        }
    }

    /// Waits until it is over, one way or another.
    async fn wait(&mut self, first: State) -> End {
        let mut state = first;
        let mut poll = SHORTEST_POLL;
        let mut polls = 0;
        loop {
            let pushes = self.habit == Habit::Pusher && self.dice.once_in(4);
            let claims = pushes || self.habit != Habit::Leaver && state.has_turn();
            if self.habit == Habit::Leaver && polls >= LEAVES_AFTER_POLLS {
                return self.leave().await;
            }
            if !claims {
                self.rest(poll).await;
            }
            if self.past_deadline() {
                return End::Unfinished;
            }
            if self.habit == Habit::Reloader && self.dice.once_in(4) {
                self.reload().await;
            }
            let answer = if claims {
                self.claim().await
            } else {
                self.ask().await
            };
            polls += 1;
            let Some(place) = answer else {
                poll = USUAL_POLL;
                state = State::Waiting;
                continue;
            };
            poll = place
                .poll_ms
                .map_or(USUAL_POLL, Duration::from_millis)
                .max(SHORTEST_POLL);
            state = place.state().unwrap_or(state);
            match state {
                State::Admitted if self.seen.session.is_some() => return self.shop().await,
                State::Lapsed => return End::Lapsed,
                State::Left | State::None | State::Ended | State::Elsewhere => return End::Lost,
                State::Closed | State::Soldout => return End::Over,
                // Admitted, and the answer with the pass was lost: the claim brings it again.
                State::Admitted
                | State::Pending
                | State::Called
                | State::Waiting
                | State::Provisional
                | State::Other => {}
            }
            if claims {
                // Not admitted yet: ask again when the answer says so.
                self.rest(poll).await;
            }
        }
    }

    async fn ask(&mut self) -> Option<PlaceAnswer> {
        let (one, other) = match self.habit {
            Habit::TwoTabs => {
                let (one, other) = tokio::join!(self.browser.state(), self.browser.state());
                (one, Some(other))
            }
            _ => (self.browser.state().await, None),
        };
        let other = other.and_then(|other| self.note(other));
        self.note(one).or(other).map(|(place, _)| place)
    }

    async fn claim(&mut self) -> Option<PlaceAnswer> {
        let now = self.around.clock.now();
        let first = *self.claimed.get_or_insert(now);
        self.granted_after = self.granted_after.max(first);
        self.asking.get_or_insert(now);
        let (one, other) = match self.habit {
            Habit::TwoTabs => {
                let (one, other) = tokio::join!(self.browser.claim(), self.browser.claim());
                (one, Some(other))
            }
            _ => (self.browser.claim().await, None),
        };
        let is_answered = one.is_ok() && !matches!(other, Some(Err(_)));
        let one = self.claimed(one);
        let other = other.and_then(|other| self.claimed(other));
        if is_answered {
            self.asking = None;
        }
        match (one, other) {
            (Some(one), _) if one.state() == Some(State::Admitted) => Some(one),
            (one, other) => other.or(one),
        }
    }

    fn claimed(&mut self, result: Result<(PlaceAnswer, Answer), NoAnswer>) -> Option<PlaceAnswer> {
        let (place, answer) = self.note(result)?;
        match place.state() {
            Some(State::Admitted) => {
                self.session_ends = place
                    .session_ends_at_ms
                    .map(|ends| self.around.clock.moment(ends));
                let session = self.session_from(answer.received);
                self.seen.session.get_or_insert(session);
            }
            // A claim before the turn is none: the place may be called and granted later.
            Some(State::Pending) => {
                self.granted_after = self.granted_after.max(answer.sent.minus(GRANT_ON_ITS_WAY))
            }
            _ => self.claimed = None,
        }
        Some(place)
    }

    fn session_from(&self, received: Moment) -> Session {
        Session {
            granted_after: self.granted_after,
            asked: self.asking.unwrap_or(self.granted_after),
            received,
            sure_until: received,
        }
    }

    async fn leave(&mut self) -> End {
        while !self.past_deadline() {
            let result = self.browser.leave().await;
            if let Some((place, answer)) = self.note(result)
                && (answer.status.is_success() || place.state() == Some(State::Left))
            {
                return End::Left;
            }
            self.rest(USUAL_POLL).await;
        }
        End::Unfinished
    }

    /// Loads the page again and joins again, as a reload does: the place stays.
    async fn reload(&mut self) {
        match self.browser.open_page().await {
            Ok((Page::Queue(_), _)) => {}
            Ok((Page::Behind(_), _)) | Err(_) => {
                self.seen.failures += 1;
                return;
            }
        }
        let began = self.around.clock.now();
        let answer = self.browser.join(&self.permit).await;
        self.joined(answer, began);
    }
}

/// Asks once more, at the end, for a place whose visitor did not come back.
pub async fn still_there(browser: &Browser<'_>, seen: &mut VisitorHistory) {
    let Ok((place, answer)) = browser.state().await else {
        seen.failures += 1;
        return;
    };
    seen.sightings.extend(place.sighting(&answer));
    match place.state() {
        Some(State::Lapsed) => seen.end = End::Lapsed,
        Some(State::Waiting | State::Called | State::Pending | State::Provisional) => {}
        Some(State::Closed | State::Soldout | State::Other) => seen.end = End::Over,
        _ => seen.end = End::Lost,
    }
}
