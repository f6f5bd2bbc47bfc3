//! The words of the small pages and of the calendar file: a text for each key, the same keys in every language.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::page::locale::Language;

/// The words of one language.
pub struct SheetWords {
    by_key: BTreeMap<String, String>,
}

/// The words of `language`, parsed at the first use.
pub fn words(language: Language) -> &'static SheetWords {
    static PARSED: [OnceLock<SheetWords>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    PARSED[language as usize].get_or_init(|| SheetWords {
        by_key: serde_json::from_str(source(language)).expect("static/locales/extra holds texts"),
    })
}

const fn source(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("../../static/locales/extra/en.json"),
        Language::German => include_str!("../../static/locales/extra/de.json"),
        Language::French => include_str!("../../static/locales/extra/fr.json"),
        Language::Spanish => include_str!("../../static/locales/extra/es.json"),
        Language::Polish => include_str!("../../static/locales/extra/pl.json"),
        Language::Arabic => include_str!("../../static/locales/extra/ar.json"),
    }
}

impl SheetWords {
    /// The text of `key`. One that is not there is a programmer's mistake; the tests render every page in every language.
    pub fn text(&self, key: &str) -> &str {
        match self.by_key.get(key) {
            Some(text) => text,
            None => panic!("static/locales/extra: no text {key:?}"),
        }
    }

    /// The text of `key` with `value` where `{name}` stands.
    pub fn fill(&self, key: &str, name: &str, value: &str) -> String {
        self.text(key).replace(&format!("{{{name}}}"), value)
    }

    /// What a script needs: the texts whose keys begin with `prefix`, by what follows it.
    pub fn beginning(&self, prefix: &str) -> BTreeMap<&str, &str> {
        let all = self.by_key.iter();
        all.filter_map(|(key, text)| Some((key.strip_prefix(prefix)?, text.as_str())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_the_same_keys_and_places_to_fill() {
        let places = |text: &str| {
            let mut names: Vec<String> = text
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(name, _)| name.to_owned())
                .collect();
            names.sort();
            names
        };
        let english = words(Language::English);
        for language in Language::ALL {
            let these = words(language);
            assert!(
                these.by_key.keys().eq(english.by_key.keys()),
                "{language:?}"
            );
            for (key, text) in &these.by_key {
                assert!(!text.trim().is_empty(), "{language:?} {key}");
                assert_eq!(
                    places(text),
                    places(english.text(key)),
                    "{language:?} {key}"
                );
            }
        }
    }
}
