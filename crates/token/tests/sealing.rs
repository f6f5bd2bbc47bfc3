//! What the edge seals: the documented bytes, read back as they were, within the length that is looked at.

mod forge;

use anteroom_token::{
    Challenge, EnqueueToken, FIND_AGAIN_SECONDS, LAST_PASS_SECONDS, MAX_MEMBER_KEY_BYTES,
    MAX_TOKEN_BYTES, OperatorEvents, OperatorRole, OperatorToken, Pass, PassAlgorithm, PassClaims,
    Permit, Refusal, Scope, SessionId, StaffToken, Ticket, Tokens,
};
use forge::{
    ENQUEUE, EVERY_KIND, NOW, OPERATOR, PASS, PERMIT, PUBLIC_PASS, SCOPE, STAFF, TICKET, tokens,
};

const NONCE: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

fn permit() -> Permit {
    Permit {
        nonce: NONCE,
        home: 7,
        issued_at: NOW - 60,
        expires_at: NOW + 120,
        challenge: Challenge::Work { bits: 16 },
        arrived_at: Some(NOW - 100),
    }
}

fn ticket() -> Ticket {
    Ticket {
        nonce: NONCE,
        home: 7,
        index: 42,
        line: 0,
        entry: Some(1234),
        rank: Some(987),
        arrived_at: NOW - 100,
        issued_at: NOW - 60,
        expires_at: NOW + 120,
    }
}

fn pass() -> Pass {
    let session = SessionId {
        home: 7,
        index: 42,
        generation: 1,
    };
    Pass {
        session,
        issued_at: NOW - 60,
        expires_at: NOW + 120,
        session_ends_at: NOW + 1140,
    }
}

fn operator() -> OperatorToken {
    OperatorToken {
        name: "night shift".to_owned(),
        role: OperatorRole::Operate,
        events: OperatorEvents::one(SCOPE.event),
        issued_at: NOW - 60,
        expires_at: NOW + 120,
    }
}

fn staff() -> StaffToken {
    StaffToken {
        id: NONCE,
        name: "box office".to_owned(),
        issued_at: NOW - 60,
        expires_at: NOW + 120,
    }
}

fn enqueue() -> EnqueueToken {
    EnqueueToken {
        organizer: "shop.example.com".to_owned(),
        line: "fans".to_owned(),
        key: "member-4711".to_owned(),
        id: "mail-0815".to_owned(),
        issued_at: NOW - 60,
        expires_at: NOW + 120,
        ip: None,
    }
}

#[test]
fn debug_output_of_an_invitation_does_not_say_who_was_invited() {
    let token = EnqueueToken {
        ip: Some("203.0.113.9".parse().unwrap()),
        ..enqueue()
    };
    let shown = format!("{token:?}");
    for secret in [&token.key, &token.id, "203.0.113.9"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(shown.contains("fans"), "{shown}");
}

/// Cookies, origins and operators hold these bytes: whoever changes them sends everybody back to the start.
#[test]
fn sealed_tokens_are_the_documented_bytes() {
    for kind in EVERY_KIND {
        let tokens = tokens(kind);
        let sealed = match kind.purpose {
            "permit" => tokens.seal_permit(&permit()),
            "ticket" => tokens.seal_ticket(&ticket()),
            "pass" => tokens.seal_pass(&pass()),
            "staff" => tokens.seal_staff(&staff()),
            "enqueue" => tokens.seal_enqueue(&enqueue()),
            _ => tokens.seal_operator(&operator()),
        };
        assert_eq!(sealed, kind.token(), "{kind:?}");
    }
}

// T21.
#[test]
fn a_check_makes_no_place_and_no_permit_is_a_check() {
    let tokens = tokens(PERMIT);
    let check = tokens.seal_check(&permit());
    assert_eq!(tokens.open_check(&check, NOW), Ok(permit()));
    assert!(tokens.open_permit(&check, NOW).is_err());
    assert!(tokens.open_expired_permit(&check, NOW).is_err());
    assert!(tokens.open_check(&PERMIT.token(), NOW).is_err());
    assert!(tokens.open_check(&check, permit().expires_at).is_err());
    assert!(tokens.open_ticket(&check, NOW).is_err());
}

#[test]
fn what_is_sealed_opens_as_it_was() {
    assert_eq!(
        tokens(PERMIT).open_permit(&PERMIT.token(), NOW),
        Ok(permit())
    );
    assert_eq!(
        tokens(TICKET).open_ticket(&TICKET.token(), NOW),
        Ok(ticket())
    );
    assert_eq!(
        tokens(OPERATOR).open_operator(&OPERATOR.token(), NOW),
        Ok(operator())
    );
    assert_eq!(tokens(STAFF).open_staff(&STAFF.token(), NOW), Ok(staff()));
    assert_eq!(
        tokens(ENQUEUE).open_enqueue(&ENQUEUE.token(), NOW, None),
        Ok(enqueue())
    );
    for kind in [PASS, PUBLIC_PASS] {
        assert_eq!(tokens(kind).open_pass(&kind.token(), NOW), Ok(pass()));
        let claims = PassClaims {
            event: SCOPE.event.to_owned(),
            run: SCOPE.run,
            session: pass().session,
            issued_at: NOW - 60,
            expires_at: NOW + 120,
            session_ends_at: NOW + 1140,
        };
        assert_eq!(claims.session_seconds_left(NOW), 1140);
        assert_eq!(claims.session_seconds_left(NOW + 2000), 0);
        assert_eq!(forge::verifier(kind).verify(&kind.token(), NOW), Ok(claims));
    }
}

#[test]
fn a_pass_never_outlives_its_session_by_more_than_the_last_form() {
    let late = Pass {
        expires_at: NOW + 9_000,
        session_ends_at: NOW + 10,
        ..pass()
    };
    let opened = tokens(PASS)
        .open_pass(&tokens(PASS).seal_pass(&late), NOW)
        .unwrap();
    assert_eq!(opened.expires_at, NOW + 10 + LAST_PASS_SECONDS);
}

#[test]
fn an_expired_permit_or_pass_still_finds_what_it_stood_for_for_a_day() {
    let expired_at = NOW + 120;
    let last = expired_at + FIND_AGAIN_SECONDS;
    for (now, opens, finds) in [
        (expired_at - 1, true, true),
        (expired_at, false, true),
        (last - 1, false, true),
        (last, false, false),
        (u64::MAX, false, false),
    ] {
        let tokens = tokens(PASS);
        let permit = tokens.seal_permit(&permit());
        assert_eq!(
            tokens.open_permit(&permit, now).is_ok(),
            opens,
            "permit at {now}"
        );
        assert_eq!(
            tokens.open_expired_permit(&permit, now).is_ok(),
            finds,
            "expired permit at {now}"
        );
        let pass = PASS.token();
        assert_eq!(tokens.open_pass(&pass, now).is_ok(), opens, "pass at {now}");
        assert_eq!(
            tokens.open_expired_pass(&pass, now).is_ok(),
            finds,
            "expired pass at {now}"
        );
    }
    let foreign = PERMIT.sign_claims(&PERMIT.claims_with("run", "2"));
    assert_eq!(
        tokens(PERMIT).open_expired_permit(&foreign, expired_at),
        Err(Refusal::WrongRun)
    );
}

#[test]
fn an_operator_token_for_every_event_or_several_opens_at_another_event_and_run() {
    let of = |events| {
        tokens(OPERATOR).seal_operator(&OperatorToken {
            events,
            ..operator()
        })
    };
    let everywhere = of(OperatorEvents::Every);
    let two = of(OperatorEvents::Named(vec![
        SCOPE.event.to_owned(),
        "club-night".to_owned(),
    ]));
    let one = tokens(OPERATOR).seal_operator(&operator());
    let elsewhere = Tokens::new(
        &forge::keyring(),
        Scope {
            event: "club-night",
            run: 9,
            ..SCOPE
        },
    );
    for (token, events) in [(&everywhere, "*"), (&two, "world-tour,club-night")] {
        for place in [&elsewhere, &tokens(OPERATOR)] {
            assert_eq!(
                place.open_operator(token, NOW).unwrap().events.claim(),
                events
            );
        }
    }
    assert_eq!(elsewhere.open_operator(&one, NOW), Err(Refusal::WrongEvent));
    assert_eq!(elsewhere.open_operator_of_any(&one, NOW), Ok(operator()));
    let next_run = Tokens::new(&forge::keyring(), Scope { run: 4, ..SCOPE });
    assert_eq!(next_run.open_operator(&one, NOW), Ok(operator()));
}

#[test]
fn the_longest_tokens_stay_within_the_limit() {
    let (name, host) = ("n".repeat(64), "h".repeat(253));
    let scope = Scope {
        issuer: &name,
        event: &name,
        run: u32::MAX,
        audience: &host,
    };
    let most = (1 << 53) - 1;
    let root =
        anteroom_token::RootKey::from_bytes(&"k".repeat(16), anteroom_token::SAMPLE_KEY_CURRENT)
            .unwrap();
    let keyring = anteroom_token::Keyring::from_root_keys(root, None).unwrap();
    let tokens = Tokens::with_algorithm(&keyring, scope, PassAlgorithm::Ed25519);
    let session = SessionId {
        home: u16::MAX,
        index: u32::MAX,
        generation: u32::MAX,
    };
    let longest = [
        tokens.seal_pass(&Pass {
            session,
            issued_at: most,
            expires_at: most,
            session_ends_at: most,
        }),
        tokens.seal_ticket(&Ticket {
            nonce: [0xff; 16],
            home: u16::MAX,
            index: u32::MAX,
            line: u8::MAX,
            entry: Some(most),
            rank: Some(most),
            arrived_at: most,
            issued_at: most,
            expires_at: most,
        }),
        tokens.seal_operator(&OperatorToken {
            name: name.clone(),
            events: OperatorEvents::Named(
                (0..3)
                    .map(|_| name.clone())
                    .enumerate()
                    .map(|(at, id)| format!("{at}{}", &id[1..]))
                    .collect(),
            ),
            issued_at: most,
            expires_at: most,
            ..operator()
        }),
        tokens.seal_staff(&StaffToken {
            name: name.clone(),
            issued_at: most,
            expires_at: most,
            ..staff()
        }),
        tokens.seal_enqueue(&EnqueueToken {
            organizer: name.clone(),
            line: name.clone(),
            key: "k".repeat(MAX_MEMBER_KEY_BYTES),
            id: name.clone(),
            issued_at: most,
            expires_at: most,
            ip: Some("2001:db8:1111:2222:3333:4444:5555:6666".parse().unwrap()),
        }),
    ];
    for token in &longest {
        assert!(token.len() <= MAX_TOKEN_BYTES, "{} bytes", token.len());
    }
    assert_eq!(longest[0].len(), 895);
}

#[test]
#[should_panic(expected = "event \"\" must be 1 to 64 bytes")]
fn a_scope_that_no_configuration_lets_through_stops_the_start() {
    Tokens::new(&forge::keyring(), Scope { event: "", ..SCOPE });
}
