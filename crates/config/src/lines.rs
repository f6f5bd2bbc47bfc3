//! The lines of an event: who may join each, what share of the admissions it gets, when it opens.

use anteroom_queue::settings::LineSettings;

use crate::event::{Access, EventLine};
use crate::fields::Fields;
use crate::keys;
use crate::schedule::Schedule;
use crate::texts;

const ACCESS_FORM: &str = "\"everyone\", \"code\" or \"enqueue_token\"";

/// Reads `lines`: what the edge and what the core needs to know of each, in the same order. An
/// event that names none has one for everyone.
pub fn read(fields: &mut Fields<'_>, schedule: &Schedule) -> (Vec<EventLine>, Vec<LineSettings>) {
    let mut taken: Vec<String> = Vec::new();
    let read = |line: &mut Fields<'_>| read_line(line, schedule, &mut taken);
    match fields.tables("lines", keys::MOST_LINES, keys::LINE_KEYS, read) {
        Some(lines) => lines.into_iter().flatten().unzip(),
        None => {
            let general = EventLine {
                id: keys::GENERAL_LINE.to_owned(),
                title: None,
                access: Access::Everyone,
            };
            let settings = LineSettings {
                id: general.id.clone(),
                weight: 1,
                opens_at: schedule.opens_at,
            };
            (vec![general], vec![settings])
        }
    }
}

/// `None` only when its name is missing or refused, which is then among the problems.
fn read_line(
    fields: &mut Fields<'_>,
    schedule: &Schedule,
    taken: &mut Vec<String>,
) -> Option<(EventLine, LineSettings)> {
    let form = format!(
        "lower-case letters, digits and inner hyphens, at most {} bytes",
        keys::MAX_ID_BYTES
    );
    let id = fields.required_text("id", &form, texts::id);
    if id.as_ref().is_some_and(|id| taken.contains(id)) {
        fields.refuse("id", "each line's id once");
    }
    taken.extend(id.clone());
    let title = fields.line("title", keys::MAX_LINE_TITLE_CHARS);
    let weight = fields.whole_or_default(keys::LINE_WEIGHT);
    let access = fields
        .text("access", ACCESS_FORM, access)
        .unwrap_or(Access::Everyone);
    let opens_at = schedule.line_opening(fields);
    let id = id?;
    let settings = LineSettings {
        id: id.clone(),
        weight,
        opens_at,
    };
    Some((EventLine { id, title, access }, settings))
}

fn access(text: &str) -> Option<Access> {
    [Access::Everyone, Access::Code, Access::EnqueueToken]
        .into_iter()
        .find(|access| access.name() == text)
}
