//! When a line opens and whether its draw is open, as whoever has heard a board knows it: a shard, a relay.

use crate::board::{Board, DrawBoard, Fixed};
use crate::settings::Settings;
use crate::units::UnixMillis;

fn heard_draw(board: Option<&Board>, position: usize) -> Option<&DrawBoard> {
    board?.lines.get(position)?.draw.as_ref()
}

/// The first step of the line's draw, once it is made.
pub(crate) fn fixed(board: Option<&Board>, position: usize) -> Option<&Fixed> {
    heard_draw(board, position)?.fixed.as_ref()
}

/// When the line opens, or opened.
pub(crate) fn opening(
    board: Option<&Board>,
    settings: &Settings,
    position: usize,
) -> Option<UnixMillis> {
    let line = board.and_then(|board| board.lines.get(position));
    fixed(board, position)
        .map(|fixed| fixed.opened)
        .or(line.and_then(|line| line.opens_at))
        .or(settings.lines[position].opens_at)
}

/// Whether it may still change who is in the line's draw, as far as is heard.
pub(crate) fn draw_is_open(board: Option<&Board>, settings: &Settings, position: usize) -> bool {
    match board {
        Some(_) => heard_draw(board, position).is_some_and(|draw| draw.fixed.is_none()),
        None => settings.lines[position].opens_at.is_some(),
    }
}
