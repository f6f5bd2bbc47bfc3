//! What the room answers at a protected path: the queue page at the same address for a person, a problem that says how
//! to join for a program.

mod sent;

use anteroom_queue::board::{Board, Phase};
use anteroom_queue::shard::command::VisitorState;
use anteroom_queue::units::{ClaimId, EntryNumber, Millis, Rank, UnixMillis};
use anteroom_token::{Pass, Permit};

use crate::answer::Answer;
use crate::boards::InUse;
use crate::checks;
use crate::cookies::{KEPT_SECONDS, Kind};
use crate::deployment::Room;
use crate::documents::{StateDocument, shown_line, wait};
use crate::gate::Why;
use crate::local_path::LocalPath;
use crate::looks;
use crate::page;
use crate::page::locale::Language;
use crate::page::view::{self, PageView, RefusedCode};
use crate::page::{of_board, refused};
use crate::place::Found;
use crate::platform;
use crate::routes::{permits, room_problem, solver, state};
use crate::standing::{Stand, Standing, room_state};
use crate::turnstile::{self, ThirdParty};
use crate::visit::Visit;
use crate::visitor::{Visitor, claim_text, is_of_place};
use crate::way_back::without_cookies_off;
use crate::zones;

use sent::Sent;

/// The room's answer.
pub async fn answer(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
    why: Why,
) -> Answer {
    let found = state::of_visitor(visit, room, visitor, in_use).await;
    let found = match is_about_place(visitor, why) {
        true => why_found(found, why),
        false => found,
    };
    let board = in_use.map(|in_use| &*in_use.board);
    let state = match why {
        Why::Stopped if found.standing.stand == Stand::None => "stopped",
        Why::Closed if found.standing.stand == Stand::None => "closed",
        _ => room_state(found.standing.stand, board, found.standing.line),
    };
    let now = platform::now();
    let poll = StateDocument::new(room, &found.standing, in_use, true, now).poll();
    let answer = if visit.incoming.wants_page() {
        page(visit, room, visitor, in_use, &found, why, poll)
    } else {
        room_problem::of(visit, room, visitor, in_use, &found.standing, why, poll)
    };
    answer
        .with("waiting-room-state", state)
        .with("x-robots-tag", "noindex")
}

/// Whether what the gate found out about the pass that came is about the visitor's place: there is no other. Without a
/// ticket nobody takes a session back from another browser: then the visitor has none.
fn is_about_place(visitor: &Visitor<'_>, why: Why) -> bool {
    match (visitor.ticket(), visitor.pass()) {
        (Some(ticket), Some(brought)) => is_of_place(&brought.pass, &ticket),
        (None, _) => why != Why::Elsewhere,
        (Some(_), None) => true,
    }
}

fn why_found(found: Found, why: Why) -> Found {
    let standing = found.standing;
    match why {
        Why::Ended(second)
            if !matches!(
                standing.stand,
                Stand::Waiting | Stand::Pending | Stand::Admitted
            ) =>
        {
            let known = UnixMillis(second * 1_000);
            let told = (standing.stand == Stand::Ended)
                .then_some(standing.session_ends)
                .flatten();
            Found {
                standing: Standing {
                    stand: Stand::Ended,
                    // A home may notice an end late, but it alone knows of one before the time.
                    session_ends: Some(told.map_or(known, |told| told.min(known))),
                    ..standing
                },
                ..found
            }
        }
        Why::Elsewhere | Why::Recheck => Found {
            standing: Standing {
                stand: match why {
                    Why::Recheck => Stand::Recheck,
                    _ => Stand::Elsewhere,
                },
                ..standing
            },
            ..found
        },
        _ => found,
    }
}

/// For a person: the page, with a permit in it for who has no place, and the cookies that go with it.
fn page(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
    found: &Found,
    why: Why,
    poll: Millis,
) -> Answer {
    let jar = visitor.jar();
    let mut cookies = Vec::new();
    let permit = permit(visit, room, visitor, in_use, found.standing.stand);
    if let Some((_, token)) = &permit {
        cookies.push(jar.set(Kind::Permit, token, KEPT_SECONDS));
    }
    let known = visitor.claim_id();
    let claim = known.unwrap_or_else(|| ClaimId(platform::random_128()));
    let stand = found.standing.stand;
    let check = checks::of_page(visit, room, visitor, in_use, stand, claim);
    if let Some((_, token)) = &check {
        cookies.push(checks::cookie(visitor, token));
    }
    if known.is_none() {
        cookies.push(jar.set(Kind::Browser, &claim_text(&claim.0), KEPT_SECONDS));
    }
    if let Some(ticket) = &found.exchange {
        cookies.push(jar.set(Kind::Ticket, &room.tokens.seal_ticket(ticket), KEPT_SECONDS));
    }
    if found.unknown {
        cookies.extend(visitor.clears(Kind::Ticket));
    }
    let nonce = claim_text(&platform::random_128());
    let view = page_view(
        visit,
        room,
        visitor,
        in_use,
        &found.standing,
        Sent {
            nonce: nonce.clone(),
            permit,
            check,
            poll,
        },
    );
    let status = if why == Why::Rate {
        429
    } else {
        room.event.queue_status
    };
    let third_party = room.turnstile.map(ThirdParty::origin);
    let ancestors =
        (!room.event.frame_ancestors.is_empty()).then(|| room.event.frame_ancestors.join(" "));
    // A site that isolates itself shows in its frames only what says that it may be shown.
    let shown_by = if ancestors.is_some() {
        "cross-origin"
    } else {
        "same-origin"
    };
    Answer::text(status, "text/html; charset=utf-8", page::render(&view))
        .with("retry-after", poll.0.div_ceil(1_000).to_string())
        .with(
            "content-security-policy",
            page::policy(&nonce, ancestors.as_deref(), third_party),
        )
        .with("cross-origin-resource-policy", shown_by)
        .with_cookies(cookies)
}

/// A permit for who has no place, or one that is over: then a new one, since the old would only find that place again.
fn permit(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
    stand: Stand,
) -> Option<(Permit, String)> {
    match stand {
        Stand::None => Some(permits::kept_or_fresh(visit, room, visitor, in_use)),
        _ if stand.is_live() => None,
        _ => Some(permits::fresh(visit, room, in_use)),
    }
}

fn page_view(
    visit: &Visit,
    room: Room,
    visitor: &Visitor<'_>,
    in_use: Option<&InUse>,
    standing: &Standing,
    sent: Sent,
) -> PageView {
    let event = room.event;
    let board = in_use.map(|in_use| &*in_use.board);
    let position = shown_line(room, standing, board);
    let line = board.and_then(|board| board.lines.get(position));
    let now = platform::now();
    let configured = event.settings.lines.get(position);
    let configured = configured.and_then(|line| line.opens_at);
    let opens_at = line.map_or(configured, |line| line.opens_at);
    let asked = Asked::of(visit, visitor);
    let language = Language::choose(visit.incoming.header("accept-language").as_deref());
    let place = place(standing, in_use, ran_out(visitor, standing));
    let work_until = sent.work_until(visit, room, visitor, now);
    let mut view = PageView {
        event: event.id.clone(),
        run: event.run,
        title: looks::title(room, language),
        prefix: visit.deployment.rooms().prefix().to_owned(),
        nonce: sent.nonce,
        language,
        now,
        time_zone: Some(event.time_zone.clone()),
        utc_offsets: Vec::new(),
        return_to: asked.return_to,
        refresh_off: asked.refresh_off,
        undelivered: !visit.incoming.method.is_safe(),
        new_run: standing.stand == Stand::None && visitor.is_of_another_run(),
        cookie_missing: asked.cookies_off,
        framed: visitor.jar().is_framed(),
        unavailable: board.is_none(),
        work_until,
        check: sent.check.map(|(_, token)| token),
        solver: solver::address(visit.deployment.rooms().prefix()),
        widget: turnstile::widget(room),
        permit: sent.permit.map(|(_, token)| token),
        lines: looks::lines(room, board, language),
        line: event.lines.get(position).map(|line| line.id.clone()),
        refused: asked.refused,
        mode: board.map_or(event.settings.mode, |board| board.mode),
        phase: line.map_or(Phase::Open, |line| line.phase),
        stop: board.is_some_and(|board| board.stop),
        pause: board.and_then(|board| board.pause.clone()),
        message: board.and_then(|board| board.message.clone()),
        slowdowns: board.map_or(0, |board| board.slowdowns),
        prequeue_at: event.settings.prequeue_at,
        opens_at,
        moved: line.and_then(|line| line.moved.clone()),
        draw: line.and_then(|line| of_board::draw(line, &event.settings.draw)),
        stock_left: board.and_then(Board::stock_left),
        called: line.map_or(Rank(0), |line| line.called),
        board_version: board.map_or(0, |board| board.version),
        board_age: in_use.map_or(Millis(0), |in_use| in_use.age),
        poll: sent.poll,
        hold: Some(event.settings.hold).filter(|hold| hold.0 > 0),
        session: event.settings.session,
        handover: event.handover,
        face: looks::look(room, language),
        place,
    };
    view.utc_offsets = zones::offsets(&event.time_zone, view.instants());
    view
}

/// What the address says besides where the visitor wants to go.
struct Asked {
    return_to: String,
    refresh_off: bool,
    cookies_off: bool,
    refused: Option<RefusedCode>,
}

impl Asked {
    fn of(visit: &Visit, visitor: &Visitor<'_>) -> Asked {
        let (refresh_off, rest) = view::split_refresh(&visit.incoming.path_and_query());
        let (refused, rest) = refused::split(&rest);
        let asked = without_cookies_off(&rest);
        let cookies_off = asked != rest && !visitor.brings_cookie();
        let return_to = LocalPath::parse(&asked).unwrap_or_else(LocalPath::root);
        Asked {
            return_to: return_to.as_str().to_owned(),
            refresh_off,
            cookies_off,
            refused,
        }
    }
}

/// Whether a session that is over is known to have run to its own end, from the pass of it that the browser kept.
fn ran_out(visitor: &Visitor<'_>, standing: &Standing) -> bool {
    let ticket = visitor.ticket();
    let pass = visitor.pass().map(|brought| brought.pass);
    let own = pass.filter(|pass| {
        ticket
            .as_ref()
            .is_none_or(|ticket| is_of_place(pass, ticket))
    });
    standing.stand == Stand::Ended
        && own.is_some_and(|pass| ended_by_itself(standing.session_ends, &pass))
}

fn ended_by_itself(ended: Option<UnixMillis>, pass: &Pass) -> bool {
    ended.is_some_and(|ended| ended.0 >= pass.session_ends_at * 1_000)
}

fn place(standing: &Standing, in_use: Option<&InUse>, ran_out: bool) -> Option<view::Standing> {
    let state = match standing.stand {
        Stand::None => return None,
        Stand::Provisional => VisitorState::Provisional,
        Stand::Waiting => VisitorState::Waiting,
        Stand::Called => VisitorState::Called,
        Stand::Pending => VisitorState::Pending,
        Stand::Admitted | Stand::Recheck => VisitorState::Admitted,
        Stand::Ended => VisitorState::Ended,
        Stand::Lapsed => VisitorState::Lapsed,
        Stand::Left => VisitorState::Left,
        Stand::Elsewhere => VisitorState::Elsewhere,
    };
    let board = in_use.map(|in_use| &*in_use.board);
    let line = board.and_then(|board| board.lines.get(usize::from(standing.line)));
    let eta = wait(standing, line, board);
    Some(view::Standing {
        state,
        entry: standing.entry.map(EntryNumber),
        rank: standing.rank.map(Rank),
        eta: eta.map(|eta| view::Eta {
            likely_seconds: eta.likely_seconds,
            at_most_seconds: eta.at_most_seconds,
        }),
        offer_until: standing.offer_until,
        session_ends_at: standing.session_ends,
        ran_out,
        may_defer: standing.may_defer,
        missed_draw: standing.missed_draw,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn only_a_session_that_ran_to_its_own_end_ended_by_itself() {
        let pass = samples::pass();
        let end = pass.session_ends_at * 1_000;
        for (ended, by_itself) in [
            (Some(end - 1), false),
            (Some(end), true),
            (Some(end + 700), true),
            (None, false),
        ] {
            let ended = ended.map(UnixMillis);
            assert_eq!(ended_by_itself(ended, &pass), by_itself, "{ended:?}");
        }
    }

    #[test]
    fn a_home_knows_of_an_end_before_the_time_and_moves_none() {
        let found = |stand, ended: Option<u64>| Found {
            standing: Standing {
                stand,
                session_ends: ended.map(UnixMillis),
                ..Standing::NONE
            },
            exchange: None,
            unknown: false,
        };
        for (stand, told, shown) in [
            (Stand::Ended, Some(1_500_250), 1_500_250),
            (Stand::Ended, Some(2_001_300), 2_000_000),
            (Stand::Ended, None, 2_000_000),
            (Stand::None, None, 2_000_000),
        ] {
            let standing = why_found(found(stand, told), Why::Ended(2_000)).standing;
            assert_eq!(standing.stand, Stand::Ended);
            assert_eq!(standing.session_ends, Some(UnixMillis(shown)), "{stand:?}");
        }
    }
}
