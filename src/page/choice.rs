//! Which line to join: a choice among those for everyone, a field for a code or an invitation, and
//! what the page's one button does. With a single line nothing of it is shown.

use super::scene::Scene;
use super::slots::{Phrase, Writer};
use super::view::{Line, PageView, RefusedCode, WhyRefused};

/// The button of a scene: where its form goes and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The address of the form.
    pub address: String,
    /// The button's text.
    pub label: String,
    /// It is the one thing to do now.
    pub urgent: bool,
}

/// A line to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its id: what the form sends.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its own opening, where that lies ahead and differs.
    pub opens: Option<Phrase>,
    /// It is the one that is joined unless another is chosen.
    pub chosen: bool,
}

/// The way in for who brings a code or an invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    /// The lines that take one.
    pub lines: Vec<Choice>,
    /// Why what was sent does not do.
    pub refusal: Option<String>,
    /// What was typed.
    pub typed: String,
    /// It is shown at once: there is no other way, or something was refused.
    pub open: bool,
    /// The visitor has a place, which stays until the new one is there.
    pub keeps_place: bool,
}

/// The line that the button joins, and that the script joins by itself: the visitor's own, or the
/// first for everyone; none: it takes a code.
pub fn default_line(view: &PageView) -> Option<&Line> {
    let everyone = || view.lines.iter().filter(|line| !line.coded);
    let own = everyone().find(|line| Some(&line.id) == view.line.as_ref());
    own.or_else(|| everyone().find(|line| line.takes_joins()))
        .or_else(|| everyone().next())
}

/// Whether there is a line for everyone.
pub fn can_choose(writer: &Writer<'_>) -> bool {
    writer.view.lines.is_empty() || default_line(writer.view).is_some()
}

/// What the page's one button does.
pub fn action(writer: &Writer<'_>) -> Option<Action> {
    let view = writer.view;
    let tickets = format!("{}/queues/{}/tickets", view.prefix, view.event);
    let joins = matches!(
        writer.scene,
        Scene::Join | Scene::Ended | Scene::Lapsed | Scene::Left
    );
    if joins && !can_choose(writer) {
        return None;
    }
    let (address, key) = match writer.scene {
        Scene::Join => (tickets, "do.join"),
        Scene::Ended | Scene::Lapsed | Scene::Left => (tickets, "do.rejoin"),
        // A claim that is to be checked is made again by the form.
        Scene::Pending if view.check.is_some() => (format!("{tickets}/me/pass"), "do.enter"),
        Scene::Called | Scene::Admitted | Scene::Recheck => {
            (format!("{tickets}/me/pass"), "do.enter")
        }
        Scene::Elsewhere => (format!("{tickets}/me/pass"), "do.continue"),
        _ => return None,
    };
    let urgent = matches!(
        writer.scene,
        Scene::Join | Scene::Called | Scene::Admitted | Scene::Recheck
    );
    Some(Action {
        address,
        label: writer.words.text(key, &[]),
        urgent,
    })
}

/// The lines for everyone, where there is more than one and no place yet.
pub fn of(writer: &Writer<'_>) -> Vec<Choice> {
    let view = writer.view;
    if writer.scene != Scene::Join {
        return Vec::new();
    }
    let everyone: Vec<&Line> = view.lines.iter().filter(|line| !line.coded).collect();
    match everyone.len() {
        0 | 1 => Vec::new(),
        _ => everyone
            .into_iter()
            .map(|line| choice(writer, line))
            .collect(),
    }
}

fn choice(writer: &Writer<'_>, line: &Line) -> Choice {
    let opens_at = line
        .opens_at
        .filter(|at| *at > writer.view.now && writer.view.opens_at != Some(*at));
    Choice {
        id: line.id.clone(),
        title: line.title.clone(),
        opens: opens_at.map(|at| writer.timed(writer.words.text("line.opens", &[]), at)),
        chosen: default_line(writer.view).is_some_and(|chosen| chosen.id == line.id),
    }
}

/// The field for a code, where there is a line that takes one and the visitor is not in such a line.
pub fn coded(writer: &Writer<'_>) -> Option<Coded> {
    let view = writer.view;
    let lines: Vec<&Line> = view
        .lines
        .iter()
        .filter(|line| line.coded && !line.is_over())
        .collect();
    let keeps_place = writer.scene.can_switch();
    let in_one = keeps_place
        && lines
            .iter()
            .any(|line| Some(&line.id) == view.line.as_ref());
    if lines.is_empty() || in_one || !(keeps_place || writer.scene.can_join()) {
        return None;
    }
    Some(Coded {
        refusal: view
            .refused
            .as_ref()
            .map(|refused| refusal(writer, refused)),
        typed: view
            .refused
            .as_ref()
            .map(|refused| refused.typed.clone())
            .unwrap_or_default(),
        open: view.refused.is_some() || !can_choose(writer),
        lines: lines.into_iter().map(|line| choice(writer, line)).collect(),
        keeps_place,
    })
}

fn refusal(writer: &Writer<'_>, refused: &RefusedCode) -> String {
    let key = match refused.why {
        WhyRefused::Wrong => "coded.wrong",
        WhyRefused::Spent => "coded.spent",
        WhyRefused::Invitation => "coded.invitation",
    };
    writer.words.text(key, &[])
}

/// Which line a place is in, where there are several.
pub fn own_line(writer: &Writer<'_>) -> Option<String> {
    let view = writer.view;
    if view.lines.len() < 2 || view.place.is_none() || !(writer.scene.can_leave()) {
        return None;
    }
    let line = view
        .lines
        .iter()
        .find(|line| Some(&line.id) == view.line.as_ref())?;
    // Isolated, so that a title in another direction does not turn the sentence around.
    let title = format!("\u{2068}{}\u{2069}", line.title);
    Some(writer.words.text("line.yours", &[("line", &title)]))
}
