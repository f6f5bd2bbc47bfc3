//! Logs whose hashes are right and whose content is not: what an operator could write who wants
//! to hide something.

use anteroom_queue::draw::Hash;
use anteroom_queue::log::Record;
use anteroom_queue::units::{EntryNumber, Rank, ShardIndex};

use crate::evidence::{Step, checked, document, failures, steps, written};

/// Forges the log and gives what is said about it.
fn forged(forge: impl FnOnce(&mut Vec<Step>)) -> Vec<String> {
    let mut steps = steps();
    forge(&mut steps);
    let (log, root) = written(&steps);
    failures(&checked(&document(root).to_string(), Some(&log), None))
}

fn find(steps: &[Step], wanted: impl Fn(&Record) -> bool) -> usize {
    steps
        .iter()
        .position(|(_, record)| wanted(record))
        .expect("the sale has such a record")
}

/// Changes the first cut of shard 1.
fn with_cut(change: impl FnOnce(&mut u64, &mut u64, &mut EntryNumber, &mut u64)) -> Vec<String> {
    forged(|steps| {
        for (_, record) in steps {
            if let Record::Cut {
                shard: ShardIndex(1),
                first_join,
                count,
                first_entry,
                joined,
                ..
            } = record
            {
                return change(first_join, count, first_entry, joined);
            }
        }
    })
}

/// Changes the first call of a line, the first grant of `general`, the draw's first step.
fn with_each(mut change: impl FnMut(&mut Record)) -> Vec<String> {
    forged(|steps| steps.iter_mut().for_each(|(_, record)| change(record)))
}

fn said(failed: &[String], sentence: &str) {
    assert!(
        failed.iter().any(|text| text.contains(sentence)),
        "{sentence}: {failed:#?}"
    );
}

#[test]
fn entry_numbers_with_a_gap_or_an_overlap_are_noticed() {
    said(
        &with_cut(|_, _, entry, _| entry.0 += 1),
        "a gap in the entry numbers of general",
    );
    said(
        &with_cut(|_, _, entry, _| entry.0 -= 1),
        "an overlap in the entry numbers of general",
    );
    said(
        &with_cut(|_, count, _, _| *count = 24),
        "a gap in the entry numbers of general",
    );
    said(&with_cut(|_, count, _, _| *count = 0), "a cut of no joins");
    said(
        &with_cut(|join, _, _, _| *join = 1),
        "the cut begins with join 1 of shard 1",
    );
    said(
        &with_cut(|_, _, _, joined| *joined = 24),
        "fewer than were numbered",
    );
}

#[test]
fn permits_exchanged_afterwards_are_noticed() {
    let mut chains: Vec<Hash> = Vec::new();
    let failed = forged(|steps| {
        let at = find(steps, |record| {
            matches!(
                record,
                Record::Cut {
                    shard: ShardIndex(1),
                    ..
                }
            )
        });
        let (
            after,
            Record::Cut {
                line,
                shard,
                first_join,
                first_entry,
                joined,
                chain,
                ..
            },
        ) = steps[at].clone()
        else {
            panic!("a cut was found");
        };
        chains.push(chain);
        // The same 25 joins in two cuts, with other permits in the second.
        let part = |first: u64, count: u64, chain: Hash| Record::Cut {
            line: line.clone(),
            shard,
            first_join: first_join + first,
            count,
            first_entry: EntryNumber(first_entry.0 + first),
            joined,
            chain,
        };
        steps[at] = (after, part(0, 20, chain));
        steps.insert(at + 1, (after, part(20, 5, [9; 32])));
    });
    said(&failed, "shard 1 names other permits for the same 25 joins");
}

#[test]
fn turns_out_of_order_are_noticed() {
    let called = |to: u64| {
        with_each(move |record| {
            if let Record::Call { line, called } = record
                && line == "general"
            {
                *called = Rank(to);
            }
        })
    };
    said(&called(136), "136 were called, 135 have an entry number");
    said(&called(0), "it only grows");
    let early = forged(|steps| {
        let at = find(steps, |record| matches!(record, Record::Fixed { .. }));
        let call = Record::Call {
            line: "general".to_owned(),
            called: Rank(1),
        };
        steps.insert(at + 1, (4_000, call));
    });
    said(&early, "somebody was called before the draw was decided");
}

#[test]
fn grants_that_do_not_add_up_are_noticed() {
    let granted = |of: u64, wanted: u64| {
        with_each(move |record| {
            if let Record::Grant { count, granted, .. } = record
                && *count == of
            {
                *granted = wanted;
            }
        })
    };
    said(&granted(3, 15), "its grants are 14, the last says 15");
    said(&granted(3, 13), "3 grants make 14, not 13");
    said(
        &granted(4, 12),
        "the grants before it are 11, the last of them says 12",
    );
    let early = forged(|steps| {
        let at = find(steps, |record| matches!(record, Record::Call { .. }));
        let called = steps.remove(at);
        steps.insert(at + 1, (2_200, called.1));
    });
    said(&early, "a grant before anybody was called");
    let past = forged(|steps| {
        let at = find(steps, |record| matches!(record, Record::Call { .. }));
        steps[at].1 = Record::Call {
            line: "fans".to_owned(),
            called: Rank(10),
        };
    });
    said(
        &past,
        "a first visit was admitted in one step while 2 waited",
    );
}

#[test]
fn a_draw_that_was_not_made_in_its_order_is_noticed() {
    let fixed = |change: fn(&mut u64, &mut Hash, &mut Option<u64>)| {
        with_each(move |record| {
            if let Record::Fixed {
                entrants,
                root,
                round,
                ..
            } = record
            {
                change(entrants, root, round);
            }
        })
    };
    said(
        &fixed(|entrants, _, _| *entrants = 124),
        "124 entrants, but 125 entry numbers were given out before",
    );
    said(
        &fixed(|_, root, _| *root = [1; 32]),
        "its root is not the hash of the line before it",
    );
    said(
        &fixed(|_, _, round| *round = Some(122)),
        "beacon.round: log line 11 has another value",
    );
    said(
        &fixed(|_, _, round| *round = None),
        "beacon.round: log line 11 has another value",
    );
    let swapped = forged(|steps| {
        let fixed = find(steps, |record| matches!(record, Record::Fixed { .. }));
        let drawn = find(steps, |record| matches!(record, Record::Drawn { .. }));
        let (_, early) = steps.remove(drawn);
        steps.insert(fixed, (4_000, early));
    });
    said(&swapped, "a draw is decided once, after its entrants");
    let late = forged(|steps| {
        let commitment = steps.remove(1);
        let at = find(
            steps,
            |record| matches!(record, Record::Cut { line, .. } if line == "vip"),
        );
        steps.insert(at + 1, (3_500, commitment.1));
    });
    said(
        &late,
        "a commitment after another, or after entry numbers were given out",
    );
}

#[test]
fn a_log_that_goes_back_in_time_or_begins_twice_is_noticed() {
    said(
        &forged(|steps| steps[5].0 = 1),
        "its time is before the line before it",
    );
    let twice = forged(|steps| {
        let begin = steps[0].1.clone();
        steps.insert(1, (0, begin));
    });
    said(&twice, "the log begins a second time");
    let elsewhere = with_each(|record| {
        if let Record::Call { line, .. } = record {
            "nobodys".clone_into(line);
        }
    });
    said(&elsewhere, "the run has no line nobodys");
}
