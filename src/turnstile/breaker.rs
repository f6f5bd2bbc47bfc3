//! Whether the third party is asked at all. Three questions in a row without an answer, and visitors are not made to wait
//! for a fourth: what the organizer has configured for that time holds. From then on the edge asks by itself, with a token
//! that cannot hold, and the first answer of any kind ends it: no visitor's join is spent on finding out.

use anteroom_queue::units::{Millis, UnixMillis};

/// So many questions in a row without an answer open it: one may be bad luck, three in a row are not.
const OPENS_AFTER: u32 = 3;
/// While it is open the edge asks this often: so long does it last at least.
pub const ASKS_EVERY: Millis = Millis(10_000);

/// What an isolate knows of whether the third party answers.
#[derive(Debug, Default)]
pub struct Breaker {
    unanswered: u32,
    asked: Option<UnixMillis>,
}

impl Breaker {
    /// An answer came, whatever it says. Whether that ends a time without.
    pub fn answered(&mut self) -> bool {
        let was_open = self.is_open();
        *self = Breaker::default();
        was_open
    }

    /// A question had no answer. Whether that begins such a time.
    pub fn unanswered(&mut self, now: UnixMillis) -> bool {
        let was_open = self.is_open();
        self.unanswered = self.unanswered.saturating_add(1);
        if self.unanswered >= OPENS_AFTER {
            self.asked.get_or_insert(now);
        }
        self.is_open() && !was_open
    }

    /// Nobody is asked on behalf of a visitor.
    pub fn is_open(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether the edge is to ask by itself now; who is told so asks.
    pub fn shall_ask(&mut self, now: UnixMillis) -> bool {
        let is_due = self
            .asked
            .is_some_and(|asked| now.since(asked) >= ASKS_EVERY);
        if is_due {
            self.asked = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_000_000);

    fn after(millis: u64) -> UnixMillis {
        NOW.plus(Millis(millis))
    }

    // P14.
    #[test]
    fn three_questions_in_a_row_without_an_answer_open_it_and_any_answer_closes_it() {
        let mut breaker = Breaker::default();
        assert!(!breaker.unanswered(NOW) && !breaker.unanswered(NOW));
        assert!(!breaker.answered(), "it was not open");
        assert!(!breaker.unanswered(NOW) && !breaker.unanswered(NOW) && !breaker.is_open());
        assert!(breaker.unanswered(NOW) && breaker.is_open());
        assert!(
            !breaker.unanswered(NOW),
            "those under way are no news, and it stays open"
        );
        assert!(breaker.answered() && !breaker.is_open());
    }

    // P15.
    #[test]
    fn while_it_is_open_the_edge_asks_every_ten_seconds_however_long_that_lasts() {
        let mut breaker = Breaker::default();
        assert!(!breaker.shall_ask(NOW), "nobody needs to");
        (0..3).for_each(|_| {
            breaker.unanswered(NOW);
        });
        let hours = 148 * 60_000;
        let mut asked = 0;
        for millis in (0..hours).step_by(1_000) {
            if breaker.shall_ask(after(millis)) {
                asked += 1;
                assert!(!breaker.unanswered(after(millis)));
            }
            assert!(breaker.is_open());
        }
        assert_eq!(asked, hours / 10_000 - 1);
    }
}
