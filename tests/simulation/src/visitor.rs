//! Visitors: their habits, and the little that is remembered of each.

use crate::chance::Chance;

/// No place, no number yet.
pub const NONE: u32 = u32::MAX;

/// How a visitor behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// Waits, enters when called, does the shopping, gives the session back.
    Patient,
    /// Reloads all the time, and joins again each time with the same permit.
    Refreshing,
    /// Loses patience and leaves the queue.
    Leaving,
    /// Has two tabs that do everything together; later goes on in another browser.
    TwoTabs,
    /// The phone sleeps for a long time now and then.
    SleepingPhone,
    /// Joins and never comes back.
    NoShow,
    /// Goes silent some time after entering.
    DeadBattery,
    /// Stays until the session ends.
    Overstayer,
    /// Takes the place along to another browser.
    HandsOver,
    /// Is not ready when called.
    Hesitating,
}

impl Habit {
    /// A visitor's habit: most are patient.
    pub fn draw(chance: &mut Chance) -> Self {
        match chance.within(0..100) {
            0..26 => Self::Patient,
            26..33 => Self::HandsOver,
            33..40 => Self::Hesitating,
            40..50 => Self::Refreshing,
            50..60 => Self::Leaving,
            60..70 => Self::TwoTabs,
            70..80 => Self::SleepingPhone,
            80..88 => Self::NoShow,
            88..94 => Self::DeadBattery,
            _ => Self::Overstayer,
        }
    }

    /// Whether such a visitor does everything right, and so must be served in the end.
    pub const fn is_faithful(self) -> bool {
        matches!(
            self,
            Self::Patient
                | Self::Refreshing
                | Self::TwoTabs
                | Self::Overstayer
                | Self::HandsOver
                | Self::Hesitating
        )
    }
}

/// Where a visitor is, as the browser knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Has not seen the page yet.
    Coming,
    /// Tries to be admitted in one step.
    Trying,
    /// Asks who has the place of the member key or code.
    Reserving,
    /// Has sent a join.
    Joining,
    /// In the line.
    InLine,
    /// Has claimed.
    Claiming,
    /// Has a pass.
    Inside,
    /// Has asked to leave.
    Leaving,
    /// Was let in, has given the session back and waits for the confirmation.
    Releasing,
    /// Will not do anything more.
    Gone,
}

/// One visitor.
#[derive(Clone, Copy, Debug)]
pub struct Visitor {
    /// How the visitor behaves.
    pub habit: Habit,
    /// Where the visitor is.
    pub stage: Stage,
    /// The edge.
    pub edge: u8,
    /// Which of the visitor's browsers is in use.
    pub browser: u8,
    /// The line.
    pub line: u8,
    /// Whether a join was sent by this visitor.
    pub joined: bool,
    /// Whether a join was sent under this visitor's own permit.
    pub permit_used: bool,
    /// Whether it is known whose permit has the place of the member key or code.
    pub reserved: bool,
    /// Whether the offer was made to stand longer.
    pub deferred: bool,
    /// Whether the place was taken along to another browser.
    pub handed_over: bool,
    /// Whether a try was refused, so that the visitor joins.
    pub tried: bool,
    /// Whether the pass was ever confirmed.
    pub confirmed: bool,
    /// Whether the visitor got in, lapsed, or was told that there is nothing left.
    pub settled: bool,
    /// Requests that the visitor will still make inside.
    pub requests: u8,
    /// The home shard.
    pub home: u16,
    /// The home of the visitor's own permit.
    pub own_home: u16,
    /// The permit in use: another device's if it has the member's place.
    pub permit: u32,
    /// For asking who has the key: a permit whose place is over.
    pub replaces: u32,
    /// The place there.
    pub index: u32,
    /// The entry number.
    pub entry: u32,
    /// The rank.
    pub rank: u32,
    /// The generation of the pass.
    pub generation: u32,
    /// When the visitor loses patience or falls asleep next.
    pub turns_at_ms: u32,
    /// Until when the pass holds.
    pub pass_until_ms: u32,
    /// Until when the session runs, as told.
    pub session_until_ms: u32,
    /// The last request inside.
    pub last_request_ms: u32,
    /// The version of the board shown last.
    pub version: u32,
    /// Letters under way.
    pub letters: u8,
    /// Whether the permit has been made.
    pub has_permit: bool,
}

impl Visitor {
    /// A visitor who has not come yet.
    pub fn new(id: u32, line: u8, chance: &mut Chance, edges: u8) -> Self {
        let habit = Habit::draw(chance);
        Self {
            habit,
            stage: Stage::Coming,
            edge: chance.within(0..u64::from(edges)) as u8,
            browser: 0,
            line,
            joined: false,
            permit_used: false,
            reserved: false,
            deferred: false,
            handed_over: false,
            tried: false,
            confirmed: false,
            settled: false,
            requests: if habit == Habit::Overstayer {
                u8::MAX
            } else {
                chance.within(2..9) as u8
            },
            home: 0,
            own_home: 0,
            permit: id,
            replaces: NONE,
            index: NONE,
            entry: NONE,
            rank: NONE,
            generation: 0,
            turns_at_ms: 0,
            pass_until_ms: 0,
            session_until_ms: 0,
            last_request_ms: 0,
            version: 0,
            letters: 0,
            has_permit: false,
        }
    }
}

const _: () = assert!(
    size_of::<Visitor>() <= 72,
    "a million visitors fit in 72 MB"
);
