//! The languages of the page: which one a visitor gets, and its words. The words live in
//! `static/locales/*.json`, one flat object a language with the same keys in all; the script in
//! the page uses the same keys, so a sentence exists once.
//!
//! A value is a text, or an object of texts by CLDR plural category. `{name}` is a place to fill.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use icu_locale_core::{Locale, locale};
use icu_plurals::{PluralCategory, PluralRules};
use serde::Deserialize;
use serde_json::Value;

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Language {
    /// English, also for everybody whose languages are not here.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Polish.
    Polish,
    /// Arabic, written from right to left, with the digits 0 to 9 that are read everywhere.
    Arabic,
}

/// How many entries of an `Accept-Language` header are read.
const MAX_ACCEPTED: usize = 20;

impl Language {
    /// All of them.
    pub const ALL: [Language; 6] = [
        Language::English,
        Language::German,
        Language::French,
        Language::Spanish,
        Language::Polish,
        Language::Arabic,
    ];

    /// The language that fits an `Accept-Language` header best (RFC 9110 section 12.5.4): the
    /// highest weight wins, the first among equals; anything unreadable is passed over.
    pub fn choose(accept_language: Option<&str>) -> Language {
        let mut best = (0, Language::English);
        for range in accept_language.unwrap_or("").split(',').take(MAX_ACCEPTED) {
            let mut parts = range.split(';');
            let tag = parts.next().unwrap_or("").trim();
            let weight = parts
                .find_map(|parameter| parameter.trim().strip_prefix("q="))
                .map_or(Some(1000), weight_milli);
            let (Some(language), Some(weight)) = (Language::from_tag(tag), weight) else {
                continue;
            };
            if weight > best.0 {
                best = (weight, language);
            }
        }
        best.1
    }

    /// The language of a tag such as `de-AT`, whatever its case.
    pub fn from_tag(tag: &str) -> Option<Language> {
        let primary = tag.split(['-', '_']).next().unwrap_or("");
        Language::ALL
            .into_iter()
            .find(|language| language.tag().eq_ignore_ascii_case(primary))
    }

    /// What goes into `lang`.
    pub const fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
            Language::French => "fr",
            Language::Spanish => "es",
            Language::Polish => "pl",
            Language::Arabic => "ar",
        }
    }

    /// What the script gives to `Intl`, so that both sides write the same digits.
    pub const fn intl_tag(self) -> &'static str {
        match self {
            Language::Arabic => "ar-u-nu-latn",
            other => other.tag(),
        }
    }

    /// Whose plural rules hold.
    const fn cldr(self) -> Locale {
        match self {
            Language::English => locale!("en"),
            Language::German => locale!("de"),
            Language::French => locale!("fr"),
            Language::Spanish => locale!("es"),
            Language::Polish => locale!("pl"),
            Language::Arabic => locale!("ar"),
        }
    }

    /// What goes into `dir`.
    pub const fn direction(self) -> &'static str {
        match self {
            Language::Arabic => "rtl",
            _ => "ltr",
        }
    }

    /// The words of this language, parsed at the first use.
    pub fn words(self) -> &'static Words {
        static PARSED: [OnceLock<Words>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        PARSED[self as usize].get_or_init(|| Words::parse(self))
    }

    const fn source(self) -> &'static str {
        match self {
            Language::English => include_str!("../../static/locales/en.json"),
            Language::German => include_str!("../../static/locales/de.json"),
            Language::French => include_str!("../../static/locales/fr.json"),
            Language::Spanish => include_str!("../../static/locales/es.json"),
            Language::Polish => include_str!("../../static/locales/pl.json"),
            Language::Arabic => include_str!("../../static/locales/ar.json"),
        }
    }

    /// The group separator, and how many digits must stand before the first one (CLDR).
    const fn grouping(self) -> (&'static str, usize) {
        match self {
            Language::English | Language::Arabic => (",", 1),
            Language::German => (".", 1),
            Language::French => ("\u{202f}", 1),
            Language::Spanish => (".", 2),
            Language::Polish => ("\u{a0}", 2),
        }
    }

    /// `number` as it is written in this language.
    pub fn number(self, number: u64) -> String {
        let digits = number.to_string();
        let (separator, before_first) = self.grouping();
        if digits.len() < 3 + before_first {
            return digits;
        }
        let mut written = String::with_capacity(digits.len() * 2);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                written.push_str(separator);
            }
            written.push(digit);
        }
        written
    }
}

/// A quality value (`0` to `1`, up to three decimals) in thousandths.
fn weight_milli(text: &str) -> Option<u32> {
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let readable = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let thousandths = format!("{decimals:0<3}").parse::<u32>().ok()?;
    match whole {
        "0" if readable => Some(thousandths),
        "1" if readable && thousandths == 0 => Some(1000),
        _ => None,
    }
}

/// The words of one language.
pub struct Words {
    language: Language,
    by_key: BTreeMap<String, Value>,
    for_script: String,
}

impl Words {
    fn parse(language: Language) -> Words {
        let by_key: BTreeMap<String, Value> =
            serde_json::from_str(language.source()).expect("static/locales holds objects");
        let of_script = by_key.iter().filter(|(key, _)| !key.starts_with("server."));
        let of_script: BTreeMap<&String, &Value> = of_script.collect();
        let for_script = serde_json::to_string(&of_script).expect("plain data becomes JSON");
        Words {
            language,
            for_script: super::room::inside_script(&for_script),
            by_key,
        }
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text of `key` with its places filled. A key that is not there is a programmer's
    /// mistake; the tests name every key.
    pub fn text(&self, key: &str, filled: &[(&str, &str)]) -> String {
        match self.by_key.get(key) {
            Some(Value::String(text)) => fill(text, filled),
            _ => panic!(
                "static/locales/{}.json: no text {key:?}",
                self.language.tag()
            ),
        }
    }

    /// The text of `key` for `count` of something; `{n}` becomes the count.
    pub fn plural(&self, key: &str, count: u64, filled: &[(&str, &str)]) -> String {
        let Some(Value::Object(forms)) = self.by_key.get(key) else {
            panic!(
                "static/locales/{}.json: no plural {key:?}",
                self.language.tag()
            );
        };
        let rules = PluralRules::try_new_cardinal(self.language.cldr().into());
        let rules = rules.expect("the rules of every language are compiled in");
        let category = rules.category_for(count);
        let form = forms
            .get(category_name(category))
            .or_else(|| forms.get("other"));
        let number = self.language.number(count);
        let mut with_number = vec![("n", number.as_str())];
        with_number.extend_from_slice(filled);
        fill(
            form.and_then(Value::as_str).unwrap_or_default(),
            &with_number,
        )
    }

    /// What the script needs, as JSON that may stand inside a `script` element: every word except those that begin with
    /// `server.`. Written once.
    pub fn for_script(&self) -> &str {
        &self.for_script
    }
}

const fn category_name(category: PluralCategory) -> &'static str {
    match category {
        PluralCategory::Zero => "zero",
        PluralCategory::One => "one",
        PluralCategory::Two => "two",
        PluralCategory::Few => "few",
        PluralCategory::Many => "many",
        PluralCategory::Other => "other",
    }
}

/// One pass, so that what was filled in is never filled again.
fn fill(text: &str, filled: &[(&str, &str)]) -> String {
    let mut written = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}') else {
            break;
        };
        let name = &rest[open + 1..open + close];
        written.push_str(&rest[..open]);
        match filled.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => written.push_str(value),
            None => written.push_str(&rest[open..=open + close]),
        }
        rest = &rest[open + close + 1..];
    }
    written.push_str(rest);
    written
}

#[cfg(test)]
#[path = "locale_tests.rs"]
mod tests;
