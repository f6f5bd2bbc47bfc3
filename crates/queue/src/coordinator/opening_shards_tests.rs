use super::*;
use crate::child::{Child, ChildLine};
use crate::coordinator::Coordinator;
use crate::coordinator::command::{Action, CoordinatorCommand};
use crate::limits::{DIRECT_SHARDS, HIGHEST_JOINS_PER_SECOND, MAX_RELAYS, PLANNED_PLACES};
use crate::settings::{Limits, Mode, Settings};
use crate::sync::Below;
use crate::tree::{child_number, shards_of};
use crate::units::RelayIndex;
use crate::whole_way::{self, settings};
use proptest::collection::vec;
use proptest::prelude::*;

const T: UnixMillis = UnixMillis(1_800_000_000_000);

fn planned(shards: u64) -> Settings {
    Settings {
        expected_visitors: shards * PLANNED_PLACES,
        ..settings(Mode::Always, Limits::default())
    }
}

/// A coordinator whose shards are driven by hand.
struct Sale {
    coordinator: Coordinator,
    now: UnixMillis,
    boards: u64,
}

impl Sale {
    fn of(settings: Settings, regions: usize) -> Self {
        let coordinator = whole_way::coordinator(settings).reply;
        let mut sale = Self {
            coordinator: coordinator.spread_over(&vec![false; regions]),
            now: T,
            boards: 0,
        };
        sale.publish();
        sale
    }

    /// The same, when the cold start is over.
    fn known(settings: Settings, regions: usize) -> Self {
        let mut sale = Self::of(settings, regions);
        sale.join(0, 1);
        for _ in 0..21 {
            sale.wait(1_000);
        }
        sale
    }

    fn publish(&mut self) {
        let before = self.coordinator.board.open_shards.clone();
        self.coordinator.apply(CoordinatorCommand::Wake, self.now);
        self.boards += u64::from(self.coordinator.board.open_shards != before);
    }

    fn wait(&mut self, millis: u64) {
        self.now = self.now.plus(Millis(millis));
        self.publish();
    }

    /// So many joins are reported of a shard.
    fn join(&mut self, shard: u16, joins: u64) {
        let number = child_of(ShardIndex(shard));
        let before = self.coordinator.came_to(number);
        self.hold(shard, joins);
        self.coordinator.measure(number, before, self.now);
    }

    /// So many had joined at a shard before anybody measured.
    fn hold(&mut self, shard: u16, places: u64) {
        let blank = || Child::of_lines(1);
        let number = child_of(ShardIndex(shard));
        let child = self
            .coordinator
            .children
            .entry(number)
            .or_insert_with(blank);
        child.lines[0].counters.joined += places;
        child.heard = self.now;
    }

    /// A relay says that all of its shards are full.
    fn fill(&mut self, relay: RelayIndex) {
        let shards = shards_of(relay);
        let mut child = Child::of_lines(1);
        child.below = Some(Below {
            last: Some(ShardIndex(shards.end - 1)),
            full: shards.map(ShardIndex).collect(),
            ..Below::default()
        });
        self.coordinator.children.insert(child_number(relay), child);
    }

    fn open(&self) -> Vec<u16> {
        let open = self.coordinator.board.open_shards.iter();
        open.map(|shard| shard.0).collect()
    }

    /// The crowd joins, each visitor at one of the open homes of the region, for this long.
    fn crowd(&mut self, region: usize, per_second: u64, millis: u64) {
        let regions = self.coordinator.openings.needs.len();
        for _ in 0..millis / 50 {
            let homes: Vec<u16> = self
                .open()
                .into_iter()
                .filter(|shard| region_of(ShardIndex(*shard), regions) == region)
                .collect();
            let all = per_second / 20;
            for (turn, home) in homes.iter().enumerate() {
                let share = all * (turn as u64 + 1) / homes.len() as u64
                    - all * turn as u64 / homes.len() as u64;
                self.join(*home, share);
            }
            self.wait(50);
        }
    }
}

#[test]
fn a_shard_is_full_of_whoever_has_a_place_there_joined_or_admitted_in_one_step() {
    for (joined, in_one_step, full) in [
        (PLANNED_PLACES - 1, 0, false),
        (0, PLANNED_PLACES - 1, false),
        (PLANNED_PLACES, 0, true),
        (0, PLANNED_PLACES, true),
        (PLANNED_PLACES - 5, 5, true),
    ] {
        let mut sale = Sale::of(planned(1), 1);
        let mut line = ChildLine::default();
        line.counters.joined = joined;
        line.tries_granted = in_one_step;
        let mut child = Child::of_lines(1);
        child.lines = vec![line];
        sale.coordinator.children.insert(0, child);
        sale.wait(1_000);
        let expected = if full { (2, vec![1]) } else { (1, vec![0]) };
        let is = (sale.coordinator.shards(), sale.open());
        assert_eq!(is, expected, "{joined} and {in_one_step}");
    }
}

#[test]
fn joins_begin_with_all_shards_so_that_seventy_times_the_plan_of_one_is_held() {
    let mut sale = Sale::of(planned(50), 1);
    assert_eq!(sale.open(), (0..50).collect::<Vec<_>>());
    let crowd = 70 * PLANNED_JOINS_PER_SECOND;
    assert_eq!(crowd.div_ceil(50), HIGHEST_JOINS_PER_SECOND);
    sale.crowd(0, crowd, 1_000);
    let known = sale.open().len() as u64;
    assert!(
        known * PLANNED_JOINS_PER_SECOND >= crowd,
        "{known} a second later"
    );
}

#[test]
fn when_the_rate_is_known_as_few_are_open_as_it_needs() {
    for (per_second, shards) in [
        (100, 3..=3),
        (1_000, 3..=4),
        (4_000, 12..=16),
        (9_000, 26..=35),
    ] {
        let mut sale = Sale::of(planned(50), 1);
        sale.crowd(0, per_second, 1_000);
        assert_eq!(sale.open().len(), 50, "cold");
        // Not so long that any is full.
        sale.crowd(0, per_second, 22_000);
        let open = sale.open().len();
        assert!(
            shards.contains(&open),
            "{open} of {shards:?} at {per_second} a second"
        );
    }
}

#[test]
fn before_an_opening_all_take_joins_and_a_quiet_event_has_a_few_for_a_crowd() {
    let mut settings = planned(50);
    settings.lines[0].opens_at = Some(T.plus(Millis::from_minutes(60)));
    let mut sale = Sale::known(settings, 1);
    assert_eq!(sale.open(), [0, 1, 2]);
    sale.wait(57 * 60_000);
    assert_eq!(sale.open(), [0, 1, 2]);
    sale.wait(2 * 60_000);
    assert_eq!(sale.open().len(), 50);
    sale.wait(60_000);
    assert_eq!(sale.open(), [0, 1, 2]);
}

#[test]
fn a_shard_is_left_before_it_is_full_since_permits_are_on_their_way() {
    let mut sale = Sale::known(planned(10), 1);
    assert_eq!(sale.open(), [0]);
    sale.hold(0, 5_000);
    sale.crowd(0, 300, 4_000);
    sale.wait(12_000);
    assert_eq!(sale.open(), [0], "nobody is on the way any more");
    sale.crowd(0, 330, 3_000);
    assert_eq!(
        sale.open(),
        [1],
        "the last five seconds are on their way to the other"
    );
    let places = sale.coordinator.came_to(0);
    assert!(places + 5 * 330 >= PLANNED_PLACES && places < PLANNED_PLACES);
}

#[test]
fn a_rate_that_wavers_makes_no_boards() {
    let mut sale = Sale::known(planned(50), 1);
    sale.crowd(0, 2_000, 4_000);
    let boards = sale.boards;
    for turn in 0..9 {
        sale.crowd(0, if turn % 2 == 0 { 1_900 } else { 1_700 }, 700);
        assert_eq!(sale.boards, boards, "{:?}", sale.open());
    }
}

#[test]
fn when_every_shard_is_full_all_take_joins() {
    let mut sale = Sale::of(planned(u64::from(MAX_SHARDS)), 1);
    for shard in 0..DIRECT_SHARDS {
        sale.hold(shard, PLANNED_PLACES);
    }
    for relay in 0..MAX_RELAYS {
        sale.fill(RelayIndex(relay));
    }
    let mut seen = BTreeSet::new();
    for _ in 0..MAX_SHARDS.div_ceil(MOST_OPEN) {
        sale.wait(1_000);
        let open = sale.open();
        assert!(open.len() <= usize::from(MOST_OPEN));
        sale.hold(open[0], u64::from(MOST_OPEN) * 1_000);
        seen.extend(open);
    }
    assert_eq!(seen.len(), usize::from(MAX_SHARDS));
}

#[test]
fn each_region_has_as_many_open_as_its_own_joins_need() {
    let mut sale = Sale::known(planned(40), 3);
    assert_eq!(sale.open(), [0, 1, 2]);
    sale.crowd(1, 1_500, 2_000);
    let open = sale.open();
    let of = |region| open.iter().filter(|shard| **shard % 3 == region).count();
    assert_eq!((of(0), of(2)), (1, 1));
    assert!((4..=5).contains(&of(1)), "{open:?}");
}

#[test]
fn a_region_whose_shards_are_full_gets_another() {
    let mut sale = Sale::known(planned(3), 3);
    sale.hold(1, PLANNED_PLACES);
    sale.wait(1_000);
    assert_eq!(sale.open(), [0, 2, 4]);
    assert_eq!(sale.coordinator.shards(), 5);
}

#[test]
fn the_shards_of_a_region_that_is_lost_take_no_joins() {
    let mut sale = Sale::known(planned(9), 3);
    sale.coordinator = sale.coordinator.spread_over(&[false, true, false]);
    sale.wait(1_000);
    assert_eq!(sale.open(), [0, 2]);
}

#[test]
fn a_small_event_has_a_shard_in_every_region() {
    let sale = Sale::of(planned(1), 4);
    assert_eq!(sale.open(), [0, 1, 2, 3]);
}

#[test]
fn a_coordinator_that_was_lost_in_a_rush_begins_with_all_and_a_quiet_one_with_few() {
    for (gone, open) in [(1_000, 50), (60_000, 3)] {
        let begun = whole_way::coordinator(planned(50));
        let mut rows: std::collections::BTreeMap<String, _> =
            begun.rows.into_iter().map(|row| (row.key(), row)).collect();
        let mut sale = Sale::known(planned(50), 1);
        let message = Action::Message {
            text: "soon".to_owned(),
        };
        let operate = CoordinatorCommand::Operate {
            action: message,
            by: "kim".to_owned(),
        };
        let stored = sale.coordinator.apply(operate, sale.now);
        sale.coordinator.changed.children.insert(0);
        let counted = sale.coordinator.apply(CoordinatorCommand::Wake, sale.now);
        rows.extend(
            stored
                .rows
                .into_iter()
                .chain(counted.rows)
                .map(|row| (row.key(), row)),
        );
        let now = sale.now.plus(Millis(gone));
        let name = crate::coordinator::RunName {
            event: "on-sale",
            run: 1,
        };
        let restored = Coordinator::restore(name, planned(50), rows.into_values(), now).unwrap();
        sale.coordinator = restored;
        sale.now = now;
        sale.publish();
        assert_eq!(sale.open().len(), open, "gone for {gone} ms");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // Whatever was measured, at least one takes joins, and those that do hold the rate that was measured last.
    #[test]
    fn no_open_shard_is_asked_for_more_than_it_takes_one_report_later(
        regions in 1usize..4,
        steps in vec((0usize..3, 0u64..8_000, 1u64..3_000), 1..30),
    ) {
        let mut sale = Sale::known(planned(50), regions);
        for (region, joins, gap) in steps {
            let region = region % regions;
            let homes: Vec<u16> = sale.open().into_iter()
                .filter(|shard| region_of(ShardIndex(*shard), regions) == region)
                .collect();
            for home in &homes {
                sale.join(*home, joins / homes.len() as u64);
            }
            sale.wait(gap.max(STEP.0));
            let open = sale.open();
            prop_assert!(!open.is_empty());
            for region in 0..regions {
                let open = open.iter().filter(|shard| region_of(ShardIndex(**shard), regions) == region).count();
                let rate = sale.coordinator.openings.needs[region].load.per_second(sale.now);
                prop_assert!(open > 0);
                let most = usize::from(MOST_OPEN) / regions;
                prop_assert!(
                    rate <= open as u64 * HIGHEST_JOINS_PER_SECOND || open == most,
                    "{rate} a second at {open} shards of region {region}"
                );
            }
        }
    }
}

#[test]
fn a_relay_that_was_not_heard_since_the_start_has_a_shard_all_the_same() {
    let mut coordinator = whole_way::coordinator(planned(1)).reply;
    let relay = child_number(RelayIndex(2));
    coordinator.children.insert(relay, Child::of_lines(1));
    assert_eq!(coordinator.shards(), shards_of(RelayIndex(2)).start + 1);
}
