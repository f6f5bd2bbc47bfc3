//! What can be said of a token without asking anybody.

use super::refused;
use super::third_party::ThirdParty;
use crate::problem::Problem;

/// The longest token that is sent on, in characters: none is longer.
/// <https://developers.cloudflare.com/turnstile/get-started/server-side-validation/>
const MAX_TOKEN_CHARS: usize = 2_048;
/// The token of widgets with a site key for tests.
const DUMMY_TOKEN: &str = concat!("XX", "XX.DUMMY.TOKEN.XX", "XX");
/// Refuses a token that cannot hold.
pub fn look_at(token: &str, third_party: &ThirdParty) -> Result<(), Problem> {
    let is_plain = |byte: u8| byte.is_ascii_graphic();
    if token.len() > MAX_TOKEN_CHARS || !token.bytes().all(is_plain) {
        let allowed = format!("what the widget gave, up to {MAX_TOKEN_CHARS} characters");
        return Err(Problem::field("turnstile", &allowed));
    }
    match third_party.in_production && token == DUMMY_TOKEN {
        true => Err(refused("success")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::third_party;
    use super::*;

    // P12, P13.
    #[test]
    fn tokens_that_cannot_hold_are_refused_before_anybody_is_asked() {
        let (shop, here) = (third_party::sample(true), third_party::sample(false));
        let longest = "x".repeat(MAX_TOKEN_CHARS);
        let longer = "x".repeat(MAX_TOKEN_CHARS + 1);
        for (token, third_party, status) in [
            (longest.as_str(), &shop, None),
            (&longer, &shop, Some(400)),
            (&longer, &here, Some(400)),
            ("a b", &shop, Some(400)),
            ("\u{e4}", &shop, Some(400)),
            (DUMMY_TOKEN, &shop, Some(422)),
            (DUMMY_TOKEN, &here, None),
        ] {
            let refused = look_at(token, third_party).err();
            assert_eq!(
                refused.map(|problem| problem.status()),
                status,
                "{} bytes",
                token.len()
            );
        }
    }
}
