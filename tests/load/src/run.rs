//! One run: visitors arrive, a bystander reads the board, and at the end all is held against the
//! promises.

use std::cell::RefCell;
use std::io::Write;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::LocalSet;
use tokio::time::{sleep, sleep_until, timeout};

use crate::connections::{Connections, REQUEST_TIMEOUT};
use crate::history::{Clock, End, History, Limits, Moment, VisitorHistory};
use crate::options::Options;
use crate::presence::Presence;
use crate::report::Outcome;
use crate::room::{Browser, Room};
use crate::visitor::{self, Surroundings};
use crate::{joins, lines};

/// How often the bystander reads the board.
const BOARD_EVERY: Duration = Duration::from_secs(1);

/// A room that is silent for so long is said not to answer, while the answer is waited for.
const SILENT_AFTER: Duration = Duration::from_secs(5);

/// So long after the deadline nobody is under way who got any answers: a request meets a connection that was kept, and
/// then a fresh one. Whoever is left waits for others whom a silent room keeps waiting.
const GIVEN_UP_AFTER: Duration = REQUEST_TIMEOUT.saturating_mul(2);

/// How often progress is told, in boards.
const TOLD_EVERY_BOARDS: usize = 10;

/// Places asked for at the same time at the end.
const ASKED_AT_ONCE: usize = 64;

/// Runs the visitors of `options` against their room.
pub fn run(options: &Options) -> Result<Outcome, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    LocalSet::new().block_on(&runtime, run_here(options))
}

/// When visitor `number` is due.
pub fn due(start: Moment, number: u64, arrivals_per_second: u64) -> Moment {
    Moment(start.0 + number * 1_000_000 / arrivals_per_second)
}

/// As [`run`], on the runtime that is there.
pub async fn run_here(options: &Options) -> Result<Outcome, String> {
    let clock = Clock::start();
    let arrivals =
        Duration::from_micros(options.visitors * 1_000_000 / options.arrivals_per_second);
    let around = Rc::new(Surroundings {
        room: Room {
            connections: Connections::to(
                &options.address,
                options.trust.as_deref(),
                options.connections,
                clock,
            )
            .await?,
            event: options.event.clone(),
            page: options.page.clone(),
            prefix: options.prefix.clone(),
        },
        clock,
        deadline: clock.now().plus(arrivals + options.deadline),
        session: options.session,
        idle: options.idle,
    });
    let history = Rc::new(RefCell::new(History {
        alone: options.alone,
        ..History::default()
    }));
    read_board(&around.room, &history)
        .await
        .map_err(|problem| format!("no board of event {}: {problem}", options.event))?;
    let bystander = tokio::task::spawn_local(watch_board(Rc::clone(&around), Rc::clone(&history)));
    let closing = tokio::task::spawn_local(give_up(Rc::clone(&around)));
    let (start, visitors) = if options.joins_only {
        let permits = joins::permits(&around, options.visitors).await?;
        let start = clock.now();
        (start, joins::run(&around, options, permits, start).await)
    } else {
        let start = clock.now();
        (start, arrive(&around, options, start).await)
    };
    bystander.abort();
    closing.abort();
    // An answer may be up to a board's refresh old; the last one has to know of every visitor.
    sleep(2 * BOARD_EVERY).await;
    let away = read_board(&around.room, &history).await.err();
    let mut history = history.take();
    history.visitors = visitors;
    history.limits.max_active = options.max_active.or(history.limits.max_active);
    history.limits.per_minute = options.per_minute.or(history.limits.per_minute);
    if let Some(file) = &options.history {
        let write = |file: std::fs::File| {
            let mut to = std::io::BufWriter::new(file);
            lines::write(&history, &clock, &mut to)?;
            to.flush().map_err(|error| error.to_string())
        };
        std::fs::File::create(file)
            .map_err(|error| error.to_string())
            .and_then(write)
            .map_err(|error| format!("--history {}: {error}", file.display()))?;
    }
    let answered = around.room.connections.answered();
    let outcome = Outcome::of(&history, start, clock.now(), answered);
    Ok(Outcome { away, ..outcome })
}

/// Ends what a silent room keeps waiting beyond the run's time.
async fn give_up(around: Rc<Surroundings>) {
    let at = around.deadline.plus(GIVEN_UP_AFTER);
    sleep_until(around.clock.instant(at).into()).await;
    around.room.connections.close();
}

/// Lets all visitors arrive when they are due, waits for them, and asks for the places of those
/// who did not come back.
async fn arrive(
    around: &Rc<Surroundings>,
    options: &Options,
    start: Moment,
) -> Vec<VisitorHistory> {
    let mut visits = Vec::new();
    for number in 0..options.visitors {
        let arrival = due(start, number, options.arrivals_per_second);
        sleep_until(around.clock.instant(arrival).into()).await;
        let (around, seed) = (Rc::clone(around), options.seed);
        visits.push(tokio::task::spawn_local(async move {
            let (seen, browser) = visitor::live(&around, number, seed, arrival).await;
            let cookies =
                matches!(seen.end, End::Kept | End::Unfinished).then(|| browser.into_cookies());
            (seen, cookies)
        }));
    }
    let mut seen = Vec::with_capacity(visits.len());
    for visit in visits {
        seen.push(visit.await.unwrap_or_default());
    }
    // A room that is away would keep each of these questions waiting.
    let is_there = around.room.board().await.is_ok();
    for group in seen.chunks_mut(ASKED_AT_ONCE).filter(|_| is_there) {
        let mut asked = Vec::new();
        for (index, (visitor, cookies)) in group.iter_mut().enumerate() {
            let Some(cookies) = cookies.take() else {
                continue;
            };
            let (around, mut visitor) = (Rc::clone(around), std::mem::take(visitor));
            asked.push(tokio::task::spawn_local(async move {
                visitor::still_there(&Browser::with_cookies(&around.room, cookies), &mut visitor)
                    .await;
                (index, visitor)
            }));
        }
        for question in asked {
            if let Ok((index, visitor)) = question.await {
                group[index].0 = visitor;
            }
        }
    }
    seen.into_iter().map(|(visitor, _)| visitor).collect()
}

async fn watch_board(around: Rc<Surroundings>, history: Rc<RefCell<History>>) {
    let say = |what: &str| eprintln!("{:>5} s  {what}", around.clock.now().0 / 1_000_000);
    let mut presence = Presence::default();
    let mut note = |read: &Result<(), String>| {
        if let Some(what) = presence.note(read, around.clock.now()) {
            say(&what);
        }
    };
    loop {
        sleep(BOARD_EVERY).await;
        let mut reading = pin!(read_board(&around.room, &history));
        let read = match timeout(SILENT_AFTER, &mut reading).await {
            Ok(read) => read,
            Err(_) => {
                let seconds = SILENT_AFTER.as_secs();
                note(&Err(format!("nothing came within {seconds} s")));
                reading.await
            }
        };
        note(&read);
        let history = history.borrow();
        // A board that cannot be read now is read in a second; visitors count failures.
        if read.is_ok()
            && history.boards.len().is_multiple_of(TOLD_EVERY_BOARDS)
            && let Some(board) = history.boards.last()
        {
            let lines: Vec<String> = board
                .lines
                .iter()
                .map(|(id, called, _, entries)| format!("{id}: {called} of {entries} called"))
                .collect();
            say(&lines.join(", "));
        }
    }
}

async fn read_board(room: &Room, history: &RefCell<History>) -> Result<(), String> {
    let (board, limits) = room.board().await.map_err(|error| error.0)?;
    let mut history = history.borrow_mut();
    let first = history.boards.is_empty();
    history.limits = if first {
        limits
    } else {
        highest(history.limits, limits)
    };
    history.boards.push(board);
    Ok(())
}

/// The limits that allow the most: a limit that was away for a while holds nobody to it.
fn highest(one: Limits, other: Limits) -> Limits {
    let most = |one: Option<u64>, other: Option<u64>| Some(one?.max(other?));
    Limits {
        max_active: most(one.max_active, other.max_active),
        per_minute: most(one.per_minute, other.per_minute),
        batch: one.batch.filter(|batch| other.batch == Some(*batch)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_are_evenly_spaced_however_many_there_are() {
        let start = Moment(7);
        assert_eq!(
            (due(start, 0, 200), due(start, 1, 200), due(start, 400, 200)),
            (Moment(7), Moment(5_007), Moment(2_000_007))
        );
        assert_eq!(due(start, 3, 3), Moment(1_000_007));
    }

    #[test]
    fn a_room_is_held_to_the_highest_limits_of_the_run() {
        let limits = |max_active, per_minute| Limits {
            max_active,
            per_minute,
            batch: None,
        };
        assert_eq!(
            highest(limits(Some(5), Some(60)), limits(Some(3), None)),
            limits(Some(5), None)
        );
    }
}
