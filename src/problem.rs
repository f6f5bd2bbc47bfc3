//! Refusals as `application/problem+json` (RFC 9457), and the one mapping from a refusal to a status.
//!
//! A problem names what was wrong and what is allowed. It never repeats what was sent.

use anteroom_config::Event;
use anteroom_queue::shard::command::{PlaceView, Refused};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::place::stand_of_refusal;
use crate::standing::Stand;

/// What the kinds of problems are named under.
const TYPE_BASE: &str = "urn:anteroom:problem:";

const MILLIS_PER_DAY: u64 = 24 * 60 * 60 * 1_000;

/// A refusal on its way to the visitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    status: u16,
    kind: &'static str,
    title: String,
    more: Map<String, Value>,
    headers: Vec<(&'static str, String)>,
}

impl Problem {
    /// A problem of this kind; `kind` is stable and ends its `type`.
    pub fn new(status: u16, kind: &'static str, title: impl Into<String>) -> Self {
        Problem {
            status,
            kind,
            title: title.into(),
            more: Map::new(),
            headers: Vec::new(),
        }
    }

    /// A field of the request that cannot be used, and what is allowed there.
    pub fn field(field: &str, allowed: &str) -> Self {
        Problem::new(400, "bad-field", format!("{field}: allowed is {allowed}"))
            .and("field", json!(field))
    }

    /// What a field says cannot be taken: it has the right form, and means nothing here.
    pub fn unusable(field: &str, allowed: &str) -> Self {
        Problem::new(
            422,
            "unusable-field",
            format!("{field}: allowed is {allowed}"),
        )
        .and("field", json!(field))
    }

    /// No such address.
    pub fn not_found() -> Self {
        Problem::new(404, "not-found", "there is nothing at this address")
    }

    /// No such event, or no operator's leave to know.
    pub fn no_such_event() -> Self {
        Problem::new(404, "no-such-event", "no event of this name is configured")
    }

    /// Another method is needed.
    pub fn method(allowed: &str) -> Self {
        Problem::new(405, "method", format!("allowed here: {allowed}")).with("allow", allowed)
    }

    /// A token is missing or is refused; `why` is a refusal's code.
    pub fn unauthorized(what: &str, why: &str) -> Self {
        Problem::new(401, "unauthorized", format!("{what}: {why}"))
            .with("www-authenticate", "Bearer realm=\"anteroom\"")
    }

    /// A Durable Object that must be asked cannot be reached. Where the visitor stands meanwhile is not said here: the
    /// entry adds it.
    pub fn away(retry_after_ms: u64) -> Self {
        Problem::new(
            503,
            "away",
            "this part of the waiting room cannot be reached right now; every place is kept",
        )
        .retry(retry_after_ms)
    }

    /// The event is not on the host that was asked.
    pub fn other_host() -> Self {
        Problem::new(421, "host", "the event is not on this host")
    }

    /// With a further member of the document.
    pub fn and(mut self, member: &str, value: Value) -> Self {
        self.more.insert(member.to_owned(), value);
        self
    }

    /// With a header.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(present, _)| *present != name);
        self.headers.push((name, value.into()));
        self
    }

    /// With the time after which to try again, as header and member.
    pub fn retry(self, after_ms: u64) -> Self {
        let seconds = after_ms.div_ceil(1_000).max(1).to_string();
        self.with("retry-after", seconds)
            .and("retry_after_ms", json!(after_ms))
    }

    /// The kind, for tests and the log.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The field that it is about, if it names one.
    pub fn named_field(&self) -> Option<&str> {
        self.more.get("field")?.as_str()
    }

    /// Whether it hands out a permit that leads on.
    pub fn brings_permit(&self) -> bool {
        self.more.contains_key("permit")
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.status
    }
}

impl From<Problem> for Answer {
    fn from(problem: Problem) -> Answer {
        let mut document = Map::new();
        document.insert(
            "type".to_owned(),
            json!(format!("{TYPE_BASE}{}", problem.kind)),
        );
        document.insert("title".to_owned(), json!(problem.title));
        document.insert("status".to_owned(), json!(problem.status));
        document.extend(problem.more);
        let text = Value::Object(document).to_string();
        let answer = Answer::text(problem.status, "application/problem+json", text);
        problem
            .headers
            .into_iter()
            .fold(answer, |answer, (name, value)| answer.with(name, value))
    }
}

/// What a shard's refusal means over HTTP, and the state that goes with it.
pub fn of_refusal(why: Refused, stand: Stand) -> Problem {
    let (status, kind, title) = match why {
        Refused::NotYet => (409, "not-yet", "joins are not taken yet"),
        Refused::SoldOut => (409, "soldout", "everything is sold"),
        Refused::Closed => (409, "closed", "the sale is over"),
        Refused::PermitExpired => (
            410,
            "permit-expired",
            "the permit expired before it made a place; ask for a new one",
        ),
        Refused::Unknown => (
            404,
            "no-such-place",
            "this place does not exist in the present run",
        ),
        Refused::NoSuchLine => (400, "no-such-line", "line: allowed is a line of this queue"),
        Refused::NotCalled => (409, "not-called", "it is not this visitor's turn yet"),
        Refused::Lapsed => (409, "lapsed", "the offer was not taken in time"),
        Refused::Left => (409, "left", "the visitor left this place"),
        Refused::Ended => (409, "ended", "the session is over"),
        Refused::Elsewhere => (409, "elsewhere", "the visitor continued in another browser"),
        Refused::Full => (
            503,
            "full",
            "this part of the waiting room is full; join with the new permit",
        ),
        Refused::NoRoom => (503, "no-room", "there is no room right now"),
        Refused::AlreadyDeferred => (
            409,
            "already-deferred",
            "the offer was made to stand longer before; that is possible once",
        ),
        Refused::CodeSpent => (409, "code-spent", "this code is used up"),
        Refused::HandoverUnknown => (
            404,
            "handover-unknown",
            "code: no place can be taken up with it; codes hold for ten minutes, and only the last one of a place",
        ),
        Refused::HandoverTaken => (
            409,
            "handover-taken",
            "another browser has taken the place up with this code",
        ),
        Refused::TooManyHandovers => (
            429,
            "too-many-handovers",
            "too many codes were made for this place; the last one still holds",
        ),
    };
    let problem = Problem::new(status, kind, title);
    match stand {
        // The home said nothing of the visitor: what is known besides is told on the way out.
        Stand::None => problem,
        stand => problem
            .and("state", json!(stand.name()))
            .with("waiting-room-state", stand.name()),
    }
}

/// As [`of_refusal`], with the state of the place that the home told about, if it did.
pub fn of_refused_place(why: Refused, place: Option<PlaceView>) -> Problem {
    let stand = place.map_or(stand_of_refusal(why), |place| place.state.into());
    of_refusal(why, stand)
}

/// What an operator hears of a run that is over and deleted.
pub fn deleted(event: &Event) -> Problem {
    let days = event.settings.keep.0 / MILLIS_PER_DAY;
    let title = format!(
        "run {} is over, and was deleted {days} days after its end; a new run takes joins again",
        event.run
    );
    Problem::new(410, "run-deleted", title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Body;

    /// A list, and a match of the same names: a new refusal does not compile before it is listed.
    macro_rules! every {
        ($($name:ident)*) => {{
            const fn _is_listed(why: Refused) {
                match why { $(Refused::$name => (),)* }
            }
            &[$(Refused::$name),*]
        }};
    }
    const EVERY_REFUSAL: &[Refused] = every![
        NotYet SoldOut Closed PermitExpired Unknown NoSuchLine NotCalled Lapsed Left Ended Elsewhere Full NoRoom
        AlreadyDeferred CodeSpent HandoverUnknown HandoverTaken TooManyHandovers
    ];

    #[test]
    fn a_problem_says_what_is_allowed_and_when_to_come_back() {
        let answer = Answer::from(Problem::away(2_500));
        assert_eq!(answer.status, 503);
        assert_eq!(answer.header("retry-after"), Some("3"));
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json")
        );
        let Body::Text(text) = answer.body else {
            panic!("a problem has a text")
        };
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["retry_after_ms"], 2_500);
        assert_eq!(document["status"], 503);
    }

    #[test]
    fn every_refusal_of_a_shard_is_a_4xx_or_the_rooms_own_503() {
        for why in EVERY_REFUSAL {
            let answer = Answer::from(of_refusal(*why, Stand::Waiting));
            assert!(matches!(answer.status, 400..=499 | 503), "{why:?}");
            assert_eq!(
                answer.header("waiting-room-state"),
                Some("waiting"),
                "{why:?}"
            );
        }
    }
}
