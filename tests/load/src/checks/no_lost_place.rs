//! **no-lost-place**: an acknowledged join ends in exactly one of admitted, left, lapsed, or the
//! end of the run.

use crate::history::{End, History};

/// Acknowledged visitors whose place was gone.
pub fn check(history: &History) -> Vec<String> {
    let acknowledged = history
        .visitors
        .iter()
        .enumerate()
        .filter(|(_, visitor)| !visitor.joins.is_empty());
    acknowledged
        .filter(|(_, visitor)| matches!(visitor.end, End::Lost | End::NotJoined))
        .map(|(index, visitor)| {
            let entry = visitor.joins.iter().find_map(|join| join.entry);
            format!("visitor {index} was acknowledged with entry number {entry:?}, and the place is gone")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::joined;

    #[test]
    fn only_an_acknowledged_place_can_be_lost() {
        for (end, acknowledged, lost) in [
            (End::Admitted, true, 0),
            (End::Left, true, 0),
            (End::Lapsed, true, 0),
            (End::Over, true, 0),
            (End::Kept, true, 0),
            (End::Unfinished, true, 0),
            (End::Lost, true, 1),
            (End::NotJoined, true, 1),
            (End::NotJoined, false, 0),
        ] {
            let mut visitor = joined(0, 1, 0);
            visitor.end = end;
            if !acknowledged {
                visitor.joins.clear();
            }
            let history = History {
                visitors: vec![visitor],
                ..History::default()
            };
            assert_eq!(check(&history).len(), lost, "{end:?} {acknowledged}");
        }
    }
}
