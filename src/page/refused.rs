//! How a form's answer tells the page that a code or an invitation does not do: a parameter of the
//! address that the form leads back to. The page takes it out of every address that it writes.

use super::view::{RefusedCode, WhyRefused};

/// The parameter's name.
const NAME: &str = "wr-code";
/// The longest text that is handed back to be corrected: a code with its hyphens, and some more.
const MAX_TYPED_CHARS: usize = 40;

/// `back` with what happened. Of what was typed only letters, digits, spaces and hyphens go along,
/// and nothing of an invitation.
pub fn mark(back: &str, why: WhyRefused, typed: &str) -> String {
    let (joint, why) = (if back.contains('?') { '&' } else { '?' }, name(why));
    let is_code = why == name(WhyRefused::Wrong);
    let kept: String = typed
        .chars()
        .filter(|_| is_code)
        .take(MAX_TYPED_CHARS)
        .filter_map(|letter| match letter {
            ' ' | '-' => Some('-'),
            letter if letter.is_ascii_alphanumeric() => Some(letter),
            _ => None,
        })
        .collect();
    let dot = if kept.is_empty() { "" } else { "." };
    format!("{back}{joint}{NAME}={why}{dot}{kept}")
}

/// What an address says of a refused code, and the address without it.
pub fn split(path_and_query: &str) -> (Option<RefusedCode>, String) {
    let untouched = || (None, path_and_query.to_owned());
    let Some((path, query)) = path_and_query.split_once('?') else {
        return untouched();
    };
    let value = |part: &str| {
        let (name, value) = part.split_once('=')?;
        (name == NAME).then(|| value.to_owned())
    };
    let Some(said) = query.split('&').find_map(value) else {
        return untouched();
    };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|part| value(part).is_none())
        .collect();
    let rest = match kept.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{}", kept.join("&")),
    };
    let (why, typed) = said.split_once('.').unwrap_or((&said, ""));
    let fits = typed.len() <= MAX_TYPED_CHARS
        && typed
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let found = [WhyRefused::Wrong, WhyRefused::Spent, WhyRefused::Invitation]
        .into_iter()
        .find(|known| name(*known) == why)
        .map(|why| RefusedCode {
            why,
            typed: if fits {
                typed.to_owned()
            } else {
                String::new()
            },
        });
    (found, rest)
}

/// Why, as addresses and the script's keys name it.
pub const fn name(why: WhyRefused) -> &'static str {
    match why {
        WhyRefused::Wrong => "wrong",
        WhyRefused::Spent => "spent",
        WhyRefused::Invitation => "invitation",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back_with_the_reason_and_the_address_is_clean_again() {
        for (back, why, typed, address, shown) in [
            (
                "/shop",
                WhyRefused::Wrong,
                "ab12-cd34",
                "/shop?wr-code=wrong.ab12-cd34",
                "ab12-cd34",
            ),
            (
                "/shop?a=1",
                WhyRefused::Wrong,
                " x\"<&%20é",
                "/shop?a=1&wr-code=wrong.-x20",
                "-x20",
            ),
            (
                "/shop",
                WhyRefused::Spent,
                "AB12",
                "/shop?wr-code=spent",
                "",
            ),
            (
                "/shop?a",
                WhyRefused::Invitation,
                "e.y.J",
                "/shop?a&wr-code=invitation",
                "",
            ),
        ] {
            assert_eq!(mark(back, why, typed), address);
            let expected = RefusedCode {
                why,
                typed: shown.into(),
            };
            assert_eq!(split(address), (Some(expected), back.to_owned()));
        }
    }

    #[test]
    fn an_address_that_was_made_up_shows_nothing_made_up() {
        for (address, found, rest) in [
            ("/shop", None, "/shop"),
            ("/shop?", None, "/shop?"),
            ("/shop?xwr-code=wrong", None, "/shop?xwr-code=wrong"),
            ("/shop?wr-code=lost.AB&b=2", None, "/shop?b=2"),
            ("/shop?wr-code=wrong.<b>", Some(""), "/shop"),
            ("/shop?wr-code=wrong.%3Cb%3E", Some(""), "/shop"),
        ] {
            let (refused, left) = split(address);
            let typed = refused.map(|refused| refused.typed);
            assert_eq!(
                (typed.as_deref(), left.as_str()),
                (found, rest),
                "{address}"
            );
        }
    }
}
