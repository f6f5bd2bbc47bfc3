//! Offers of a place's own, and objects that sleep or start anew at any moment: what counts is for how
//! long the line was open, and nothing else.

use anteroom_queue::coordinator::command::CoordinatorCommand;
use anteroom_queue::shard::place::Standing;
use anteroom_queue::shard::rows::ShardRow;
use proptest::prelude::*;

use super::*;

/// Programs tried, for each way in which a place comes to an offer of its own.
const PROGRAMS: u32 = 300;

/// A coordinator that starts anew may have lost this much of its clock, never of what was heard of it.
const LOST_BY_RESTART: u64 = 60;

/// How exactly the test itself knows when an offer began.
const SLACK_SECONDS: u64 = 2;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Seconds pass; the coordinator looks at the clock, the shard hears of it unless it sleeps.
    Time(u64),
    /// One of the brakes, unless there is one.
    Brake(usize),
    Release,
    /// The shard hears nothing from now on, or hears again.
    Sleep,
    Wake,
    ShardStartsAnew,
    CoordinatorStartsAnew,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1_u64..=55).prop_map(Step::Time),
        3 => (0..brakes().len()).prop_map(Step::Brake),
        3 => Just(Step::Release),
        2 => Just(Step::Sleep),
        1 => Just(Step::Wake),
        2 => Just(Step::ShardStartsAnew),
        1 => Just(Step::CoordinatorStartsAnew),
    ]
}

/// What brings a line to a stand, and what ends that.
fn brakes() -> Vec<(Action, Action)> {
    let line = || "general".to_owned();
    vec![
        (pause(), Action::Resume),
        (
            Action::Stop {
                reason: "a till is down".to_owned(),
                next_update_at: Some(UnixMillis(1_900_000_000_000)),
            },
            Action::Resume,
        ),
        (Action::Stock { left: 0 }, Action::Stock { left: 9 }),
        (Action::Soldout, Action::Open),
        (Action::Close, Action::Open),
        (
            Action::CloseLine { line: line() },
            Action::OpenLine { line: line() },
        ),
    ]
}

/// A visitor with an offer of the place's own: deferred, or after a claim whose grant nobody fetched.
fn with_own_offer(is_deferred: bool) -> Stage {
    let mut stage = stage();
    stage.join(0, 0);
    stage.live(Millis::from_minutes(2));
    match is_deferred {
        true => {
            stage.at_shard(0, defer(0));
        }
        false => {
            stage.claim(0, 0);
            stage.live(Millis::from_seconds(40));
        }
    }
    stage.sync(0);
    stage
}

/// The stage, and what a stop watch says that runs while the line is open.
struct Watched {
    stage: Stage,
    brake: Option<usize>,
    sleeps: bool,
    restarts: u64,
    open_seconds: u64,
    length_seconds: u64,
    was_over: bool,
}

impl Watched {
    fn new(is_deferred: bool) -> Self {
        let stage = with_own_offer(is_deferred);
        let length_seconds = offer_until(&stage).since(stage.now).0 / 1_000;
        Self {
            stage,
            brake: None,
            sleeps: false,
            restarts: 0,
            open_seconds: 0,
            length_seconds,
            was_over: false,
        }
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Time(seconds) => {
                self.stage.pass(Millis::from_seconds(seconds));
                self.stage.at_coordinator(CoordinatorCommand::Wake);
                self.open_seconds += if self.brake.is_some() { 0 } else { seconds };
            }
            Step::Brake(which) if self.brake.is_none() => {
                self.brake = Some(which);
                self.stage.operate(brakes()[which].0.clone());
            }
            Step::Release => {
                if let Some(which) = self.brake.take() {
                    self.stage.operate(brakes()[which].1.clone());
                }
            }
            Step::Sleep => self.sleeps = true,
            Step::Wake => self.sleeps = false,
            Step::ShardStartsAnew => self.stage.restore_shard(0),
            Step::CoordinatorStartsAnew => {
                self.restarts += 1;
                self.stage.restore_coordinator();
            }
            Step::Brake(_) => {}
        }
        if !self.sleeps {
            self.stage.sync(0);
        }
    }

    /// What the visitor is told who asks now, once the shard has heard how things are.
    fn is_over(&self) -> bool {
        let mut stage = self.stage.clone();
        stage.sync(0);
        let view = stage.shards[0].view(PlaceIndex(0), stage.now);
        match view.expect("a place").state {
            VisitorState::Called => false,
            VisitorState::Lapsed => true,
            other => panic!("{other:?}"),
        }
    }

    fn check(&mut self, told: &[Step]) -> Result<(), TestCaseError> {
        let is_over = self.is_over();
        let (open, length) = (self.open_seconds, self.length_seconds);
        let least = open + SLACK_SECONDS >= length;
        let most = open > length + SLACK_SECONDS + self.restarts * LOST_BY_RESTART;
        prop_assert!(
            least || !is_over,
            "lost after {open} of {length} s: {told:?}"
        );
        prop_assert!(
            is_over || !most,
            "stands after {open} of {length} s: {told:?}"
        );
        prop_assert!(is_over || !self.was_over, "came back: {told:?}");
        self.was_over = is_over;
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: PROGRAMS, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_offer_stands_for_as_long_as_the_line_was_open_whoever_slept_or_started_anew(
        steps in prop::collection::vec(step(), 1..60),
        is_deferred in any::<bool>(),
    ) {
        let mut watched = Watched::new(is_deferred);
        for (position, step) in steps.iter().enumerate() {
            watched.play(*step);
            watched.check(&steps[..=position])?;
        }
    }
}

#[test]
fn a_shard_that_starts_anew_after_a_brake_it_never_heard_of_takes_no_offer() {
    for is_deferred in [true, false] {
        for (brake, release) in brakes() {
            let mut stage = with_own_offer(is_deferred);
            let left = offer_until(&stage).since(stage.now);
            for _ in 0..3 {
                stage.operate(brake.clone());
                stage.pass(Millis::from_minutes(20));
                stage.operate(release.clone());
            }
            stage.restore_shard(0);
            stage.live(Millis::from_seconds(1));
            assert_eq!(
                state(&mut stage, 0).0,
                VisitorState::Called,
                "after {brake:?}"
            );
            let after = offer_until(&stage).since(stage.now);
            let lost = left.0.saturating_sub(after.0) / 1_000;
            assert!(lost <= SLACK_SECONDS, "{lost} s after {brake:?}");
        }
    }
}

#[test]
fn a_claim_taken_back_before_anything_was_heard_leaves_a_whole_hold_from_the_next_news_on() {
    let mut stage = stage();
    stage.join(0, 0);
    stage.live(Millis::from_minutes(2));
    stage.claim(0, 0);
    stage.restore_shard(0);
    stage.operate(pause());
    stage.pass(Millis::from_minutes(2));
    stage.at_shard(0, ShardCommand::Look);
    stage.restore_shard(0);
    let view = stage.shards[0].view(PlaceIndex(0), stage.now);
    let view = view.expect("a place");
    assert_eq!(
        (view.state, view.offer_until),
        (VisitorState::Called, None),
        "taken back"
    );
    stage.live(Millis::from_minutes(20));
    stage.operate(Action::Resume);
    stage.live(Millis::from_seconds(1));
    let hold = offer_until(&stage).since(stage.now).0 / 1_000;
    assert!((297..=300).contains(&hold), "{hold} s");
}

/// The offer was stored by the shard's clock: seven minutes. In the one case the line stands still since
/// the second of them, in the other the shard starts anew after the third.
#[test]
fn an_offer_that_an_earlier_version_stored_goes_on_from_where_it_stood() {
    let minutes = Millis::from_minutes;
    for (stands_since, passed, left) in [(Some(2), 30, 5), (None, 3, 4)] {
        let mut stage = with_own_offer(true);
        stage.operate(pause());
        let began = stage.now;
        for row in stage.shard_rows[0].values_mut() {
            if let ShardRow::Page { places, .. } = row {
                let until = began.plus(minutes(7));
                places[0].standing = Standing::Reoffered { until };
            }
        }
        let since = vec![stands_since.map(|at| began.plus(minutes(at)))];
        let brakes = ShardRow::Brakes { since };
        stage.shard_rows[0].insert(brakes.key(), brakes);
        stage.pass(minutes(passed));
        stage.restore_shard(0);
        stage.operate(Action::Resume);
        stage.live(Millis::from_seconds(1));
        assert_eq!(state(&mut stage, 0).0, VisitorState::Called);
        let after = offer_until(&stage).since(stage.now).0 / 1_000;
        assert!((left * 60 - 2..=left * 60).contains(&after), "{after} s");
    }
}
