//! What goes out with one page, and with no other.

use anteroom_queue::units::{Millis, UnixMillis};
use anteroom_token::Permit;

use crate::challenges;
use crate::checks::{self, Check};
use crate::deployment::Room;
use crate::visit::Visit;
use crate::visitor::Visitor;

/// What goes out with this page only.
pub struct Sent {
    pub nonce: String,
    pub permit: Option<(Permit, String)>,
    pub check: Option<Check>,
    pub poll: Millis,
}

impl Sent {
    /// Until when who cannot work waits.
    pub fn work_until(
        &self,
        visit: &Visit,
        room: Room,
        visitor: &Visitor<'_>,
        now: UnixMillis,
    ) -> Option<UnixMillis> {
        if let Some((permit, _)) = &self.permit {
            return challenges::waits_until(permit, permit.nonce, visit.network(), now);
        }
        let (check, _) = self.check.as_ref()?;
        checks::waits_until(visit, room, visitor, check, now)
    }
}
