//! Offers of a place's own: after a claim that was taken back, and after a deferral. Like the
//! hold of everybody, they run only while visitors can enter: what the line stood still is added
//! to each that stood when the brake came. One that is over never comes back.

use super::Shard;
use super::command::VisitorState;
use super::place::{Place, Standing};
use crate::board::Phase;
use crate::units::{Millis, UnixMillis};

impl Shard {
    pub(super) fn reoffer_state(
        &self,
        place: &Place,
        until: UnixMillis,
        now: UnixMillis,
    ) -> (VisitorState, Option<UnixMillis>) {
        if self.settings.hold.0 == 0 {
            return (VisitorState::Called, None);
        }
        if now >= until && !self.braked(usize::from(place.line.0)) {
            (VisitorState::Lapsed, None)
        } else {
            (VisitorState::Called, Some(until))
        }
    }

    /// Whether the line stands still although it was open before.
    fn stands_still(&self, position: usize) -> bool {
        self.board.as_ref().is_some_and(|board| {
            let phase = board.lines[position].phase;
            board.stop || matches!(phase, Phase::Paused | Phase::Soldout | Phase::Closed)
        })
    }

    /// A board has come; the one before was heard at `heard_before`, and `slowed` says whether there
    /// was a brake between the two that this shard has not heard of.
    pub(super) fn follow_brakes(
        &mut self,
        heard_before: UnixMillis,
        slowed: bool,
        now: UnixMillis,
    ) {
        let known = heard_before.0 > 0;
        for position in 0..self.lines.len() {
            let still = self.stands_still(position);
            match (self.lines[position].still_since, still) {
                (None, true) => {
                    self.lines[position].still_since = Some(if known { heard_before } else { now });
                    self.changed.brakes = true;
                }
                (Some(since), false) => {
                    self.lines[position].still_since = None;
                    self.changed.brakes = true;
                    self.lengthen_offers(position, since, now.since(since));
                }
                (None, false) if known && slowed => {
                    self.lengthen_offers(position, heard_before, now.since(heard_before));
                }
                _ => {}
            }
        }
    }

    fn lengthen_offers(&mut self, position: usize, stood_at: UnixMillis, by: Millis) {
        let mut touched = Vec::new();
        for (index, place) in self.places.iter_mut().enumerate() {
            if usize::from(place.line.0) != position {
                continue;
            }
            if let Standing::Reoffered { until } = &mut place.standing
                && *until > stood_at
            {
                *until = until.plus(by);
                touched.push(crate::units::PlaceIndex(index as u32));
            }
        }
        for index in touched {
            self.touch(index);
        }
    }
}
