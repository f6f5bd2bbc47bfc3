//! What holds for every value: round trips, separation, times.

#![cfg(not(target_arch = "wasm32"))]

mod forge;

use anteroom_token::{Challenge, Pass, Permit, Refusal, SessionId, Ticket};
use forge::{NOW, PASS, tokens, verifier};
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
        arrived_at in proptest::option::of(0..=LARGEST),
    ) -> Permit {
        Permit { nonce, home, issued_at, expires_at, challenge: Challenge::None, arrived_at }
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
        prop_assert_eq!(tokens.open_permit(&tokens.seal_permit(&permit), NOW), Ok(permit));
    }

    #[test]
    fn two_different_tickets_never_seal_to_the_same_bytes(one in any_ticket(), other in any_ticket()) {
        let tokens = tokens(PASS);
        prop_assert_eq!(one == other, tokens.seal_ticket(&one) == tokens.seal_ticket(&other));
    }

    #[test]
    fn digits_that_move_between_numbers_change_the_token(a in 1u32..1000, b in 1u32..1000) {
        let sealed = |index, generation| tokens(PASS).seal_pass(&Pass {
            session: SessionId { home: 1, index, generation },
            issued_at: NOW, expires_at: NOW + 180, session_ends_at: NOW + 1200,
        });
        let shifted = (a * 10 + b % 10, b / 10);
        prop_assert_ne!(sealed(a, b), sealed(shifted.0, shifted.1));
    }

    /// The edge takes a pass while `now < exp`, an origin while `now < exp + 30`, both from `iat - 30` on.
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
        prop_assert!(verifier(PASS).verify(&text, now).is_err());
    }

    #[test]
    fn whatever_is_signed_is_read_or_refused_without_a_panic(payload in "\\PC{0,200}", now: u64) {
        let token = PASS.sign(&PASS.header(), &payload);
        prop_assert!(tokens(PASS).open_pass(&token, now).is_err());
    }

    /// A payload that was changed and signed again opens only if it has the one byte form of what was read.
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
