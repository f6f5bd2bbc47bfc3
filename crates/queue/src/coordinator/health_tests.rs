//! O7 and O9 in the core: what the room does about an origin in trouble, on a clock of the tests.

use super::*;
use crate::board::{Pause, Phase};
use crate::coordinator::command::{CoordinatorCommand, Entropy};
use crate::coordinator::rows::CoordinatorRow;
use crate::outcome::Outcome;
use crate::settings::Mode;
use crate::sync::{Counters, LineReport, SyncRequest};
use crate::units::ShardIndex;
use crate::whole_way;

/// A sale under way: one shard, whose visitors claim as fast as they are called.
struct Sale {
    coordinator: Coordinator,
    now: UnixMillis,
    claimed: u64,
    numbered: u64,
    rows: Vec<CoordinatorRow>,
}

const JOINED: u64 = 100_000;
/// When `whole_way::coordinator` begins.
const BEGINS: UnixMillis = UnixMillis(1_800_000_000_000);

fn limits(per_minute: Option<u32>) -> Limits {
    Limits {
        per_minute,
        ..Limits::default()
    }
}

impl Sale {
    fn of(per_minute: Option<u32>) -> Self {
        let settings = whole_way::settings(Mode::Always, limits(per_minute));
        let Outcome { reply, rows } = whole_way::coordinator(settings);
        let mut sale = Self {
            now: BEGINS,
            coordinator: reply,
            claimed: 0,
            numbered: 0,
            rows,
        };
        sale.pass(2);
        sale
    }

    fn apply(&mut self, command: CoordinatorCommand) -> CoordinatorReply {
        let Outcome { reply, rows } = self.coordinator.apply(command, self.now);
        self.rows.extend(rows);
        reply
    }

    fn sync(&mut self) {
        let line = LineReport {
            counters: Counters {
                joined: JOINED,
                numbered: self.numbered,
                claimed: self.claimed,
                ..Counters::default()
            },
            late: Vec::new(),
            chain: [0; 32],
            entrants: None,
        };
        let report = SyncRequest {
            run: 1,
            shard: ShardIndex(0),
            sent: self.now,
            lines: vec![line],
            unconfirmed: 0,
            board_version: 0,
        };
        let entropy = Entropy([7; 16]);
        let reply = self.apply(CoordinatorCommand::Sync { report, entropy });
        assert!(matches!(reply, CoordinatorReply::Synced(_)), "{reply:?}");
        self.numbered = JOINED;
        self.claimed = self.coordinator.board().lines[0].called.0;
    }

    /// Lets time pass; how many were admitted meanwhile.
    fn pass(&mut self, seconds: u64) -> u64 {
        let before = self.coordinator.totals().granted;
        for _ in 0..seconds * 4 {
            self.now = self.now.plus(Millis(250));
            self.sync();
        }
        self.coordinator.totals().granted - before
    }

    fn hears(&mut self, answers: u64, failed: u64, slow: u64) {
        let heard = Answers {
            answers,
            failed,
            slow,
        };
        self.apply(CoordinatorCommand::Origin { heard });
    }

    /// A window of these answers, evenly; how many were admitted meanwhile.
    fn window(&mut self, answers: u64, failed: u64, slow: u64) -> u64 {
        let mut admitted = 0;
        for _ in 0..5 {
            self.hears(answers / 5, failed / 5, slow / 5);
            admitted += self.pass(1);
        }
        self.hears(0, 0, 0);
        admitted
    }

    fn cap(&self) -> Option<u32> {
        self.coordinator.board().limits.per_minute
    }

    fn is_paused(&self) -> bool {
        let board = self.coordinator.board();
        let paused = board.lines[0].phase == Phase::Paused;
        let by_the_room = board.pause.as_ref().is_some_and(Pause::is_for_origin);
        assert_eq!(paused, by_the_room, "nobody else pauses here");
        paused
    }
}

#[test]
fn o7_a_troubled_origin_halves_the_admissions_pauses_them_below_an_eighth_and_gets_them_back() {
    let mut sale = Sale::of(Some(1_200));
    sale.pass(60);
    let windows = |sale: &mut Sale, failed, count| -> Vec<(u32, bool)> {
        let after = |_| {
            sale.window(100, failed, 0);
            (sale.cap().unwrap(), sale.is_paused())
        };
        (0..count).map(after).collect()
    };
    let down = windows(&mut sale, 20, 4);
    let half = down[0].0;
    assert!((580..=600).contains(&half), "{half}: 1,200 were admitted");
    let (fourth, eighth) = (half / 2, half / 4);
    let open = |cap| (cap, false);
    assert_eq!(
        down,
        [open(half), open(fourth), open(eighth), (eighth, true)]
    );
    assert_eq!(sale.window(0, 0, 0), 0, "nobody is admitted while paused");
    let up = windows(&mut sale, 5, 5);
    let back = [eighth, fourth, half, half * 2, 1_200].map(open);
    assert_eq!(up, back, "each good window ends the pause, or doubles");
}

#[test]
fn o7_what_is_slow_counts_as_what_fails_and_slowness_alone_never_closes_the_doors_at_once() {
    let mut sale = Sale::of(Some(1_200));
    sale.pass(60);
    sale.window(100, 0, 100);
    let half = sale.cap().unwrap();
    assert!(half <= 600 && !sale.is_paused(), "{half}");
    sale.window(100, 0, 5);
    assert!(sale.cap() > Some(half), "five of a hundred may be slow");
}

#[test]
fn o7_never_are_more_admitted_than_the_lowered_rate_allows() {
    let mut sale = Sale::of(Some(1_200));
    sale.pass(60);
    sale.window(100, 20, 0);
    let admitted = sale.window(100, 5, 95);
    assert!(admitted <= 600 / 12 + 600 / 60, "{admitted} in 5 s");
    assert!(
        admitted >= 600 / 12 - 2,
        "{admitted} in 5 s: the rate is used"
    );
}

#[test]
fn without_a_configured_rate_what_was_admitted_in_the_last_minute_is_halved() {
    let settings = whole_way::settings(Mode::Always, Limits::default());
    let mut coordinator = whole_way::coordinator(settings).reply;
    let grants = [0, 600].map(|granted| (BEGINS.plus(Millis(granted * 100)), granted));
    coordinator.health.grants.extend(grants);
    let restraint = coordinator.with_rate(Restraint::default(), BEGINS.plus(Millis(60_000)));
    assert_eq!((restraint.before, restraint.halved().cap), (600, Some(300)));
    assert_eq!(coordinator.ramp_end(&restraint), 2_400);
}

#[test]
fn o9_an_origin_that_is_down_pauses_at_once_and_goes_on_by_itself() {
    let mut sale = Sale::of(Some(1_200));
    for _ in 0..5 {
        sale.hears(1, 1, 0);
        sale.pass(1);
    }
    assert!(sale.is_paused(), "four failures of four");
    for _ in 0..10 {
        sale.hears(1, 1, 0);
        sale.pass(1);
    }
    assert!(sale.is_paused());
    sale.hears(1, 0, 0);
    let mut seconds = 0;
    while sale.is_paused() {
        sale.pass(1);
        sale.hears(1, 0, 0);
        seconds += 1;
        assert!(seconds <= 6, "still paused");
    }
    assert!(sale.pass(5) > 0);
}

#[test]
fn o9_answers_that_were_counted_as_good_before_and_fail_now_fail_in_this_window() {
    let mut sale = Sale::of(Some(1_200));
    sale.hears(0, 1, 0);
    sale.hears(4, 4, 0);
    sale.pass(6);
    sale.hears(0, 0, 0);
    assert!(sale.is_paused());
}

#[test]
fn few_failures_among_few_answers_change_nothing() {
    for (answers, failed) in [(3, 2), (3, 3), (10, 9), (19, 10), (20, 1)] {
        let mut sale = Sale::of(Some(1_200));
        sale.hears(answers, failed, 0);
        sale.pass(40);
        sale.hears(0, 0, 0);
        assert_eq!(
            (sale.cap(), sale.is_paused()),
            (Some(1_200), false),
            "{failed} of {answers}"
        );
    }
}

#[test]
fn a_pause_outlives_a_restart_and_a_window_does_not() {
    let mut sale = Sale::of(Some(1_200));
    sale.window(100, 80, 0);
    assert!(sale.is_paused());
    let name = crate::coordinator::RunName {
        event: "on-sale",
        run: 1,
    };
    let settings = whole_way::settings(Mode::Always, limits(Some(1_200)));
    let mut rows = std::collections::BTreeMap::new();
    for row in sale.rows.drain(..) {
        rows.insert(row.key(), row);
    }
    let restored = Coordinator::restore(name, settings, rows.into_values(), sale.now);
    sale.coordinator = restored.expect("the rows are of one coordinator");
    sale.pass(1);
    assert!(sale.is_paused());
    assert_eq!(sale.coordinator.origin().judged, Answers::default());
}

#[test]
fn the_operators_resume_is_left_alone_for_five_minutes_and_the_log_says_who_did_what() {
    let mut sale = Sale::of(Some(1_200));
    sale.window(100, 80, 0);
    assert!(sale.is_paused());
    sale.apply(CoordinatorCommand::Operate {
        action: Action::Resume,
        by: "kim".to_owned(),
    });
    for _ in 0..12 {
        sale.window(100, 80, 0);
        assert_eq!((sale.cap(), sale.is_paused()), (Some(1_200), false));
    }
    sale.pass(5 * 60);
    sale.window(100, 80, 0);
    assert!(sale.is_paused());
    let noted: Vec<&str> = sale
        .coordinator
        .noted
        .iter()
        .map(|noted| noted.by.as_str())
        .collect();
    assert_eq!(noted, [ORIGIN_HEALTH, "kim", ORIGIN_HEALTH]);
}

#[test]
fn a_room_that_only_watches_says_what_it_sees_and_holds_nothing_back() {
    let mut sale = Sale::of(Some(1_200));
    sale.window(100, 80, 0);
    assert!(sale.is_paused());
    sale.apply(CoordinatorCommand::WatchOrigin { acts: false });
    assert!(!sale.is_paused());
    sale.window(100, 80, 0);
    assert_eq!((sale.cap(), sale.is_paused()), (Some(1_200), false));
    let origin = sale.coordinator.origin();
    assert_eq!((origin.verdict, origin.acts), (Verdict::Down, false));
    assert_eq!(origin.judged.failed, 80);
}

#[test]
fn a_shop_that_comes_and_goes_does_not_push_operators_out_of_the_record() {
    let mut sale = Sale::of(Some(1_200));
    sale.apply(CoordinatorCommand::Operate {
        action: Action::Message { text: "hi".into() },
        by: "kim".to_owned(),
    });
    for _ in 0..30 {
        sale.window(100, 80, 0);
        sale.window(100, 0, 0);
    }
    let own = |noted: &&Noted| noted.by == ORIGIN_HEALTH;
    assert_eq!(
        sale.coordinator.noted.iter().filter(own).count(),
        MAX_OWN_NOTED
    );
    assert_eq!(sale.coordinator.noted[0].by, "kim");
}
