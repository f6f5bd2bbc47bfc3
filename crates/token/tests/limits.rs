//! Where a limit lies exactly, and what stands for a thing and for no other: what small changes of the code would move
//! without any other test noticing.

mod forge;

use anteroom_token::{
    Challenge, FIND_AGAIN_SECONDS, KeyError, Keyring, MAX_NAME_BYTES, OperatorEvents, OperatorRole,
    OperatorToken, Permit, RootKey, SAMPLE_KEY_CURRENT, Scope, StaffToken, Tokens,
    permit_signature,
};
use base64ct::{Base64UrlUnpadded, Encoding};
use forge::{NOW, PASS, SCOPE, segments, tokens};

#[test]
fn a_mark_stands_for_one_thing_in_one_run_under_one_key() {
    let mark = tokens(PASS).mark(b"10.0.0.0/24");
    assert_eq!(tokens(PASS).mark(b"10.0.0.0/24"), mark);
    let of = |scope| Tokens::new(&forge::keyring(), scope).mark(b"10.0.0.0/24");
    let root = RootKey::from_bytes("k3", SAMPLE_KEY_CURRENT).unwrap();
    let keyring = Keyring::from_root_keys(root, None).unwrap();
    for (what, other) in [
        ("thing", tokens(PASS).mark(b"10.0.1.0/24")),
        ("run", of(Scope { run: 9, ..SCOPE })),
        (
            "event",
            of(Scope {
                event: "other",
                ..SCOPE
            }),
        ),
        ("key", Tokens::new(&keyring, SCOPE).mark(b"10.0.0.0/24")),
    ] {
        assert_ne!(other, mark, "another {what}");
    }
}

#[test]
fn a_mark_of_several_things_knows_where_one_ends() {
    let tokens = tokens(PASS);
    let mark = tokens.mark_of(&[b"ab", b"c"]);
    assert_eq!(tokens.mark_of(&[b"ab", b"c"]), mark);
    let others: [&[&[u8]]; 4] = [
        &[b"a", b"bc"],
        &[b"abc"],
        &[b"c", b"ab"],
        &[b"ab", b"c", b""],
    ];
    for other in others {
        assert_ne!(tokens.mark_of(other), mark, "{other:?}");
    }
}

#[test]
fn a_widget_is_asked_for_by_the_challenges_that_name_it() {
    for (challenge, asks) in [
        (Challenge::None, false),
        (Challenge::Work { bits: 9 }, false),
        (Challenge::Turnstile { bits: 9 }, true),
        (Challenge::WorkAndTurnstile { bits: 9 }, true),
    ] {
        assert_eq!(challenge.asks_turnstile(), asks, "{challenge:?}");
    }
}

#[test]
fn work_is_about_the_signature_that_a_permit_carries() {
    let sealed = tokens(PASS).seal_permit(&Permit {
        nonce: [3; 16],
        home: 1,
        issued_at: NOW,
        expires_at: NOW + 300,
        challenge: Challenge::Work { bits: 9 },
        arrived_at: None,
    });
    let [_, _, signature] = segments(&sealed);
    let expected = Base64UrlUnpadded::decode_vec(signature).unwrap();
    assert_eq!(permit_signature(&sealed).map(Vec::from), Some(expected));
    assert_eq!(permit_signature("no token"), None);
}

#[test]
fn the_longest_name_is_taken_of_operators_and_of_staff() {
    let name = "n".repeat(MAX_NAME_BYTES);
    let tokens = tokens(PASS);
    let operator = OperatorToken {
        name: name.clone(),
        role: OperatorRole::View,
        events: OperatorEvents::Every,
        issued_at: NOW,
        expires_at: NOW + 60,
    };
    let opened = tokens.open_operator(&tokens.seal_operator(&operator), NOW);
    assert_eq!(opened.map(|operator| operator.name), Ok(name.clone()));
    let staff = StaffToken {
        id: [7; 16],
        name: name.clone(),
        issued_at: NOW,
        expires_at: NOW + 60,
    };
    let opened = tokens.open_staff(&tokens.seal_staff(&staff), NOW);
    assert_eq!(opened.map(|staff| staff.name), Ok(name));
}

// T5.
#[test]
fn a_key_of_fewer_than_sixteen_different_bytes_is_too_weak() {
    for (distinct, is_weak) in [(14, true), (15, true), (16, false), (17, false)] {
        // No sequence and no text: 101 is odd, so its multiples are all different.
        let bytes: [u8; 32] =
            core::array::from_fn(|at| ((at % distinct) as u8).wrapping_mul(101) ^ 0x80);
        let text = format!("k1:{}", Base64UrlUnpadded::encode_string(&bytes));
        let refused = Keyring::parse(&text, None).err();
        let weak = matches!(refused, Some(KeyError::Weak { .. }));
        assert_eq!(weak, is_weak, "{distinct}: {refused:?}");
    }
}

#[test]
fn what_is_over_is_found_again_for_a_day() {
    assert_eq!(FIND_AGAIN_SECONDS, 86_400);
}
