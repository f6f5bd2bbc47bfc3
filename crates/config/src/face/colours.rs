//! The colours of an event on the page, and what they have to stand out from.

use super::contrast::{Colour, LEAST_CONTRAST};
use crate::fields::Fields;

/// By how much the accent colours `--glow`, by day, in percent; the rest is `--paper`.
pub const DAY_GLOW_PERCENT: u8 = 12;

/// The same by night.
pub const NIGHT_GLOW_PERCENT: u8 = 16;

/// What the page has by day or by night, whatever the event.
struct Scheme {
    /// What an accent stands on as text: `--paper`, `--card` and `--warm` of `static/colours.css`.
    /// `--glow` follows from the accent.
    backgrounds: [(&'static str, Colour); 3],
    /// What is written on an accent.
    text: Colour,
    glow_percent: u8,
}

const DAY: Scheme = Scheme {
    backgrounds: [
        ("paper", Colour::new(0xf4, 0xf2, 0xec)),
        ("card", Colour::new(0xff, 0xfe, 0xfb)),
        ("warm", Colour::new(0xfd, 0xf1, 0xd8)),
    ],
    text: Colour::new(0xff, 0xff, 0xff),
    glow_percent: DAY_GLOW_PERCENT,
};

const NIGHT: Scheme = Scheme {
    backgrounds: [
        ("paper", Colour::new(0x0d, 0x14, 0x13)),
        ("card", Colour::new(0x16, 0x1f, 0x1d)),
        ("warm", Colour::new(0x2b, 0x24, 0x14)),
    ],
    text: Colour::new(0x0d, 0x14, 0x13),
    glow_percent: NIGHT_GLOW_PERCENT,
};

const KEYS: &[&str] = &["accent", "accent_dark"];

const FORM: &str = "a colour as \"#rrggbb\"";

/// An accent: the colour of buttons and links (`--main` of the page).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accent {
    /// The colour itself.
    pub colour: Colour,
    /// What is written on it (`--on-main` of the page).
    pub text: Colour,
}

/// The colours of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colours {
    /// By day.
    pub day: Accent,
    /// By night.
    pub night: Accent,
}

/// Reads `colours`.
pub fn read(face: &mut Fields<'_>) -> Option<Colours> {
    let mut fields = face.table("colours", KEYS)?;
    let day = read_accent(&mut fields, "accent", &DAY);
    let night = read_accent(&mut fields, "accent_dark", &NIGHT);
    Some(Colours {
        day: day?,
        night: night?,
    })
}

fn read_accent(fields: &mut Fields<'_>, key: &str, scheme: &Scheme) -> Option<Accent> {
    let colour = fields.required_text(key, FORM, Colour::parse)?;
    let text = scheme.text;
    let (ratio, name, other) = scheme.worst(colour);
    if ratio < LEAST_CONTRAST {
        // Cut, not rounded: 4.498 must not read as 4.50.
        let shown = (ratio * 100.0).floor() / 100.0;
        fields.refuse(
            key,
            format!(
                "a colour with a contrast of at least {LEAST_CONTRAST}:1 (WCAG 2.2, 1.4.3) with what is behind it and on it; with the page's {name} {other} it has {shown:.2}:1"
            ),
        );
        return None;
    }
    Some(Accent { colour, text })
}

impl Scheme {
    /// The neighbour of an accent that it stands out from the least: the contrast, the name, and
    /// the colour.
    fn worst(&self, accent: Colour) -> (f64, &'static str, Colour) {
        let [(paper_name, paper), card, warm] = self.backgrounds;
        let neighbours = [
            ("glow", accent.mixed(self.glow_percent, paper)),
            card,
            warm,
            ("text on it", self.text),
        ];
        let mut worst = (accent.contrast(paper), paper_name, paper);
        for (name, neighbour) in neighbours {
            let ratio = accent.contrast(neighbour);
            if ratio < worst.0 {
                worst = (ratio, name, neighbour);
            }
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page's own value of `--name`, in the `nth` of the blocks that set it.
    fn of_the_page(name: &str, nth: usize) -> Colour {
        let css = include_str!("../../../../static/colours.css");
        let value = css
            .split(&format!("--{name}: "))
            .nth(nth + 1)
            .and_then(|rest| rest.split(';').next())
            .unwrap_or_else(|| panic!("--{name} is not in the style sheet"));
        let long = match value.strip_prefix('#') {
            Some(short) if short.len() == 3 => {
                format!(
                    "#{}",
                    short
                        .chars()
                        .flat_map(|digit| [digit; 2])
                        .collect::<String>()
                )
            }
            _ => value.to_owned(),
        };
        Colour::parse(&long).unwrap_or_else(|| panic!("--{name}: {value}"))
    }

    #[test]
    fn these_are_the_pages_own_colours() {
        for (nth, scheme) in [DAY, NIGHT].iter().enumerate() {
            for (name, colour) in scheme.backgrounds {
                assert_eq!(of_the_page(name, nth), colour, "--{name}");
            }
        }
    }

    #[test]
    fn the_pages_own_accents_would_be_taken() {
        for (nth, scheme) in [DAY, NIGHT].iter().enumerate() {
            let main = of_the_page("main", nth);
            assert!(scheme.worst(main).0 >= LEAST_CONTRAST, "{main}");
        }
    }
}
