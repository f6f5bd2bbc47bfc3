//! Stored bytes. They outlive every deploy: if a pinned string changes, objects that are already
//! running an event cannot start again from their own rows.

use anteroom_queue::shard::keeping::Holder;
use anteroom_queue::shard::place::Standing;
use anteroom_queue::shard::rows::{LineRow, PlaceRow};
use anteroom_queue::sync::Counters;
use anteroom_queue::units::{
    EntryNumber, KeyHash, LineIndex, Millis, Nonce, ShardIndex, UnixMillis,
};

use anteroom_queue::coordinator::health::Restraint;
use anteroom_queue::shard::crawlers::{CrawledSecond, Crawlers};

use super::*;
use crate::fixtures::{Memory, settings};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn meta() -> Meta {
    Meta {
        schema: SCHEMA,
        event: "demo".into(),
        run: 1,
        shard: Some(2),
        settings: settings(),
        left_behind: None,
        forgotten: None,
    }
}

fn counters(joined: u64) -> ShardRow {
    ShardRow::Counters {
        lines: vec![LineRow {
            counters: Counters {
                joined,
                ..Counters::default()
            },
            ..LineRow::default()
        }],
    }
}

fn stored(changes: Changes<ShardRow>) -> Memory {
    let mut memory = Memory::default();
    memory.commit(changes).unwrap();
    memory
}

#[test]
fn rows_come_back_as_they_were_stored() {
    let mut changes = Changes::default();
    changes.extend(vec![counters(5)]);
    changes.set_meta(meta());
    let memory = stored(changes);
    let read = read_all::<ShardRow>(memory.read()).unwrap();
    assert_eq!(read, Some((meta(), vec![counters(5)])));
}

#[test]
fn the_last_state_of_a_row_is_stored_once() {
    let mut changes = Changes::default();
    changes.extend(vec![counters(5), counters(6)]);
    changes.extend(vec![counters(7)]);
    let rows = changes.into_rows();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].0, "counters");
    assert_eq!(
        read_row::<ShardRow>("counters", &rows[0].1),
        Ok(counters(7))
    );
}

#[test]
fn nothing_changed_is_nothing_written() {
    let memory = stored(Changes::default());
    assert_eq!(memory.commits, 0);
    assert_eq!(read_all::<ShardRow>(memory.read()), Ok(None));
}

#[test]
fn the_meta_row_of_a_running_event_can_still_be_read() {
    let bytes = meta_bytes(&meta());
    assert_eq!(
        hex(&bytes),
        "01020464656d6f0101020100010767656e6572616c010001050000\
         c0ee6d809f49c0cf24a0fe0ac0cf24e807e0d40300c0cf248090fbd3090000"
    );
    assert_eq!(meta_of(&bytes), Ok(meta()));
}

#[test]
fn a_page_of_a_running_event_can_still_be_read() {
    let page = ShardRow::Page {
        number: 1,
        epoch: UnixMillis(1_800_000_000_000),
        places: vec![PlaceRow {
            nonce: Nonce([7; 16]),
            line: LineIndex(0),
            arrived_offset: 40,
            marks: 1,
            entry: Some(EntryNumber(300)),
            standing: Standing::Waiting,
        }],
    };
    let bytes = row_bytes(&page);
    assert_eq!(
        hex(&bytes),
        "01000180a0f1c2b134010707070707070707070707070707070700500101ac0200"
    );
    assert_eq!(read_row(&page.key(), &bytes), Ok(page));
}

#[test]
fn rows_that_cannot_be_used_refuse_the_start() {
    let good = row_bytes(&counters(1));
    let meta_row = (META_KEY.to_owned(), meta_bytes(&meta()));
    let mut newer = good.clone();
    newer[0] = 2;
    let mut longer = good.clone();
    longer.push(0);
    let later = Meta {
        schema: 3,
        ..meta()
    };
    let format = |found| Unusable::Format {
        key: "counters".into(),
        found,
    };
    let malformed = |key: &str| Unusable::Malformed { key: key.into() };
    let row = |key: &str, bytes: &[u8]| (key.to_owned(), bytes.to_vec());
    let rows = [
        (
            vec![row("counters", &newer), meta_row.clone()],
            format(Some(2)),
        ),
        (vec![row("counters", &[]), meta_row.clone()], format(None)),
        (vec![row("counters", &longer)], malformed("counters")),
        (
            vec![row("page/00000000", &good), meta_row],
            malformed("page/00000000"),
        ),
        (vec![row("counters", &good)], malformed("meta")),
        (
            vec![row(META_KEY, &meta_bytes(&later))],
            Unusable::Schema(3),
        ),
    ];
    for (stored, why) in rows {
        assert_eq!(read_all::<ShardRow>(stored), Err(why));
    }
}

#[test]
fn a_refused_start_names_the_row_and_what_is_read() {
    let why = Unusable::Format {
        key: "meta".into(),
        found: Some(9),
    };
    assert_eq!(
        why.to_string(),
        "row meta: format Some(9), this version reads 1 to 2, each kind of row in its own"
    );
}

/// A version of before would otherwise find bytes that fit nothing, and could not say that a later one wrote them.
#[test]
fn kinds_of_rows_that_came_later_say_so_and_are_read_in_no_other_format() {
    let crawlers = ShardRow::Crawlers(Crawlers {
        recent: vec![CrawledSecond {
            second: 300,
            count: 2,
        }],
        let_through: 5,
        turned_away: 6,
    });
    let origin = CoordinatorRow::Origin(Restraint {
        before: 300,
        cap: Some(7),
        paused: true,
        hands_off_until: UnixMillis(4),
    });
    check_later(crawlers, "02 07 01 ac02 02 05 06");
    check_later(origin, "02 08 ac02 01 07 01 04");
}

fn check_later<R: Row + PartialEq + core::fmt::Debug>(row: R, pinned: &str) {
    let mut bytes = row_bytes(&row);
    assert_eq!(hex(&bytes), pinned.replace(' ', ""));
    let key = row.key();
    assert_eq!(read_row(&key, &bytes), Ok(row));
    for found in [FIRST_FORMAT, ROW_FORMAT + 1] {
        bytes[0] = found;
        let refused = Unusable::Format {
            key: key.clone(),
            found: Some(found),
        };
        assert_eq!(read_row::<R>(&key, &bytes), Err(refused));
    }
}

#[test]
fn the_bytes_of_an_offer_of_a_places_own_are_pinned() {
    for (standing, pinned) in [
        (
            Standing::Reoffered {
                until: UnixMillis(300),
            },
            "01ac02",
        ),
        (Standing::Offered { until: Millis(300) }, "07ac02"),
        (
            Standing::OfferedFor {
                length: Millis(300),
            },
            "08ac02",
        ),
    ] {
        let bytes = postcard::to_extend(&standing, Vec::new()).unwrap();
        assert_eq!(hex(&bytes), pinned, "of {standing:?}");
    }
}

#[test]
fn the_bytes_of_who_has_a_key_are_pinned() {
    let row = ShardRow::Holders {
        key: KeyHash([8; 16]),
        holders: vec![Holder {
            nonce: Nonce([7; 16]),
            home: ShardIndex(300),
            asked: UnixMillis(5),
            made: true,
        }],
    };
    let bytes = postcard::to_extend(&row, Vec::new()).unwrap();
    let pinned = format!("06{}01{}ac020501", "08".repeat(16), "07".repeat(16));
    assert_eq!(hex(&bytes), pinned);
    assert_eq!(row.key(), format!("key/{}", "08".repeat(16)));
}
