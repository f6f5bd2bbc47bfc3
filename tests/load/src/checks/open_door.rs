//! **open-door**: an admitted visitor reaches the shop until the session's end.

use crate::history::History;

/// Visitors whom the room kept back from the shop while their session ran.
pub fn check(history: &History) -> Vec<String> {
    let visitors = history
        .visitors
        .iter()
        .enumerate()
        .filter(|(_, visitor)| visitor.kept_back > 0);
    visitors
        .map(|(index, visitor)| {
            format!(
                "visitor {index} was kept back from the shop {} times within the session",
                visitor.kept_back
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::session;

    #[test]
    fn an_admitted_visitor_who_is_kept_back_is_seen() {
        let mut history = History {
            visitors: vec![session(0, 1, 5)],
            ..History::default()
        };
        assert!(check(&history).is_empty());
        history.visitors[0].kept_back = 1;
        assert_eq!(check(&history).len(), 1);
    }
}
