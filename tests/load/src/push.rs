//! How soon everybody who listens at one shard has a board that changed, and what joins at the same shard take meanwhile.
//!
//! Places come first, since a place has few sockets; then each opens its socket; then visitors join on a schedule that does
//! not wait for answers, while an operator changes the message on the board every few seconds. The time of a change counts
//! from the sending of the operator's request to the first word at each socket that says so.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use serde::{Deserialize, Serialize};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{sleep, sleep_until};

use crate::address::Address;
use crate::connections::Connections;
use crate::history::Clock;
use crate::percentiles::percentile;
use crate::room::Room;
use crate::socket::Socket;

/// Places are made, and sockets opened, so many at a time.
const AT_ONCE: usize = 128;

/// Between two changes of the board: each has reached everybody long before the next.
const CHANGE_EVERY: Duration = Duration::from_secs(4);

/// What is still under way after the last change has come by then.
const SETTLES_WITHIN: Duration = Duration::from_secs(5);

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// `host:port`.
    pub authority: String,
    /// The event's id.
    pub event: String,
    /// Sockets, each of a place of its own.
    pub sockets: usize,
    /// Visitors who join each second.
    pub joins_per_second: u64,
    /// How often the board is changed.
    pub changes: usize,
    /// The operator's token.
    pub operator: String,
}

/// What came of it. Times are in milliseconds.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// Sockets that were open to the end.
    pub sockets: usize,
    /// Sockets that broke off.
    pub broken: usize,
    /// Words that came, at all sockets together.
    pub words: u64,
    /// Changes that everybody has heard of.
    pub changes: usize,
    /// Pairs of a change and a socket that never heard of it.
    pub unheard: usize,
    /// From a change to a socket.
    pub change_p50_ms: f64,
    /// The same, 99 of 100.
    pub change_p99_ms: f64,
    /// The same, the last one.
    pub change_max_ms: f64,
    /// Joins that were answered.
    pub joins: usize,
    /// Joins that were not.
    pub joins_failed: usize,
    /// From when a join was due to its number.
    pub join_p50_ms: f64,
    /// The same, 99 of 100.
    pub join_p99_ms: f64,
}

/// What a word says, as far as it matters here.
#[derive(Deserialize)]
struct Word {
    settled: u64,
}

/// What was heard: of each socket since when it has which state of what changes seldom.
#[derive(Default)]
struct Heard {
    words: Cell<u64>,
    broken: Cell<usize>,
    /// When, and since which version the rest of the board is as it is, for each socket.
    settled: RefCell<Vec<Vec<(Instant, u64)>>>,
}

/// Measures.
pub fn run(options: &Options) -> Result<Figures, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    LocalSet::new().block_on(&runtime, run_here(options))
}

async fn run_here(options: &Options) -> Result<Figures, String> {
    let clock = Clock::start();
    let address = Address {
        is_tls: false,
        authority: options.authority.clone(),
    };
    let room = Rc::new(Room {
        connections: Connections::to(&address, None, AT_ONCE, clock).await?,
        event: options.event.clone(),
        page: String::new(),
        prefix: "/_wr".to_owned(),
    });
    let during = CHANGE_EVERY * options.changes as u32;
    let arriving = options.joins_per_second * during.as_secs();
    // All permits are made while one shard takes all joins.
    let mut permits = permits(&room, options.sockets + arriving as usize).await?;
    let arriving = permits.split_off(options.sockets);
    eprintln!("  {} permits", permits.len() + arriving.len());
    let tickets = places(&room, permits).await?;
    eprintln!("  {} places", tickets.len());
    let heard = Rc::new(Heard::default());
    let listening = listen(options, tickets, &heard).await?;
    eprintln!("  {} sockets", options.sockets);
    let joins = tokio::task::spawn_local(join_all(
        Rc::clone(&room),
        arriving,
        options.joins_per_second,
    ));
    let changes = change(options, &room).await?;
    let joins = joins.await.map_err(|error| error.to_string())?;
    sleep(SETTLES_WITHIN).await;
    drop(listening);
    Ok(figures(options, &heard, &changes, joins))
}

async fn permits(room: &Rc<Room>, count: usize) -> Result<Vec<String>, String> {
    many(vec![(); count], |()| {
        let room = Rc::clone(room);
        async move { room.permit().await.map_err(|error| error.0) }
    })
    .await
}

async fn places(room: &Rc<Room>, permits: Vec<String>) -> Result<Vec<String>, String> {
    many(permits, |permit| {
        let room = Rc::clone(room);
        async move {
            let (place, _) = room
                .browser()
                .join(&permit)
                .await
                .map_err(|error| error.0)?;
            place.ticket.ok_or_else(|| "no ticket".to_owned())
        }
    })
    .await
}

/// Works on all of them, [`AT_ONCE`] at a time.
async fn many<I: 'static, T: 'static, F: Future<Output = Result<T, String>> + 'static>(
    items: Vec<I>,
    work: impl Fn(I) -> F,
) -> Result<Vec<T>, String> {
    let mut done = Vec::with_capacity(items.len());
    let mut under_way = JoinSet::new();
    for item in items {
        if under_way.len() >= AT_ONCE {
            done.push(taken(under_way.join_next().await)?);
        }
        under_way.spawn_local(work(item));
    }
    while !under_way.is_empty() {
        done.push(taken(under_way.join_next().await)?);
    }
    Ok(done)
}

fn taken<T>(
    result: Option<Result<Result<T, String>, tokio::task::JoinError>>,
) -> Result<T, String> {
    result
        .ok_or("nothing is under way")?
        .map_err(|error| error.to_string())?
}

/// Opens the sockets, and listens until what is answered is dropped.
async fn listen(
    options: &Options,
    tickets: Vec<String>,
    heard: &Rc<Heard>,
) -> Result<JoinSet<()>, String> {
    let path = format!("/_wr/queues/{}/tickets/me/ws", options.event);
    let authority = options.authority.clone();
    let opened = many(tickets, move |ticket| {
        let (path, authority) = (path.clone(), authority.clone());
        async move { Socket::open(&authority, &path, &ticket).await }
    })
    .await
    .map_err(|error| format!("a socket: {error} (a process needs a file for each: ulimit -n)"))?;
    heard.settled.borrow_mut().resize(opened.len(), Vec::new());
    let mut listening = JoinSet::new();
    for (number, mut socket) in opened.into_iter().enumerate() {
        let heard = Rc::clone(heard);
        listening.spawn_local(async move {
            while let Ok(Some(text)) = socket.word().await {
                let now = Instant::now();
                heard.words.set(heard.words.get() + 1);
                let Ok(word) = serde_json::from_slice::<Word>(&text) else {
                    break;
                };
                let mut settled = heard.settled.borrow_mut();
                let known = settled[number].last().map_or(0, |(_, version)| *version);
                if word.settled > known {
                    settled[number].push((now, word.settled));
                }
            }
            heard.broken.set(heard.broken.get() + 1);
        });
    }
    Ok(listening)
}

/// Lets visitors join when they are due; how long each took, `None` where it was not answered.
async fn join_all(room: Rc<Room>, permits: Vec<String>, per_second: u64) -> Vec<Option<Duration>> {
    let start = Instant::now();
    let mut joining = Vec::with_capacity(permits.len());
    for (number, permit) in permits.into_iter().enumerate() {
        let due = start + Duration::from_micros(number as u64 * 1_000_000 / per_second);
        sleep_until(due.into()).await;
        let room = Rc::clone(&room);
        joining.push(tokio::task::spawn_local(async move {
            let (_, answer) = room.browser().join(&permit).await.ok()?;
            answer.status.is_success().then(|| due.elapsed())
        }));
    }
    let mut took = Vec::with_capacity(joining.len());
    for join in joining {
        took.push(join.await.unwrap_or(None));
    }
    took
}

/// Changes the message on the board again and again; when each was asked for.
async fn change(options: &Options, room: &Room) -> Result<Vec<Instant>, String> {
    let mut changes = Vec::new();
    for number in 0..options.changes {
        let body = format!(r#"{{"action":"message","text":"Message {number}"}}"#);
        let request = Request::patch(format!("/_wr/queues/{}", options.event))
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {}", options.operator))
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| error.to_string())?;
        let next = Instant::now() + CHANGE_EVERY;
        changes.push(Instant::now());
        let answer = room.connections.send(request).await;
        let answer = answer.map_err(|error| error.0)?;
        if !answer.status.is_success() {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            return Err(format!("the operator's change: {} {text}", answer.status));
        }
        sleep_until(next.into()).await;
    }
    Ok(changes)
}

fn figures(
    options: &Options,
    heard: &Heard,
    changes: &[Instant],
    joins: Vec<Option<Duration>>,
) -> Figures {
    let settled = heard.settled.borrow();
    let mut took = Vec::new();
    let mut unheard = 0;
    for (number, asked) in changes.iter().enumerate() {
        let next = changes.get(number + 1);
        for times in settled.iter() {
            let first = times
                .iter()
                .find(|(at, _)| at >= asked && next.is_none_or(|next| at < next));
            match first {
                Some((at, _)) => took.push(millis(at.duration_since(*asked))),
                None => unheard += 1,
            }
        }
    }
    took.sort_unstable_by(f64::total_cmp);
    let mut answered: Vec<f64> = joins.iter().flatten().map(|took| millis(*took)).collect();
    answered.sort_unstable_by(f64::total_cmp);
    let broken = heard.broken.get();
    Figures {
        sockets: options.sockets - broken,
        broken,
        words: heard.words.get(),
        changes: changes.len(),
        unheard,
        change_p50_ms: percentile(&took, 50.0),
        change_p99_ms: percentile(&took, 99.0),
        change_max_ms: percentile(&took, 100.0),
        joins: answered.len(),
        joins_failed: joins.len() - answered.len(),
        join_p50_ms: percentile(&answered, 50.0),
        join_p99_ms: percentile(&answered, 99.0),
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_counts_until_each_socket_has_heard_of_it_and_one_that_has_not_is_told() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let heard = Heard {
            words: Cell::new(9),
            broken: Cell::new(1),
            settled: RefCell::new(vec![
                vec![(at(300), 7), (at(4_900), 12)],
                vec![(at(1_000), 7)],
            ]),
        };
        let options = Options {
            authority: String::new(),
            event: String::new(),
            sockets: 2,
            joins_per_second: 1,
            changes: 2,
            operator: String::new(),
        };
        let joins = vec![Some(Duration::from_millis(80)), None];
        let figures = figures(&options, &heard, &[at(100), at(4_100)], joins);
        assert_eq!((figures.changes, figures.unheard), (2, 1));
        assert_eq!((figures.sockets, figures.broken), (1, 1));
        assert_eq!(
            (figures.change_p50_ms, figures.change_max_ms),
            (800.0, 900.0)
        );
        assert_eq!((figures.joins, figures.joins_failed), (1, 1));
        assert_eq!(figures.join_p99_ms, 80.0);
    }
}
