//! Our cookies: their names, their attributes, and how they are found among others.
//!
//! A name carries the event and an epoch: when an attribute changes, the epoch is raised, and what a browser still has
//! under the name of the one before is read until it goes, taken away with the new one, and never set again. `__Host-`
//! binds a cookie to one host; an event on several hosts has a configured domain and `__Secure-`. Plain names exist only on unencrypted loopback, where browsers keep no prefixed cookies.
//! The pass is `SameSite=None`: a bank's form that posts back from its own site must find it. It opens the gate and
//! authorises nothing else.
//!
//! In a frame of another site that the event allows, browsers send no `Lax` cookies. There ours are partitioned
//! (`SameSite=None; Partitioned`, CHIPS): kept for this site below that one, and sent nowhere else. They have names of their
//! own, by which a request from inside the frame, which says no more about it, is known. Such a cookie travels across
//! sites; what keeps other sites from using it is [`same_site`](crate::same_site).
//!
//! Names and attributes are kept by browsers across deploys: changing one without a new epoch
//! loses places.

use anteroom_config::host;

use crate::headers::UNREADABLE;
use crate::incoming::Incoming;

/// Raised when an attribute of a cookie changes.
pub const EPOCH: u32 = 1;
const _: () = assert!(EPOCH > 0, "the epoch before is read too");
/// What is read.
const EPOCHS: [u32; 2] = [EPOCH, EPOCH - 1];
/// How long a browser keeps ticket, permit and claim id: a day, as long as a permit finds its place again.
pub const KEPT_SECONDS: u64 = 24 * 60 * 60;
/// Of several cookies of one name so many are tried; a browser sends one for each path and domain it was set for.
pub const MAX_OF_ONE_NAME: usize = 4;
/// A longer `Cookie` header is refused with 431: twice what browsers allow for ours and a busy shop's together.
pub const MAX_COOKIE_HEADER_BYTES: usize = 64 * 1024;

/// What a cookie is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The leave to join.
    Permit,
    /// The proof of a place.
    Ticket,
    /// What opens the gate.
    Pass,
    /// The claim id that a browser keeps for all its tabs.
    Browser,
    /// What a visitor who has a place is asked to do.
    Check,
    /// Where a pass was handed out, if it is bound to that.
    Binding,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 6] = [
        Kind::Permit,
        Kind::Ticket,
        Kind::Pass,
        Kind::Browser,
        Kind::Check,
        Kind::Binding,
    ];

    fn word(self) -> &'static str {
        match self {
            Kind::Permit => "permit",
            Kind::Ticket => "ticket",
            Kind::Pass => "pass",
            Kind::Browser => "browser",
            Kind::Check => "check",
            Kind::Binding => "binding",
        }
    }
}

/// How this event's cookies look on the host that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jar<'a> {
    event: &'a str,
    dress: Dress<'a>,
    place: Shown,
}

/// Where the page is shown that a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// By itself; no other site may frame it.
    Alone,
    /// By itself; another site might have framed it.
    Unframed,
    /// In another site's frame.
    Framed,
}

/// What stands at the end of a partitioned cookie's name.
const FRAMED: &str = "-framed";
/// Those of browsers that our names may have: none, of one host, of a domain.
const PREFIXES: [&str; 3] = ["", "__Host-", "__Secure-"];
/// What every name of ours begins with, behind the browser's prefix.
const OURS: &str = "wr-";
/// The elements that put a page into another, as `Sec-Fetch-Dest` names them.
pub const FRAMES: [&str; 4] = ["iframe", "frame", "object", "embed"];
/// One of the sites that may frame: the event's own host, as a policy writes it.
const SELF: &str = "'self'";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dress<'a> {
    Plain,
    Host,
    Domain(&'a str),
}

impl<'a> Jar<'a> {
    /// For `event` and the host of `incoming`.
    pub fn new(event: &'a str, cookie_domain: Option<&'a str>, incoming: &Incoming) -> Self {
        let plain = !incoming.secure && host::is_loopback(&host::normalise(&incoming.authority));
        let dress = match cookie_domain {
            _ if plain => Dress::Plain,
            Some(domain) => Dress::Domain(domain),
            None => Dress::Host,
        };
        Jar {
            event,
            dress,
            place: Shown::Alone,
        }
    }

    /// As it is where `frame_ancestors` may show the page in a frame. `came`: the cookies of [`ours`].
    pub fn below(
        mut self,
        frame_ancestors: &[String],
        incoming: &Incoming,
        came: &[Pair<'_>],
    ) -> Self {
        let others = frame_ancestors.iter().any(|site| site != SELF);
        if !others || self.dress == Dress::Plain {
            return self;
        }
        self.place = Shown::Framed;
        let mut framed_names = Kind::ALL
            .into_iter()
            .flat_map(|kind| EPOCHS.map(|epoch| self.name_of(kind, epoch)));
        let is_known = framed_names.any(|name| came.iter().any(|(present, _)| *present == name));
        if !is_known && !is_navigated_by(frame_ancestors, incoming) {
            self.place = Shown::Unframed;
        }
        self
    }

    /// The cookie's name.
    pub fn name(&self, kind: Kind) -> String {
        self.name_of(kind, EPOCH)
    }

    fn name_of(&self, kind: Kind, epoch: u32) -> String {
        let end = if self.place == Shown::Framed {
            FRAMED
        } else {
            ""
        };
        format!("{}{end}", self.plain_name(kind, epoch))
    }

    fn plain_name(&self, kind: Kind, epoch: u32) -> String {
        let prefix = self.prefix();
        format!("{prefix}{OURS}{}-{}-{epoch}", kind.word(), self.event)
    }

    fn prefix(&self) -> &'static str {
        let [plain, host, domain] = PREFIXES;
        match self.dress {
            Dress::Plain => plain,
            Dress::Host => host,
            Dress::Domain(_) => domain,
        }
    }

    /// Whether the page is shown in another site's frame, as far as the request tells.
    pub fn is_framed(&self) -> bool {
        self.place == Shown::Framed
    }

    /// The `Set-Cookie` that keeps `value` for `seconds`.
    pub fn set(&self, kind: Kind, value: &str, seconds: u64) -> String {
        self.line(kind, &self.name(kind), value, seconds)
    }

    fn line(&self, kind: Kind, name: &str, value: &str, seconds: u64) -> String {
        let seconds = seconds.min(KEPT_SECONDS);
        let same_site = match (kind, self.dress) {
            (_, Dress::Plain) => "; SameSite=Lax",
            _ if self.place == Shown::Framed => "; Secure; SameSite=None; Partitioned",
            (Kind::Pass | Kind::Binding, _) => "; Secure; SameSite=None",
            (_, _) => "; Secure; SameSite=Lax",
        };
        let domain = match self.dress {
            Dress::Domain(domain) => format!("; Domain={domain}"),
            _ => String::new(),
        };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly{same_site}{domain}")
    }

    /// The `Set-Cookie`s that take a cookie away: also what is left of the epoch before, if it is among those that `came`.
    pub fn clear(&self, came: &[Pair<'_>], kind: Kind) -> impl Iterator<Item = String> + use<> {
        let old = self.name_of(kind, EPOCH - 1);
        let is_left = came.iter().any(|(present, _)| *present == old);
        let left = is_left.then(|| self.line(kind, &old, "", 0));
        [self.set(kind, "", 0)].into_iter().chain(left)
    }

    /// The values of a cookie among those that `came`, in their order; where the page may be framed, of both names, first
    /// of the one that would be set. Last come those of the epoch before: what a browser got before the deploy that raised
    /// it keeps its place, and goes on under the new name with the next token.
    pub fn values<'c, 'h>(
        &self,
        came: &'c [Pair<'h>],
        kind: Kind,
    ) -> impl Iterator<Item = &'h str> + use<'c, 'h, 'a> {
        let jar = *self;
        let shapes = EPOCHS.into_iter().flat_map(move |epoch| {
            let framed = jar.is_framed().then_some((epoch, FRAMED));
            framed.into_iter().chain([(epoch, "")])
        });
        shapes.flat_map(move |(epoch, end)| {
            came.iter()
                .filter(move |(present, _)| jar.is_name(present, kind, epoch, end))
                .map(|(_, value)| *value)
                .take(MAX_OF_ONE_NAME)
        })
    }

    /// Whether `present` is the name of a cookie of this kind and epoch that ends so.
    fn is_name(&self, present: &str, kind: Kind, epoch: u32, end: &str) -> bool {
        let own = || {
            let rest = present.strip_prefix(self.prefix())?.strip_prefix(OURS)?;
            let rest = rest.strip_prefix(kind.word())?.strip_prefix('-')?;
            let rest = rest.strip_prefix(self.event)?.strip_prefix('-')?;
            rest.strip_suffix(end)
        };
        // As it would be written: no sign, no zero before it.
        own().is_some_and(|number| number.parse() == Ok(epoch) && number.len() == digits(epoch))
    }
}

/// How many digits a number is written with.
const fn digits(number: u32) -> usize {
    match number {
        0 => 1,
        _ => number.ilog10() as usize + 1,
    }
}

/// Whether another site navigates its frame to this page. Which site that is, `Referer` says, unless the site keeps it to
/// itself: then the page's policy decides whether it is shown.
fn is_navigated_by(frame_ancestors: &[String], incoming: &Incoming) -> bool {
    let says = |name: &'static str, values: &[&str]| {
        let value = incoming.header(name);
        value.is_some_and(|value| values.contains(&value.as_str()))
    };
    let is_named = |referer: String| {
        frame_ancestors.iter().any(|site| {
            let rest = referer.strip_prefix(site.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    says("sec-fetch-site", &["cross-site"])
        && says("sec-fetch-dest", &FRAMES)
        && incoming.header("referer").is_none_or(is_named)
}

/// The name and the value of a cookie.
pub type Pair<'h> = (&'h str, &'h str);

/// The cookies in a `Cookie` header that have a name like ours, of whatever event: a busy shop sets many, and every kind of
/// ours is looked for. Pieces without an equals sign are no cookies.
pub fn ours(header: &str) -> Vec<Pair<'_>> {
    let is_like_ours = |name: &str| {
        let mut bare = PREFIXES
            .iter()
            .filter_map(|prefix| name.strip_prefix(prefix));
        bare.any(|name| name.starts_with(OURS))
    };
    let pairs = header.split(';').filter_map(|piece| {
        let (name, value) = piece.split_once('=')?;
        Some((name.trim_start(), value.trim_end()))
    });
    pairs.filter(|(name, _)| is_like_ours(name)).collect()
}

/// Whether a name is one of ours, of any event and epoch and behind any prefix that browsers know or will know.
pub fn is_ours(name: &str) -> bool {
    let name = name.trim().as_bytes();
    let prefix = if name.starts_with(b"__") {
        let mut fours = name.windows(b"-wr-".len());
        fours.position(|four| four.eq_ignore_ascii_case(b"-wr-"))
    } else {
        None
    };
    let bare = &name[prefix.map_or(0, |at| at + 1)..];
    let Some(rest) = behind(bare, OURS) else {
        return false;
    };
    Kind::ALL
        .iter()
        .any(|kind| behind(rest, kind.word()).is_some_and(|rest| rest.starts_with(b"-")))
}

/// What follows these letters in either case.
fn behind<'n>(name: &'n [u8], letters: &str) -> Option<&'n [u8]> {
    let (front, rest) = name.split_at_checked(letters.len())?;
    front
        .eq_ignore_ascii_case(letters.as_bytes())
        .then_some(rest)
}

/// Whether a `Set-Cookie` could make a browser send one of ours. Browsers send `=name=value`, a cookie without a name, back
/// as `name=value`.
pub fn sets_ours(line: &str) -> bool {
    let named = line.trim_start_matches(|c: char| c == '=' || c.is_whitespace() || c.is_control());
    is_ours(named.split(['=', ';']).next().unwrap_or_default())
}

/// A `Cookie` header for the origin; `None`: none of ours is in it, and it goes on as it came. All others stay as they came,
/// to the byte, but for those with bytes that are no UTF-8: these cannot be said again, and what no browser sent is not said
/// in their name.
pub fn without_ours(header: &str) -> Option<String> {
    let mut left = String::with_capacity(header.len());
    let mut is_less = false;
    for cookie in header.split(';') {
        let theirs = theirs(cookie);
        is_less |= theirs.map(str::len) != Some(cookie.len());
        match theirs.filter(|theirs| !theirs.contains(UNREADABLE)) {
            None => {}
            Some(theirs) if left.is_empty() => left.push_str(theirs.trim_start()),
            Some(theirs) => left.extend([";", theirs]),
        }
    }
    is_less.then_some(left)
}

/// What of the text between two semicolons is not ours. The platform joins several `Cookie` headers by commas; what follows
/// one of ours there goes with it.
fn theirs(cookie: &str) -> Option<&str> {
    let is_ours_from = |at: usize| {
        let name = cookie[at..].split(['=', ',']).next();
        is_ours(name.unwrap_or_default())
    };
    if is_ours_from(0) {
        return None;
    }
    let mut commas = cookie.match_indices(',').map(|(at, _)| at);
    let end = commas.find(|at| is_ours_from(at + 1));
    Some(&cookie[..end.unwrap_or(cookie.len())])
}

#[cfg(test)]
#[path = "cookies_tests.rs"]
mod tests;
