//! What stands where on the page: the texts of one [`Scene`], in the visitor's language. The
//! template only lays them out. `static/js/scene.js` fills the same slots while the page lives.
//! What a draw, a choice of lines and a notice say stands in `fair`, `choice` and `notices`.

use anteroom_queue::units::UnixMillis;

use super::choice::{self, Action, Choice, Coded};
use super::fair;
use super::locale::Words;
use super::notices;
use super::scene::Scene;
use super::time::{ShownTime, shown};
use super::view::PageView;
use super::wait;

/// A sentence with, perhaps, one instant in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The text before the instant, or all of it.
    pub before: String,
    /// The instant.
    pub time: Option<ShownTime>,
    /// The text after it.
    pub after: String,
}

/// The texts of one page.
#[derive(Clone, Debug)]
pub struct Slots {
    /// The title of the document.
    pub title: String,
    /// The heading.
    pub headline: String,
    /// What it means.
    pub lead: Vec<Phrase>,
    /// The organizer's words to who arrives.
    pub intro: Option<String>,
    /// Which line the visitor is in, where there are several.
    pub line: Option<String>,
    /// How many are in the draw.
    pub entrants: Option<String>,
    /// How many are ahead, and what the number counts.
    pub count: Option<(String, String)>,
    /// The visitor's number and the number that is called now, which is empty as long as nobody is.
    pub facts: Option<(String, String)>,
    /// The estimated wait.
    pub wait: Option<String>,
    /// Something out of the ordinary, paragraph by paragraph: a pause, a stop, a moved opening.
    pub notice: Vec<Phrase>,
    /// That the tickets will hardly do.
    pub chances: Option<String>,
    /// What happens next.
    pub next: Option<String>,
    /// That the place is kept.
    pub promise: Option<Phrase>,
    /// The opening can be noted in a calendar.
    pub calendar: bool,
    /// What the draw is made of, and what it gave.
    pub fair: Option<Vec<String>>,
    /// How old the numbers are, when they are old.
    pub age: Option<String>,
    /// The button.
    pub action: Option<Action>,
    /// That who has no script waits before the button joins.
    pub work: Option<String>,
    /// The turn can be made to stand longer.
    pub may_defer: bool,
    /// The place can be taken to another device.
    pub handover: bool,
    /// The lines to choose from, where there are several for everyone.
    pub choice: Vec<Choice>,
    /// The way in for a code or an invitation.
    pub coded: Option<Coded>,
    /// The organizer's site, where the visitor may want to go next.
    pub organizer: bool,
    /// Why a cookie may be missing; shown where one is.
    pub reasons: [(&'static str, String); 3],
}

/// From this age on the page says how old its numbers are: five times what a board may be.
const OLD_AFTER_MS: u64 = 10_000;

impl Slots {
    /// Fills the slots of `scene`.
    pub fn of(view: &PageView, scene: Scene) -> Slots {
        let words = view.language.words();
        let writer = Writer { view, words, scene };
        let headline = writer.headline();
        Slots {
            title: writer.title(&headline),
            lead: writer.lead(),
            intro: view.face.intro.clone().filter(|_| scene.greets()),
            line: choice::own_line(&writer),
            entrants: fair::entrants(&writer),
            count: writer.count(),
            facts: writer.facts(),
            wait: (scene == Scene::Waiting).then(|| wait::in_words(words, writer.eta())),
            notice: notices::notice(&writer),
            chances: notices::chances(&writer),
            next: writer.next(),
            promise: writer.promise(),
            calendar: scene.counts_down() && view.prequeue_at.or(view.opens_at).is_some(),
            fair: fair::of(&writer),
            age: writer.age(),
            action: choice::action(&writer),
            work: writer.work(),
            may_defer: scene == Scene::Called
                && view.place.as_ref().is_some_and(|place| place.may_defer),
            handover: view.handover && scene.can_leave() && scene != Scene::Provisional,
            choice: choice::of(&writer),
            coded: choice::coded(&writer),
            organizer: scene.is_over() && view.face.organizer.is_some(),
            reasons: writer.reasons(),
            headline,
        }
    }
}

/// What the texts are written from.
pub struct Writer<'a> {
    /// What is known.
    pub view: &'a PageView,
    /// The visitor's language.
    pub words: &'static Words,
    /// Which page it is.
    pub scene: Scene,
}

impl Writer<'_> {
    fn key(&self, part: &str) -> String {
        format!("{}.{part}", self.scene.name())
    }

    /// The text of `key`.
    pub fn plain(&self, key: &str) -> Phrase {
        Phrase {
            before: self.words.text(key, &[]),
            ..Phrase::default()
        }
    }

    /// The text of `key` with `at` where `{time}` stands.
    pub fn timed(&self, text: String, at: UnixMillis) -> Phrase {
        let (before, after) = text.split_once("{time}").unwrap_or((&text, ""));
        Phrase {
            before: before.to_owned(),
            time: Some(self.shown(at)),
            after: after.to_owned(),
        }
    }

    /// An instant in the event's zone.
    pub fn shown(&self, at: UnixMillis) -> ShownTime {
        let (view, now) = (self.view, self.view.now);
        shown(at, view.offset_minutes(at), now, view.offset_minutes(now))
    }

    fn timed_or(&self, timed: &str, at: Option<UnixMillis>, otherwise: &str) -> Phrase {
        match at {
            Some(at) => self.timed(self.words.text(timed, &[]), at),
            None => self.plain(otherwise),
        }
    }

    fn headline(&self) -> String {
        if self.scene == Scene::Waiting && self.view.ahead() == Some(0) {
            return self.words.text("waiting.first", &[]);
        }
        if self.scene == Scene::Ended && !self.ran_out() {
            return self.words.text("ended.early.headline", &[]);
        }
        if self.scene == Scene::Paused && self.view.waits_for_stock() {
            return self.words.text("stock.headline", &[]);
        }
        if self.scene == Scene::Paused && self.view.waits_for_origin() {
            return self.words.text("origin.headline", &[]);
        }
        if self.scene == Scene::Prequeue && self.view.draw.is_some() {
            return self.words.text("prequeue.draw.headline", &[]);
        }
        self.words.text(&self.key("headline"), &[])
    }

    fn title(&self, headline: &str) -> String {
        let event = self.view.title.as_str();
        match (self.scene, self.view.ahead()) {
            (Scene::Waiting | Scene::Paused, Some(ahead)) if ahead > 0 => {
                let ahead = self.view.language.number(ahead);
                self.words
                    .text("title.ahead", &[("n", &ahead), ("event", event)])
            }
            _ => self
                .words
                .text("title.plain", &[("headline", headline), ("event", event)]),
        }
    }

    fn lead(&self) -> Vec<Phrase> {
        let view = self.view;
        match self.scene {
            Scene::Waiting => vec![],
            Scene::Before => {
                let at = view.prequeue_at.or(view.opens_at);
                vec![self.timed_or("before.lead", at, "before.soon")]
            }
            Scene::Prequeue => {
                let mut lead = vec![self.timed_or("prequeue.lead", view.opens_at, "prequeue.soon")];
                if view.draw.is_some() {
                    lead.push(self.plain("prequeue.draw"));
                }
                lead
            }
            Scene::Drawing => fair::drawing(self),
            Scene::Join if !choice::can_choose(self) => vec![self.plain("coded.only")],
            Scene::Paused if view.waits_for_stock() => vec![self.plain("stock.lead")],
            Scene::Paused if view.waits_for_origin() => vec![self.plain("origin.lead")],
            Scene::Called => {
                let until = view.place.as_ref().and_then(|place| place.offer_until);
                let kept = until.map(|at| self.timed(self.words.text("called.until", &[]), at));
                [Some(self.plain("called.lead")), kept]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Scene::Ended => self.ended(),
            Scene::Stopped if view.place.is_some() => {
                vec![self.plain("stopped.lead"), self.plain("stopped.kept")]
            }
            Scene::Admitted => vec![self.plain("server.admitted.lead")],
            Scene::Busy => vec![self.plain("server.busy.lead")],
            _ => vec![self.plain(&self.key("lead"))],
        }
    }

    fn ran_out(&self) -> bool {
        let place = self.view.place.as_ref();
        place.is_some_and(|place| place.ran_out && place.session_ends_at.is_some())
    }

    /// Only a session that ran to its end used all of its minutes.
    fn ended(&self) -> Vec<Phrase> {
        let place = self.view.place.as_ref();
        let at = place.and_then(|place| place.session_ends_at);
        match at {
            Some(at) if self.ran_out() => {
                let minutes = self.view.session.0 / 60_000;
                let lead = self.words.plural("ended.lead", minutes, &[]);
                vec![self.timed(lead, at), self.plain("ended.next")]
            }
            at => vec![
                self.timed_or("ended.early.lead", at, "ended.plain"),
                self.plain("ended.early.next"),
            ],
        }
    }

    /// The visitor's number stands on the page.
    pub fn shows_place(&self) -> bool {
        matches!(self.scene, Scene::Prequeue | Scene::Waiting | Scene::Paused)
    }

    fn count(&self) -> Option<(String, String)> {
        let ahead = self
            .view
            .ahead()
            .filter(|ahead| *ahead > 0 && self.shows_place())?;
        Some((
            self.view.language.number(ahead),
            self.words.plural("ahead", ahead, &[]),
        ))
    }

    fn facts(&self) -> Option<(String, String)> {
        let rank = self
            .view
            .place
            .as_ref()?
            .rank
            .filter(|_| self.shows_place())?;
        let language = self.view.language;
        let calling = match self.view.called.0 {
            0 => String::new(),
            called => language.number(called),
        };
        Some((language.number(rank.0 + 1), calling))
    }

    fn eta(&self) -> Option<super::view::Eta> {
        self.view.place.as_ref()?.eta
    }

    fn work(&self) -> Option<String> {
        let left = self.view.work_until?.since(self.view.now);
        let seconds = left.0.div_ceil(1_000);
        let key = match self.view.check {
            Some(_) => "server.check.work",
            None => "server.work",
        };
        (seconds > 0).then(|| self.words.plural(key, seconds, &[]))
    }

    fn next(&self) -> Option<String> {
        match self.scene {
            Scene::Before => Some(match choice::can_choose(self) {
                true => self.words.text("server.before.next", &[]),
                false => self.words.text("coded.only", &[]),
            }),
            Scene::Waiting | Scene::Prequeue | Scene::Paused => {
                let key = match self.view.refresh_off {
                    true => "server.waiting.still",
                    false => "server.waiting.next",
                };
                Some(
                    format!("{} {}", self.words.text(key, &[]), self.hold())
                        .trim()
                        .to_owned(),
                )
            }
            _ => None,
        }
    }

    fn hold(&self) -> String {
        let minutes = self.view.hold.map_or(0, |hold| hold.0 / 60_000);
        match minutes {
            0 => String::new(),
            _ => self.words.plural("hold", minutes, &[]),
        }
    }

    fn promise(&self) -> Option<Phrase> {
        match self.scene {
            Scene::Waiting => Some(match self.eta() {
                None => self.plain("promise"),
                Some(eta) if eta.likely_seconds < wait::NEAR_SECONDS => self.plain("promise.near"),
                Some(eta) => {
                    let back = UnixMillis(self.view.now.0 + eta.likely_seconds * 1_000);
                    self.timed(self.words.text("promise.back", &[]), back)
                }
            }),
            Scene::Prequeue if self.view.opens_at.is_some() => {
                let opens_at = self.view.opens_at.unwrap_or(self.view.now);
                Some(self.timed(self.words.text("promise.back", &[]), opens_at))
            }
            Scene::Prequeue | Scene::Provisional | Scene::Drawing => Some(self.plain("promise")),
            _ => None,
        }
    }

    fn age(&self) -> Option<String> {
        let age_ms = self.view.board_age.0;
        if age_ms < OLD_AFTER_MS || !self.shows_place() {
            return None;
        }
        Some(match age_ms / 60_000 {
            0 => self.words.text("age.now", &[]),
            minutes => self.words.plural("age.minutes", minutes, &[]),
        })
    }

    fn reasons(&self) -> [(&'static str, String); 3] {
        ["off", "frame", "app"].map(|why| (why, self.words.text(&format!("cookie.{why}"), &[])))
    }
}
