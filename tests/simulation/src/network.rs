//! The way between objects: messages are delayed, lost, doubled and overtake one another.

use crate::chance::Chance;
use crate::injected::{Fault, Injected};
use crate::plan::{Alarms, Faults, MINUTE_MS};

/// The longest a message takes when nothing is wrong.
pub const USUAL_DELAY_MS: u64 = 45;

/// The longest a message takes at all.
const LONGEST_DELAY_MS: u64 = 400;

/// How long storing takes at most when nothing is wrong.
pub const USUAL_WRITE_MS: u64 = 12;

/// How much later an alarm that comes twice comes the second time.
const SECOND_ALARM_MS: u64 = 700;

/// How often the platform calls a handler that fails before it forgets the alarm: once and six times again.
pub const ALARM_TRIES: u8 = 7;

/// A message that is late by seconds is late by up to this.
const LATE_MS: u64 = 30_000;

/// One that strays arrives up to this much later: after most runs are over.
const STRAY_MS: u64 = 60 * MINUTE_MS;

/// What becomes of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is stored.
    Stored,
    /// It failed, and nothing of it is stored.
    Failed,
    /// It is stored, and was reported as failed.
    Lied,
}

/// What becomes of one alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlarmFate {
    /// It comes in time.
    InTime,
    /// It comes so much later.
    Late(u64),
    /// It comes so much earlier.
    Early(u64),
    /// It comes, and once more so much later.
    Twice(u64),
    /// Its handler fails so many times: the platform tries seven times and gives up.
    Fails(u8),
    /// It never comes.
    Lost,
}

/// The network, the disks and the alarms of one event.
pub struct Network {
    chance: Chance,
    /// What else goes wrong, apart from the network: one more kind of fault changes no delay.
    mishaps: Chance,
    faults: Faults,
    injected: Injected,
}

impl Network {
    /// A network with these faults.
    pub fn new(seed: u64, faults: Faults) -> Self {
        Self {
            chance: Chance::new(seed, 0x4e45_5457),
            mishaps: Chance::new(seed, 0x4d49_5348),
            faults,
            injected: Injected::default(),
        }
    }

    /// From now on nothing goes wrong any more.
    pub fn heal(&mut self) {
        self.faults = Faults {
            clock_ms: self.faults.clock_ms,
            ..Faults::default()
        };
    }

    /// The faults that were injected.
    pub const fn injected(&self) -> &Injected {
        &self.injected
    }

    /// One more fault was injected.
    pub const fn count(&mut self, fault: Fault) {
        self.injected.count(fault);
    }

    fn mishap(&mut self, ppm: u32, fault: Fault) -> bool {
        let happens = self.mishaps.happens(ppm);
        if happens {
            self.count(fault);
        }
        happens
    }

    /// How long a message takes.
    pub fn delay_ms(&mut self) -> u64 {
        let usual = if self.chance.happens(self.faults.slow_ppm) {
            self.count(Fault::Overtaken);
            self.chance.within(USUAL_DELAY_MS..LONGEST_DELAY_MS)
        } else {
            self.chance.within(2..USUAL_DELAY_MS)
        };
        if self.mishap(self.faults.late_ppm, Fault::Late) {
            return usual + self.mishaps.within(1_000..LATE_MS);
        }
        usual
    }

    /// When the copies of a message between objects arrive. One of an edge goes when the edge's own request does;
    /// what one object sends another may still come when everything is over.
    pub fn parcels_ms(&mut self) -> [Option<u64>; 2] {
        let [first, second] = self.arrivals_ms();
        let stray = match self.mishap(self.faults.stray_ppm, Fault::Stray) {
            true => self.mishaps.within(MINUTE_MS..STRAY_MS),
            false => 0,
        };
        [first.map(|delay| delay + stray), second]
    }

    /// When the copies of one message arrive, counted from now: none, one or two.
    pub fn arrivals_ms(&mut self) -> [Option<u64>; 2] {
        if self.chance.happens(self.faults.lost_ppm) {
            self.count(Fault::Lost);
            return [None, None];
        }
        let first = self.delay_ms();
        let second = self.chance.happens(self.faults.twice_ppm).then(|| {
            self.count(Fault::Doubled);
            self.delay_ms() * 3
        });
        [Some(first), second]
    }

    /// Whether the answer to a request is lost, after what it tells of was stored.
    pub fn loses_answer(&mut self) -> bool {
        let lost = self.chance.happens(self.faults.lost_ppm);
        if lost {
            self.count(Fault::ReplyLost);
        }
        lost || self.mishap(self.faults.reply_lost_ppm, Fault::ReplyLost)
    }

    /// Whether the platform refuses a request at once.
    pub fn overloads(&mut self) -> bool {
        self.mishap(self.faults.overloaded_ppm, Fault::Overloaded)
    }

    /// Whether an object loses its memory right after a step.
    pub fn crashes_in_step(&mut self) -> bool {
        self.mishap(self.faults.crash_ppm, Fault::CrashedInStep)
    }

    /// Whether an object for which nobody waits is evicted.
    pub fn evicts(&mut self) -> bool {
        self.mishap(self.faults.evict_ppm, Fault::Evicted)
    }

    /// Whether something that happens `ppm` times in a million happens now.
    pub fn happens(&mut self, ppm: u32) -> bool {
        self.chance.happens(ppm)
    }

    /// How long a write takes until it is durable.
    pub fn write_ms(&mut self) -> u64 {
        if self.chance.happens(self.faults.slow_write_ppm) {
            self.count(Fault::SlowWrite);
            self.chance.within(300..3_000)
        } else {
            self.chance.within(1..USUAL_WRITE_MS)
        }
    }

    /// What becomes of a write.
    pub fn written(&mut self) -> Written {
        if self.mishap(self.faults.write_fails_ppm, Fault::WriteFailed) {
            Written::Failed
        } else if self.mishap(self.faults.write_lies_ppm, Fault::WriteLied) {
            Written::Lied
        } else {
            Written::Stored
        }
    }

    /// What becomes of an alarm; `coordinators`: of a coordinator's.
    pub fn alarm(&mut self, coordinators: bool) -> AlarmFate {
        match self.faults.alarms {
            Alarms::Mixed(ppm) => self.mixed_alarm(ppm),
            Alarms::Fail => self.fated(AlarmFate::Fails(ALARM_TRIES)),
            Alarms::Late(by) if coordinators => self.fated(AlarmFate::Late(by)),
            Alarms::Twice if coordinators => self.fated(AlarmFate::Twice(SECOND_ALARM_MS)),
            Alarms::Lost if coordinators => self.fated(AlarmFate::Lost),
            _ => AlarmFate::InTime,
        }
    }

    fn mixed_alarm(&mut self, ppm: u32) -> AlarmFate {
        if !self.mishaps.happens(ppm) {
            return AlarmFate::InTime;
        }
        let fate = match self.mishaps.within(0..5) {
            0 => AlarmFate::Late(self.mishaps.within(1_000..10 * MINUTE_MS)),
            1 => AlarmFate::Early(self.mishaps.within(100..10_000)),
            2 => AlarmFate::Twice(SECOND_ALARM_MS),
            3 => AlarmFate::Fails(self.mishaps.within(1..u64::from(ALARM_TRIES) + 1) as u8),
            _ => AlarmFate::Lost,
        };
        self.fated(fate)
    }

    const fn fated(&mut self, fate: AlarmFate) -> AlarmFate {
        self.count(match fate {
            AlarmFate::Late(_) => Fault::AlarmLate,
            AlarmFate::Early(_) => Fault::AlarmEarly,
            AlarmFate::Twice(_) => Fault::AlarmTwice,
            // Each of its failures is counted when it fails.
            AlarmFate::InTime | AlarmFate::Fails(_) => return fate,
            AlarmFate::Lost => Fault::AlarmGone,
        });
        fate
    }

    /// Of `writes` under way when an object fails, how many were durable by then.
    pub fn survivors(&mut self, writes: usize) -> usize {
        self.chance.within(0..writes as u64 + 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn a_healed_network_delivers_everything_once_and_soon() {
        let mut network = Network::new(3, Plan::new(3, 10).faults);
        network.heal();
        for _ in 0..1_000 {
            let [first, second] = network.arrivals_ms();
            assert!(first.is_some_and(|delay| delay < USUAL_DELAY_MS) && second.is_none());
            assert!(!network.loses_answer() && network.write_ms() < USUAL_WRITE_MS);
        }
    }

    #[test]
    fn a_bad_network_loses_doubles_and_reorders() {
        let mut faults = Plan::new(3, 10).faults;
        (faults.lost_ppm, faults.twice_ppm, faults.slow_ppm) = (100_000, 100_000, 100_000);
        let mut network = Network::new(3, faults);
        let arrivals: Vec<_> = (0..1_000).map(|_| network.arrivals_ms()).collect();
        assert!(arrivals.contains(&[None, None]));
        assert!(arrivals.iter().any(|copies| copies[1].is_some()));
        assert!(
            arrivals
                .iter()
                .any(|copies| copies[0] > Some(USUAL_DELAY_MS))
        );
    }
}
