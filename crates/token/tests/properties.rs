//! What holds for every value: round trips, separation, times.

#![cfg(not(target_arch = "wasm32"))]

mod forge;

use anteroom_token::{
    Challenge, EnqueueToken, MAX_WORK_BITS, Pass, Permit, Refusal, Scope, SessionId, StaffToken,
    Ticket, Tokens, permit_signature,
};
use forge::{ENQUEUE, NOW, PASS, STAFF, keyring, tokens, verifier};
use proptest::prelude::*;

const LARGEST: u64 = (1 << 53) - 1;

prop_compose! {
    fn any_session()(home: u16, index: u32, generation: u32) -> SessionId {
        SessionId { home, index, generation }
    }
}

prop_compose! {
    fn any_ticket()(
        nonce: [u8; 16], home: u16, index: u32, line: u8, arrived_at in 0..=LARGEST, expires_at in NOW + 1..=LARGEST,
        issued_at in 0..=NOW, entry in proptest::option::of(0..=LARGEST), rank in proptest::option::of(0..=LARGEST),
    ) -> Ticket {
        Ticket { nonce, home, index, line, entry, rank: entry.and(rank), arrived_at, issued_at, expires_at }
    }
}

prop_compose! {
    fn any_permit()(
        nonce: [u8; 16], home: u16, issued_at in 0..=NOW, expires_at in NOW + 1..=LARGEST,
        arrived_at in proptest::option::of(0..=LARGEST), bits in proptest::option::of(1..=MAX_WORK_BITS),
    ) -> Permit {
        let challenge = match (bits, home % 3) {
            (None, _) => Challenge::None,
            (Some(bits), 0) => Challenge::Work { bits },
            (Some(bits), 1) => Challenge::Turnstile { bits },
            (Some(bits), _) => Challenge::WorkAndTurnstile { bits },
        };
        Permit { nonce, home, issued_at, expires_at, challenge, arrived_at }
    }
}

prop_compose! {
    fn any_enqueue_token()(
        organizer in "[ !#-\\[\\]-~]{1,64}", line in "[a-z0-9-]{1,40}", key in "[ !#-\\[\\]-~]{1,128}",
        id in "[ !#-\\[\\]-~]{1,64}", issued_at in 0..=NOW, life in 1u64..5_184_000, ip: Option<std::net::Ipv4Addr>,
    ) -> EnqueueToken {
        let expires_at = issued_at + life;
        EnqueueToken { organizer, line, key, id, issued_at, expires_at, ip: ip.map(Into::into) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_ticket_opens_as_it_was_sealed(ticket in any_ticket()) {
        let tokens = tokens(PASS);
        prop_assert_eq!(tokens.open_ticket(&tokens.seal_ticket(&ticket), NOW), Ok(ticket));
    }

    #[test]
    fn every_permit_opens_as_it_was_sealed(permit in any_permit()) {
        let tokens = tokens(PASS);
        let token = tokens.seal_permit(&permit);
        prop_assert_eq!(tokens.open_permit(&token, NOW), Ok(permit));
        prop_assert!(permit_signature(&token).is_some());
    }

    #[test]
    fn every_enqueue_token_opens_as_it_was_sealed(token in any_enqueue_token()) {
        let (tokens, ip) = (tokens(ENQUEUE), token.ip.map(|ip| ip.to_string()));
        let sealed = tokens.seal_enqueue(&token);
        let now = token.issued_at;
        prop_assert_eq!(tokens.open_enqueue(&sealed, now, ip.as_deref()), Ok(token));
    }

    /// The pass of a staff token holds until the token's end and no second longer, and names the same session each time.
    #[test]
    fn a_staff_token_passes_until_its_end(id: [u8; 16], late in 0u64..14_400, pass_seconds in 30u64..300) {
        let staff = StaffToken { id, name: "x".into(), issued_at: NOW, expires_at: NOW + 14_400 };
        let pass = staff.pass(NOW + late, pass_seconds);
        let first = staff.pass(NOW, pass_seconds);
        prop_assert_eq!((pass.session, pass.session_ends_at), (first.session, staff.expires_at));
        prop_assert!(pass.session.is_staff());
        prop_assert!(pass.expires_at <= staff.expires_at && pass.expires_at <= NOW + late + pass_seconds);
        prop_assert!(tokens(PASS).open_pass(&tokens(PASS).seal_pass(&pass), NOW + late).is_ok());
        prop_assert!(tokens(STAFF).open_staff(&tokens(STAFF).seal_staff(&staff), NOW + late).is_ok());
    }

    /// T28.
    #[test]
    fn two_different_tickets_never_seal_to_the_same_bytes(one in any_ticket(), other in any_ticket()) {
        let tokens = tokens(PASS);
        prop_assert_eq!(one == other, tokens.seal_ticket(&one) == tokens.seal_ticket(&other));
    }

    /// T28.
    #[test]
    fn digits_that_move_between_numbers_change_the_token(a in 1u32..1000, b in 1u32..1000) {
        let sealed = |index, generation| tokens(PASS).seal_pass(&Pass {
            session: SessionId { home: 1, index, generation },
            issued_at: NOW, expires_at: NOW + 180, session_ends_at: NOW + 1200,
        });
        let shifted = (a * 10 + b % 10, b / 10);
        prop_assert_ne!(sealed(a, b), sealed(shifted.0, shifted.1));
    }

    /// T28: letters that move from issuer to audience to event give another text to sign, and another key.
    #[test]
    fn letters_that_move_across_a_border_change_the_token(
        text in "[a-z]{3,40}", one in (1usize..20, 1usize..20), other in (1usize..20, 1usize..20),
    ) {
        let cut = |(first, second): (usize, usize)| {
            let first = first.min(text.len() - 2);
            let second = (first + second).min(text.len() - 1);
            (first, second)
        };
        let signed = |(first, second)| {
            let scope = Scope {
                issuer: &text[..first], audience: &text[first..second], event: &text[second..], run: 3,
            };
            let tokens = Tokens::new(&keyring(), scope);
            let pass = tokens.seal_pass(&Pass {
                session: SessionId { home: 1, index: 2, generation: 3 },
                issued_at: NOW, expires_at: NOW + 180, session_ends_at: NOW + 1200,
            });
            let (content, mac) = pass.rsplit_once('.').expect("three segments");
            (content.to_owned(), mac.to_owned())
        };
        let (one, other) = (cut(one), cut(other));
        let ((content, mac), (other_content, other_mac)) = (signed(one), signed(other));
        prop_assert_eq!(one == other, content == other_content);
        prop_assert_eq!(one == other, mac == other_mac);
    }

    /// T17, T18: the edge takes a pass while `now < exp`, an origin while `now < exp + 30`, both from `iat - 30` on.
    #[test]
    fn a_pass_holds_exactly_while_it_should(
        session in any_session(), now in NOW - 400..NOW + 400, life in 0u64..300,
    ) {
        let token = tokens(PASS).seal_pass(&Pass {
            session, issued_at: NOW, expires_at: NOW + life, session_ends_at: NOW + 1200,
        });
        let begun = now + 30 >= NOW;
        prop_assert_eq!(tokens(PASS).open_pass(&token, now).is_ok(), begun && now < NOW + life);
        prop_assert_eq!(verifier(PASS).verify(&token, now).is_ok(), begun && now < NOW + life + 30);
    }

    #[test]
    fn whatever_comes_is_refused_without_a_panic(text in "\\PC{0,200}|[A-Za-z0-9_.=-]{0,1200}", now: u64) {
        let tokens = tokens(PASS);
        prop_assert!(tokens.open_pass(&text, now).is_err());
        prop_assert!(tokens.open_ticket(&text, now).is_err());
        prop_assert!(tokens.open_enqueue(&text, now, Some(&text)).is_err());
        prop_assert!(tokens.open_code(&text, [(0, "fans")]).is_none());
        prop_assert!(verifier(PASS).verify(&text, now).is_err());
    }

    #[test]
    fn whatever_is_signed_is_read_or_refused_without_a_panic(payload in "\\PC{0,200}", now: u64) {
        let token = PASS.sign(&PASS.header(), &payload);
        prop_assert!(tokens(PASS).open_pass(&token, now).is_err());
        let token = ENQUEUE.sign(&ENQUEUE.header(), &payload);
        prop_assert!(tokens(ENQUEUE).open_enqueue(&token, now, None).is_err());
        let token = ENQUEUE.sign(&payload, &forge::object(&ENQUEUE.claims()));
        prop_assert!(tokens(ENQUEUE).open_enqueue(&token, now, None).is_err());
    }

    /// T12, T14, T16: a payload that was changed and signed again opens only if it has the one byte form of what was read.
    #[test]
    fn one_meaning_has_one_spelling(at in 0usize..180, byte in 0x20u8..0x7f) {
        let mut payload = forge::object(&PASS.claims()).into_bytes();
        let at = at % payload.len();
        payload[at] = byte;
        let token = PASS.sign(&PASS.header(), std::str::from_utf8(&payload).unwrap());
        let next_version = payload.starts_with(br#"{"v":2,"#);
        match tokens(PASS).open_pass(&token, NOW) {
            Ok(pass) => prop_assert!(next_version || tokens(PASS).seal_pass(&pass) == token),
            Err(refusal) => prop_assert!(refusal != Refusal::Signature),
        }
    }
}
