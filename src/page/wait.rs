//! The estimated wait in words: a range, rounded outwards, so that it promises nothing that the
//! estimate does not. `tests/page/waits.json` pins it here and in `static/js/words.js`.

use super::locale::Words;
use super::view::Eta;

/// A range up to here is told in single minutes, above in steps of [`COARSE_MINUTES`].
const FINE_UP_TO_MINUTES: u64 = 30;
/// Steps of a range that is longer than half an hour.
const COARSE_MINUTES: u64 = 5;
/// A range from here on is told in steps of [`COARSEST_MINUTES`].
const COARSEST_FROM_MINUTES: u64 = 90;
/// Steps of a range that is longer than an hour and a half.
const COARSEST_MINUTES: u64 = 10;
/// A range that begins after an hour and ends later than this is told in hours.
const HOURS_FROM_MINUTES: u64 = 180;
/// Below this there is no "you may close this page": the visitor would miss the turn.
pub const NEAR_SECONDS: u64 = 180;

/// The wait in words.
pub fn in_words(words: &Words, eta: Option<Eta>) -> String {
    let Some(eta) = eta else {
        return words.text("wait.unknown", &[]);
    };
    if eta.at_most_seconds <= 60 {
        return words.text("wait.soon", &[]);
    }
    let early = eta.likely_seconds / 60;
    let late = eta.at_most_seconds.div_ceil(60);
    if early >= 60 && late > HOURS_FROM_MINUTES {
        return range(words, "wait.hours", early / 60, late.div_ceil(60));
    }
    let step = match late {
        0..=FINE_UP_TO_MINUTES => 1,
        COARSEST_FROM_MINUTES.. => COARSEST_MINUTES,
        _ => COARSE_MINUTES,
    };
    let early = (early / step * step).max(1);
    range(words, "wait.minutes", early, late.div_ceil(step) * step)
}

fn range(words: &Words, key: &str, early: u64, late: u64) -> String {
    if early >= late {
        return words.plural(key, late, &[]);
    }
    let early = words.language().number(early);
    words.plural(&format!("{key}.range"), late, &[("a", &early)])
}

#[cfg(test)]
mod tests {
    use super::super::locale::Language;
    use super::*;

    #[test]
    fn a_wait_is_told_as_a_range_rounded_outwards() {
        let table: Vec<(u64, u64, String)> =
            serde_json::from_str(include_str!("../../tests/page/waits.json")).unwrap();
        for (likely_seconds, at_most_seconds, expected) in table {
            let eta = Eta {
                likely_seconds,
                at_most_seconds,
            };
            assert_eq!(
                in_words(Language::English.words(), Some(eta)),
                expected,
                "{eta:?}"
            );
        }
    }

    #[test]
    fn an_unknown_wait_is_said_to_be_unknown() {
        assert_eq!(in_words(Language::English.words(), None), "Not known yet");
    }
}
