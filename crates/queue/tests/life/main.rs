//! The life of an event as its operator, its origin and its configuration make it.

mod days;
#[path = "../stage/mod.rs"]
mod stage;
mod stock_words;

use anteroom_queue::board::{Phase, Stock};
use anteroom_queue::coordinator::command::{
    Action, CoordinatorCommand, CoordinatorReply, Entropy, Noted,
};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::limits::MAX_NOTED;
use anteroom_queue::settings::{Limits, LineSettings, Mode, Settings};
use anteroom_queue::units::{Millis, UnixMillis};
use stage::{START, Stage, settings};

const MINUTE: Millis = Millis::from_minutes(1);

fn line(id: &str, opens_at: Option<UnixMillis>) -> LineSettings {
    LineSettings {
        id: id.to_owned(),
        weight: 1,
        opens_at,
    }
}

/// Joins are taken from five minutes on, the line opens after ten.
fn scheduled() -> Settings {
    Settings {
        prequeue_at: Some(START.plus(Millis::from_minutes(5))),
        lines: vec![line("general", Some(START.plus(Millis::from_minutes(10))))],
        ..settings(Limits::default())
    }
}

fn stage() -> Stage {
    Stage::new(settings(Limits::default()), 2)
}

fn edges(stage: &mut Stage, stock: Option<Stock>, bypassed: u64) {
    stage.at_coordinator(CoordinatorCommand::Edges {
        bypassed,
        staff: 0,
        stock,
    });
}

fn stock(left: u64, after_ms: u64) -> Option<Stock> {
    let at = START.plus(Millis(after_ms));
    Some(Stock { left, at })
}

fn left(stage: &Stage) -> Option<u64> {
    stage.coordinator.board().stock_left()
}

fn phase(stage: &Stage) -> Phase {
    stage.coordinator.board().lines[0].phase
}

fn configure(stage: &mut Stage, settings: Settings) -> CoordinatorReply {
    let entropy = Entropy([9; 16]);
    stage.at_coordinator(CoordinatorCommand::Configure { settings, entropy })
}

/// The lines of the log of one kind, over all stored pages.
fn logged(stage: &Stage, kind: &str) -> Vec<String> {
    let of_kind = format!("\"kind\":\"{kind}\"");
    let pages = stage.coordinator_rows.values();
    let lines = pages.flat_map(|row| match row {
        CoordinatorRow::Log(page) => page.lines.clone(),
        _ => Vec::new(),
    });
    lines.filter(|line| line.contains(&of_kind)).collect()
}

#[test]
fn nothing_left_pauses_at_once_and_something_left_goes_on() {
    let mut stage = stage();
    for (said, is_left, is_now) in [
        (stock(40, 0), 40, Phase::Open),
        (stock(0, 1), 0, Phase::Paused),
        (stock(2, 1), 0, Phase::Paused),
        (stock(2, 2), 2, Phase::Open),
        (stock(0, 2), 0, Phase::Paused),
        (stock(7, 1), 0, Phase::Paused),
    ] {
        edges(&mut stage, said, 0);
        assert_eq!(
            (left(&stage), phase(&stage)),
            (Some(is_left), is_now),
            "{said:?}"
        );
    }
    assert_eq!(stage.coordinator.board().pause, None);
}

#[test]
fn a_stock_that_changes_with_every_sale_is_a_new_board_once_a_second() {
    let mut stage = stage();
    edges(&mut stage, stock(1_000, 0), 0);
    let version = stage.coordinator.board().version;
    for sold in 1..50 {
        stage.pass(Millis(15));
        edges(&mut stage, stock(1_000 - sold, sold * 15), 0);
    }
    assert_eq!(left(&stage), Some(1_000));
    assert_eq!(stage.coordinator.board().version, version);
    let due = stage
        .coordinator
        .next_wakeup()
        .expect("the last word is due");
    stage.now = due;
    stage.at_coordinator(CoordinatorCommand::Wake);
    assert_eq!(left(&stage), Some(951));
    assert_eq!(logged(&stage, "stock").len(), 2);
}

#[test]
fn an_operators_word_about_the_stock_wins_over_an_origin_whose_clock_is_ahead() {
    let mut stage = stage();
    edges(&mut stage, stock(0, 3_600_000), 0);
    stage.operate(Action::Stock { left: 100 });
    assert_eq!((left(&stage), phase(&stage)), (Some(100), Phase::Open));
    edges(&mut stage, stock(99, 3_700_000), 0);
    stage.pass(Millis(2_000));
    stage.at_coordinator(CoordinatorCommand::Wake);
    assert_eq!(left(&stage), Some(99));
}

#[test]
fn what_edges_counted_last_is_logged_although_nobody_counts_any_more() {
    let mut stage = stage();
    edges(&mut stage, None, 3);
    edges(&mut stage, None, 2);
    assert_eq!(logged(&stage, "edges").len(), 1);
    stage.now = stage.coordinator.next_wakeup().expect("the rest is due");
    stage.at_coordinator(CoordinatorCommand::Wake);
    let lines = logged(&stage, "edges");
    assert_eq!(lines.len(), 2);
    assert!(lines[1].contains("\"bypassed\":5"), "{}", lines[1]);
}

#[test]
fn the_lines_of_a_run_are_fixed() {
    let two = Settings {
        lines: vec![line("general", None), line("fans", None)],
        ..settings(Limits::default())
    };
    let with = |ids: &[&str]| Settings {
        lines: ids.iter().map(|id| line(id, None)).collect(),
        ..two.clone()
    };
    for ids in [
        &["fans", "general"][..],
        &["general"],
        &["general", "members"],
    ] {
        let mut stage = Stage::new(two.clone(), 1);
        let reply = configure(&mut stage, with(ids));
        let CoordinatorReply::Refused(why) = reply else {
            panic!("{ids:?} was taken: {reply:?}")
        };
        assert!(why.contains("the run has general, fans"), "{why}");
    }
    let mut stage = Stage::new(two.clone(), 1);
    let heavier = Settings {
        lines: vec![
            line("general", None),
            LineSettings {
                weight: 5,
                ..line("fans", None)
            },
        ],
        ..two
    };
    assert!(matches!(
        configure(&mut stage, heavier),
        CoordinatorReply::State { .. }
    ));
}

#[test]
fn an_opening_stays_behind_the_beginning_of_the_joins() {
    let mut stage = Stage::new(scheduled(), 1);
    let earlier = |minutes| Action::Reschedule {
        line: None,
        opens_at: START.plus(Millis::from_minutes(minutes)),
        reason: "rain".to_owned(),
    };
    let by = || "box office".to_owned();
    let mut act = |action| stage.at_coordinator(CoordinatorCommand::Operate { action, by: by() });
    assert!(matches!(act(earlier(5)), CoordinatorReply::Refused(_)));
    let CoordinatorReply::State { board, .. } = act(earlier(6)) else {
        panic!("six minutes are allowed")
    };
    let moved = board.lines[0].moved.as_ref().expect("a moved opening");
    assert_eq!(moved.from, START.plus(Millis::from_minutes(10)));
    let CoordinatorReply::State { board, .. } = act(earlier(10)) else {
        panic!("back to what is configured")
    };
    assert_eq!(board.lines[0].moved, None);
}

#[test]
fn what_an_operator_may_not_do_is_noted_once_in_ten_minutes_and_changes_nothing() {
    let mut stage = Stage::new(scheduled(), 1);
    let refuse = |stage: &mut Stage, by: &str, what: &str| {
        let action = Action::Refused {
            what: what.to_owned(),
        };
        let by = by.to_owned();
        match stage.at_coordinator(CoordinatorCommand::Operate { action, by }) {
            CoordinatorReply::State { noted, totals, .. } => {
                assert_eq!(noted, [], "it was not done");
                (stage.coordinator.refusals().len(), totals)
            }
            other => panic!("{other:?}"),
        }
    };
    let (count, before) = refuse(&mut stage, "anna", "off");
    assert_eq!(count, 1);
    assert_eq!(refuse(&mut stage, "anna", "off"), (1, before));
    assert_eq!(
        refuse(&mut stage, "anna", "reschedule").0,
        2,
        "another thing"
    );
    assert_eq!(refuse(&mut stage, "ben", "off").0, 3, "another person");
    stage.now = stage.now.plus(Millis::from_minutes(9));
    assert_eq!(refuse(&mut stage, "anna", "off").0, 3);
    stage.now = stage.now.plus(Millis::from_minutes(1));
    assert_eq!(refuse(&mut stage, "anna", "off").0, 4);
}

// C18.
#[test]
fn however_many_things_operators_are_refused_ten_are_noted_in_ten_minutes_and_what_was_done_stays()
{
    let mut stage = Stage::new(scheduled(), 1);
    let mut operate = |minutes: u64, by: String, action: Action| {
        stage.now = START.plus(Millis::from_minutes(minutes));
        match stage.at_coordinator(CoordinatorCommand::Operate { action, by }) {
            CoordinatorReply::State { noted, .. } => (noted, stage.coordinator.refusals()),
            other => panic!("{other:?}"),
        }
    };
    let text = |number: u64| format!("message {number}");
    for number in 0..MAX_NOTED as u64 - 10 {
        let text = text(number);
        operate(0, "chief".to_owned(), Action::Message { text });
    }
    let (mut done, mut refused): (Vec<Noted>, Vec<Noted>) = Default::default();
    for minutes in [1, 2, 12, 24] {
        for number in 0..60 {
            let what = format!("thing {number}");
            (done, refused) = operate(minutes, format!("name {minutes}"), Action::Refused { what });
        }
        assert_eq!(refused.len(), 10, "{minutes}");
    }
    assert_eq!(done.len(), MAX_NOTED - 10, "all of what was done");
    assert_eq!(done[0].action, Action::Message { text: text(0) });
    let latest = refused.last().expect("a refusal").by.as_str();
    assert_eq!(latest, "name 24", "the latest are kept");
}

#[test]
fn an_opening_that_lies_years_ahead_can_be_postponed_too() {
    let in_days = |days: u64| START.plus(Millis::from_minutes(days * 24 * 60));
    let far = Settings {
        lines: vec![line("general", Some(in_days(700)))],
        ..settings(Limits::default())
    };
    for (days, is_taken) in [(701, true), (700 + 366, true), (700 + 367, false)] {
        let mut stage = Stage::new(far.clone(), 1);
        let action = Action::Reschedule {
            line: None,
            opens_at: in_days(days),
            reason: "rain".to_owned(),
        };
        let by = "box office".to_owned();
        let reply = stage.at_coordinator(CoordinatorCommand::Operate { action, by });
        let taken = matches!(reply, CoordinatorReply::State { .. });
        assert_eq!(taken, is_taken, "{days} days ahead: {reply:?}");
    }
}

#[test]
fn a_configuration_moves_no_opening_whose_draw_has_begun() {
    let mut stage = Stage::new(scheduled(), 2);
    stage.now = START.plus(Millis::from_minutes(6));
    stage.sync_all();
    stage.join(0, 0);
    stage.sync_all();
    stage.now = START.plus(Millis::from_minutes(10));
    stage.at_coordinator(CoordinatorCommand::Wake);
    assert_eq!(phase(&stage), Phase::Drawing);
    let later = Settings {
        lines: vec![line("general", Some(START.plus(Millis::from_minutes(60))))],
        ..scheduled()
    };
    configure(&mut stage, later.clone());
    assert_eq!(phase(&stage), Phase::Drawing);
    stage.settings = later;
    stage.restore_coordinator();
    stage.at_coordinator(CoordinatorCommand::Wake);
    assert_eq!(phase(&stage), Phase::Drawing);
    assert_eq!(stage.coordinator.board().lines[0].moved, None);
}

/// The shard's clock is three seconds behind the coordinator's.
#[test]
fn who_joins_before_the_opening_by_a_slow_clock_is_in_the_draw() {
    let one_shard = Settings {
        expected_visitors: 8_000,
        ..scheduled()
    };
    let mut stage = Stage::new(one_shard, 1);
    let opens = START.plus(Millis::from_minutes(10));
    let lag = Millis(3_000);
    let mut now = opens.minus(Millis(5_000));
    let mut joined = false;
    while now < opens.plus(Millis(6_000)) {
        stage.now = now.minus(lag);
        if !joined && stage.now > opens.minus(Millis(500)) {
            stage.join(0, 0);
            joined = true;
        }
        let report = stage.report(0);
        stage.now = now;
        let reply = stage.hear(report);
        stage.now = now.minus(lag);
        stage.at_shard(
            0,
            anteroom_queue::shard::command::ShardCommand::Synced { reply },
        );
        now = now.plus(Millis(50));
    }
    let draw = stage.coordinator.board().lines[0].draw.clone();
    let entrants = draw.and_then(|draw| draw.fixed).map(|fixed| fixed.entrants);
    assert_eq!(entrants, Some(1));
    let index = anteroom_queue::units::PlaceIndex(0);
    let view = stage.shards[0].view(index, stage.now).expect("a place");
    assert!(!view.missed_draw, "{view:?}");
}

#[test]
fn a_report_that_was_overtaken_takes_nothing_back_from_the_log() {
    let mut stage = stage();
    stage.join(0, 0);
    let early = stage.report(0);
    for visitor in 1..10 {
        stage.join(visitor, 0);
    }
    stage.pass(Millis(3_000));
    let late = stage.report(0);
    stage.hear(late);
    stage.hear(early);
    stage.pass(Millis(2_000));
    stage.at_coordinator(CoordinatorCommand::Wake);
    let cuts = logged(&stage, "cut");
    assert!(!cuts.is_empty());
    assert!(
        cuts.iter().all(|cut| cut.contains("\"joined\":10")),
        "{cuts:?}"
    );
}

/// Two shards were cut off with one and with sixty-four visitors of the same second.
#[test]
fn late_joins_of_one_second_are_mixed_between_shards() {
    let mut first_or_last = 0;
    for seed in 0..40u8 {
        let mut stage = stage();
        for visitor in 0..64 {
            stage.join(visitor, 0);
        }
        stage.join(64, 1);
        stage.pass(Millis(4_000));
        for shard in 0..2 {
            let report = stage.report(shard);
            let entropy = Entropy([seed.wrapping_mul(37).wrapping_add(shard as u8); 16]);
            stage.at_coordinator(CoordinatorCommand::Sync { report, entropy });
        }
        stage.pass(Millis(2_000));
        stage.at_coordinator(CoordinatorCommand::Wake);
        stage.sync_all();
        let index = anteroom_queue::units::PlaceIndex(0);
        let view = stage.shards[1].view(index, stage.now).expect("a place");
        let entry = view.entry.expect("a number").0;
        first_or_last += u32::from(entry == 0 || entry == 64);
    }
    assert!(
        first_or_last < 20,
        "{first_or_last} of 40 times before or behind all others"
    );
}
