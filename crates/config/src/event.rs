//! One event, parsed and checked: nothing in here needs to be checked again.

use anteroom_queue::settings::Settings;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::crawlers::Crawlers;
use crate::guard::Guard;
use crate::host;
use crate::path::PathRule;
use crate::regions::Regions;

/// What a visitor has to solve before joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// Nothing.
    None,
    /// Proof of work: this many zero bits of each hash from everybody.
    Work(u8),
    /// A third party's widget, or more work than this instead.
    Turnstile(u8),
    /// Both.
    WorkAndTurnstile(u8),
}

impl Challenge {
    /// Whether the third party's widget is on the page.
    pub const fn uses_turnstile(self) -> bool {
        matches!(
            self,
            Challenge::Turnstile(_) | Challenge::WorkAndTurnstile(_)
        )
    }
}

/// What joining takes while nobody can ask the third party about its widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnstileDown {
    /// Proof of work.
    Work,
    /// Nobody joins.
    Deny,
    /// Nothing more than the rest of the challenge.
    Allow,
}

impl TurnstileDown {
    /// As configurations and the API write it.
    pub const fn name(self) -> &'static str {
        match self {
            TurnstileDown::Work => "pow",
            TurnstileDown::Deny => "deny",
            TurnstileDown::Allow => "allow",
        }
    }
}

/// The third party's widget on the page of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turnstile {
    /// The widget's public key.
    pub site_key: String,
    /// What holds while it cannot be asked.
    pub down: TurnstileDown,
}

/// How passes are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassAlgorithm {
    /// HMAC with a key derived for the event's audience: the origin holds the same key.
    Hs256,
    /// Ed25519: the origin holds only the public key.
    EdDsa,
}

/// Who may join a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Whoever comes.
    Everyone,
    /// Whoever brings a code of the line.
    Code,
    /// Whoever brings an invitation that the organizer's own system has signed.
    EnqueueToken,
}

impl Access {
    /// As configurations and the API write it.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Everyone => "everyone",
            Access::Code => "code",
            Access::EnqueueToken => "enqueue_token",
        }
    }
}

/// What the edge needs to know of a line; the core's part of it is in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// Public name: lower-case letters, digits and hyphens.
    pub id: String,
    /// What the page calls it, unless the event's face does in the visitor's language.
    pub title: Option<String>,
    /// Who may join it.
    pub access: Access,
}

/// Where admitted requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The request goes on unchanged, behind a Worker route.
    Unchanged,
    /// To this address.
    Url(OriginUrl),
}

/// The address of an origin: scheme, host and perhaps a port, nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginUrl {
    /// `https`, or `http` without a certificate.
    pub secure: bool,
    /// Host in lower case, with the port if it is not the scheme's own: the `Host` header.
    pub authority: String,
}

impl OriginUrl {
    /// `https://host:port`, without a slash at the end.
    pub fn base(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }
}

/// One event of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Public name: lower-case letters, digits and hyphens.
    pub id: String,
    /// What the page calls it.
    pub title: String,
    /// Which staging of the event; a new one refuses everything of the old.
    pub run: u32,
    /// The hosts whose requests it concerns, in lower case; the first is the passes' audience.
    /// [`LOOPBACK`](crate::host::LOOPBACK) stands for every loopback host.
    pub hosts: Vec<String>,
    /// What is protected.
    pub paths: Vec<PathRule>,
    /// What passes without a pass, inside `paths`.
    pub bypass: Vec<PathRule>,
    /// Where admitted requests go.
    pub origin: Origin,
    /// An answer of the origin that takes longer is slow.
    pub origin_slow: Millis,
    /// The room admits fewer, or nobody, when the origin is in trouble; otherwise it only watches.
    pub origin_acts: bool,
    /// IANA name of the zone in which the page shows times.
    pub time_zone: String,
    /// Status of the queue page.
    pub queue_status: u16,
    /// What a visitor has to solve before joining.
    pub challenge: Challenge,
    /// The widget, where the challenge uses it.
    pub turnstile: Option<Turnstile>,
    /// Other sites' origins whose scripts may read the answers.
    pub cors_origins: Vec<String>,
    /// Sites that may show the queue page in a frame; empty: none.
    pub frame_ancestors: Vec<String>,
    /// Which machines may look at the shop without a place; `None`: none.
    pub crawlers: Option<Crawlers>,
    /// The domain of the cookies when there is more than one host.
    pub cookie_domain: Option<String>,
    /// How passes are signed.
    pub pass_algorithm: PassAlgorithm,
    /// The lines, in the order of the settings' lines.
    pub lines: Vec<EventLine>,
    /// Whether a visitor may take a place to another browser by a code.
    pub handover: bool,
    /// Whom it checks again, and what passes are bound to.
    pub guard: Guard,
    /// Where its objects stand.
    pub regions: Regions,
    /// The core's part: mode, schedule, lines, limits, and how long things last.
    pub settings: Settings,
}

impl Event {
    /// The first line that everyone may join, by its position; none where each takes a code or an invitation.
    pub fn line_for_everyone(&self) -> Option<u8> {
        let position = self
            .lines
            .iter()
            .position(|line| line.access == Access::Everyone)?;
        Some(position as u8)
    }

    /// When the first line opens, whichever that is; `None`: at once.
    pub fn opens_at(&self) -> Option<UnixMillis> {
        let openings = self.settings.lines.iter().map(|line| line.opens_at);
        openings.min().flatten()
    }

    /// Where its shop begins: the path that leads a visitor to it.
    pub fn front(&self) -> &str {
        self.paths.first().map_or("/", PathRule::front)
    }

    /// Whether only this machine reaches it.
    pub fn is_loopback_only(&self) -> bool {
        host::are_loopback(&self.hosts)
    }

    /// The line of this name, and its position.
    pub fn line(&self, id: &str) -> Option<(usize, &EventLine)> {
        self.lines
            .iter()
            .enumerate()
            .find(|(_, line)| line.id == id)
    }

    /// How long a pass lives, in the seconds of tokens.
    pub fn pass_seconds(&self) -> u64 {
        self.settings.pass.0 / 1_000
    }

    /// How long a session lasts, in the seconds of tokens.
    pub fn session_seconds(&self) -> u64 {
        self.settings.session.0 / 1_000
    }

    /// After how long without a request a session ends, in the seconds of tokens.
    pub fn idle_seconds(&self) -> u64 {
        self.settings.idle.0 / 1_000
    }
}
