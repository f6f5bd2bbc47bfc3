//! `GET /_wr/embed.js`: the strip that any page of the host can show, with the place of whoever looks at it.
//!
//! One script for everybody: it is about no visitor, so it may be kept. What it needs to know of the events of this host
//! stands in it: where each one's shop begins. The words, the pace and the drawing are in `static/embed.js`; how often a
//! page asks is the queue page's own `static/js/poll.js`, the colours are those of `static/colours.css`.

use anteroom_config::face::Accent;
use anteroom_config::host;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::deployment::Room;
use crate::visit::Visit;

/// Shops include the script once and for all; a new one of ours reaches everybody within this time.
const MAX_AGE_SECONDS: u32 = 300;

const COLOURS: &str = include_str!("../../static/colours.css");
/// `strip=`, a function of these, made by `build.rs`.
const STRIP: &str = include_str!(concat!(env!("OUT_DIR"), "/strip.js"));

/// The script.
pub fn answer(visit: &Visit) -> Answer {
    let asked = host::normalise(&visit.incoming.authority);
    let here = visit.deployment.all().filter(|room| {
        let hosts = &room.event.hosts;
        hosts.iter().any(|pattern| host::matches(pattern, &asked))
    });
    Answer::text(200, "text/javascript; charset=utf-8", script(here)).with(
        "cache-control",
        format!("public, max-age={MAX_AGE_SECONDS}"),
    )
}

fn script(rooms: impl Iterator<Item = Room>) -> String {
    let front = |room: Room| {
        let colours = room.face.and_then(|face| face.colours);
        let accent = |accent: &Accent| (accent.colour.to_string(), accent.text.to_string());
        let shown = json!({
            "front": room.event.front(),
            "day": colours.map(|colours| accent(&colours.day)),
            "night": colours.map(|colours| accent(&colours.night)),
        });
        (room.event.id.clone(), shown)
    };
    let fronts: Map<String, Value> = rooms.map(front).collect();
    format!(
        "{{let strip;{STRIP}strip({},{})}}\n",
        Value::Object(fronts),
        json!(colours())
    )
}

/// The page's colours for the root of a shadow tree, with as little space as can be.
fn colours() -> String {
    let text = COLOURS.split_once("*/").map_or(COLOURS, |(_, rest)| rest);
    let lines: String = text.lines().map(str::trim).collect();
    lines
        .replace(":root", ":host")
        .replace("[data-tone=\"quiet\"]", ":host([data-tone=\"quiet\"])")
        .replace("[data-tone=\"turn\"]", ":host([data-tone=\"turn\"])")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_are_those_of_a_shadow_tree() {
        let colours = colours();
        assert!(colours.starts_with(":host {--paper"), "{colours}");
        assert!(!colours.contains(":root") && !colours.contains("/*"));
        assert_eq!(colours.matches(":host([data-tone=\"turn\"])").count(), 1);
    }
}
