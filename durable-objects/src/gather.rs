//! The group commit of a shard: what arrives within a window is applied together, stored in one
//! transaction, and answered.
//!
//! A window closes 25 ms after its first command. While a report is on its way it stays open until
//! the answer is there, because that answer has to be stored as well; while the next report has to
//! wait for the coordinator's pace it stays open until then, because only that report gets the
//! joins their numbers. Both within bounds. So there are two commits for each report. Commands whose
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

/// How long a claim waits for its grant before the visitor is told that it is pending.
pub const CLAIM_PATIENCE: Millis = Millis(1_000);

/// How long a question waits for the board that it needs: half of what an edge waits for an answer.
pub const QUESTION_PATIENCE: Millis = Millis(500);

/// Commands that wait here at the same time: 2 s of joins (the longest patience) at four times
/// what one object is planned for.
pub const MAX_WAITING: usize = 8_000;

const _: () = assert!(WINDOW.0 <= LONGEST_WINDOW.0);

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
    fresh: Vec<Asked<T>>,
    undecided: Vec<Asked<T>>,
}

impl<T> Default for Gather<T> {
    fn default() -> Self {
        Self {
            opened: None,
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
        if let ShardCommand::Join { arrived, .. } = &mut command {
            *arrived = Some(arrived.map_or(now, |earlier| earlier.min(now)));
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
        let at_the_latest = opened.plus(LONGEST_WINDOW);
        Some(match report {
            Report::UnderWay => at_the_latest,
            Report::NotBefore(pace) if pace > opened => pace.min(at_the_latest),
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

    /// When the next undecided command runs out of patience.
    pub fn patience_ends(&self) -> Option<UnixMillis> {
        self.undecided.iter().map(Asked::patience_ends).min()
    }

    /// Closes the window: what was gathered, in order of arrival.
    pub fn close(&mut self) -> Vec<Asked<T>> {
        self.opened = None;
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
mod tests {
    use anteroom_queue::shard::command::PlaceView;
    use anteroom_queue::units::{ClaimId, EntryNumber, LineIndex, Nonce, PlaceIndex};

    use super::*;

    const T: UnixMillis = UnixMillis(1_000_000);

    fn after(millis: u64) -> UnixMillis {
        T.plus(Millis(millis))
    }

    fn join() -> ShardCommand {
        ShardCommand::Join {
            nonce: Nonce([1; 16]),
            line: LineIndex(0),
            permit_expired: false,
            arrived: None,
        }
    }

    fn attempt() -> ShardCommand {
        ShardCommand::Try {
            nonce: Nonce([2; 16]),
            line: LineIndex(0),
            claim: ClaimId([3; 16]),
        }
    }

    fn claim() -> ShardCommand {
        ShardCommand::Claim {
            index: PlaceIndex(0),
            nonce: Nonce([1; 16]),
            claim: ClaimId([3; 16]),
        }
    }

    fn place(state: VisitorState, new: bool) -> ShardReply {
        ShardReply::Place {
            place: PlaceView {
                index: PlaceIndex(0),
                line: LineIndex(0),
                entry: (state != VisitorState::Provisional).then_some(EntryNumber(7)),
                rank: None,
                arrived: T,
                state,
                offer_until: None,
                session_ends: None,
                may_defer: false,
                was_admitted: false,
                missed_draw: false,
            },
            new,
        }
    }

    const PENDING: ShardReply = ShardReply::Pending { place: None };

    /// A gather in which `command` was applied once at `T` with `reply`.
    fn applied(command: ShardCommand, reply: ShardReply) -> (Gather<u8>, Option<(u8, ShardReply)>) {
        let mut gather = Gather::default();
        gather.take(command, 1, T).unwrap();
        let asked = gather.close().pop().unwrap();
        let answer = gather.settle(asked, reply);
        (gather, answer)
    }

    #[test]
    fn a_window_closes_25_ms_after_its_first_command_and_later_if_a_report_is_to_be_waited_for() {
        let mut gather = Gather::default();
        assert_eq!(gather.closes(Report::NotBefore(T)), None);
        gather.take(join(), 1, T).unwrap();
        gather.take(join(), 2, after(20)).unwrap();
        let rows = [
            (Report::NotBefore(UnixMillis(0)), 25),
            (Report::NotBefore(T), 25),
            (Report::NotBefore(after(7)), 7),
            (Report::NotBefore(after(56)), 56),
            (Report::NotBefore(after(5_000)), 100),
            (Report::UnderWay, 100),
        ];
        for (report, closes) in rows {
            assert_eq!(gather.closes(report), Some(after(closes)), "{report:?}");
        }
        assert_eq!(gather.close().len(), 2);
        assert_eq!(gather.closes(Report::UnderWay), None);
    }

    #[test]
    fn a_join_arrives_when_it_comes_in_or_when_it_first_did() {
        for (brought, arrives) in [
            (None, T),
            (Some(UnixMillis(T.0 - 7_000)), UnixMillis(T.0 - 7_000)),
            (Some(after(7_000)), T),
        ] {
            let mut gather = Gather::default();
            let mut command = join();
            if let ShardCommand::Join { arrived, .. } = &mut command {
                *arrived = brought;
            }
            gather.take(command, 1, T).unwrap();
            let asked = gather.close().pop().unwrap();
            let ShardCommand::Join { arrived, .. } = asked.command else {
                panic!("{asked:?}");
            };
            assert_eq!(arrived, Some(arrives), "{brought:?}");
        }
    }

    #[test]
    fn what_the_coordinator_decides_stays_and_everything_else_is_answered() {
        use VisitorState::{Provisional, Waiting};
        let refused = ShardReply::Refused {
            why: Refused::NotCalled,
            place: None,
        };
        let rows = [
            (join(), place(Provisional, true), true),
            (join(), place(Waiting, true), false),
            (claim(), PENDING, true),
            (claim(), refused, false),
            (attempt(), PENDING, true),
            (attempt(), refused, false),
        ];
        for (command, reply, stays) in rows {
            let what = format!("{command:?} {reply:?}");
            let (gather, answer) = applied(command, reply);
            assert_eq!(answer.is_none(), stays, "{what}");
            assert_eq!(gather.patience_ends().is_some(), stays, "{what}");
        }
    }

    #[test]
    fn a_join_that_made_its_place_says_so_also_when_its_number_comes_later() {
        let (mut gather, answer) = applied(join(), place(VisitorState::Provisional, true));
        assert_eq!(answer, None);
        let asked = gather.reconsider().pop().unwrap();
        let numbered = gather.settle(asked, place(VisitorState::Waiting, false));
        assert_eq!(numbered, Some((1, place(VisitorState::Waiting, true))));
    }

    #[test]
    fn out_of_patience_a_join_is_provisional_a_claim_pending_and_a_try_has_no_room() {
        let provisional = place(VisitorState::Provisional, true);
        let no_room = ShardReply::Refused {
            why: Refused::NoRoom,
            place: None,
        };
        let rows = [
            (join(), provisional, 2_000, provisional),
            (attempt(), PENDING, 1_500, no_room),
            (claim(), PENDING, 1_000, PENDING),
        ];
        for (command, reply, patience, told) in rows {
            let (mut gather, _) = applied(command, reply);
            assert_eq!(gather.patience_ends(), Some(after(patience)));
            assert_eq!(gather.out_of_patience(after(patience - 1)), []);
            assert_eq!(gather.out_of_patience(after(patience)), [(1, told)]);
            assert_eq!(gather.patience_ends(), None);
        }
    }

    #[test]
    fn a_full_gather_gives_the_visitor_back_and_keeps_the_others() {
        let mut gather = Gather::default();
        for count in 0..MAX_WAITING {
            gather.take(claim(), count, T).unwrap();
        }
        assert_eq!(gather.take(claim(), MAX_WAITING, T), Err(MAX_WAITING));
        assert_eq!(gather.close().len(), MAX_WAITING);
    }
}
