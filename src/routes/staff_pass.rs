//! `POST /_wr/queues/{event}/staff`: an operator makes a link with which somebody of the organizer looks at the shop
//! before the sale. It goes into the event's log before it is handed out.

use anteroom_durable_objects::wire::CoordinatorAsk;
use anteroom_queue::coordinator::command::Action;
use anteroom_queue::units::UnixMillis;
use anteroom_token::{MAX_NAME_BYTES, MAX_STAFF_MINUTES, StaffToken, is_claim_text};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::instants::rfc3339;
use crate::problem::Problem;
use crate::visit::Visit;
use crate::{fields, observed, operators, platform};

/// The link.
pub async fn answer(visit: &Visit, event: &str) -> Result<Answer, Problem> {
    let (room, operator) = operators::check(visit, event, "staff").await?;
    if !room.is_at(&visit.incoming.authority) {
        // The link is made for the host that was asked.
        return Err(Problem::other_host());
    }
    let (name, minutes) = read(fields::read_json(&visit.request, &visit.incoming).await?)?;
    let now = visit.now_seconds();
    let token = StaffToken {
        id: platform::random_128(),
        name,
        issued_at: now,
        expires_at: now + minutes * 60,
    };
    let until = UnixMillis(token.expires_at * 1_000);
    let ask = CoordinatorAsk::Operate {
        action: Action::StaffPass {
            name: token.name.clone(),
            until,
        },
        by: operator.name,
    };
    observed::ask(&visit.env, room.event, ask).await?;
    let link = visit.link(room, "/staff");
    let document = json!({
        "link": format!("{link}#{}", room.tokens.seal_staff(&token)),
        "expires_at": rfc3339(until),
    });
    Ok(Answer::json(201, &document))
}

/// `{name, minutes}`.
fn read(document: Value) -> Result<(String, u64), Problem> {
    let members = match document {
        Value::Object(members) => members,
        _ => {
            return Err(Problem::new(
                400,
                "bad-json",
                "body: allowed is one JSON object",
            ));
        }
    };
    if members
        .keys()
        .any(|key| !["name", "minutes"].contains(&key.as_str()))
    {
        return Err(Problem::new(
            400,
            "bad-field",
            "body: allowed is name, minutes",
        ));
    }
    let name = members.get("name").and_then(Value::as_str);
    let name = name
        .filter(|name| {
            name.len() <= MAX_NAME_BYTES && is_claim_text(name) && !name.trim().is_empty()
        })
        .ok_or_else(|| {
            let allowed = format!("1 to {MAX_NAME_BYTES} bytes of plain ASCII without \" and \\");
            Problem::field("name", &allowed)
        })?;
    let minutes = members.get("minutes").and_then(Value::as_u64);
    let minutes = minutes
        .filter(|minutes| (1..=MAX_STAFF_MINUTES).contains(minutes))
        .ok_or_else(|| Problem::field("minutes", &format!("1 to {MAX_STAFF_MINUTES}")))?;
    Ok((name.to_owned(), minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staff_pass_has_a_name_and_an_end() {
        let read_back = read(json!({"name": "Ann (box office)", "minutes": 240})).unwrap();
        assert_eq!(read_back, ("Ann (box office)".to_owned(), 240));
        for bad in [
            json!([]),
            json!({}),
            json!({"name": "Ann"}),
            json!({"minutes": 5}),
            json!({"name": "", "minutes": 5}),
            json!({"name": " ", "minutes": 5}),
            json!({"name": "Zo\u{eb}", "minutes": 5}),
            json!({"name": "a\"b", "minutes": 5}),
            json!({"name": "a".repeat(65), "minutes": 5}),
            json!({"name": "Ann", "minutes": 0}),
            json!({"name": "Ann", "minutes": 241}),
            json!({"name": "Ann", "minutes": 1.5}),
            json!({"name": "Ann", "minutes": "5"}),
            json!({"name": "Ann", "minutes": 5, "scope": "all"}),
        ] {
            assert_eq!(read(bad.clone()).expect_err(&bad.to_string()).status(), 400);
        }
    }
}
