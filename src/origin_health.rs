//! How the origin does, as this isolate sees it: answers of requests that were let through, and its own questions.
//!
//! What is counted goes to the coordinator with the next board read, at once when something failed. A session that fails
//! is counted once between two reads: one visitor with a script that provokes errors is one visitor in trouble.
//!
//! Nobody is let in into an error: before a first pass is issued the last answer has to be good and younger than
//! [`TRUSTED`]. Otherwise the isolate asks by itself, at most once a second for all its visitors together. While the
//! admissions pause because of the origin it asks in the background, so that the pause ends by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anteroom_config::Event;
use anteroom_durable_objects::wire::OriginCounts;
use anteroom_queue::units::{Millis, UnixMillis};
use anteroom_token::SessionId;
use worker::Delay;

use crate::boards::InUse;
use crate::deployment::Room;
use crate::visit::Visit;
use crate::{board_reads, isolate, origin_question, platform};

/// A good answer that is younger than this stands for the next one.
const TRUSTED: Millis = Millis(5_000);
/// An isolate asks the origin by itself at most this often.
const ASKS_EVERY: Millis = Millis(1_000);
/// How long the origin has for an answer to such a question.
pub const QUESTION_LIMIT: Millis = Millis(2_000);
/// How often a request looks for what came of another's question.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Questions in a row after one request while the admissions pause: where few visitors wait, few requests come.
const QUESTIONS_IN_A_ROW: usize = 5;
/// Sessions that are remembered as failed between two board reads: the most whose failures are told apart.
const MOST_FAILED: usize = 1_000;

/// What an isolate knows of one event's origin.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// When the last answer came, if it was good.
    good_at: Option<UnixMillis>,
    /// When the origin was last asked.
    asked_at: Option<UnixMillis>,
    /// The answer to that is awaited.
    is_asking: bool,
    /// Requests that the origin has not answered, by the second in which they were sent.
    under_way: BTreeMap<u64, u32>,
    /// The sessions whose failures are counted already.
    failed: BTreeSet<(u16, u32)>,
}

/// What to do before a first pass is issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// The origin answers.
    Trust,
    /// It did not a moment ago.
    Distrust,
    /// It has to be asked, here.
    Ask,
    /// Another request is asking.
    Wait,
}

/// How the origin answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// Well.
    Good,
    /// With 5xx, or not at all.
    Failed,
}

/// Not before `limit` ago, and not ahead either: a clock may be set back.
fn is_within(at: Option<UnixMillis>, limit: Millis, now: UnixMillis) -> bool {
    at.is_some_and(|at| at <= now && now.since(at) < limit)
}

impl Seen {
    fn plan(&self, now: UnixMillis) -> Plan {
        match () {
            () if is_within(self.good_at, TRUSTED, now) => Plan::Trust,
            // A question that nobody finished counts as failed after its limit.
            () if self.is_asking && is_within(self.asked_at, QUESTION_LIMIT, now) => Plan::Wait,
            () if is_within(self.asked_at, ASKS_EVERY, now) => Plan::Distrust,
            () => Plan::Ask,
        }
    }

    fn may_ask(&self, now: UnixMillis) -> bool {
        let pause = if self.is_asking {
            QUESTION_LIMIT
        } else {
            ASKS_EVERY
        };
        !is_within(self.asked_at, pause, now)
    }

    /// Requests that wait for the origin for longer than `limit`: they are slow, whatever comes of them. Also begins to
    /// count the failures of each session anew.
    pub fn takes_stock(&mut self, limit: Millis, now: UnixMillis) -> OriginCounts {
        self.failed.clear();
        let mut counts = OriginCounts::default();
        let latest = now.0.saturating_sub(limit.0) / 1_000;
        let younger = self.under_way.split_off(&latest);
        for (_, count) in std::mem::replace(&mut self.under_way, younger) {
            counts.answers += count;
            counts.slow += count;
        }
        counts
    }

    /// A request that was sent in `second` is not under way any more; `false`: it was counted as slow.
    fn ends(&mut self, second: u64) -> bool {
        let Some(count) = self.under_way.get_mut(&second) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            self.under_way.remove(&second);
        }
        true
    }

    /// Whether a failure of this session counts.
    fn is_news(&mut self, session: Option<&SessionId>) -> bool {
        let Some(session) = session else { return true };
        self.failed.len() < MOST_FAILED && self.failed.insert((session.home, session.index))
    }
}

/// A request that waits for the origin. Dropped before the answer came, it says nothing of the origin.
pub struct UnderWay {
    event: &'static Event,
    sent: UnixMillis,
    is_over: bool,
}

impl UnderWay {
    /// A request leaves for the origin now.
    pub fn begins(event: &'static Event) -> Self {
        let sent = platform::now();
        isolate::with(event, |kept| {
            *kept.origin.under_way.entry(sent.0 / 1_000).or_insert(0) += 1;
        });
        UnderWay {
            event,
            sent,
            is_over: false,
        }
    }

    /// The origin has answered `session`, or will not.
    pub fn ends(mut self, visit: &Visit, heard: Heard, session: Option<&SessionId>) {
        self.is_over = true;
        let now = platform::now();
        let is_slow = now.since(self.sent) > self.event.origin_slow;
        let is_urgent = isolate::with(self.event, |kept| {
            let counts = kept.origin.ends(self.sent.0 / 1_000);
            kept.origin.good_at = (heard == Heard::Good).then_some(now);
            let failed = heard == Heard::Failed;
            if !counts || failed && !kept.origin.is_news(session) {
                return false;
            }
            kept.counts.origin.answers += 1;
            kept.counts.origin.failed += u32::from(failed);
            kept.counts.origin.slow += u32::from(is_slow && !failed);
            failed && now.since(kept.handed_in) >= ASKS_EVERY
        });
        if is_urgent {
            let handing_in = board_reads::hand_in(visit.env.clone(), self.event);
            visit.context.wait_until(handing_in);
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if !self.is_over {
            isolate::with(self.event, |kept| kept.origin.ends(self.sent.0 / 1_000));
        }
    }
}

/// Whether the shop answers, so that somebody may be let in: as the last answer says, else it is asked.
pub async fn lets_in(visit: &Visit, room: Room) -> bool {
    let event = room.event;
    if !event.origin_acts {
        return true;
    }
    loop {
        match isolate::with(event, |kept| kept.origin.plan(platform::now())) {
            Plan::Trust => return true,
            Plan::Distrust => return false,
            Plan::Wait => Delay::from(LOOK_EVERY).await,
            Plan::Ask => {
                let answers = ask(&address(visit, event), event).await;
                let handing_in = board_reads::hand_in(visit.env.clone(), event);
                visit.context.wait_until(handing_in);
                return answers;
            }
        }
    }
}

/// While the admissions pause because of the origin, it is asked in the background, and the coordinator told.
pub fn watch(visit: &Visit, event: &'static Event, in_use: &InUse) {
    let now = platform::now();
    if !is_paused(in_use) || !isolate::with(event, |kept| kept.origin.may_ask(now)) {
        return;
    }
    let (env, address) = (visit.env.clone(), address(visit, event));
    visit.context.wait_until(async move {
        for _ in 0..QUESTIONS_IN_A_ROW {
            let now = platform::now();
            let is_due = isolate::with(event, |kept| {
                let board = kept.board.in_use(now);
                board.is_some_and(|in_use| is_paused(&in_use)) && kept.origin.may_ask(now)
            });
            if is_due {
                ask(&address, event).await;
                board_reads::hand_in(env.clone(), event).await;
            }
            Delay::from(Duration::from_millis(ASKS_EVERY.0)).await;
        }
    });
}

fn is_paused(in_use: &InUse) -> bool {
    let pause = in_use.board.pause.as_ref();
    pause.is_some_and(anteroom_queue::board::Pause::is_for_origin)
}

/// Asks, and notes what came of it.
async fn ask(address: &str, event: &'static Event) -> bool {
    let begun = platform::now();
    isolate::with(event, |kept| {
        kept.origin.asked_at = Some(begun);
        kept.origin.is_asking = true;
    });
    let heard = origin_question::ask(address).await;
    let now = platform::now();
    isolate::with(event, |kept| {
        kept.origin.is_asking = false;
        kept.origin.good_at = (heard != Some(Heard::Failed)).then_some(now);
        kept.counts.origin.answers += u32::from(heard.is_some());
        kept.counts.origin.failed += u32::from(heard == Some(Heard::Failed));
    });
    heard != Some(Heard::Failed)
}

/// Where the shop begins. Without an origin of its own the event lies behind a Worker route: what a Worker asks there
/// goes to the shop itself.
fn address(visit: &Visit, event: &Event) -> String {
    let base = visit.deployment.origin_base(event);
    let base = base.unwrap_or_else(|| visit.incoming.own_origin());
    format!("{base}{}", event.front())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_800_000_000_000);

    fn ago(millis: u64) -> Option<UnixMillis> {
        Some(UnixMillis(NOW.0 - millis))
    }

    #[test]
    fn o9_nobody_is_let_in_unless_the_last_answer_was_good_and_is_young() {
        for (good_at, asked_at, is_asking, plan) in [
            (None, None, false, Plan::Ask),
            (ago(4_999), None, false, Plan::Trust),
            (ago(5_000), None, false, Plan::Ask),
            (ago(0), ago(0), true, Plan::Trust),
            (None, ago(500), true, Plan::Wait),
            (None, ago(2_000), true, Plan::Ask),
            (None, ago(999), false, Plan::Distrust),
            (None, ago(1_000), false, Plan::Ask),
            // The clock was set back.
            (Some(NOW.plus(Millis(1))), None, false, Plan::Ask),
            (None, Some(NOW.plus(Millis(1))), true, Plan::Ask),
        ] {
            let seen = Seen {
                good_at,
                asked_at,
                is_asking,
                ..Seen::default()
            };
            assert_eq!(seen.plan(NOW), plan, "{seen:?}");
        }
    }

    #[test]
    fn while_the_admissions_pause_the_shop_is_asked_once_a_second_also_when_it_answers_well() {
        let seen = |asked_at| Seen {
            good_at: ago(0),
            asked_at,
            ..Seen::default()
        };
        assert!(seen(ago(1_000)).may_ask(NOW));
        assert!(!seen(ago(999)).may_ask(NOW));
    }

    #[test]
    fn o7_a_request_that_hangs_counts_as_slow_once_and_not_again_when_it_ends() {
        let second = NOW.0 / 1_000;
        let mut seen = Seen {
            under_way: [(second - 7, 2), (second - 1, 1)].into(),
            ..Seen::default()
        };
        let counts = seen.takes_stock(Millis(5_000), NOW);
        let expected = OriginCounts {
            answers: 2,
            failed: 0,
            slow: 2,
        };
        assert_eq!(counts, expected);
        let again = seen.takes_stock(Millis(5_000), NOW);
        assert_eq!(again, OriginCounts::NONE);
        assert!(!seen.ends(second - 7), "it was counted");
        assert!(seen.ends(second - 1));
        assert!(seen.under_way.is_empty());
    }

    #[test]
    fn o7_a_visitor_who_provokes_errors_is_one_visitor_in_trouble() {
        let session = |index| SessionId {
            home: 1,
            index,
            generation: 0,
        };
        let mut seen = Seen::default();
        let news: Vec<bool> = [1, 1, 2, 1]
            .map(|index| seen.is_news(Some(&session(index))))
            .into();
        assert_eq!(news, [true, false, true, false]);
        seen.takes_stock(Millis(5_000), NOW);
        assert!(seen.is_news(Some(&session(1))));
    }
}
