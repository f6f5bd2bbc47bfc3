//! The hand-over code: with it a visitor takes a place along to another browser or phone.
//!
//! Twenty characters (see `crockford`): the shard that holds the place in the first four, so that nobody has to be asked
//! where it is, then 80 random bits. The home stores its hash alone.

use core::fmt;

use crate::crockford;
use crate::key_hash::{KEY_HASH_BYTES, handover_hash};

/// Random bytes of a hand-over code.
pub const HANDOVER_SECRET_BYTES: usize = 10;
const SECRET_BITS: u32 = HANDOVER_SECRET_BYTES as u32 * 8;

/// A hand-over code. `Display` shows it in groups of five.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HandoverCode {
    /// The shard that holds the place.
    home: u16,
    secret: [u8; HANDOVER_SECRET_BYTES],
}

impl HandoverCode {
    /// A code for a place at `home`, from random bytes.
    pub fn new(home: u16, secret: [u8; HANDOVER_SECRET_BYTES]) -> Self {
        HandoverCode { home, secret }
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

    #[test]
    fn a_code_says_where_the_place_is() {
        for home in [0, 1, 6399, u16::MAX] {
            let code = HandoverCode::new(home, [0xa5; HANDOVER_SECRET_BYTES]);
            assert_eq!(HandoverCode::read(&code.to_string()), Some(code));
            assert_eq!(HandoverCode::read(&code.text().to_lowercase()), Some(code));
            assert_eq!(code.home(), home);
            assert_eq!(code.text().len(), 20);
        }
    }

    /// A link holds for ten minutes, so these bytes may only change between deploys with a pause that long.
    #[test]
    fn the_text_is_the_documented_one() {
        let secret = core::array::from_fn(|at| at as u8);
        assert_eq!(
            HandoverCode::new(7, secret).to_string(),
            "00070-00G40-R40M3-0E209"
        );
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
        let code = HandoverCode::new(7, [0xa5; HANDOVER_SECRET_BYTES]);
        let shown = format!("{code:?}");
        assert!(
            !shown.contains("165") && !shown.contains(&code.text()),
            "{shown}"
        );
    }
}
