//! One event's variable, from JSON to [`Event`].

use anteroom_queue::units::Millis;
use serde_json::Value;

use crate::event::{Event, Origin, PassAlgorithm};
use crate::fields::Fields;
use crate::host;
use crate::keys;
use crate::origins::{self, ORIGIN_FORM};
use crate::path::{PathRule, RULE_FORM};
use crate::problem::Problem;
use crate::schedule::{self, Schedule, ZONE_FORM};
use crate::{ZoneExists, challenge, crawlers, guard, lines, regions, settings, texts};

/// Reads the variable `variable` (`EVENT_…`) of one event. All problems are found at once.
pub fn parse_event(
    variable: &str,
    json: &Value,
    zone_exists: ZoneExists,
) -> Result<Event, Vec<Problem>> {
    let mut problems = Vec::new();
    let event = Fields::open(variable.to_owned(), json, keys::EVENT_KEYS, &mut problems)
        .and_then(|mut fields| read_event(&mut fields, zone_exists));
    match event {
        Some(event) if problems.is_empty() => Ok(event),
        _ => Err(problems),
    }
}

/// `None` only when something required is missing or refused, which is then among the problems.
fn read_event(fields: &mut Fields<'_>, zone_exists: ZoneExists) -> Option<Event> {
    let id = read_id(fields);
    let title = fields.required_text("title", &texts::line_form(keys::MAX_TITLE_CHARS), |text| {
        texts::line(text, keys::MAX_TITLE_CHARS)
    });
    let run = fields.whole_or_default(keys::RUN);
    let hosts = read_hosts(fields);
    let (paths, bypass) = read_paths(fields);
    let (origin, origin_slow, origin_acts) = read_origin(fields);
    let schedule = Schedule::read(fields);
    let (lines, line_settings) = lines::read(fields, &schedule);
    let zone = |text: &str| schedule::zone(text).filter(|zone| zone_exists(zone));
    let time_zone = fields
        .text("time_zone", ZONE_FORM, zone)
        .unwrap_or(keys::DEFAULT_TIME_ZONE.to_owned());
    let queue_status = read_queue_status(fields);
    let (challenge, turnstile) = challenge::read(fields, hosts.as_deref());
    let cors_origins = fields
        .list("cors_origins", keys::MAX_HOSTS, ORIGIN_FORM, web_origin)
        .unwrap_or_default();
    let frame_ancestors = read_frame_ancestors(fields);
    let crawlers = crawlers::read(fields);
    let cookie_domain = read_cookie_domain(fields, hosts.as_deref());
    let pass_algorithm = fields
        .text("pass_algorithm", "\"HS256\" or \"EdDSA\"", pass_algorithm)
        .unwrap_or(PassAlgorithm::Hs256);
    let handover = fields.flag("handover").unwrap_or(true);
    let settings = settings::read(fields, schedule.prequeue_at, line_settings);
    Some(Event {
        id: id?,
        title: title?,
        run,
        hosts: hosts?,
        paths: paths?,
        bypass,
        origin,
        origin_slow,
        origin_acts,
        time_zone,
        queue_status,
        challenge,
        turnstile,
        cors_origins,
        frame_ancestors,
        crawlers,
        cookie_domain,
        pass_algorithm,
        lines,
        handover,
        guard: guard::read(fields),
        regions: regions::read(fields),
        settings,
    })
}

fn read_id(fields: &mut Fields<'_>) -> Option<String> {
    let variable = fields.path().to_owned();
    let allowed = format!(
        "lower-case letters, digits and inner hyphens, at most {} bytes, and \"world-tour\" is the variable EVENT_WORLD_TOUR",
        keys::MAX_ID_BYTES
    );
    let well_formed = fields
        .value("id")
        .and_then(Value::as_str)
        .and_then(texts::id);
    if let Some(id) = well_formed {
        let own_variable = crate::variable_name(&id);
        if own_variable != variable {
            fields.refuse(
                "id",
                format!(
                    "this id where the variable is called {own_variable}, so rename the variable"
                ),
            );
            return None;
        }
    }
    fields.required_text("id", &allowed, texts::id)
}

fn web_origin(text: &str) -> Option<String> {
    origins::parse(text).map(|url| url.base())
}

fn pass_algorithm(text: &str) -> Option<PassAlgorithm> {
    match text {
        "HS256" => Some(PassAlgorithm::Hs256),
        "EdDSA" => Some(PassAlgorithm::EdDsa),
        _ => None,
    }
}

/// Where it is, from when on an answer is slow, and whether the room acts on its health.
fn read_origin(fields: &mut Fields<'_>) -> (Origin, Millis, bool) {
    let origin = fields
        .text("origin", ORIGIN_FORM, origins::parse)
        .map_or(Origin::Unchanged, Origin::Url);
    let slow_ms = fields.whole_or_default(keys::ORIGIN_SLOW_MS);
    let acts = fields.text("origin_health", "\"act\" or \"watch\"", origin_acts);
    (origin, Millis(u64::from(slow_ms)), acts.unwrap_or(true))
}

fn origin_acts(text: &str) -> Option<bool> {
    match text {
        "act" => Some(true),
        "watch" => Some(false),
        _ => None,
    }
}

/// A list that must have an entry.
fn read_filled<T: PartialEq>(
    fields: &mut Fields<'_>,
    key: &str,
    most: usize,
    allowed: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let list = fields.list(key, most, allowed, read);
    let empty = fields
        .value(key)
        .is_none_or(|value| value.as_array().is_some_and(Vec::is_empty));
    if empty {
        fields.refuse(key, format!("1 to {most} entries: {allowed}"));
    }
    list.filter(|list| !list.is_empty())
}

fn read_hosts(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let host =
        |text: &str| (text == host::LOOPBACK || host::is_name(text)).then(|| text.to_owned());
    let allowed = "a host name in lower case without a port, or \"*loopback\"";
    let hosts = read_filled(fields, "hosts", keys::MAX_HOSTS, allowed, host)?;
    for (index, host) in hosts.iter().enumerate() {
        if hosts[..index]
            .iter()
            .any(|earlier| host::overlap(earlier, host))
        {
            fields.refuse("hosts", "hosts that do not stand for one another");
        }
    }
    Some(hosts)
}

fn read_paths(fields: &mut Fields<'_>) -> (Option<Vec<PathRule>>, Vec<PathRule>) {
    let paths = read_filled(fields, "paths", keys::MAX_RULES, RULE_FORM, PathRule::parse);
    let bypass = fields
        .list("bypass", keys::MAX_RULES, RULE_FORM, PathRule::parse)
        .unwrap_or_default();
    let outside = |rule: &&PathRule| {
        paths
            .as_ref()
            .is_some_and(|paths| !paths.iter().any(|path| path.contains(rule)))
    };
    for rule in bypass.iter().filter(outside) {
        let problem = Problem::new(
            fields.path_of("bypass"),
            format!("\"{rule}\""),
            "paths inside one of paths: all others go on anyway",
        );
        fields.problems().push(problem);
    }
    (paths, bypass)
}

fn read_queue_status(fields: &mut Fields<'_>) -> u16 {
    let Some(value) = fields.value("queue_status") else {
        return keys::DEFAULT_QUEUE_STATUS;
    };
    let status = keys::QUEUE_STATUSES
        .iter()
        .find(|status| value.as_f64() == Some(f64::from(**status)));
    if status.is_none() {
        fields.refuse("queue_status", "200, 202, 429 or 503");
    }
    status.copied().unwrap_or(keys::DEFAULT_QUEUE_STATUS)
}

fn read_frame_ancestors(fields: &mut Fields<'_>) -> Vec<String> {
    let site = |text: &str| match text {
        "self" => Some("'self'".to_owned()),
        other => web_origin(other),
    };
    let allowed = format!("\"self\", {ORIGIN_FORM}");
    let list = fields.list("frame_ancestors", keys::MAX_HOSTS, &allowed, site);
    list.unwrap_or_default()
}

fn read_cookie_domain(fields: &mut Fields<'_>, hosts: Option<&[String]>) -> Option<String> {
    let domain = fields.text("cookie_domain", "a domain", |text| Some(text.to_owned()));
    let hosts = hosts?;
    match &domain {
        Some(domain) => {
            if let Err(problem) =
                host::check_cookie_domain(&fields.path_of("cookie_domain"), domain, hosts)
            {
                fields.problems().push(problem);
            }
        }
        None if hosts.len() > 1 && fields.value("cookie_domain").is_none() => {
            fields.refuse(
                "cookie_domain",
                "required with more than one host: a domain that all of them are equal to or below",
            );
        }
        None => {}
    }
    domain
}
