//! The shell of a shard, as lean as it can be and as the real one is: a window of 25 ms, longer while a report is on its way
//! or has to wait; what the coordinator decides is applied again after each answer; one commit, and then what it promises.
//! Visitors are two numbers a place here, everything else about them is the core's.

use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::sync::SyncRequest;
use anteroom_queue::units::{
    ClaimId, Generation, LineIndex, Millis, Nonce, PlaceIndex, ShardIndex,
};

use super::messages::{Answered, Ask};
use super::meters::{Second, Server};
use super::uplink::Uplink;
use super::waiting::{Waiting, is_undecided};
use super::way::Trails;
use super::word::{NEWS_MS, Word};
use super::{RUN, clock};
use crate::chance::{Chance, mixed};

/// How long commands are gathered; and at most while a report is on its way or has to wait, and nothing but joins has come.
const WINDOW_MS: u64 = 25;
const LONGEST_WINDOW_MS: u64 = 100;
const LONGEST_WINDOW_OF_JOINS_MS: u64 = 200;

/// For each join of a report the next one leaves so much later, up to the longest window of joins.
const PACE_OF_A_JOIN_MS: u64 = 4;

/// A board read is answered at once from a board younger than this, and waits for a newer one so long.
const FRESH_BOARD_MS: u64 = 500;
const BOARD_PATIENCE_MS: u64 = 250;

/// Commands that wait at most.
const MAX_WAITING: usize = 8_000;

/// A place in the memory of a native build, measured over a million places.
const BYTES_OF_A_PLACE: u64 = 89;

/// What a step gives out once its rows are durable.
#[derive(Default)]
pub struct Given {
    /// To visitors.
    pub answers: Vec<(Ask, ShardReply)>,
    /// To isolates, which asked then.
    pub boards: Vec<(u32, u64)>,
    /// To the parent.
    pub report: Option<Box<SyncRequest>>,
    /// Rows of the commit.
    pub rows: u32,
    /// How long the report that was answered took.
    pub round_trip: Option<u64>,
}

/// One shard.
pub struct ShardShell {
    pub core: Shard,
    pub server: Server,
    pub second: Second,
    pub uplink: Uplink,
    /// Who has each place, and its entry number once it is acknowledged.
    pub visitors: Vec<u32>,
    pub entries: Vec<u32>,
    /// Pages that listen, and how many places were told that their turn has come.
    pub sockets: u64,
    pub told: usize,
    /// The last word to them.
    pub word: Word,
    /// The step that is planned.
    pub planned: u64,
    opened: Option<u64>,
    /// Something else than joins is in the window; joins that the last report brought.
    has_others: bool,
    reported: u64,
    fresh: Vec<(Ask, u64)>,
    waiting: Vec<Waiting>,
    readers: Vec<(u32, u64)>,
    heard: Option<Answered>,
    /// Where its reports are.
    pub trails: Trails,
}

/// The permit's number of a visitor.
pub fn nonce(visitor: u32) -> Nonce {
    let (one, other) = (mixed(u64::from(visitor)), mixed(!u64::from(visitor)));
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&one.to_le_bytes());
    bytes[8..].copy_from_slice(&other.to_le_bytes());
    Nonce(bytes)
}

impl ShardShell {
    /// A shard that is asked for the first time.
    pub fn new(shard: u16, settings: anteroom_queue::settings::Settings, now: u64) -> Self {
        let identity = Identity {
            run: RUN,
            shard: ShardIndex(shard),
        };
        let mut uplink = Uplink::default();
        uplink.want(now);
        Self {
            core: Shard::new(identity, settings, clock(now)).reply,
            server: Server::default(),
            second: Second::default(),
            uplink,
            visitors: Vec::new(),
            entries: Vec::new(),
            sockets: 0,
            told: 0,
            word: Word::default(),
            planned: u64::MAX,
            opened: None,
            has_others: false,
            reported: 0,
            fresh: Vec::new(),
            waiting: Vec::new(),
            readers: Vec::new(),
            heard: None,
            trails: Trails::default(),
        }
    }

    /// Takes a visitor's command into the window; whether there is room.
    pub fn take(&mut self, mut ask: Ask, now: u64) -> bool {
        if let Ask::Join(join) = &mut ask {
            join.taken_ms = now as u32;
        }
        if self.fresh.len() + self.waiting.len() >= MAX_WAITING {
            return false;
        }
        self.opened.get_or_insert(now);
        self.has_others |= !matches!(ask, Ask::Join(_));
        self.fresh.push((ask, now));
        true
    }

    /// It vanishes: whose calls break off.
    pub fn break_off(&mut self) -> Vec<Ask> {
        let fresh = std::mem::take(&mut self.fresh)
            .into_iter()
            .map(|(ask, _)| ask);
        let waiting = std::mem::take(&mut self.waiting);
        fresh
            .chain(waiting.into_iter().map(|waiting| waiting.ask))
            .collect()
    }

    /// How old the board is, at most.
    pub fn board_age(&self, now: u64) -> Option<u64> {
        self.core.board_age(clock(now)).map(|age| age.0)
    }

    /// An isolate reads the board: whether it is answered at once.
    pub fn read(&mut self, isolate: u32, now: u64) -> bool {
        self.core.carry_out(ShardCommand::Look, clock(now));
        if self.board_age(now).is_some_and(|age| age < FRESH_BOARD_MS) {
            return true;
        }
        self.uplink.want(now);
        let due = self.uplink.due(self.next_report(now));
        let in_time =
            self.uplink.is_under_way() || due.is_some_and(|due| due < now + BOARD_PATIENCE_MS);
        if self.core.board().is_some() && !in_time {
            return true;
        }
        self.readers.push((isolate, now));
        false
    }

    /// The parent has answered, or not.
    pub fn hear(&mut self, answered: Answered) {
        self.heard = Some(answered);
    }

    fn next_report(&self, now: u64) -> Option<u64> {
        let own = self.core.next_report(clock(now));
        let own = own.map(super::since_start);
        let news = (self.sockets > 0).then(|| {
            let age = self.board_age(now).unwrap_or(NEWS_MS);
            now + NEWS_MS.saturating_sub(age)
        });
        own.into_iter().chain(news).min()
    }

    fn window_closes(&self) -> Option<u64> {
        let opened = self.opened?;
        let latest = opened
            + match self.has_others {
                false => LONGEST_WINDOW_OF_JOINS_MS,
                true => LONGEST_WINDOW_MS,
            };
        let pace = self.uplink.not_before();
        Some(match self.uplink.is_under_way() {
            true => latest,
            false if pace > opened => pace.min(latest),
            false => opened + WINDOW_MS,
        })
    }

    /// When the next step is due.
    pub fn due(&self, now: u64) -> Option<u64> {
        let report = self.uplink.due(self.next_report(now));
        let wakeup = self.core.next_wakeup().map(super::since_start);
        let own = self.core.next_report(clock(now)).map(super::since_start);
        let deadline = wakeup.filter(|at| Some(*at) != own);
        let patience = self.waiting.iter().map(Waiting::patience_ends).min();
        let reader = self.readers.first().map(|(_, at)| at + BOARD_PATIENCE_MS);
        let heard = self.heard.is_some().then_some(now);
        let version = self.core.board().map(|board| board.version);
        let word = version
            .filter(|version| self.sockets > 0 && *version != self.word.version)
            .map(|_| self.word.due());
        [
            report,
            deadline,
            patience,
            reader,
            heard,
            word,
            self.window_closes(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// What it holds, by the bytes that a place was measured to take.
    pub const fn bytes(&self) -> u64 {
        self.visitors.len() as u64 * BYTES_OF_A_PLACE
    }

    /// Carries out what is due.
    pub fn step(&mut self, now: u64, chance: &mut Chance) -> Given {
        let mut given = Given::default();
        if self.core.next_wakeup().is_some_and(|at| at <= clock(now)) {
            self.core.carry_out(ShardCommand::Wake, clock(now));
        }
        let heard = self.heard.take();
        let news = heard.is_some();
        if let Some(answered) = heard {
            given.round_trip = self.take_in(answered, now, chance, &mut given.answers);
        }
        let report_due = |shell: &Self| {
            let due = shell.uplink.due(shell.next_report(now));
            due.is_some_and(|at| at <= now)
        };
        if news || self.window_closes().is_some_and(|at| at <= now) || report_due(self) {
            (self.opened, self.has_others) = (None, false);
            let mut fresh = std::mem::take(&mut self.fresh);
            for (ask, since) in fresh.drain(..) {
                self.carry_out(ask, since, now, &mut given.answers);
            }
            self.fresh = fresh;
        }
        self.out_of_patience(now, &mut given.answers);
        for (_, reply) in &mut given.answers {
            *reply = self.core.with_appointment(*reply, clock(now));
        }
        self.answer_readers(news, now, &mut given.boards);
        if report_due(self) {
            self.uplink.starts(now);
            let joins = self.waiting.iter();
            self.reported = joins
                .filter(|waiting| matches!(waiting.ask, Ask::Join(_)))
                .count() as u64;
            let report = Box::new(self.core.report(clock(now)));
            let counted = self.visitors.len() as u32;
            self.trails.start(report.sent.0, counted, now);
            given.report = Some(report);
        }
        given.rows = self.core.count_rows() as u32;
        given
    }

    fn take_in(
        &mut self,
        answered: Answered,
        now: u64,
        chance: &mut Chance,
        answers: &mut Vec<(Ask, ShardReply)>,
    ) -> Option<u64> {
        let (pace, command) = match answered {
            Answered::Failed => {
                self.uplink.failed(now, chance);
                return None;
            }
            Answered::Direct(reply) => (reply.next_sync, ShardCommand::Synced { reply: *reply }),
            Answered::Relayed(reply, behind) => {
                let reply = *reply;
                (reply.next_sync, ShardCommand::Relayed { reply, behind })
            }
        };
        let of_joins = (self.reported * PACE_OF_A_JOIN_MS).min(LONGEST_WINDOW_OF_JOINS_MS);
        let pace = pace.max(Millis(of_joins));
        let took = self.uplink.succeeded(pace, now, chance);
        self.core.carry_out(command, clock(now));
        for waiting in std::mem::take(&mut self.waiting) {
            self.carry_out(waiting.ask, waiting.since, now, answers);
        }
        Some(took)
    }

    fn carry_out(&mut self, ask: Ask, since: u64, now: u64, answers: &mut Vec<(Ask, ShardReply)>) {
        let command = self.command(ask, since);
        let reply = self.core.carry_out(command, clock(now));
        if let (Ask::Join(join), ShardReply::Place { place, new: true }) = (ask, reply) {
            assert_eq!(
                place.index.0 as usize,
                self.visitors.len(),
                "places are in order"
            );
            self.visitors.push(join.visitor);
            self.entries.push(super::NONE);
        }
        let last = reply;
        match is_undecided(ask, &reply) {
            true => self.waiting.push(Waiting { ask, since, last }),
            false => answers.push((ask, reply)),
        }
    }

    fn command(&self, ask: Ask, since: u64) -> ShardCommand {
        let of = |index: u32| (PlaceIndex(index), nonce(self.visitors[index as usize]));
        let claim_id = |index: u32| ClaimId(nonce(!self.visitors[index as usize]).0);
        let generation = Generation(0);
        match ask {
            Ask::Join(join) => ShardCommand::Join {
                nonce: nonce(join.visitor),
                line: LineIndex(0),
                permit_expired: false,
                arrived: Some(clock(since)),
            },
            Ask::State(_, index) => {
                let ((index, nonce), claim) = (of(index), claim_id(index));
                ShardCommand::Ask {
                    index,
                    nonce,
                    claim,
                }
            }
            Ask::Claim(index, _) => {
                let ((index, nonce), claim) = (of(index), claim_id(index));
                ShardCommand::Claim {
                    index,
                    nonce,
                    claim,
                }
            }
            Ask::Renew(index) => ShardCommand::Renew {
                index: PlaceIndex(index),
                generation,
            },
            Ask::Release(index) => ShardCommand::Release {
                index: PlaceIndex(index),
                generation,
            },
            Ask::Board(_) | Ask::Listen(_) | Ask::Poke => ShardCommand::Look,
        }
    }

    fn out_of_patience(&mut self, now: u64, answers: &mut Vec<(Ask, ShardReply)>) {
        let is_over = |waiting: &Waiting| waiting.patience_ends() <= now;
        if self.waiting.iter().any(is_over) {
            let (over, staying): (Vec<Waiting>, _) = std::mem::take(&mut self.waiting)
                .into_iter()
                .partition(is_over);
            self.waiting = staying;
            answers.extend(over.into_iter().map(|waiting| (waiting.ask, waiting.last)));
        }
    }

    fn answer_readers(&mut self, news: bool, now: u64, boards: &mut Vec<(u32, u64)>) {
        let is_over = |reader: &(u32, u64)| news || reader.1 + BOARD_PATIENCE_MS <= now;
        boards.extend(self.readers.iter().filter(|reader| is_over(reader)));
        self.readers.retain(|reader| !is_over(reader));
    }
}
