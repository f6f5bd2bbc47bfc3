//! What a visitor brings along: pass, ticket, permit and claim id, from cookies, headers or a bearer, verified with the
//! event's keys. What does not verify counts as not brought: a foreign or tampered token is never an error by itself.

use std::cell::OnceCell;

use anteroom_queue::board::Board;
use anteroom_queue::units::ClaimId;
use anteroom_token::{Pass, Permit, Refusal, SessionId, Ticket};
use base64ct::{Base64UrlUnpadded, Encoding};

use crate::cookies::{self, Jar, Kind, Pair};
use crate::deployment::Room;
use crate::incoming::Incoming;
use crate::renewal;
use crate::rewrite::PASS_HEADER;
use crate::standing::{Stand, from_ticket};

/// How a pass came, and so how its successor goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// As our cookie.
    Cookie,
    /// As `Waiting-Room-Pass` or as bearer: the next one goes back as `Waiting-Room-Pass`.
    Header,
}

/// A pass as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassBrought {
    /// What it says; perhaps expired.
    pub pass: Pass,
    /// Its bytes.
    pub token: String,
    /// How it came.
    pub by: By,
}

/// A visitor's request, seen with the keys of one event.
pub struct Visitor<'a> {
    incoming: &'a Incoming,
    room: Room,
    jar: Jar<'a>,
    /// The cookies that are like ours.
    came: Vec<Pair<'a>>,
    /// Opened at the first question: each opening costs a signature, and every poll asks several times.
    ticket: OnceCell<Option<Ticket>>,
    now: u64,
}

impl<'a> Visitor<'a> {
    /// `now` in Unix seconds.
    pub fn new(incoming: &'a Incoming, room: Room, now: u64) -> Self {
        let jar = Jar::new(
            &room.event.id,
            room.event.cookie_domain.as_deref(),
            incoming,
        );
        let came = cookies::ours(incoming.cookie());
        let jar = jar.below(&room.event.frame_ancestors, incoming, &came);
        Visitor {
            incoming,
            room,
            jar,
            came,
            ticket: OnceCell::new(),
            now,
        }
    }

    /// How cookies are set for this visitor.
    pub fn jar(&self) -> Jar<'a> {
        self.jar
    }

    /// What takes a cookie away from this visitor.
    pub fn clears(&self, kind: Kind) -> impl Iterator<Item = String> + use<> {
        self.jar.clear(&self.came, kind)
    }

    /// Whether any cookie of ours came back.
    pub fn brings_cookie(&self) -> bool {
        Kind::ALL
            .into_iter()
            .any(|kind| self.jar.values(&self.came, kind).next().is_some())
    }

    /// Whether a cookie of ours came with this value.
    pub fn brings(&self, kind: Kind, value: &str) -> bool {
        self.jar.values(&self.came, kind).any(|came| came == value)
    }

    /// The check that the browser keeps, if it still holds, with its bytes.
    pub fn check(&self) -> Option<(Permit, String)> {
        self.jar.values(&self.came, Kind::Check).find_map(|token| {
            let check = self.room.tokens.open_check(token, self.now).ok()?;
            Some((check, token.to_owned()))
        })
    }

    /// The best pass: a valid one before expired ones, then the one whose session ends last.
    pub fn pass(&self) -> Option<PassBrought> {
        let of = |token: &str, by| {
            let pass = self.room.tokens.open_expired_pass(token, self.now).ok()?;
            if pass.session == SessionId::CRAWLER {
                return None;
            }
            Some(PassBrought {
                pass,
                token: token.to_owned(),
                by,
            })
        };
        let header = self
            .incoming
            .header(PASS_HEADER)
            .and_then(|token| of(&token, By::Header));
        let bearer = self
            .incoming
            .bearer()
            .and_then(|token| of(&token, By::Header));
        let cookies = self
            .jar
            .values(&self.came, Kind::Pass)
            .filter_map(|token| of(token, By::Cookie));
        let mut best = None;
        for found in header.into_iter().chain(cookies).chain(bearer) {
            if best
                .as_ref()
                .is_none_or(|best: &PassBrought| self.is_better(&found.pass, &best.pass))
            {
                best = Some(found);
            }
        }
        best
    }

    /// Where the visitor stands, as far as what came and the board tell; nobody is asked.
    pub fn stand(&self, board: Option<&Board>) -> Stand {
        let is_inside = |brought: PassBrought| self.now < brought.pass.expires_at;
        if self.pass().is_some_and(is_inside) {
            return Stand::Admitted;
        }
        self.ticket().map_or(Stand::None, |ticket| {
            from_ticket(&ticket, board).standing.stand
        })
    }

    fn is_better(&self, pass: &Pass, than: &Pass) -> bool {
        let rank = |pass: &Pass| {
            (
                self.now < pass.expires_at,
                pass.session_ends_at,
                pass.expires_at,
            )
        };
        rank(pass) > rank(than)
    }

    /// The ticket, from a cookie or as bearer.
    pub fn ticket(&self) -> Option<Ticket> {
        self.ticket.get_or_init(|| self.opened_ticket()).clone()
    }

    fn opened_ticket(&self) -> Option<Ticket> {
        let open = |token: &str| self.room.tokens.open_ticket(token, self.now).ok();
        let cookie = self.jar.values(&self.came, Kind::Ticket).find_map(open);
        cookie.or_else(|| open(&self.incoming.bearer()?))
    }

    /// Whether a ticket or pass came that was good in another run of this event: it starts from nothing, and who is refused
    /// is told why.
    pub fn is_of_another_run(&self) -> bool {
        let bearer = self.incoming.bearer();
        let header = self.incoming.header(PASS_HEADER);
        let cookies = [Kind::Ticket, Kind::Pass]
            .into_iter()
            .flat_map(|kind| self.jar.values(&self.came, kind));
        let tokens = bearer.as_deref().into_iter().chain(header.as_deref());
        tokens.chain(cookies).any(|token| {
            let tickets = self.room.tokens.open_ticket(token, self.now).err();
            let passes = self.room.tokens.open_expired_pass(token, self.now).err();
            [tickets, passes].contains(&Some(Refusal::WrongRun))
        })
    }

    /// The permit that the browser keeps, if it may still make a place, with its bytes.
    pub fn permit(&self) -> Option<(Permit, String)> {
        self.jar.values(&self.came, Kind::Permit).find_map(|token| {
            Some((
                self.room.tokens.open_permit(token, self.now).ok()?,
                token.to_owned(),
            ))
        })
    }

    /// The id that the browser keeps for all its tabs.
    pub fn claim_id(&self) -> Option<ClaimId> {
        self.jar
            .values(&self.came, Kind::Browser)
            .find_map(claim_of)
    }

    /// The claim id to use with `ticket`: without a browser's, whoever brings the ticket is one browser.
    pub fn claim_id_for(&self, ticket: &Ticket) -> ClaimId {
        self.claim_id().unwrap_or(ClaimId(ticket.nonce))
    }
}

/// The claim id that its text says.
pub fn claim_of(text: &str) -> Option<ClaimId> {
    let mut id = [0; 16];
    let decoded = Base64UrlUnpadded::decode(text, &mut id).ok()?;
    (decoded.len() == id.len()).then_some(ClaimId(id))
}

/// The text of a claim id in its cookie.
pub fn claim_text(id: &[u8; 16]) -> String {
    Base64UrlUnpadded::encode_string(id)
}

/// Whether ticket and pass are of one place.
pub fn is_of_place(pass: &Pass, ticket: &Ticket) -> bool {
    (pass.session.home, pass.session.index) == (ticket.home, ticket.index)
}

/// A pass for requests while everything passes: of no session, so that nothing can be renewed or released with it.
pub fn open_pass(now: u64, pass_seconds: u64) -> Pass {
    renewal::issued(SessionId::NONE, now + pass_seconds, now, pass_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incoming::Method;
    use crate::samples;
    use anteroom_queue::board::Phase;
    use serde_json::json;

    const NOW: u64 = 1_100;

    fn room() -> Room {
        samples::room(json!([{ "id": "general" }]))
    }

    fn sealed(room: Room, expires_at: u64, session_ends_at: u64) -> String {
        room.tokens.seal_pass(&Pass {
            expires_at,
            session_ends_at,
            ..samples::pass()
        })
    }

    fn asking(headers: &[(&'static str, &str)]) -> Incoming {
        Incoming::listed(Method::Get, "https://tickets.example.com/shop", headers)
    }

    #[test]
    fn of_several_passes_a_valid_one_is_used_however_it_came() {
        let room = room();
        let expired = sealed(room, 1_050, 2_200);
        let valid = sealed(room, 1_180, 2_000);
        let longer = sealed(room, 1_180, 2_200);
        let cookie = |token: &str| format!("__Host-wr-pass-demo-1={token}");
        for (header, cookies, bearer, expected) in [
            (Some(&expired), None, Some(&valid), &valid),
            (None, Some(&expired), Some(&valid), &valid),
            (Some(&valid), None, Some(&expired), &valid),
            (None, Some(&valid), Some(&longer), &longer),
            (None, None, Some(&expired), &expired),
        ] {
            let cookies = cookies.map(|token| cookie(token)).unwrap_or_default();
            let bearer = bearer.map_or("Basic eA==".to_owned(), |token| format!("Bearer {token}"));
            let mut headers = vec![("cookie", cookies.as_str()), ("authorization", &bearer)];
            headers.extend(header.map(|token| (PASS_HEADER, token.as_str())));
            let incoming = asking(&headers);
            let brought = Visitor::new(&incoming, room, NOW).pass();
            assert_eq!(
                brought.map(|brought| &brought.token == expected),
                Some(true)
            );
        }
    }

    #[test]
    fn a_visitors_state_follows_from_what_came_while_nobody_can_be_asked() {
        let room = room();
        let board = samples::board(Phase::Open);
        let ticket = room.tokens.seal_ticket(&samples::ticket());
        for (token, expected) in [
            (sealed(room, 1_180, 2_200), Stand::Admitted),
            (sealed(room, 1_050, 2_200), Stand::None),
            (ticket, Stand::Waiting),
            ("x.y.z".to_owned(), Stand::None),
        ] {
            let bearer = format!("Bearer {token}");
            let incoming = asking(&[("authorization", &bearer)]);
            let visitor = Visitor::new(&incoming, room, NOW);
            assert_eq!(visitor.stand(Some(&board)), expected, "{token}");
        }
    }
}
