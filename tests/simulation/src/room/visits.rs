//! What visitors do: come, join, look, claim, shop, go. The edge between them and the shards does
//! here what it does for real: it makes permits, knows the place from the ticket, shows the board
//! it has, signs passes.

use std::rc::Rc;

use anteroom_queue::board::{Board, Phase};
use anteroom_queue::settings::Mode;

use super::Room;
use super::relays::HOMES;
use crate::message::{Ask, Event, Letter};
use crate::observation::{Observation, VisitorId};
use crate::plan::Access;
use crate::visitor::{Habit, NONE, Stage};

/// How often a page near the front polls.
const NEAR_POLL_MS: u64 = 2_000;

/// Ranks that count as near the front.
const NEAR_RANKS: u64 = 200;

/// How long a page waits when an answer did not come.
const RETRY_MS: u64 = 3_000;

/// A page asks so many times more often while its claim is pending than far from the front.
const PENDING_TIMES: u64 = 5;

impl Room {
    /// The visitor does the next thing.
    pub(super) fn visit(&mut self, id: VisitorId, now: u64) {
        let visitor = self.visitors[id as usize];
        match visitor.stage {
            Stage::Gone => {}
            Stage::Inside => self.shop(id, now),
            Stage::Leaving => self.leave(id, now),
            Stage::Releasing => self.release(id, now),
            Stage::Coming
            | Stage::Trying
            | Stage::Reserving
            | Stage::Joining
            | Stage::InLine
            | Stage::Claiming => {
                if let Some(board) = self.board_for(visitor.edge, id, now) {
                    self.visit_with(id, Some(board), now);
                }
            }
        }
    }

    /// The same with the board that the edge has by then.
    pub(super) fn visit_with(&mut self, id: VisitorId, board: Option<Rc<Board>>, now: u64) {
        let Some(board) = board else {
            return self.again(id, now, RETRY_MS);
        };
        match self.visitors[id as usize].stage {
            Stage::Coming | Stage::Trying | Stage::Reserving | Stage::Joining => {
                self.arrive(id, &board, now);
            }
            Stage::InLine => self.wait(id, &board, now),
            Stage::Claiming => self.claim(id, now),
            Stage::Inside | Stage::Leaving | Stage::Releasing | Stage::Gone => {}
        }
    }

    /// Comes back about `mean` from now.
    pub(super) fn again(&mut self, id: VisitorId, now: u64, mean: u64) {
        let wait = self.chance.within(mean / 2..mean + mean / 2 + 1);
        self.at(now + wait, Event::Visit(id));
    }

    /// A letter of the visitor, as the browser and its edge know things now.
    pub(super) fn letter(&self, id: VisitorId, ask: Ask, now: u64) -> Letter {
        let visitor = &self.visitors[id as usize];
        Letter {
            ask,
            visitor: id,
            browser: visitor.browser,
            permit: visitor.permit,
            index: visitor.index,
            line: visitor.line,
            replaces: NONE,
            permit_home: 0,
            asked_ms: now as u32,
            generation: visitor.generation,
            edge: visitor.edge,
            home: visitor.home,
            names_network: self.edge_is_new(visitor.edge, now),
            copy: false,
        }
    }

    pub(super) fn write_letter(&mut self, id: VisitorId, ask: Ask, now: u64) {
        let letter = self.letter(id, ask, now);
        self.write(letter, now);
    }

    pub(super) fn write(&mut self, letter: Letter, now: u64) {
        let visitor = &mut self.visitors[letter.visitor as usize];
        visitor.letters += 1;
        let unranked = visitor.stage == Stage::InLine && visitor.rank == NONE;
        if self.plan.counts_asks && unranked && letter.ask == Ask::State {
            let permit = visitor.permit;
            self.see(now, Observation::UnrankedAsked { permit });
        }
        self.send_letter(letter, now);
    }

    /// Gets the page with a permit and joins, or tries to be admitted at once.
    fn arrive(&mut self, id: VisitorId, board: &Board, now: u64) {
        let named = self.chance.one_of(&board.open_shards).0;
        let home = if self.plan.relays {
            named % HOMES
        } else {
            named
        };
        let visitor = &mut self.visitors[id as usize];
        if !visitor.has_permit {
            visitor.has_permit = true;
            visitor.home = home;
            visitor.own_home = home;
        }
        let line = usize::from(visitor.line);
        let phase = board.lines[line].phase;
        if matches!(phase, Phase::Soldout | Phase::Closed) && !visitor.joined {
            visitor.settled = true;
            return self.again_if_it_reopens(id, now);
        }
        // A use of a shared code is asked for anew with each join.
        let reserved = visitor.reserved && !self.shares_code(id);
        if self.plan.access_of(id) != Access::Everyone && !reserved {
            return self.reserve(id, board, now);
        }
        let visitor = &mut self.visitors[id as usize];
        if board.mode == Mode::Auto && board.room && !visitor.tried && !visitor.joined {
            visitor.stage = Stage::Trying;
            return self.write_letter(id, Ask::Try, now);
        }
        self.join(id, now);
    }

    pub(super) fn join(&mut self, id: VisitorId, now: u64) {
        let visitor = &mut self.visitors[id as usize];
        visitor.stage = Stage::Joining;
        if !visitor.joined {
            visitor.joined = true;
            visitor.settled = false;
        }
        let permit = visitor.permit;
        let first = !std::mem::replace(&mut self.visitors[permit as usize].permit_used, true);
        if first {
            self.see(now, Observation::JoinBegan { visitor: permit });
        }
        self.write_letter(id, Ask::Join, now);
        if self.visitors[id as usize].habit == Habit::TwoTabs {
            self.write_letter(id, Ask::Join, now);
        }
    }

    /// Who found it sold out looks again later, but not for ever.
    pub(super) fn again_if_it_reopens(&mut self, id: VisitorId, now: u64) {
        if now < self.plan.quiet_at_ms {
            self.again(id, now, 30_000);
        } else {
            self.gone(id);
        }
    }

    /// Looks at the page in the line.
    fn wait(&mut self, id: VisitorId, board: &Board, now: u64) {
        if self.turns(id, now) {
            return;
        }
        let visitor = self.visitors[id as usize];
        if visitor.entry == NONE {
            return self.write_letter(id, Ask::State, now);
        }
        if visitor.habit == Habit::HandsOver && !visitor.handed_over && self.chance.happens(200_000)
        {
            return self.offer_handover(id, now);
        }
        let line = &board.lines[usize::from(visitor.line)];
        if board.version < u64::from(visitor.version) {
            return self.again(id, now, NEAR_POLL_MS);
        }
        if visitor.rank == NONE {
            self.learn_rank(id, now);
        }
        let rank = self.visitors[id as usize].rank;
        if board.version > u64::from(visitor.version) {
            self.visitors[id as usize].version = board.version as u32;
            self.show(id, board, now);
        }
        if matches!(line.phase, Phase::Soldout | Phase::Closed) {
            self.visitors[id as usize].settled = now >= self.plan.quiet_at_ms;
            return self.again_if_it_reopens(id, now);
        }
        if rank == NONE {
            return self.again(id, now, self.plan.far_poll_ms);
        }
        let rank = u64::from(rank);
        if rank >= line.called.0 {
            return self.poll(id, rank - line.called.0, now);
        }
        if rank < line.lapsed.0 {
            return self.write_letter(id, Ask::State, now);
        }
        self.visitors[id as usize].stage = Stage::Claiming;
        self.claim(id, now);
    }

    /// The edge works the rank out from the number on the ticket and the board.
    fn learn_rank(&mut self, id: VisitorId, now: u64) {
        let visitor = self.visitors[id as usize];
        let edge = &mut self.edges[usize::from(visitor.edge)];
        if let Some(rank) = edge.rank(visitor.line, u64::from(visitor.entry)) {
            self.visitors[id as usize].rank = rank as u32;
            let permit = visitor.permit;
            self.see(now, Observation::RankShown { permit, rank });
        } else if self.plan.counts_asks {
            let permit = visitor.permit;
            self.see(now, Observation::UnrankedShown { permit });
        }
    }

    fn show(&mut self, id: VisitorId, board: &Board, now: u64) {
        let visitor = self.visitors[id as usize];
        if visitor.rank != NONE {
            let shown = Observation::Shown {
                visitor: id,
                version: board.version,
                line: visitor.line,
                rank: u64::from(visitor.rank),
                called: board.lines[usize::from(visitor.line)].called.0,
            };
            self.see(now, shown);
        }
    }

    fn poll(&mut self, id: VisitorId, ahead: u64, now: u64) {
        let habit = self.visitors[id as usize].habit;
        if habit == Habit::Refreshing && self.chance.happens(100_000) {
            return self.write_letter(id, Ask::Join, now);
        }
        let mean = match ahead {
            0..NEAR_RANKS => NEAR_POLL_MS,
            _ if habit == Habit::Refreshing => self.plan.far_poll_ms / 3,
            _ => self.plan.far_poll_ms,
        };
        self.again(id, now, mean);
    }

    /// Habits that turn up while waiting; whether the visitor does something else now.
    fn turns(&mut self, id: VisitorId, now: u64) -> bool {
        let visitor = &mut self.visitors[id as usize];
        if visitor.turns_at_ms == 0 {
            let patience = self.chance.about(4 * 60_000);
            visitor.turns_at_ms = (now + patience) as u32;
        }
        if now < u64::from(visitor.turns_at_ms) {
            return false;
        }
        match visitor.habit {
            Habit::NoShow => self.gone(id),
            Habit::Leaving => {
                visitor.stage = Stage::Leaving;
                self.leave(id, now);
            }
            Habit::SleepingPhone => {
                let sleeps = self.chance.about(6 * 60_000);
                self.visitors[id as usize].turns_at_ms = (now + sleeps + 10 * 60_000) as u32;
                self.at(now + sleeps, Event::Visit(id));
            }
            _ => return false,
        }
        true
    }

    fn claim(&mut self, id: VisitorId, now: u64) {
        if self.turns(id, now) {
            return;
        }
        let visitor = &mut self.visitors[id as usize];
        let permit = visitor.permit;
        if visitor.habit == Habit::Hesitating && !visitor.deferred {
            visitor.deferred = true;
            return self.write_letter(id, Ask::Defer, now);
        }
        self.see(now, Observation::ClaimBegan { visitor: permit });
        self.write_letter(id, Ask::Claim, now);
        if self.visitors[id as usize].habit == Habit::TwoTabs {
            self.write_letter(id, Ask::Claim, now);
        }
    }

    pub(super) fn pending(&mut self, id: VisitorId, now: u64) {
        self.again(id, now, self.plan.far_poll_ms / PENDING_TIMES);
    }

    pub(super) fn retry(&mut self, id: VisitorId, now: u64) {
        self.again(id, now, RETRY_MS);
    }

    fn leave(&mut self, id: VisitorId, now: u64) {
        self.write_letter(id, Ask::Leave, now);
    }

    fn release(&mut self, id: VisitorId, now: u64) {
        self.write_letter(id, Ask::Release, now);
    }

    /// The visitor will not do anything more.
    pub(super) fn gone(&mut self, id: VisitorId) {
        let visitor = &mut self.visitors[id as usize];
        if visitor.stage != Stage::Gone {
            visitor.stage = Stage::Gone;
            self.living -= 1;
        }
    }
}
