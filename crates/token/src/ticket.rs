//! The ticket: the signed proof of a place, kept by the visitor and never sent to the origin.
//!
//! With it the edge can say how many are ahead without asking anybody. Claims:
//! `v iss evt run jti home idx line ent? rank? arr iat exp`.

use crate::Refusal;
use crate::claims::{ClaimsReader, ClaimsWriter};
use crate::permit::{NONCE_BYTES, nonce_text, read_nonce};

/// The proof of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// The nonce of the permit that made the place. Claim `jti`, base64url.
    pub nonce: [u8; NONCE_BYTES],
    /// The shard that holds the place.
    pub home: u16,
    /// The place's index at its home. Claim `idx`.
    pub index: u32,
    /// The line inside the queue.
    pub line: u8,
    /// The entry number, claim `ent`; none while the place is provisional.
    pub entry: Option<u64>,
    /// The rank, once it is fixed; never without an entry number.
    pub rank: Option<u64>,
    /// When the join arrived, in Unix seconds. Claim `arr`.
    pub arrived_at: u64,
    /// Unix seconds.
    pub issued_at: u64,
    /// Unix seconds.
    pub expires_at: u64,
}

impl Ticket {
    pub(crate) fn write(&self, claims: ClaimsWriter) -> ClaimsWriter {
        assert!(
            self.entry.is_some() || self.rank.is_none(),
            "a ticket with a rank has an entry number"
        );
        claims
            .text("jti", &nonce_text(&self.nonce))
            .number("home", self.home)
            .number("idx", self.index)
            .number("line", self.line)
            .optional_number("ent", self.entry)
            .optional_number("rank", self.rank)
            .number("arr", self.arrived_at)
            .number("iat", self.issued_at)
            .number("exp", self.expires_at)
    }

    pub(crate) fn read(claims: &mut ClaimsReader<'_>) -> Result<Self, Refusal> {
        let ticket = Ticket {
            nonce: read_nonce(claims)?,
            home: claims.number("home")?,
            index: claims.number("idx")?,
            line: claims.number("line")?,
            entry: claims.optional_number("ent")?,
            rank: claims.optional_number("rank")?,
            arrived_at: claims.number("arr")?,
            issued_at: claims.number("iat")?,
            expires_at: claims.number("exp")?,
        };
        if ticket.entry.is_none() && ticket.rank.is_some() {
            return Err(Refusal::Claims { claim: "rank" });
        }
        Ok(ticket)
    }
}
