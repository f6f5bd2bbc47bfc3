//! The queue page: what a visitor without a pass gets at the sale's own address.
//!
//! It is a document first. [`render`] writes a complete page for the visitor's state, which works
//! without script: forms join, enter and leave, a link checks, a refresh keeps it current. The
//! script in the same response then takes it over and improves it. Styles, script and words are
//! part of the response, so that a page is one request, and it may be sent with a policy that
//! allows nothing but its own nonce ([`policy`]).
//!
//! - `view`: everything that is shown, filled in by the edge.
//! - `scene`: which page it is.
//! - `slots`: what stands where on it; `fair` tells of the draw, `choice` of lines and codes,
//!   `notices` of what is out of the ordinary; `wait` and `time` word durations and instants.
//! - `look`: the event's own colours.
//! - `refused`: how a form's answer says that a code does not do.
//! - `of_board`: what is told of a draw, and which line concerns whom.
//! - `locale`: the languages and their words.
//! - `room`: what the script starts from.
//!
//! Nothing here reads a clock or knows about Workers.

mod choice;
mod fair;
pub mod locale;
pub(crate) mod look;
mod notices;
pub mod of_board;
pub mod refused;
pub mod room;
pub mod scene;
mod slots;
pub(crate) mod time;
pub mod view;
mod wait;

use std::sync::OnceLock;

use askama::Template;

use locale::{Language, Words};
use scene::Scene;
use slots::Slots;
use view::{Beacon, Look, PageView, REFRESH_OFF};

/// Styles and script, made from `static` by `build.rs`.
const CSS: &str = include_str!(concat!(env!("OUT_DIR"), "/page.css"));
const JS: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js"));

/// The page as HTML.
pub fn render(view: &PageView) -> String {
    let scene = Scene::of(view);
    let page = Page::of(view, scene);
    let mut html = String::with_capacity(CSS.len() + JS.len() + MOST_OF_THE_REST);
    page.render_into(&mut html)
        .expect("writing into a string does not fail");
    html
}

/// What most pages hold beside styles and script, in bytes: a page that grows while it is written is moved each time.
const MOST_OF_THE_REST: usize = 32 * 1_024;

/// The Content-Security-Policy of a page with `nonce`. `frame_ancestors` are the sites that may
/// show the page in a frame, as the header writes them; `None`: nobody. `third_party` is whose script and frame the page
/// shows as its widget; `None`: nobody's.
pub fn policy(nonce: &str, frame_ancestors: Option<&str>, third_party: Option<&str>) -> String {
    let frame_ancestors = frame_ancestors.unwrap_or("'none'");
    let (script, frame) = match third_party {
        Some(origin) => (format!(" {origin}"), format!("frame-src {origin}; ")),
        None => Default::default(),
    };
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}'{script}; {frame}style-src 'nonce-{nonce}'; \
         connect-src 'self'; img-src 'self' data:; form-action 'self'; worker-src 'self'; base-uri 'none'; \
         frame-ancestors {frame_ancestors}"
    )
}

/// The words that are the same in every scene.
struct Fixed {
    room: String,
    progress: String,
    countdown: String,
    calling: String,
    mine: String,
    wait: String,
    message: String,
    new_run: String,
    undelivered_title: String,
    undelivered_text: String,
    offline_title: String,
    offline_text: String,
    extras: String,
    extras_sound: String,
    extras_notify: String,
    extras_awake: String,
    extras_note: String,
    do_tab: String,
    do_copy: String,
    do_retry: String,
    check: String,
    switch: String,
    live: String,
    leave: String,
    leave_question: String,
    leave_yes: String,
    leave_no: String,
    calendar: String,
    draw_check: String,
    choose: String,
    coded: String,
    coded_lines: String,
    coded_label: String,
    coded_keep: String,
    do_code: String,
    do_defer: String,
    handover: String,
    handover_lead: String,
    handover_picture: String,
    do_organizer: String,
    help: String,
    privacy: String,
    accessibility: String,
    widget: String,
}

impl Fixed {
    /// Those of a language, put together at the first use.
    fn of_language(language: Language, refresh_off: bool) -> &'static Fixed {
        static MADE: [[OnceLock<Fixed>; 2]; Language::ALL.len()] =
            [const { [const { OnceLock::new() }; 2] }; Language::ALL.len()];
        MADE[language as usize][usize::from(refresh_off)]
            .get_or_init(|| Fixed::of(language.words(), refresh_off))
    }

    fn of(words: &Words, refresh_off: bool) -> Fixed {
        let say = |key| words.text(key, &[]);
        let switch = if refresh_off { "on" } else { "off" };
        Fixed {
            room: say("room"),
            progress: say("progress"),
            countdown: say("countdown"),
            calling: say("calling"),
            mine: say("mine"),
            wait: say("wait"),
            message: say("message"),
            new_run: say("server.run"),
            undelivered_title: say("undelivered.title"),
            undelivered_text: say("undelivered.text"),
            offline_title: say("offline.title"),
            offline_text: say("offline.text"),
            extras: say("extras"),
            extras_sound: say("extras.sound"),
            extras_notify: say("extras.notify"),
            extras_awake: say("extras.awake"),
            extras_note: say("extras.note"),
            do_tab: say("do.tab"),
            do_copy: say("do.copy"),
            do_retry: say("do.retry"),
            check: say("server.check"),
            switch: say(&format!("server.refresh.{switch}")),
            live: say("live"),
            leave: say("leave"),
            leave_question: say("leave.question"),
            leave_yes: say("leave.yes"),
            leave_no: say("leave.no"),
            calendar: say("server.calendar"),
            draw_check: say("server.draw.check"),
            choose: say("server.line.choose"),
            coded: say("server.coded"),
            coded_lines: say("server.coded.lines"),
            coded_label: say("server.coded.label"),
            coded_keep: say("server.coded.keep"),
            do_code: say("server.do.code"),
            do_defer: say("server.do.defer"),
            handover: say("server.handover"),
            handover_lead: say("server.handover.lead"),
            handover_picture: say("server.handover.picture"),
            do_organizer: say("server.do.organizer"),
            help: say("server.help"),
            privacy: say("server.privacy"),
            accessibility: say("server.accessibility"),
            widget: say("server.widget"),
        }
    }
}

#[derive(Template)]
#[template(path = "queue.html")]
struct Page<'a> {
    lang: &'static str,
    dir: &'static str,
    scene: &'static str,
    tone: &'static str,
    title: &'a str,
    nonce: &'a str,
    css: &'static str,
    js: &'static str,
    words: &'static Fixed,
    /// Whether the page without script looks again by itself, now.
    refreshes: bool,
    /// Whether it could.
    refreshable: bool,
    /// This page's address, keeping the visitor's choice about the refresh.
    here: String,
    /// This page's address with the other choice.
    switch: String,
    undelivered: bool,
    new_run: bool,
    number: String,
    caption: String,
    /// How much room the number needs: from `xl` to `xs`.
    size: &'static str,
    calling: String,
    mine: String,
    permit: Option<&'a str>,
    check: Option<&'a str>,
    /// The event uses the third party's widget.
    widget: bool,
    line: Option<&'a str>,
    queue: String,
    logo: String,
    keeps_place: bool,
    /// The draw went on without its beacon.
    absent: bool,
    look: &'a Look,
    colours: String,
    message: Option<&'a str>,
    can_leave: bool,
    room: String,
    /// What a link says that leads away from this page: in a frame, other pages are not shown.
    outside: &'static str,
    slots: Slots,
}

/// Opens a link in a tab of its own.
const IN_A_TAB: &str = " target=\"_blank\" rel=\"noopener\"";

impl Page<'_> {
    fn of(view: &PageView, scene: Scene) -> Page<'_> {
        let slots = Slots::of(view, scene);
        let (number, caption) = slots.count.clone().unwrap_or_default();
        let (mine, calling) = slots.facts.clone().unwrap_or_default();
        let refreshed = view.return_to.clone();
        let still = with_refresh_off(&view.return_to);
        let (here, switch) = match view.refresh_off {
            true => (still, refreshed),
            false => (refreshed, still),
        };
        Page {
            lang: view.language.tag(),
            dir: view.language.direction(),
            scene: scene.name(),
            tone: scene.tone().name(),
            title: &view.title,
            nonce: &view.nonce,
            css: CSS,
            js: JS,
            words: Fixed::of_language(view.language, view.refresh_off),
            refreshes: scene.refreshes() && !view.refresh_off,
            refreshable: scene.refreshes(),
            here,
            switch,
            undelivered: view.undelivered,
            new_run: view.new_run,
            size: size_of(&number),
            number,
            caption,
            calling,
            mine,
            permit: view.permit.as_deref(),
            check: view.check.as_deref(),
            widget: view.widget.is_some(),
            line: hidden_line(view, scene),
            queue: format!("{}/queues/{}", view.prefix, view.event),
            logo: format!("{}/events/{}/logo", view.prefix, view.event),
            keeps_place: slots.coded.as_ref().is_some_and(|coded| coded.keeps_place),
            absent: view.draw.is_some_and(|draw| draw.beacon == Beacon::Absent),
            look: &view.face,
            colours: look::css(&view.face),
            message: view
                .message
                .as_deref()
                .filter(|message| !message.is_empty()),
            can_leave: scene.can_leave(),
            room: room::json(view),
            outside: if view.framed { IN_A_TAB } else { "" },
            slots,
        }
    }
}

/// The line that the form joins, where there is no choice to make: who joins again joins the same.
fn hidden_line(view: &PageView, scene: Scene) -> Option<&str> {
    let chooses = scene == Scene::Join && view.lines.iter().filter(|line| !line.coded).count() > 1;
    let line = choice::default_line(view).filter(|_| view.lines.len() > 1 && !chooses)?;
    Some(&line.id)
}

/// How much room a written number needs; `sizeOf` in `static/js/number.js` says the same.
fn size_of(number: &str) -> &'static str {
    match number.chars().count() {
        0..=3 => "xl",
        4..=5 => "l",
        6 => "m",
        7 => "s",
        _ => "xs",
    }
}

/// `path_and_query` with the refresh turned off.
fn with_refresh_off(path_and_query: &str) -> String {
    let joint = if path_and_query.contains('?') {
        '&'
    } else {
        '?'
    };
    format!("{path_and_query}{joint}{REFRESH_OFF}")
}

#[cfg(test)]
#[path = "page/render_tests.rs"]
mod tests;
