//! Which object is asked, and where it is to stand if nobody has asked it before.

use anteroom_config::Event;
use anteroom_durable_objects::wire;
use anteroom_queue::units::ShardIndex;

/// An object of an event's run.
pub struct Object {
    /// The binding of its class.
    pub binding: &'static str,
    /// Its name.
    pub name: String,
    /// The region that it is asked for in.
    pub region: Option<&'static str>,
}

impl Object {
    /// A shard.
    pub fn shard(event: &Event, shard: ShardIndex) -> Self {
        Self {
            binding: "SHARD",
            name: wire::shard_name(&event.id, event.run, shard.0),
            region: event.regions.of_shard(shard),
        }
    }

    /// The coordinator.
    pub fn coordinator(event: &Event) -> Self {
        Self {
            binding: "COORDINATOR",
            name: wire::coordinator_name(&event.id, event.run),
            region: event.regions.of_coordinator(),
        }
    }
}
