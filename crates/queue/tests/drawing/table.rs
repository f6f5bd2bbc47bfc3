//! An event with a draw on the stage, and what its tables ask of it.

use anteroom_queue::board::{DrawBoard, Phase};
use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply};
use anteroom_queue::draw::beacon::SIGNATURE_BYTES;
use anteroom_queue::settings::{Limits, LineSettings, Settings};
use anteroom_queue::units::{Millis, UnixMillis};

use crate::stage::{START, Stage, settings};

/// When the line opens.
pub const OPENS: UnixMillis = START.plus(Millis(60_000));

pub const SIGNATURE: [u8; SIGNATURE_BYTES] = [5; SIGNATURE_BYTES];

pub fn line(id: &str, opens_at: Option<UnixMillis>) -> LineSettings {
    LineSettings {
        id: id.to_owned(),
        weight: 1,
        opens_at,
    }
}

/// One line that opens a minute after the run began; joins are taken at once.
pub fn raffle(beacon: bool) -> Settings {
    let mut settings = settings(Limits {
        per_minute: Some(600),
        ..Limits::default()
    });
    settings.lines = vec![line("general", Some(OPENS))];
    settings.draw.beacon = beacon;
    settings
}

/// The raffle with so many visitors, heard, shared between two shards.
pub fn with_entrants(settings: Settings, entrants: u64) -> Stage {
    let mut stage = Stage::new(settings, 2);
    for visitor in 0..entrants {
        stage.join(visitor, (visitor % 2) as usize);
    }
    stage.sync_all();
    stage
}

pub fn phase(stage: &Stage) -> Phase {
    stage.coordinator.board().lines[0].phase
}

pub fn draw(stage: &Stage) -> DrawBoard {
    let line = &stage.coordinator.board().lines[0];
    line.draw.clone().expect("the line has a draw")
}

pub fn entrants(stage: &Stage) -> Option<u64> {
    draw(stage).fixed.map(|fixed| fixed.entrants)
}

pub fn until(stage: &mut Stage, at: UnixMillis) {
    stage.now = at;
    wake(stage);
}

pub fn wake(stage: &mut Stage) {
    stage.at_coordinator(CoordinatorCommand::Wake);
}

pub fn bring_round(stage: &mut Stage, round: u64) -> CoordinatorReply {
    stage.at_coordinator(CoordinatorCommand::Beacon {
        round,
        signature: SIGNATURE.to_vec(),
    })
}

pub fn act(stage: &mut Stage, action: Action) -> CoordinatorReply {
    let by = "box office".to_owned();
    stage.at_coordinator(CoordinatorCommand::Operate { action, by })
}

pub fn move_opening(line: Option<&str>, opens_at: UnixMillis, reason: &str) -> Action {
    Action::Reschedule {
        line: line.map(str::to_owned),
        opens_at,
        reason: reason.to_owned(),
    }
}

/// The raffle up to its first write: opened, and all shards heard.
pub fn fixed(beacon: bool, count: u64) -> Stage {
    let mut stage = with_entrants(raffle(beacon), count);
    until(&mut stage, OPENS);
    stage.sync_all();
    assert_eq!(entrants(&stage), Some(count));
    stage
}
