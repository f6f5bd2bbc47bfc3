//! The gate's decision about one request on a protected path: a pure function of what the visitor brought, the board and
//! the time. [`decide`] says what to do before anybody is asked, [`after_renewal`] what to do once the home answered.
//!
//! The order of the questions is the policy: the brake first, also for a preflight, then a staff pass, which looks behind
//! closed doors, then the mode that closes them, then a pass, then mode `off`, then a crawler, then the other modes.

use anteroom_queue::board::{Board, Pause, Phase};
use anteroom_queue::limits::BRAKE_AGE;
use anteroom_queue::settings::Mode;
use anteroom_queue::units::Millis;
use anteroom_token::{LAST_PASS_SECONDS, Pass};

use crate::renewal::{self, Renewal};

/// What the gate looks at.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Unix seconds, as in tokens.
    pub now: u64,
    /// A request that is expected to change nothing.
    pub safe: bool,
    /// Nobody looks at the answer, or another site's page caused it: nothing is taken for it.
    pub takes_nothing: bool,
    /// A CORS preflight.
    pub preflight: bool,
    /// The best pass that came along, still valid or not.
    pub pass: Option<&'a Pass>,
    /// The pass is bound to a network and a browser, and comes from elsewhere.
    pub is_elsewhere: bool,
    /// A place that is not over came along.
    pub has_place: bool,
    /// The line of a first visit that brings nothing; none where each line takes a code or an invitation.
    pub first_line: Option<u8>,
    /// The board and its age; none when no shard has been heard yet.
    pub board: Option<(&'a Board, Millis)>,
    /// How long a pass lives.
    pub pass_seconds: u64,
    /// The request is of a crawler that may look, if its budget allows it.
    pub crawler: bool,
    /// The configured mode, for as long as there is no board.
    pub configured_mode: Mode,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// On to the origin.
    Forward(With),
    /// The home is asked first whether the session still runs.
    RenewFirst,
    /// The home is asked to admit a first visit in one step.
    Try,
    /// The shard that counts crawlers is asked whether this one may go on; if not, the room answers.
    Crawl,
    /// The room answers.
    Room(Why),
}

impl Decision {
    /// Whether the request goes on because of what the visitor brought, or of a place that is made for it.
    pub fn is_the_visitors(&self) -> bool {
        match self {
            Decision::Forward(With::Pass { .. } | With::New(_) | With::Last(_)) => true,
            Decision::RenewFirst | Decision::Try => true,
            Decision::Forward(With::Nothing | With::OpenPass | With::CrawlerPass) => false,
            Decision::Crawl | Decision::Room(_) => false,
        }
    }
}

/// With what a request goes on to the origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum With {
    /// With nothing that the visitor brought: a preflight, which carries neither a pass nor credentials by its nature.
    Nothing,
    /// With a pass of no session, since everything passes.
    OpenPass,
    /// With a pass of no session, since a crawler looks.
    CrawlerPass,
    /// With the pass that came.
    Pass {
        /// It is past half of its life, or a first one that has to be confirmed.
        renew: bool,
    },
    /// With this one, which the visitor's browser gets too.
    New(Pass),
    /// With this one, which is good for this request only.
    Last(Pass),
}

/// Why the room answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The brake for everybody.
    Stopped,
    /// Nothing passes.
    Closed,
    /// The visitor has to wait.
    Queue,
    /// Too many at once, and no queue.
    Rate,
    /// The session is over, since this Unix second.
    Ended(u64),
    /// The visitor continued in another browser.
    Elsewhere,
    /// The session goes on once the visitor was checked.
    Recheck,
}

/// What to do with a request, before anybody is asked about it.
pub fn decide(asked: &Asked<'_>) -> Decision {
    let mode = asked
        .board
        .map_or(asked.configured_mode, |(board, _)| board.mode);
    if asked.board.is_some_and(|(board, _)| board.stop) {
        return Decision::Room(Why::Stopped);
    }
    let staff = asked.pass.filter(|pass| is_of_staff(pass, asked.now));
    if let Some(pass) = staff.filter(|_| !asked.preflight) {
        return Decision::Forward(of_staff(asked, pass));
    }
    if mode == Mode::Closed {
        return Decision::Room(Why::Closed);
    }
    if asked.preflight {
        return Decision::Forward(With::Nothing);
    }
    match asked.pass {
        Some(pass) if asked.now < pass.expires_at && !asked.is_elsewhere => {
            Decision::Forward(With::Pass {
                renew: renewal::is_due(pass, asked.now),
            })
        }
        _ if mode == Mode::Off => Decision::Forward(With::OpenPass),
        Some(pass) if pass.session.is_staff() => without_pass(asked, mode),
        Some(pass) if asked.now < pass.session_ends_at || may_have_last(asked, pass) => {
            Decision::RenewFirst
        }
        Some(pass) if !asked.has_place && mode == Mode::Always => {
            Decision::Room(Why::Ended(pass.session_ends_at))
        }
        _ => without_pass(asked, mode),
    }
}

/// Staff look at the shop whatever the phase and the mode; only the brake stops them too.
fn is_of_staff(pass: &Pass, now: u64) -> bool {
    pass.session.is_staff() && now < pass.session_ends_at
}

/// No home is asked: the edge renews such a pass until the staff token's end.
fn of_staff(asked: &Asked<'_>, pass: &Pass) -> With {
    match asked.now < pass.expires_at {
        true => With::Pass {
            renew: renewal::is_due(pass, asked.now),
        },
        false => With::New(renewal::resigned(pass, asked.now, asked.pass_seconds)),
    }
}

fn without_pass(asked: &Asked<'_>, mode: Mode) -> Decision {
    if asked.crawler && asked.board.is_some_and(|(board, _)| may_look(board)) {
        return Decision::Crawl;
    }
    let in_one_step = matches!(mode, Mode::Auto | Mode::Rate)
        && !asked.takes_nothing
        && !asked.has_place
        && asked
            .board
            .zip(asked.first_line)
            .is_some_and(|((board, age), line)| board.room && may_admit(board, age, line));
    match mode {
        _ if in_one_step => Decision::Try,
        Mode::Rate => Decision::Room(Why::Rate),
        _ => Decision::Room(Why::Queue),
    }
}

/// Whether a crawler may look at the shop: not when every line is closed, then there is none, and not while the shop is in
/// such trouble that nobody else is let in.
fn may_look(board: &Board) -> bool {
    let is_over = board.lines.iter().all(|line| line.phase == Phase::Closed);
    let is_in_trouble = board.pause.as_ref().is_some_and(Pause::is_for_origin);
    !is_over && !is_in_trouble
}

/// Whether a first pass may be issued for this line: the line is open, no brake is on, and the board is young enough
/// to be sure of it.
pub fn may_admit(board: &Board, age: Millis, line: u8) -> bool {
    let open = board
        .lines
        .get(usize::from(line))
        .is_some_and(|line| line.phase == Phase::Open);
    open && !board.stop && board.mode != Mode::Closed && age <= BRAKE_AGE
}

fn may_have_last(asked: &Asked<'_>, pass: &Pass) -> bool {
    !asked.safe && asked.now < pass.session_ends_at + LAST_PASS_SECONDS
}

/// What to do with a request whose pass had expired, once its home has answered or not.
pub fn after_renewal(
    asked: &Asked<'_>,
    pass: &Pass,
    renewal: &Renewal,
    idle_seconds: u64,
    pass_seconds: u64,
) -> Decision {
    match renewal {
        Renewal::Runs(fresh) => Decision::Forward(With::New(fresh.clone())),
        Renewal::Elsewhere => Decision::Room(Why::Elsewhere),
        Renewal::Recheck => Decision::Room(Why::Recheck),
        Renewal::Unreachable if asked.now < pass.expires_at => {
            Decision::Forward(With::Pass { renew: false })
        }
        Renewal::Unknown => Decision::Room(Why::Queue),
        Renewal::Over { ended } if *ended >= pass.session_ends_at && may_have_last(asked, pass) => {
            Decision::Forward(With::Last(renewal::last(pass, asked.now)))
        }
        Renewal::Over { ended } => Decision::Room(Why::Ended(*ended)),
        Renewal::Unreachable
            if renewal::is_unconfirmed(pass)
                || !renewal::is_in_use(pass, asked.now, idle_seconds) =>
        {
            Decision::Room(Why::Queue)
        }
        Renewal::Unreachable if asked.now < pass.session_ends_at => {
            Decision::Forward(With::New(renewal::resigned(pass, asked.now, pass_seconds)))
        }
        Renewal::Unreachable if may_have_last(asked, pass) => {
            Decision::Forward(With::Last(renewal::last(pass, asked.now)))
        }
        Renewal::Unreachable => Decision::Room(Why::Ended(pass.session_ends_at)),
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "gate_binding_tests.rs"]
mod binding_tests;

#[cfg(test)]
#[path = "gate_staff_tests.rs"]
mod staff_tests;

#[cfg(test)]
#[path = "gate_crawler_tests.rs"]
mod crawler_tests;
