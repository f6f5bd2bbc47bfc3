//! A run that was deleted, `keep_days` after its end, while its event is still configured: no object knows it any more, and
//! what visitors see is a sale that is over.

use anteroom_config::Event;
use anteroom_queue::board::{Board, LineBoard, Phase};
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::{Refused, ShardCommand};
use anteroom_queue::units::{EntryNumber, Rank};

/// What stands for the board of a deleted run. An event that lets everybody pass goes on doing so.
pub fn board(event: &Event) -> Board {
    let settings = &event.settings;
    let lines = settings.lines.iter().map(|line| LineBoard {
        id: line.id.clone(),
        phase: Phase::Closed,
        opens_at: None,
        moved: None,
        called: Rank(0),
        lapsed: Rank(0),
        entries: EntryNumber(0),
        advance: None,
        offers: Vec::new(),
        draw: None,
    });
    Board {
        version: 0,
        mode: match settings.mode {
            Mode::Off => Mode::Off,
            _ => Mode::Closed,
        },
        stop: false,
        pause: None,
        message: None,
        limits: settings.limits,
        slowdowns: 0,
        room: false,
        open_shards: Vec::new(),
        shards: 1,
        homes: 1,
        stock: None,
        ended_at: None,
        lines: lines.collect(),
    }
}

/// What the home of a deleted place would say: it takes nobody, and knows nobody.
pub fn refusal(command: &ShardCommand) -> Refused {
    match command {
        ShardCommand::Join { .. } | ShardCommand::Reserve { .. } => Refused::Closed,
        ShardCommand::TakeOver { .. } => Refused::HandoverUnknown,
        _ => Refused::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use anteroom_queue::units::LineIndex;
    use serde_json::json;

    #[test]
    fn a_deleted_run_shows_each_line_of_the_configuration_as_closed() {
        let room = samples::room(json!([{ "id": "general" }, { "id": "fans", "access": "code" }]));
        let board = board(room.event);
        assert_eq!(board.mode, Mode::Closed);
        let lines = board
            .lines
            .iter()
            .map(|line| (line.id.as_str(), line.phase));
        assert!(lines.eq([("general", Phase::Closed), ("fans", Phase::Closed)]));
        for line in [0, 1] {
            assert_eq!(board.refuses_joins(LineIndex(line)), Some(Refused::Closed));
        }
    }
}
