//! Crawlers and monitors: which requests are theirs, what they get, and how their budget is asked for.
//!
//! A crawler is told by what the platform says of its connection, which no header of a request can change: the number of
//! the network, or that the program was verified. Its GET and HEAD go on to the origin with a pass of no session, as many
//! in a minute as the event allows; shard 0 counts them for the whole event and stores each count, so the budget is exact
//! ([`crawl`](anteroom_queue::shard::Crawlers)). An edge that was told that the budget is used up asks no more until one is
//! free. Everything else about a crawler is as for anybody: who brings a cookie of ours is a visitor.

use anteroom_config::{Crawlers, Event};
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{Millis, ShardIndex, UnixMillis};
use anteroom_token::{Pass, SessionId};
use serde_json::{Value, json};
use worker::Env;

use crate::incoming::Method;
use crate::{isolate, platform, renewal, rooms};

/// The shard that counts.
const COUNTING: ShardIndex = ShardIndex(0);
/// How long a crawler's pass lives: it is for one request, and never sent to the crawler.
const PASS_SECONDS: u64 = 30;
/// How long an isolate does not ask a shard that did not answer: as long as it waits for an answer, so that one crawler's
/// request at a time is held at most.
const REST: Millis = Millis(1_000);

/// What the platform says of a request's connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connection {
    /// The number of its autonomous system.
    pub asn: Option<u32>,
    /// It comes from a program that was verified.
    pub verified: bool,
    /// What kind of program that is.
    pub category: Option<String>,
}

/// Why a request is a crawler's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// By its network.
    Network(u32),
    /// By the platform's word, and what kind of program it is if that is told.
    Verified(Option<String>),
}

impl std::fmt::Display for Known {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Known::Network(asn) => write!(out, "AS{asn}"),
            Known::Verified(None) => write!(out, "verified"),
            Known::Verified(Some(category)) => write!(out, "verified: {category}"),
        }
    }
}

/// Whether a request of this method and connection is a crawler's. `agent` is what it calls itself.
pub fn known(
    crawlers: &Crawlers,
    method: &Method,
    connection: &Connection,
    agent: Option<&str>,
) -> Option<Known> {
    if !matches!(method, Method::Get | Method::Head) {
        return None;
    }
    let is_named = |agents: &[String]| {
        let agent = agent.unwrap_or_default();
        agents.is_empty() || agents.iter().any(|name| agent.contains(name.as_str()))
    };
    if let Some(asn) = connection.asn.filter(|asn| crawlers.asns.contains(asn))
        && is_named(&crawlers.agents)
    {
        return Some(Known::Network(asn));
    }
    let is_wanted = crawlers.categories.is_empty()
        || connection
            .category
            .as_ref()
            .is_some_and(|category| crawlers.categories.contains(category));
    (crawlers.verified && connection.verified && is_wanted)
        .then(|| Known::Verified(connection.category.clone()))
}

/// What an isolate knows of an event's budget.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// Until then it is used up.
    used_up_until: UnixMillis,
    /// So many were turned away here since the counting shard was last asked.
    turned_away: u32,
}

/// The pass that goes with a crawler's request.
pub fn pass(now: u64) -> Pass {
    renewal::issued(SessionId::CRAWLER, now + PASS_SECONDS, now, PASS_SECONDS)
}

/// Whether a crawler's request may go on; it is counted then. While the counting shard cannot be reached, none may.
pub async fn goes_on(env: &Env, event: &'static Event, known: &Known, now: UnixMillis) -> bool {
    let per_minute = event.crawlers.as_ref().map_or(0, |some| some.per_minute);
    let turned_away = isolate::with(event, |kept| {
        let budget = &mut kept.crawlers;
        if now < budget.used_up_until {
            budget.turned_away += 1;
            return None;
        }
        Some(std::mem::take(&mut budget.turned_away))
    });
    let Some(turned_away) = turned_away else {
        return false;
    };
    let ask = ShardCommand::Crawl {
        per_minute,
        turned_away,
    };
    let reply = rooms::command(env, event, COUNTING, ask, rooms::RENEWAL_LIMIT).await;
    if let Some(rest) = rest_after(reply.as_ref().ok()) {
        isolate::with(event, |kept| {
            kept.crawlers.used_up_until = platform::now().plus(rest);
        });
    }
    match reply {
        Ok(ShardReply::Crawled { went_on: true, .. }) => {
            platform::log(&format!("crawler of {}: {known} goes on", event.id));
            true
        }
        Ok(ShardReply::Crawled { .. }) => {
            platform::log(&format!(
                "crawler of {}: {known} is turned away, {per_minute} went on within a minute",
                event.id
            ));
            false
        }
        other => {
            platform::log(&format!("crawler of {}: {known}: {other:?}", event.id));
            false
        }
    }
}

/// How long the counting shard is not asked again after this reply; `None`: as soon as a crawler comes. One that cannot
/// answer holds places too, and is left alone for a moment.
fn rest_after(reply: Option<&ShardReply>) -> Option<Millis> {
    match reply {
        Some(ShardReply::Crawled { went_on: true, .. }) => None,
        Some(ShardReply::Crawled { retry_in, .. }) => Some(*retry_in),
        _ => Some(REST),
    }
}

/// What crawlers of an event were given, for operators: numbers, or that they are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The budget.
    pub per_minute: u32,
    /// Requests that went on in the last 60 s.
    pub in_last_minute: u32,
    /// Requests that went on since the run began.
    pub let_through: u64,
    /// Requests beyond the budget, as far as edges told.
    pub turned_away: u64,
}

impl Counted {
    /// As operators see it.
    pub fn document(&self) -> Value {
        json!({
            "per_minute": self.per_minute,
            "in_last_minute": self.in_last_minute,
            "let_through": self.let_through,
            "turned_away": self.turned_away,
        })
    }
}

/// Asks for the counts; `None`: the event has no crawlers, or they cannot be read now.
pub async fn counted(env: &Env, event: &'static Event) -> Option<Counted> {
    let per_minute = event.crawlers.as_ref()?.per_minute;
    let ask = ShardCommand::CountCrawlers;
    match rooms::command(env, event, COUNTING, ask, rooms::RENEWAL_LIMIT).await {
        Ok(ShardReply::CrawlerCounts {
            in_last_minute,
            let_through,
            turned_away,
        }) => Some(Counted {
            per_minute,
            in_last_minute,
            let_through,
            turned_away,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crawlers() -> Crawlers {
        Crawlers {
            asns: vec![15_169, 64_500],
            agents: vec!["Googlebot".to_owned(), "Monitor/1".to_owned()],
            verified: true,
            categories: vec!["Search Engine Crawler".to_owned()],
            per_minute: 60,
        }
    }

    fn from(asn: u32) -> Connection {
        Connection {
            asn: Some(asn),
            ..Connection::default()
        }
    }

    fn verified(category: &str) -> Connection {
        Connection {
            verified: true,
            category: Some(category.to_owned()),
            ..from(1)
        }
    }

    // O10.
    #[test]
    fn a_crawler_is_told_by_its_network_or_the_platforms_word_and_never_by_its_name() {
        let bot = "Mozilla/5.0 (compatible; Googlebot/2.1)";
        let searching = Known::Verified(Some("Search Engine Crawler".to_owned()));
        let rows = [
            (from(15_169), Some(bot), Some(Known::Network(15_169))),
            (
                from(64_500),
                Some("Monitor/1"),
                Some(Known::Network(64_500)),
            ),
            (from(15_169), Some("Mozilla/5.0"), None),
            (from(15_169), None, None),
            (from(1), Some(bot), None),
            (Connection::default(), Some(bot), None),
            (verified("Search Engine Crawler"), None, Some(searching)),
            (verified("AI Crawler"), Some(bot), None),
        ];
        for (connection, agent, expected) in rows {
            let found = known(&crawlers(), &Method::Get, &connection, agent);
            assert_eq!(found, expected, "{connection:?} {agent:?}");
        }
    }

    #[test]
    fn what_narrows_is_not_needed() {
        let wide = Crawlers {
            agents: Vec::new(),
            categories: Vec::new(),
            ..crawlers()
        };
        let of = |connection| known(&wide, &Method::Head, &connection, None);
        assert_eq!(of(from(15_169)), Some(Known::Network(15_169)));
        let unnamed = Connection {
            category: None,
            ..verified("")
        };
        assert_eq!(of(unnamed), Some(Known::Verified(None)));
        let strict = Crawlers {
            verified: false,
            ..wide.clone()
        };
        assert_eq!(known(&strict, &Method::Get, &verified("x"), None), None);
    }

    #[test]
    fn a_counting_shard_that_does_not_answer_is_left_alone_for_a_second() {
        let crawled = |went_on, retry_in| ShardReply::Crawled { went_on, retry_in };
        assert_eq!(rest_after(Some(&crawled(true, Millis(0)))), None);
        let used_up = crawled(false, Millis(20_000));
        assert_eq!(rest_after(Some(&used_up)), Some(Millis(20_000)));
        assert_eq!(rest_after(None), Some(Millis(1_000)));
    }

    #[test]
    fn a_crawler_changes_nothing() {
        for method in [
            Method::Post,
            Method::Put,
            Method::Patch,
            Method::Delete,
            Method::Options,
            Method::Other("PROPFIND".to_owned()),
        ] {
            assert_eq!(
                known(&crawlers(), &method, &from(15_169), Some("Googlebot")),
                None
            );
        }
    }
}
