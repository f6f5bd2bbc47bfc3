//! One request on its way through the edge, with everything that handling it needs.

use anteroom_queue::units::UnixMillis;
use worker::{Context, Env};

use crate::board_reads;
use crate::boards::InUse;
use crate::deployment::{Deployment, Room};
use crate::incoming::Incoming;
use crate::problem::Problem;
use crate::visitor::Visitor;
use crate::{renewal, same_site};

/// A request with its surroundings.
pub struct Visit {
    /// The platform's request: its body, and what goes on to the origin.
    pub request: web_sys::Request,
    /// Its line and headers.
    pub incoming: Incoming,
    /// The bindings.
    pub env: Env,
    /// What may go on after the answer.
    pub context: Context,
    /// The configuration and the keys.
    pub deployment: &'static Deployment,
    /// When it came.
    pub now: UnixMillis,
}

impl Visit {
    /// When it came, in the Unix seconds of tokens.
    pub fn now_seconds(&self) -> u64 {
        renewal::seconds(self.now)
    }

    /// Who sent it, seen with the keys of `room`.
    pub fn visitor(&self, room: Room) -> Visitor<'_> {
        Visitor::new(&self.incoming, room, self.now_seconds())
    }

    /// As [`Visit::visitor`], of a request that changes something: one that another site made with the visitor's cookies is
    /// refused.
    pub fn acting_visitor(&self, room: Room) -> Result<Visitor<'_>, Problem> {
        let visitor = self.visitor(room);
        same_site::check(
            &self.incoming,
            &room.event.cors_origins,
            visitor.brings_cookie(),
        )?;
        Ok(visitor)
    }

    /// The board of `room`.
    pub async fn board(&self, room: Room) -> Option<InUse> {
        board_reads::current(&self.env, &self.context, room.event).await
    }

    /// The address of one of the waiting room's own resources.
    pub fn address(&self, room: Room, rest: &str) -> String {
        format!(
            "{}/queues/{}{rest}",
            self.deployment.rooms().prefix(),
            room.event.id
        )
    }

    /// The same as a whole address, with the scheme and the host that were asked.
    pub fn link(&self, room: Room, rest: &str) -> String {
        format!("{}{}", self.incoming.own_origin(), self.address(room, rest))
    }
}
