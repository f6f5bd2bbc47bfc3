//! `POST /_wr/queues/{event}/tickets/me/handover`: a code, a link and a picture of it, with which another browser or phone
//! takes this place up. The code stands behind `#` in the link, so it reaches no server before somebody presses the button
//! there.

use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{KeyHash, Nonce, PlaceIndex, ShardIndex};
use anteroom_token::{HANDOVER_SECRET_BYTES, HandoverCode};
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;

use crate::answer::Answer;
use crate::deployment::Room;
use crate::instants::rfc3339;
use crate::poll::SHORTEST_POLL;
use crate::problem::{self, Problem};
use crate::routes::{handover, leave};
use crate::visit::Visit;
use crate::{fields, place, platform, rooms, same_site};

/// Light modules around a QR code, which readers need (ISO/IEC 18004).
const QUIET_ZONE: i32 = 4;
/// A place that has made too many codes may make another one after this long at the latest.
const RETRY_MS: u64 = 60_000;

/// The code.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    if !room.event.handover {
        return Err(handover::not_offered());
    }
    let visitor = visit.visitor(room);
    same_site::check(
        &visit.incoming,
        &room.event.cors_origins,
        visitor.brings_cookie(),
    )?;
    fields::read(&visit.request, &visit.incoming, &[]).await?;
    let ticket = visitor.ticket().ok_or_else(|| leave::no_ticket(&visitor))?;
    let secret: [u8; HANDOVER_SECRET_BYTES] = {
        let random = platform::random_128();
        core::array::from_fn(|at| random[at])
    };
    let code = HandoverCode::new(ticket.home, secret);
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
            let stand = place.map_or(place::stand_of_refusal(why), |place| place.state.into());
            let refused = problem::of_refusal(why, stand);
            return Err(match refused.status() {
                429 => refused.retry(RETRY_MS),
                _ => refused,
            });
        }
        _ => return Err(Problem::away(SHORTEST_POLL.0)),
    };
    let link = format!("{}#{}", visit.link(room, "/handover"), code.text());
    let document = json!({
        "code": code.to_string(),
        "qr": picture(&link),
        "link": link,
        "expires_at": rfc3339(until),
    });
    Ok(Answer::json(201, &document))
}

/// A QR code of `text` as SVG. There is nothing in it but numbers.
fn picture(text: &str) -> String {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium)
        .expect("an address of up to 2 kB fits into a QR code");
    let size = code.size() + 2 * QUIET_ZONE;
    let dark = (0..code.size())
        .flat_map(|y| (0..code.size()).map(move |x| (x, y)))
        .filter(|(x, y)| code.get_module(*x, *y))
        .map(|(x, y)| format!("M{} {}h1v1h-1z", x + QUIET_ZONE, y + QUIET_ZONE));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{size}v{size}H0z\"/><path d=\"{}\"/></svg>",
        dark.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_every_dark_module_inside_a_quiet_zone() {
        let link = "https://tickets.example.com/_wr/queues/demo/handover#0007000G40R40M30E209";
        let code = QrCode::encode_text(link, QrCodeEcc::Medium).unwrap();
        let svg = picture(link);
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
}
