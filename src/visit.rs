//! One request on its way through the edge, with everything that handling it needs.

use anteroom_config as config;
use anteroom_queue::units::{NetworkMark, UnixMillis};
use worker::{Context, Env};

use crate::board_reads;
use crate::boards::InUse;
use crate::challenges::{CALM_JOINS_V4, Signals, difficulty, is_above_plan};
use crate::deployment::{Deployment, Room};
use crate::incoming::Incoming;
use crate::networks::{self, Network};
use crate::origin_health;
use crate::problem::Problem;
use crate::visitor::Visitor;
use crate::{binding, platform, providers, rate_limits, renewal, same_site};

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

    /// A WebSocket of another site's page is refused, as is whatever else changes something. A page on one
    /// of the event's hosts may open one on another.
    pub fn check_upgrade(&self, room: Option<Room>) -> Result<(), Problem> {
        match room {
            _ if !self.incoming.is_upgrade() => Ok(()),
            Some(room) if same_site::is_another_host_of(&room.event.hosts, &self.incoming) => {
                Ok(())
            }
            Some(room) => self.acting_visitor(room).map(|_| ()),
            None => same_site::check(&self.incoming, &[], false),
        }
    }

    /// Where the request comes from: the network that a provider gives to a neighbourhood.
    pub fn network(&self) -> Network {
        Network::of_provider(self.incoming.header("cf-connecting-ip").as_deref())
    }

    /// What stands for where the request comes from, in what the shards of `room` count: a keyed hash. Where passes are
    /// bound to the browser too, another browser counts like another network.
    pub fn network_mark(&self, room: Room) -> NetworkMark {
        let network = self.network();
        let agent = binding::agent(room, &self.incoming);
        let mark = room
            .tokens
            .mark_of(&[b"network", &network.bytes(), agent.as_bytes()]);
        let mut bytes: [u8; 8] = core::array::from_fn(|at| mark[at]);
        bytes[0] = bytes[0] & !1 | u8::from(network.is_v6());
        NetworkMark(bytes)
    }

    /// What is known of a request for a permit.
    pub fn signals(&self, room: Room, in_use: Option<&InUse>) -> Signals {
        let network = self.network();
        let joins = networks::with(|seen| seen.joins.of(network, self.now));
        let expected = room.event.settings.expected_visitors;
        // What the platform counts for a whole data centre is more than one isolate sees.
        let joins = match rate_limits::is_busy(self) {
            true => joins.max(CALM_JOINS_V4),
            false => joins,
        };
        Signals {
            network,
            joins,
            above_plan: in_use.is_some_and(|in_use| is_above_plan(&in_use.board, expected)),
            unlike_a_browser: !self.incoming.is_like_a_browser(),
            kind: providers::kind_of(platform::autonomous_system(&self.request)),
        }
    }

    /// How much work is asked of whoever comes from there, in zero bits; `None`: the event asks for nothing.
    pub fn bits(&self, room: Room, in_use: Option<&InUse>) -> Option<u8> {
        let base = match room.event.challenge {
            config::Challenge::None => return None,
            config::Challenge::Work(base)
            | config::Challenge::Turnstile(base)
            | config::Challenge::WorkAndTurnstile(base) => base,
        };
        Some(difficulty(base, &self.signals(room, in_use)).bits())
    }

    /// The board of `room`. While it says that the shop does not answer, the shop is asked in the background.
    pub async fn board(&self, room: Room) -> Option<InUse> {
        let in_use = board_reads::current(&self.env, &self.context, room.event).await?;
        origin_health::watch(self, room, &in_use);
        Some(in_use)
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
