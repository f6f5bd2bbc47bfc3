//! How an object asks its children for a report.

use std::rc::Rc;

use anteroom_config::Regions;
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
pub async fn poke(env: Env, known: Known, regions: Rc<Regions>, child: Node) {
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
            let region = regions.of_shard(ShardIndex(shard));
            let way = Way::to(&env, SHARD, name).in_region(region);
            (way, wire::encode(&call))
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
            let way = Way::to(&env, RELAY, name).in_region(regions.of_coordinator());
            (way, wire::encode(&call))
        }
    };
    if let Err(why) = way.call(&call).await {
        console_warn!("asking {child:?} for a report: {why:?}");
    }
}
