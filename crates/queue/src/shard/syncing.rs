//! Reports to the coordinator, and what its answers change here. Everything is cumulative: an
//! answer that comes late, twice or not at all changes nothing that another would not.

use super::command::ShardReply;
use super::networks::Networks;
use super::place::{Claim, Session, Standing};
use super::{Line, Shard};
use crate::board::{Board, LineBoard};
use crate::limits::{
    CLAIM_PRESENCE, CLOCK_TOLERANCE, GRANT_FETCH, LATE_AFTER, MAX_LATE_SECONDS, PATIENT_SYNC,
    SHORTEST_SYNC, STALE_REPLY,
};
use crate::line::Order;
use crate::sync::{Cut, LateJoins, LineAnswer, LineReport, SyncReply, SyncRequest};
use crate::units::{EntryNumber, Generation, Millis, PlaceIndex, UnixMillis};

impl Shard {
    /// The report to send now. Everything that it counts must be stored already.
    pub fn report(&mut self, now: UnixMillis) -> SyncRequest {
        let now = self.observe(now);
        let sent = now.max(self.reported.0.plus(Millis(1)));
        let lines: Vec<LineReport> = (0..self.lines.len())
            .map(|position| self.line_report(position, now))
            .collect();
        self.reported = (sent, Some(lines.clone()));
        self.freshness.ask();
        self.last_sync = now;
        self.next_sync = now.plus(SHORTEST_SYNC);
        SyncRequest {
            run: self.identity.run,
            shard: self.identity.shard,
            sent,
            lines,
            unconfirmed: self.unconfirmed.len() as u32,
            board_version: self.board.as_ref().map_or(0, |board| board.version),
        }
    }

    fn line_report(&self, position: usize, now: UnixMillis) -> LineReport {
        let line = &self.lines[position];
        LineReport {
            counters: line.row.counters,
            late: self.late_joins(line, now),
            chain: line.chain,
            entrants: self.entrants(position, now),
        }
    }

    /// When a report is wanted: at once (at the pace the coordinator set) for news, patiently
    /// while something is awaited, never otherwise.
    pub fn next_report(&self, _now: UnixMillis) -> Option<UnixMillis> {
        let news = self.lines.iter().any(|line| {
            let counters = &line.row.counters;
            *counters != line.heard_counters
                || counters.numbered < counters.joined
                || !line.tries.is_empty()
        });
        if news || self.doubted || self.board.is_none() && self.waits() {
            return Some(self.next_sync);
        }
        let awaited = self
            .waits()
            .then(|| self.next_sync.max(self.last_sync.plus(self.patience)));
        (0..self.lines.len())
            .filter_map(|position| self.entrants_due(position))
            .chain(awaited)
            .chain(self.forgetting_due())
            .min()
    }

    /// When the coordinator is to be asked whether the run is still over, before it is deleted.
    fn forgetting_due(&self) -> Option<UnixMillis> {
        let at = self.forgotten_at().filter(|at| self.board_heard < *at)?;
        Some(self.next_sync.max(at))
    }

    /// Whether something is awaited from the coordinator.
    fn waits(&self) -> bool {
        !self.unissued.is_empty() || self.lines.iter().any(|line| !line.claims.is_empty())
    }

    /// When to wake the shard although nobody asks: the next deadline or report.
    pub fn next_wakeup(&self) -> Option<UnixMillis> {
        [self.deadlines.next(), self.next_report(self.last_sync)]
            .into_iter()
            .flatten()
            .min()
    }

    /// The joins without a number that arrived too long ago, by second, from the first on.
    fn late_joins(&self, line: &Line, now: UnixMillis) -> Vec<LateJoins> {
        let mut late: Vec<LateJoins> = Vec::new();
        for index in &line.joins[line.row.counters.numbered as usize..] {
            let arrived = self.counted_arrival(&self.places[index.0 as usize]);
            if now.since(arrived) <= LATE_AFTER {
                break;
            }
            let second = arrived.0 / 1_000;
            let seconds = late.len();
            match late.last_mut() {
                Some(last) if last.arrived_second >= second => last.count += 1,
                _ if seconds == MAX_LATE_SECONDS => break,
                _ => late.push(LateJoins {
                    arrived_second: second,
                    count: 1,
                }),
            }
        }
        late
    }

    /// Takes an answer in, which was true `behind` before the report left.
    pub(super) fn synced(
        &mut self,
        reply: SyncReply,
        behind: Millis,
        now: UnixMillis,
    ) -> ShardReply {
        // One that answers a report yet to leave answers a clock that was far ahead.
        let early = reply.sent.since(now) > CLOCK_TOLERANCE;
        let stale = early || now.since(reply.sent) > STALE_REPLY;
        let lines = self.lines.len();
        let is_other = reply.run != self.identity.run || reply.lines.len() != lines;
        if stale || is_other || reply.clocks.len() != lines {
            return ShardReply::Done;
        }
        let answered = (reply.sent == self.reported.0)
            .then(|| self.reported.1.take())
            .flatten();
        if let Some(reports) = answered {
            for (line, report) in self.lines.iter_mut().zip(reports) {
                line.heard_counters = report.counters;
                let told = report.entrants.map(|entrants| entrants.opens_at);
                line.told_opening = told.or(line.told_opening);
            }
            self.next_sync = reply.sent.plus(reply.next_sync);
            self.patience = reply
                .grant_in
                .map_or(PATIENT_SYNC, |wait| wait.min(PATIENT_SYNC));
        }
        self.doubted = false;
        self.number_entrants(&reply);
        self.hear_board(&reply, behind, now);
        for (position, answer) in reply.lines.into_iter().enumerate() {
            for cut in &answer.cuts {
                self.number(position, cut);
            }
            self.raise_to_floor(position, &answer, now);
            self.take_grants(position, answer.granted, now);
            self.take_try_decisions(position, answer.tries_decided, answer.tries_granted, now);
            self.count_absent(position);
        }
        self.set_offers(now);
        self.brake(now);
        ShardReply::Done
    }

    /// The numbers of a draw's entrants are those of the joins as they stood when they were reported. With a board that says
    /// who is in the draw the others take another order, so these are given first.
    fn number_entrants(&mut self, reply: &SyncReply) {
        let lines = reply.board.iter().flat_map(|board| &board.lines);
        for (position, (line, answer)) in lines.zip(&reply.lines).enumerate() {
            let fixed = line.draw.as_ref().and_then(|draw| draw.fixed.as_ref());
            let entrants = fixed.map_or(0, |fixed| fixed.entrants);
            for cut in &answer.cuts {
                let count = entrants.saturating_sub(cut.first_entry.0).min(cut.count);
                self.number(position, &Cut { count, ..*cut });
            }
        }
    }

    /// Takes the board if it is newer, and notes since when what we have was true at the latest.
    fn hear_board(&mut self, reply: &SyncReply, behind: Millis, now: UnixMillis) {
        let known = self.board.as_ref().map_or(0, |board| board.version);
        if reply.board_version < known {
            return;
        }
        if let Some(board) = &reply.board
            && board.lines.len() == self.lines.len()
        {
            if self.board.as_ref().is_some_and(|known| known.stop) != board.stop {
                self.hear_edge(now);
            }
            self.take_board(board.clone());
        } else if reply.board_version != known || known == 0 {
            return;
        }
        let was_true = reply.sent.minus(behind);
        if was_true >= self.board_heard {
            self.board_heard = was_true;
            let is_last = reply.sent == self.reported.0;
            self.freshness.hear(reply.sent, is_last, behind);
            self.hear_clocks(&reply.clocks);
        }
    }

    fn take_board(&mut self, board: Board) {
        if self.ended_at != board.ended_at {
            self.ended_at = board.ended_at;
            self.changed.end = true;
        }
        let before = self.board.replace(board);
        for position in 0..self.lines.len() {
            let line = &self.board.as_ref().expect("taken above").lines[position];
            let known = before.as_ref().map(|board| &board.lines[position]);
            let same =
                |known: &LineBoard| (&known.draw, known.opens_at) == (&line.draw, line.opens_at);
            if !known.is_some_and(same) {
                self.lines[position].order = Order::of(line);
                self.reorder(position);
            }
        }
    }

    /// Gives the numbers of a cut to the joins it is for, as far as they have none.
    fn number(&mut self, position: usize, cut: &Cut) {
        let line = &self.lines[position];
        let numbered = line.row.counters.numbered;
        let end = (cut.first_join + cut.count).min(line.row.counters.joined);
        if cut.first_join > numbered || end <= numbered {
            return;
        }
        for join in numbered..end {
            let index = self.lines[position].joins[join as usize];
            let entry = EntryNumber(cut.first_entry.0 + (join - cut.first_join));
            self.places[index.0 as usize].entry = Some(entry).into();
            self.touch(index);
        }
        self.count(position).numbered = end;
    }

    /// Hands new grants to the pending claims, first come first served. A grant for which nobody
    /// waits any more is given back: one more end and one more claim, so that demand stays what
    /// it is.
    fn take_grants(&mut self, position: usize, granted: u64, now: UnixMillis) {
        let new = granted.saturating_sub(self.lines[position].row.granted);
        if new == 0 {
            return;
        }
        self.lines[position].row.granted = granted;
        self.changed.counters = true;
        self.appointments.granted.add(new, now);
        for _ in 0..new {
            match self.lines[position].claims.pop_first() {
                Some((order, index)) => self.grant(index, order, now),
                None => {
                    let counters = self.count(position);
                    counters.ended += 1;
                    counters.claimed += 1;
                }
            }
        }
    }

    fn grant(&mut self, index: PlaceIndex, order: u64, now: UnixMillis) {
        let renewed = self.idle_clock(now);
        let ends = now.plus(self.settings.session);
        let place = &mut self.places[index.0 as usize];
        let Standing::Claimed(claim) = &place.standing else {
            panic!("place {} is among the claims and has none", index.0)
        };
        place.standing = Standing::Granted(Box::new(Session {
            claim: claim.claim,
            order,
            generation: Generation(0),
            granted: now,
            ends,
            issued: false,
            arrived: false,
            confirmed: true,
            renewed,
            networks: Networks::default(),
        }));
        self.unissued.insert(index);
        self.touch(index);
        self.deadlines.remind(now.plus(GRANT_FETCH), index);
    }

    /// With the brake on, grants that have no first pass yet are given back and their claims are
    /// pending again, in their old order.
    fn brake(&mut self, now: UnixMillis) {
        for index in self.unissued.clone() {
            let place = &self.places[index.0 as usize];
            let position = usize::from(place.line.0);
            if !self.braked(position) {
                continue;
            }
            if place.direct {
                self.forget_direct(index);
                continue;
            }
            self.stop_counting(index);
            self.claim_again_pending(index, now);
        }
    }

    /// The claim behind an unused grant is pending again, and counted once more.
    fn claim_again_pending(&mut self, index: PlaceIndex, now: UnixMillis) {
        let place = &mut self.places[index.0 as usize];
        let position = usize::from(place.line.0);
        let Standing::Granted(session) = &place.standing else {
            panic!("place {} has no grant to give back", index.0)
        };
        let (claim, order) = (session.claim, session.order);
        place.standing = Standing::Claimed(Box::new(Claim {
            claim,
            order,
            seen: now,
        }));
        self.unissued.remove(&index);
        self.lines[position].claims.insert((order, index));
        self.count(position).claimed += 1;
        self.touch(index);
        self.deadlines.remind(now.plus(CLAIM_PRESENCE), index);
    }

    /// This shard was given up for lost and its grants no longer count: its own count of ends is
    /// raised, its sessions are over, and the claims behind unused grants are pending again.
    fn raise_to_floor(&mut self, position: usize, answer: &LineAnswer, now: UnixMillis) {
        let counters = self.lines[position].row.counters;
        if counters.ended >= answer.ended_floor {
            return;
        }
        let sessions: Vec<PlaceIndex> = (0..self.places.len())
            .map(|index| PlaceIndex(index as u32))
            .filter(|index| {
                let place = &self.places[index.0 as usize];
                usize::from(place.line.0) == position
                    && matches!(place.standing, Standing::Granted(_))
            })
            .collect();
        for index in sessions {
            let place = &self.places[index.0 as usize];
            let unused = matches!(&place.standing, Standing::Granted(session) if !session.issued);
            if place.direct && unused {
                self.forget_direct(index);
            } else if unused {
                self.claim_again_pending(index, now);
            } else {
                self.stop_counting(index);
                self.places[index.0 as usize].standing = Standing::Ended { at: now };
                self.touch(index);
            }
        }
        // Grants that this shard had not heard of are part of the floor: their claims stay pending.
        let row = &mut self.lines[position].row;
        let unheard = answer.granted.saturating_sub(row.granted);
        row.granted += unheard;
        row.tries_decided = row.tries_decided.max(answer.tries_decided);
        row.tries_granted = row.tries_granted.max(answer.tries_granted);
        self.lines[position].tries.clear();
        let counters = self.count(position);
        counters.claimed += unheard;
        counters.ended = counters.ended.max(answer.ended_floor);
    }
}
