//! Who is checked once more at the turn, after having waited. Nothing here ends anything: whoever is suspected is asked for a
//! piece of work ([`checks`](crate::checks)), keeps the place meanwhile, and goes in after it.

use anteroom_config as config;
use anteroom_config::guard::Recheck;

use crate::boards::InUse;
use crate::challenges::{NetworkKind, Signals};
use crate::deployment::Room;
use crate::networks;
use crate::visit::Visit;

/// So many points make a suspicion.
const SUSPECTED_FROM: u8 = 2;
/// From so many visitors of one IPv4 network who were let in within ten minutes on, the next ones look a little odd.
const MANY_ENTERED_V4: u32 = 64;
/// The same for IPv6, where everybody has a network.
const MANY_ENTERED_V6: u32 = 16;

/// Whether a claim is suspected, in a room that asks for anything at all.
pub fn is_suspected(visit: &Visit, room: Room, in_use: Option<&InUse>) -> bool {
    if room.event.challenge == config::Challenge::None {
        return false;
    }
    if room.event.guard.recheck == Recheck::Everyone {
        return true;
    }
    let network = visit.network();
    let (entered, _) = networks::with(|seen| seen.entered.of(network, visit.now));
    points(&visit.signals(room, in_use), entered) >= SUSPECTED_FROM
}

/// A network where machines are rented is enough; headers that no browser sends, and a network from which many were let in
/// already, are so together. Phones share their carrier's few addresses: there, numbers say nothing.
fn points(signals: &Signals, entered: u32) -> u8 {
    let many = match signals.network.is_v6() {
        true => MANY_ENTERED_V6,
        false => MANY_ENTERED_V4,
    };
    let by_kind = match signals.kind {
        NetworkKind::DataCentre => 2,
        NetworkKind::Unknown => u8::from(entered >= many),
        NetworkKind::Carrier => 0,
    };
    by_kind + u8::from(signals.unlike_a_browser)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::Network;

    // Q12.
    #[test]
    fn a_rented_machine_is_suspected_and_odd_headers_or_many_neighbours_only_together() {
        let rows = [
            (NetworkKind::Unknown, false, 0, false),
            (NetworkKind::Unknown, false, 100_000, false),
            (NetworkKind::Unknown, true, 63, false),
            (NetworkKind::Unknown, true, 64, true),
            (NetworkKind::Carrier, true, 100_000, false),
            (NetworkKind::DataCentre, false, 0, true),
        ];
        for (kind, unlike_a_browser, entered, suspected) in rows {
            let signals = Signals {
                network: Network::of_provider(Some("192.0.2.7")),
                joins: 0,
                above_plan: true,
                unlike_a_browser,
                kind,
            };
            let is = points(&signals, entered) >= SUSPECTED_FROM;
            assert_eq!(is, suspected, "{kind:?} {unlike_a_browser} {entered}");
        }
    }
}
