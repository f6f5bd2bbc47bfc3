//! Which page it is: one decision from the visitor's state, the phase and the brake. The script
//! takes the same decision in `static/js/scene.js`; the page tests hold the two together.

use anteroom_queue::board::Phase;
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::VisitorState;

use super::view::PageView;

/// One kind of page. Its name is in `data-scene`, and the words' keys begin with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Joins are not taken yet.
    Before,
    /// No place yet, and one can be had.
    Join,
    /// A place without its number.
    Provisional,
    /// In line before the sale starts.
    Prequeue,
    /// The order is being drawn.
    Drawing,
    /// In line.
    Waiting,
    /// In line, and nobody is let in.
    Paused,
    /// The turn is offered.
    Called,
    /// Asked to enter, and not let in yet.
    Pending,
    /// Let in.
    Admitted,
    /// Let in, and to be checked before going on.
    Recheck,
    /// The session is over.
    Ended,
    /// The place works in another browser.
    Elsewhere,
    /// The offer was not taken in time.
    Lapsed,
    /// The visitor left.
    Left,
    /// The brake for everybody.
    Stopped,
    /// Nothing is left.
    Soldout,
    /// The sale is over.
    Closed,
    /// Too many requests, and no queue (mode `rate`).
    Busy,
    /// The cookie does not come back.
    Cookie,
    /// The objects cannot be asked.
    Error,
}

/// How a page feels: which colours it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Wait, all is well.
    Calm,
    /// It is the visitor's turn.
    Turn,
    /// Something is not as hoped.
    Quiet,
}

impl Scene {
    /// Takes the decision.
    pub fn of(view: &PageView) -> Scene {
        if view.cookie_missing {
            return Scene::Cookie;
        }
        let state = view.place.as_ref().map(|place| place.state);
        if state == Some(VisitorState::Elsewhere) {
            return Scene::Elsewhere;
        }
        if view.stop {
            return Scene::Stopped;
        }
        if view.mode == Mode::Closed {
            return Scene::Closed;
        }
        if state == Some(VisitorState::Admitted) {
            return match view.check {
                Some(_) => Scene::Recheck,
                None => Scene::Admitted,
            };
        }
        match view.phase {
            _ if view.unavailable && state.is_some() => return Scene::Error,
            Phase::Soldout => return Scene::Soldout,
            Phase::Closed => return Scene::Closed,
            _ => {}
        }
        match state {
            None if view.mode == Mode::Rate => Scene::Busy,
            None if view.phase == Phase::Before => Scene::Before,
            None => Scene::Join,
            Some(state) => Scene::of_place(state, view.phase),
        }
    }

    fn of_place(state: VisitorState, phase: Phase) -> Scene {
        match state {
            VisitorState::Ended => Scene::Ended,
            VisitorState::Lapsed => Scene::Lapsed,
            VisitorState::Left => Scene::Left,
            VisitorState::Admitted => Scene::Admitted,
            VisitorState::Elsewhere => Scene::Elsewhere,
            VisitorState::Provisional => Scene::Provisional,
            VisitorState::Waiting | VisitorState::Called | VisitorState::Pending
                if phase == Phase::Paused =>
            {
                Scene::Paused
            }
            VisitorState::Called => Scene::Called,
            VisitorState::Pending => Scene::Pending,
            VisitorState::Waiting => match phase {
                Phase::Before | Phase::Prequeue => Scene::Prequeue,
                Phase::Drawing => Scene::Drawing,
                _ => Scene::Waiting,
            },
        }
    }

    /// Its name in `data-scene`.
    pub const fn name(self) -> &'static str {
        match self {
            Scene::Before => "before",
            Scene::Join => "join",
            Scene::Provisional => "provisional",
            Scene::Prequeue => "prequeue",
            Scene::Drawing => "drawing",
            Scene::Waiting => "waiting",
            Scene::Paused => "paused",
            Scene::Called => "called",
            Scene::Pending => "pending",
            Scene::Admitted => "admitted",
            Scene::Recheck => "recheck",
            Scene::Ended => "ended",
            Scene::Elsewhere => "elsewhere",
            Scene::Lapsed => "lapsed",
            Scene::Left => "left",
            Scene::Stopped => "stopped",
            Scene::Soldout => "soldout",
            Scene::Closed => "closed",
            Scene::Busy => "busy",
            Scene::Cookie => "cookie",
            Scene::Error => "error",
        }
    }

    /// How it feels.
    pub const fn tone(self) -> Tone {
        match self {
            Scene::Called | Scene::Admitted => Tone::Turn,
            Scene::Ended
            | Scene::Elsewhere
            | Scene::Lapsed
            | Scene::Left
            | Scene::Stopped
            | Scene::Soldout
            | Scene::Closed
            | Scene::Cookie
            | Scene::Error => Tone::Quiet,
            _ => Tone::Calm,
        }
    }

    /// Whether the visitor has a place that can be given up here.
    pub const fn can_leave(self) -> bool {
        matches!(
            self,
            Scene::Provisional
                | Scene::Prequeue
                | Scene::Drawing
                | Scene::Waiting
                | Scene::Paused
                | Scene::Called
                | Scene::Pending
        )
    }

    /// Whether the visitor has a place that may be changed for one in another line.
    pub const fn can_switch(self) -> bool {
        matches!(
            self,
            Scene::Provisional | Scene::Prequeue | Scene::Drawing | Scene::Waiting | Scene::Paused
        )
    }

    /// Whether the visitor has no place, and may have one now or soon.
    pub const fn can_join(self) -> bool {
        matches!(
            self,
            Scene::Before | Scene::Join | Scene::Ended | Scene::Lapsed | Scene::Left
        )
    }

    /// Whether the organizer's words to who arrives stand here.
    pub const fn greets(self) -> bool {
        matches!(self, Scene::Before | Scene::Join | Scene::Prequeue)
    }

    /// Whether time runs towards an opening.
    pub const fn counts_down(self) -> bool {
        matches!(self, Scene::Before | Scene::Prequeue)
    }

    /// Whether nothing more happens here.
    pub const fn is_over(self) -> bool {
        matches!(self, Scene::Soldout | Scene::Closed)
    }

    /// Whether the page without script looks again by itself.
    pub const fn refreshes(self) -> bool {
        !matches!(
            self,
            Scene::Ended | Scene::Elsewhere | Scene::Lapsed | Scene::Left | Scene::Cookie
        )
    }
}

impl Tone {
    /// Its name in `data-tone`.
    pub const fn name(self) -> &'static str {
        match self {
            Tone::Calm => "calm",
            Tone::Turn => "turn",
            Tone::Quiet => "quiet",
        }
    }
}
