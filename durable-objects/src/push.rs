//! What pages that hold a socket at their home shard are told, and when: pure, and without a clock of its own.
//!
//! One small word goes to all of them when the board has changed: the numbers that move all the time, from which a page
//! works out its own place as an edge does. Everything else on the board (texts, limits, draws) changes seldom; the word
//! only says since which version it is as it is, and a page that knows an older one asks its edge, each at a moment of its
//! own. So the word is the same for everybody and is written once.
//!
//! Words are said in rounds, slice by slice, with a [`REST`] in between in which joins are looked after. A round begins at
//! most once in [`AT_MOST_EVERY`], after a brake in [`PRESSING_AFTER`] already, and never while the last one goes on. Each
//! slice is told the board of its own moment: news that comes during a round reaches those who are still to be told with this
//! round, and the others a round later, so that nobody waits for more than one. A brake that comes during a round begins it
//! anew, and then without a rest. After [`SILENCE`] without news there is a round all the same, so that a page knows that the
//! line is alive.

use anteroom_queue::board::{Advance, Board, LineBoard, Phase};
use anteroom_queue::limits::PLANNED_PLACES;
use anteroom_queue::settings::Limits;
use anteroom_queue::units::{EntryNumber, Millis, Rank, UnixMillis};
use serde::Serialize;

/// Sockets of one shard. A round to 8,000 takes about half a second of the object's time.
pub const MOST_SOCKETS: usize = 8_000;

/// Sockets that are told in one go: 4 ms of the object's time. Whoever joins waits for one at each step of the way.
pub const SLICE: usize = 64;

/// Between two slices. A round of 8,000 has 125 of them: 0.4 s for what else there is to do, and no more, so that a round is
/// over in a second.
pub const REST: Millis = Millis(3);

const _: () = assert!(MOST_SOCKETS as u64 / SLICE as u64 * REST.0 <= AT_MOST_EVERY.0 / 2);

/// While somebody listens the shard wants news this often: a change reaches the pages within two seconds.
const NEWS_EVERY: Millis = Millis(1_000);

/// When all lines are over, so often: a tab that was forgotten keeps nobody awake.
const NEWS_AFTER_THE_END_EVERY: Millis = Millis(60_000);

/// Between the beginnings of two rounds, when nothing presses.
const AT_MOST_EVERY: Millis = Millis(1_000);

/// The same, when a brake was put on or taken off.
const PRESSING_AFTER: Millis = Millis(250);

/// Without news there is a round after this time: a page shows how old its numbers are from ten seconds on.
const SILENCE: Millis = Millis(8_000);

/// Sockets that a shard takes back in a second after all of them broke off, beside the joins that it takes.
const RETURNING_A_SECOND: u64 = 300;

/// Pages that may ask the edges in one second when the board has changed in a way that a word does not tell.
const ASKING_A_SECOND: u64 = 100_000;

/// Of those whose turn has come, so many ask for it in one second at each shard, beside its joins and those whose claims are
/// pending.
const TURNS_A_SECOND: u64 = 300;

/// All places that a shard is planned for have asked within this time.
const LONGEST_TURNS: Millis = Millis(PLANNED_PLACES * 1_000 / TURNS_A_SECOND);

/// An edge uses its board for so long: whoever asks at once may be told the old one.
const BOARD_IN_USE: Millis = Millis(1_000);

/// Nobody is asked to wait longer than this before asking.
const LONGEST_SPREAD: Millis = Millis(10_000);

/// One word to everybody.
#[derive(Debug, Serialize)]
struct Word<'a> {
    run: u32,
    version: u64,
    /// The version since which all that is not in here is as it is.
    settled: u64,
    age_ms: u64,
    now_ms: u64,
    stop: bool,
    stock_left: Option<u64>,
    lines: Vec<LineWord<'a>>,
    /// Within which time a page that has to ask does so.
    ask_within_ms: u64,
    /// Within which time a page asks whose turn has come with this word.
    turn_within_ms: u64,
    /// Within which time a page comes back whose socket breaks off.
    return_within_ms: u64,
}

/// What a word says of a line, as in the public board.
#[derive(Debug, Serialize)]
struct LineWord<'a> {
    id: &'a str,
    phase: Phase,
    called: u64,
    entries: u64,
    advance: Option<AdvanceWord>,
}

#[derive(Debug, Serialize)]
struct AdvanceWord {
    likely_milli_per_minute: u64,
    least_milli_per_minute: u64,
}

/// Who listens at a shard, and what they were told.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    count: usize,
    /// Places of this shard that have been called.
    called: u64,
    /// What was on the board beside the moving numbers, and the first version known that had it.
    settled: Option<(Board, u64)>,
    told: Option<Told>,
}

/// The last round.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    /// What everybody has been told at least.
    version: u64,
    brakes: (bool, Vec<Phase>),
    /// Places of this shard that had been called.
    called: u64,
    /// What everybody knew before.
    called_before: u64,
    began: UnixMillis,
    /// When all had been told, unless it still goes on.
    ended: Option<UnixMillis>,
}

/// The word for the next slice of a round.
#[derive(Debug)]
pub struct Next {
    /// As JSON.
    pub word: String,
    /// It is for the first slice: the round begins anew, and without rests.
    pub anew: bool,
}

fn brakes(board: &Board) -> (bool, Vec<Phase>) {
    (
        board.stop,
        board.lines.iter().map(|line| line.phase).collect(),
    )
}

impl Listeners {
    /// So many listen now: they were counted.
    pub fn are(&mut self, count: usize) {
        self.count = count;
    }

    /// So many places of this shard have been called.
    pub fn called_are(&mut self, count: u64) {
        self.called = count;
    }

    /// One more.
    pub fn come(&mut self) {
        self.count += 1;
    }

    /// One less.
    pub fn go(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// Whether one more may.
    pub fn have_room(&self) -> bool {
        self.count < MOST_SOCKETS
    }

    /// Whether anybody does.
    fn are_there(&self) -> bool {
        self.count > 0
    }

    /// When news is wanted, if anybody listens. `age`: how old the board is.
    pub fn want_news(
        &self,
        board: Option<&Board>,
        age: Option<Millis>,
        now: UnixMillis,
    ) -> Option<UnixMillis> {
        let is_over = |line: &LineBoard| matches!(line.phase, Phase::Soldout | Phase::Closed);
        let every = match board.is_some_and(|board| board.lines.iter().all(is_over)) {
            true => NEWS_AFTER_THE_END_EVERY,
            false => NEWS_EVERY,
        };
        let left = every.0.saturating_sub(age.unwrap_or(every).0);
        self.are_there().then(|| now.plus(Millis(left)))
    }

    /// When the next round is due; never while one goes on.
    pub fn due(&self, board: Option<&Board>, now: UnixMillis) -> Option<UnixMillis> {
        let board = board.filter(|_| self.are_there())?;
        let Some(told) = &self.told else {
            return Some(now);
        };
        let ended = told.ended?;
        if ended > now {
            // The clock was set back.
            return Some(now);
        }
        let gap = match () {
            () if told.brakes != brakes(board) => PRESSING_AFTER,
            () if told.version != board.version => AT_MOST_EVERY,
            () => SILENCE,
        };
        Some(told.began.plus(gap).max(ended))
    }

    /// The first word of a round, as JSON: of this moment. `age`: how old the board is.
    pub fn word(&mut self, run: u32, board: &Board, age: Millis, now: UnixMillis) -> String {
        let known_to_all = |told: &Told| match told.ended {
            Some(_) => told.called,
            None => told.called_before,
        };
        self.told = Some(Told {
            version: board.version,
            brakes: brakes(board),
            called: self.called,
            called_before: self.told.as_ref().map_or(self.called, known_to_all),
            began: now,
            ended: None,
        });
        self.said(run, board, age, self.turn_within(), now)
    }

    /// The word for the next slice of the round that goes on.
    pub fn next(&mut self, run: u32, board: &Board, age: Millis, now: UnixMillis) -> Next {
        let told = self.told.as_ref();
        let anew = told.is_none_or(|told| told.brakes != brakes(board));
        let word = match anew {
            true => self.word(run, board, age, now),
            false => self.said(run, board, age, self.turn_within(), now),
        };
        Next { word, anew }
    }

    /// Within which time those ask whose turn has come since the last round.
    fn turn_within(&self) -> Millis {
        let before = self.told.as_ref().map(|told| told.called_before);
        let new = before.map_or(0, |before| self.called.saturating_sub(before));
        Millis(new * 1_000 / TURNS_A_SECOND)
    }

    /// The round is over: everybody was told.
    pub fn heard_it(&mut self, now: UnixMillis) {
        if let Some(told) = &mut self.told {
            told.ended = Some(now);
        }
    }

    /// The word of this moment for one who has come only now.
    pub fn greeting(&mut self, run: u32, board: &Board, age: Millis, now: UnixMillis) -> String {
        self.said(run, board, age, Millis(0), now)
    }

    fn said(
        &mut self,
        run: u32,
        board: &Board,
        age: Millis,
        turn_within: Millis,
        now: UnixMillis,
    ) -> String {
        let word = Word {
            run,
            version: board.version,
            settled: self.settled_since(board),
            age_ms: age.0,
            now_ms: now.0,
            stop: board.stop,
            stock_left: board.stock_left(),
            lines: board.lines.iter().map(LineWord::from).collect(),
            ask_within_ms: asks_within(board).0,
            turn_within_ms: turn_within.0.min(LONGEST_TURNS.0),
            return_within_ms: (self.count as u64 * 1_000 / RETURNING_A_SECOND).max(1_000),
        };
        serde_json::to_string(&word).expect("plain data becomes JSON")
    }

    fn settled_since(&mut self, board: &Board) -> u64 {
        let rest = without_numbers(board);
        match &self.settled {
            Some((known, since)) if *known == rest => *since,
            _ => {
                self.settled = Some((rest, board.version));
                board.version
            }
        }
    }
}

/// Within which time pages ask: all who wait, in every shard, as far as the board knows.
fn asks_within(board: &Board) -> Millis {
    Millis((BOARD_IN_USE.0 + board.waiting() * 1_000 / ASKING_A_SECOND).min(LONGEST_SPREAD.0))
}

/// The board without what words tell and without what no page of somebody who waits shows.
fn without_numbers(board: &Board) -> Board {
    let still = |line: &LineBoard| LineBoard {
        called: Rank(0),
        lapsed: Rank(0),
        entries: EntryNumber(0),
        advance: None,
        offers: Vec::new(),
        ..line.clone()
    };
    Board {
        version: 0,
        limits: Limits::default(),
        stock: None,
        room: false,
        open_shards: Vec::new(),
        shards: 0,
        lines: board.lines.iter().map(still).collect(),
        ..board.clone()
    }
}

impl<'a> From<&'a LineBoard> for LineWord<'a> {
    fn from(line: &'a LineBoard) -> Self {
        let advance = |advance: Advance| AdvanceWord {
            likely_milli_per_minute: advance.likely_milli_per_minute,
            least_milli_per_minute: advance.least_milli_per_minute,
        };
        LineWord {
            id: &line.id,
            phase: line.phase,
            called: line.called.0,
            entries: line.entries.0,
            advance: line.advance.map(advance),
        }
    }
}

#[cfg(test)]
#[path = "push_tests.rs"]
mod tests;
