//! What one isolate knows of an event's origin, and what follows from it: pure, and without a clock of its own.
//!
//! One visitor is one visitor in trouble. Whoever is inside can provoke errors, ask for the slowest page, or leave a
//! hundred requests open; a session's bad answers, failed and slow alike, count once in [`COUNTED_ONCE_FOR`]. While the
//! admissions pause because of the origin none of a session's answers count: the edges' own questions decide alone.
//!
//! What the edge itself found out does not go away because one session saw an error: a visitor's failure makes the trust
//! in visitors' answers run out, not the trust in an own question that was answered.

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
/// A session's bad answers count once in this time: it is a window in which answers are judged.
const COUNTED_ONCE_FOR: Millis = Millis(5_000);
/// Sessions whose bad answers are told apart; those of more do not count.
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

/// Which session a request belongs to, as far as bad answers are told apart.
type Who = (u16, u32);

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
    /// When the last answer to a visitor came, if it was good.
    good_at: Option<UnixMillis>,
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
    /// The sessions of which a bad answer was counted, and when.
    told: Vec<(Who, UnixMillis)>,
}

/// Not before `limit` ago, and not ahead either: a clock may be set back.
fn is_within(at: Option<UnixMillis>, limit: Millis, now: UnixMillis) -> bool {
    at.is_some_and(|at| at <= now && now.since(at) < limit)
}

impl Evidence {
    /// What to do before a first pass is issued.
    pub fn plan(&self, now: UnixMillis) -> Plan {
        let is_trusted = |at| is_within(at, TRUSTED, now);
        match () {
            () if is_trusted(self.good_at) || is_trusted(self.found_good_at) => Plan::Trust,
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
            (self.good_at, self.found_good_at) = (None, None);
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
        if !failed {
            self.good_at = Some(now);
        }
        let is_slow = !failed && sent.is_timed && now.since(sent.at) > slow_after;
        if !counts || (failed || is_slow) && !self.is_news(sent.who, now) {
            return OriginCounts::NONE;
        }
        if failed {
            self.good_at = None;
        }
        if is_paused {
            return OriginCounts::NONE;
        }
        OriginCounts {
            answers: 1,
            failed: u32::from(failed),
            slow: u32::from(is_slow),
        }
    }

    /// Sessions that wait for the origin for longer than `slow_after`: whatever comes of it, it is slow for them.
    pub fn takes_stock(
        &mut self,
        slow_after: Millis,
        is_paused: bool,
        now: UnixMillis,
    ) -> OriginCounts {
        self.told
            .retain(|(_, at)| is_within(Some(*at), COUNTED_ONCE_FOR, now));
        let mut slow = 0;
        for (at, who) in std::mem::take(&mut self.under_way) {
            if now.since(at) <= slow_after {
                self.under_way.push((at, who));
            } else if !is_paused && self.is_news(who, now) {
                slow += 1;
            }
        }
        OriginCounts {
            answers: slow,
            failed: 0,
            slow,
        }
    }

    /// Whether a bad answer of this session counts; then the next does not.
    fn is_news(&mut self, who: Who, now: UnixMillis) -> bool {
        let position = self.told.iter().position(|(known, _)| *known == who);
        match position {
            Some(at) if is_within(Some(self.told[at].1), COUNTED_ONCE_FOR, now) => return false,
            Some(at) => self.told[at].1 = now,
            None if self.told.len() < MOST_TOLD_APART => self.told.push((who, now)),
            None => return false,
        }
        true
    }
}

#[cfg(test)]
#[path = "origin_evidence_tests.rs"]
mod tests;
