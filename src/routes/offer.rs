//! `POST /_wr/queues/{event}/tickets/me/handover`: a code, a link and a picture of it, with which another browser or phone
//! takes this place up. The code stands behind `#` in the link, so it reaches no server before somebody presses the button
//! there. A form is answered by a page that shows the same, or says why there is no code.

use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{KeyHash, Nonce, PlaceIndex, ShardIndex, UnixMillis};
use anteroom_token::HandoverCode;
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;

use crate::answer::Answer;
use crate::deployment::Room;
use crate::instants::rfc3339;
use crate::local_path::LocalPath;
use crate::page::time::{ShownTime, shown};
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::routes::{handover, leave, sheet};
use crate::sheets::offer::{Offered, render};
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{fields, platform, rooms, way_back, zones};

/// Light modules around a QR code, which readers need (ISO/IEC 18004).
const QUIET_ZONE: i32 = 4;
/// A place that has made too many codes may make another one after this long at the latest.
const RETRY_MS: u64 = 60_000;

/// What was made for a place.
struct Made {
    code: HandoverCode,
    link: String,
    picture: String,
    until: UnixMillis,
}

/// The code.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    let visitor = visit.acting_visitor(room)?;
    let fields = fields::read(&visit.request, &visit.incoming, &["return"]).await?;
    let made = make(visit, room, &visitor).await;
    if fields.is_form {
        let back = way_back::read(visit, room, fields.text("return"));
        return Ok(page(visit, room, made, &back));
    }
    let made = made?;
    let document = json!({
        "code": made.code.to_string(),
        "qr": made.picture,
        "link": made.link,
        "expires_at": rfc3339(made.until),
    });
    Ok(Answer::json(201, &document))
}

async fn make(visit: &Visit, room: Room, visitor: &Visitor<'_>) -> Result<Made, Problem> {
    if !room.event.handover {
        return Err(handover::not_offered());
    }
    let ticket = visitor
        .ticket()
        .ok_or_else(|| leave::not_brought(visitor, "ticket"))?;
    let random = platform::random_128();
    let random = core::array::from_fn(|at| random[at]);
    let code = room.tokens.handover_code(ticket.home, random);
    let link = format!("{}#{}", visit.link(room, "/handover"), code.text());
    let picture = picture(&link).ok_or_else(|| {
        let title = "host: allowed is one whose addresses fit into a picture of a link";
        Problem::new(400, "address", title)
    })?;
    let offer = ShardCommand::OfferHandover {
        index: PlaceIndex(ticket.index),
        nonce: Nonce(ticket.nonce),
        code: KeyHash(code.hash()),
    };
    let home = ShardIndex(ticket.home);
    let reply = rooms::command(&visit.env, room.event, home, offer, rooms::ANSWER_LIMIT).await;
    let until = match reply {
        Ok(ShardReply::HandoverOffered { until }) => until,
        Ok(ShardReply::Refused { why, place }) => {
            let refused = problem::of_refused_place(why, place);
            return Err(match refused.status() {
                429 => refused.retry(RETRY_MS),
                _ => refused,
            });
        }
        _ => return Err(Problem::away(SHORTEST_POLL.0)),
    };
    Ok(Made {
        code,
        link,
        picture,
        until,
    })
}

/// The page for who has no script: what was made, or the refusal in words under its own status.
fn page(visit: &Visit, room: Room, made: Result<Made, Problem>, back: &LocalPath) -> Answer {
    let view = sheet::view(visit, room);
    match made {
        Ok(made) => {
            let offered = Offered {
                code: made.code.to_string(),
                picture: made.picture,
                link: made.link,
                until: in_zone(&room.event.time_zone, made.until, visit.now),
            };
            let html = render(&view, Ok(&offered), back.as_str());
            sheet::dressed(Answer::empty(201), &view, html)
        }
        Err(problem) => {
            let html = render(&view, Err(problem.kind()), back.as_str());
            sheet::dressed(Answer::from(problem), &view, html)
        }
    }
}

fn in_zone(zone: &str, at: UnixMillis, now: UnixMillis) -> ShownTime {
    let offset = |at| zones::offset_minutes(zone, at);
    shown(at, offset(at), now, offset(now))
}

/// A QR code of `text` as SVG, with nothing in it but numbers; `None` when it is longer than the 2,331 bytes that fit.
fn picture(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let size = code.size() + 2 * QUIET_ZONE;
    let dark = (0..code.size())
        .flat_map(|y| (0..code.size()).map(move |x| (x, y)))
        .filter(|(x, y)| code.get_module(*x, *y))
        .map(|(x, y)| format!("M{} {}h1v1h-1z", x + QUIET_ZONE, y + QUIET_ZONE));
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{size}v{size}H0z\"/><path d=\"{}\"/></svg>",
        dark.collect::<String>()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_every_dark_module_inside_a_quiet_zone() {
        let link = "https://tickets.example.com/_wr/queues/demo/handover#0007000G40R40M30E209";
        let code = QrCode::encode_text(link, QrCodeEcc::Medium).unwrap();
        let svg = picture(link).unwrap();
        let size = code.size() + 8;
        assert!(
            svg.contains(&format!("viewBox=\"0 0 {size} {size}\"")),
            "{svg}"
        );
        let dark = (0..code.size() * code.size())
            .filter(|at| code.get_module(at % code.size(), at / code.size()))
            .count();
        assert_eq!(svg.matches("h1v1h-1z").count(), dark);
        assert!(
            svg.contains("M4 4h1"),
            "the first module of a finder pattern"
        );
        assert!(!svg.contains("M3 4h1") && !svg.contains("M0 0h1"));
    }

    #[test]
    fn there_is_no_picture_of_what_does_not_fit_into_one() {
        assert!(picture(&"x".repeat(2_331)).is_some());
        assert!(picture(&"x".repeat(2_332)).is_none());
    }
}
