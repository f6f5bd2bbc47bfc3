use super::*;
use crate::samples;
use anteroom_queue::board::Phase;

const T: UnixMillis = UnixMillis(1_000_000);

fn board(version: u64, shards: u16) -> Board {
    Board {
        version,
        shards,
        ..samples::board(Phase::Open)
    }
}

fn after(millis: u64) -> UnixMillis {
    T.plus(Millis(millis))
}

/// A shard's word at one instant.
fn tell(cache: &mut BoardCache, of: (u64, u16), age: u64, at: UnixMillis, dice: u64) {
    let board = Some(board(of.0, of.1));
    cache.told(ShardIndex(0), board, Some(Millis(age)), (at, at), dice);
}

fn told(version: u64, shards: u16, age: u64) -> BoardCache {
    let mut cache = BoardCache::default();
    tell(&mut cache, (version, shards), age, T, 0);
    cache
}

#[test]
fn without_any_board_another_shard_is_asked_when_the_first_does_not_answer() {
    let mut cache = BoardCache::of_shards(3);
    assert_eq!(cache.shard(), ShardIndex(0));
    let mut asked = std::collections::BTreeSet::new();
    for dice in 0..6 {
        cache.fails(after(dice * 1_000), 0);
        asked.insert(cache.shard().0);
    }
    assert_eq!(asked.len(), 3, "{asked:?}");
    let mut alone = BoardCache::of_shards(1);
    alone.fails(T, 7);
    assert_eq!(alone.shard(), ShardIndex(0));
}

#[test]
fn the_age_of_a_board_decides_whether_it_is_read_again() {
    assert_eq!(BoardCache::default().plan(T), Plan::ReadFirst);
    let cache = told(7, 1, 400);
    for (millis, plan) in [
        (0, Plan::Use),
        (600, Plan::Use),
        (601, Plan::UseAndRead),
        (1_600, Plan::UseAndRead),
        (1_601, Plan::ReadFirst),
        (100_000, Plan::ReadFirst),
    ] {
        assert_eq!(cache.plan(after(millis)), plan, "{millis} ms later");
    }
    assert_eq!(
        cache.in_use(after(100)).unwrap().age,
        Millis(500),
        "the shard's age and ours add up"
    );
}

#[test]
fn one_request_reads_and_others_wait_or_use_what_is_there() {
    let mut cache = told(7, 1, 0);
    cache.begins(after(1_500));
    assert_eq!(cache.plan(after(1_600)), Plan::Use);
    cache.begins(after(2_100));
    assert_eq!(cache.plan(after(2_200)), Plan::Wait);
    assert_eq!(
        cache.plan(after(2_350)),
        Plan::ReadFirst,
        "the reader has given up"
    );
    cache.fails(after(2_350), 0);
    assert_eq!(
        cache.plan(after(2_400)),
        Plan::Use,
        "the old one, marked with its age"
    );
    assert_eq!(cache.plan(after(3_350)), Plan::ReadFirst);
}

#[test]
fn the_first_board_is_waited_for_by_everybody_as_long_as_by_who_reads_it() {
    let mut cache = BoardCache::default();
    cache.begins(T);
    for (millis, plan) in [
        (0, Plan::Wait),
        (1_499, Plan::Wait),
        (1_500, Plan::ReadFirst),
    ] {
        assert_eq!(cache.plan(after(millis)), plan, "{millis} ms later");
    }
}

#[test]
fn a_lower_version_is_never_taken_and_its_shard_is_left() {
    let mut cache = told(7, 4, 0);
    assert_eq!(cache.shard(), ShardIndex(0));
    tell(&mut cache, (6, 4), 0, after(500), 0);
    assert_eq!(cache.in_use(after(500)).unwrap().board.version, 7);
    assert_eq!(cache.in_use(after(500)).unwrap().age, Millis(500));
    assert_eq!(cache.shard(), ShardIndex(1));
}

#[test]
fn the_same_version_heard_again_is_younger_and_never_older() {
    let mut cache = told(7, 1, 0);
    tell(&mut cache, (7, 1), 100, after(1_000), 0);
    assert_eq!(cache.in_use(after(1_000)).unwrap().age, Millis(100));
    tell(&mut cache, (7, 1), 2_000, after(1_000), 0);
    assert_eq!(cache.in_use(after(1_000)).unwrap().age, Millis(100));
}

#[test]
fn a_shard_that_lost_its_coordinator_is_left_for_another() {
    let mut cache = told(7, 4, 0);
    tell(&mut cache, (7, 4), 3_000, after(4_000), 1);
    assert_eq!(cache.shard(), ShardIndex(0));
    tell(&mut cache, (7, 4), 3_001, after(4_000), 1);
    assert_eq!(cache.shard(), ShardIndex(2));
    cache.told(ShardIndex(2), None, None, (after(4_100), after(4_100)), 0);
    assert_eq!(cache.shard(), ShardIndex(3));
    cache.fails(after(4_200), 2);
    assert_eq!(cache.shard(), ShardIndex(2));
}

#[test]
fn a_board_is_as_old_as_the_question_that_it_answers() {
    let mut cache = told(7, 1, 0);
    let asked = (after(1_000), after(3_800));
    cache.told(
        ShardIndex(0),
        Some(board(8, 1)),
        Some(Millis(100)),
        asked,
        0,
    );
    assert_eq!(cache.in_use(after(3_800)).unwrap().age, Millis(2_900));
}

#[test]
fn a_clock_that_is_set_back_makes_a_board_old_until_it_is_read_again() {
    let mut cache = told(7, 1, 0);
    cache.fails(after(500), 0);
    let back = UnixMillis(T.0 - 10_000);
    assert!(cache.in_use(back).unwrap().age > LOST);
    assert_eq!(
        cache.plan(back),
        Plan::ReadFirst,
        "no pause and no read lasts until the clock has caught up"
    );
    cache.begins(after(500));
    assert_eq!(cache.plan(back), Plan::ReadFirst);
    tell(&mut cache, (7, 1), 50, back, 0);
    assert_eq!(cache.in_use(back).unwrap().age, Millis(50));
    assert_eq!(cache.plan(back), Plan::Use);

    let mut cache = told(7, 1, 0);
    let say = |cache: &mut BoardCache, version| {
        let board = Some(board(version, 1));
        cache.told(ShardIndex(0), board, Some(Millis(50)), (back, back), 0);
        let in_use = cache.in_use(back).unwrap();
        (in_use.board.version, in_use.age <= FRESH)
    };
    assert_eq!(
        say(&mut cache, 6),
        (7, false),
        "an older board makes no newer one young"
    );
    assert_eq!(
        say(&mut cache, 8),
        (8, true),
        "a newer one is taken at once"
    );
}

#[test]
fn of_a_run_of_thousands_the_first_shards_are_read_and_the_others_sleep() {
    for dice in [0, 255, 256, 6_449, u64::MAX] {
        let mut cache = BoardCache::default();
        tell(&mut cache, (7, 6_450), 0, T, dice);
        assert!(cache.shard().0 < MOST_READ, "dice {dice}");
        cache.fails(T, dice);
        assert!(cache.shard().0 < MOST_READ, "dice {dice}");
    }
}

#[test]
fn isolates_spread_over_the_shards_after_their_first_read() {
    for dice in 0..8 {
        let mut cache = BoardCache::default();
        tell(&mut cache, (7, 4), 0, T, dice);
        assert_eq!(u64::from(cache.shard().0), dice % 4);
    }
}
