//! `GET /_wr/queues/{event}/log?after=N`: the event log page by page, one JSON object a line, with the chain that shows
//! that none is missing or altered.

use crate::answer::Answer;
use crate::problem::Problem;
use crate::rooms::RoomError;
use crate::visit::Visit;
use crate::{observed, operators, rooms};

/// Where the next page begins, as `after`; absent on the last one.
const NEXT_HEADER: &str = "waiting-room-log-next";

/// One page.
pub async fn answer(visit: &Visit, event: &str) -> Result<Answer, Problem> {
    let (room, _) = operators::check(visit, event, "log").await?;
    let after = after(&visit.incoming.query)?;
    let page = match rooms::log_lines(&visit.env, room.event, after).await {
        Ok(page) => page,
        Err(RoomError::Refused(_)) => {
            let title = "after: allowed is the number of a line that the log has, or 0";
            return Err(Problem::new(409, "refused", title));
        }
        Err(error) => return Err(observed::of_error(room.event, error)),
    };
    let text: String = page.lines.iter().map(|line| format!("{line}\n")).collect();
    let answer = Answer::text(200, "application/x-ndjson", text);
    Ok(match page.next {
        Some(next) => answer.with(NEXT_HEADER, next.to_string()),
        None => answer,
    })
}

/// No log has more lines: the highest number up to which every reader of JSON knows all of them exactly.
const MAX_LINE_NUMBER: u64 = (1 << 53) - 1;

/// Reads `?after=N`; other parameters are not ours.
fn after(query: &str) -> Result<u64, Problem> {
    let Some(text) = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("after="))
    else {
        return Ok(0);
    };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| text.parse().ok())
        .flatten()
        .filter(|after| *after <= MAX_LINE_NUMBER)
        .ok_or_else(|| {
            let allowed = format!("a whole number, 0 to {MAX_LINE_NUMBER}");
            Problem::field("after", &allowed)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_after_a_line_or_at_the_first() {
        for (query, number) in [("", 0), ("a=1", 0), ("after=0", 0), ("a=1&after=64", 64)] {
            assert_eq!(after(query), Ok(number), "{query}");
        }
        for query in [
            "after=",
            "after=-1",
            "after=1.5",
            "after=x",
            "after=9007199254740992",
            "after=99999999999999999999",
        ] {
            assert_eq!(after(query).map_err(|p| p.status()), Err(400), "{query}");
        }
    }
}
