//! The group commit of a shard: what arrives within a window is applied together, stored in one
//! transaction, and answered.
//!
//! A window closes 25 ms after its first command. While a report is on its way it stays open until
//! the answer is there, because that answer has to be stored as well; while the next report has to
//! wait for the pace it stays open until then, because only that report gets the
//! joins their numbers. Both within bounds, which are wider while nothing but joins waits. So there are two commits for
//! each report. The more joins a report brings, the later the next one leaves ([`Gather::pace`]): so they cost few rows
//! however many they are. Commands whose
//! answer the coordinator decides (a join without its number, a claim, a try) and those that need a board stay here and
//! are applied again after each answer of the coordinator, until they are decided or their patience
//! is over. Applying a command twice is harmless: all of them are idempotent.

use anteroom_queue::limits::{LATE_AFTER, TRY_DECISION};
use anteroom_queue::shard::command::{Refused, ShardCommand, ShardReply, VisitorState};
use anteroom_queue::units::{Millis, UnixMillis};

/// How long commands are gathered: a tenth of what a join may take is spent on waiting at most
/// once here and once at the coordinator.
pub const WINDOW: Millis = Millis(25);

/// How long commands are gathered at most while a report is on its way or has to wait: a
/// coordinator that hangs must not hold up what needs no coordinator.
pub const LONGEST_WINDOW: Millis = Millis(100);

/// The same while only joins have come: a join waits for a report whatever the window does.
pub const LONGEST_WINDOW_OF_JOINS: Millis = LONGEST_PACE_OF_JOINS;

/// For each join of a report the next one leaves so much later. At a rate of 250 joins a second and more it grows with
/// every report, up to the longest pace: below, single rows are cheap.
const PACE_OF_A_JOIN: Millis = Millis(4);

/// The longest pace for the sake of joins: less than half of what a join may take. With two commits of the shard and one of
/// the coordinator for each report that is fifteen commits a second at any rate.
const LONGEST_PACE_OF_JOINS: Millis = Millis(200);

/// So many joins are a group, which leaves as soon as the parent allows: at 1,250 joins a second and more the longest pace
/// would only make them wait. Four rows for 256 of them are half of what the pace is for.
const FULL_GROUP: usize = 256;

/// How long a claim waits for its grant before the visitor is told that it is pending.
pub const CLAIM_PATIENCE: Millis = Millis(1_000);

/// How long a question waits for the board that it needs: half of what an edge waits for an answer.
pub const QUESTION_PATIENCE: Millis = Millis(500);

/// Commands that wait here at the same time: 2 s of joins (the longest patience) at four times
/// what one object is planned for.
pub const MAX_WAITING: usize = 8_000;

const _: () = assert!(WINDOW.0 <= LONGEST_WINDOW.0);
const _: () = assert!(LONGEST_WINDOW.0 <= LONGEST_WINDOW_OF_JOINS.0);

/// A command, whom to answer, and since when it waits.
#[derive(Debug)]
pub struct Asked<T> {
    /// The command.
    pub command: ShardCommand,
    to: T,
    since: UnixMillis,
    made_new: Option<bool>,
    last: ShardReply,
}

impl<T> Asked<T> {
    /// The answer as this visitor gets it: whether a place is new is what the first application
    /// said.
    fn as_first(&mut self, reply: ShardReply) -> ShardReply {
        match reply {
            ShardReply::Place { place, new } => ShardReply::Place {
                place,
                new: *self.made_new.get_or_insert(new),
            },
            other => other,
        }
    }

    /// When it is answered even if it is not decided.
    fn patience_ends(&self) -> UnixMillis {
        self.since.plus(match self.command {
            ShardCommand::Join { .. } => LATE_AFTER,
            ShardCommand::Try { .. } => TRY_DECISION,
            ShardCommand::Ask { .. } => QUESTION_PATIENCE,
            _ => CLAIM_PATIENCE,
        })
    }

    /// What it is told when its patience is over: a join is provisional (or pending, if only an outdated
    /// board refuses it), what needs a board pending; a try leaves nothing behind (the core gives a late grant back).
    fn out_of_patience(self) -> (T, ShardReply) {
        let reply = match self.command {
            ShardCommand::Try { .. } => ShardReply::Refused {
                why: Refused::NoRoom,
                place: None,
            },
            _ => self.last,
        };
        (self.to, reply)
    }
}

/// Whether `reply` may change with the coordinator's next answer.
fn is_undecided(command: &ShardCommand, reply: &ShardReply) -> bool {
    match (command, reply) {
        (ShardCommand::Join { .. }, ShardReply::Place { place, .. }) => {
            place.state == VisitorState::Provisional
        }
        (
            ShardCommand::Join { .. }
            | ShardCommand::Try { .. }
            | ShardCommand::Ask { .. }
            | ShardCommand::Claim { .. }
            | ShardCommand::ClaimFrom { .. }
            | ShardCommand::Defer { .. },
            ShardReply::Pending { .. },
        ) => true,
        _ => false,
    }
}

/// Whether a report can leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// One is on its way.
    UnderWay,
    /// The next may leave from this instant on.
    NotBefore(UnixMillis),
}

/// The commands that wait in a shard.
#[derive(Debug)]
pub struct Gather<T> {
    opened: Option<UnixMillis>,
    /// Something else than joins has come into the window.
    has_others: bool,
    /// Joins that the last report brought.
    reported: usize,
    /// Joins that have come since.
    unreported: usize,
    fresh: Vec<Asked<T>>,
    undecided: Vec<Asked<T>>,
}

impl<T> Default for Gather<T> {
    fn default() -> Self {
        Self {
            opened: None,
            has_others: false,
            reported: 0,
            unreported: 0,
            fresh: Vec::new(),
            undecided: Vec::new(),
        }
    }
}

impl<T> Gather<T> {
    /// Takes a command into the window; gives `to` back when [`MAX_WAITING`] are there already. A
    /// join arrives now (or has before), not when the window closes: at an opening that decides who
    /// is in the draw.
    pub fn take(&mut self, mut command: ShardCommand, to: T, now: UnixMillis) -> Result<(), T> {
        if self.fresh.len() + self.undecided.len() >= MAX_WAITING {
            return Err(to);
        }
        match &mut command {
            ShardCommand::Join { arrived, .. } => {
                *arrived = Some(arrived.map_or(now, |earlier| earlier.min(now)));
                self.unreported += 1;
            }
            _ => self.has_others = true,
        }
        self.opened.get_or_insert(now);
        self.fresh.push(Asked {
            command,
            to,
            since: now,
            made_new: None,
            last: ShardReply::Done,
        });
        Ok(())
    }

    /// When the window closes, if it is open.
    pub fn closes(&self, report: Report) -> Option<UnixMillis> {
        let opened = self.opened?;
        let at_the_latest = opened.plus(match self.has_others {
            false => LONGEST_WINDOW_OF_JOINS,
            true => LONGEST_WINDOW,
        });
        Some(match report {
            Report::UnderWay => at_the_latest,
            Report::NotBefore(pace) if pace > opened => pace.min(at_the_latest),
            Report::NotBefore(_) if self.is_full() => opened,
            Report::NotBefore(_) => opened.plus(WINDOW),
        })
    }

    /// The clock was set back to `now`: everything counts from there.
    pub fn start_clock_anew(&mut self, now: UnixMillis) {
        self.opened = self.opened.map(|_| now);
        for asked in self.fresh.iter_mut().chain(&mut self.undecided) {
            asked.since = now;
        }
    }

    /// A report leaves, which brings the joins that wait for their numbers.
    pub fn report_leaves(&mut self) {
        let is_join = |asked: &&Asked<T>| matches!(asked.command, ShardCommand::Join { .. });
        self.reported = self.undecided.iter().filter(is_join).count();
        self.unreported = 0;
    }

    /// Whether the next report is not to rest any longer for the sake of joins.
    pub fn is_full(&self) -> bool {
        self.unreported >= FULL_GROUP
    }

    /// How long after the last report the next one leaves, for the sake of joins.
    pub fn pace(&self) -> Millis {
        if self.is_full() {
            return Millis(0);
        }
        Millis((self.reported as u64 * PACE_OF_A_JOIN.0).min(LONGEST_PACE_OF_JOINS.0))
    }

    /// When the next undecided command runs out of patience.
    pub fn patience_ends(&self) -> Option<UnixMillis> {
        self.undecided.iter().map(Asked::patience_ends).min()
    }

    /// Closes the window: what was gathered, in order of arrival.
    pub fn close(&mut self) -> Vec<Asked<T>> {
        self.opened = None;
        self.has_others = false;
        core::mem::take(&mut self.fresh)
    }

    /// What waits for the coordinator, in order of arrival, to be applied again.
    pub fn reconsider(&mut self) -> Vec<Asked<T>> {
        core::mem::take(&mut self.undecided)
    }

    /// Sorts an applied command: an answer if it is decided, otherwise it stays.
    pub fn settle(&mut self, mut asked: Asked<T>, reply: ShardReply) -> Option<(T, ShardReply)> {
        let undecided = is_undecided(&asked.command, &reply);
        let reply = asked.as_first(reply);
        if undecided {
            asked.last = reply;
            self.undecided.push(asked);
            return None;
        }
        Some((asked.to, reply))
    }

    /// Takes out those whose patience is over at `now`, with what they are told.
    pub fn out_of_patience(&mut self, now: UnixMillis) -> Vec<(T, ShardReply)> {
        if self.patience_ends().is_none_or(|end| end > now) {
            return Vec::new();
        }
        let (over, staying) = core::mem::take(&mut self.undecided)
            .into_iter()
            .partition(|asked| asked.patience_ends() <= now);
        self.undecided = staying;
        let over: Vec<Asked<T>> = over;
        over.into_iter().map(Asked::out_of_patience).collect()
    }
}

#[cfg(test)]
#[path = "gather_tests.rs"]
mod tests;
