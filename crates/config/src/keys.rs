//! Every key of an event, what is allowed and what holds when it is absent.
//!
//! | key | allowed | default |
//! | --- | --- | --- |
//! | `id` | the variable's name behind `EVENT_`, in lower case with hyphens: `EVENT_WORLD_TOUR` is `world-tour` | required |
//! | `title` | 1 to 120 characters | required |
//! | `run` | 1 to 4294967295; a higher one starts from nothing and refuses all tickets and passes of the old | 1 |
//! | `hosts` | 1 to 20 host names, or `*loopback` for any loopback host and port | required |
//! | `paths` | 1 to 50 path rules: `/shop`, `/shop/*` | required |
//! | `bypass` | up to 50 path rules inside `paths`, which go on without a pass | none |
//! | `origin` | `https://host[:port]` (`http` for loopback only) | the request goes on unchanged, behind a Worker route |
//! | `origin_slow_ms` | 100 to 60000: an answer of the origin that takes longer is slow | 5000 |
//! | `origin_health` | `act` (admit fewer, or nobody, when the origin is in trouble), `watch` | `act` |
//! | `mode` | `auto`, `always`, `rate`, `off`, `closed` | `always` |
//! | `prequeue_at` | a time with its offset, before `opens_at` | joins are taken at once |
//! | `opens_at` | a time with its offset: `2027-03-01T10:00:00+01:00` | open at once |
//! | `time_zone` | the IANA name of a zone that exists: `Europe/Berlin` | `UTC` |
//! | `lines[].id` | as an event's id; each once | one line `general` for everyone |
//! | `lines[].title` | 1 to 60 characters | the page names the line by its id |
//! | `lines[].weight` | 1 to 1000: the line's share of the admissions beside the others' | 1 |
//! | `lines[].access` | `everyone`, `code`, `enqueue_token` | `everyone` |
//! | `lines[].opens_at` | a time with its offset, after `prequeue_at` | the event's `opens_at` |
//! | `draw_grace_seconds` | 5 to 600: how long a draw waits for those who were not heard | 60 |
//! | `beacon` | `drand`, `none`: whether a public random number takes part in draws | `drand` |
//! | `beacon_wait_minutes` | 1 to 60: how long a draw waits for that number | 10 |
//! | `expected_visitors` | 1 to 51600000 | 10000 |
//! | `regions` | up to 9 of `wnam`, `enam`, `sam`, `weur`, `eeur`, `apac`, `oc`, `afr`, `me`: where the shards stand; the same for the whole run | wherever they are first asked from |
//! | `lost_regions` | some of `regions`, not all: lost for good, nobody gets a home there | none |
//! | `coordinator_region` | one of the same names: where the coordinator and the relays stand | wherever it is first asked from |
//! | `admission.per_minute` | 1 to 1000000 admissions a minute | no such limit |
//! | `admission.max_active` | 1 to 1000000 sessions at the same time | no such limit |
//! | `admission.batch.size` | 1 to 1000000 admissions a period | no such limit |
//! | `admission.batch.every_seconds` | 1 to 3600 | required with `size` |
//! | `session_minutes` | 1 to 1440 | 20 |
//! | `idle_minutes` | 1 to 1440, at most `session_minutes` | 10, or `session_minutes` if that is less |
//! | `hold_minutes` | 0 to 1440; 0: a turn stands until the end | 30 |
//! | `pass_seconds` | 60 to 300, at most `idle_minutes` | 180, or `idle_minutes` if that is less |
//! | `max_extension_minutes` | 0 to 1440, in all | 10 |
//! | `handover` | true, false: whether a place can move to another browser by a code | true |
//! | `keep_days` | 1 to 365 days after the end of a run, then everything of it is deleted | 30 |
//! | `challenge` | `pow` (proof of work), `turnstile` (the widget, or more work instead), `pow+turnstile` (both), `none` | `pow` |
//! | `pow_bits` | 4 to 20: zero bits of each hash of the work that everybody is asked for; each more doubles it | 16 |
//! | `recheck` | who is checked before being let in: `suspected`, `everyone`; with `challenge = "none"` nobody | `suspected` |
//! | `binding` | what a pass is bound to: `none`, `strict` (network and browser) | `none` |
//! | `turnstile_site_key` | with `turnstile` only: 1 to 64 letters, digits, `-` and `_`; keys for tests on loopback hosts only | required |
//! | `turnstile_down` | with `turnstile` only: `pow`, `deny`, `allow`, while it cannot be asked | `pow` |
//! | `queue_status` | 200, 202, 429, 503 | 503 |
//! | `cors_origins` | up to 20 origins `https://host[:port]` (`http` for loopback only) | none |
//! | `frame_ancestors` | up to 20 such origins, or `self` | none |
//! | `crawlers.asns` | up to 50 numbers of autonomous systems, 1 to 4294967295, whose GET and HEAD go on without a pass | none; this or `verified` is required with `crawlers` |
//! | `crawlers.agents` | up to 20 texts of 1 to 80 characters, one of which the `User-Agent` has to contain; it narrows `asns` | whatever it is |
//! | `crawlers.verified` | true, false: whether programs that the platform has verified count too | false |
//! | `crawlers.categories` | up to 20 of the platform's categories of verified programs; it narrows `verified` | all |
//! | `crawlers.per_minute` | 1 to 6000 requests that go on in any minute, for the whole event | 60 |
//! | `cookie_domain` | a domain of your own that every host is equal to or below; required with more than one host | none: cookies of the one host |
//! | `pass_algorithm` | `HS256`, `EdDSA` | `HS256` |

use anteroom_queue::limits::{LONGEST_BATCH, MAX_LINES, MOST_ADMISSIONS, MOST_VISITORS};

/// A whole number: its key, its range and what holds when it is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// The key.
    pub key: &'static str,
    /// The smallest allowed value.
    pub least: u32,
    /// The largest allowed value.
    pub most: u32,
    /// The value of an absent key, if it has one.
    pub default: Option<u32>,
}

const fn whole(key: &'static str, least: u32, most: u32, default: Option<u32>) -> Whole {
    Whole {
        key,
        least,
        most,
        default,
    }
}

/// Minutes of a day: nothing that runs while a visitor is there lasts longer.
pub const DAY_MINUTES: u32 = 24 * 60;

const LONGEST_BATCH_SECONDS: u32 = (LONGEST_BATCH.0 / 1_000) as u32;

/// `run`.
pub const RUN: Whole = whole("run", 1, u32::MAX, Some(1));
/// `expected_visitors`.
pub const EXPECTED_VISITORS: Whole = whole("expected_visitors", 1, MOST_VISITORS, Some(10_000));
/// `admission.per_minute`.
pub const PER_MINUTE: Whole = whole("per_minute", 1, MOST_ADMISSIONS, None);
/// `admission.max_active`.
pub const MAX_ACTIVE: Whole = whole("max_active", 1, MOST_ADMISSIONS, None);
/// `admission.batch.size`.
pub const BATCH_SIZE: Whole = whole("size", 1, MOST_ADMISSIONS, None);
/// `admission.batch.every_seconds`.
pub const BATCH_EVERY_SECONDS: Whole = whole("every_seconds", 1, LONGEST_BATCH_SECONDS, None);
/// `session_minutes`.
pub const SESSION_MINUTES: Whole = whole("session_minutes", 1, DAY_MINUTES, Some(20));
/// `idle_minutes`.
pub const IDLE_MINUTES: Whole = whole("idle_minutes", 1, DAY_MINUTES, Some(10));
/// `hold_minutes`.
pub const HOLD_MINUTES: Whole = whole("hold_minutes", 0, DAY_MINUTES, Some(30));
/// `pass_seconds`: short enough that a copied pass soon dies, long enough that renewing is rare.
pub const PASS_SECONDS: Whole = whole("pass_seconds", 60, 300, Some(180));
/// `max_extension_minutes`.
pub const MAX_EXTENSION_MINUTES: Whole = whole("max_extension_minutes", 0, DAY_MINUTES, Some(10));
/// `lines[].weight`: a round of grants over all lines stays below [`MAX_LINES`] thousand.
pub const LINE_WEIGHT: Whole = whole("weight", 1, 1_000, Some(1));
/// `draw_grace_seconds`: long enough for an object's restart, short enough that nobody gives up.
pub const DRAW_GRACE_SECONDS: Whole = whole("draw_grace_seconds", 5, 600, Some(60));
/// `beacon_wait_minutes`: a drand round comes every 3 seconds; an outage lasts longer.
pub const BEACON_WAIT_MINUTES: Whole = whole("beacon_wait_minutes", 1, 60, Some(10));
/// `keep_days`: a month for disputes, at most a year.
pub const KEEP_DAYS: Whole = whole("keep_days", 1, 365, Some(30));

/// `pow_bits`: 16 is about half a second of a desktop's core; 20 is as long as anybody with an old phone waits.
pub const POW_BITS: Whole = whole("pow_bits", 4, 20, Some(16));

/// `crawlers.per_minute`: one shard stores each, which at 100 a second leaves it time for visitors.
pub const CRAWLERS_PER_MINUTE: Whole = whole("per_minute", 1, 6_000, Some(60));
/// An entry of `crawlers.asns`.
pub const ASN: Whole = whole("asns", 1, u32::MAX, None);

/// `origin_slow_ms`: as long as people wait for a page before they press reload.
pub const ORIGIN_SLOW_MS: Whole = whole("origin_slow_ms", 100, 60_000, Some(5_000));

/// Whole numbers, wherever they stand.
pub const WHOLES: &[Whole] = &[
    RUN,
    EXPECTED_VISITORS,
    PER_MINUTE,
    MAX_ACTIVE,
    BATCH_SIZE,
    BATCH_EVERY_SECONDS,
    SESSION_MINUTES,
    IDLE_MINUTES,
    HOLD_MINUTES,
    PASS_SECONDS,
    MAX_EXTENSION_MINUTES,
    LINE_WEIGHT,
    DRAW_GRACE_SECONDS,
    BEACON_WAIT_MINUTES,
    KEEP_DAYS,
    POW_BITS,
    CRAWLERS_PER_MINUTE,
    ORIGIN_SLOW_MS,
];

/// The keys of an event.
pub const EVENT_KEYS: &[&str] = &[
    "id",
    "title",
    "run",
    "hosts",
    "paths",
    "bypass",
    "origin",
    "origin_slow_ms",
    "origin_health",
    "mode",
    "prequeue_at",
    "opens_at",
    "time_zone",
    "lines",
    "draw_grace_seconds",
    "beacon",
    "beacon_wait_minutes",
    "expected_visitors",
    "regions",
    "lost_regions",
    "coordinator_region",
    "admission",
    "session_minutes",
    "idle_minutes",
    "hold_minutes",
    "pass_seconds",
    "max_extension_minutes",
    "handover",
    "keep_days",
    "challenge",
    "pow_bits",
    "recheck",
    "binding",
    "turnstile_site_key",
    "turnstile_down",
    "queue_status",
    "cors_origins",
    "frame_ancestors",
    "crawlers",
    "cookie_domain",
    "pass_algorithm",
];

/// The keys of `crawlers`.
pub const CRAWLER_KEYS: &[&str] = &["asns", "agents", "verified", "categories", "per_minute"];

/// Entries of `crawlers.asns`: every request without a cookie is compared with all of them.
pub const MAX_ASNS: usize = 50;

/// A program's name or category in its longest form, in characters.
pub const MAX_CRAWLER_CHARS: usize = 80;

/// The keys of `admission`.
pub const ADMISSION_KEYS: &[&str] = &["per_minute", "max_active", "batch"];

/// The keys of `admission.batch`.
pub const BATCH_KEYS: &[&str] = &["size", "every_seconds"];

/// The keys of an entry of `lines`.
pub const LINE_KEYS: &[&str] = &["id", "title", "weight", "access", "opens_at"];

/// Entries of `lines`.
pub const MOST_LINES: usize = MAX_LINES;

/// The line of an event that names none.
pub const GENERAL_LINE: &str = "general";

/// What `queue_status` may be.
pub const QUEUE_STATUSES: &[u16] = &[200, 202, 429, 503];

/// `queue_status` of an event that does not say: caches, crawlers and scripts understand it.
pub const DEFAULT_QUEUE_STATUS: u16 = 503;

/// `time_zone` of an event that does not say.
pub const DEFAULT_TIME_ZONE: &str = "UTC";

/// An id's longest form, in bytes: it is part of cookie names and object names.
pub const MAX_ID_BYTES: usize = 40;

/// A title's longest form, in characters: it is the page's heading.
pub const MAX_TITLE_CHARS: usize = 120;

/// A widget's site key in its longest form, in characters: twice what they have today.
pub const MAX_SITE_KEY_CHARS: usize = 64;

/// A line's title in its longest form, in characters: it is the label of a choice on a phone.
pub const MAX_LINE_TITLE_CHARS: usize = 60;

/// Entries of `hosts`, `cors_origins` and `frame_ancestors`: their headers stay below 6 kB.
pub const MAX_HOSTS: usize = 20;

/// Entries of `paths` and of `bypass`: every request is compared with all of them.
pub const MAX_RULES: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> impl Iterator<Item = Vec<&'static str>> {
        include_str!("keys.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//! | `"))
            .map(|row| {
                row.trim_end_matches('|')
                    .split('|')
                    .map(str::trim)
                    .collect()
            })
    }

    #[test]
    fn the_table_names_every_key_and_no_other() {
        let rows: Vec<String> = table()
            .map(|row| row[0].trim_end_matches('`').to_owned())
            .collect();
        let plain = EVENT_KEYS
            .iter()
            .filter(|key| !["admission", "crawlers", "lines"].contains(key))
            .map(|key| (*key).to_owned());
        let admission = ADMISSION_KEYS
            .iter()
            .filter(|key| **key != "batch")
            .map(|key| format!("admission.{key}"));
        let batch = BATCH_KEYS
            .iter()
            .map(|key| format!("admission.batch.{key}"));
        let lines = LINE_KEYS.iter().map(|key| format!("lines[].{key}"));
        let crawlers = CRAWLER_KEYS.iter().map(|key| format!("crawlers.{key}"));
        let tables = admission.chain(batch).chain(lines).chain(crawlers);
        let mut keys: Vec<String> = plain.chain(tables).collect();
        let mut sorted = rows.clone();
        keys.sort();
        sorted.sort();
        assert_eq!(sorted, keys);
    }

    #[test]
    fn the_table_says_the_ranges_and_defaults_that_hold() {
        for whole in WHOLES {
            // Two tables may have a key of one name.
            let is_said = table()
                .filter(|row| row[0].trim_end_matches('`').rsplit('.').next() == Some(whole.key))
                .any(|row| {
                    let range = format!("{} to {}", whole.least, whole.most);
                    let default = row[2].split([',', ' ']).next().unwrap_or_default();
                    row[1].starts_with(&range)
                        && whole
                            .default
                            .is_none_or(|number| default == number.to_string())
                });
            assert!(is_said, "{whole:?} is not in the table");
        }
    }
}
