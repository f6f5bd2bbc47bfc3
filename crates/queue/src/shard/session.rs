//! Sessions: from the grant over the first pass and its renewals to the end, and the deadlines
//! of places.

use super::Shard;
use super::command::{Refused, ShardCommand, ShardReply};
use super::place::{Session, Standing};
use crate::limits::{CLAIM_PRESENCE, GRANT_FETCH, UNCONFIRMED_PASS};
use crate::units::{Generation, Millis, NetworkMark, PlaceIndex, UnixMillis};

/// What is due for a place, and when.
enum Due {
    /// When the visitor has been away for too long while the claim was pending.
    ClaimAbsent(UnixMillis),
    /// When nobody fetched the first pass.
    Unfetched(UnixMillis),
    /// When the session ends: at its absolute end, idle, or unconfirmed.
    SessionEnd(UnixMillis),
}

/// The shortest time between two looks at a session whose idle clock stands still.
const IDLE_RECHECK: Millis = Millis(10_000);

impl Shard {
    /// Answers with the session; the first time, this is what issues it.
    pub(super) fn hand_out(&mut self, index: PlaceIndex, now: UnixMillis) -> ShardReply {
        let Standing::Granted(session) = &mut self.places[index.0 as usize].standing else {
            panic!("place {} has no session to hand out", index.0)
        };
        let (first, unissued) = (!session.arrived, !session.issued);
        let direct_confirm = session.confirmed;
        session.issued = true;
        let (generation, session_ends) = (session.generation, session.ends);
        if unissued {
            self.places[index.0 as usize].admitted = true;
            self.unissued.remove(&index);
            self.touch(index);
            self.remind(index, now);
        }
        ShardReply::Session {
            index,
            generation,
            session_ends,
            first,
            confirmed: direct_confirm,
        }
    }

    /// The running session of a pass, or the answer that there is none.
    pub(super) fn session_of(
        &self,
        index: PlaceIndex,
        generation: Generation,
    ) -> Result<&Session, ShardReply> {
        let unknown = Err(ShardReply::Refused {
            why: Refused::Unknown,
            place: None,
        });
        let Some(place) = self.places.get(index.0 as usize) else {
            return unknown;
        };
        match &place.standing {
            Standing::Granted(session) if session.issued && session.generation == generation => {
                Ok(session)
            }
            Standing::Granted(session) if session.issued && session.generation > generation => {
                Err(ShardReply::Refused {
                    why: Refused::Elsewhere,
                    place: None,
                })
            }
            Standing::Ended { at } | Standing::Left { at } => {
                Err(ShardReply::SessionOver { index, ended: *at })
            }
            _ => unknown,
        }
    }

    /// Carries out a command about a session, by its pass.
    pub(super) fn of_session(&mut self, command: ShardCommand, now: UnixMillis) -> ShardReply {
        match command {
            ShardCommand::Renew { index, generation } => self.renew(index, generation, None, now),
            ShardCommand::RenewFrom {
                index,
                generation,
                network,
            } => self.renew(index, generation, Some(network), now),
            ShardCommand::Rechecked {
                index,
                generation,
                claim,
                network,
            } => self.rechecked(index, generation, (claim, network), now),
            ShardCommand::Release { index, generation } => self.release(index, generation, now),
            ShardCommand::Extend {
                index,
                generation,
                by,
            } => self.extend(index, generation, by, now),
            ShardCommand::Access { index, generation } => self.access(index, generation),
            other => unreachable!("{other:?} is about no session"),
        }
    }

    fn renew(
        &mut self,
        index: PlaceIndex,
        generation: Generation,
        network: Option<NetworkMark>,
        now: UnixMillis,
    ) -> ShardReply {
        if let Err(answer) = self.session_of(index, generation) {
            return answer;
        }
        self.sign_of_life(index, now);
        match network {
            Some(network) if self.is_shared(index, network, now) => self.to_be_checked(index, now),
            _ => self.hand_out(index, now),
        }
    }

    /// A request has brought the pass: the session is in use, and confirmed from now on.
    fn sign_of_life(&mut self, index: PlaceIndex, now: UnixMillis) {
        let idle_now = self.idle_clock(now);
        let mut confirmed_now = false;
        if let Standing::Granted(session) = &mut self.places[index.0 as usize].standing {
            session.renewed = idle_now;
            session.arrived = true;
            confirmed_now = !std::mem::replace(&mut session.confirmed, true);
        }
        if confirmed_now {
            self.unconfirmed.remove(&index);
            self.touch(index);
        }
    }

    fn release(
        &mut self,
        index: PlaceIndex,
        generation: Generation,
        now: UnixMillis,
    ) -> ShardReply {
        if let Err(answer) = self.session_of(index, generation) {
            return answer;
        }
        self.end_session(index, now);
        ShardReply::SessionOver { index, ended: now }
    }

    fn extend(
        &mut self,
        index: PlaceIndex,
        generation: Generation,
        by: Millis,
        now: UnixMillis,
    ) -> ShardReply {
        if let Err(answer) = self.session_of(index, generation) {
            return answer;
        }
        self.sign_of_life(index, now);
        let latest = Millis(self.settings.session.0 + self.settings.max_extension.0);
        if let Standing::Granted(session) = &mut self.places[index.0 as usize].standing {
            let ends = session
                .ends
                .plus(by)
                .min(session.granted.plus(latest))
                .max(session.ends);
            session.ends = ends;
        }
        self.touch(index);
        self.hand_out(index, now)
    }

    fn access(&self, index: PlaceIndex, generation: Generation) -> ShardReply {
        match self.session_of(index, generation) {
            Ok(session) => ShardReply::Session {
                index,
                generation,
                session_ends: session.ends,
                first: false,
                confirmed: session.confirmed,
            },
            Err(answer) => answer,
        }
    }

    /// Ends a running session.
    fn end_session(&mut self, index: PlaceIndex, at: UnixMillis) {
        self.stop_counting(index);
        self.places[index.0 as usize].standing = Standing::Ended { at };
        self.touch(index);
    }

    /// One more session or grant that is over; the caller says what the place is now.
    pub(super) fn stop_counting(&mut self, index: PlaceIndex) {
        let position = usize::from(self.places[index.0 as usize].line.0);
        self.count(position).ended += 1;
        self.unissued.remove(&index);
        self.unconfirmed.remove(&index);
    }

    /// Sets the reminder for whatever is due next of a place.
    pub(super) fn remind(&mut self, index: PlaceIndex, now: UnixMillis) {
        let at = match self.due_of(index, now) {
            Some(Due::ClaimAbsent(at) | Due::Unfetched(at) | Due::SessionEnd(at)) => at,
            None => return,
        };
        self.deadlines.remind(at, index);
    }

    fn due_of(&self, index: PlaceIndex, now: UnixMillis) -> Option<Due> {
        match &self.places[index.0 as usize].standing {
            Standing::Claimed(claim) => Some(Due::ClaimAbsent(claim.seen.plus(CLAIM_PRESENCE))),
            Standing::Granted(session) if !session.issued => {
                Some(Due::Unfetched(session.granted.plus(GRANT_FETCH)))
            }
            Standing::Granted(session) => Some(Due::SessionEnd(self.session_end(session, now))),
            _ => None,
        }
    }

    /// When a session ends if nothing more is heard of it.
    fn session_end(&self, session: &Session, now: UnixMillis) -> UnixMillis {
        if !session.confirmed {
            return session
                .ends
                .min(session.granted.plus(GRANT_FETCH).plus(UNCONFIRMED_PASS));
        }
        let idle_for = Millis(self.settings.idle.0 + self.settings.pass.0 / 2);
        let used = self.idle_clock(now).0.saturating_sub(session.renewed.0);
        let left = Millis(idle_for.0.saturating_sub(used));
        let idle_end = if left.0 > 0 && self.deaf_at(now) > self.deaf {
            now.plus(left.max(IDLE_RECHECK)) // the idle clock stands still: look again later
        } else {
            now.plus(left)
        };
        session.ends.min(idle_end)
    }

    /// The clock was far ahead: what began by it begins now and lasts as long as it was to last, and its jump was no
    /// silence of the edges.
    pub(super) fn bring_back(&mut self, now: UnixMillis) {
        let ahead = self.clock.high().since(now);
        self.deaf = Millis(self.deaf.0.saturating_sub(ahead.0));
        let idle_now = self.idle_clock(now);
        let mut changed = Vec::new();
        for (index, place) in self.places.iter_mut().enumerate() {
            match &mut place.standing {
                Standing::Granted(session) if session.granted > now => {
                    session.begin_at_the_latest(now);
                    session.renewed = session.renewed.min(idle_now);
                }
                Standing::Granted(session) if session.renewed > idle_now => {
                    session.renewed = idle_now;
                }
                Standing::Claimed(claim) if claim.seen > now => claim.seen = now,
                _ => continue,
            }
            changed.push(PlaceIndex(index as u32));
        }
        for index in changed {
            self.touch(index);
            self.remind(index, now);
        }
    }

    /// Carries out everything that is due.
    pub(super) fn run_deadlines(&mut self, now: UnixMillis) {
        while let Some(index) = self.deadlines.pop_due(now) {
            match self.due_of(index, now) {
                Some(Due::ClaimAbsent(at)) if at <= now => self.take_claim_back(index, now),
                Some(Due::Unfetched(at)) if at <= now => self.give_back_unfetched(index, now),
                Some(Due::SessionEnd(at)) if at <= now => self.session_due(index, now),
                Some(_) => self.remind(index, now),
                None => {}
            }
        }
    }

    fn session_due(&mut self, index: PlaceIndex, now: UnixMillis) {
        let place = &self.places[index.0 as usize];
        let unconfirmed =
            matches!(&place.standing, Standing::Granted(session) if !session.confirmed);
        if unconfirmed {
            self.forget_direct(index)
        } else {
            self.end_session(index, now)
        }
    }

    /// A first visit that was not taken up leaves nothing behind.
    pub(super) fn forget_direct(&mut self, index: PlaceIndex) {
        self.stop_counting(index);
        let place = &mut self.places[index.0 as usize];
        place.standing = Standing::Void;
        let nonce = place.nonce;
        self.by_permit.remove(nonce, index);
        self.touch(index);
    }

    /// The visitor is away: the claim is taken back, and the offer stands anew.
    fn take_claim_back(&mut self, index: PlaceIndex, now: UnixMillis) {
        let place = &self.places[index.0 as usize];
        let position = usize::from(place.line.0);
        if let Standing::Claimed(claim) = &place.standing {
            let order = claim.order;
            self.lines[position].claims.remove(&(order, index));
            self.count(position).withdrawn += 1;
            self.offer_anew(index, now);
        }
    }

    /// Nobody fetched the first pass: one more end, one more claim, and that claim taken back.
    fn give_back_unfetched(&mut self, index: PlaceIndex, now: UnixMillis) {
        if self.places[index.0 as usize].direct {
            return self.forget_direct(index);
        }
        let position = usize::from(self.places[index.0 as usize].line.0);
        self.stop_counting(index);
        let counters = self.count(position);
        counters.claimed += 1;
        counters.withdrawn += 1;
        self.offer_anew(index, now);
    }
}
