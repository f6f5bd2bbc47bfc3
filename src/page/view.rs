//! Everything that the queue page shows, as plain data. The edge fills it in from the ticket, the
//! board and the configuration; nothing in here is markup, and nothing needs to be escaped before.
//!
//! A field that the edge does not know is `None`: the page then shows less, never something made up.

use anteroom_queue::board::{Moved, Pause, Phase};
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::VisitorState;
use anteroom_queue::units::{EntryNumber, Millis, Rank, UnixMillis};

use serde::Deserialize;

use super::locale::Language;

/// The queue page for one visitor at one instant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageView {
    /// The event's id, as in the API's addresses.
    pub event: String,
    /// The run.
    pub run: u32,
    /// The event's name.
    pub title: String,
    /// What the API's addresses begin with, for example `/_wr`.
    pub prefix: String,
    /// The nonce of this response's Content-Security-Policy: base64 or base64url, fresh each time.
    pub nonce: String,
    /// Chosen with [`Language::choose`] from `Accept-Language`.
    pub language: Language,
    /// The edge's clock.
    pub now: UnixMillis,
    /// The event's zone by name, for example `Europe/Berlin`; the script shows times in it beside the
    /// visitor's own. `None`: UTC.
    pub time_zone: Option<String>,
    /// The event's distance from UTC in minutes, at each of the instants that the page may show: a
    /// clock change may lie between them. The page without script shows times in it. In order.
    pub utc_offsets: Vec<(UnixMillis, i32)>,
    /// Path and query of the address that the visitor wants, validated: starts with one `/`, and
    /// without [`REFRESH_OFF`].
    pub return_to: String,
    /// The visitor asked for the page without script not to refresh itself ([`REFRESH_OFF`]).
    pub refresh_off: bool,
    /// The request's method was unsafe: what was sent did not reach the shop.
    pub undelivered: bool,
    /// A ticket or a pass came that was good in another run of the event: the visitor is told why it is not any more.
    #[serde(default)]
    pub new_run: bool,
    /// The cookie that came with an earlier page was not brought back: no joining.
    pub cookie_missing: bool,
    /// It is shown in a frame of another site that may do so: cookies are kept there under other terms.
    #[serde(default)]
    pub framed: bool,
    /// The objects could not be asked and there is no last board. Who has a place gets an excuse;
    /// who has none may try to join all the same, so that the arrival is noted.
    pub unavailable: bool,
    /// The permit to join with; `None` for visitors who have a place.
    pub permit: Option<String>,
    /// The check to be done before the visitor goes in, or goes on.
    #[serde(default)]
    pub check: Option<String>,
    /// Until when who has no script waits before joining with the permit, or going on with the check; `None`: no longer.
    #[serde(default)]
    pub work_until: Option<UnixMillis>,
    /// The address of the worker that does the work of permits.
    #[serde(default)]
    pub solver: String,
    /// The third party's widget, where the event uses it.
    #[serde(default)]
    pub widget: Option<Widget>,
    /// The event's lines. With one, or none named here, nothing is said about lines.
    pub lines: Vec<Line>,
    /// The line that the page is about, by its id: that of the place, or the one to join.
    pub line: Option<String>,
    /// A code or an invitation that was sent by a form and does not do.
    pub refused: Option<RefusedCode>,
    /// How the gate treats a visitor without a pass, after live changes.
    pub mode: Mode,
    /// Where the visitor's line stands.
    pub phase: Phase,
    /// The brake for everybody.
    pub stop: bool,
    /// Why and until when the queue is paused or stopped.
    pub pause: Option<Pause>,
    /// The organizer's message.
    pub message: Option<String>,
    /// Counts the changes that may make a wait longer.
    pub slowdowns: u32,
    /// When joins are first taken.
    pub prequeue_at: Option<UnixMillis>,
    /// When the line starts to call.
    pub opens_at: Option<UnixMillis>,
    /// The opening was moved.
    pub moved: Option<Moved>,
    /// The line's draw; `None`: first come, first served.
    pub draw: Option<Draw>,
    /// What is left to sell, where it is known.
    pub stock_left: Option<u64>,
    /// Ranks below this one have been offered their turn.
    pub called: Rank,
    /// The board's version.
    pub board_version: u64,
    /// How old the board is.
    pub board_age: Millis,
    /// When the page should ask again.
    pub poll: Millis,
    /// How long a turn stands; `None`: until the end.
    pub hold: Option<Millis>,
    /// How long an admitted visitor may stay.
    pub session: Millis,
    /// The event lets visitors take their place to another device.
    pub handover: bool,
    /// How the event looks.
    pub face: Look,
    /// The visitor's place; `None`: no ticket.
    pub place: Option<Standing>,
}

/// A third party's widget.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Widget {
    /// Its public key.
    pub site_key: String,
    /// The address of its script.
    pub script: String,
    /// Whom the page's policy lets in for it: scheme and authority.
    pub origin: String,
}

/// One line of the event, as far as a choice needs it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Its public name.
    pub id: String,
    /// What visitors call it, in their language.
    pub title: String,
    /// Whether it takes a code or an invitation to join it.
    pub coded: bool,
    /// Where it stands.
    pub phase: Phase,
    /// When it opens, until it is open.
    pub opens_at: Option<UnixMillis>,
}

impl Line {
    /// Whether it takes joins now.
    pub fn takes_joins(&self) -> bool {
        !matches!(self.phase, Phase::Before | Phase::Soldout | Phase::Closed)
    }

    /// Whether it may still take joins.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Soldout | Phase::Closed)
    }
}

/// The draw of a line, as far as the page tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// How many are in it: so far, or for good once that is fixed.
    pub entrants: u64,
    /// The order is out.
    pub drawn: bool,
    /// Whether a public beacon takes part.
    pub beacon: Beacon,
    /// How long it takes at most.
    pub at_most: Millis,
}

/// What became of the public beacon of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Beacon {
    /// None is configured.
    None,
    /// It will take part.
    Expected,
    /// It took part.
    Here,
    /// It did not come in time, and the draw went on without it.
    Absent,
}

impl Beacon {
    /// Its name for the script and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Beacon::None => "none",
            Beacon::Expected => "expected",
            Beacon::Here => "here",
            Beacon::Absent => "absent",
        }
    }
}

/// A code or an invitation that does not do.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedCode {
    /// Why.
    pub why: WhyRefused,
    /// What was typed; empty where it is not kept.
    pub typed: String,
}

/// Why a code or an invitation does not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhyRefused {
    /// It is no code of this queue.
    Wrong,
    /// It is used up.
    Spent,
    /// The invitation is not valid, or not any more.
    Invitation,
}

/// The event's own look: checked when it is configured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// It has a logo.
    pub logo: bool,
    /// The accent by day, `#rrggbb`.
    pub accent: Option<String>,
    /// The accent by night, `#rrggbb`.
    pub accent_dark: Option<String>,
    /// The organizer's words to who arrives, in the visitor's language.
    pub intro: Option<String>,
    /// The organizer's site.
    pub organizer: Option<String>,
    /// Where there is help.
    pub help: Option<String>,
    /// What happens with personal data.
    pub privacy: Option<String>,
    /// The statement on accessibility.
    pub accessibility: Option<String>,
}

/// A visitor's place, as far as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Standing {
    /// Where the visitor stands.
    pub state: VisitorState,
    /// The entry number, once there is one.
    pub entry: Option<EntryNumber>,
    /// The rank, once there is one; before a draw there is none.
    pub rank: Option<Rank>,
    /// How much longer, while it can be said.
    pub eta: Option<Eta>,
    /// Called: how long the turn stands.
    pub offer_until: Option<UnixMillis>,
    /// Admitted or ended: when the session ends or ended.
    pub session_ends_at: Option<UnixMillis>,
    /// Ended: it is certain that the session ran to its own end. Otherwise it was released, idle, or nobody knows.
    pub ran_out: bool,
    /// Called: the turn may be made to stand longer, once.
    pub may_defer: bool,
    /// The visitor came before the opening and could not be heard in time for the draw.
    pub missed_draw: bool,
}

/// An estimated wait, as a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Eta {
    /// What is likely, in seconds: the early end.
    pub likely_seconds: u64,
    /// At most, in seconds: the late end.
    pub at_most_seconds: u64,
}

/// The query parameter by which a visitor without script turns the refresh off. The edge reads
/// it into [`PageView::refresh_off`] and takes it away from what goes on to the origin.
pub const REFRESH_OFF: &str = "wr-refresh=off";

/// Whether `path_and_query` carries [`REFRESH_OFF`], and the same address without it.
pub fn split_refresh(path_and_query: &str) -> (bool, String) {
    let Some((path, query)) = path_and_query.split_once('?') else {
        return (false, path_and_query.to_owned());
    };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|part| *part != REFRESH_OFF)
        .collect();
    if kept.len() == query.split('&').count() {
        return (false, path_and_query.to_owned());
    }
    if kept.is_empty() {
        return (true, path.to_owned());
    }
    (true, format!("{path}?{}", kept.join("&")))
}

impl PageView {
    /// How many stand before the visitor.
    pub fn ahead(&self) -> Option<u64> {
        let rank = self.place.as_ref()?.rank?;
        Some(rank.0.saturating_sub(self.called.0))
    }

    /// The instants that the page may show, in no order.
    pub fn instants(&self) -> Vec<UnixMillis> {
        let place = self.place.as_ref();
        let eta = place.and_then(|place| place.eta);
        let back = eta.map(|eta| self.now.plus(Millis(eta.likely_seconds * 1_000)));
        let known = [
            Some(self.now),
            self.prequeue_at,
            self.opens_at,
            self.moved.as_ref().map(|moved| moved.from),
            self.pause.as_ref().and_then(|pause| pause.next_update_at),
            place.and_then(|place| place.offer_until),
            place.and_then(|place| place.session_ends_at),
            back,
        ];
        let lines = self.lines.iter().filter_map(|line| line.opens_at);
        known.into_iter().flatten().chain(lines).collect()
    }

    /// The event's distance from UTC at `at`, as far as it is known.
    pub fn offset_minutes(&self, at: UnixMillis) -> i32 {
        let before = self.utc_offsets.iter().rev().find(|(from, _)| *from <= at);
        let known = before.or(self.utc_offsets.first());
        known.map_or(0, |(_, minutes)| *minutes)
    }

    /// Nobody is let in because the shop does not answer.
    pub fn waits_for_origin(&self) -> bool {
        self.phase == Phase::Paused && self.pause.as_ref().is_some_and(Pause::is_for_origin)
    }

    /// Nobody is let in because nothing is free, and no operator has paused.
    pub fn waits_for_stock(&self) -> bool {
        self.phase == Phase::Paused && self.pause.is_none() && self.stock_left == Some(0)
    }

    /// More people are ahead than there is to sell.
    pub fn is_far_back(&self) -> bool {
        match (self.ahead(), self.stock_left) {
            (Some(ahead), Some(left)) => left > 0 && ahead >= left,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refresh_switch_is_taken_out_of_the_address_and_nothing_else_is() {
        for (address, off, rest) in [
            ("/shop", false, "/shop"),
            ("/shop?", false, "/shop?"),
            ("/shop?a=1&b=%2F", false, "/shop?a=1&b=%2F"),
            ("/shop?wr-refresh=off", true, "/shop"),
            ("/shop?a=1&wr-refresh=off&b=2", true, "/shop?a=1&b=2"),
            ("/shop?wr-refresh=on", false, "/shop?wr-refresh=on"),
            ("/shop?xwr-refresh=off", false, "/shop?xwr-refresh=off"),
        ] {
            assert_eq!(split_refresh(address), (off, rest.to_owned()), "{address}");
        }
    }
}
