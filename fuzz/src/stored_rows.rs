//! What an object reads from its storage.
//!
//! Input: a byte that chooses, then one row or, each behind two bytes of its length, several. A row's key follows from
//! what is in it, so rows reach the core under their own keys; keys that do not fit are tried beside.

use core::fmt::Debug;

use anteroom_durable_objects::storage::{Changes, Row, Unusable, meta_of, read_all, read_row};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::shard::rows::ShardRow;
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::units::{Millis, ShardIndex, UnixMillis};

use crate::choice;

/// The lines of an event that was under way: one, or both.
const LINES: [(&str, Option<UnixMillis>); 2] = [("general", None), ("drawn", Some(NOW))];

const NOW: UnixMillis = UnixMillis(1_800_000_000_000);

/// Rows are read in one form, and make a state or are refused; they never end the object by a panic.
pub fn check(bytes: &[u8]) {
    let (which, bytes) = choice(bytes);
    let pieces = pieces(bytes);
    let settings = || settings(usize::from(which / 3) % LINES.len() + 1);
    match which % 3 {
        0 => {
            let rows = rows_of::<ShardRow>(&pieces);
            let identity = Identity {
                run: 1,
                shard: ShardIndex(0),
            };
            let restore = |rows| Shard::restore(identity, settings(), rows, NOW);
            let woken = |shard: &Shard| shard.next_wakeup();
            let once = restore(rows.clone()).map(|shard| woken(&shard));
            assert_eq!(once, restore(rows).map(|shard| woken(&shard)));
        }
        1 => {
            let rows = rows_of::<CoordinatorRow>(&pieces);
            let name = RunName {
                event: "demo",
                run: 1,
            };
            let restore = |rows| Coordinator::restore(name, settings(), rows, NOW);
            let woken = |coordinator: &Coordinator| coordinator.next_wakeup();
            let once = restore(rows.clone()).map(|coordinator| woken(&coordinator));
            assert_eq!(once, restore(rows).map(|coordinator| woken(&coordinator)));
        }
        _ => pieces.iter().for_each(|piece| check_meta(piece)),
    }
}

fn pieces(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
        let (piece, rest) = rest.split_at(length);
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

/// The rows among the pieces, each once, as storage would give them.
fn rows_of<R: Row + Clone + PartialEq + Debug>(pieces: &[&[u8]]) -> Vec<R> {
    let mut changes = Changes::default();
    let mut kept = Vec::new();
    for piece in pieces {
        let Ok(row) = read_row::<R>("any", piece) else {
            continue;
        };
        // Under another key it is refused, and alone it has no owner.
        let misplaced = read_all::<R>([("nobody's".to_owned(), piece.to_vec())]);
        assert!(matches!(misplaced, Err(Unusable::Malformed { .. })));
        assert!(read_all::<R>([(row.key(), piece.to_vec())]).is_err());
        kept.push(row);
    }
    changes.extend(kept);
    let stored = changes.into_rows();
    let rows: Vec<R> = stored
        .iter()
        .map(|(key, bytes)| read_row(key, bytes).expect("what was written is read"))
        .collect();
    let mut again = Changes::default();
    again.extend(rows.clone());
    assert_eq!(again.into_rows(), stored, "one form");
    rows
}

fn check_meta(bytes: &[u8]) {
    let Ok(meta) = meta_of(bytes) else {
        return;
    };
    let mut changes = Changes::<ShardRow>::default();
    changes.set_meta(meta.clone());
    let rows = changes.into_rows();
    let (_, written) = rows.first().expect("there is one row");
    if meta.schema == anteroom_durable_objects::storage::SCHEMA {
        assert_eq!(meta_of(written), Ok(meta));
    }
}

fn settings(lines: usize) -> Settings {
    let line = |(id, opens_at): &(&str, Option<UnixMillis>)| LineSettings {
        id: (*id).to_owned(),
        weight: 1,
        opens_at: *opens_at,
    };
    Settings {
        mode: Mode::Always,
        prequeue_at: None,
        lines: LINES[..lines].iter().map(line).collect(),
        limits: Limits {
            max_active: Some(5),
            per_minute: Some(60),
            batch: None,
        },
        hold: Millis::from_minutes(30),
        session: Millis::from_minutes(20),
        idle: Millis::from_minutes(10),
        pass: Millis::from_seconds(180),
        max_extension: Millis::from_minutes(10),
        expected_visitors: 1_000,
        draw: DrawSettings {
            grace: Millis::from_seconds(60),
            beacon: false,
            beacon_wait: Millis::from_minutes(10),
        },
        keep: Millis::from_minutes(30 * 24 * 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else every state would be refused, and nothing would be shown.
    #[test]
    fn a_recorded_shard_is_restored() {
        let kept = include_bytes!("../corpus/stored_rows/recorded-2-shard");
        let (which, bytes) = choice(kept);
        assert_eq!(which % 3, 0);
        let rows = rows_of::<ShardRow>(&pieces(bytes));
        let identity = Identity {
            run: 1,
            shard: ShardIndex(0),
        };
        let restored = Shard::restore(identity, settings(2), rows, NOW);
        assert!(restored.is_ok(), "{:?}", restored.err());
    }
}
