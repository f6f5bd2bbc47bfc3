//! `GET /_wr/queues/{event}/tickets/me/events`: the board as it changes, as server-sent events, from this isolate's
//! board. The visitor's own place is worked out by whoever listens, from the ticket's rank.

use std::collections::VecDeque;
use std::time::Duration;

use anteroom_queue::units::{Millis, UnixMillis};
use futures_util::stream::unfold;
use wasm_bindgen::{JsCast, JsValue};
use worker::{Delay, Env, js_sys};

use crate::answer::Answer;
use crate::deployment::Room;
use crate::documents::BoardDocument;
use crate::poll::SHORTEST_POLL;
use crate::problem::Problem;
use crate::rate_limits;
use crate::visit::Visit;
use crate::{board_reads, platform};

/// Without news the board is sent again after this time, so that nothing between closes the stream and whoever listens knows
/// how old it is.
const SILENCE: Millis = Millis(8_000);
/// A stream ends after this long and is opened again by the listener: a deployment in between is then used.
const LONGEST: Millis = Millis(10 * 60 * 1_000);
/// How long a listener waits before it opens the stream again.
const RETRY: Millis = Millis(5_000);

struct Listening {
    env: Env,
    room: Room,
    since: UnixMillis,
    shown: Option<u64>,
    said: UnixMillis,
    ready: VecDeque<String>,
}

/// The stream.
pub async fn answer(visit: &Visit, room: Room) -> Result<Answer, Problem> {
    rate_limits::look(visit, room, None)?;
    if visit.board(room).await.is_none() {
        return Err(Problem::away(SHORTEST_POLL.0));
    }
    let now = platform::now();
    let listening = Listening {
        env: visit.env.clone(),
        room,
        since: now,
        shown: None,
        said: now,
        ready: VecDeque::from([format!("retry: {}\n\n", RETRY.0)]),
    };
    let stream = unfold(listening, |mut listening| async {
        let text = listening.next().await?;
        let bytes = js_sys::Uint8Array::from(text.as_bytes());
        Some((Ok::<_, JsValue>(bytes.into()), listening))
    });
    let stream = wasm_streams::ReadableStream::from_stream(stream).into_raw();
    Ok(Answer::stream("text/event-stream", stream.unchecked_into()))
}

impl Listening {
    /// The next piece; none when the stream has lasted long enough.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            if platform::now().since(self.since) >= LONGEST {
                return None;
            }
            let in_use = board_reads::refreshed(&self.env, self.room.event).await;
            // The read may have taken seconds.
            let now = platform::now();
            let is_silent = now.since(self.said) >= SILENCE;
            match in_use.filter(|in_use| is_silent || self.shown != Some(in_use.board.version)) {
                Some(in_use) => {
                    self.shown = Some(in_use.board.version);
                    let document = BoardDocument::new(self.room, &in_use.board, in_use.age, now);
                    let data = serde_json::to_string(&document).expect("plain data becomes JSON");
                    self.say(
                        now,
                        format!(
                            "id: {}\nevent: board\ndata: {data}\n\n",
                            in_use.board.version
                        ),
                    );
                }
                None if is_silent => self.say(now, ": still here\n\n".to_owned()),
                None => Delay::from(Duration::from_millis(SHORTEST_POLL.0 / 2)).await,
            }
        }
    }

    fn say(&mut self, now: UnixMillis, text: String) {
        self.said = now;
        self.ready.push_back(text);
    }
}
