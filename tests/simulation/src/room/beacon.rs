//! What the coordinator asks others for while a draw is under way: the shards who came before the
//! opening, and the beacon its round.

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::CoordinatorCommand;
use anteroom_queue::draw::beacon::SIGNATURE_BYTES;
use anteroom_queue::tree::Node;
use anteroom_queue::units::UnixMillis;

use super::Room;
use crate::chance::Chance;
use crate::message::Event;
use crate::plan::Beacon;

/// How long the coordinator waits before it asks again.
const ASK_AGAIN_MS: u64 = 1_000;

/// How many in a million answers of the beacon are of another round.
const OTHER_ROUND_PPM: u32 = 100_000;

/// Which questions are under way.
#[derive(Default)]
pub struct Questions {
    poking: bool,
    beacon: bool,
}

impl Room {
    /// Asks what is to be asked, one question of each kind at a time.
    pub(super) fn ask_for_the_draw(&mut self, now: u64) {
        let epoch = self.coordinator.epoch();
        let Some(core) = self.coordinator.core() else {
            return;
        };
        let (pokes, round) = (!core.pokes().is_empty(), core.awaited_round());
        if pokes && !std::mem::replace(&mut self.coordinator.questions.poking, true) {
            self.at(now + 1, Event::PokesDue { epoch });
        }
        if let Some((round, at)) = round
            && !std::mem::replace(&mut self.coordinator.questions.beacon, true)
        {
            let there = self.coordinator.clock.true_time(at).max(now);
            let asked = self.network.delay_ms() + self.network.delay_ms();
            self.at(there + asked, Event::BeaconIn { epoch, round });
        }
    }

    pub(super) fn pokes_due(&mut self, epoch: u32, now: u64) {
        if self.coordinator.epoch() != epoch {
            return;
        }
        self.coordinator.questions.poking = false;
        let pokes = self.coordinator.core().map(Coordinator::pokes);
        for child in pokes.unwrap_or_default() {
            if self.coordinator.hidden_until_ms > now {
                continue;
            }
            match child {
                Node::Relay(relay) => self.poke_relay(relay.0, now),
                Node::Shard(number) => {
                    if let Some(shard) = self.with_number(number) {
                        self.poke_shard(shard, now);
                    }
                }
            }
        }
        let still = self.coordinator.core().map(Coordinator::pokes);
        if still.is_some_and(|pokes| !pokes.is_empty()) {
            self.coordinator.questions.poking = true;
            self.at(now + ASK_AGAIN_MS, Event::PokesDue { epoch });
        }
    }

    /// Somebody wants a report of a shard.
    pub(super) fn poke_shard(&mut self, shard: u16, now: u64) {
        let hidden = self.shards[usize::from(shard)].cut_off_until_ms > now;
        if !hidden && self.network.arrivals_ms()[0].is_some() {
            self.wake_shard(shard, now);
            if self.shards[usize::from(shard)].syncing.is_none() {
                self.flush(shard, true, now);
            }
        }
    }

    pub(super) fn beacon_in(&mut self, epoch: u32, round: u64, now: u64) {
        if self.coordinator.epoch() != epoch {
            return;
        }
        self.coordinator.questions.beacon = false;
        let awaited = self.coordinator.core().and_then(Coordinator::awaited_round);
        let Some((_, at)) = awaited.filter(|(awaited, _)| *awaited == round) else {
            return self.ask_for_the_draw(now);
        };
        if self.beacon_has(at, now) {
            let round = round + u64::from(self.network.happens(OTHER_ROUND_PPM));
            let signature = signature_of(self.plan.seed, round).to_vec();
            self.beacon_at_coordinator(CoordinatorCommand::Beacon { round, signature }, now);
        }
        self.coordinator.questions.beacon = true;
        self.at(now + ASK_AGAIN_MS, Event::BeaconIn { epoch, round });
    }

    /// Whether a round of that time can be had.
    fn beacon_has(&self, at: UnixMillis, now: u64) -> bool {
        let there = at.since(crate::plan::START).0;
        match self.plan.beacon {
            Beacon::InTime => now >= there,
            Beacon::Late(by) => now >= there + by,
            Beacon::Never => false,
        }
    }
}

/// A round of the simulated beacon: nobody checks here that drand would have signed it.
fn signature_of(seed: u64, round: u64) -> [u8; SIGNATURE_BYTES] {
    Chance::new(seed ^ round, 0x4245_4143).bytes()
}
