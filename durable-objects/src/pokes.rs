//! Whom an object asks for a report, and when again: everybody at most once in [`POKE_AFTER`], until the report has come.

use std::collections::BTreeMap;

use anteroom_queue::tree::Node;
use anteroom_queue::units::{Millis, RelayIndex, ShardIndex, UnixMillis};
use worker::{Env, console_warn};

use crate::call::Way;
use crate::opening::Known;
use crate::relay_wire::{self, RelayAsk, RelayCall};
use crate::wire::{self, ShardAsk, ShardCall};

/// One child is asked for a report at most this often: it needs a few tenths to make one.
pub const POKE_AFTER: Millis = Millis(1_000);

/// The binding of the relays' class.
pub const RELAY: &str = "RELAY";

/// Who was asked when.
#[derive(Debug)]
pub struct Pokes<K>(BTreeMap<K, UnixMillis>);

impl<K> Default for Pokes<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord + Copy> Pokes<K> {
    /// Of those who are wanted, whom to ask now.
    pub fn take(&mut self, mut wanted: Vec<K>, now: UnixMillis) -> Vec<K> {
        self.0.retain(|child, _| wanted.contains(child));
        wanted.retain(|child| self.at(*child, now) <= now);
        self.0.extend(wanted.iter().map(|child| (*child, now)));
        wanted
    }

    /// When the next of those who are wanted may be asked.
    pub fn next(&self, wanted: Vec<K>, now: UnixMillis) -> Option<UnixMillis> {
        let at = wanted.into_iter().map(|child| self.at(child, now));
        at.min()
    }

    /// When one may be asked; a last time in the future was before the clock was set back.
    fn at(&self, child: K, now: UnixMillis) -> UnixMillis {
        let last = self.0.get(&child).filter(|at| **at <= now);
        last.map_or(UnixMillis(0), |at| at.plus(POKE_AFTER))
    }
}

/// Asks a child of `known` for a report. A failure is only logged: it is asked again.
pub async fn poke(env: Env, known: Known, child: Node) {
    let Known { event, run, .. } = known;
    let (way, call) = match child {
        Node::Shard(ShardIndex(shard)) => {
            let name = wire::shard_name(&event, run, shard);
            let ask = ShardAsk::Poke;
            let call = ShardCall {
                event,
                run,
                shard,
                ask,
            };
            (Way::to(&env, "SHARD", name), wire::encode(&call))
        }
        Node::Relay(RelayIndex(relay)) => {
            let name = relay_wire::relay_name(&event, run, relay);
            let ask = RelayAsk::Poke;
            let call = RelayCall {
                event,
                run,
                relay,
                ask,
            };
            (Way::to(&env, RELAY, name), wire::encode(&call))
        }
    };
    if let Err(why) = way.call(&call).await {
        console_warn!("asking {child:?} for a report: {why:?}");
    }
}
