//! T20: good tokens in another place: another event, run, deployment or host than the one they were made for, each opened with
//! the keys that are right there, so that nothing but the token's own scope and key refuses it.

mod forge;

use anteroom_token::{PassAlgorithm, Scope, Tokens};
use forge::{
    ENQUEUE, EVERY_KIND, Kind, NOW, OPERATOR, PASS, PERMIT, PUBLIC_PASS, SCOPE, STAFF, TICKET,
    keyring,
};

fn verdict(kind: Kind, scope: Scope<'_>) -> &'static str {
    let algorithm = match kind.alg {
        "EdDSA" => PassAlgorithm::Ed25519,
        _ => PassAlgorithm::Hs256,
    };
    let there = Tokens::with_algorithm(&keyring(), scope, algorithm);
    let answer = kind.open_with(&there, &kind.token(), NOW);
    answer.err().map_or("taken", |refusal| refusal.code())
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn a_token_is_worth_nothing_where_it_was_not_made_for() {
    let event = Scope {
        event: "world-tour-2",
        ..SCOPE
    };
    let run = Scope { run: 4, ..SCOPE };
    let deployment = Scope {
        issuer: "staging",
        ..SCOPE
    };
    let host = Scope {
        audience: "other.example.com",
        ..SCOPE
    };
    for (kind, at_event, in_run, at_deployment, at_host) in [
        (PERMIT, "wrong-event", "wrong-run", "signature", "taken"),
        (TICKET, "wrong-event", "wrong-run", "signature", "taken"),
        (STAFF, "wrong-event", "wrong-run", "signature", "taken"),
        (
            PASS,
            "wrong-event",
            "wrong-run",
            "unknown-key",
            "unknown-key",
        ),
        (
            PUBLIC_PASS,
            "wrong-event",
            "wrong-run",
            "unknown-key",
            "unknown-key",
        ),
        // Who steers an event steers its next run too, and an invitation to an event is one to its next run.
        (OPERATOR, "wrong-event", "taken", "signature", "taken"),
        (ENQUEUE, "unknown-key", "taken", "unknown-key", "taken"),
    ] {
        assert_eq!(verdict(kind, SCOPE), "taken", "{kind:?} at home");
        assert_eq!(verdict(kind, event), at_event, "{kind:?} at another event");
        assert_eq!(verdict(kind, run), in_run, "{kind:?} in another run");
        assert_eq!(
            verdict(kind, deployment),
            at_deployment,
            "{kind:?} at another deployment"
        );
        assert_eq!(verdict(kind, host), at_host, "{kind:?} at another host");
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn no_token_is_a_code_and_no_code_a_token() {
    let tokens = forge::tokens(ENQUEUE);
    let code = tokens.seal_code("fans", 7, 1).text();
    for kind in EVERY_KIND {
        assert!(
            tokens.open_code(&kind.token(), [(0, "fans")]).is_none(),
            "{kind:?}"
        );
        assert!(kind.open_with(&tokens, &code, NOW).is_err(), "{kind:?}");
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn an_invitation_may_be_used_again_and_names_the_same_member() {
    let tokens = forge::tokens(ENQUEUE);
    let first = tokens
        .open_enqueue(&ENQUEUE.token(), NOW, Some("203.0.113.7"))
        .unwrap();
    let again = tokens
        .open_enqueue(&ENQUEUE.token(), NOW + 60, Some("2001:db8::7"))
        .unwrap();
    assert_eq!(first, again);
    let newer = ENQUEUE.sign_claims(&ENQUEUE.claims_with("jti", r#""mail-0816""#));
    let newer = tokens.open_enqueue(&newer, NOW, None).unwrap();
    let hash = |token: &anteroom_token::EnqueueToken| anteroom_token::member_key_hash(&token.key);
    assert_eq!(hash(&newer), hash(&first));
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn an_organizer_is_told_what_is_wrong_with_a_claim() {
    let says = |payload: String| {
        let token = ENQUEUE.sign(&ENQUEUE.header(), &payload);
        let refusal = forge::tokens(ENQUEUE)
            .open_enqueue(&token, NOW, None)
            .unwrap_err();
        refusal.to_string()
    };
    let payload = forge::object(&ENQUEUE.claims());
    for (payload, part) in [
        (
            payload.replace("1799999940", "1799999940.25"),
            "claim iat: ",
        ),
        (
            payload.replacen('{', r#"{"<b>":1,"#, 1),
            "a claim that does not belong",
        ),
        (payload.replace('"', "'"), "not one JSON object"),
    ] {
        let said = says(payload);
        assert!(said.contains(part) && !said.contains('<'), "{said}");
    }
}
