//! The board as one isolate holds it: plain data, kept between requests, and the rules of its age.
//!
//! Ages are durations: what the shard said since it heard the coordinator, plus the time since this isolate read it. Up
//! to a second old it is used; up to two seconds used and read again in the background; older, it is read first, within
//! a quarter of a second, and otherwise shown with its age. A version lower than one already shown is never taken.
//!
//! Only one request of an isolate reads at a time. Others look for its result in here: a request cannot wait for another
//! request's network.

use std::rc::Rc;

use anteroom_queue::board::Board;
use anteroom_queue::units::{Millis, ShardIndex, UnixMillis};

/// Up to this age a board is used as it is.
pub const FRESH: Millis = Millis(1_000);
/// Up to this age it is used and read again in the background.
pub const USABLE: Millis = Millis(2_000);
/// How long a request waits for a new board.
pub const READ_LIMIT: Millis = Millis(250);
/// With nothing to show instead, a first board is waited for this long: an object that sleeps has to start.
pub const FIRST_READ_LIMIT: Millis = Millis(1_500);
/// A shard whose own board is older than this has lost its coordinator: another shard is asked.
pub const LOST: Millis = Millis(3_000);
/// After a read that failed, the next one waits this long: with all shards away, no request is held up by every read.
pub const PAUSE_AFTER_FAILURE: Millis = Millis(1_000);

/// Boards are read from so many of the first shards: a hundred thousand isolates that read once a second are 400 requests a
/// second at each, beside its joins, and in a run of thousands the others sleep.
const MOST_READ: u16 = 256;

const _: () = assert!(FRESH.0 < USABLE.0 && USABLE.0 < LOST.0);

/// What to do about the board for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Use the one that is there.
    Use,
    /// Use it, and read a new one in the background.
    UseAndRead,
    /// Read a new one first.
    ReadFirst,
    /// Another request is reading: wait for its result.
    Wait,
}

/// A board with its age, as one request uses it.
#[derive(Debug, Clone)]
pub struct InUse {
    /// The board.
    pub board: Rc<Board>,
    /// How old it is.
    pub age: Millis,
}

#[derive(Debug, Clone)]
struct Seen {
    board: Rc<Board>,
    /// The instant, on this isolate's clock, at which the board was true.
    true_at: UnixMillis,
}

/// What an isolate knows of one event's board.
#[derive(Debug, Clone, Default)]
pub struct BoardCache {
    seen: Option<Seen>,
    /// So many shards the run has, whatever nobody has told yet.
    planned: u16,
    shard: ShardIndex,
    reading_since: Option<UnixMillis>,
    not_before: UnixMillis,
}

impl BoardCache {
    /// Of a run that is planned with so many shards. The first is asked first, and when it does not answer another.
    pub fn of_shards(planned: u16) -> Self {
        Self {
            planned,
            ..Self::default()
        }
    }

    /// The board as it is now.
    pub fn in_use(&self, now: UnixMillis) -> Option<InUse> {
        let seen = self.seen.as_ref()?;
        // A clock that was set back: nobody knows how old it is, so it is as old as one that was lost.
        let age = match seen.true_at > now {
            true => Millis(LOST.0 + 1),
            false => now.since(seen.true_at),
        };
        Some(InUse {
            board: Rc::clone(&seen.board),
            age,
        })
    }

    /// What to do for a request at `now`.
    pub fn plan(&self, now: UnixMillis) -> Plan {
        let age = self.in_use(now).map(|in_use| in_use.age);
        let pauses = now < self.not_before && self.not_before.since(now) <= PAUSE_AFTER_FAILURE;
        let may_read = !pauses && !self.is_reading(now);
        match age {
            Some(age) if age <= FRESH => Plan::Use,
            Some(age) if age <= USABLE && may_read => Plan::UseAndRead,
            Some(age) if age <= USABLE => Plan::Use,
            _ if self.is_reading(now) => Plan::Wait,
            _ if may_read => Plan::ReadFirst,
            _ => Plan::Use,
        }
    }

    /// A read is under way; one that nobody finished counts as failed after its limit.
    pub fn is_reading(&self, now: UnixMillis) -> bool {
        self.reading_since
            .is_some_and(|since| since <= now && now.since(since) < self.read_limit())
    }

    /// How long a request waits for a read, its own or another's.
    pub fn read_limit(&self) -> Millis {
        match self.seen {
            Some(_) => READ_LIMIT,
            None => FIRST_READ_LIMIT,
        }
    }

    /// Which shard to read from.
    pub fn shard(&self) -> ShardIndex {
        self.shard
    }

    /// A read begins.
    pub fn begins(&mut self, now: UnixMillis) {
        self.reading_since = Some(now);
    }

    /// A shard told its board, asked for or along with another answer, to a question of the instant `asked`: the board is
    /// at least as old as that, however long the answer took. `dice` chooses the shard for the next read when this one has
    /// lost its coordinator or is behind.
    pub fn told(
        &mut self,
        from: ShardIndex,
        board: Option<Board>,
        age: Option<Millis>,
        (asked, now): (UnixMillis, UnixMillis),
        dice: u64,
    ) {
        if from == self.shard {
            self.reading_since = None;
        }
        let (Some(board), Some(age)) = (board, age) else {
            if from == self.shard {
                self.fails(now, dice);
            }
            return;
        };
        let behind = self
            .seen
            .as_ref()
            .is_some_and(|seen| board.version < seen.board.version);
        if (behind || age > LOST) && from == self.shard {
            self.turn_to_another(dice);
        } else if self.seen.is_none() {
            self.shard = ShardIndex((dice % readable(board.shards)) as u16);
        }
        let true_at = asked.min(now).minus(age);
        if let Some(seen) = self.seen.as_mut().filter(|seen| seen.true_at > now) {
            // By a clock that was set back: nothing is known of its age any more.
            seen.true_at = UnixMillis(0);
        }
        match &mut self.seen {
            Some(seen) if behind => debug_assert!(seen.board.version > board.version),
            Some(seen) if seen.board.version == board.version => {
                seen.true_at = seen.true_at.max(true_at)
            }
            seen => {
                *seen = Some(Seen {
                    board: Rc::new(board),
                    true_at,
                })
            }
        }
    }

    /// A shard said that the run was deleted: `board` stands for it from now on.
    pub fn deleted(&mut self, board: Board, now: UnixMillis) {
        self.reading_since = None;
        self.shard = ShardIndex(0);
        self.seen = Some(Seen {
            board: Rc::new(board),
            true_at: now,
        });
    }

    /// A read failed.
    pub fn fails(&mut self, now: UnixMillis, dice: u64) {
        self.reading_since = None;
        self.not_before = now.plus(PAUSE_AFTER_FAILURE);
        self.turn_to_another(dice);
    }

    fn turn_to_another(&mut self, dice: u64) {
        let told = self
            .seen
            .as_ref()
            .map_or(self.planned, |seen| seen.board.shards);
        let shards = readable(told);
        if shards > 1 {
            let step = 1 + dice % (shards - 1);
            self.shard = ShardIndex(((u64::from(self.shard.0) + step) % shards) as u16);
        } else {
            self.shard = ShardIndex(0);
        }
    }
}

/// From how many of so many shards a board is read, at least one.
fn readable(shards: u16) -> u64 {
    u64::from(shards.clamp(1, MOST_READ))
}

#[cfg(test)]
#[path = "boards_tests.rs"]
mod tests;
