//! Where each event is sold: below the paths that the waiting room protects for it.
//!
//! The shop's routes know an event as `/events/<event>`. A request below one of the event's own paths is given that form
//! before it is routed, and every link leads to the first of them. An event that names no path is at `/events/<event>`.

use std::collections::BTreeMap;

use axum::http::Uri;

use crate::random::UNGUESSABLE_CHARS;

/// The address at which a request came, before it was given the form of the routes.
#[derive(Debug, Clone)]
pub struct AskedAt(pub Uri);

/// Where events are.
#[derive(Debug, Clone, Default)]
pub struct EventPaths {
    /// Where a path begins and which event it is of, the longest first.
    beginnings: Vec<(String, String)>,
    /// Where the links of an event lead.
    firsts: BTreeMap<String, String>,
}

impl EventPaths {
    /// The rules of an event are added, as the waiting room has them: `/shop`, `/shop/*`.
    pub fn add(&mut self, event: &str, rules: &[String]) {
        for rule in rules {
            let beginning = rule.trim_end_matches('*').trim_end_matches('/').to_owned();
            self.firsts
                .entry(event.to_owned())
                .or_insert_with(|| beginning.clone());
            self.beginnings.push((beginning, event.to_owned()));
        }
        self.beginnings
            .sort_by_key(|(beginning, _)| std::cmp::Reverse(beginning.len()));
    }

    /// Where the event's pages begin, without a slash at the end.
    pub fn first(&self, event: &str) -> String {
        let own = self.firsts.get(event);
        own.cloned().unwrap_or_else(|| format!("/events/{event}"))
    }

    /// The address as the routes know it; none: it is no event's, or has that form already.
    pub fn routed(&self, asked: &Uri) -> Option<Uri> {
        let path = asked.path();
        if is_open_to_all(path) {
            return None;
        }
        let (rest, event) = self
            .beginnings
            .iter()
            .find_map(|(beginning, event)| Some((below(path, beginning)?, event)))?;
        let query = asked
            .query()
            .map_or(String::new(), |query| format!("?{query}"));
        let routed = format!("/events/{event}{rest}{query}");
        if routed == asked.to_string() {
            return None;
        }
        routed.parse().ok()
    }
}

/// What stands behind the beginning, if the path is there or below.
fn below<'a>(path: &'a str, beginning: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(beginning)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// The shop's own addresses, also where an event has every path.
fn is_open_to_all(path: &str) -> bool {
    let is_key = |key: &str| key.len() == UNGUESSABLE_CHARS && !key.contains('/');
    path == "/health" || path.strip_prefix("/tickets/").is_some_and(is_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(events: &[(&str, &[&str])]) -> EventPaths {
        let mut paths = EventPaths::default();
        for (event, rules) in events {
            let rules: Vec<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
            paths.add(event, &rules);
        }
        paths
    }

    fn routed(paths: &EventPaths, asked: &str) -> String {
        let uri: Uri = asked.parse().expect("an address");
        paths.routed(&uri).unwrap_or(uri).to_string()
    }

    #[test]
    fn an_event_is_at_its_own_paths() {
        let paths = paths(&[
            ("gig", &["/concerts/2027/*", "/gig"]),
            ("vip", &["/concerts/2027/vip/*"]),
        ]);
        for (asked, expected) in [
            ("/concerts/2027", "/events/gig"),
            ("/concerts/2027/", "/events/gig/"),
            ("/concerts/2027/cart?a=%2F", "/events/gig/cart?a=%2F"),
            ("/gig", "/events/gig"),
            ("/concerts/2027/vip/cart", "/events/vip/cart"),
            ("/concerts/20270", "/concerts/20270"),
            ("/events/gig/cart", "/events/gig/cart"),
            ("/health", "/health"),
        ] {
            assert_eq!(routed(&paths, asked), expected);
        }
        assert_eq!(paths.first("gig"), "/concerts/2027");
        assert_eq!(paths.first("demo"), "/events/demo");
    }

    #[test]
    fn an_event_may_have_every_path_and_bought_tickets_are_still_found() {
        let paths = paths(&[("gig", &["/*"])]);
        let tickets = format!("/tickets/{}", "k".repeat(UNGUESSABLE_CHARS));
        for (asked, expected) in [
            ("/", "/events/gig/"),
            ("/cart", "/events/gig/cart"),
            ("/tickets/", "/events/gig/tickets/"),
            ("/health", "/health"),
            (&tickets, &tickets),
        ] {
            assert_eq!(routed(&paths, asked), expected);
        }
        assert_eq!(paths.first("gig"), "");
    }
}
