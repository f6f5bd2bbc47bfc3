//! The hand-over code: with it a visitor takes a place along to another browser or phone.
//!
//! Twenty characters (see `crockford`): the shard that holds the place in the first four, so that nobody has to be asked
//! where it is, then 80 bits that nobody can guess: 56 of them are random, the last 24 are a mark of the others, by which
//! an edge knows a code that an edge made from one that somebody tried ([`Tokens::made_handover_code`]). The home stores
//! the hash of it alone, and decides.
//!
//! [`Tokens::made_handover_code`]: crate::Tokens::made_handover_code

use core::fmt;

use crate::crockford;
use crate::key_hash::{KEY_HASH_BYTES, handover_hash};

/// Random bytes of a hand-over code: of all the codes of a shard no two are alike.
pub const HANDOVER_RANDOM_BYTES: usize = 7;
/// Bytes of its mark: of 16 million that somebody tries one looks like ours, and is wrong all the same.
pub(crate) const HANDOVER_MARK_BYTES: usize = 3;
/// Bytes that nobody can guess.
const HANDOVER_SECRET_BYTES: usize = HANDOVER_RANDOM_BYTES + HANDOVER_MARK_BYTES;
const SECRET_BITS: u32 = HANDOVER_SECRET_BYTES as u32 * 8;

/// A hand-over code. `Display` shows it in groups of five.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HandoverCode {
    /// The shard that holds the place.
    home: u16,
    secret: [u8; HANDOVER_SECRET_BYTES],
}

impl HandoverCode {
    /// A code for a place at `home`, from random bytes and their mark.
    pub(crate) fn marked(
        home: u16,
        random: [u8; HANDOVER_RANDOM_BYTES],
        mark: [u8; HANDOVER_MARK_BYTES],
    ) -> Self {
        let secret = core::array::from_fn(|at| match at {
            0..HANDOVER_RANDOM_BYTES => random[at],
            _ => mark[at - HANDOVER_RANDOM_BYTES],
        });
        HandoverCode { home, secret }
    }

    /// Its random bytes.
    pub(crate) fn random(&self) -> [u8; HANDOVER_RANDOM_BYTES] {
        core::array::from_fn(|at| self.secret[at])
    }

    /// How far it is from the code with the same random bytes and this mark; 0: it is the same.
    pub(crate) fn differs(&self, mark: [u8; HANDOVER_MARK_BYTES]) -> u8 {
        let own = &self.secret[HANDOVER_RANDOM_BYTES..];
        own.iter()
            .zip(mark)
            .fold(0, |differs, (own, marked)| differs | (own ^ marked))
    }

    /// What somebody typed or a link brought; none if no such code can exist.
    pub fn read(typed: &str) -> Option<Self> {
        let bits = crockford::read(typed)?;
        let home = u16::try_from(bits >> SECRET_BITS).ok()?;
        let low = bits.to_be_bytes();
        let secret = low[low.len() - HANDOVER_SECRET_BYTES..].try_into().ok()?;
        Some(HandoverCode { home, secret })
    }

    /// The shard to ask.
    pub fn home(&self) -> u16 {
        self.home
    }

    /// The twenty characters without hyphens.
    pub fn text(&self) -> String {
        let mut low = [0; 16];
        low[16 - HANDOVER_SECRET_BYTES..].copy_from_slice(&self.secret);
        crockford::write(u128::from(self.home) << SECRET_BITS | u128::from_be_bytes(low))
    }

    /// What the home stores of it.
    pub fn hash(&self) -> [u8; KEY_HASH_BYTES] {
        handover_hash(&self.text())
    }
}

impl fmt::Display for HandoverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crockford::grouped(&self.text()))
    }
}

/// Whoever reads the code takes the place.
impl fmt::Debug for HandoverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandoverCode")
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keyring, RootKey, SAMPLE_KEY_CURRENT, SAMPLE_KEY_PREVIOUS, Scope, Tokens};

    #[test]
    fn a_code_says_where_the_place_is() {
        for home in [0, 1, 6399, u16::MAX] {
            let code = HandoverCode::marked(home, [0xa5; 7], [0xa5; 3]);
            assert_eq!(HandoverCode::read(&code.to_string()), Some(code));
            assert_eq!(HandoverCode::read(&code.text().to_lowercase()), Some(code));
            assert_eq!(code.home(), home);
            assert_eq!(code.text().len(), 20);
        }
    }

    /// A link holds for ten minutes, so these bytes may only change between deploys with a pause that long.
    #[test]
    fn the_text_is_the_documented_one() {
        let random = core::array::from_fn(|at| at as u8);
        assert_eq!(
            HandoverCode::marked(7, random, [7, 8, 9]).to_string(),
            "00070-00G40-R40M3-0E209"
        );
    }

    #[test]
    fn a_home_stores_the_hash_of_the_whole_text() {
        let code = |home, mark| HandoverCode::marked(home, [0xa5; 7], mark);
        let hash = code(7, [1; 3]).hash();
        assert_eq!(hash, handover_hash(&code(7, [1; 3]).text()));
        for other in [code(8, [1; 3]), code(7, [2; 3])] {
            assert_ne!(other.hash(), hash);
        }
    }

    // R5.
    #[test]
    fn an_edge_knows_the_codes_that_edges_make_and_no_other() {
        let root = |bytes| RootKey::from_bytes("k1", bytes).unwrap();
        let tokens = |bytes, run| {
            let keyring = Keyring::from_root_keys(root(bytes), None).unwrap();
            let scope = Scope {
                issuer: "live",
                event: "demo",
                run,
                audience: "tickets.example.com",
            };
            Tokens::new(&keyring, scope)
        };
        let ours = tokens(SAMPLE_KEY_CURRENT, 1);
        let code = ours.handover_code(7, [0xa5; HANDOVER_RANDOM_BYTES]);
        let typed = HandoverCode::read(&code.to_string().to_lowercase()).unwrap();
        assert!(ours.made_handover_code(&typed));
        for bit in 0..96 {
            let mut other = code;
            match bit {
                0..80 => other.secret[bit / 8] ^= 1 << (bit % 8),
                _ => other.home ^= 1 << (bit - 80),
            }
            assert!(!ours.made_handover_code(&other), "bit {bit}");
        }
        assert!(!tokens(SAMPLE_KEY_CURRENT, 2).made_handover_code(&code));
        assert!(!tokens(SAMPLE_KEY_PREVIOUS, 1).made_handover_code(&code));
    }

    #[test]
    fn a_code_with_an_impossible_home_is_none() {
        assert_eq!(
            HandoverCode::read("1ZZZZ-00000-00000-00000").map(|code| code.home()),
            Some(65535)
        );
        assert_eq!(HandoverCode::read("20000-00000-00000-00000"), None);
    }

    #[test]
    fn debug_output_holds_no_secret() {
        let code = HandoverCode::marked(7, [0xa5; 7], [0xa5; 3]);
        let shown = format!("{code:?}");
        assert!(
            !shown.contains("165") && !shown.contains(&code.text()),
            "{shown}"
        );
    }
}
