//! Access codes: made without storing anything, opened however they are typed, and worth nothing elsewhere.

#![cfg(not(target_arch = "wasm32"))]

mod forge;

use anteroom_token::{Keyring, RootKey, SAMPLE_KEY_PREVIOUS, Scope, SessionId, Tokens};
use forge::{PASS, ROOTS, SCOPE, STAFF, keyring, tokens};
use proptest::prelude::*;

const ID: u64 = 0x12_3456_789a;
/// Printed on paper: whoever changes these bytes makes every code worthless that was ever given out.
const DOCUMENTED: &str = "28T5C-Y4T04-GXEF7-2FGK9";
const LINES: [(usize, &str); 2] = [(1, "fans"), (3, "press")];

fn elsewhere(scope: Scope<'_>) -> Tokens {
    Tokens::new(&keyring(), scope)
}

#[test]
fn a_code_is_the_documented_text_and_says_its_id_and_uses() {
    let code = tokens(PASS).seal_code("fans", ID, 5);
    assert_eq!(code.to_string(), DOCUMENTED);
    assert_eq!(code.text(), DOCUMENTED.replace('-', ""));
    assert_eq!((code.id(), code.uses()), (ID, 5));
    assert!(include_str!("../../../docs/tokens.md").contains(DOCUMENTED));
}

#[test]
fn a_code_opens_its_line_however_it_is_typed() {
    for typed in [
        DOCUMENTED.to_owned(),
        DOCUMENTED.to_lowercase(),
        DOCUMENTED.replace('-', ""),
        DOCUMENTED.replace('-', " "),
        DOCUMENTED.replace('0', "O"),
        DOCUMENTED.replace('0', "o"),
        format!("  {}\n", DOCUMENTED.replace('-', "\u{2013}")),
    ] {
        let opened = tokens(PASS).open_code(&typed, LINES);
        let (line, code) = opened.unwrap_or_else(|| panic!("{typed:?}"));
        assert_eq!((line, code.id(), code.uses()), (1, ID, 5), "{typed:?}");
        assert_eq!(code.text(), DOCUMENTED.replace('-', ""));
    }
}

#[test]
fn a_text_is_read_up_to_its_longest() {
    for (bytes, reads) in [(100, true), (101, false)] {
        let typed = format!("{DOCUMENTED:bytes$}");
        let opened = tokens(PASS).open_code(&typed, LINES);
        assert_eq!(opened.is_some(), reads, "{bytes} bytes");
    }
}

#[test]
fn a_code_of_another_event_run_deployment_or_line_is_a_wrong_one() {
    for (name, scope) in [
        (
            "event",
            Scope {
                event: "world-tour-2",
                ..SCOPE
            },
        ),
        ("run", Scope { run: 4, ..SCOPE }),
        (
            "deployment",
            Scope {
                issuer: "staging",
                ..SCOPE
            },
        ),
    ] {
        assert!(
            elsewhere(scope).open_code(DOCUMENTED, LINES).is_none(),
            "another {name}"
        );
    }
    let moved = elsewhere(Scope {
        audience: "other.example.com",
        ..SCOPE
    });
    assert!(
        moved.open_code(DOCUMENTED, LINES).is_some(),
        "the host does not matter"
    );
    assert!(tokens(PASS).open_code(DOCUMENTED, [(3, "press")]).is_none());
    assert!(tokens(PASS).open_code(DOCUMENTED, []).is_none());
}

#[test]
fn a_code_outlives_a_rotation_and_not_the_removal_of_its_key() {
    let root = |id, bytes| RootKey::from_bytes(id, bytes).unwrap();
    let (old, new) = (root("k1", SAMPLE_KEY_PREVIOUS), root("k2", ROOTS[0].1));
    let with = |current: &RootKey, previous: Option<&RootKey>| {
        Tokens::new(
            &Keyring::from_root_keys(current.clone(), previous.cloned()).unwrap(),
            SCOPE,
        )
    };
    let code = with(&old, None).seal_code("fans", ID, 1).to_string();
    assert!(with(&new, Some(&old)).open_code(&code, LINES).is_some());
    assert!(with(&new, None).open_code(&code, LINES).is_none());
}

#[test]
#[should_panic(expected = "1 to 1000 times")]
fn a_code_for_nobody_is_not_made() {
    tokens(PASS).seal_code("fans", ID, 0);
}

#[test]
#[should_panic(expected = "1 to 1000 times")]
fn a_code_for_everybody_is_not_made() {
    tokens(PASS).seal_code("fans", ID, 1_001);
}

#[test]
fn debug_output_holds_no_code() {
    let code = tokens(PASS).seal_code("fans", ID, 5);
    let shown = format!("{code:?}");
    assert!(
        !shown.contains(&code.text()) && !shown.contains(&ID.to_string()),
        "{shown}"
    );
}

/// Everybody's pass while everything passes is nobody's, and no member of staff's.
#[test]
fn nobodys_session_is_not_one_of_staff() {
    assert!(!SessionId::NONE.is_staff());
    assert!(!SessionId::parse("7.42.1").unwrap().is_staff());
    let every_bit = anteroom_token::StaffToken {
        id: [0xff; 16],
        ..tokens(STAFF)
            .open_staff(&STAFF.token(), forge::NOW)
            .unwrap()
    };
    let session = every_bit.pass(forge::NOW, 60).session;
    assert_eq!(session.to_string(), "65535.2147483647.4294967295");
    assert!(session.is_staff());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_code_opens_as_it_was_sealed(id in 0u64..1 << 40, uses in 1u16..=1_000, line in "[a-z0-9-]{1,40}") {
        let code = tokens(PASS).seal_code(&line, id, uses);
        prop_assert_eq!((code.id(), code.uses(), code.text().len()), (id, uses, 20));
        let others = [(0, "general"), (7, line.as_str())];
        prop_assert_eq!(tokens(PASS).open_code(&code.to_string(), others), Some((7, code)));
    }

    /// A character that is typed wrong never opens anything: neither this code nor another.
    #[test]
    fn one_wrong_character_is_a_wrong_code(
        id in 0u64..1 << 40, uses in 1u16..=1_000, at in 0usize..20, other in "[0-9A-HJKMNP-TV-Z]",
    ) {
        let code = tokens(PASS).seal_code("fans", id, uses).text();
        let mut typed = code.clone();
        typed.replace_range(at..=at, &other);
        prop_assert_eq!(tokens(PASS).open_code(&typed, LINES).is_some(), typed == code);
    }

    #[test]
    fn a_guess_is_wrong(guess in "[0-9A-HJKMNP-TV-Z]{20}") {
        prop_assert!(tokens(PASS).open_code(&guess, LINES).is_none());
    }

    #[test]
    fn two_codes_of_a_line_have_two_hashes(a in 0u64..1 << 40, b in 0u64..1 << 40) {
        let hash = |id| tokens(PASS).seal_code("fans", id, 1).hash("fans");
        prop_assert_eq!(a == b, hash(a) == hash(b));
        prop_assert_ne!(hash(a), tokens(PASS).seal_code("fans", a, 1).hash("press"));
    }
}
