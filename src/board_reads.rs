//! Reading the board from a shard by the rules of [`boards`](crate::boards).

use std::time::Duration;

use anteroom_config::Event;
use anteroom_durable_objects::wire::{EdgeCounts, OriginCounts, ShardAsk};
use anteroom_queue::units::Millis;
use futures_channel::oneshot;
use futures_util::future::select;
use worker::{Context, Delay, Env};

use crate::boards::{InUse, Plan};
use crate::rooms::RoomError;
use crate::{isolate, origin_health, platform, rooms};

/// How often a request looks for the result of another request's read.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// News that could not be handed in within this time go with the next read.
const HAND_IN_LIMIT: Millis = Millis(2_000);

/// The board for one request; `None` when no shard has been heard yet.
pub async fn current(env: &Env, context: &Context, event: &'static Event) -> Option<InUse> {
    let now = platform::now();
    let (plan, owes, in_use) = isolate::with(event, |kept| {
        let in_use = kept.board.in_use(now);
        (kept.board.plan(now), kept.owes_counts(now), in_use)
    });
    match plan {
        Plan::Use if !owes => return in_use,
        Plan::Use | Plan::UseAndRead => context.wait_until(read(env.clone(), event)),
        Plan::ReadFirst => read_first(env, context, event).await,
        Plan::Wait => wait(event).await,
    }
    let now = platform::now();
    isolate::with(event, |kept| kept.board.in_use(now))
}

/// The board for somebody who listens for a long time: read here when it is due, there is no background.
pub async fn refreshed(env: &Env, event: &'static Event) -> Option<InUse> {
    let now = platform::now();
    match isolate::with(event, |kept| kept.board.plan(now)) {
        Plan::Use => {}
        Plan::UseAndRead | Plan::ReadFirst => read(env.clone(), event).await,
        Plan::Wait => wait(event).await,
    }
    let now = platform::now();
    isolate::with(event, |kept| kept.board.in_use(now))
}

async fn read_first(env: &Env, context: &Context, event: &'static Event) {
    let limit = read_limit(event);
    let (done, told) = oneshot::channel();
    let env = env.clone();
    // Others wait for it too: it goes on when whoever asked first is gone.
    context.wait_until(async move {
        read(env, event).await;
        let _ = done.send(());
    });
    select(told, Delay::from(Duration::from_millis(limit.0))).await;
}

async fn wait(event: &'static Event) {
    let until = platform::now().plus(read_limit(event));
    loop {
        Delay::from(LOOK_EVERY).await;
        let now = platform::now();
        if now >= until || isolate::with(event, |kept| !kept.board.is_reading(now)) {
            return;
        }
    }
}

/// Hands in what is counted, by a read of its own: for news that cannot wait for the next.
pub async fn hand_in(env: Env, event: &'static Event) {
    let until = platform::now().plus(HAND_IN_LIMIT);
    while isolate::with(event, |kept| kept.board.is_reading(platform::now())) {
        Delay::from(LOOK_EVERY).await;
        if platform::now() >= until {
            return;
        }
    }
    let has_news =
        |counts: &EdgeCounts| counts.stock.is_some() || counts.origin != OriginCounts::NONE;
    if isolate::with(event, |kept| has_news(&kept.counts)) {
        read(env, event).await;
    }
}

fn read_limit(event: &'static Event) -> Millis {
    isolate::with(event, |kept| kept.board.read_limit())
}

/// One read; hands in what was counted since the last.
async fn read(env: Env, event: &'static Event) {
    let now = platform::now();
    let (shard, counts) = isolate::with(event, |kept| {
        kept.board.begins(now);
        kept.handed_in = now;
        let is_paused = origin_health::is_paused(kept, now);
        let origin = kept.origin.takes_stock(event.origin_slow, is_paused, now);
        kept.counts.add(EdgeCounts {
            origin,
            ..EdgeCounts::default()
        });
        (kept.board.shard(), std::mem::take(&mut kept.counts))
    });
    let ask = |ask| rooms::ask_shard(&env, event, shard, ask, rooms::ANSWER_LIMIT);
    let mut counts = counts;
    let answer = loop {
        let answer = ask(ShardAsk::board(counts)).await;
        // A shard of before there were counts that stand apart takes the same without them.
        match (&answer, counts.in_older_words()) {
            (Err(RoomError::Refused(_)), Some(older)) => counts = older,
            _ => break answer,
        }
    };
    if let Err(error) = answer
        && error != RoomError::Deleted
    {
        platform::log(&format!(
            "board of {} at shard {}: {error:?}",
            event.id, shard.0
        ));
        let dice = platform::random_below(usize::MAX) as u64;
        isolate::with(event, |kept| kept.board.fails(platform::now(), dice));
    }
}
