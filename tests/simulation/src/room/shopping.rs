//! What visitors do inside: requests with a pass, which the edge renews past half of its life and
//! signs anew by itself when the home cannot be reached; giving the session back; falling silent.

use anteroom_queue::limits::{GRANT_FETCH, UNCONFIRMED_PASS};
use anteroom_queue::shard::command::{Refused, ShardReply};

use super::Room;
use crate::message::{Answer, Ask, Letter};
use crate::observation::{Away, Observation, VisitorId};
use crate::visitor::{Habit, NONE, Stage};

/// Between two requests of a visitor inside.
const BETWEEN_REQUESTS_MS: u64 = 20_000;

/// How long a stopped visitor waits before the next look.
const STOPPED_MS: u64 = 10_000;

/// How many in a million requests are a checkout that asks for more time.
const CHECKOUTS_PPM: u32 = 20_000;

/// What a reply said of a session.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub index: u32,
    pub generation: u32,
    pub ends_ms: u64,
    pub confirmed: bool,
}

impl Told {
    pub(super) fn of(reply: &ShardReply) -> Option<Self> {
        match *reply {
            ShardReply::Session {
                index,
                generation,
                session_ends,
                confirmed,
                ..
            } => Some(Self {
                index: index.0,
                generation: generation.0,
                ends_ms: session_ends.since(crate::plan::START).0,
                confirmed,
            }),
            _ => None,
        }
    }
}

impl Room {
    /// The home says that a session runs: the edge signs the first pass, unless a brake may be on.
    pub(super) fn enter(&mut self, letter: Letter, told: Told, last: bool, now: u64) {
        let id = letter.visitor;
        self.session_told(letter, told, now);
        let may_sign = self.edges[usize::from(letter.edge)].may_sign(letter.line, now);
        let visitor = &mut self.visitors[id as usize];
        match visitor.stage {
            Stage::Inside => {
                visitor.generation = visitor.generation.max(told.generation);
                if last {
                    self.again(id, now, BETWEEN_REQUESTS_MS);
                }
                return;
            }
            Stage::Trying | Stage::Claiming | Stage::InLine | Stage::Joining => {}
            Stage::Coming | Stage::Reserving | Stage::Leaving | Stage::Releasing | Stage::Gone => {
                return;
            }
        }
        visitor.index = told.index;
        if !may_sign {
            visitor.stage = Stage::Claiming;
            if last {
                self.pending(id, now);
            }
            return;
        }
        let life_ms = if told.confirmed {
            self.plan.settings.pass.0
        } else {
            // The home counts it for so long after the grant, a session before the session's end.
            let granted_ms = told.ends_ms.saturating_sub(self.plan.settings.session.0);
            let counts_ms = granted_ms + GRANT_FETCH.0 + UNCONFIRMED_PASS.0;
            counts_ms
                .saturating_sub(now)
                .clamp(1_000, UNCONFIRMED_PASS.0)
        };
        let pass_until_ms = (now + life_ms).min(told.ends_ms);
        visitor.stage = Stage::Inside;
        visitor.settled = true;
        visitor.generation = told.generation;
        visitor.confirmed = told.confirmed;
        visitor.session_until_ms = told.ends_ms as u32;
        visitor.pass_until_ms = pass_until_ms as u32;
        visitor.last_request_ms = now as u32;
        let ends_ms = if told.confirmed {
            told.ends_ms
        } else {
            pass_until_ms
        };
        let (generation, confirmed) = (told.generation, told.confirmed);
        self.see(
            now,
            Observation::FirstPass {
                visitor: self.permit(id),
                generation,
                ends_ms,
                confirmed,
            },
        );
        if last {
            self.again(id, now, BETWEEN_REQUESTS_MS / 2);
        }
    }

    fn session_told(&mut self, letter: Letter, told: Told, now: u64) {
        let Told {
            index,
            generation,
            ends_ms,
            ..
        } = told;
        let seen = Observation::SessionTold {
            visitor: letter.permit,
            home: letter.home,
            line: letter.line,
            asked_ms: u64::from(letter.asked_ms),
            index,
            generation,
            ends_ms,
        };
        self.see(now, seen);
    }

    fn permit(&self, id: VisitorId) -> VisitorId {
        self.visitors[id as usize].permit
    }

    /// The next request inside.
    pub(super) fn shop(&mut self, id: VisitorId, now: u64) {
        let visitor = self.visitors[id as usize];
        if visitor.letters > 0 {
            return self.again(id, now, BETWEEN_REQUESTS_MS);
        }
        let stopped = self.gate_stops(visitor.edge, now);
        if stopped {
            self.see(
                now,
                Observation::TurnedAway {
                    visitor: self.permit(id),
                    why: Away::Stopped,
                },
            );
            return self.again(id, now, STOPPED_MS);
        }
        if visitor.requests == 0 || visitor.habit == Habit::DeadBattery && visitor.requests < 3 {
            return self.stop_shopping(id, now);
        }
        if visitor.habit == Habit::TwoTabs
            && visitor.requests == 1
            && visitor.browser == 0
            && visitor.confirmed
        {
            self.visitors[id as usize].browser = 1;
            return self.write_letter(id, Ask::Claim, now);
        }
        if now >= u64::from(visitor.pass_until_ms) {
            return self.write_letter(id, Ask::Renew, now);
        }
        self.reached(id, now);
        let half_ms = self.plan.settings.pass.0 / 2;
        if self.chance.happens(CHECKOUTS_PPM) {
            self.write_letter(id, Ask::Extend, now);
        } else if !visitor.confirmed || u64::from(visitor.pass_until_ms) < now + half_ms {
            self.write_letter(id, Ask::Renew, now);
        } else {
            self.again(id, now, BETWEEN_REQUESTS_MS);
        }
    }

    fn reached(&mut self, id: VisitorId, now: u64) {
        let visitor = &mut self.visitors[id as usize];
        visitor.last_request_ms = now as u32;
        if visitor.habit != Habit::Overstayer {
            visitor.requests = visitor.requests.saturating_sub(1);
        }
        self.see(
            now,
            Observation::OriginReached {
                visitor: self.permit(id),
            },
        );
    }

    fn stop_shopping(&mut self, id: VisitorId, now: u64) {
        self.see(
            now,
            Observation::SessionLeft {
                visitor: self.permit(id),
            },
        );
        let silent = self.visitors[id as usize].habit == Habit::DeadBattery;
        if silent || !self.visitors[id as usize].confirmed {
            return self.gone(id);
        }
        let leaves = self.chance.happens(100_000) && self.visitors[id as usize].entry != NONE;
        let (stage, ask) = if leaves {
            (Stage::Leaving, Ask::Leave)
        } else {
            (Stage::Releasing, Ask::Release)
        };
        self.visitors[id as usize].stage = stage;
        self.write_letter(id, ask, now);
    }

    /// What came of a renewal or an extension. The request that caused it waited only if the pass
    /// had expired.
    pub(super) fn renewed(&mut self, answer: &Answer, now: u64) {
        let id = answer.letter.visitor;
        let visitor = self.visitors[id as usize];
        if visitor.stage != Stage::Inside {
            return;
        }
        match &answer.reply {
            None => self.sign_anew(id, now),
            Some(ShardReply::SessionOver { .. }) => {
                self.turned_away(id, Away::Over, now);
                self.see(
                    now,
                    Observation::SessionOverTold {
                        visitor: self.permit(id),
                    },
                );
                self.gone(id);
            }
            Some(ShardReply::Refused {
                why: Refused::Elsewhere,
                ..
            }) => {
                self.turned_away(id, Away::Elsewhere, now);
                self.gone(id);
            }
            Some(reply) => match Told::of(reply) {
                Some(told) => self.pass_renewed(answer.letter, told, now),
                None => self.pass_unknown(id, now),
            },
        }
    }

    fn pass_renewed(&mut self, letter: Letter, told: Told, now: u64) {
        let id = letter.visitor;
        self.session_told(letter, told, now);
        let pass_ms = self.plan.settings.pass.0;
        let visitor = &mut self.visitors[id as usize];
        let expired = now >= u64::from(visitor.pass_until_ms);
        visitor.session_until_ms = told.ends_ms as u32;
        visitor.pass_until_ms = (now + pass_ms).min(told.ends_ms) as u32;
        if !std::mem::replace(&mut visitor.confirmed, true) {
            let ends_ms = told.ends_ms;
            self.see(
                now,
                Observation::Confirmed {
                    visitor: self.permit(id),
                    ends_ms,
                },
            );
        }
        if expired {
            self.reached(id, now);
        }
        self.again(id, now, BETWEEN_REQUESTS_MS);
    }

    /// The home cannot be reached: a confirmed session goes on at the edge's word, since it still
    /// counts, as long as requests come within the idle time.
    fn sign_anew(&mut self, id: VisitorId, now: u64) {
        let settings = &self.plan.settings;
        let visitor = &mut self.visitors[id as usize];
        let expired = now >= u64::from(visitor.pass_until_ms);
        let session_until_ms = u64::from(visitor.session_until_ms);
        let seen_lately = now - u64::from(visitor.last_request_ms) <= settings.idle.0;
        if visitor.confirmed && seen_lately && now < session_until_ms {
            visitor.pass_until_ms = (now + settings.pass.0).min(session_until_ms) as u32;
            if expired {
                self.reached(id, now);
            }
        } else if expired {
            if visitor.confirmed && now >= session_until_ms {
                self.turned_away(id, Away::Over, now);
                self.see(
                    now,
                    Observation::SessionLeft {
                        visitor: self.permit(id),
                    },
                );
                return self.gone(id);
            }
            self.turned_away(id, Away::Unreachable, now);
        }
        self.again(id, now, BETWEEN_REQUESTS_MS);
    }

    fn turned_away(&mut self, visitor: VisitorId, why: Away, now: u64) {
        let visitor = self.permit(visitor);
        self.see(now, Observation::TurnedAway { visitor, why });
    }

    /// A first visit that was confirmed too late left nothing behind: the visitor joins.
    fn pass_unknown(&mut self, id: VisitorId, now: u64) {
        let visitor = &mut self.visitors[id as usize];
        if visitor.confirmed {
            self.turned_away(id, Away::Over, now);
            self.see(
                now,
                Observation::RefusalTold {
                    visitor: self.permit(id),
                    why: Refused::Unknown,
                },
            );
            return self.gone(id);
        }
        visitor.settled = false;
        self.see(
            now,
            Observation::SessionLeft {
                visitor: self.permit(id),
            },
        );
        self.start_over(id, now);
    }

    /// Back to the page, with the same permit, to join.
    pub(super) fn start_over(&mut self, id: VisitorId, now: u64) {
        let visitor = &mut self.visitors[id as usize];
        visitor.stage = Stage::Coming;
        visitor.tried = true;
        visitor.index = NONE;
        self.again(id, now, 2_000);
    }
}
