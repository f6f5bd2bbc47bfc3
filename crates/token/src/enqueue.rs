//! The enqueue token: an organizer's signed invitation to a line, for one member.
//!
//! It is the only token that others make, with whatever JWT library they have. So it is read more leniently than the rest
//! in how it is written (order, white space, escapes) and as strictly in what it says: a header of exactly `alg`, `typ`
//! and `kid`, each claim once and of its type, none unknown. Claims: `v iss aud evt line key jti iat exp ip?`.
//!
//! `iss` is the organizer's name for itself, `aud` the deployment, `key` who the member is to the organizer: one key has
//! one live place, however many tokens and devices. It is not spent by use, so it may be sent again.

use core::fmt;
use core::net::IpAddr;

use base64ct::{Base64UrlUnpadded, Encoding};

use crate::claims::{CLAIMS_VERSION, ClaimsWriter, MAX_NAME_BYTES, is_claim_text};
use crate::derive::{PassAlgorithm, Purpose, derivation_info, derive, key_id};
use crate::envelope::{Checking, Compact, Sealer, Signing, is_key_id};
use crate::members::Members;
use crate::validity;
use crate::{Keyring, Refusal, RootKey};

/// The longest member key, in bytes: room for an address or a long account number.
pub const MAX_MEMBER_KEY_BYTES: usize = 128;
/// The longest life of an enqueue token: a presale is announced two months ahead at most, and a token that was lost with
/// a mail should not be good for the next sale.
pub const MAX_ENQUEUE_SECONDS: u64 = 60 * 24 * 60 * 60;

const HEADER_NAMES: [&str; 3] = ["alg", "typ", "kid"];
const CLAIM_NAMES: [&str; 10] = [
    "v", "iss", "aud", "evt", "line", "key", "jti", "iat", "exp", "ip",
];

/// An organizer's signed invitation.
#[derive(Clone, PartialEq, Eq)]
pub struct EnqueueToken {
    /// The organizer's name for itself, claim `iss`: 1 to 64 bytes of plain ASCII.
    pub organizer: String,
    /// The id of the line that it opens, 1 to 64 bytes of plain ASCII.
    pub line: String,
    /// Who the member is to the organizer: 1 to 128 bytes of plain ASCII.
    pub key: String,
    /// The organizer's id of this token, claim `jti`: 1 to 64 bytes of plain ASCII. For its own records only.
    pub id: String,
    /// Unix seconds.
    pub issued_at: u64,
    /// Unix seconds, at most [`MAX_ENQUEUE_SECONDS`] later.
    pub expires_at: u64,
    /// The only address that may use it.
    pub ip: Option<IpAddr>,
}

/// Who was invited, and from which address, is the organizer's to know and not for a log.
impl fmt::Debug for EnqueueToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnqueueToken")
            .field("organizer", &self.organizer)
            .field("line", &self.line)
            .field("issued_at", &self.issued_at)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// A key that an organizer signs enqueue tokens of one event with.
#[derive(Clone, PartialEq, Eq)]
pub struct EnqueueKey {
    /// The `kid` to put in the header.
    pub key_id: String,
    /// The audience to put in the claims: the deployment's name.
    pub audience: String,
    /// The event to put in the claims.
    pub event: String,
    /// The 32 secret bytes, base64url without padding.
    pub key: String,
}

impl EnqueueKey {
    /// The key as a JSON Web Key, with the members `audience` and `event` beside those of the standard.
    pub fn jwk(&self) -> String {
        let EnqueueKey {
            key_id,
            audience,
            event,
            key,
        } = self;
        format!(
            r#"{{"kty":"oct","k":"{key}","kid":"{key_id}","alg":"HS256","use":"sig","audience":"{audience}","event":"{event}"}}"#
        )
    }
}

/// The keys for the enqueue tokens of an event, one for each root key. The first is the one to sign with; tokens of all
/// are taken.
///
/// # Panics
/// When issuer or event cannot stand in a claim (see [`is_claim_text`]).
pub fn enqueue_keys(keyring: &Keyring, issuer: &str, event: &str) -> Vec<EnqueueKey> {
    for text in [issuer, event] {
        assert!(
            is_claim_text(text),
            "issuer and event must be plain ASCII, as in a claim"
        );
    }
    let info = info(issuer, event);
    let enqueue_key = |root: &RootKey| EnqueueKey {
        key_id: key_id(Purpose::Enqueue, root, &info),
        audience: issuer.to_owned(),
        event: event.to_owned(),
        key: Base64UrlUnpadded::encode_string(&derive(root, &info)),
    };
    keyring.all().map(enqueue_key).collect()
}

fn info(issuer: &str, event: &str) -> Vec<u8> {
    derivation_info(Purpose::Enqueue, PassAlgorithm::Hs256, issuer, event)
}

/// What opens the enqueue tokens of one event.
pub(crate) struct Invitations {
    audience: String,
    event: String,
    sealer: Sealer,
    openers: Vec<(String, Checking)>,
}

impl Invitations {
    pub(crate) fn new(keyring: &Keyring, issuer: &str, event: &str) -> Self {
        let info = info(issuer, event);
        let key_id = |root: &RootKey| key_id(Purpose::Enqueue, root, &info);
        let current = keyring.current();
        let signing = Signing::new(PassAlgorithm::Hs256, &derive(current, &info));
        Invitations {
            audience: issuer.to_owned(),
            event: event.to_owned(),
            sealer: Sealer::new(Purpose::Enqueue.typ(), &key_id(current), signing),
            openers: keyring
                .all()
                .map(|root| (key_id(root), Checking::hs256(&derive(root, &info))))
                .collect(),
        }
    }

    pub(crate) fn seal(&self, token: &EnqueueToken) -> String {
        let claims = ClaimsWriter::new()
            .text("iss", &token.organizer)
            .text("aud", &self.audience)
            .text("evt", &self.event)
            .text("line", &token.line)
            .text("key", &token.key)
            .text("jti", &token.id)
            .number("iat", token.issued_at)
            .number("exp", token.expires_at);
        let claims = match token.ip {
            Some(ip) => claims.text("ip", &ip.to_string()),
            None => claims,
        };
        self.sealer.seal(&claims.finish())
    }

    pub(crate) fn open(
        &self,
        token: &str,
        now: u64,
        ip: Option<&str>,
    ) -> Result<EnqueueToken, Refusal> {
        let compact = Compact::of(token)?;
        let payload = compact.payload_under(self.key_of(compact.header)?)?;
        let claims = Claims::read(&payload)?;
        if claims.audience != self.audience {
            return Err(Refusal::WrongAudience);
        }
        if claims.event != self.event {
            return Err(Refusal::WrongEvent);
        }
        let token = claims.token;
        if token
            .ip
            .is_some_and(|bound| ip.and_then(address) != Some(bound))
        {
            return Err(Refusal::WrongIp);
        }
        let seconds = token.expires_at.saturating_sub(token.issued_at);
        if seconds > MAX_ENQUEUE_SECONDS {
            return Err(Refusal::LongLived { seconds });
        }
        validity::check(token.issued_at, token.expires_at, 0, now)?;
        Ok(token)
    }

    /// The key that a header names. Its algorithm is ours, whatever the header says.
    fn key_of(&self, header: &str) -> Result<&Checking, Refusal> {
        let header = Base64UrlUnpadded::decode_vec(header).map_err(|_| Refusal::Header)?;
        let mut header = Members::read(&header, HEADER_NAMES).map_err(|_| Refusal::Header)?;
        let mut text = |name| header.text(name).map_err(|_| Refusal::Header);
        let (alg, typ, kid) = (text("alg")?, text("typ")?, text("kid")?);
        if alg != PassAlgorithm::Hs256.alg() || typ != Purpose::Enqueue.typ() || !is_key_id(&kid) {
            return Err(Refusal::Header);
        }
        let known = self.openers.iter().find(|(key_id, _)| *key_id == kid);
        known.map(|(_, key)| key).ok_or(Refusal::UnknownKey)
    }
}

struct Claims {
    audience: String,
    event: String,
    token: EnqueueToken,
}

impl Claims {
    fn read(payload: &[u8]) -> Result<Self, Refusal> {
        let refusal = |claim| Refusal::Claims { claim };
        let mut members = Members::read(payload, CLAIM_NAMES).map_err(refusal)?;
        let found = members.number("v").map_err(refusal)?;
        if found != CLAIMS_VERSION {
            return Err(Refusal::Version { found });
        }
        let ip = members.optional_text("ip").map_err(refusal)?;
        let ip = ip.map(|ip| address(&ip).ok_or(refusal("ip"))).transpose()?;
        let mut text = |claim, longest| match members.text(claim) {
            Ok(text) if is_claim_text(&text) && text.len() <= longest => Ok(text),
            _ => Err(refusal(claim)),
        };
        Ok(Claims {
            audience: text("aud", MAX_NAME_BYTES)?,
            event: text("evt", MAX_NAME_BYTES)?,
            token: EnqueueToken {
                organizer: text("iss", MAX_NAME_BYTES)?,
                line: text("line", MAX_NAME_BYTES)?,
                key: text("key", MAX_MEMBER_KEY_BYTES)?,
                id: text("jti", MAX_NAME_BYTES)?,
                issued_at: members.number("iat").map_err(refusal)?,
                expires_at: members.number("exp").map_err(refusal)?,
                ip,
            },
        })
    }
}

/// An address in any of its spellings; an IPv4 address inside an IPv6 one is the IPv4 address.
fn address(text: &str) -> Option<IpAddr> {
    text.parse().ok().map(|ip: IpAddr| ip.to_canonical())
}
