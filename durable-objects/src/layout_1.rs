//! Rows of a shard of layout 1, as they are meant now.
//!
//! Where a line's stored counters have the rank below which all who had left are counted as absent,
//! layout 1 had how many of the line's joins the calls had passed: the same field, another meaning.
//! There were no draws then, so a rank was an entry number and joins were numbered in order. The
//! rank is one more than the entry of the last join that was passed. With the count in its place,
//! those who had left would be counted twice when the entries of a shard are not its own joins'
//! numbers, that is in every run with more than one shard.

use std::collections::BTreeMap;

use anteroom_queue::shard::rows::{DIRECT, ShardRow};

/// Mends the counters, and gives out what has to be stored: with the table's new layout, in one
/// transaction, since they would be read wrongly under it.
pub fn count_leavers_once(rows: &mut [ShardRow]) -> Vec<ShardRow> {
    let entries = entries_of_joins(rows);
    let mut changed = Vec::new();
    for row in rows {
        let ShardRow::Counters { lines } = row else {
            continue;
        };
        for (position, line) in lines.iter_mut().enumerate() {
            let joins = entries.get(&position).map_or(&[][..], Vec::as_slice);
            let passed = usize::try_from(line.absent_below).unwrap_or(usize::MAX);
            let last = joins.iter().take(passed).flatten().max();
            line.absent_below = last.map_or(0, |entry| entry + 1);
        }
        changed.push(row.clone());
    }
    changed
}

/// Of each line, by position, the entry numbers of its joins in the order in which they came.
fn entries_of_joins(rows: &[ShardRow]) -> BTreeMap<usize, Vec<Option<u64>>> {
    let pages: BTreeMap<u32, _> = rows
        .iter()
        .filter_map(|row| match row {
            ShardRow::Page { number, places, .. } => Some((*number, places)),
            _ => None,
        })
        .collect();
    let mut entries: BTreeMap<usize, Vec<Option<u64>>> = BTreeMap::new();
    let joins = pages
        .into_values()
        .flatten()
        .filter(|place| place.marks & DIRECT == 0);
    for place in joins {
        let entry = place.entry.map(|entry| entry.0);
        let line = usize::from(place.line.0);
        entries.entry(line).or_default().push(entry);
    }
    entries
}
