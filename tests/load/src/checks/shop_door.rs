//! Nobody slips through: what reaches the shop brings a pass that still counts. Part of **cap**,
//! since who is inside without a session is one too many.

use std::time::Duration;

use crate::history::History;

/// How long after its end a pass may arrive: what origins allow for clocks and the way.
const LATE: Duration = Duration::from_secs(30);

/// Requests that the shop should never have seen.
pub fn check(history: &History) -> Vec<String> {
    let broken = history.arrivals.iter().filter_map(|arrival| {
        let second = arrival.at.0 / 1_000_000;
        match arrival.pass_expires {
            None => Some(format!(
                "at {second} s a request without a pass reached the shop"
            )),
            Some(expires) if arrival.at > expires.plus(LATE) => Some(format!(
                "at {second} s a pass reached the shop {} s after its end",
                arrival.at.since(expires).as_secs()
            )),
            Some(_) => None,
        }
    });
    broken.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::at;
    use crate::history::Arrival;

    #[test]
    fn a_request_without_a_pass_or_with_a_dead_one_is_seen() {
        for (pass_expires, count) in [
            (Some(at(90_000)), 0),
            (Some(at(71_000)), 0),
            (Some(at(69_000)), 1),
            (None, 1),
        ] {
            let history = History {
                arrivals: vec![Arrival {
                    at: at(100_000),
                    pass_expires,
                }],
                ..History::default()
            };
            assert_eq!(check(&history).len(), count, "{pass_expires:?}");
        }
    }
}
