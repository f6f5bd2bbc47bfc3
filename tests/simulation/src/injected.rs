//! Faults as they were injected, counted by kind.

use serde_json::{Value, json};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A message lost on its way.
    Lost,
    /// An answer lost after the commit.
    ReplyLost,
    /// A message that came twice.
    Doubled,
    /// A message slower than others, which overtook it.
    Overtaken,
    /// A message late by seconds.
    Late,
    /// A message late by minutes or longer than the run.
    Stray,
    /// A request refused since the object was overloaded.
    Overloaded,
    /// A slow write.
    SlowWrite,
    /// A write that failed and was not stored.
    WriteFailed,
    /// A write that was stored and reported as failed.
    WriteLied,
    /// An object that lost its memory at some moment.
    Crashed,
    /// An object that lost its memory between a step and its write.
    CrashedInStep,
    /// An object evicted while nobody waited for it.
    Evicted,
    /// Two instances of one object for a moment.
    Twin,
    /// An alarm late by minutes.
    AlarmLate,
    /// An alarm that came early.
    AlarmEarly,
    /// An alarm that came twice.
    AlarmTwice,
    /// An alarm whose handler failed.
    AlarmFailed,
    /// An alarm that never came, or was given up after its retries.
    AlarmGone,
    /// A clock that stood still.
    ClockStill,
    /// A clock set back by up to 5 s.
    ClockBack,
    /// A clock an hour ahead for a while.
    ClockAhead,
    /// A shard that edges could not reach.
    ShardHidden,
    /// A shard that could not reach its coordinator.
    ShardCutOff,
    /// A coordinator that nobody could reach.
    CoordinatorHidden,
    /// A whole region cut off.
    RegionCutOff,
    /// A relay unreachable, or cut off from the coordinator.
    RelayAway,
    /// Every object unreachable.
    AllHidden,
    /// A deployment that restarted an object.
    Deployed,
    /// A configuration pushed once more.
    ConfiguredAgain,
    /// A configuration that does not fit the run.
    ConfiguredWrongly,
    /// A configuration with more lines than an event may have.
    ConfiguredTooLarge,
    /// Another configuration.
    Configured,
    /// A report or an answer of another run.
    Foreign,
    /// Actions of an operator within a second of one another.
    OperatorRaced,
    /// Limits changed by the operator.
    Retuned,
    /// More shards planned for.
    ShardsRaised,
    /// Everybody at once, 70 times what was planned for, from cold.
    Surge,
}

/// All kinds, in the order in which they are told.
const NAMES: [(Fault, &str); 38] = [
    (Fault::Lost, "message lost"),
    (Fault::ReplyLost, "reply lost after the commit"),
    (Fault::Doubled, "message doubled"),
    (Fault::Overtaken, "message overtaken"),
    (Fault::Late, "message late by seconds"),
    (Fault::Stray, "message late by minutes or hours"),
    (Fault::Overloaded, "overloaded"),
    (Fault::SlowWrite, "slow write"),
    (Fault::WriteFailed, "write failed"),
    (Fault::WriteLied, "write stored, reported as failed"),
    (Fault::Crashed, "crash"),
    (Fault::CrashedInStep, "crash before the write"),
    (Fault::Evicted, "eviction"),
    (Fault::Twin, "two instances"),
    (Fault::AlarmLate, "alarm late"),
    (Fault::AlarmEarly, "alarm early"),
    (Fault::AlarmTwice, "alarm doubled"),
    (Fault::AlarmFailed, "alarm failed"),
    (Fault::AlarmGone, "alarm gone"),
    (Fault::ClockStill, "clock still"),
    (Fault::ClockBack, "clock back"),
    (Fault::ClockAhead, "clock an hour ahead"),
    (Fault::ShardHidden, "shard unreachable"),
    (Fault::ShardCutOff, "shard cut off from the coordinator"),
    (Fault::CoordinatorHidden, "coordinator unreachable"),
    (Fault::RegionCutOff, "region cut off"),
    (Fault::RelayAway, "relay unreachable or cut off"),
    (Fault::AllHidden, "all objects unreachable"),
    (Fault::Deployed, "object deployed"),
    (Fault::ConfiguredAgain, "configuration repeated"),
    (Fault::ConfiguredWrongly, "configuration invalid"),
    (Fault::ConfiguredTooLarge, "configuration oversized"),
    (Fault::Configured, "configuration changed"),
    (Fault::Foreign, "message of another run"),
    (Fault::OperatorRaced, "operator racing"),
    (Fault::Retuned, "limits changed"),
    (Fault::ShardsRaised, "shards raised"),
    (Fault::Surge, "70 times the plan"),
];

/// How often each kind of fault was injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injected([u64; NAMES.len()]);

impl Default for Injected {
    fn default() -> Self {
        Self([0; NAMES.len()])
    }
}

impl Injected {
    /// One more.
    pub const fn count(&mut self, fault: Fault) {
        self.0[fault as usize] += 1;
    }

    /// How many of a kind.
    pub const fn of(&self, fault: Fault) -> u64 {
        self.0[fault as usize]
    }

    /// Adds those of another run.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    fn named(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        NAMES.iter().map(|(_, name)| *name).zip(self.0)
    }

    /// Each kind that happened, in words.
    pub fn told(&self) -> String {
        let some = self.named().filter(|(_, count)| *count > 0);
        let told: Vec<String> = some
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        told.join(", ")
    }

    /// Every kind with its count.
    pub fn json(&self) -> Value {
        let kinds = self.named();
        kinds
            .map(|(name, count)| (name.to_owned(), json!(count)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_counted_under_its_own_name() {
        for (position, (fault, name)) in NAMES.iter().enumerate() {
            assert_eq!(*fault as usize, position, "{name}");
            let mut injected = Injected::default();
            injected.count(*fault);
            assert_eq!(injected.told(), format!("{name} 1"));
        }
    }
}
