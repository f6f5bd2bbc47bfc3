//! `GET /_wr/events/{event}/logo`: the event's own logo, as it was compiled in. An SVG may only be looked at: whoever
//! opens its address gets it in a sandbox without scripts.

use anteroom_config::face;

use crate::answer::Answer;
use crate::deployment::Room;
use crate::faces;
use crate::problem::Problem;

/// A deploy with another logo reaches everybody within an hour; until then a crowd loads it once each.
const MAX_AGE_SECONDS: u32 = 3_600;

/// What a picture may do when its address is opened: nothing but be seen. Inside a page it is drawn with the styles in it,
/// opened by itself without them.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

/// The logo.
pub fn answer(room: Room) -> Result<Answer, Problem> {
    let name = room.face.and_then(|face| face.logo.as_deref());
    let found = name.and_then(|name| Some((face::logo_media_type(name)?, faces::logo(name)?)));
    let (media_type, bytes) =
        found.ok_or_else(|| Problem::new(404, "no-logo", "this event has no logo"))?;
    Ok(Answer::bytes(media_type, bytes)
        .with(
            "cache-control",
            format!("public, max-age={MAX_AGE_SECONDS}"),
        )
        .with("content-security-policy", POLICY))
}
