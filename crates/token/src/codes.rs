//! Access codes: each proves by itself that we made it, so nothing is stored about a code until somebody uses it.
//!
//! A code is twenty characters (see `crockford`), 100 bits: a random id of 40, the uses less one in 10, and a MAC of 50.
//!
//! ```text
//! said = id << 10 | uses - 1                                                     (50 bits)
//! mac  = the first 50 bits of HMAC-SHA256(key, field(event) field(run as 4 bytes) field(line) field(said as 7 bytes))
//! field(bytes) = their length as 4 bytes, then the bytes; every number most significant byte first
//! ```
//!
//! The key is derived for the purpose `wr-code`. So a code of another event, run or line, or with other uses, is a wrong
//! one, and a guess is right once in 2^50: at 1,000 guesses a second once in 35,000 years. How often a code was used is
//! counted at its home, under its hash.

use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Keyring;
use crate::crockford;
use crate::derive::{PassAlgorithm, Purpose, derivation_info, derive};
use crate::key_hash::{KEY_HASH_BYTES, code_hash, push_field};

/// How often one code may be used at most: a company's or a fan club's; more people have an enqueue token each.
pub const MAX_CODE_USES: u16 = 1_000;
/// Bits of a code's random id.
pub const CODE_ID_BITS: u32 = 40;
const USES_BITS: u32 = 10;
const MAC_BITS: u32 = 50;
const SAID_BITS: u32 = CODE_ID_BITS + USES_BITS;
/// Bytes of what a code says, as they enter the MAC.
const SAID_BYTES: usize = 7;

const _: () = assert!(SAID_BITS + MAC_BITS == crockford::CODE_BITS);
const _: () = assert!(MAX_CODE_USES <= 1 << USES_BITS);
const _: () = assert!(SAID_BITS <= SAID_BYTES as u32 * 8);

/// An access code that we made. `Display` shows it in groups of five.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code {
    bits: u128,
}

impl Code {
    /// The random id, below 2^[`CODE_ID_BITS`].
    pub fn id(&self) -> u64 {
        self.said() >> USES_BITS
    }

    /// How often it may be used, 1 to [`MAX_CODE_USES`].
    pub fn uses(&self) -> u16 {
        (self.said() & ((1 << USES_BITS) - 1)) as u16 + 1
    }

    /// The twenty characters without hyphens, the same however it was typed: what its hash is made of.
    pub fn text(&self) -> String {
        crockford::write(self.bits)
    }

    /// What the home of this code, used for `line`, stores of it.
    pub fn hash(&self, line: &str) -> [u8; KEY_HASH_BYTES] {
        code_hash(line, &self.text())
    }

    fn said(&self) -> u64 {
        (self.bits >> MAC_BITS) as u64
    }

    fn mac(&self) -> u64 {
        self.bits as u64 & ((1 << MAC_BITS) - 1)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crockford::grouped(&self.text()))
    }
}

/// A code is as good as a key to whoever reads the log.
impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code")
            .field("uses", &self.uses())
            .finish_non_exhaustive()
    }
}

/// What makes and opens the codes of one event's run.
pub(crate) struct CodeMaker {
    scope: Vec<u8>,
    /// One for each root key, the sealing one first.
    macs: Vec<Hmac<Sha256>>,
}

impl CodeMaker {
    pub(crate) fn new(keyring: &Keyring, issuer: &str, event: &str, run: u32) -> Self {
        let info = derivation_info(Purpose::Code, PassAlgorithm::Hs256, issuer, "");
        let mac = |root| {
            Hmac::new_from_slice(&derive(root, &info)).expect("HMAC takes keys of any length")
        };
        let mut scope = Vec::new();
        push_field(&mut scope, event.as_bytes());
        push_field(&mut scope, &run.to_be_bytes());
        CodeMaker {
            scope,
            macs: keyring.all().map(mac).collect(),
        }
    }

    pub(crate) fn seal(&self, line: &str, id: u64, uses: u16) -> Code {
        assert!(
            id >> CODE_ID_BITS == 0,
            "a code's id has {CODE_ID_BITS} bits"
        );
        assert!(
            (1..=MAX_CODE_USES).contains(&uses),
            "a code may be used 1 to {MAX_CODE_USES} times"
        );
        let said = id << USES_BITS | u64::from(uses - 1);
        let mac = self.mac(&self.macs[0], line, said);
        Code {
            bits: u128::from(said) << MAC_BITS | u128::from(mac),
        }
    }

    pub(crate) fn open<'l>(
        &self,
        typed: &str,
        lines: impl IntoIterator<Item = (usize, &'l str)>,
    ) -> Option<(usize, Code)> {
        let bits = crockford::read(typed)?;
        let code = Code { bits };
        if code.uses() > MAX_CODE_USES {
            return None;
        }
        // One machine word: the comparison takes as long for any difference.
        let holds = |key, line| self.mac(key, line, code.said()) ^ code.mac() == 0;
        lines
            .into_iter()
            .find(|(_, line)| self.macs.iter().any(|key| holds(key, line)))
            .map(|(index, _)| (index, code))
    }

    fn mac(&self, key: &Hmac<Sha256>, line: &str, said: u64) -> u64 {
        let mut input = self.scope.clone();
        push_field(&mut input, line.as_bytes());
        push_field(&mut input, &said.to_be_bytes()[8 - SAID_BYTES..]);
        let whole = key.clone().chain_update(&input).finalize().into_bytes();
        let first = u64::from_be_bytes(whole[..8].try_into().expect("a MAC has 32 bytes"));
        first >> (u64::BITS - MAC_BITS)
    }
}
