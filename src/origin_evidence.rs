//! What one isolate knows of an event's origin, and what follows from it: pure, and without a clock of its own.
//!
//! A session counts, not its requests: one answer in [`COUNTED_ONCE_FOR`], bad as soon as one of them fails or is slow.
//! Whoever is inside can provoke errors, ask for the slowest page, leave a hundred requests open, or ask for a picture that
//! always comes; each is one visitor in trouble or one who is well. Where few sessions are heard each one's trouble counts
//! once in [`FEW_COUNTED_ONCE_FOR`], and the edge asks by itself what is the matter: one visitor's errors are never all that
//! is heard. While the admissions pause because of the origin none of a session's answers count: the edges' own questions
//! decide alone.
//!
//! Nobody is let in on a visitor's word against another's: good answers to visitors are trusted as long as none fails. Once
//! one did the edge asks by itself, and what it found out holds: one session that sees an error does not undo an own question
//! that was answered, and one that sees a page does not undo an own question that failed.

use anteroom_durable_objects::wire::OriginCounts;
use anteroom_queue::units::{Millis, UnixMillis};
use anteroom_token::SessionId;

/// A good answer that is younger than this stands for the next one.
const TRUSTED: Millis = Millis(5_000);
/// An isolate asks an origin that answers at most this often.
pub const ASKS_EVERY: Millis = Millis(1_000);
/// One that does not answer is asked less and less often, down to this.
const ASKS_AT_LEAST_EVERY: Millis = Millis(10_000);
/// How long the origin has for an answer to such a question.
pub const QUESTION_LIMIT: Millis = Millis(2_000);
/// A session's answers count once in this time: it is a window in which answers are judged.
const COUNTED_ONCE_FOR: Millis = Millis(5_000);
/// Where few sessions are heard, a session's bad answers count once in this time: the longest window.
const FEW_COUNTED_ONCE_FOR: Millis = Millis(30_000);
/// From so many sessions on, all heard within [`COUNTED_ONCE_FOR`], they are not few: a share of these says something.
const FEW: usize = 20;
/// Sessions that are told apart; those of more do not count.
const MOST_TOLD_APART: usize = 1_000;
/// Not implemented: the server answers, it only knows no such method.
const NOT_IMPLEMENTED: u16 = 501;

/// How the origin answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// Well.
    Good,
    /// With 5xx, or not at all.
    Failed,
}

impl Heard {
    /// The one rule for visitors' requests and for own questions.
    pub fn of_status(status: u16) -> Self {
        match status {
            NOT_IMPLEMENTED => Heard::Good,
            500.. => Heard::Failed,
            _ => Heard::Good,
        }
    }
}

/// What to do before a first pass is issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// The origin answers.
    Trust,
    /// It did not a moment ago.
    Distrust,
    /// It has to be asked, here.
    Ask,
    /// Another request is asking.
    Wait,
}

/// What is known of how the origin takes a HEAD.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Head {
    /// Nothing.
    #[default]
    Unknown,
    /// It answers it: one that fails says that the shop fails.
    Answered,
    /// It refuses it and answers a GET, so it is asked by GET.
    Refused,
}

/// Which session a request belongs to, as far as sessions are told apart.
type Who = (u16, u32);

/// What was counted of a session.
#[derive(Debug, Clone, Copy)]
struct Told {
    who: Who,
    /// When an answer of it was counted.
    at: UnixMillis,
    /// When a bad one was.
    bad_at: Option<UnixMillis>,
}

/// A request on its way to the origin.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    /// Whose.
    who: Who,
    /// When.
    at: UnixMillis,
    /// Slowness says something: the request has no body that the visitor could send slowly.
    is_timed: bool,
}

/// What an isolate knows of one event's origin.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// When the last good answer to a visitor came.
    good_at: Option<UnixMillis>,
    /// When the last answer to a visitor came that failed.
    failed_at: Option<UnixMillis>,
    /// When the last own question was answered, if well.
    found_good_at: Option<UnixMillis>,
    /// When the origin was last asked.
    asked_at: Option<UnixMillis>,
    /// The answer to that is awaited.
    is_asking: bool,
    /// Questions in a row that failed.
    failures: u32,
    /// Until the next question may follow the last.
    pause: Millis,
    /// How the origin takes a HEAD.
    pub head: Head,
    /// Timed requests that the origin has not answered: when they were sent, and whose they are.
    under_way: Vec<(UnixMillis, Who)>,
    /// The sessions of which an answer was counted.
    told: Vec<Told>,
}

/// Not before `limit` ago, and not ahead either: a clock may be set back.
fn is_within(at: Option<UnixMillis>, limit: Millis, now: UnixMillis) -> bool {
    at.is_some_and(|at| at <= now && now.since(at) < limit)
}

impl Evidence {
    /// What to do before a first pass is issued.
    pub fn plan(&self, now: UnixMillis) -> Plan {
        let is_young = |at| is_within(at, TRUSTED, now);
        let is_denied = self.failures > 0 || is_young(self.failed_at);
        match () {
            () if is_young(self.found_good_at) => Plan::Trust,
            () if is_young(self.good_at) && !is_denied => Plan::Trust,
            // A question that nobody finished counts as failed after its limit.
            () if self.is_asking && is_within(self.asked_at, QUESTION_LIMIT, now) => Plan::Wait,
            () if is_within(self.asked_at, self.pause, now) => Plan::Distrust,
            () => Plan::Ask,
        }
    }

    /// Whether a question is due.
    pub fn may_ask(&self, now: UnixMillis) -> bool {
        let pause = match self.is_asking {
            true => QUESTION_LIMIT,
            false => self.pause.max(ASKS_EVERY),
        };
        !is_within(self.asked_at, pause, now)
    }

    /// A question is sent.
    pub fn asks(&mut self, now: UnixMillis) {
        self.asked_at = Some(now);
        self.is_asking = true;
        self.pause = ASKS_EVERY;
    }

    /// It is answered; `None`: nothing was learned. `dice` spreads the isolates' next questions.
    pub fn finds(&mut self, heard: Option<Heard>, dice: u64, now: UnixMillis) -> OriginCounts {
        self.is_asking = false;
        let failed = heard == Some(Heard::Failed);
        if failed {
            self.found_good_at = None;
            let doublings = self.failures.min(ASKS_AT_LEAST_EVERY.0.ilog2());
            let pause = (ASKS_EVERY.0 << doublings).min(ASKS_AT_LEAST_EVERY.0);
            self.pause = Millis(pause - dice % (pause / 4));
            self.failures += 1;
        } else {
            self.found_good_at = Some(now);
            self.failures = 0;
        }
        OriginCounts {
            answers: u32::from(heard.is_some()),
            failed: u32::from(failed),
            slow: 0,
        }
    }

    /// A request of `session` leaves for the origin.
    pub fn begins(&mut self, session: &SessionId, is_timed: bool, now: UnixMillis) -> Sent {
        let who = (session.home, session.index);
        if is_timed {
            self.under_way.push((now, who));
        }
        Sent {
            who,
            at: now,
            is_timed,
        }
    }

    /// A request is not under way any more; `false`: it was counted as slow.
    pub fn forgets(&mut self, sent: Sent) -> bool {
        if !sent.is_timed {
            return true;
        }
        let key = (sent.at, sent.who);
        let found = self.under_way.iter().position(|known| *known == key);
        if let Some(at) = found {
            self.under_way.swap_remove(at);
        }
        found.is_some()
    }

    /// The origin has answered a request, or will not. What counts of it: nothing while the admissions pause.
    pub fn ends(
        &mut self,
        sent: Sent,
        heard: Heard,
        slow_after: Millis,
        is_paused: bool,
        now: UnixMillis,
    ) -> OriginCounts {
        let counts = self.forgets(sent);
        let failed = heard == Heard::Failed;
        match failed {
            true => self.failed_at = Some(now),
            false => self.good_at = Some(now),
        }
        if !counts || is_paused {
            return OriginCounts::NONE;
        }
        let is_slow = !failed && sent.is_timed && now.since(sent.at) > slow_after;
        let (answers, bad) = self.tell(sent.who, failed || is_slow, now);
        OriginCounts {
            answers,
            failed: if failed { bad } else { 0 },
            slow: if is_slow { bad } else { 0 },
        }
    }

    /// Sessions that wait for the origin for longer than `slow_after`: whatever comes of it, it is slow for them.
    pub fn takes_stock(
        &mut self,
        slow_after: Millis,
        is_paused: bool,
        now: UnixMillis,
    ) -> OriginCounts {
        self.told.retain(|told| {
            is_within(Some(told.at), COUNTED_ONCE_FOR, now)
                || is_within(told.bad_at, FEW_COUNTED_ONCE_FOR, now)
        });
        let mut counts = OriginCounts::NONE;
        for (at, who) in std::mem::take(&mut self.under_way) {
            if now.since(at) <= slow_after {
                self.under_way.push((at, who));
            } else if !is_paused {
                let (answers, slow) = self.tell(who, true, now);
                counts.add(OriginCounts {
                    answers,
                    failed: 0,
                    slow,
                });
            }
        }
        counts
    }

    /// Whether few sessions are heard.
    pub fn hears_few(&self, now: UnixMillis) -> bool {
        let is_heard = |told: &&Told| is_within(Some(told.at), COUNTED_ONCE_FOR, now);
        self.told.iter().filter(is_heard).take(FEW).count() < FEW
    }

    /// What an answer of this session adds to all answers and to the bad ones. One that was counted as good becomes bad.
    fn tell(&mut self, who: Who, is_bad: bool, now: UnixMillis) -> (u32, u32) {
        let once_for = match self.hears_few(now) {
            true => FEW_COUNTED_ONCE_FOR,
            false => COUNTED_ONCE_FOR,
        };
        let bad_at = is_bad.then_some(now);
        let position = self.told.iter().position(|told| told.who == who);
        let Some(at) = position else {
            let has_room = self.told.len() < MOST_TOLD_APART;
            if has_room {
                self.told.push(Told {
                    who,
                    at: now,
                    bad_at,
                });
            }
            return (u32::from(has_room), u32::from(has_room && is_bad));
        };
        let told = &mut self.told[at];
        if is_bad && is_within(told.bad_at, once_for, now) {
            return (0, 0);
        }
        let is_counted = is_within(Some(told.at), COUNTED_ONCE_FOR, now);
        told.bad_at = bad_at.or(told.bad_at);
        if !is_counted {
            told.at = now;
        }
        (u32::from(!is_counted), u32::from(is_bad))
    }
}

#[cfg(test)]
#[path = "origin_evidence_tests.rs"]
mod tests;
