//! The face of an event: logo, colours, links, and texts in the visitors' languages. A file of its
//! own, `static/events/<id>.json`, because a variable has room for 5 KB only:
//!
//! ```json
//! {
//!   "logo": "world-tour.svg",
//!   "colours": { "accent": "#4a2fa8", "accent_dark": "#b9a8ff" },
//!   "links": { "organizer": "https://…", "help": "https://…", "privacy": "https://…", "accessibility": "https://…" },
//!   "texts": { "en": { "title": "…", "intro": "…", "lines": { "general": "…" } } }
//! }
//! ```
//!
//! Every member may be absent; the page then shows its own. It is checked twice with the same
//! words: when the Worker is built, since it is compiled into it, and with the event's lines when a
//! deployment starts.

mod colours;
mod contrast;
mod logo;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::event::EventLine;
use crate::fields::Fields;
use crate::problem::Problem;
use crate::{host, keys, texts};

pub use colours::{Accent, Colours, DAY_GLOW_PERCENT, NIGHT_GLOW_PERCENT};
pub use contrast::{Colour, LEAST_CONTRAST};
pub use logo::{MAX_LOGO_BYTES, check as check_logo, media_type as logo_media_type};

/// Where faces and logos are.
pub const FOLDER: &str = "static/events";

/// The languages of the page: the files of `static/locales`.
pub const LANGUAGES: &[&str] = &["ar", "de", "en", "es", "fr", "pl"];

/// The largest face, in bytes: all languages at the longest texts, twice over.
pub const MAX_FACE_BYTES: usize = 20_000;

/// The longest introduction, in characters: three sentences above the place.
pub const MAX_INTRO_CHARS: usize = 400;

/// The longest link, in bytes.
pub const MAX_LINK_BYTES: usize = 500;

const KEYS: &[&str] = &["logo", "colours", "links", "texts"];
const LINK_KEYS: &[&str] = &["organizer", "help", "privacy", "accessibility"];
const TEXT_KEYS: &[&str] = &["title", "intro", "lines"];

/// The face of an event, parsed and checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Face {
    /// The name of the logo's file in [`FOLDER`].
    pub logo: Option<String>,
    /// The colours by day and by night.
    pub colours: Option<Colours>,
    /// Where visitors find more.
    pub links: Links,
    texts: BTreeMap<&'static str, Texts>,
}

/// Addresses that begin with `https://`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The organizer's own page.
    pub organizer: Option<String>,
    /// Help with tickets.
    pub help: Option<String>,
    /// The privacy notice.
    pub privacy: Option<String>,
    /// The accessibility statement.
    pub accessibility: Option<String>,
}

/// What a face says in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// What the page calls the event.
    pub title: Option<String>,
    /// A few sentences above the place.
    pub intro: Option<String>,
    lines: BTreeMap<String, String>,
}

impl Texts {
    /// What the page calls a line.
    pub fn line(&self, id: &str) -> Option<&str> {
        self.lines.get(id).map(String::as_str)
    }
}

impl Face {
    /// What it says in a language (`de`), if it says anything.
    pub fn texts(&self, language: &str) -> Option<&Texts> {
        self.texts.get(language)
    }
}

/// Reads the face of the event `id`, whose lines are `lines`.
///
/// # Errors
/// All problems at once, each with the file and the path inside it.
pub fn parse(id: &str, json: &str, lines: &[EventLine]) -> Result<Face, Vec<Problem>> {
    let ids: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
    read(id, json, Some(&ids))
}

/// As [`parse`], when the event's lines are not known: names of lines are checked for their form.
///
/// # Errors
/// All problems at once, each with the file and the path inside it.
pub fn check(id: &str, json: &str) -> Result<Face, Vec<Problem>> {
    read(id, json, None)
}

/// The path of a file beside the faces, as messages name it.
fn file_of(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

fn read(id: &str, json: &str, lines: Option<&[&str]>) -> Result<Face, Vec<Problem>> {
    let file = file_of(&format!("{id}.json"));
    let refuse = |found: String, allowed: String| Err(vec![Problem::new(&file, found, allowed)]);
    if texts::id(id).is_none() {
        return refuse(
            "this name".to_owned(),
            "the event's id with .json".to_owned(),
        );
    }
    if json.len() > MAX_FACE_BYTES {
        let allowed = format!("at most {MAX_FACE_BYTES} bytes");
        return refuse(format!("{} bytes", json.len()), allowed);
    }
    let value: Value = match serde_json::from_str(json) {
        Ok(value) => value,
        Err(error) => return refuse(error.to_string(), "JSON".to_owned()),
    };
    let mut problems = Vec::new();
    let face = Fields::open(String::new(), &value, KEYS, &mut problems)
        .map(|mut fields| read_face(&mut fields, lines));
    match face {
        Some(face) if problems.is_empty() => Ok(face),
        _ => Err(problems
            .into_iter()
            .map(|problem| inside(&file, problem))
            .collect()),
    }
}

/// The problem with the file in front of the path inside it.
fn inside(file: &str, mut problem: Problem) -> Problem {
    problem.path = match problem.path.strip_prefix('.') {
        Some(path) => format!("{file}: {path}"),
        None => file.to_owned(),
    };
    problem
}

fn read_face(fields: &mut Fields<'_>, lines: Option<&[&str]>) -> Face {
    Face {
        logo: fields.text("logo", logo::NAME_FORM, logo::name),
        colours: colours::read(fields),
        links: read_links(fields),
        texts: read_texts(fields, lines),
    }
}

fn read_links(fields: &mut Fields<'_>) -> Links {
    let Some(mut links) = fields.table("links", LINK_KEYS) else {
        return Links::default();
    };
    let form = format!("an address that begins with \"https://\", at most {MAX_LINK_BYTES} bytes");
    let mut read = |key: &str| links.text(key, &form, link);
    Links {
        organizer: read("organizer"),
        help: read("help"),
        privacy: read("privacy"),
        accessibility: read("accessibility"),
    }
}

/// An address of https with nothing in it that would have to be encoded.
fn link(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (name, port) = authority.split_once(':').unwrap_or((authority, "443"));
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    let fits = text.len() <= MAX_LINK_BYTES
        && host::is_name(&name.to_ascii_lowercase())
        && port.parse::<u16>().is_ok_and(|port| port > 0)
        && path.bytes().all(plain);
    fits.then(|| text.to_owned())
}

fn read_texts(fields: &mut Fields<'_>, lines: Option<&[&str]>) -> BTreeMap<&'static str, Texts> {
    let mut by_language = BTreeMap::new();
    let Some(mut table) = fields.table("texts", LANGUAGES) else {
        return by_language;
    };
    for language in LANGUAGES {
        let Some(mut fields) = table.table(language, TEXT_KEYS) else {
            continue;
        };
        let texts = Texts {
            title: fields.line("title", keys::MAX_TITLE_CHARS),
            intro: fields.line("intro", MAX_INTRO_CHARS),
            lines: read_line_titles(&mut fields, lines),
        };
        by_language.insert(*language, texts);
    }
    by_language
}

fn read_line_titles(fields: &mut Fields<'_>, lines: Option<&[&str]>) -> BTreeMap<String, String> {
    let present: Vec<String> = match fields.value("lines") {
        Some(Value::Object(titles)) => titles.keys().cloned().collect(),
        _ => Vec::new(),
    };
    // Without the event any id may be a line's, and no more of them than an event has.
    let named = |id: &&String| texts::id(id).is_some();
    let possible: Vec<&str> = match lines {
        Some(lines) => lines.to_vec(),
        None => present
            .iter()
            .filter(named)
            .take(keys::MOST_LINES)
            .map(String::as_str)
            .collect(),
    };
    let Some(mut titles) = fields.table("lines", &possible) else {
        return BTreeMap::new();
    };
    let mut read = BTreeMap::new();
    for id in &possible {
        if let Some(title) = titles.line(id, keys::MAX_LINE_TITLE_CHARS) {
            read.insert((*id).to_owned(), title);
        }
    }
    read
}
