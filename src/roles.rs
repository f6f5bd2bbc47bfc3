//! Which role an operator needs for what: one table, which the runbook repeats and a check compares with it.
//!
//! `view` sees. `operate` is everything that a night needs: the brakes, the pace up to what is configured, what visitors
//! are told, the end of the sale and back. `configure` is what changes something that was promised to the shop or to
//! visitors: an opening, more than the configured limits, people who need not wait.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::{Batch, Limits};
use anteroom_token::OperatorRole;

/// What an operator may ask for, and the least role for it. The checks of the documents read these lines.
#[rustfmt::skip]
pub const ROLES: &[(&str, OperatorRole)] = &[
    ("observe", OperatorRole::View),
    ("log", OperatorRole::View),
    ("metrics", OperatorRole::View),
    ("pause", OperatorRole::Operate),
    ("resume", OperatorRole::Operate),
    ("stop", OperatorRole::Operate),
    ("soldout", OperatorRole::Operate),
    ("close", OperatorRole::Operate),
    ("open", OperatorRole::Operate),
    ("retune", OperatorRole::Operate),
    ("message", OperatorRole::Operate),
    ("expect", OperatorRole::Operate),
    ("stock", OperatorRole::Operate),
    ("off", OperatorRole::Configure),
    ("retune-beyond", OperatorRole::Configure),
    ("reschedule", OperatorRole::Configure),
    ("staff", OperatorRole::Configure),
];

/// The least role for what stands under this name in [`ROLES`].
///
/// # Panics
/// When it is not there.
pub fn needed(what: &str) -> OperatorRole {
    let row = ROLES.iter().find(|(name, _)| *name == what);
    row.unwrap_or_else(|| panic!("{what} has no role")).1
}

/// The name in [`ROLES`] of an action on an event whose configuration has these limits.
pub fn name_of(action: &Action, configured: &Limits) -> &'static str {
    match action {
        Action::Pause { .. } => "pause",
        Action::Resume => "resume",
        Action::Stop { .. } => "stop",
        Action::Off => "off",
        Action::Soldout => "soldout",
        Action::Close | Action::CloseLine { .. } => "close",
        Action::Open | Action::OpenLine { .. } => "open",
        Action::Retune {
            max_active,
            per_minute,
            batch,
        } => {
            let is_at_most = |value: u32, limit: u32| value <= limit;
            let within = stays_within(*max_active, configured.max_active, is_at_most)
                && stays_within(*per_minute, configured.per_minute, is_at_most)
                && stays_within(*batch, configured.batch, is_batch_within);
            if within { "retune" } else { "retune-beyond" }
        }
        Action::Message { .. } => "message",
        Action::Expect { .. } => "expect",
        Action::Reschedule { .. } => "reschedule",
        Action::Stock { .. } => "stock",
        Action::StaffPass { .. } => "staff",
        Action::Refused { .. } => "observe",
    }
}

/// Whether a change leaves a limit at what the configuration has, or below. Going back to it does.
fn stays_within<T: Copy>(
    change: Option<Change<T>>,
    configured: Option<T>,
    is_within: fn(T, T) -> bool,
) -> bool {
    match (change, configured) {
        (None | Some(Change::Reset), _) | (_, None) => true,
        (Some(Change::To(value)), Some(limit)) => is_within(value, limit),
        (Some(Change::Unlimited), Some(_)) => false,
    }
}

/// Neither more at once nor more in the long run.
fn is_batch_within(batch: Batch, limit: Batch) -> bool {
    let over = |size: u32, every: Batch| u64::from(size) * every.every.0;
    batch.size <= limit.size && over(batch.size, limit) <= over(limit.size, batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anteroom_queue::units::Millis;

    const CONFIGURED: Limits = Limits {
        max_active: Some(500),
        per_minute: None,
        batch: Some(BATCH),
    };
    const BATCH: Batch = Batch {
        size: 100,
        every: Millis(60_000),
    };

    fn retune(max_active: Option<Change<u32>>, batch: Option<Change<Batch>>) -> Action {
        Action::Retune {
            max_active,
            per_minute: None,
            batch,
        }
    }

    #[test]
    fn each_thing_stands_in_the_table_once() {
        for (at, (name, role)) in ROLES.iter().enumerate() {
            assert!(
                !ROLES[..at].iter().any(|(before, _)| before == name),
                "{name}"
            );
            assert_eq!(needed(name), *role);
        }
    }

    #[test]
    fn whoever_holds_the_brake_may_slow_down_and_go_back_and_not_beyond_what_is_configured() {
        let batch = |size, seconds| {
            let every = Millis::from_seconds(seconds);
            retune(None, Some(Change::To(Batch { size, every })))
        };
        for (action, name) in [
            (retune(Some(Change::To(1)), None), "retune"),
            (retune(Some(Change::To(500)), None), "retune"),
            (retune(Some(Change::Reset), Some(Change::Reset)), "retune"),
            (retune(Some(Change::To(501)), None), "retune-beyond"),
            (retune(Some(Change::Unlimited), None), "retune-beyond"),
            (
                retune(Some(Change::To(1)), Some(Change::Unlimited)),
                "retune-beyond",
            ),
            (batch(100, 60), "retune"),
            (batch(50, 30), "retune"),
            (batch(50, 29), "retune-beyond"),
            (batch(101, 120), "retune-beyond"),
        ] {
            assert_eq!(name_of(&action, &CONFIGURED), name, "{action:?}");
        }
        let rate = |change| Action::Retune {
            max_active: None,
            per_minute: Some(change),
            batch: None,
        };
        for change in [Change::To(7), Change::Unlimited, Change::Reset] {
            let name = name_of(&rate(change), &CONFIGURED);
            assert_eq!(name, "retune", "nothing was promised about the rate");
        }
    }

    #[test]
    fn the_brake_takes_less_than_what_was_promised() {
        let at = |role| {
            ROLES
                .iter()
                .filter(move |(_, needed)| *needed <= role)
                .map(|(name, _)| *name)
        };
        let night: Vec<_> = at(OperatorRole::Operate).collect();
        for name in [
            "pause", "stop", "resume", "soldout", "close", "open", "message", "stock",
        ] {
            assert!(night.contains(&name), "{name}");
        }
        for name in ["off", "reschedule", "staff", "retune-beyond"] {
            assert!(!night.contains(&name), "{name}");
        }
        assert!(at(OperatorRole::View).eq(["observe", "log", "metrics"]));
    }
}
