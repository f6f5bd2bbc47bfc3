//! Whether the room answers: said once when it does not, and once when it does again.

use crate::history::Moment;

/// What is known of it.
#[derive(Debug, Default)]
pub struct Presence {
    away_since: Option<Moment>,
}

impl Presence {
    /// What there is to say after the board was read, or could not be.
    pub fn note<T>(&mut self, read: &Result<T, String>, now: Moment) -> Option<String> {
        match (read, self.away_since) {
            (Err(why), None) => {
                self.away_since = Some(now);
                Some(format!(
                    "the room does not answer: {why}; visitors go on trying"
                ))
            }
            (Ok(_), Some(since)) => {
                self.away_since = None;
                let seconds = now.since(since).as_secs_f64();
                Some(format!("the room answers again, {seconds:.1} s later"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::at;

    #[test]
    fn that_the_room_is_away_is_said_once_and_once_that_it_is_back() {
        let mut presence = Presence::default();
        let refused = || Err("connection refused".to_owned());
        let said = [
            (1_000, Ok(())),
            (2_000, refused()),
            (3_000, refused()),
            (14_500, Ok(())),
            (15_500, Ok(())),
            (16_500, refused()),
        ]
        .map(|(now, read)| presence.note(&read, at(now)));
        let away =
            Some("the room does not answer: connection refused; visitors go on trying".to_owned());
        let back = Some("the room answers again, 12.5 s later".to_owned());
        assert_eq!(said, [None, away.clone(), None, back, None, away]);
    }
}
