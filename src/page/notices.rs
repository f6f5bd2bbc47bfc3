//! What is out of the ordinary: a pause, a stop, a moved opening, and tickets that will hardly do.

use super::scene::Scene;
use super::slots::{Phrase, Writer};

/// The paragraphs of the notice; none: there is nothing to say.
pub fn notice(writer: &Writer<'_>) -> Vec<Phrase> {
    match writer.scene {
        Scene::Before | Scene::Prequeue => moved(writer),
        Scene::Join => [moved(writer), pause(writer)].concat(),
        Scene::Paused | Scene::Stopped => pause(writer),
        _ => Vec::new(),
    }
}

/// The operator's words, and when there is more news, as long as that lies ahead. What the room paused by itself has a
/// page of its own, and nobody promised news.
fn pause(writer: &Writer<'_>) -> Vec<Phrase> {
    let Some(pause) = writer.view.pause.as_ref() else {
        return Vec::new();
    };
    if pause.is_for_origin() {
        let joins = writer.scene == Scene::Join;
        return joins
            .then(|| writer.plain("origin.join"))
            .into_iter()
            .collect();
    }
    let update = pause.next_update_at.filter(|at| *at > writer.view.now);
    let update = update.map(|at| writer.timed(writer.words.text("paused.update", &[]), at));
    written(&pause.reason).into_iter().chain(update).collect()
}

/// What changed: when it was to be, when it is, and why.
fn moved(writer: &Writer<'_>) -> Vec<Phrase> {
    let view = writer.view;
    let (Some(moved), Some(opens_at)) = (view.moved.as_ref(), view.opens_at) else {
        return Vec::new();
    };
    let timed = |key, at| writer.timed(writer.words.text(key, &[]), at);
    [
        Some(timed("moved.to", opens_at)),
        Some(timed("moved.from", moved.from)),
        written(&moved.reason),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn written(reason: &str) -> Option<Phrase> {
    (!reason.is_empty()).then(|| Phrase {
        before: reason.to_owned(),
        ..Phrase::default()
    })
}

/// People far back are told honestly; nobody else is alarmed.
pub fn chances(writer: &Writer<'_>) -> Option<String> {
    let shown = matches!(writer.scene, Scene::Waiting | Scene::Paused);
    let left = writer
        .view
        .stock_left
        .filter(|_| shown && writer.view.is_far_back())?;
    Some(writer.words.plural("chances", left, &[]))
}
