//! When a token holds: issued at most a little in the future, not yet expired. The only place that compares times.
//!
//! The edge refuses at `now >= exp`. Origins allow [`ORIGIN_LEEWAY_SECONDS`] more: a request that the edge let through
//! in the last second must not be refused behind it because of a slow hop or a clock that is a little ahead.

use crate::Refusal;

/// How far in the future `iat` may lie: what clocks of well-kept machines differ by, generously.
pub const CLOCK_AHEAD_SECONDS: u64 = 30;
/// How long an origin takes a pass after its `exp`.
pub const ORIGIN_LEEWAY_SECONDS: u64 = 30;
/// How long after its `exp` a token still finds what it once stood for: a permit its place, a pass its session.
pub const FIND_AGAIN_SECONDS: u64 = 24 * 60 * 60;

const _: () = assert!(ORIGIN_LEEWAY_SECONDS < FIND_AGAIN_SECONDS);

/// All times in Unix seconds; `leeway_seconds` is added to `expires_at`.
pub(crate) fn check(
    issued_at: u64,
    expires_at: u64,
    leeway_seconds: u64,
    now: u64,
) -> Result<(), Refusal> {
    if issued_at > now.saturating_add(CLOCK_AHEAD_SECONDS) {
        return Err(Refusal::NotYet { issued_at });
    }
    let expired_at = expires_at.saturating_add(leeway_seconds);
    if now >= expired_at {
        Err(Refusal::Expired { expired_at })
    } else {
        Ok(())
    }
}
