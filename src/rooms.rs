//! The only place of the edge that calls an object: what is sent, how long an answer is waited for, and what may be
//! tried again.
//!
//! A call that the platform marks as retryable may have been carried out before it failed. It is made again on a new stub,
//! at most twice, after a random pause, if a second time does no harm:
//!
//! - a shard's commands mostly say what shall be, and say it again. Three do not, and are repeated all the same: a second
//!   `Defer` is told that it was done before, a second `OfferHandover` counts as one of the few that a place may make, and a
//!   second `Extend` may extend again, never beyond the configured maximum;
//! - an operator's action is called once. It would stand in the event log twice, and undo what another operator did in
//!   between. Who gets a 503 looks whether it was done.
//!
//! A call that the platform marks as overloaded is never made again. Every shard's answer brings its board along, which the
//! isolate takes up.

use std::time::Duration;

use anteroom_config::Event;
use anteroom_durable_objects::call::{send, stub_of};
use anteroom_durable_objects::carried::answer_of;
use anteroom_durable_objects::sockets;
use anteroom_durable_objects::wire::{self, FORGOTTEN};
use anteroom_durable_objects::wire::{
    CoordinatorAnswer, CoordinatorAsk, CoordinatorCall, HandlingCounts, ShardAnswer, ShardAsk,
    ShardBody, ShardCall,
};
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{Millis, PlaceIndex, ShardIndex, UnixMillis};
use futures_util::future::{Either, select};
use wasm_bindgen::{JsCast, JsValue};
use worker::js_sys::futures::JsFuture;
use worker::{Delay, Env, Response, js_sys, worker_sys};

use crate::objects::Object;
use crate::{deleted, headers, isolate, platform};

/// How long an answer is waited for when nothing else is said: a shard answers a join within 2 s.
pub const ANSWER_LIMIT: Millis = Millis(3_000);
/// How long a renewal may hold up an admitted visitor's request before the edge signs by itself.
pub const RENEWAL_LIMIT: Millis = Millis(1_000);
/// Calls of one question, all told, where it may be asked again.
const MOST_CALLS: u32 = 3;
/// The pause before a call is made again is random, up to this.
const LONGEST_PAUSE_MS: usize = 100;

/// Why an object gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoomError {
    /// It cannot be reached, or not in time.
    Unreachable(String),
    /// It is overloaded: not to be asked again.
    Overloaded,
    /// Its run ended and was deleted.
    Deleted,
    /// It does not take such a call: why, in words.
    Refused(String),
}

/// Asks a shard; the board that comes with its answer is the isolate's.
pub async fn ask_shard(
    env: &Env,
    event: &'static Event,
    shard: ShardIndex,
    ask: ShardAsk,
    limit: Millis,
) -> Result<ShardBody, RoomError> {
    // Counts are handed in with reads of the board: one that counted itself would be owed for ever.
    let is_for_a_visitor = matches!(ask, ShardAsk::Place(_));
    let object = Object::shard(event, shard);
    let call = wire::encode(&ShardCall {
        event: event.id.clone(),
        run: event.run,
        shard: shard.0,
        ask,
    });
    let asked = platform::now();
    let answer = within(limit, call_object(env, &object, &call, MOST_CALLS)).await;
    let answer = answer.flatten();
    if is_for_a_visitor {
        isolate::count(event, |counts| {
            handled(&mut counts.handling, &answer, asked)
        });
    }
    let answer = answer.and_then(|bytes| read(&bytes));
    if answer == Err(RoomError::Deleted) {
        let (board, now) = (deleted::board(event), platform::now());
        isolate::with(event, |kept| kept.board.deleted(board, now));
    }
    let ShardAnswer {
        board,
        board_age_ms,
        body,
    } = answer?;
    let age = board_age_ms.map(Millis);
    let now = platform::now();
    let dice = platform::random_below(usize::MAX) as u64;
    isolate::with(event, |kept| {
        kept.board.told(shard, board, age, (asked, now), dice)
    });
    Ok(body)
}

/// Counts what became of a call that was made for a visitor.
fn handled(counts: &mut HandlingCounts, answer: &Result<Vec<u8>, RoomError>, asked: UnixMillis) {
    match answer {
        Err(RoomError::Unreachable(_)) => counts.unreachable += 1,
        Err(RoomError::Overloaded) => counts.overloaded += 1,
        Ok(_) | Err(RoomError::Refused(_) | RoomError::Deleted) => {
            counts.answered_after(platform::now().since(asked).0);
        }
    }
}

/// How the room does its work, as the coordinator knows it.
pub async fn vitals(env: &Env, event: &'static Event) -> Result<wire::Vitals, RoomError> {
    coordinator(env, event, CoordinatorAsk::Vitals).await
}

/// How many shards and relays owe the coordinator a report and are silent. One of before there was this question refuses it.
pub async fn silent(env: &Env, event: &'static Event) -> Result<u16, RoomError> {
    coordinator(env, event, CoordinatorAsk::Silent).await
}

/// Sends a visitor's command to the home of a place. A run that was deleted takes nobody and knows nobody.
pub async fn command(
    env: &Env,
    event: &'static Event,
    home: ShardIndex,
    command: ShardCommand,
    limit: Millis,
) -> Result<ShardReply, RoomError> {
    let why = deleted::refusal(&command);
    match ask_shard(env, event, home, ShardAsk::Place(command), limit).await {
        Ok(ShardBody::Reply(reply)) => Ok(reply),
        Err(RoomError::Deleted) => Ok(ShardReply::Refused { why, place: None }),
        Err(error) => Err(error),
        Ok(ShardBody::Board) => Err(RoomError::Refused(
            "a board came where a reply was asked for".to_owned(),
        )),
    }
}

/// As [`command`], of what objects of an earlier version do not know: they refuse the first of the two and are asked the
/// second.
pub async fn command_or(
    env: &Env,
    event: &'static Event,
    home: ShardIndex,
    [asked, as_before]: [ShardCommand; 2],
    limit: Millis,
) -> Result<ShardReply, RoomError> {
    match command(env, event, home, asked, limit).await {
        Err(RoomError::Refused(_)) => command(env, event, home, as_before, limit).await,
        answer => answer,
    }
}

/// A socket at a shard, for the page of a place.
pub async fn socket(
    env: &Env,
    event: &'static Event,
    home: ShardIndex,
    place: PlaceIndex,
) -> Result<web_sys::WebSocket, RoomError> {
    let given = within(ANSWER_LIMIT, async {
        let stub = stub(env, &Object::shard(event, home))?;
        let address = sockets::address(&event.id, event.run, home.0, place.0);
        let request = web_sys::Request::new_with_str(&address)?;
        headers::set(&request.headers(), "upgrade", "websocket")?;
        let response = JsFuture::from(stub.fetch_with_request(&request)?).await?;
        let response = Response::from(response.unchecked_into::<web_sys::Response>());
        let status = response.status_code();
        let socket = response.websocket();
        socket.ok_or(CallError::Failed(status))
    });
    match given.await? {
        Ok(socket) => Ok(socket.as_ref().clone()),
        Err(CallError::Failed(FORGOTTEN)) => Err(RoomError::Deleted),
        Err(why) => Err(RoomError::Unreachable(format!("a socket: {why:?}"))),
    }
}

/// Asks the coordinator.
pub async fn ask_coordinator(
    env: &Env,
    event: &'static Event,
    ask: CoordinatorAsk,
) -> Result<CoordinatorAnswer, RoomError> {
    coordinator(env, event, ask).await
}

/// What the edges have counted, as the coordinator knows it.
pub async fn edge_totals(env: &Env, event: &'static Event) -> Result<wire::EdgeTotals, RoomError> {
    coordinator(env, event, CoordinatorAsk::Count).await
}

/// What came of the third party's widget of an event that has one, as the coordinator knows it; `None`: there is none, or
/// it cannot be read.
pub async fn turnstile(env: &Env, event: &'static Event) -> Option<wire::TurnstileCounts> {
    event.turnstile.as_ref()?;
    let counts = coordinator(env, event, CoordinatorAsk::Turnstile).await;
    counts.ok()
}

/// What operators were refused, as the coordinator knows it.
pub async fn refusals(env: &Env, event: &'static Event) -> Result<wire::Refusals, RoomError> {
    coordinator(env, event, CoordinatorAsk::Refusals).await
}

/// Tells the coordinator of `more` wrong operator tokens, and answers how many it knows of.
pub async fn wrong_tokens(
    env: &Env,
    event: &'static Event,
    more: u32,
) -> Result<wire::WrongTokens, RoomError> {
    coordinator(env, event, CoordinatorAsk::WrongTokens { more }).await
}

/// How the origin does, as the coordinator knows it.
pub async fn origin(env: &Env, event: &'static Event) -> Result<wire::OriginView, RoomError> {
    coordinator(env, event, CoordinatorAsk::Origin).await
}

/// The lines of the event log behind line `after`, up to the end of a page.
pub async fn log_lines(
    env: &Env,
    event: &'static Event,
    after: u64,
) -> Result<wire::LogLines, RoomError> {
    coordinator(env, event, CoordinatorAsk::Log { after }).await
}

async fn coordinator<T: serde::de::DeserializeOwned>(
    env: &Env,
    event: &'static Event,
    ask: CoordinatorAsk,
) -> Result<T, RoomError> {
    read(&coordinators_bytes(env, event, ask).await?)
}

/// The calls themselves are the same whatever is answered, and stand in the Worker once.
async fn coordinators_bytes(
    env: &Env,
    event: &'static Event,
    ask: CoordinatorAsk,
) -> Result<Vec<u8>, RoomError> {
    let object = Object::coordinator(event);
    let calls = most_calls(&ask);
    let call = wire::encode(&CoordinatorCall {
        event: event.id.clone(),
        run: event.run,
        ask,
    });
    let answer = call_object(env, &object, &call, calls);
    let answer = within(ANSWER_LIMIT, answer).await.flatten();
    if let Err(RoomError::Refused(why)) = &answer {
        platform::log(&format!("coordinator of {}: {why}", event.id));
    }
    answer
}

/// How often the coordinator may be called with one question.
fn most_calls(ask: &CoordinatorAsk) -> u32 {
    match ask {
        CoordinatorAsk::Operate { .. } => 1,
        CoordinatorAsk::Sync(..)
        | CoordinatorAsk::Handled(..)
        | CoordinatorAsk::Relayed(..)
        | CoordinatorAsk::Vitals
        | CoordinatorAsk::Silent
        | CoordinatorAsk::Watched(..)
        | CoordinatorAsk::Origin
        | CoordinatorAsk::Turnstile
        | CoordinatorAsk::Refusals
        | CoordinatorAsk::Observe
        | CoordinatorAsk::Count
        | CoordinatorAsk::WrongTokens { .. }
        | CoordinatorAsk::Log { .. } => MOST_CALLS,
    }
}

/// What comes within `limit`.
async fn within<T>(limit: Millis, answer: impl Future<Output = T>) -> Result<T, RoomError> {
    let timer = Delay::from(Duration::from_millis(limit.0));
    match select(Box::pin(answer), timer).await {
        Either::Left((answer, _)) => Ok(answer),
        Either::Right(_) => Err(RoomError::Unreachable(format!(
            "no answer within {} ms",
            limit.0
        ))),
    }
}

fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, RoomError> {
    wire::decode(bytes).map_err(|unreadable| RoomError::Unreachable(unreadable.to_string()))
}

async fn call_object(
    env: &Env,
    object: &Object,
    call: &[u8],
    most_calls: u32,
) -> Result<Vec<u8>, RoomError> {
    let mut calls = 1;
    loop {
        match call_once(env, object, call).await {
            Ok(bytes) => return Ok(bytes),
            Err(CallError::Refused(why)) => return Err(RoomError::Refused(why)),
            Err(CallError::Failed(FORGOTTEN)) => return Err(RoomError::Deleted),
            Err(CallError::Platform(error)) if is_marked(&error, "overloaded") => {
                return Err(RoomError::Overloaded);
            }
            Err(CallError::Platform(error))
                if calls < most_calls && is_marked(&error, "retryable") =>
            {
                calls += 1;
                let pause = platform::random_below(LONGEST_PAUSE_MS) as u64 + 1;
                Delay::from(Duration::from_millis(pause)).await;
            }
            Err(CallError::Platform(error)) => {
                return Err(RoomError::Unreachable(error.to_string()));
            }
            Err(CallError::Failed(status)) => {
                return Err(RoomError::Unreachable(format!("status {status}")));
            }
        }
    }
}

#[derive(Debug)]
enum CallError {
    Platform(worker::Error),
    Failed(u16),
    Refused(String),
}

impl From<JsValue> for CallError {
    fn from(error: JsValue) -> Self {
        CallError::Platform(error.into())
    }
}

impl From<worker::Error> for CallError {
    fn from(error: worker::Error) -> Self {
        CallError::Platform(error)
    }
}

fn stub(env: &Env, object: &Object) -> worker::Result<worker_sys::DurableObject> {
    stub_of(env, object.binding, &object.name, object.region)
}

async fn call_once(env: &Env, object: &Object, call: &[u8]) -> Result<Vec<u8>, CallError> {
    let response = send(&stub(env, object)?, call).await?;
    match response.status() {
        200 => Ok(answer_of(&response).await?),
        FORGOTTEN => Err(CallError::Failed(FORGOTTEN)),
        status @ 400..=499 => Err(CallError::Refused(format!(
            "{status}: {}",
            String::from_utf8_lossy(&answer_of(&response).await.unwrap_or_default())
        ))),
        status => Err(CallError::Failed(status)),
    }
}

/// The platform marks errors of calls to objects: <https://developers.cloudflare.com/durable-objects/best-practices/error-handling/>.
fn is_marked(error: &worker::Error, mark: &str) -> bool {
    js_sys::Reflect::get(&error.to_js_value(), &JsValue::from_str(mark))
        .is_ok_and(|value| value.is_truthy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anteroom_queue::coordinator::command::Action;

    #[test]
    fn what_an_operator_does_is_done_once() {
        let operate = CoordinatorAsk::Operate {
            action: Action::Resume,
            by: "kim".to_owned(),
        };
        assert_eq!(most_calls(&operate), 1);
        assert_eq!(most_calls(&CoordinatorAsk::Observe), MOST_CALLS);
    }
}
