//! The alarm of each object as the platform keeps it: one, at least once, tried again when its handler fails, and gone
//! after the last try. Whoever writes next sets it again.

use super::Room;
use crate::injected::Fault;
use crate::message::{Event, Object};
use crate::network::{ALARM_TRIES, AlarmFate};

/// The platform tries a failed handler again after so long, and after twice as long each further time.
const FIRST_RETRY_MS: u64 = 2_000;

/// Before a handler does anything it sets the alarm again, so far ahead.
const ARMED_AGAIN_MS: u64 = 10_000;

/// One object's alarm.
#[derive(Default)]
pub struct AlarmClock {
    /// When it comes.
    set_ms: Option<u64>,
    /// How often its handler fails.
    fails: u8,
    /// How often it has failed.
    failed: u8,
    /// It comes once more although it was carried out.
    again: bool,
    /// It was set before its handler began, in case that fails.
    armed_again: bool,
}

impl Room {
    fn alarm_of(&mut self, object: Object) -> &mut AlarmClock {
        match object {
            Object::Coordinator => &mut self.coordinator.alarm,
            Object::Shard(shard) => &mut self.shards[usize::from(shard)].alarm,
            Object::Relay(relay) => unreachable!("relay {relay} is woken by its shell"),
        }
    }

    /// What was written is stored, and with it when the alarm has to come.
    pub(super) fn settle_alarm(&mut self, object: Object, at_ms: Option<u64>, now: u64) {
        let alarm = self.alarm_of(object);
        if std::mem::take(&mut alarm.armed_again) {
            alarm.set_ms = None;
        }
        if let Some(at_ms) = at_ms {
            self.set_alarm(object, at_ms.max(now), now);
        }
    }

    /// Sets the alarm if it has to come earlier.
    fn set_alarm(&mut self, object: Object, at_ms: u64, now: u64) {
        if self.alarm_of(object).set_ms.is_some_and(|set| set <= at_ms) {
            return;
        }
        let fate = self.network.alarm(object == Object::Coordinator);
        let comes_ms = match fate {
            AlarmFate::Lost => return,
            AlarmFate::Late(by) => at_ms + by,
            AlarmFate::Early(by) => at_ms.saturating_sub(by).max(now + 1),
            AlarmFate::InTime | AlarmFate::Twice(_) | AlarmFate::Fails(_) => at_ms,
        };
        let alarm = self.alarm_of(object);
        alarm.set_ms = Some(comes_ms);
        (alarm.fails, alarm.failed) = match fate {
            AlarmFate::Fails(times) => (times, 0),
            _ => (0, 0),
        };
        self.at(comes_ms, Event::Alarm(object));
        if let AlarmFate::Twice(after) = fate {
            self.alarm_of(object).again = true;
            self.at(comes_ms + after, Event::Alarm(object));
        }
    }

    /// The alarm comes: whether its handler gets to its work.
    pub(super) fn alarm_comes(&mut self, object: Object, now: u64) -> bool {
        let alarm = self.alarm_of(object);
        if alarm.set_ms.is_none_or(|set| set > now) {
            return std::mem::take(&mut alarm.again);
        }
        alarm.set_ms = None;
        if alarm.failed >= alarm.fails {
            alarm.set_ms = Some(now + ARMED_AGAIN_MS);
            alarm.armed_again = true;
            self.at(now + ARMED_AGAIN_MS, Event::Alarm(object));
            return true;
        }
        alarm.failed += 1;
        let failed = alarm.failed;
        if failed < ALARM_TRIES {
            let retry_ms = now + (FIRST_RETRY_MS << (failed - 1));
            alarm.set_ms = Some(retry_ms);
            self.at(retry_ms, Event::Alarm(object));
        } else {
            self.network.count(Fault::AlarmGone);
        }
        self.network.count(Fault::AlarmFailed);
        self.lose_memory(object, now);
        false
    }
}
