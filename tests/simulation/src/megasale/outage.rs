//! A minute in which nothing reaches anything: no visitor an edge, no edge a shard, no object another. Every socket breaks
//! off, every call fails, and when it is over everybody comes back. Objects lose nothing and go on by themselves.
//!
//! Pages come back as `static/js/listening.js` and `poll.js` have it: a socket that worked is tried again within the time that the
//! last word gave, and after failures later and later, every second time another way; who hears the edge's stream then tries
//! for a socket again after a rest; what was asked is asked again after
//! two seconds, then four, up to a minute. Who has no page yet loads it again after such pauses, and gets a home only then.

use anteroom_queue::tree::Node;
use anteroom_queue::units::ShardIndex;

use super::World;
use super::messages::{Answered, Ask, Event, Join, Report};
use super::plan::{BACK_MS, OUTAGE_MS, SETTLED_MS};

/// Sockets that a shard takes back in a second.
const RETURNING_A_SECOND: u64 = 300;

/// Ways to hear of the board: the socket, the edge's stream. So often one may fail in a row.
const WAYS: u32 = 2;
const TRIES: u32 = 2;

/// The longest pause of a page that listens, and of one that asks.
const LONGEST_PAUSE_MS: u64 = 60_000;

/// A page that asks again waits at least so long.
const FIRST_PAUSE_MS: u64 = 2_000;

/// A report that is not answered has failed after this time.
const REPORT_PATIENCE_MS: u64 = 3_000;

/// An isolate asks for a board again after this time.
const READ_AGAIN_MS: u64 = 1_000;

impl World {
    pub(super) const fn is_out(&self, now: u64) -> bool {
        self.plan.has_outage() && now >= OUTAGE_MS && now < BACK_MS
    }

    /// Whether a join begun then and answered now may have taken longer than usual.
    pub(super) const fn meets_outage(&self, began: u64, now: u64) -> bool {
        self.plan.has_outage() && now >= OUTAGE_MS && began < SETTLED_MS
    }

    /// What becomes of a message while nothing reaches anything; `Some`: it is none, or arrived before.
    pub(super) fn meets_silence(&mut self, event: Event, now: u64) -> Option<Event> {
        if !self.is_out(now) {
            return Some(event);
        }
        match event {
            Event::At(shard, Ask::Listen(_)) => self.comes_back(shard, 1_000, now),
            Event::At(_, Ask::Board(isolate)) | Event::EdgeHears(isolate, _) => {
                self.wheel.put(now + READ_AGAIN_MS, Event::Read(isolate));
            }
            Event::At(shard, ask) => self.asks_again(shard, ask, now),
            Event::Acked(shard, join, ..) => self.asks_again(shard, Ask::Join(join), now),
            Event::Told(shard, told) => self.asks_again(shard, told.0, now),
            Event::ShardHears(shard, _) => return Some(Event::ShardHears(shard, Answered::Failed)),
            Event::RelayHears(relay, _) => return Some(Event::RelayHears(relay, None)),
            Event::AtRelay(report) => self.report_fails(Report::Shard(report), now),
            Event::AtCoordinator(report) => self.report_fails(report, now),
            Event::RelayPoked(_) => {}
            other => return Some(other),
        }
        None
    }

    fn report_fails(&mut self, report: Report, now: u64) {
        let from = match report {
            Report::Shard(report) => Node::Shard(report.shard),
            Report::Relay(report) => Node::of_child(report.sync.shard.0),
        };
        let event = match from {
            Node::Shard(ShardIndex(shard)) => Event::ShardHears(shard, Answered::Failed),
            Node::Relay(relay) => Event::RelayHears(relay.0, None),
        };
        self.wheel.put(now + REPORT_PATIENCE_MS, event);
    }

    /// A page asks again: after failures later and later, so after about as long as it has failed.
    fn asks_again(&mut self, shard: u16, ask: Ask, now: u64) {
        let began = match ask {
            Ask::Join(join) | Ask::State(join, _) => u64::from(join.began_ms),
            Ask::Claim(_, began) => u64::from(began),
            // Passes are renewed by the edge meanwhile, and a session that is not given back ends by itself.
            Ask::Renew(_) | Ask::Release(_) | Ask::Poke | Ask::Board(_) | Ask::Listen(_) => return,
        };
        let at = self.next_try(began, now);
        self.wheel.put(at, Event::Visit(shard, ask));
    }

    /// Whoever gets no page has no permit and no home yet, and loads it anew.
    pub(super) fn comes_later(&mut self, join: Join, now: u64) {
        let at = self.next_try(u64::from(join.began_ms), now);
        self.wheel.put(at, Event::Comes(join));
    }

    /// When somebody tries again who began then.
    fn next_try(&mut self, began: u64, now: u64) -> u64 {
        let failed = now - began.max(OUTAGE_MS).min(now);
        let pause = failed.clamp(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
        now + pause / 2 + self.chance.within(0..pause / 2 + 1)
    }

    /// The outage begins: every socket breaks off.
    pub(super) fn break_off_sockets(&mut self, now: u64) {
        for shard in 0..self.shards.len() as u16 {
            let Some(shell) = self.shards[usize::from(shard)].as_mut() else {
                continue;
            };
            let sockets = std::mem::take(&mut shell.sockets);
            let within = (sockets * 1_000 / RETURNING_A_SECOND).max(1_000);
            self.measured.broken_off += sockets;
            for _ in 0..sockets {
                self.comes_back(shard, within, now);
            }
        }
    }

    /// One page whose socket broke off tries until something answers: its home, or the edge's stream.
    fn comes_back(&mut self, shard: u16, within: u64, now: u64) {
        let mut failures: u32 = 0;
        let mut at = now + self.chance.within(0..within);
        while at < BACK_MS {
            failures += 1;
            at += if failures.is_multiple_of(TRIES * WAYS) {
                LONGEST_PAUSE_MS / 2 + self.chance.within(0..LONGEST_PAUSE_MS)
            } else {
                let longest = LONGEST_PAUSE_MS.min(within << (failures - 1).min(10));
                self.chance.within(0..longest)
            };
        }
        self.measured.back.add(at - BACK_MS);
        if (failures / TRIES).is_multiple_of(WAYS) {
            self.wheel.put(at, Event::Visit(shard, Ask::Listen(0)));
        } else {
            self.measured.on_streams += 1;
            self.listens_later(shard, 0, at);
        }
    }
}
