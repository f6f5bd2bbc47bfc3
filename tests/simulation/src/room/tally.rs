//! What can be told of a step of the coordinator: counts and phases at its own clock, and the draws
//! that it stores.

use anteroom_queue::board::{DrawBoard, LineBoard, Phase};
use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::CoordinatorCommand;
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::draw::{commitment, round_time};
use anteroom_queue::limits::REVEAL_AFTER;
use anteroom_queue::units::UnixMillis;

use super::Room;
use crate::observation::{
    DrawSeen, DrawnSeen, FixedSeen, LINES, LimitsSeen, LineTally, Observation, Step, Tally,
};
use crate::plan::{Plan, START};

fn since_start(at: UnixMillis) -> u64 {
    at.since(START).0
}

impl Room {
    /// The counts after a step, at the coordinator's own clock.
    pub(super) fn tally(&self) -> Tally {
        let core = self.coordinator.core().expect("it has just been asked");
        tally_of(core, &self.plan, self.coordinator.last_clock_ms)
    }
}

fn tally_of(core: &Coordinator, plan: &Plan, clock_ms: u64) -> Tally {
    let (totals, board) = (core.totals(), core.board());
    let limits = board.limits;
    let mut lines = [LineTally {
        ended: true,
        ..LineTally::default()
    }; LINES];
    for (tally, line) in lines.iter_mut().zip(&board.lines) {
        *tally = line_tally(line, plan);
    }
    Tally {
        clock_ms,
        granted: totals.granted,
        active: totals.active,
        pending: totals.pending,
        lines,
        open: !board.stop && board.lines.iter().all(|line| line.phase == Phase::Open),
        limits: LimitsSeen {
            max_active: limits.max_active,
            per_minute: limits.per_minute,
            batch: limits.batch.map(|batch| (batch.size, batch.every.0)),
        },
    }
}

fn line_tally(line: &LineBoard, plan: &Plan) -> LineTally {
    let fixed = line.draw.as_ref().and_then(|draw| draw.fixed.as_ref());
    let drawn = line.draw.as_ref().is_some_and(|draw| draw.drawn.is_some());
    let step = match line.phase {
        Phase::Before => Step::Before,
        Phase::Prequeue => Step::Prequeue,
        Phase::Drawing if fixed.is_none() => Step::Drawing,
        Phase::Drawing => Step::Fixed,
        Phase::Open | Phase::Paused | Phase::Soldout | Phase::Closed => Step::Open,
    };
    let reveal = fixed.filter(|_| !drawn).map(|fixed| match fixed.round {
        Some(round) => round_time(round).plus(plan.settings.draw.beacon_wait),
        None => fixed.at.plus(REVEAL_AFTER),
    });
    LineTally {
        step,
        ended: matches!(line.phase, Phase::Soldout | Phase::Closed),
        opens_ms: line.opens_at.map(|at| at.0),
        reveal_ms: reveal.map(|at| at.0),
        called: line.called.0,
        entries: line.entries.0,
    }
}

/// What a row says of a draw.
pub(super) fn draw_stored(row: &CoordinatorRow) -> Option<DrawSeen> {
    let CoordinatorRow::Draw { index, draw } = row else {
        return None;
    };
    let board = DrawBoard {
        commitment: commitment(&draw.secret),
        fixed: draw.fixed.clone(),
        drawn: draw.drawn.clone(),
    };
    Some(draw_seen(*index, &board))
}

/// What a board says of a draw.
pub(super) fn draw_seen(line: u8, draw: &DrawBoard) -> DrawSeen {
    DrawSeen {
        line,
        commitment: draw.commitment,
        fixed: draw.fixed.as_ref().map(|fixed| FixedSeen {
            entrants: fixed.entrants,
            root: fixed.root,
            opened_ms: since_start(fixed.opened),
            round: fixed.round,
        }),
        drawn: draw.drawn.as_ref().map(|drawn| DrawnSeen {
            secret: drawn.secret,
            beacon: drawn
                .beacon
                .as_ref()
                .and_then(|signature| signature.as_slice().try_into().ok()),
            seed: drawn.seed,
        }),
    }
}

/// What a report says of who came before an opening.
pub(super) fn entrants_heard(command: &CoordinatorCommand) -> Vec<Observation> {
    let report = match command {
        CoordinatorCommand::Sync { report, .. } => report,
        CoordinatorCommand::Relayed { report, .. } => &report.sync,
        _ => return Vec::new(),
    };
    let lines = report.lines.iter().enumerate();
    lines
        .filter_map(|(line, report_of_line)| {
            let entrants = report_of_line.entrants?;
            Some(Observation::EntrantsHeard {
                shard: report.shard.0,
                line: line as u8,
                opens_ms: since_start(entrants.opens_at),
                count: entrants.count,
            })
        })
        .collect()
}
