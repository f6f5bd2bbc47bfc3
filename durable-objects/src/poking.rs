//! How an object asks its children for a report.

use anteroom_queue::tree::Node;
use anteroom_queue::units::{RelayIndex, ShardIndex};
use worker::{Env, console_warn};

use crate::call::Way;
use crate::opening::Known;
use crate::relay_wire::{self, RelayAsk, RelayCall};
use crate::wire::{self, ShardAsk, ShardCall};

/// The binding of the shards' class.
const SHARD: &str = "SHARD";

/// The binding of the relays' class.
pub const RELAY: &str = "RELAY";

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
            (Way::to(&env, SHARD, name), wire::encode(&call))
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
