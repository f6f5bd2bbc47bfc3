//! Requests of operators that their tokens did not allow: which of them an event's coordinator is told of.
//!
//! Each becomes a line of the event's log, which is stored for good, and the telling is a call. Somebody's token may be in
//! anybody's hands, and nothing slows down whoever has it. So an isolate tells the same of the same name once in ten
//! minutes, and of one event a few things a minute. What is not told is not forgotten either: whoever goes on asking for it
//! is told of as soon as there is room.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anteroom_queue::limits::REFUSALS_APART;
use anteroom_queue::units::{Millis, UnixMillis};

/// So many refusals about one event are told in a [`MINUTE`]: a thousand isolates make 50 calls a second at the very most,
/// a tenth of what a coordinator is planned for.
const MOST_A_MINUTE: usize = 3;
const MINUTE: Millis = Millis(60_000);

/// What coordinators were told in the last ten minutes: of each event thirty at most.
#[derive(Debug, Default)]
struct Told {
    by_event: BTreeMap<&'static str, Vec<Refusal>>,
}

#[derive(Debug)]
struct Refusal {
    at: UnixMillis,
    name: String,
    what: String,
}

impl Refusal {
    /// Whether it was told less than `within` ago. One of the future is of before the clock was set back.
    fn is_within(&self, within: Millis, now: UnixMillis) -> bool {
        (self.at..self.at.plus(within)).contains(&now)
    }
}

impl Told {
    const fn nothing() -> Self {
        Told {
            by_event: BTreeMap::new(),
        }
    }

    /// Whether the coordinator of `event` is to be told that the operator of this name was refused `what`; it is then.
    fn is_news(&mut self, event: &'static str, name: &str, what: &str, now: UnixMillis) -> bool {
        let told = self.by_event.entry(event).or_default();
        told.retain(|refusal| refusal.is_within(REFUSALS_APART, now));
        let is_same = |refusal: &Refusal| refusal.name == name && refusal.what == what;
        let lately = told.iter().filter(|refusal| refusal.is_within(MINUTE, now));
        if lately.count() >= MOST_A_MINUTE || told.iter().any(is_same) {
            return false;
        }
        told.push(Refusal {
            at: now,
            name: name.to_owned(),
            what: what.to_owned(),
        });
        true
    }
}

thread_local! {
    static TOLD: RefCell<Told> = const { RefCell::new(Told::nothing()) };
}

/// Whether the coordinator of `event` is to be told that the operator of this name was refused `what`; whoever asks tells.
pub fn is_news(event: &'static str, name: &str, what: &str, now: UnixMillis) -> bool {
    TOLD.with_borrow_mut(|told| told.is_news(event, name, what, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_800_000_000_000);

    fn at(seconds: u64) -> UnixMillis {
        NOW.plus(Millis(1_000 * seconds))
    }

    // C18.
    #[test]
    fn the_same_refusal_of_the_same_operator_is_told_once_in_ten_minutes() {
        let mut told = Told::nothing();
        assert!(told.is_news("tour", "anna", "off", at(0)));
        for second in 0..600 {
            assert!(!told.is_news("tour", "anna", "off", at(second)));
        }
        assert!(told.is_news("tour", "anna", "off", at(600)));
        assert!(
            told.is_news("club", "anna", "off", at(601)),
            "another event"
        );
        assert!(told.is_news("tour", "ben", "off", at(601)), "another name");
        assert!(
            told.is_news("tour", "ben", "close", at(601)),
            "another thing"
        );
    }

    // C18.
    #[test]
    fn a_flood_of_refusals_is_told_of_a_few_times_a_minute_and_hides_no_other_events() {
        let mut told = Told::nothing();
        let mut calls = 0;
        for request in 0..60_000_u64 {
            let now = NOW.plus(Millis(request * 10));
            let (name, what) = (
                format!("name {}", request % 40),
                format!("{}", request % 14),
            );
            calls += usize::from(told.is_news("tour", &name, &what, now));
        }
        assert_eq!(calls, 10 * MOST_A_MINUTE, "in ten minutes");
        assert!(told.by_event["tour"].len() <= 10 * MOST_A_MINUTE);
        assert!(told.is_news("club", "anna", "off", at(599)));
        assert!(
            told.is_news("tour", "late", "off", at(700)),
            "nobody is forgotten"
        );
        assert!(
            told.is_news("tour", "late", "off", at(0)),
            "the clock was set back"
        );
    }
}
