//! Visitors and edges. An isolate keeps a board, reads a newer one once a second from one of the first shards, and sends each
//! join to a shard that the board names, in its own region if it can. A page that has its number listens at its home, hears words, claims when its
//! turn has come, stays for a while, and gives the session back or falls silent.

use anteroom_queue::board::{MOST_OPEN, OUTDATED};
use anteroom_queue::shard::command::{Refused, ShardReply, VisitorState};
use anteroom_queue::units::UnixMillis;

use super::distances::{REGIONS, region_of};
use super::messages::{Ask, Event, Join, ReadBoard};
use super::objects::{home_region, round_trip_ms};
use super::plan::{
    BACK_MS, CLAIM_WITHIN_MS, PENDING_MS, RAMP_MS, RELEASE_PPM, SHOW_UP_PPM, SLICE,
    SOCKET_AFTER_MS, STAY_MS, TELLING_US,
};
use super::{NONE, World, since_start};

/// An isolate reads its board this often.
const READ_EVERY_MS: u64 = 1_000;

/// Boards are read from so many of the first shards.
const MOST_READ: u16 = 256;

/// An isolate draws a shard so many times to find one of its region.
const DRAWS: u32 = 8;

/// Sockets at one shard.
const MOST_SOCKETS: u64 = 8_000;

/// A page that could not do what it wanted tries again after this time.
const AGAIN_MS: u64 = 2_000;

/// A page that hears the edge's stream tries for a socket after about this time, which doubles so often: up to 16 minutes.
const REST_MS: u64 = 60_000;
const MOST_DOUBLED: u8 = 4;

/// Turns are taken up within a time that lets each home be asked this often in a second.
const TURNS_A_SECOND: u64 = 300;

/// One isolate of the edge.
pub(super) struct Isolate {
    version: u64,
    shards: u16,
    open: Vec<u16>,
    asked_ms: u64,
    /// When the board was true.
    true_at: u64,
}

impl World {
    /// All isolates read their first board while it is warmed up.
    pub(super) fn open_edges(&mut self) {
        let first_reads = 1..self.plan.first_join_ms().saturating_sub(3_000).max(1_000);
        for number in 0..self.plan.isolates() {
            let at = self.chance.within(first_reads.clone());
            self.wheel.put(at, Event::Read(number));
            self.isolates.push(Isolate {
                version: 0,
                shards: 1,
                open: (0..REGIONS as u16).collect(),
                asked_ms: 0,
                true_at: 0,
            });
        }
    }

    /// An isolate reads the board of one of the first shards, each time of another.
    pub(super) fn read(&mut self, number: u32, now: u64) {
        let isolate = &mut self.isolates[number as usize];
        isolate.asked_ms = now;
        let read = u64::from(isolate.shards.clamp(1, MOST_READ));
        let shard = self.chance.within(0..read) as u16;
        self.measured.reads += 1;
        let at = now + self.distances.draw(region_of(number), home_region(shard));
        self.wheel.put(at, Event::At(shard, Ask::Board(number)));
    }

    pub(super) fn edge_hears(&mut self, number: u32, board: ReadBoard, now: u64) {
        let isolate = &mut self.isolates[number as usize];
        let asked = isolate.asked_ms;
        if board.version >= isolate.version && !board.open.is_empty() {
            (isolate.version, isolate.open) = (board.version, board.open);
            isolate.shards = board.shards;
            isolate.true_at = asked.saturating_sub(board.age_ms);
            self.measured.edge_age.add(board.age_ms + (now - asked));
        }
        self.wheel.put(asked + READ_EVERY_MS, Event::Read(number));
    }

    /// The joins that begin in this millisecond.
    pub(super) fn begin_joins(&mut self, now: u64) {
        let first = self.plan.first_join_ms();
        if now < first {
            return;
        }
        self.carried += self.plan.joins_of(now - first + 1);
        let scale = 1_000 * RAMP_MS;
        while self.carried >= scale && self.begun < self.plan.visitors {
            self.carried -= scale;
            let join = Join {
                visitor: self.begun,
                began_ms: now as u32,
                floor: self.floor,
                arrived_ms: 0,
                taken_ms: 0,
            };
            self.begun += 1;
            self.send_join(join, now);
        }
    }

    pub(super) fn send_join(&mut self, join: Join, now: u64) {
        if self.is_out(now) {
            return self.comes_later(join, now);
        }
        let number = self.chance.within(0..self.isolates.len() as u64) as u32;
        let isolate = &self.isolates[number as usize];
        let is_outdated = isolate.version > 0 && now - isolate.true_at > OUTDATED.0;
        let all: Vec<u16> = (0..isolate.shards.min(MOST_OPEN)).collect();
        let open = if is_outdated { &all } else { &isolate.open };
        let region = region_of(number);
        let mut shard = self.chance.one_of(open);
        for _ in 0..DRAWS {
            if home_region(shard) == region {
                break;
            }
            shard = self.chance.one_of(open);
        }
        self.checks.sent(shard);
        let at = now + self.distances.draw(region, home_region(shard));
        self.wheel.put(at, Event::At(shard, Ask::Join(join)));
    }

    /// A visitor has a place and its number.
    pub(super) fn acked(&mut self, shard: u16, join: Join, place: u32, entry: u32, now: u64) {
        self.checks.acknowledged(shard, entry, join.floor, now);
        let took = now - u64::from(join.began_ms);
        if self.meets_outage(u64::from(join.began_ms), now) {
            self.measured.join_through_outage.add(took);
        } else {
            self.measured.join.add(took);
            let beyond = took.saturating_sub(round_trip_ms(shard));
            self.measured.join_beyond_trip.add(beyond);
        }
        let home = self.shards[usize::from(shard)]
            .as_mut()
            .expect("it has answered");
        home.entries[place as usize] = entry;
        let at = now + self.chance.within(1..SOCKET_AFTER_MS);
        self.wheel.put(at, Event::Visit(shard, Ask::Listen(0)));
    }

    /// A page asks its home, through an edge of its region.
    pub(super) fn ask(&mut self, shard: u16, ask: Ask) {
        let region = home_region(shard);
        let at = self.wheel.now() + self.distances.draw(region, region);
        self.wheel.put(at, Event::At(shard, ask));
    }

    /// A page that gets no socket hears the edge's stream, and tries again after a rest. (Nobody leaves here, so without an
    /// outage it would be refused each time: that is left out.)
    pub(super) fn listen(&mut self, shard: u16, rested: u8, now: u64) {
        let shell = self.shard(shard, now);
        if shell.sockets >= MOST_SOCKETS {
            self.measured.no_socket += u64::from(rested == 0);
            if self.plan.has_outage() {
                self.listens_later(shard, rested, now);
            }
            return;
        }
        shell.sockets += 1;
        if rested > 0 && now >= BACK_MS {
            self.measured.sockets_again.add(now - BACK_MS);
        }
    }

    /// A page that has rested so often, and hears the stream now, tries for a socket after one more rest.
    pub(super) fn listens_later(&mut self, shard: u16, rested: u8, now: u64) {
        let about = REST_MS << rested.min(MOST_DOUBLED);
        let at = now + about / 2 + self.chance.within(0..about);
        self.wheel
            .put(at, Event::Visit(shard, Ask::Listen(rested + 1)));
    }

    /// A word goes out to all who listen when something on the board has changed, once a second at most and with as long a
    /// rest as it took; those whose turn has come hear it so.
    pub(super) fn say_word(&mut self, shard: u16, now: u64) {
        let shell = self.shards[usize::from(shard)]
            .as_mut()
            .expect("it has stepped");
        let Some(board) = shell.core.board() else {
            return;
        };
        let (version, called) = (board.version, board.lines[0].called.0);
        if !shell.word.is_due(version, now) || shell.sockets == 0 {
            return;
        }
        let telling_us = shell.sockets * TELLING_US;
        shell.word.say(version, now, telling_us / 1_000);
        shell.server.interrupt(now, telling_us, SLICE * TELLING_US);
        let mut turns = Vec::new();
        while let Some(entry) = shell.entries.get(shell.told) {
            if *entry == NONE || u64::from(*entry) >= called {
                break;
            }
            turns.push(shell.told as u32);
            shell.told += 1;
        }
        let within = CLAIM_WITHIN_MS.max(turns.len() as u64 * 1_000 / TURNS_A_SECOND);
        for place in turns {
            if !self.chance.happens(SHOW_UP_PPM) {
                self.measured.called.1 += 1;
                continue;
            }
            self.measured.called.0 += 1;
            let at = now + 1 + self.chance.within(0..within);
            self.wheel
                .put(at, Event::Visit(shard, Ask::Claim(place, at as u32)));
        }
    }

    /// When a page asks again that has no number yet, or whose claim is pending: as its home says, or after two seconds.
    fn asks_again_at(&mut self, reply: &ShardReply, now: u64) -> u64 {
        let wait = appointment(reply).map_or(PENDING_MS, |at| {
            since_start(at).saturating_sub(now).max(PENDING_MS)
        });
        let spread = wait * 15 / 100;
        now + wait - spread + self.chance.within(0..2 * spread + 1)
    }

    /// A visitor hears what became of anything but a join that got its number.
    pub(super) fn told(&mut self, shard: u16, ask: Ask, reply: ShardReply, now: u64) {
        match (ask, reply) {
            (Ask::Join(join) | Ask::State(join, _), reply @ ShardReply::Place { place, .. }) => {
                self.measured.provisional += u64::from(matches!(ask, Ask::Join(_)));
                let again = Ask::State(join, place.index.0);
                let at = self.asks_again_at(&reply, now);
                self.wheel.put(at, Event::Visit(shard, again));
            }
            (Ask::Join(_) | Ask::State(..), _) => {
                self.wheel.put(now + AGAIN_MS, Event::Visit(shard, ask));
            }
            (Ask::Claim(place, began), ShardReply::Session { .. }) => {
                self.checks.session(now);
                self.measured.claim.add(now - u64::from(began));
                let stays = self.chance.within(STAY_MS);
                if self.chance.happens(RELEASE_PPM) {
                    self.wheel
                        .put(now + stays / 2, Event::Visit(shard, Ask::Renew(place)));
                    self.wheel
                        .put(now + stays, Event::Visit(shard, Ask::Release(place)));
                }
            }
            (Ask::Claim(..), reply) => {
                if self.plan.has_outage() && is_over_for(&reply) {
                    self.measured.missed += 1;
                    return;
                }
                let wrong = matches!(
                    &reply,
                    ShardReply::Refused { why, .. } if *why != Refused::NotCalled
                );
                let over = matches!(
                    &reply,
                    ShardReply::Place { place, .. } if place.state != VisitorState::Pending
                );
                self.measured.refused += u64::from(wrong || over);
                let at = self.asks_again_at(&reply, now);
                self.wheel.put(at, Event::Visit(shard, ask));
            }
            (Ask::Release(_), ShardReply::SessionOver { .. }) => self.measured.released += 1,
            _ => {}
        }
    }
}

/// When the home says that a page asks again; usually it says nothing.
const fn appointment(reply: &ShardReply) -> Option<UnixMillis> {
    match reply {
        ShardReply::Place { place, .. } => place.offer_until,
        ShardReply::Pending { place: Some(place) } => place.offer_until,
        _ => None,
    }
}

/// Whether a session has begun and ended of which the page never heard, since its answers were lost.
const fn is_over_for(reply: &ShardReply) -> bool {
    matches!(
        reply,
        ShardReply::Refused {
            why: Refused::Ended,
            ..
        }
    )
}
