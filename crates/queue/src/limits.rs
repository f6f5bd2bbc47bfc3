//! Every limit of the core, with its unit and where it comes from.

use crate::units::Millis;

/// Lines in one queue. A board stays below 10 kB with all of them and the longest texts.
pub const MAX_LINES: usize = 8;

/// Places that one shard is planned for: what one object can hold of sockets with a broadcast
/// below half a second (measured: 9,000 sockets p99 600 ms), so that one number sizes both.
pub const PLANNED_PLACES: u64 = 8_000;

/// Places after which a shard takes no more: 20 times the plan, 16 MB of memory.
pub const MAX_PLACES: u32 = 160_000;

/// Shards that report to the coordinator itself: 400,000 places as planned, with a level less on the way of each join.
pub const DIRECT_SHARDS: u16 = 50;

/// Shards behind one relay: each still reports every 160 ms within [`COORDINATOR_REQUESTS_PER_SECOND`].
pub const RELAY_CHILDREN: u16 = 80;

/// Relays of a run.
pub const MAX_RELAYS: u16 = 80;

/// Children of a coordinator, shards and relays: when all are busy each reports every 260 ms.
pub const MAX_CHILDREN: u16 = DIRECT_SHARDS + MAX_RELAYS;

/// Shards of a run: 51,600,000 places as planned.
pub const MAX_SHARDS: u16 = DIRECT_SHARDS + MAX_RELAYS * RELAY_CHILDREN;

/// Visitors that an event may be planned for. More can come: every shard takes some [`MAX_PLACES`].
pub const MOST_VISITORS: u32 = MAX_SHARDS as u32 * PLANNED_PLACES as u32;

/// Admissions a minute, in a batch or at the same time: no shop takes more at once, and products
/// of it with the milliseconds of a day stay far below 64 bits.
pub const MOST_ADMISSIONS: u32 = 1_000_000;

/// The longest period of a batch: nobody waits longer than an hour for the next.
pub const LONGEST_BATCH: Millis = Millis::from_minutes(60);

/// Groups of offers on the board: with a hold of 30 minutes one for every 2 minutes.
pub const MAX_OFFERS: usize = 16;

/// A join not numbered within this time is acknowledged as provisional.
pub const LATE_AFTER: Millis = Millis(2_000);

/// Requests a second that a coordinator plans for: half of what one object can do.
pub const COORDINATOR_REQUESTS_PER_SECOND: u64 = 500;

/// The shortest time between two reports of one shard.
pub const SHORTEST_SYNC: Millis = Millis(50);

/// How far a clock may jump back before it is believed: the error up to which limits hold.
pub const CLOCK_TOLERANCE: Millis = Millis(5_000);

/// An operator's message or reason, in bytes: a few sentences, since it goes out with every board.
pub const MAX_MESSAGE_BYTES: usize = 500;

/// Actions kept for the record: one row of at most 30 kB with the longest texts.
pub const MAX_NOTED: usize = 50;

/// The same refusal of the same operator is noted this far apart.
pub const REFUSALS_APART: Millis = Millis(10 * 60_000);

/// So many refusals are noted, and logged, in [`REFUSALS_APART`], and no more are kept for the record: however many things
/// operators are refused, what was really done has four fifths of the [`MAX_NOTED`], and the log grows by a line a minute.
pub const MAX_REFUSALS_NOTED: usize = 10;
const _: () = assert!(5 * MAX_REFUSALS_NOTED <= MAX_NOTED);

/// Places in one stored page: about 3.5 kB, small enough to rewrite when one place changes and
/// large enough that neighbours who are called together share a row.
pub const PLACES_PER_PAGE: usize = 128;

/// A pending claim whose visitor has not asked for this long is taken back (a hidden page asks
/// once a minute); the offer then stands anew.
pub const CLAIM_PRESENCE: Millis = Millis(75_000);

/// A grant whose visitor has not fetched the first pass within this time is given back: a page with
/// a pending claim asks every 2 s, so it has missed fifteen of its own questions.
pub const GRANT_FETCH: Millis = Millis(30_000);

/// The latest moment at which somebody whose claim is pending is told to ask again: a page that keeps it up to 15 % late still
/// fetches a grant in time.
pub const LATEST_APPOINTMENT: Millis = Millis(25_000);

/// The life of the first pass of a visitor admitted in one step; unconfirmed after it, the
/// session ends.
pub const UNCONFIRMED_PASS: Millis = Millis(30_000);

/// The longest that a visitor admitted in one step is unconfirmed, from the grant on: the shard hears of it, the pass is
/// fetched, and runs out.
pub const LONGEST_UNCONFIRMED: Millis =
    Millis(GRANT_TO_HEARD.0 + GRANT_FETCH.0 + UNCONFIRMED_PASS.0);

/// A try is decided within this time or counts as not granted.
pub const TRY_DECISION: Millis = Millis(1_500);

/// A shard that has heard from no edge for this long stops its idle clocks.
pub const DEAF_AFTER: Millis = Millis(60_000);

/// No first pass is issued on a board older than this: a brake holds within 2 s.
pub const BRAKE_AGE: Millis = Millis(2_000);

/// What a board's age is taken for when the clock was set back since it was heard: too old for a first pass, and for
/// edges to stay with this shard.
pub const UNKNOWN_AGE: Millis = Millis(CLOCK_TOLERANCE.0 + BRAKE_AGE.0);

/// How often a shard asks again while it waits for grants and has nothing new to report.
pub const PATIENT_SYNC: Millis = Millis(500);

/// Seconds of late joins in one report: ten minutes without a coordinator, below 9 kB of the 64 kB
/// that a message may have; joins behind them are numbered after all of these.
pub const MAX_LATE_SECONDS: usize = 600;

/// How long the coordinator collects late joins before it cuts them by arrival second.
pub const LATE_COLLECTION: Millis = Millis(2_000);

/// `called` moves at most this often, so that calling costs few rows and few board versions.
pub const CALL_STEP: Millis = Millis(250);

/// How far ahead calls are made: a page near the front polls every 2 s, so a visitor called now
/// claims within about this time.
pub const CALL_HORIZON: Millis = Millis(10_000);

/// A child not heard from for this long is granted nothing (a shard with pending claims reports
/// every [`PATIENT_SYNC`]).
pub const GRANT_TO_HEARD: Millis = Millis(10_000);

/// The most that the hold may run between two looks at the clock, so that a clock that jumps
/// forward does not take everybody's turn.
pub const HOLD_STEP: Millis = Millis(60_000);

/// A clock that goes on by more than this between two looks has leapt, or nobody looked.
pub const CLOCK_JUMP: Millis = HOLD_STEP;

/// For so long after that the coordinator gives no shard up for lost: a clock that leapt is set right within this time.
pub const JUMP_DOUBTED: Millis = Millis(2 * 60_000);

/// Batches of pending claims kept apart for one child and line; more are merged.
pub const MAX_CLAIM_BATCHES: usize = 64;

/// Samples of the offers of one line: with a hold of 30 minutes one every 14 s.
pub const MAX_SAMPLES: u64 = 128;

/// After the longest session a lost child's grants count this much longer: a session begins up to
/// [`STALE_REPLY`] after its grant, and the two clocks may be wrong.
pub const WRITE_OFF_MARGIN: Millis = Millis(60_000);

/// An unsafe request that comes this long after the session's end still gets a last pass.
pub const LAST_PASS: Millis = Millis(60_000);

/// Networks of one kind (IPv4, IPv6) from which one pass may be used at the same time: a phone that goes from Wi-Fi to its
/// carrier and back has two of each for a while.
pub const MOST_NETWORKS: usize = 3;

/// New joins a second that one shard is planned for: a quarter of the least that was measured.
pub const PLANNED_JOINS_PER_SECOND: u64 = 500;

/// New joins a second that one shard takes at most: with its polls and board reads it stays below the 1,000 requests a second
/// that an object can do.
pub const HIGHEST_JOINS_PER_SECOND: u64 = 700;

/// An answer that comes this long after its report is not taken: its grants could start sessions
/// that outlive the coordinator's count of a lost shard.
pub const STALE_REPLY: Millis = Millis(30_000);

/// A relay that has not heard the coordinator for this long answers its shards no more: what it was granted must not begin
/// sessions that outlive the coordinator's count of a lost relay. It is longer than any round trip.
pub const RELAY_SILENCE: Millis = Millis(15_000);

/// Ranges of joins that a relay keeps apart until they have numbers, over all lines: 80 shards and a minute and a half of
/// seconds of one line, less than 200 kB of its row. Joins beyond them wait at their shards.
pub const MAX_PIECES: usize = 8_192;

/// From a permit to its join: two seconds until every edge has the newer board, and three for a page and its first work.
pub const PERMIT_TO_JOIN: Millis = Millis(5_000);

/// A child that was not heard for this long is not woken for news.
pub const WOKEN_WITHIN: Millis = Millis::from_minutes(10);

/// What a visitor who is not ready gets beyond the hold, once.
pub const DEFERRAL: Millis = Millis::from_minutes(5);

/// How long a hand-over code can be used: time to find the other phone.
pub const HANDOVER_LIFE: Millis = Millis::from_minutes(10);

/// Hand-over codes for one place within [`HANDOVER_LIFE`]; only the last one can be used.
pub const MAX_HANDOVERS: usize = 5;

/// Member keys and codes whose records one shard keeps: as many as places.
pub const MAX_KEYS: usize = MAX_PLACES as usize;

/// Uses of one code.
pub const MAX_CODE_USES: u16 = 1_000;

/// How long the join behind a reservation may be under way: an edge waits 3 s for each of at most three
/// calls, and what it gave up may still arrive; six times that.
pub const RESERVED_JOIN: Millis = Millis(60_000);

/// An opening is moved to this far ahead at least: every shard and page has heard of it by then.
pub const SHORTEST_NOTICE: Millis = Millis(10_000);

/// An opening is moved by this much at most, counted from now or, when it lies ahead, from where it stood.
pub const LONGEST_NOTICE: Millis = Millis::from_minutes(366 * 24 * 60);

/// How often a changed stock is taken up, unless it begins or ends the sale.
pub const STOCK_STEP: Millis = Millis(1_000);

/// Without a beacon the secret is published this long after the entrants are: every edge has seen them.
pub const REVEAL_AFTER: Millis = Millis(2_000);

/// Lines of the event log in one stored page: about 18 kB, rewritten with every commit until it is full.
pub const LOG_PAGE_LINES: usize = 64;

/// What edges have counted is logged at most this often.
pub const EDGES_LOGGED: Millis = Millis(60_000);

const _: () = assert!(MAX_CHILDREN as u64 * 1_000 / COORDINATOR_REQUESTS_PER_SECOND == 260);
const _: () = assert!(RELAY_CHILDREN as u64 * 1_000 / COORDINATOR_REQUESTS_PER_SECOND == 160);
const _: () = assert!(RELAY_SILENCE.0 + STALE_REPLY.0 + 2 * CLOCK_TOLERANCE.0 < WRITE_OFF_MARGIN.0);
const _: () = assert!(MAX_PLACES as u64 >= PLANNED_PLACES);
const _: () = assert!(UNCONFIRMED_PASS.0 >= GRANT_FETCH.0);
const _: () = assert!(TRY_DECISION.0 < BRAKE_AGE.0);
const _: () = assert!(PATIENT_SYNC.0 < GRANT_TO_HEARD.0);
