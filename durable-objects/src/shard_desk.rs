//! Everything a shard object does except I/O: it takes calls, gathers them into groups, applies them to the core, has
//! the rows stored, and only then gives answers and reports out.
//!
//! The object owns one desk and calls [`ShardDesk::step`] whenever [`ShardDesk::next`] is due or something has come in.
//! Every call is synchronous and is told the time, so a whole life of a shard can be replayed from a list. After a
//! [`WriteFailed`] the desk must not be used again: its state is newer than storage.

use anteroom_queue::board::Stock;
use anteroom_queue::limits::{CLOCK_TOLERANCE, LATE_AFTER};
use anteroom_queue::relay::command::RelayAnswer;
use anteroom_queue::shard::Shard;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::sync::SyncRequest;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::gather::{Asked, Gather};
use crate::permitted::is_visitors;
use crate::pump::Due;
use crate::push::{Listeners, Next};
use crate::storage::{Changes, Store, WriteFailed};
use crate::uplink::{SyncFailed, Uplink};
use crate::wire::{self, EdgeCounts, ShardAnswerRef, ShardBody};

/// A board read is answered from memory while the board is younger than this: with edges that use
/// a board for 1 s, a change is seen within 2 s.
pub const FRESH_BOARD: Millis = Millis(500);

/// How long a board read waits for news.
pub const BOARD_PATIENCE: Millis = Millis(250);

/// How long a board read waits when there is no board at all to answer with.
pub const FIRST_BOARD_PATIENCE: Millis = Millis(1_000);

const _: () = assert!(FIRST_BOARD_PATIENCE.0 < LATE_AFTER.0);

/// What a step gives out. Everything it promises is stored.
#[derive(Debug)]
pub struct Step<T> {
    /// Whom to answer, and the bytes.
    pub answers: Vec<(T, Vec<u8>)>,
    /// A report to send, with what edges have counted; its result is to be given to [`ShardDesk::hear`].
    pub report: Option<(SyncRequest, EdgeCounts)>,
    /// The first word of a round to all who listen; the others come from [`ShardDesk::next_word`].
    pub word: Option<String>,
}

impl<T> Step<T> {
    fn nothing() -> Self {
        Self {
            answers: Vec::new(),
            report: None,
            word: None,
        }
    }
}

/// A board read that waits for news.
#[derive(Debug)]
struct Reader<T> {
    to: T,
    patience_ends: UnixMillis,
}

/// The shell of one shard.
#[derive(Debug)]
pub struct ShardDesk<T> {
    shard: Shard,
    run: u32,
    gather: Gather<T>,
    uplink: Uplink,
    readers: Vec<Reader<T>>,
    listeners: Listeners,
    counts: EdgeCounts,
    /// What the report under way says is left: said again if it fails, unlike the counts: twice changes nothing.
    stock_said: Option<Stock>,
    heard: Option<Result<RelayAnswer, SyncFailed>>,
    /// The coordinator was deleted: the run is over for good.
    is_coordinator_forgotten: bool,
    /// The time of the last step.
    stepped: UnixMillis,
}

impl<T> ShardDesk<T> {
    /// A desk for a shard whose rows are all stored. It asks for the board at once.
    pub fn new(run: u32, shard: Shard, now: UnixMillis) -> Self {
        let mut uplink = Uplink::default();
        uplink.want(now);
        Self {
            shard,
            run,
            gather: Gather::default(),
            uplink,
            readers: Vec::new(),
            listeners: Listeners::default(),
            counts: EdgeCounts::default(),
            stock_said: None,
            heard: None,
            is_coordinator_forgotten: false,
            stepped: now,
        }
    }

    /// Takes a visitor's command; the answer comes out of a later step. Gives `to` back when too
    /// many wait already.
    pub fn ask(&mut self, command: ShardCommand, to: T, now: UnixMillis) -> Result<(), T> {
        assert!(is_visitors(&command), "not a visitor's: {command:?}");
        let taken = self.gather.take(command, to, now);
        if self.gather.is_full() {
            self.uplink.rests_no_more();
        }
        taken
    }

    /// An edge reads the board: answered at once while it is fresh or no news can be had in time, otherwise later.
    pub fn read_board(
        &mut self,
        counts: EdgeCounts,
        to: T,
        now: UnixMillis,
        store: &mut impl Store,
    ) -> Result<Option<(T, Vec<u8>)>, WriteFailed> {
        self.counts.add(counts);
        if self.sells_out_or_again(counts.stock) {
            self.uplink.want(now);
        }
        self.shard.carry_out(ShardCommand::Look, now);
        self.commit(store)?;
        let fresh = self
            .shard
            .board_age(now)
            .is_some_and(|age| age < FRESH_BOARD);
        if fresh {
            return Ok(Some((to, self.answer(ShardBody::Board, now))));
        }
        self.uplink.want(now);
        let patience = match self.shard.board() {
            Some(_) => BOARD_PATIENCE,
            None => FIRST_BOARD_PATIENCE,
        };
        let patience_ends = now.plus(patience);
        let next_report = self.next_report(now);
        let in_time = self.uplink.is_under_way()
            || self
                .uplink
                .due(next_report)
                .is_some_and(|due| due < patience_ends);
        if !in_time {
            return Ok(Some((to, self.answer(ShardBody::Board, now))));
        }
        self.readers.push(Reader { to, patience_ends });
        Ok(None)
    }

    /// Whether an origin says other than the board that nothing, or something, is left: everybody is
    /// to know at once.
    fn sells_out_or_again(&self, stock: Option<Stock>) -> bool {
        let known = self.shard.board().and_then(|board| board.stock);
        stock.is_some_and(|stock| {
            let news = known.is_none_or(|known| stock.is_later_than(&known));
            news && (stock.left == 0) != known.is_some_and(|known| known.left == 0)
        })
    }

    pub fn listeners(&mut self) -> &mut Listeners {
        &mut self.listeners
    }

    /// One more wants to listen: the word for a greeting, if there is a board. `None`: too many do already.
    pub fn greet(&mut self, now: UnixMillis) -> Option<Option<String>> {
        let board = self.shard.board().zip(self.shard.board_age(now));
        self.listeners
            .have_room()
            .then(|| board.map(|(board, age)| self.listeners.greeting(self.run, board, age, now)))
    }

    /// The coordinator wants a report now: it leaves with a later step. The answer is the board as it is.
    pub fn poke(&mut self, now: UnixMillis) -> Vec<u8> {
        self.uplink.want(now);
        self.answer(ShardBody::Board, now)
    }

    /// What came of the report that a step gave out; the next step takes it in.
    pub fn hear(&mut self, result: Result<RelayAnswer, SyncFailed>) {
        assert!(self.uplink.is_under_way(), "an answer to no report");
        self.heard = Some(match result {
            Ok(RelayAnswer { reply, .. }) if reply.run != self.run => Err(SyncFailed::Refused(
                format!("run: answered {}, asked {}", reply.run, self.run),
            )),
            other => other,
        });
    }

    /// Carries out what is due: takes in an answer of the coordinator, closes the window, stores,
    /// answers, reports. `dice` is random.
    pub fn step(
        &mut self,
        now: UnixMillis,
        dice: u32,
        store: &mut impl Store,
    ) -> Result<Step<T>, WriteFailed> {
        self.mind_clock(now);
        let mut replies = Vec::new();
        if self.shard.next_wakeup().is_some_and(|at| at <= now) {
            self.shard.carry_out(ShardCommand::Wake, now);
        }
        let heard = self.heard.take();
        let news = heard.is_some();
        if let Some(result) = heard {
            self.take_in(result, now, dice, &mut replies);
        }
        if self.is_coordinator_forgotten {
            return Ok(Step::nothing());
        }
        if news || self.is_window_over(now) || self.is_report_due(now) {
            let fresh = self.gather.close();
            self.carry_out(fresh, now, &mut replies);
        }
        self.commit(store)?;
        replies.extend(self.gather.out_of_patience(now));
        let mut answers: Vec<(T, Vec<u8>)> = replies
            .into_iter()
            .map(|(to, reply)| {
                let reply = self.shard.with_appointment(reply, now);
                (to, self.answer(ShardBody::Reply(reply), now))
            })
            .collect();
        self.answer_readers(news, now, &mut answers);
        let word = self.word(now);
        let report = self.is_report_due(now).then(|| {
            self.uplink.starts(now);
            self.gather.report_leaves();
            self.stock_said = self.counts.stock;
            (self.shard.report(now), core::mem::take(&mut self.counts))
        });
        Ok(Step {
            answers,
            report,
            word,
        })
    }

    /// What is to be said to all who listen, if it is time.
    fn word(&mut self, now: UnixMillis) -> Option<String> {
        let (board, age) = (self.shard.board()?, self.shard.board_age(now)?);
        self.listeners
            .due(Some(board), now)
            .filter(|at| *at <= now)?;
        self.listeners.called_are(self.shard.called_here());
        Some(self.listeners.word(self.run, board, age, now))
    }

    /// The word for the next slice of the round that goes on.
    pub fn next_word(&mut self, now: UnixMillis) -> Option<Next> {
        let (board, age) = (self.shard.board()?, self.shard.board_age(now)?);
        self.listeners.called_are(self.shard.called_here());
        Some(self.listeners.next(self.run, board, age, now))
    }

    /// When the next report is due by itself: the core has something to say, or somebody listens for news.
    fn next_report(&self, now: UnixMillis) -> Option<UnixMillis> {
        let (board, age) = (self.shard.board(), self.shard.board_age(now));
        let news = self.listeners.want_news(board, age, now);
        self.shard.next_report(now).into_iter().chain(news).min()
    }

    #[cfg(test)]
    pub fn board(&self) -> Option<&anteroom_queue::board::Board> {
        self.shard.board()
    }

    /// Whether everything of the run is to be deleted: not by what was last heard alone, since the
    /// operator may have taken the end back meanwhile. The coordinator has to say it again, or to
    /// be deleted itself: then nothing that this shard may hold is of a run any more, even if it began
    /// after that and knows of no end, and whoever waits here is refused.
    pub fn is_to_be_forgotten(&self, now: UnixMillis) -> bool {
        self.is_coordinator_forgotten || self.shard.is_to_be_forgotten(now)
    }

    /// When the next step is due. The core's next report is due when the way to the coordinator
    /// allows it, and no deadline of its own.
    pub fn due(&self, now: UnixMillis) -> Due {
        let next_report = self.next_report(now);
        let deadline = self
            .shard
            .next_wakeup()
            .filter(|at| Some(*at) != self.shard.next_report(now));
        let report = self.uplink.due(next_report);
        let somebody = [
            self.heard.is_some().then_some(now),
            self.gather.closes(self.uplink.report()),
            self.gather.patience_ends(),
            self.readers.iter().map(|reader| reader.patience_ends).min(),
            self.listeners.due(self.shard.board(), now),
            report,
        ];
        let lasting = [deadline, next_report.and(report.or(Some(now)))];
        Due {
            somebody: somebody.into_iter().flatten().min(),
            deadline,
            lasting: lasting.into_iter().flatten().min(),
        }
    }

    /// A clock that was set back by more than it may be wrong is believed (as the core does), and
    /// nobody waits for the old time to come again.
    fn mind_clock(&mut self, now: UnixMillis) {
        if now.plus(CLOCK_TOLERANCE) < self.stepped {
            self.gather.start_clock_anew(now);
            self.uplink.start_clock_anew(now);
            for reader in &mut self.readers {
                reader.patience_ends = now;
            }
        }
        self.stepped = now;
    }

    fn is_window_over(&self, now: UnixMillis) -> bool {
        self.gather
            .closes(self.uplink.report())
            .is_some_and(|at| at <= now)
    }

    fn is_report_due(&self, now: UnixMillis) -> bool {
        self.uplink
            .due(self.next_report(now))
            .is_some_and(|at| at <= now)
    }

    /// Has everything stored that was carried out.
    fn commit(&mut self, store: &mut impl Store) -> Result<(), WriteFailed> {
        let mut changes = Changes::default();
        changes.extend(self.shard.take_rows());
        store.commit(changes)
    }

    /// The coordinator's answer, and with it everything that waited for it.
    fn take_in(
        &mut self,
        result: Result<RelayAnswer, SyncFailed>,
        now: UnixMillis,
        dice: u32,
        replies: &mut Vec<(T, ShardReply)>,
    ) {
        match result {
            Ok(RelayAnswer { reply, behind }) => {
                self.uplink.succeeded(reply.next_sync, dice);
                self.uplink.rests(self.gather.pace(), dice);
                self.shard
                    .carry_out(ShardCommand::Relayed { reply, behind }, now);
                let undecided = self.gather.reconsider();
                self.carry_out(undecided, now, replies);
            }
            Err(why) => {
                self.is_coordinator_forgotten |= why == SyncFailed::Forgotten;
                self.counts.add(EdgeCounts {
                    stock: self.stock_said.take(),
                    ..EdgeCounts::default()
                });
                self.uplink.failed(now, &why, dice);
            }
        }
    }

    fn carry_out(
        &mut self,
        group: Vec<Asked<T>>,
        now: UnixMillis,
        replies: &mut Vec<(T, ShardReply)>,
    ) {
        for asked in group {
            let reply = self.shard.carry_out(asked.command.clone(), now);
            replies.extend(self.gather.settle(asked, reply));
        }
    }

    /// After news (good or bad) every reader is answered, otherwise those out of patience.
    fn answer_readers(&mut self, news: bool, now: UnixMillis, answers: &mut Vec<(T, Vec<u8>)>) {
        if self.readers.is_empty() {
            return;
        }
        let board = self.answer(ShardBody::Board, now);
        let (over, staying) = core::mem::take(&mut self.readers)
            .into_iter()
            .partition::<Vec<_>, _>(|reader| news || reader.patience_ends <= now);
        self.readers = staying;
        answers.extend(over.into_iter().map(|reader| (reader.to, board.clone())));
    }

    fn answer(&self, body: ShardBody, now: UnixMillis) -> Vec<u8> {
        wire::encode(&ShardAnswerRef {
            board: self.shard.board(),
            board_age_ms: self.shard.board_age(now).map(|age| age.0),
            body,
        })
    }
}

#[cfg(test)]
#[path = "shard_desk_tests.rs"]
mod tests;
