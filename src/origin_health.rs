//! How the origin does, as this isolate sees it: answers of requests that were let through, and its own questions.
//!
//! What is counted goes to the coordinator with the next board read, at once when something failed; how it is counted
//! says [`origin_evidence`](crate::origin_evidence).
//!
//! Nobody is let in into an error: before a first pass is issued a good answer has to be younger than five seconds, and no
//! visitor's failure. Otherwise the isolate asks by itself, once for all its visitors together, and less and less often while that fails.
//! A question belongs to no visitor: it goes on when the one whose request began it goes away.
//!
//! While the admissions pause because of the origin it is asked in the background, so that the pause ends by itself. A
//! shop in trouble is not to be asked by each of a thousand isolates: of the waiting only about [`ASKERS`] begin to ask
//! each time they look, by lot.

use std::time::Duration;

use anteroom_config::{Event, host};
use anteroom_queue::board::{Board, Pause};
use anteroom_queue::units::{Millis, UnixMillis};
use anteroom_token::SessionId;
use worker::{Delay, Env};

use crate::boards::InUse;
use crate::deployment::Room;
use crate::incoming::Incoming;
use crate::isolate::Kept;
use crate::origin_evidence::{ASKS_EVERY, Heard, Plan, QUESTION_LIMIT, Sent};
use crate::visit::Visit;
use crate::{board_reads, crawlers, isolate, origin_question, platform};

/// How often a request looks for what came of a question.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// No request waits longer for that: a question, and what a busy isolate adds to it.
const PATIENCE: Millis = Millis(QUESTION_LIMIT.0 + 500);
/// Questions in a row after one request while the admissions pause: where few visitors wait, few requests come.
const QUESTIONS_IN_A_ROW: usize = 5;
/// Of the waiting, so many begin to ask each time they look: with a look every two to ten seconds, two to ten a second.
const ASKERS: u64 = 20;

/// Whether the admissions pause because of the origin, as far as this isolate knows.
pub fn is_paused(kept: &Kept, now: UnixMillis) -> bool {
    let board = kept.board.in_use(now);
    board.is_some_and(|in_use| pauses(&in_use.board))
}

fn pauses(board: &Board) -> bool {
    board.pause.as_ref().is_some_and(Pause::is_for_origin)
}

/// A request that waits for the origin. Dropped before the answer came, it says nothing of the origin.
pub struct UnderWay {
    event: &'static Event,
    sent: Option<Sent>,
}

impl UnderWay {
    /// A request of `session` leaves for the origin now. How long it takes says something only when nothing of it is
    /// sent by the visitor meanwhile, and when it is not expected to be work.
    pub fn begins(visit: &Visit, event: &'static Event, session: &SessionId) -> Self {
        let is_timed = visit.incoming.method.is_safe() && visit.request.body().is_none();
        let now = platform::now();
        let sent = isolate::with(event, |kept| kept.origin.begins(session, is_timed, now));
        UnderWay {
            event,
            sent: Some(sent),
        }
    }

    /// The origin has answered, or will not. What a few visitors see is told together with what the edge finds out about it.
    pub fn ends(mut self, visit: &Visit, room: Room, heard: Heard) {
        let Some(sent) = self.sent.take() else { return };
        let now = platform::now();
        let event = room.event;
        let (is_news, asks) = isolate::with(event, |kept| {
            let is_paused = is_paused(kept, now);
            let counts = kept
                .origin
                .ends(sent, heard, event.origin_slow, is_paused, now);
            kept.counts.origin.add(counts);
            let is_news = counts.failed > 0;
            let is_doubtful = is_news && event.origin_acts && kept.origin.hears_few(now);
            let asks = is_doubtful && kept.origin.may_ask(now);
            if asks {
                kept.origin.asks(now);
            }
            (is_news && now.since(kept.handed_in) >= ASKS_EVERY, asks)
        });
        let env = visit.env.clone();
        if asks {
            let asking = ask_in_a_row(env, Question::of(visit, room), 1);
            visit.context.wait_until(asking);
        } else if is_news {
            visit.context.wait_until(board_reads::hand_in(env, event));
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(sent) = self.sent.take() {
            isolate::with(self.event, |kept| kept.origin.forgets(sent));
        }
    }
}

/// Whether the shop answers, so that somebody may be let in: as the last answer says, else it is asked.
pub async fn lets_in(visit: &Visit, room: Room) -> bool {
    let event = room.event;
    if !event.origin_acts {
        return true;
    }
    let until = platform::now().plus(PATIENCE);
    loop {
        let now = platform::now();
        let plan = isolate::with(event, |kept| {
            let plan = kept.origin.plan(now);
            if plan == Plan::Ask {
                kept.origin.asks(now);
            }
            plan
        });
        match plan {
            Plan::Trust => return true,
            Plan::Distrust => return false,
            Plan::Wait if now >= until => return false,
            Plan::Wait => {}
            Plan::Ask => {
                let (env, question) = (visit.env.clone(), Question::of(visit, room));
                visit.context.wait_until(ask_in_a_row(env, question, 1));
            }
        }
        Delay::from(LOOK_EVERY).await;
    }
}

/// While the admissions pause because of the origin, it is asked in the background, and the coordinator told.
pub fn watch(visit: &Visit, room: Room, in_use: &InUse) {
    let event = room.event;
    if !pauses(&in_use.board) {
        return;
    }
    let now = platform::now();
    let dice = platform::random_below(usize::MAX) as u64;
    let begins = isolate::with(event, |kept| {
        let begins = kept.origin.may_ask(now) && is_drawn(&in_use.board, dice);
        if begins {
            kept.origin.asks(now);
        }
        begins
    });
    if begins {
        let (env, question) = (visit.env.clone(), Question::of(visit, room));
        let asking = ask_in_a_row(env, question, QUESTIONS_IN_A_ROW);
        visit.context.wait_until(asking);
    }
}

/// By lot, so that about [`ASKERS`] of all who wait ask.
fn is_drawn(board: &Board, dice: u64) -> bool {
    dice % board.waiting().max(1) < ASKERS
}

/// Asks, and tells the coordinator: once, and again while the admissions pause. The first question has begun.
async fn ask_in_a_row(env: Env, question: Question, times: usize) {
    let event = question.room.event;
    for nth in 0..times {
        if nth > 0 {
            Delay::from(Duration::from_millis(ASKS_EVERY.0)).await;
            let now = platform::now();
            let begins = isolate::with(event, |kept| {
                let begins = is_paused(kept, now) && kept.origin.may_ask(now);
                if begins {
                    kept.origin.asks(now);
                }
                begins
            });
            if !begins {
                continue;
            }
        }
        question.ask().await;
        board_reads::hand_in(env.clone(), event).await;
    }
}

/// A question to the origin of an event.
struct Question {
    room: Room,
    address: String,
}

impl Question {
    fn of(visit: &Visit, room: Room) -> Self {
        let base = visit.deployment.origin_base(room.event);
        let base = base.unwrap_or_else(|| own_base(&room.event.hosts, &visit.incoming));
        Question {
            room,
            address: format!("{base}{}", room.event.front()),
        }
    }

    /// Asks, and notes what came of it.
    async fn ask(&self) {
        let event = self.room.event;
        let pass = crawlers::pass(platform::now().0 / 1_000);
        let pass = self.room.tokens.seal_pass(&pass);
        let head = isolate::with(event, |kept| kept.origin.head);
        let (heard, head) = origin_question::ask(&self.address, &pass, head).await;
        let dice = platform::random_below(usize::MAX) as u64;
        isolate::with(event, |kept| {
            kept.origin.head = head;
            let counts = kept.origin.finds(heard, dice, platform::now());
            kept.counts.origin.add(counts);
        });
    }
}

/// Where an event without an origin of its own is asked. It lies behind a Worker route: what a Worker asks there goes to
/// the shop itself. Neither scheme nor port are the visitor's to choose, but on the machine of somebody who develops.
fn own_base(hosts: &[String], incoming: &Incoming) -> String {
    let is_public = |name: &&String| *name != host::LOOPBACK && !host::is_loopback(name);
    match hosts.iter().find(is_public) {
        Some(name) => format!("https://{name}"),
        None => incoming.own_origin(),
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::board::Phase;
    use anteroom_queue::units::{EntryNumber, Rank};

    use super::*;
    use crate::incoming::Method;
    use crate::samples;

    #[test]
    fn o9_where_the_shop_is_asked_is_never_what_a_visitor_named() {
        let hosts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let asked = |address| Incoming::listed(Method::Get, address, &[]);
        let of = |names: &[&str], address| {
            let hosts: Vec<String> = hosts(names);
            own_base(&hosts, &asked(address))
        };
        for address in [
            "https://tickets.example.com/",
            "https://tickets.example.com:8443/",
            "http://tickets.example.com/",
            "http://shop.example.com:8080/",
        ] {
            let base = of(&["tickets.example.com", "shop.example.com"], address);
            assert_eq!(base, "https://tickets.example.com", "{address}");
        }
        let mixed = of(&["localhost", "a.example"], "http://localhost:8787/");
        assert_eq!(mixed, "https://a.example");
        let developing = of(&[host::LOOPBACK], "http://127.0.0.1:8787/");
        assert_eq!(developing, "http://127.0.0.1:8787");
    }

    #[test]
    fn o9_of_a_crowd_only_some_ask_and_of_few_everybody() {
        let board = |entries, called| {
            let mut board = samples::board(Phase::Paused);
            board.lines[0].entries = EntryNumber(entries);
            board.lines[0].called = Rank(called);
            board
        };
        let drawn = |board: &Board| (0..100_000).filter(|dice| is_drawn(board, *dice)).count();
        for few in [board(0, 0), board(20, 0), board(5_000, 4_990), board(1, 9)] {
            assert_eq!(drawn(&few), 100_000);
        }
        assert_eq!(drawn(&board(100_000, 0)), 20);
        assert_eq!(drawn(&board(1_000_000, 990_000)), 200);
    }
}
