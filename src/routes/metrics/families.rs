//! The names of the metrics, what each means, and how exact it is: what the coordinator knows is exact and survives its
//! restarts; what edges counted (`edge_`, `origin_errors`, `object_`, `permits`, `work_`, `turnstile_`) begins at 0 when
//! the coordinator starts, reaches it seconds later, and may lose what an isolate had when it ended.

/// One metric.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Whether it only grows, may fall again, or sorts times.
    pub kind: &'static str,
    /// What it means.
    pub help: &'static str,
}

const fn counter(name: &'static str, help: &'static str) -> Family {
    let kind = "counter";
    Family { name, kind, help }
}

/// A number that may fall again.
pub const fn gauge(name: &'static str, help: &'static str) -> Family {
    let kind = "gauge";
    Family { name, kind, help }
}

const fn histogram(name: &'static str, help: &'static str) -> Family {
    let kind = "histogram";
    Family { name, kind, help }
}

macro_rules! families {
    ($($constant:ident $kind:ident $name:literal $help:literal)+) => {
        $(#[doc = $help] pub const $constant: Family = $kind(concat!("anteroom_", $name), $help);)+
        /// All of them.
        #[cfg(test)]
        pub const ALL: &[Family] = &[$($constant),+];
    };
}

families! {
    COORDINATOR_UP gauge "coordinator_up" "Whether the coordinator answered; without it there is nothing else of the event."
    BOARD_VERSION counter "board_version" "The coordinator's board; exact."
    BOARD_AGE gauge "board_age_seconds" "How old the board is that the isolate uses which answered this: a sample of one."
    STOPPED gauge "stopped" "Whether an operator has stopped everybody."
    HAS_ROOM gauge "has_room" "Whether somebody could be admitted now: a line is open, nothing brakes, sessions are below the limit and stock is not 0."
    WAITING gauge "waiting" "Places with a number that were not called yet; exact."
    JOINED counter "joined_total" "Joins that shards reported; exact."
    ENTRIES counter "entries_total" "Entry numbers given out; exact."
    CALLED counter "called_total" "Places that were offered their turn; exact."
    LAPSED counter "lapsed_total" "Places whose offer is older than the hold; exact."
    GRANTED counter "granted_total" "Grants; exact."
    ENDED counter "ended_total" "Sessions that ended, grants given back included; exact."
    PENDING gauge "claims_pending" "Claims without a grant yet; exact."
    ACTIVE gauge "sessions_active" "Sessions that count against the limit; exact."
    UNCONFIRMED gauge "sessions_unconfirmed" "Of these, admissions in one step that no request has confirmed yet; more are counted than there are until every shard was heard."
    MAX_ACTIVE gauge "limit_sessions" "The limit on sessions at the same time; absent without one."
    PER_MINUTE gauge "limit_per_minute" "The limit on admissions a minute; absent without one."
    BATCH_SECONDS gauge "limit_batch_seconds" "How far batches of admissions are apart; absent without batches."
    SHOW_UP gauge "show_up_ppm" "The share of the called who claim, as it is learned, in millionths."
    SHARDS gauge "shards" "Shards of the run."
    SHARDS_HEARD gauge "shards_heard" "Shards that the coordinator has heard lately."
    SHARDS_SILENT gauge "shards_silent" "Shards with visitors who wait for an answer, of which the coordinator has not heard for 10 s; a relay is one, whatever is behind it."
    STAFF_PASSES counter "staff_passes_total" "Staff passes made; exact."
    STOCK_LEFT gauge "stock_left" "What the origin says is left to sell; absent if it says nothing."
    EDGE_REQUESTS counter "edge_requests_total" "Requests on protected paths, as edges counted them."
    EDGE_ADMITTED counter "edge_admitted_total" "Of these, let through with a pass."
    EDGE_REFUSED counter "edge_refused_total" "Of these, answered by the room itself."
    EDGE_BYPASSED counter "edge_bypassed_total" "Requests on bypass paths, or while the room is off, as edges counted them."
    EDGE_STAFF counter "edge_staff_total" "Requests with a staff pass, as edges counted them."
    ORIGIN_ERRORS counter "origin_errors_total" "Requests that the origin answered 5xx or not at all, as edges counted them."
    ORIGIN_HEALTH gauge "origin_health" "How the origin does: 0 unknown, 1 good, 2 in trouble, 3 down."
    ORIGIN_PAUSED gauge "origin_paused" "Whether the room pauses by itself, since the origin does not answer."
    ORIGIN_CAP gauge "origin_cap_per_minute" "What admissions are lowered to because of the origin; absent while they are not."
    CRAWLERS_THROUGH counter "crawlers_let_through_total" "Crawlers' requests let through; exact."
    CRAWLERS_AWAY counter "crawlers_turned_away_total" "Crawlers' requests beyond their budget; may fall short."
    CRAWLERS_MINUTE gauge "crawlers_in_last_minute" "Crawlers' requests in the last minute; exact."
    PERMITS counter "permits_total" "Permits made, each with its challenge, as edges counted them."
    WORK_REFUSED counter "work_refused_total" "Joins whose solution or widget's word did not hold, as edges counted them."
    TURNSTILE_DOWN gauge "turnstile_down" "Whether the widget's third party gave no answer last."
    TURNSTILE_PASSED counter "turnstile_passed_total" "Words of the widget that held, as edges counted them."
    TURNSTILE_REFUSED counter "turnstile_refused_total" "Words of the widget that did not."
    TURNSTILE_UNANSWERED counter "turnstile_unanswered_total" "Words about which the third party gave no answer."
    TURNSTILE_INSTEAD counter "turnstile_instead_total" "Joins without the widget: with work, a wait, or let through while it was down."
    OBJECT_SECONDS histogram "object_call_seconds" "How long visitors' homes took to answer edges, as edges measured it."
    OBJECT_UNREACHABLE counter "object_unreachable_total" "Calls to visitors' homes without an answer in time, as edges counted them."
    OBJECT_OVERLOADED counter "object_overloaded_total" "Calls to visitors' homes that the platform turned away, as edges counted them."
    LINE_ENTRIES counter "line_entries_total" "Entry numbers given out in a line; exact."
    LINE_CALLED counter "line_called_total" "Places of a line that were offered their turn; exact."
    LINE_LAPSED counter "line_lapsed_total" "Places of a line whose offer is older than the hold; exact."
    LINE_OPEN gauge "line_open" "Whether a line is open."
    LINE_DRAW gauge "line_draw_step" "How far a line's draw is: 1 committed, 2 fixed, 3 drawn; absent without one."
    LINE_WAIT gauge "line_wait_likely_seconds" "What somebody is told who joins now; absent while it is being measured."
    LINE_FORETOLD gauge "line_wait_foretold_seconds" "Of the wait that came true last: what was said (one place is followed every 15 s or more)."
    LINE_TOOK gauge "line_wait_took_seconds" "Of the same wait: what it took."
    LINE_CAME_TRUE counter "line_waits_came_true_total" "Waits that came true since the coordinator last started."
}
