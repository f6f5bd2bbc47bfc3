//! A join by a code or member key: the key's home names the holder, the holder's home has the place.

use anteroom_queue::shard::command::{Refused, ShardCommand, ShardReply};
use anteroom_queue::units::ShardIndex;

use super::{Asked, Joined, ask, command, home_away, joined, other_home, refused, spent};
use crate::deployment::Room;
use crate::key_home::{Holder, Next, Rounds};
use crate::line_choice::Key;
use crate::problem::{self, Problem};
use crate::standing::Stand;
use crate::visit::Visit;
use crate::visitor::Visitor;
use crate::{permits, platform, rooms};

/// The key's home names the holder, the holder's home has the place.
pub(super) async fn by_key(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    asked: &Asked,
    key: Key,
    over: Option<Refused>,
) -> Result<Joined, Problem> {
    let away = || home_away(visit, room, visitor, asked);
    let homes = visit.board(room).await.map(|in_use| in_use.board.homes);
    let key_home = key.home(homes.ok_or_else(away)?);
    let mut rounds = Rounds::new(key, asked.own);
    for _ in 0..=permits::MOST_PLACES {
        let holder = match reserved(visit, room, asked, key, key_home, &rounds).await {
            Some(Ok(holder)) => holder,
            Some(Err(why)) => return Err(problem::of_refusal(why, Stand::None)),
            None => return Err(away()),
        };
        let Some(reply) = ask(visit, room, asked, holder, over.is_some()).await else {
            return Err(away());
        };
        if key.uses > 1 && matches!(reply, ShardReply::Place { .. }) {
            let told = tell_made(visit, room, key, key_home, holder);
            visit.context.wait_until(told);
        }
        match rounds.heard(holder, reply) {
            Next::Joined { place, new } => {
                return Ok(joined(visit, holder, place, new, Vec::new()));
            }
            Next::Again => {}
            Next::Elsewhere => match other_home(visit, room, asked).await {
                Some(permit) => rounds.want_at(ShardIndex(permit.home)),
                None => return Err(refused(Refused::Full, None, over)),
            },
            Next::Refused(why, place) => return Err(refused(why, place, over)),
            Next::Away => return Err(away()),
        }
    }
    Err(spent())
}

/// So many uses of a shared code are asked about for one join; the next join goes on from there.
const MOST_DOUBTS: u32 = 4;

/// What the home of the key says of the holder, or why there is none; nothing if it does not know yet, or is away.
async fn reserved(
    visit: &Visit,
    room: Room,
    asked: &Asked,
    key: Key,
    key_home: ShardIndex,
    rounds: &Rounds,
) -> Option<Result<Holder, Refused>> {
    for _ in 0..=MOST_DOUBTS {
        match command(visit, room, key_home, rounds.reserve()).await? {
            ShardReply::Reserved { nonce, home } => return Some(Ok(Holder { nonce, home })),
            ShardReply::Refused { why, .. } => return Some(Err(why)),
            ShardReply::Unsure { nonce, home } => {
                let doubtful = Holder { nonce, home };
                find_out(visit, room, asked, key, key_home, doubtful).await?;
            }
            _ => return None,
        }
    }
    None
}

/// Every use of a shared code is taken, perhaps by a permit that never made its place: its home is asked, and the key's home
/// is told. Nothing if one of them is away.
async fn find_out(
    visit: &Visit,
    room: Room,
    asked: &Asked,
    key: Key,
    key_home: ShardIndex,
    doubtful: Holder,
) -> Option<()> {
    let made = match ask(visit, room, asked, doubtful, true).await? {
        ShardReply::Place { .. } => true,
        ShardReply::Refused {
            why: Refused::PermitExpired,
            ..
        } => false,
        _ => return None,
    };
    let found = holder_found(key, doubtful, made);
    command(visit, room, key_home, found).await.map(|_| ())
}

/// Tells the home of a shared code, after the answer, that a use of it has made its place.
fn tell_made(
    visit: &Visit,
    room: Room,
    key: Key,
    key_home: ShardIndex,
    holder: Holder,
) -> impl Future<Output = ()> + 'static {
    let (env, event, found) = (
        visit.env.clone(),
        room.event,
        holder_found(key, holder, true),
    );
    async move {
        let told = rooms::command(&env, event, key_home, found, rooms::ANSWER_LIMIT).await;
        if told.is_err() {
            platform::log(&format!(
                "shard {} of {} could not be told of a use",
                key_home.0, event.id
            ));
        }
    }
}

fn holder_found(key: Key, holder: Holder, made: bool) -> ShardCommand {
    ShardCommand::HolderFound {
        key: key.hash,
        nonce: holder.nonce,
        made,
    }
}
