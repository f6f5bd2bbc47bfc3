//! A visitor's ticket: a JWT whose claims say which place it stands for.
//!
//! Its signature is made with a key that only the room has, so it cannot be checked here; what it
//! says can be compared with the draw and the log. A room that is asked says whether it is its own.

use anteroom_queue::tree::{child_of, relay_of};
use anteroom_queue::units::{EntryNumber, ShardIndex};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::{Deserialize, Serialize};

use crate::Findings;
use crate::document::DrawDocument;
use crate::history::History;
use crate::line::Order;

/// The longest token that a room makes or takes.
const MOST_TOKEN_BYTES: usize = 1_024;
/// HMAC-SHA-256.
const SIGNATURE_BYTES: usize = 32;
/// Bytes of a permit's nonce.
const NONCE_BYTES: usize = 16;
/// Versions of the claims.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=2;

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Header {
    alg: String,
    typ: String,
    kid: String,
}

/// The claims, in the order of their one byte form.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ticket {
    v: u64,
    iss: String,
    evt: String,
    run: u32,
    jti: String,
    home: u16,
    idx: u32,
    line: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ent: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rank: Option<u64>,
    arr: u64,
    iat: u64,
    exp: u64,
}

impl Ticket {
    /// Reads a ticket's text, whoever signed it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if text.len() > MOST_TOKEN_BYTES {
            return Err(format!("a ticket has at most {MOST_TOKEN_BYTES} bytes"));
        }
        let segments: Vec<&str> = text.split('.').collect();
        let [header, payload, signature] = segments[..] else {
            return Err("a ticket is three parts with two dots between them".to_owned());
        };
        let header: Header = segment("header", header)?;
        if header.alg != "HS256" || header.typ != "wr-ticket+jwt" {
            return Err(format!(
                "header: it is a {} by {}, not a ticket",
                header.typ, header.alg
            ));
        }
        let signature = decoded("signature", signature)?;
        if signature.len() != SIGNATURE_BYTES {
            return Err(format!(
                "signature: it has {SIGNATURE_BYTES} bytes, not {}",
                signature.len()
            ));
        }
        let ticket: Self = segment("claims", payload)?;
        if !VERSIONS.contains(&ticket.v) {
            return Err(format!("v: claims of version {} are unknown", ticket.v));
        }
        if decoded("jti", &ticket.jti)?.len() != NONCE_BYTES {
            return Err(format!("jti: a nonce has {NONCE_BYTES} bytes"));
        }
        if ticket.exp <= ticket.iat {
            return Err("exp: it ends before it begins".to_owned());
        }
        if ticket.rank.is_some() && ticket.ent.is_none() {
            return Err("rank: there is none without an entry number".to_owned());
        }
        Ok(ticket)
    }

    pub(crate) fn line_position(&self) -> usize {
        usize::from(self.line)
    }

    /// Compares the claims with the order of the ticket's line.
    pub(crate) fn check(
        &self,
        document: &DrawDocument,
        past: Option<&History>,
        order: &Order,
        findings: &mut Findings,
    ) {
        findings.unchecked(
            "ticket.signature",
            "only the room can check it; claims that are nowhere else (iss, jti, idx, arr, iat, exp) rest on it",
        );
        findings.require(self.evt == document.event, "ticket.evt", || {
            format!(
                "the ticket is for {}, the draw of {}",
                self.evt, document.event
            )
        });
        findings.require(self.run == document.run, "ticket.run", || {
            format!(
                "the ticket is of run {}, the draw of {}",
                self.run, document.run
            )
        });
        let line = &document.lines[self.line_position()];
        let Some(entry) = self.ent else {
            return findings.unchecked(
                "ticket.ent",
                "a provisional ticket: it has no entry number yet",
            );
        };
        if let Some(past) = past {
            self.check_cut(entry, past, findings);
        }
        self.check_rank(entry, &line.id, order, findings);
    }

    /// The place is where the log says that the entry number went.
    fn check_cut(&self, entry: u64, past: &History, findings: &mut Findings) {
        let Some((cut, join)) = past.cut_of(entry) else {
            let entries = past.entries;
            return findings.fails(
                "ticket.ent",
                format!(
                    "no cut of the log gave out entry number {entry}: there are {entries}, the first is 0; a log has \
                     to be saved after the ticket"
                ),
            );
        };
        let (n, shard, home) = (cut.n, cut.shard, self.home);
        // Many shards report through a relay, whose joins are those of all of them.
        let is_behind_relay = relay_of(ShardIndex(home)).is_some();
        if is_behind_relay {
            let relay = child_of(ShardIndex(home));
            return findings.expect(
                shard == relay,
                "ticket.home",
                format!("log line {n} gave entry number {entry} to relay {shard}, behind which this place is"),
                format!(
                    "log line {n} gave entry number {entry} to {shard}, this place is at {home}, behind relay {relay}"
                ),
            );
        }
        findings.expect(
            shard == home,
            "ticket.home",
            format!("log line {n} gave entry number {entry} to shard {shard}, where this place is"),
            format!(
                "log line {n} gave entry number {entry} to shard {shard}, this place is at {home}"
            ),
        );
        findings.require(u64::from(self.idx) >= join, "ticket.idx", || {
            format!("entry number {entry} is join {join} of its shard, so its place cannot be number {}", self.idx)
        });
    }

    fn check_rank(&self, entry: u64, line: &str, order: &Order, findings: &mut Findings) {
        let (rank, how) = match order {
            Order::Arrival => (entry, "first come, first served".to_owned()),
            Order::Drawn(ranks) if entry < ranks.entrants() => {
                let rank = ranks.rank(EntryNumber(entry)).0;
                (rank, format!("drawn among {} entrants", ranks.entrants()))
            }
            Order::Drawn(ranks) => (
                entry,
                format!("came after the {} of the draw", ranks.entrants()),
            ),
            Order::Undecided => {
                findings.require(self.rank.is_none(), "ticket.rank", || {
                    "the ticket has a rank, but the published draw is not decided".to_owned()
                });
                return findings.unchecked("ticket.rank", "the draw is not decided");
            }
        };
        let place = rank.saturating_add(1);
        let told = format!(
            "entry number {entry} of {line} has rank {rank}, place {place} in the order: {how}"
        );
        match self.rank {
            Some(stated) => findings.expect(
                stated == rank,
                "ticket.rank",
                told,
                format!(
                    "the ticket says {stated}, but entry number {entry} has rank {rank} ({how})"
                ),
            ),
            None => findings.holds(
                "ticket.rank",
                format!("{told} (the ticket is older than the draw)"),
            ),
        }
    }
}

/// A segment's JSON, which has one byte form.
fn segment<T: for<'de> Deserialize<'de> + Serialize>(name: &str, text: &str) -> Result<T, String> {
    let bytes = decoded(name, text)?;
    let read: T = serde_json::from_slice(&bytes).map_err(|error| format!("{name}: {error}"))?;
    let again = serde_json::to_vec(&read).map_err(|error| format!("{name}: {error}"))?;
    if again == bytes {
        Ok(read)
    } else {
        Err(format!("{name}: not in the form in which a room writes it"))
    }
}

fn decoded(name: &str, text: &str) -> Result<Vec<u8>, String> {
    Base64UrlUnpadded::decode_vec(text)
        .map_err(|_| format!("{name}: not base64url in its one form"))
}
