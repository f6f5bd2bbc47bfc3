//! What the routes of the small pages share: for whom a page is, and how it is sent.

use crate::answer::{Answer, Body};
use crate::deployment::Room;
use crate::looks;
use crate::page::{self, locale::Language};
use crate::platform;
use crate::sheets::SheetView;
use crate::visit::Visit;
use crate::visitor::claim_text;

/// For whom a page of `room` is, with a fresh nonce.
pub fn view(visit: &Visit, room: Room) -> SheetView {
    let language = Language::choose(visit.incoming.header("accept-language").as_deref());
    SheetView {
        event: room.event.id.clone(),
        title: looks::title(room, language),
        prefix: visit.deployment.rooms().prefix().to_owned(),
        origin: visit.incoming.own_origin(),
        front: room.event.front().to_owned(),
        nonce: claim_text(&platform::random_128()),
        look: looks::look(room, language),
        refused: visit
            .incoming
            .query
            .split('&')
            .find_map(|pair| pair.strip_prefix("refused="))
            .map(str::to_owned),
        language,
    }
}

/// The page, under the queue page's own policy; no site shows it in a frame.
pub fn answer(view: &SheetView, html: String) -> Answer {
    dressed(Answer::empty(200), view, html)
}

/// The page in place of the body of `answer`, which keeps its status and its other headers.
pub fn dressed(answer: Answer, view: &SheetView, html: String) -> Answer {
    let mut answer = answer
        .with("content-type", "text/html; charset=utf-8")
        .with(
            "content-security-policy",
            page::policy(&view.nonce, None, None),
        )
        .with("cross-origin-opener-policy", "same-origin")
        .with("x-robots-tag", "noindex")
        .with("vary", "Accept, Accept-Language");
    answer.body = Body::Text(html);
    answer
}
