//! The event's own colours over those of `static/colours.css`. They were checked for contrast when
//! they were configured; anything that is not `#rrggbb` is not written at all.

use super::view::Look;

/// The style rules of the look; empty without colours.
pub fn css(look: &Look) -> String {
    let mut css = String::new();
    if let Some(accent) = colour(look.accent.as_deref()) {
        css += &format!(
            ":root{{--main:{accent};--on-main:#fff;--glow:color-mix(in srgb,{accent} 12%,var(--paper))}}"
        );
    }
    if let Some(accent) = colour(look.accent_dark.as_deref()) {
        css += &format!(
            "@media(prefers-color-scheme:dark){{:root{{--main:{accent};--on-main:#0d1413;\
             --glow:color-mix(in srgb,{accent} 16%,var(--paper))}}}}"
        );
    } else if !css.is_empty() {
        // The night keeps its own colours where none are given for it.
        css = format!("@media(prefers-color-scheme:light){{{css}}}");
    }
    if let Some(accent) = colour(look.accent.as_deref()) {
        css += &format!(
            "[data-tone=turn]{{--paper:{accent};--glow:{accent};--card:{accent};--soft:#fff;--hair:#fff;\
             --main:#fff;--on-main:{accent};--warm:{accent};--warm-hair:#fff}}"
        );
    }
    css += if css.is_empty() {
        ""
    } else {
        "[data-tone=quiet]{--glow:var(--paper)}"
    };
    css
}

fn colour(text: Option<&str>) -> Option<&str> {
    text.filter(|text| {
        let digits = text.strip_prefix('#').unwrap_or_default();
        digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_six_hexadecimal_digits_are_a_colour() {
        for (text, is_one) in [
            ("#0a6153", true),
            ("#FFffFF", true),
            ("#fff", false),
            ("red", false),
            ("#0a6153}body{", false),
            ("#0a615é", false),
        ] {
            let look = Look {
                accent: Some(text.into()),
                ..Look::default()
            };
            assert_eq!(css(&look).contains(text), is_one, "{text}");
        }
        assert_eq!(css(&Look::default()), "");
    }
}
