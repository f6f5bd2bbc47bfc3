use super::*;

#[test]
fn the_language_is_the_best_of_those_that_the_browser_accepts() {
    for (header, expected) in [
        ("", Language::English),
        ("de", Language::German),
        ("de-AT,de;q=0.9,en;q=0.8", Language::German),
        ("en;q=0.8,pl;q=0.9", Language::Polish),
        ("ja,ko;q=0.9", Language::English),
        ("ja, FR-ca;q=0.5", Language::French),
        ("es;q=0,ar;q=0.001", Language::Arabic),
        ("*", Language::English),
        ("de;q=2,fr;q=0.1", Language::French),
        ("de;q=x,fr;q=0.1", Language::French),
        (";;;,,;q=,\u{fffd},es", Language::Spanish),
    ] {
        assert_eq!(Language::choose(Some(header)), expected, "{header:?}");
    }
    assert_eq!(Language::choose(None), Language::English);
}

#[test]
fn only_the_first_entries_of_a_long_header_are_read() {
    let header = format!("{}de", "ja,".repeat(MAX_ACCEPTED));
    assert_eq!(Language::choose(Some(&header)), Language::English);
}

#[test]
fn numbers_are_written_as_in_the_language() {
    for (language, number, expected) in [
        (Language::English, 0, "0"),
        (Language::English, 1_234, "1,234"),
        (Language::German, 1_234_567, "1.234.567"),
        (Language::French, 12_345, "12\u{202f}345"),
        (Language::Spanish, 1_234, "1234"),
        (Language::Spanish, 12_345, "12.345"),
        (Language::Polish, 9_999, "9999"),
        (Language::Polish, 10_000, "10\u{a0}000"),
        (Language::Arabic, 50_000_000, "50,000,000"),
    ] {
        assert_eq!(language.number(number), expected);
    }
}

#[test]
fn a_filled_place_is_not_filled_again() {
    assert_eq!(
        fill("{a} and {b}, {c}", &[("a", "{b}"), ("b", "x")]),
        "{b} and x, {c}"
    );
    assert_eq!(fill("open {a", &[("a", "x")]), "open {a");
}

#[test]
fn every_language_has_the_keys_of_english_and_fills_the_same_places() {
    let english = Language::English.words();
    for language in Language::ALL {
        let words = language.words();
        let keys: Vec<_> = words.by_key.keys().collect();
        assert_eq!(
            keys,
            english.by_key.keys().collect::<Vec<_>>(),
            "{language:?}"
        );
        for (key, value) in &words.by_key {
            let places = |value: &Value| {
                let mut places: Vec<String> = fullest(value)
                    .split('{')
                    .skip(1)
                    .filter_map(|part| part.split_once('}'))
                    .map(|(name, _)| name.to_owned())
                    .collect();
                places.sort();
                places.dedup();
                places
            };
            assert_eq!(
                places(value),
                places(&english.by_key[key]),
                "{language:?} {key}"
            );
        }
    }
}

/// The text, or the form for most counts.
fn fullest(value: &Value) -> &str {
    value
        .as_str()
        .or_else(|| value["other"].as_str())
        .expect("a text or plural forms")
}

#[test]
fn a_plural_has_the_forms_that_its_language_tells_apart() {
    for (language, needed) in [
        (Language::English, &["one", "other"][..]),
        (Language::German, &["one", "other"]),
        (Language::French, &["one", "other"]),
        (Language::Spanish, &["one", "other"]),
        (Language::Polish, &["one", "few", "many", "other"]),
        (
            Language::Arabic,
            &["zero", "one", "two", "few", "many", "other"],
        ),
    ] {
        for (key, value) in &language.words().by_key {
            let Value::Object(forms) = value else {
                continue;
            };
            for form in needed {
                assert!(
                    forms.contains_key(*form),
                    "{language:?} {key}: no form {form:?}"
                );
            }
        }
    }
}

#[test]
fn counts_choose_their_form_by_the_rules_of_the_language() {
    for (language, count, expected) in [
        (Language::English, 1, "1 person ahead of you."),
        (Language::English, 21, "21 people ahead of you."),
        (Language::French, 0, "0 personne devant vous."),
        (Language::Polish, 2, "2 osoby przed Tobą."),
        (Language::Polish, 12, "12 osób przed Tobą."),
        (Language::Polish, 12_432, "12\u{a0}432 osoby przed Tobą."),
        (Language::Arabic, 2, "شخصان أمامك."),
        (Language::Arabic, 103, "103 أشخاص أمامك."),
        (Language::Arabic, 12_430, "12,430 شخصًا أمامك."),
        (Language::Arabic, 50_000_000, "50,000,000 شخص أمامك."),
    ] {
        let said = language.words().plural("announce.ahead", count, &[]);
        assert_eq!(said, expected, "{language:?}");
    }
}
