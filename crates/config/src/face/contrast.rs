//! Whether a colour can be read on another: the contrast ratio of WCAG 2.2.
//!
//! Ratio: <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>. Relative luminance:
//! <https://www.w3.org/TR/WCAG22/#dfn-relative-luminance>. The least: success criterion 1.4.3,
//! level AA, <https://www.w3.org/TR/WCAG22/#contrast-minimum>.

use std::fmt;

/// The least contrast of a text with what is behind it.
pub const LEAST_CONTRAST: f64 = 4.5;

/// A colour of the page, 8 bits for each of red, green and blue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Colour([u8; 3]);

impl Colour {
    /// Of the three bytes.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue])
    }

    /// Reads `#rrggbb`, in either case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let mut bytes = [0; 3];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = (digit(0)? * 16 + digit(1)?) as u8;
        }
        Some(Self(bytes))
    }

    /// This colour and another one, `percent` of it: `color-mix(in srgb, …)`.
    pub fn mixed(self, percent: u8, other: Colour) -> Colour {
        let part = f64::from(percent) / 100.0;
        let mut bytes = [0; 3];
        for (byte, (one, two)) in bytes.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            *byte = (f64::from(one) * part + f64::from(two) * (1.0 - part)).round() as u8;
        }
        Colour(bytes)
    }

    /// How much light it gives, 0 (black) to 1 (white).
    fn luminance(self) -> f64 {
        let linear = |byte: u8| {
            let part = f64::from(byte) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast ratio with another colour: 1 (none) to 21 (black and white).
    pub fn contrast(self, other: Colour) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl fmt::Debug for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_a_hash_and_six_digits() {
        for (text, read) in [
            ("#0a6153", Some("#0a6153")),
            ("#FFFFFF", Some("#ffffff")),
            ("#fff", None),
            ("0a6153", None),
            ("#0a61530", None),
            ("#0a615g", None),
            ("#+a6153", None),
            ("#\u{e9}\u{e9}\u{e9}", None),
            ("red", None),
            ("", None),
        ] {
            let colour = Colour::parse(text).map(|colour| colour.to_string());
            assert_eq!(colour.as_deref(), read, "{text}");
        }
    }

    #[test]
    fn a_mixture_lies_between_its_colours() {
        let (black, white) = (Colour::new(0, 0, 0), Colour::new(255, 255, 255));
        for (percent, mixed) in [
            (0, "#ffffff"),
            (100, "#000000"),
            (20, "#cccccc"),
            (12, "#e0e0e0"),
        ] {
            assert_eq!(black.mixed(percent, white).to_string(), mixed);
        }
    }

    /// The least grey that may stand on white, and the next lighter one, are widely published:
    /// <https://webaim.org/articles/contrast/> names #767676 with 4.54 and #777777 with 4.48.
    #[test]
    fn the_contrast_is_the_one_of_wcag() {
        for (one, other, hundredths) in [
            ("#000000", "#ffffff", 2100),
            ("#767676", "#ffffff", 454),
            ("#777777", "#ffffff", 447),
            ("#ff0000", "#ffffff", 399),
            ("#0000ff", "#ffffff", 859),
            ("#00ff00", "#ffffff", 137),
            ("#123456", "#123456", 100),
        ] {
            let (one, other) = (Colour::parse(one).unwrap(), Colour::parse(other).unwrap());
            let floored = |ratio: f64| (ratio * 100.0 + 1e-9).floor() as u32;
            assert_eq!(floored(one.contrast(other)), hundredths, "{one} {other}");
            assert_eq!(floored(other.contrast(one)), hundredths, "{other} {one}");
        }
    }
}
