//! `/_wr/queues/{event}/staff`: the organizer's people look at the shop before the sale.
//!
//! GET is the page with the field. It spends nothing: a staff pass behind `#` never reaches the edge.

use crate::answer::Answer;
use crate::deployment::Room;
use crate::routes::sheet;
use crate::sheets::staff::render;
use crate::visit::Visit;

/// The page with the field.
pub fn page(visit: &Visit, room: Room) -> Answer {
    let view = sheet::view(visit, room);
    let html = render(&view);
    sheet::answer(&view, html)
}
