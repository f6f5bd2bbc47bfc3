//! What a seed decides before anything happens: the event's configuration, how the crowd comes,
//! what fails, and what the operator does.

mod bots;
mod event;
mod faults;
mod faulty;
mod raffle;
mod steering;

use anteroom_queue::settings::{Mode, Settings};
use anteroom_queue::units::UnixMillis;

use crate::chance::{Chance, mixed};
use crate::observation::{KeySeen, LINES, VisitorId};

pub use bots::{Defence, Flood};
pub use faults::{Alarms, Faults, LEAP_MS, LONGEST_STEP_BACK_MS};
pub use faulty::{Disasters, changes_limits};
pub use steering::{Step, room_for_all};

/// The instant at which every simulated run begins: some moment of 2027.
pub const START: UnixMillis = UnixMillis(1_800_000_000_000);

/// The event's id.
pub const EVENT: &str = "on-sale";

/// One minute.
pub const MINUTE_MS: u64 = 60_000;

/// From this many visitors on, pages poll every 30 s: declared overload.
pub const OVERLOAD_VISITORS: u32 = 100_000;

/// Visitors with neighbouring numbers who belong together: devices of one member, or people who
/// were given the same code. They come to the same line.
const GROUP: u32 = 4;

/// Most uses of a code in a simulated event.
const MOST_USES: u64 = 3;

/// What becomes of the beacon's round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beacon {
    /// It is there when it should be.
    InTime,
    /// It is there so much later.
    Late(u64),
    /// It cannot be had.
    Never,
}

/// Who may join a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everyone.
    Everyone,
    /// Members, with as many devices as they like.
    Member,
    /// Who has a code.
    Code,
}

/// Everything a seed decides beforehand.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// The run's number.
    pub run: u32,
    /// What the secrets of the draws are made of.
    pub secret_entropy: [u8; 16],
    /// How many visitors come.
    pub visitors: u32,
    /// When the first of them come.
    pub arrivals_from_ms: u64,
    /// Over which time most of them come.
    pub arrivals_ms: u64,
    /// The configuration.
    pub settings: Settings,
    /// Who may join which line.
    pub access: Vec<Access>,
    /// What becomes of the beacon.
    pub beacon: Beacon,
    /// What fails, until `quiet_at_ms`.
    pub faults: Faults,
    /// What happens to the whole event at an instant.
    pub disasters: Disasters,
    /// Coordinators lose their memory at these instants besides; the write under way becomes
    /// durable or not.
    pub crashes_at: Vec<(u64, bool)>,
    /// Ways from shards to the coordinator that are impassable: which shard, from when, until when.
    pub cut_off: Vec<(u16, u64, u64)>,
    /// What the operator does, in order of time.
    pub steps: Vec<Step>,
    /// When nothing fails any more.
    pub quiet_at_ms: u64,
    /// When limits are lifted, so that everybody can be served; `None`: the event ends sold out
    /// or closed.
    pub room_for_all_at_ms: Option<u64>,
    /// Edges.
    pub edges: u8,
    /// Mean time between two polls of a page far from the front.
    pub far_poll_ms: u64,
    /// Shards may be away for longer than any session, so some visitors may lose their turn.
    pub long_outages: bool,
    /// Visitors come one by one, and first visits find room.
    pub calm: bool,
    /// What entrants ask objects while the draw is under way is counted.
    pub counts_asks: bool,
    /// Who comes is mostly bots, each at an instant of its own, and nobody has other habits than waiting.
    pub flood: Option<Flood>,
    /// Shards are behind relays.
    pub relays: bool,
    /// A deliberate mistake of the shells, to see that it is found out.
    pub answers_before_storing: bool,
}

impl Plan {
    /// What `seed` decides for so many visitors.
    pub fn new(seed: u64, visitors: u32) -> Self {
        let mut chance = Chance::new(seed, 0x504c_414e);
        let long_outages = chance.happens(100_000);
        let arrivals_ms = chance.within(1..6) * MINUTE_MS;
        let sale_ms = chance.within(6..16) * MINUTE_MS;
        let mut settings = event::settings(&mut chance, visitors, sale_ms, long_outages);
        let calm = chance.happens(250_000);
        if calm {
            settings.mode = Mode::Auto;
            settings.limits.per_minute = settings.limits.per_minute.map(|rate| rate * 2);
        }
        let faults = event::faults(&mut chance, long_outages);
        let arrivals_ms = if calm {
            arrivals_ms + sale_ms / 2
        } else {
            arrivals_ms
        };
        let mut lines = Chance::new(seed, 0x4c49_4e45);
        let access = event::lines(&mut lines, &mut settings);
        let beacon = event::beacon(&mut lines);
        let quiet_at_ms = arrivals_ms + sale_ms * 2 / 3;
        let ends_early = chance.happens(200_000);
        let room_at_ms = quiet_at_ms + sale_ms / 3;
        let times = steering::Times {
            quiet_at_ms,
            room_for_all_at_ms: (!ends_early).then_some(room_at_ms),
        };
        let steps = steering::steps(&mut chance, &mut lines, &settings, visitors, times);
        Self {
            seed,
            run: 1 + (seed % 1_000) as u32,
            secret_entropy: Chance::new(seed, 0x5345_4352).bytes(),
            visitors,
            arrivals_from_ms: 0,
            arrivals_ms,
            settings,
            access,
            beacon,
            faults,
            disasters: Disasters::default(),
            crashes_at: Vec::new(),
            cut_off: Vec::new(),
            steps,
            quiet_at_ms,
            room_for_all_at_ms: times.room_for_all_at_ms,
            edges: chance.within(2..6) as u8,
            far_poll_ms: far_poll_ms(visitors),
            long_outages,
            calm,
            counts_asks: false,
            flood: None,
            relays: false,
            answers_before_storing: false,
        }
    }

    /// Whether everybody who does the right thing must be let in by the end: there is room in the
    /// end, and no shard was away for so long that a session ran out before its pass was signed.
    pub const fn serves_everybody(&self) -> bool {
        self.room_for_all_at_ms.is_some() && !self.long_outages
    }

    /// Whether everything may fail, also for minutes.
    pub const fn is_faulty(&self) -> bool {
        self.faults.longest_outage_ms > 0
    }

    /// The lines whose order is drawn.
    pub fn drawn_lines(&self) -> [bool; LINES] {
        let mut drawn = [false; LINES];
        for (drawn, line) in drawn.iter_mut().zip(&self.settings.lines) {
            *drawn = line.opens_at.is_some();
        }
        drawn
    }

    /// The line that a visitor joins.
    pub fn line_of(&self, visitor: VisitorId) -> u8 {
        let group = u64::from(visitor / GROUP);
        (mixed(group ^ mixed(self.seed)) % self.access.len() as u64) as u8
    }

    /// What a visitor needs to join.
    pub fn access_of(&self, visitor: VisitorId) -> Access {
        self.access[usize::from(self.line_of(visitor))]
    }

    /// The member key or code that a visitor has.
    pub fn key_of(&self, visitor: VisitorId) -> Option<KeySeen> {
        let number = visitor / GROUP;
        let spends = match self.access_of(visitor) {
            Access::Everyone => return None,
            Access::Member => false,
            Access::Code => true,
        };
        let uses = if spends {
            (1 + mixed(u64::from(number)) % MOST_USES) as u16
        } else {
            1
        };
        Some(KeySeen {
            number,
            uses,
            spends,
        })
    }
}

const fn far_poll_ms(visitors: u32) -> u64 {
    if visitors >= OVERLOAD_VISITORS {
        30_000
    } else {
        10_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_makes_the_same_plan() {
        let told = |seed| format!("{:?}", Plan::new(seed, 1_000));
        assert_eq!(told(5), told(5));
        assert_ne!(told(5), told(6));
    }

    #[test]
    fn the_first_seeds_cover_every_limit_mode_line_and_ending() {
        let plans: Vec<Plan> = (0..40).map(|seed| Plan::new(seed, 1_000)).collect();
        let some = |what: &dyn Fn(&Plan) -> bool| plans.iter().any(what);
        assert!(some(&|plan| plan.settings.limits.max_active.is_some()));
        assert!(some(&|plan| plan.settings.limits.per_minute.is_some()));
        assert!(some(&|plan| plan.settings.limits.batch.is_some()));
        assert!(some(&|plan| plan.settings.mode == Mode::Auto));
        assert!(some(&|plan| plan.settings.mode == Mode::Always));
        assert!(some(&|plan| plan.room_for_all_at_ms.is_none()));
        assert!(some(&|plan| plan.long_outages));
        assert!(some(&|plan| plan.calm) && some(&|plan| !plan.calm));
        assert!(some(
            &|plan| plan.faults.crash_every_ms > 0 && plan.faults.clock_ms > 0
        ));
        let openings = |plan: &Plan| {
            let lines = plan.settings.lines.iter();
            lines
                .map(|line| line.opens_at)
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert!(some(&|plan| plan.access.len() == 1));
        assert!(some(&|plan| plan.access.contains(&Access::Member)));
        assert!(some(&|plan| plan.access.contains(&Access::Code)));
        assert!(some(&|plan| openings(plan).len() > 1));
        assert!(some(
            &|plan| plan.settings.draw.beacon && plan.beacon == Beacon::Never
        ));
        assert!(some(&|plan| plan.faults.alarms == Alarms::Lost));
        assert!(some(&|plan| plan.faults.alarms == Alarms::Twice));
    }

    #[test]
    fn the_devices_of_a_member_come_to_one_line() {
        let plan = Plan::new(3, 1_000);
        for visitor in 0..1_000 {
            let first = visitor / GROUP * GROUP;
            assert_eq!(plan.line_of(visitor), plan.line_of(first));
            assert_eq!(plan.key_of(visitor), plan.key_of(first));
        }
    }
}
