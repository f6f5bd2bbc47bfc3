//! Root keys: the only secrets of a deployment, from which every other key is derived.
//!
//! A root key is 32 random bytes with an id, written `<id>:<base64url>`. Two may live at the same time: the current one
//! seals, both open. That is all a rotation needs: publish the new key beside the old one, exchange the two, and drop
//! the old one when nothing sealed with it can still be valid.
//!
//! A key that anybody could guess is refused before anything starts. Errors name the key's id and never its bytes, nor
//! an id that is not well formed: what stands there may be the secret itself.

use core::fmt;

use base64ct::{Base64UrlUnpadded, Encoding};

/// Bytes of a root key and of every derived key: the output size of SHA-256.
pub const KEY_BYTES: usize = 32;
/// The longest id of a root key. With the fingerprint of a pass key it still fits a short header.
pub const MAX_KEY_ID_BYTES: usize = 16;
/// The fewest different bytes in a key. Of 32 random bytes about 30 differ; fewer than 16 happen less than once in
/// 10^17 keys.
const MIN_DISTINCT_BYTES: usize = 16;
/// Keys that stand in published documents and test vectors.
const PUBLISHED_KEYS: [[u8; KEY_BYTES]; 2] = [SAMPLE_KEY_CURRENT, SAMPLE_KEY_PREVIOUS];

/// The current root key of the documentation and the test vectors. [`Keyring::parse`] refuses it.
pub const SAMPLE_KEY_CURRENT: [u8; KEY_BYTES] = [
    0x7b, 0xd1, 0x0e, 0x94, 0x3f, 0xa2, 0x58, 0xc6, 0x21, 0xe7, 0x8c, 0x45, 0xb9, 0x02, 0x6d, 0xf0,
    0x13, 0xaa, 0x5e, 0xd8, 0x64, 0x97, 0x2b, 0xcd, 0x30, 0x8f, 0xf6, 0x49, 0xb4, 0x1c, 0xe3, 0x76,
];
/// The previous root key of the documentation and the test vectors. [`Keyring::parse`] refuses it.
pub const SAMPLE_KEY_PREVIOUS: [u8; KEY_BYTES] = [
    0xc4, 0x38, 0x9d, 0x61, 0xfa, 0x07, 0xb2, 0x5b, 0x8e, 0x14, 0xd3, 0x7f, 0x26, 0xe9, 0x50, 0xac,
    0x6f, 0x81, 0x1b, 0xf4, 0xc9, 0x33, 0x5d, 0xa8, 0x0a, 0xe2, 0x77, 0x9c, 0x42, 0xbd, 0x16, 0xeb,
];

/// Why a key cannot be used. Names the key's id at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyError {
    /// Not written as `<id>:<base64url>`, or the id is not well formed.
    Form,
    /// What follows the id is not canonical base64url without padding.
    Encoding {
        /// The key's id.
        id: String,
    },
    /// Not 32 bytes.
    Length {
        /// The key's id.
        id: String,
        /// How many bytes there are.
        bytes: usize,
    },
    /// Somebody could guess it.
    Weak {
        /// The key's id.
        id: String,
        /// What gives it away.
        why: &'static str,
    },
    /// The current and the previous key carry the same id.
    SameId {
        /// The id of both.
        id: String,
    },
    /// Not a usable Ed25519 public key.
    PublicKey {
        /// The key's id.
        id: String,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Form => write!(
                f,
                "a key is written <id>:<base64url of {KEY_BYTES} bytes>, with an id of 1 to {MAX_KEY_ID_BYTES} of a-z 0-9 -"
            ),
            KeyError::Encoding { id } => write!(f, "key {id}: not base64url without padding"),
            KeyError::Length { id, bytes } => {
                write!(f, "key {id}: has {bytes} bytes, must have {KEY_BYTES}")
            }
            KeyError::Weak { id, why } => write!(
                f,
                "key {id}: {why}; make a new one from {KEY_BYTES} random bytes"
            ),
            KeyError::SameId { id } => write!(
                f,
                "key {id}: the current and the previous key have the same id"
            ),
            KeyError::PublicKey { id } => write!(f, "key {id}: not an Ed25519 public key"),
        }
    }
}

impl core::error::Error for KeyError {}

/// One root key: an id and 32 secret bytes.
#[derive(Clone)]
pub struct RootKey {
    id: String,
    bytes: [u8; KEY_BYTES],
}

impl RootKey {
    /// A root key from its parts. Checks the id only; what a deployment was configured with is read by
    /// [`Keyring::parse`], which also refuses weak and published keys.
    pub fn from_bytes(id: &str, bytes: [u8; KEY_BYTES]) -> Result<Self, KeyError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if id.is_empty() || id.len() > MAX_KEY_ID_BYTES || !id.bytes().all(plain) {
            return Err(KeyError::Form);
        }
        Ok(RootKey {
            id: id.to_owned(),
            bytes,
        })
    }

    /// Reads `<id>:<base64url of 32 bytes>` and refuses a weak key.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let (id, encoded) = text.trim().split_once(':').ok_or(KeyError::Form)?;
        let id = RootKey::from_bytes(id, [0; KEY_BYTES])?.id;
        let bytes = decode_key(&id, encoded)?;
        refuse_weak(&id, &bytes)?;
        Ok(RootKey { id, bytes })
    }

    /// The key's id, the `kid` of everything but passes.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key as it is written in a secret: `<id>:<base64url>`.
    pub fn to_secret_text(&self) -> String {
        format!(
            "{}:{}",
            self.id,
            Base64UrlUnpadded::encode_string(&self.bytes)
        )
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.bytes
    }
}

impl fmt::Debug for RootKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// The root keys of a deployment: the current one seals, both open.
#[derive(Debug, Clone)]
pub struct Keyring {
    current: RootKey,
    previous: Option<RootKey>,
}

impl Keyring {
    /// Reads the secrets' text, each `<id>:<base64url of 32 bytes>`. An empty `previous` counts as none.
    pub fn parse(current: &str, previous: Option<&str>) -> Result<Keyring, KeyError> {
        let previous = previous
            .filter(|text| !text.trim().is_empty())
            .map(RootKey::parse)
            .transpose()?;
        Keyring::from_root_keys(RootKey::parse(current)?, previous)
    }

    /// A keyring from keys that are already there.
    pub fn from_root_keys(
        current: RootKey,
        previous: Option<RootKey>,
    ) -> Result<Keyring, KeyError> {
        match &previous {
            Some(other) if other.id == current.id => Err(KeyError::SameId { id: current.id }),
            _ => Ok(Keyring { current, previous }),
        }
    }

    /// The key that seals.
    pub fn current(&self) -> &RootKey {
        &self.current
    }

    /// All keys that open, the sealing one first.
    pub fn all(&self) -> impl Iterator<Item = &RootKey> {
        core::iter::once(&self.current).chain(&self.previous)
    }
}

pub(crate) fn decode_key(id: &str, encoded: &str) -> Result<[u8; KEY_BYTES], KeyError> {
    let bytes = Base64UrlUnpadded::decode_vec(encoded.trim())
        .map_err(|_| KeyError::Encoding { id: id.to_owned() })?;
    let count = bytes.len();
    bytes.try_into().map_err(|_| KeyError::Length {
        id: id.to_owned(),
        bytes: count,
    })
}

pub(crate) fn refuse_weak(id: &str, bytes: &[u8; KEY_BYTES]) -> Result<(), KeyError> {
    let mut seen = [false; 256];
    bytes
        .iter()
        .for_each(|byte| seen[usize::from(*byte)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    let step = |pair: &[u8]| pair[1].wrapping_sub(pair[0]);
    let counts_up = bytes.windows(2).all(|pair| step(pair) == step(&bytes[..2]));
    let why = if PUBLISHED_KEYS.contains(bytes) {
        "a published sample key"
    } else if counts_up {
        "a sequence of numbers, not random bytes"
    } else if distinct < MIN_DISTINCT_BYTES {
        "too few different bytes to be random"
    } else if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        "text, not random bytes"
    } else {
        return Ok(());
    };
    Err(KeyError::Weak {
        id: id.to_owned(),
        why,
    })
}
