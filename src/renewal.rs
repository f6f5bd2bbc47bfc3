//! The life of a pass: when it is renewed, what the next one is, and what the edge may sign by itself while a home cannot
//! be reached. Times are Unix seconds, as in tokens.

use anteroom_queue::limits::{GRANT_FETCH, LAST_PASS, UNCONFIRMED_PASS};
use anteroom_queue::shard::command::{Refused, ShardReply};
use anteroom_queue::units::UnixMillis;
use anteroom_token::{LAST_PASS_SECONDS, Pass, SessionId};

/// How long the first pass of a visit admitted in one step lives: until a request brings it back.
pub const FIRST_PASS_SECONDS: u64 = UNCONFIRMED_PASS.0 / 1_000;

const _: () = assert!(LAST_PASS_SECONDS * 1_000 == LAST_PASS.0);

/// What became of a session when its home was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renewal {
    /// It runs: the next pass.
    Runs(Pass),
    /// It ended, in this second.
    Over {
        /// Unix seconds.
        ended: u64,
    },
    /// Another browser has taken it over.
    Elsewhere,
    /// It runs, and the visitor has to be checked first.
    Recheck,
    /// The home knows no such session.
    Unknown,
    /// The home did not answer.
    Unreachable,
}

impl Renewal {
    /// Reads a home's answer about the session of `pass`.
    pub fn of_reply(pass: &Pass, reply: ShardReply, now: u64, pass_seconds: u64) -> Self {
        match reply {
            ShardReply::Session {
                index,
                generation,
                session_ends,
                ..
            } => {
                let session = SessionId {
                    home: pass.session.home,
                    index: index.0,
                    generation: generation.0,
                };
                Renewal::Runs(issued(session, seconds(session_ends), now, pass_seconds))
            }
            ShardReply::SessionOver { ended, .. } => Renewal::Over {
                ended: seconds(ended),
            },
            ShardReply::Recheck { .. } => Renewal::Recheck,
            ShardReply::Refused {
                why: Refused::Elsewhere,
                ..
            } => Renewal::Elsewhere,
            ShardReply::Refused {
                why: Refused::Ended,
                place,
            } => {
                let ended = place.and_then(|place| place.session_ends).map(seconds);
                Renewal::Over {
                    ended: ended.unwrap_or(now),
                }
            }
            ShardReply::Refused { .. } => Renewal::Unknown,
            ShardReply::Place { .. }
            | ShardReply::Pending { .. }
            | ShardReply::Reserved { .. }
            | ShardReply::HandedOver { .. }
            | ShardReply::HandoverOffered { .. }
            | ShardReply::Unsure { .. }
            | ShardReply::Crawled { .. }
            | ShardReply::CrawlerCounts { .. }
            | ShardReply::Done => Renewal::Unknown,
        }
    }
}

/// An instant in the seconds of tokens.
pub fn seconds(instant: UnixMillis) -> u64 {
    instant.0 / 1_000
}

/// A pass of a running session: for `pass_seconds`, but not beyond the session.
pub fn issued(session: SessionId, session_ends_at: u64, now: u64, pass_seconds: u64) -> Pass {
    let expires_at = (now + pass_seconds).min(session_ends_at);
    Pass {
        session,
        issued_at: now,
        expires_at,
        session_ends_at,
    }
}

/// How long after its grant an unconfirmed session counts at its home.
const UNCONFIRMED_SECONDS: u64 = (GRANT_FETCH.0 + UNCONFIRMED_PASS.0) / 1_000;

/// The first pass of a visit. Unconfirmed, it ends at the latest when its home forgets the session, however often and late
/// the visitor asks for it; the grant was a whole session before the session's end. (Where another length of sessions has
/// been configured in between, the home is asked sooner or a little later, and says what holds.)
pub fn first(
    session: SessionId,
    session_ends_at: u64,
    now: u64,
    confirmed: bool,
    session_seconds: u64,
    pass_seconds: u64,
) -> Pass {
    if confirmed {
        return issued(session, session_ends_at, now, pass_seconds);
    }
    let granted_at = session_ends_at.saturating_sub(session_seconds);
    let counts_for = (granted_at + UNCONFIRMED_SECONDS).saturating_sub(now);
    let life = counts_for.clamp(1, FIRST_PASS_SECONDS);
    issued(session, session_ends_at, now, life)
}

/// Past half of its life; or a first pass, which the first request that brings it confirms.
pub fn is_due(pass: &Pass, now: u64) -> bool {
    let life = pass.expires_at.saturating_sub(pass.issued_at);
    life <= FIRST_PASS_SECONDS || now >= pass.issued_at + life / 2
}

/// Whether requests have come within the idle time of one another, as far as a pass can tell: its issue was the last
/// renewal, and the last request that did not renew came up to half a pass later.
pub fn is_in_use(pass: &Pass, now: u64, idle_seconds: u64) -> bool {
    let half = pass.expires_at.saturating_sub(pass.issued_at) / 2;
    now <= pass.issued_at + half + idle_seconds
}

/// A first pass that no request has confirmed yet. Its session counts at the home for that long and no longer, so nothing
/// follows it but what the home says.
pub fn is_unconfirmed(pass: &Pass) -> bool {
    let life = pass.expires_at.saturating_sub(pass.issued_at);
    let is_cut_short = life < FIRST_PASS_SECONDS && pass.expires_at == pass.session_ends_at;
    life <= FIRST_PASS_SECONDS && !is_cut_short
}

/// The pass that the edge signs by itself while the home cannot be reached: the same session, up to its end. Safe for a
/// confirmed session, since that one still counts at its home.
pub fn resigned(pass: &Pass, now: u64, pass_seconds: u64) -> Pass {
    issued(pass.session, pass.session_ends_at, now, pass_seconds)
}

/// The last pass, for an unsafe request that was sent as the time ran out.
pub fn last(pass: &Pass, now: u64) -> Pass {
    Pass {
        issued_at: now,
        expires_at: pass.session_ends_at + LAST_PASS_SECONDS,
        ..pass.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::pass;
    use anteroom_queue::units::{Generation, PlaceIndex};

    #[test]
    fn a_pass_is_renewed_in_the_second_half_of_its_life() {
        for (now, due) in [(1_000, false), (1_089, false), (1_090, true), (1_179, true)] {
            assert_eq!(is_due(&pass(), now), due, "{now}");
        }
        let first = Pass {
            expires_at: 1_030,
            ..pass()
        };
        assert!(is_due(&first, 1_000), "the first request confirms");
        assert!(is_unconfirmed(&first) && !is_unconfirmed(&pass()));
    }

    #[test]
    fn the_next_pass_never_outlives_the_session() {
        assert_eq!(issued(pass().session, 2_200, 1_500, 180).expires_at, 1_680);
        assert_eq!(issued(pass().session, 2_200, 2_100, 180).expires_at, 2_200);
        assert_eq!(resigned(&pass(), 2_100, 180).session, pass().session);
        let last = last(&pass(), 2_210);
        assert_eq!((last.issued_at, last.expires_at), (2_210, 2_260));
    }

    #[test]
    fn a_first_pass_ends_before_its_home_forgets_the_session() {
        for (now, confirmed, life) in [
            (1_000, false, FIRST_PASS_SECONDS),
            (1_030, false, FIRST_PASS_SECONDS),
            (1_045, false, 15),
            (1_090, false, 1),
            (1_045, true, 180),
        ] {
            let first = first(pass().session, 2_200, now, confirmed, 1_200, 180);
            assert_eq!(first.expires_at - now, life, "second {now}");
            assert_eq!(is_unconfirmed(&first), !confirmed, "second {now}");
        }
        let nearly_over = issued(pass().session, 2_200, 2_190, 180);
        assert!(!is_unconfirmed(&nearly_over), "short, but confirmed");
        let as_long_as_the_session = issued(pass().session, 1_030, 1_000, FIRST_PASS_SECONDS);
        assert!(is_unconfirmed(&as_long_as_the_session));
    }

    #[test]
    fn a_session_counts_as_used_for_the_idle_time_after_half_a_pass() {
        for (now, used) in [(1_000, true), (1_690, true), (1_691, false)] {
            assert_eq!(is_in_use(&pass(), now, 600), used, "{now}");
        }
    }

    #[test]
    fn a_homes_answer_says_what_became_of_the_session() {
        let of = |reply| Renewal::of_reply(&pass(), reply, 1_500, 180);
        let runs = ShardReply::Session {
            index: PlaceIndex(4),
            generation: Generation(2),
            session_ends: UnixMillis(2_300_999),
            first: false,
            confirmed: true,
        };
        let session = SessionId {
            home: 3,
            index: 4,
            generation: 2,
        };
        let next = Pass {
            session,
            issued_at: 1_500,
            expires_at: 1_680,
            session_ends_at: 2_300,
        };
        assert_eq!(of(runs), Renewal::Runs(next));
        let over = ShardReply::SessionOver {
            index: PlaceIndex(4),
            ended: UnixMillis(1_400_000),
        };
        assert_eq!(of(over), Renewal::Over { ended: 1_400 });
        for (why, became) in [
            (Refused::Elsewhere, Renewal::Elsewhere),
            (Refused::Unknown, Renewal::Unknown),
            (Refused::Left, Renewal::Unknown),
            (Refused::Ended, Renewal::Over { ended: 1_500 }),
        ] {
            assert_eq!(of(ShardReply::Refused { why, place: None }), became);
        }
        assert_eq!(of(ShardReply::Done), Renewal::Unknown);
    }
}
