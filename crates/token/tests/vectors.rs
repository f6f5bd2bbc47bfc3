//! T31: the published vectors in `tests/vectors/` against the crate, natively and as WebAssembly. Who verifies tokens with
//! other software reads the same files.

mod case;
mod forge;

use case::Case;

const VALID: &str = include_str!("vectors/valid.json");
const REFUSALS: &str = include_str!("vectors/refusals.json");
const ENQUEUE: &str = include_str!("vectors/enqueue.json");

fn read(file: &str) -> Vec<Case> {
    serde_json::from_str(file).expect("cases as JSON")
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_valid_token_is_taken() {
    let cases = read(VALID);
    assert!(cases.len() >= 40, "only {} valid tokens", cases.len());
    for case in cases {
        assert_eq!(case.refusal, None, "{}", case.name);
        assert_eq!(
            case.verdict(),
            None,
            "{} {} {:?}: {}",
            case.purpose,
            case.alg,
            case.at,
            case.name
        );
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_refusal_is_for_the_reason_it_should_be() {
    let cases = read(REFUSALS);
    assert!(cases.len() >= 1000, "only {} refusals", cases.len());
    for case in cases {
        assert!(case.refusal.is_some(), "{}", case.name);
        assert_eq!(
            case.verdict(),
            case.refusal,
            "{} {} {:?}: {}",
            case.purpose,
            case.alg,
            case.at,
            case.name
        );
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_enqueue_token_is_judged_as_published() {
    let cases = read(ENQUEUE);
    let taken = cases.iter().filter(|case| case.refusal.is_none()).count();
    let refused = cases.len() - taken;
    assert!(
        taken >= 20 && refused >= 200,
        "{taken} taken, {refused} refused"
    );
    for case in cases {
        assert_eq!(case.verdict(), case.refusal, "{}", case.name);
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn the_names_of_cases_tell_them_apart() {
    let mut names: Vec<String> = read(VALID)
        .into_iter()
        .chain(read(REFUSALS))
        .chain(read(ENQUEUE))
        .map(|case| format!("{} {} {:?} {}", case.purpose, case.alg, case.at, case.name))
        .collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}
