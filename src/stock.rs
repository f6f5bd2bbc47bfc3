//! What the origin has left to sell, as its responses say: `Waiting-Room-Stock: 120`, or with the origin's own time
//! `Waiting-Room-Stock: 120; at=1800000000000`.
//!
//! The latest word counts ([`Stock::is_later_than`]; of two at one instant the smaller), by the origin's time: what `at`
//! says, else its `Date`. That knows seconds only: of a response that was made within the last one the arrival counts, so
//! that the last of two words in one second is the later. A time that lies ahead counts as now: an origin whose clock is
//! fast cannot make its next word come too late.

use std::cell::Cell;

use anteroom_queue::board::Stock;
use anteroom_queue::units::{Millis, UnixMillis};

/// The header. As every header of ours it does not reach the visitor.
pub const STOCK_HEADER: &str = "waiting-room-stock";
/// The longest number of either kind: 13 digits are milliseconds until the year 2286.
const MAX_DIGITS: usize = 13;
/// What a `Date` header cannot tell apart.
const DATE_STEP: Millis = Millis(1_000);
/// An origin that writes the header wrongly does so with each response: once a minute is enough for the log.
const LOGGED_EVERY: Millis = Millis(60_000);

/// The header's value is none of the two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// Reads the header. `date`: the response's own `Date`.
pub fn read(value: &str, date: Option<UnixMillis>, now: UnixMillis) -> Result<Stock, Unreadable> {
    let (left, at) = match value.split_once(';') {
        None => (value, None),
        Some((left, at)) => {
            let at = at.trim_start().strip_prefix("at=").ok_or(Unreadable)?;
            (left, Some(UnixMillis(number(at)?)))
        }
    };
    let long_ago = date.filter(|date| date.plus(DATE_STEP) <= now);
    let at = at.or(long_ago).unwrap_or(now).min(now);
    Ok(Stock {
        left: number(left)?,
        at,
    })
}

fn number(text: &str) -> Result<u64, Unreadable> {
    let text = text.trim_matches(' ');
    let digits =
        (1..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| text.parse().ok())
        .flatten()
        .ok_or(Unreadable)
}

/// What an isolate has heard of one event's stock and not handed in yet.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// Whether the word that was last thought urgent said that nothing is left.
    urgent: Option<bool>,
}

impl Heard {
    /// Takes up a word, and says whether the coordinator has to hear it soon: nothing is left any more, or something is
    /// left again. `known` is what the board says.
    pub fn take(&mut self, word: Stock, known: Option<Stock>) -> bool {
        let none_left = word.left == 0;
        let is_late = known.is_some_and(|known| !word.is_later_than(&known));
        let known_none = known.is_some_and(|known| known.left == 0);
        if is_late || none_left == known_none {
            self.urgent = None;
            return false;
        }
        self.urgent.replace(none_left) != Some(none_left)
    }
}

/// The later of two words.
pub fn later(known: Option<Stock>, word: Stock) -> Stock {
    known
        .filter(|known| !word.is_later_than(known))
        .unwrap_or(word)
}

thread_local! {
    static LOGGED: Cell<Option<UnixMillis>> = const { Cell::new(None) };
}

/// Writes down that an origin's header cannot be read, without what it said.
pub fn complain(event: &str, now: UnixMillis) {
    let due = LOGGED
        .get()
        .is_none_or(|last| now.since(last) >= LOGGED_EVERY);
    if due {
        LOGGED.set(Some(now));
        crate::platform::log(&format!(
            "origin of {event}: {STOCK_HEADER} is ignored; allowed is N, or N; at=UNIX_MILLISECONDS"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_800_000_000_500);

    #[test]
    fn the_header_is_a_number_perhaps_with_the_origins_time() {
        let date = Some(UnixMillis(1_799_999_999_000));
        for (value, date, left, at) in [
            ("120", date, 120, 1_799_999_999_000),
            ("0", None, 0, NOW.0),
            ("0", Some(UnixMillis(1_800_000_000_000)), 0, NOW.0),
            (" 7 ", date, 7, 1_799_999_999_000),
            ("7; at=1799999999999", date, 7, 1_799_999_999_999),
            ("7;at=1799999999999", None, 7, 1_799_999_999_999),
            // A clock that is fast counts as ours.
            ("7; at=1900000000000", date, 7, NOW.0),
        ] {
            let stock = Stock {
                left,
                at: UnixMillis(at),
            };
            assert_eq!(read(value, date, NOW), Ok(stock), "{value}");
        }
    }

    #[test]
    fn anything_else_is_no_stock() {
        for value in [
            "",
            " ",
            "-1",
            "+1",
            "1.5",
            "many",
            "0x10",
            "1,2",
            "12345678901234",
            "1;",
            "1; at=",
            "1; at=-5",
            "1; at=soon",
            "1; at=1; at=2",
            "1; by=1",
            "1 2",
            "\u{0661}",
        ] {
            assert_eq!(read(value, None, NOW), Err(Unreadable), "{value}");
        }
    }

    #[test]
    fn only_a_change_to_or_from_nothing_is_urgent_and_each_only_once() {
        let stock = |left, at| Stock {
            left,
            at: UnixMillis(at),
        };
        let mut heard = Heard::default();
        assert!(!heard.take(stock(9, 1), None), "something is left anyway");
        assert!(heard.take(stock(0, 2), None));
        assert!(!heard.take(stock(0, 3), None), "it is on its way");
        assert!(!heard.take(stock(0, 4), Some(stock(0, 2))), "it is known");
        assert!(heard.take(stock(1, 5), Some(stock(0, 2))));
        assert!(
            !heard.take(stock(1, 1), Some(stock(0, 2))),
            "older than what is known"
        );
        assert!(
            heard.take(stock(0, 2), Some(stock(7, 2))),
            "of two words at one instant the smaller counts"
        );
        assert!(!heard.take(stock(7, 2), Some(stock(0, 2))));
    }

    #[test]
    fn the_later_word_counts_and_of_two_at_one_instant_the_smaller_in_any_order() {
        let stock = |left, at| Stock {
            left,
            at: UnixMillis(at),
        };
        for (one, other, counts) in [
            (stock(5, 9), stock(6, 8), stock(5, 9)),
            (stock(5, 8), stock(6, 9), stock(6, 9)),
            (stock(5, 9), stock(6, 9), stock(5, 9)),
            (stock(0, 9), stock(1, 9), stock(0, 9)),
        ] {
            assert_eq!(later(Some(one), other), counts);
            assert_eq!(later(Some(other), one), counts);
        }
        assert_eq!(later(None, stock(6, 9)), stock(6, 9));
    }
}
