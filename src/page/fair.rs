//! What the page tells of a draw, so that nobody has to take it on trust: who is in it, what it is
//! made of, what it gave, and where it can be checked.

use super::scene::Scene;
use super::slots::{Phrase, Writer};
use super::view::{Beacon, Draw};

/// How many are in the draw, while nobody has a number yet.
pub fn entrants(writer: &Writer<'_>) -> Option<String> {
    let draw = writer.view.draw.filter(|_| is_before(writer.scene))?;
    Some(writer.words.plural("entrants", draw.entrants, &[]))
}

/// The phase of the draw itself: what happens, and for how long at most.
pub fn drawing(writer: &Writer<'_>) -> Vec<Phrase> {
    let mut lead = vec![writer.plain("drawing.lead")];
    if let Some(draw) = writer.view.draw {
        let minutes = draw.at_most.0.div_ceil(60_000);
        lead.push(Phrase {
            before: writer.words.plural("drawing.most", minutes, &[]),
            ..Phrase::default()
        });
    }
    lead
}

/// What stands about the draw, paragraph by paragraph; `None`: nothing.
pub fn of(writer: &Writer<'_>) -> Option<Vec<String>> {
    let view = writer.view;
    let draw = view.draw?;
    let keys = match writer.scene {
        // A rank before the order is out: behind everybody who is in the draw.
        Scene::Drawing if view.ahead().is_some() => vec!["draw.later", by(draw)],
        scene if is_before(scene) => vec![by(draw)],
        Scene::Waiting | Scene::Paused if draw.drawn => {
            let place = view.place.as_ref()?;
            let entry = place.entry?.0;
            let gave = match place.missed_draw {
                true => "draw.missed",
                false if entry < draw.entrants => "draw.yours",
                false => "draw.later",
            };
            vec![gave, by(draw)]
        }
        _ => return None,
    };
    let said = keys.into_iter().map(|key| writer.words.text(key, &[]));
    Some(said.collect())
}

/// What keeps anybody from having chosen the outcome, or that nothing does.
fn by(draw: Draw) -> &'static str {
    match draw.beacon {
        Beacon::None => "draw.alone",
        Beacon::Expected => "draw.beacon",
        Beacon::Here => "draw.beacon.here",
        Beacon::Absent => "draw.absent",
    }
}

fn is_before(scene: Scene) -> bool {
    matches!(scene, Scene::Prequeue | Scene::Drawing)
}
