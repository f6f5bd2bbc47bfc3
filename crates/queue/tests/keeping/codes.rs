//! Shared codes: as many places as a code allows, no more, and none lost to a permit that made no place.

use anteroom_queue::limits::RESERVED_JOIN;
use anteroom_queue::shard::rows::{EarlierHolder, ShardRow};

use super::*;

/// Uses of the code.
const USES: u16 = 3;

const NOT_YET_KNOWN: ShardReply = ShardReply::Pending { place: None };

fn asks(stage: &mut Stage, visitor: u64) -> ShardReply {
    twice(stage, &reserve(visitor, USES, None))
}

fn tells(stage: &mut Stage, visitor: u64, made: bool) {
    let found = ShardCommand::HolderFound {
        key: KEY,
        nonce: nonce(visitor),
        made,
    };
    assert_eq!(twice(stage, &found), ShardReply::Done);
}

fn unsure(visitor: u64) -> ShardReply {
    ShardReply::Unsure {
        nonce: nonce(visitor),
        home: ShardIndex(visitor as u16),
    }
}

/// Visitors 1 to 3 have asked with the code; of those in `made` it is known that they made their place.
fn taken(made: &[u64]) -> Stage {
    let mut stage = stage();
    for visitor in 1..=u64::from(USES) {
        assert_eq!(asks(&mut stage, visitor), held_by(visitor));
    }
    for visitor in made {
        tells(&mut stage, *visitor, true);
    }
    stage
}

#[test]
fn a_code_is_good_for_as_many_places_as_it_allows_and_no_more() {
    let mut stage = taken(&[1, 2, 3]);
    for visitor in [2, 1, 3] {
        assert_eq!(asks(&mut stage, visitor), held_by(visitor));
    }
    assert_eq!(asks(&mut stage, 4), no(Refused::CodeSpent));
    let instead = twice(&mut stage, &reserve(4, USES, Some(2)));
    assert_eq!(instead, held_by(4));
    tells(&mut stage, 4, true);
    assert_eq!(asks(&mut stage, 2), no(Refused::CodeSpent));
}

#[test]
fn a_use_whose_place_was_never_made_is_given_to_the_next() {
    let mut stage = taken(&[1, 3]);
    assert_eq!(asks(&mut stage, 4), NOT_YET_KNOWN, "its join is under way");
    tells(&mut stage, 2, false);
    assert_eq!(
        asks(&mut stage, 4),
        NOT_YET_KNOWN,
        "nobody can know that yet"
    );
    stage.pass(RESERVED_JOIN);
    assert_eq!(asks(&mut stage, 4), unsure(2));
    tells(&mut stage, 2, false);
    assert_eq!(asks(&mut stage, 4), held_by(4));
    tells(&mut stage, 4, true);
    assert_eq!(asks(&mut stage, 2), no(Refused::CodeSpent));
}

#[test]
fn a_use_whose_place_was_made_and_nobody_told_is_kept() {
    let mut stage = taken(&[1, 3]);
    stage.pass(RESERVED_JOIN);
    assert_eq!(asks(&mut stage, 4), unsure(2));
    tells(&mut stage, 2, true);
    assert_eq!(asks(&mut stage, 4), no(Refused::CodeSpent));
    tells(&mut stage, 2, false);
    assert_eq!(
        asks(&mut stage, 4),
        no(Refused::CodeSpent),
        "told by mistake"
    );
}

#[test]
fn a_permit_that_asks_again_keeps_its_use_for_the_join_that_follows() {
    let mut stage = taken(&[1, 3]);
    stage.pass(RESERVED_JOIN);
    assert_eq!(asks(&mut stage, 4), unsure(2));
    assert_eq!(asks(&mut stage, 2), held_by(2));
    tells(&mut stage, 2, false);
    assert_eq!(asks(&mut stage, 4), NOT_YET_KNOWN, "found before that");
    assert_eq!(asks(&mut stage, 2), held_by(2));
}

#[test]
fn every_permit_in_doubt_is_asked_about_by_somebody() {
    let mut stage = taken(&[1]);
    stage.pass(RESERVED_JOIN);
    let named: Vec<ShardReply> = (4..24).map(|visitor| asks(&mut stage, visitor)).collect();
    assert!(named.contains(&unsure(2)) && named.contains(&unsure(3)));
    assert!(!named.contains(&unsure(1)));
}

#[test]
fn what_is_told_of_a_permit_without_a_use_changes_nothing() {
    let mut stage = stage();
    tells(&mut stage, 1, true);
    tells(&mut stage, 1, false);
    for visitor in 1..=u64::from(USES) {
        assert_eq!(asks(&mut stage, visitor), held_by(visitor));
    }
    tells(&mut stage, 4, false);
    assert_eq!(asks(&mut stage, 4), NOT_YET_KNOWN);
}

#[test]
fn whoever_comes_with_a_member_key_joins_with_its_first_permit_whether_that_made_its_place_or_not()
{
    let mut stage = stage();
    assert_eq!(twice(&mut stage, &reserve(1, 1, None)), held_by(1));
    stage.pass(RESERVED_JOIN);
    assert_eq!(twice(&mut stage, &reserve(2, 1, None)), held_by(1));
}

#[test]
fn uses_that_an_earlier_version_stored_are_asked_about() {
    let mut stage = stage();
    let holders = (1..=u64::from(USES)).map(|visitor| EarlierHolder {
        nonce: nonce(visitor),
        home: ShardIndex(visitor as u16),
    });
    let row = ShardRow::Key {
        key: KEY,
        holders: holders.collect(),
    };
    stage.shard_rows[0].insert(row.key(), row);
    stage.restore_shard(0);
    for _ in 0..USES {
        let ShardReply::Unsure { nonce, .. } = asks(&mut stage, 9) else {
            panic!("each of them");
        };
        let made = ShardCommand::HolderFound {
            key: KEY,
            nonce,
            made: true,
        };
        stage.at_shard(0, made);
    }
    assert_eq!(asks(&mut stage, 9), no(Refused::CodeSpent));
}
