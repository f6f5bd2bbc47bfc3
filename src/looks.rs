//! What a page shows of an event's configuration and face, in a visitor's language: its title, its
//! lines, its look. The face's own words come before the configuration's, and those before ids.

use anteroom_config::Access;
use anteroom_config::face::Texts;
use anteroom_queue::board::{Board, Phase};

use crate::deployment::Room;
use crate::page::locale::Language;
use crate::page::view::{Line, Look};

fn texts(room: Room, language: Language) -> Option<&'static Texts> {
    room.face?.texts(language.tag())
}

/// What the event is called.
pub fn title(room: Room, language: Language) -> String {
    let own = texts(room, language).and_then(|texts| texts.title.as_ref());
    own.unwrap_or(&room.event.title).clone()
}

/// The event's lines, where there is anything to say about them: more than one, or one that takes
/// a code.
pub fn lines(room: Room, board: Option<&Board>, language: Language) -> Vec<Line> {
    let lines = &room.event.lines;
    if lines.len() == 1 && lines[0].access == Access::Everyone {
        return Vec::new();
    }
    let texts = texts(room, language);
    let configured = room.event.settings.lines.iter();
    lines
        .iter()
        .zip(configured)
        .enumerate()
        .map(|(at, (line, settings))| {
            let on_board = board.and_then(|board| board.lines.get(at));
            let own = texts.and_then(|texts| texts.line(&line.id));
            Line {
                id: line.id.clone(),
                title: own.or(line.title.as_deref()).unwrap_or(&line.id).to_owned(),
                coded: line.access != Access::Everyone,
                phase: on_board.map_or(Phase::Open, |line| line.phase),
                opens_at: match on_board {
                    Some(line) => line.opens_at,
                    None => settings.opens_at,
                },
            }
        })
        .collect()
}

/// How the event looks.
pub fn look(room: Room, language: Language) -> Look {
    let Some(face) = room.face else {
        return Look::default();
    };
    let links = face.links.clone();
    Look {
        logo: face.logo.is_some(),
        accent: face.colours.map(|colours| colours.day.colour.to_string()),
        accent_dark: face.colours.map(|colours| colours.night.colour.to_string()),
        intro: texts(room, language).and_then(|texts| texts.intro.clone()),
        organizer: links.organizer,
        help: links.help,
        privacy: links.privacy,
        accessibility: links.accessibility,
    }
}
