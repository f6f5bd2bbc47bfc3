//! The compact form against published JSON Web Signatures, which carry other headers than ours: Wycheproof's HS256 set and
//! the examples of RFC 7515 and RFC 8037. A reader that looks the algorithm up in the header stands in for the constant
//! header; all the rest is the code that opens tokens.

use std::collections::BTreeSet;

use base64ct::{Base64UrlUnpadded, Encoding};
use ed25519_dalek::VerifyingKey;
use hmac::{Hmac, KeyInit};
use serde_json::Value;
use wycheproof_ng_core::TestResult;
use wycheproof_ng_kdf_jose::json_web::{TestName, TestSet};

use crate::envelope::{Checking, Compact};

fn decode(text: &str) -> Option<Vec<u8>> {
    Base64UrlUnpadded::decode_vec(text).ok()
}

fn secret(key: &str) -> Checking {
    let bytes = decode(key).expect("a key in base64url");
    Checking::Hs256(Hmac::new_from_slice(&bytes).expect("HMAC takes keys of any length"))
}

/// The payload of a signature with this algorithm and key.
fn payload(jws: &str, alg: &str, checking: &Checking) -> Option<Vec<u8>> {
    let compact = Compact::of(jws).ok()?;
    let header: Value = serde_json::from_slice(&decode(compact.header)?).ok()?;
    (header["alg"] == *alg).then_some(())?;
    compact.payload_under(checking).ok()
}

/// T29. Four labels of Wycheproof's are not ours. 367 and 370 are called invalid, and are byte for byte the valid 357; 372
/// and 373 are called valid, and have a `?` in the header or the payload, which no strict reader of base64url takes.
#[test]
fn every_wycheproof_hs256_signature_is_judged_as_it_is_labelled_but_four() {
    let set = TestSet::load(TestName::JsonWebSignature).unwrap();
    let mut judged = 0;
    let mut differs = BTreeSet::new();
    for group in &set.test_groups {
        let Some(key) = group
            .private_key
            .as_ref()
            .filter(|key| key["alg"] == "HS256")
        else {
            continue;
        };
        let checking = secret(key["k"].as_str().expect("a secret key"));
        for test in &group.tests {
            let jws = test.jws.as_ref().and_then(Value::as_str);
            let holds = jws.is_some_and(|jws| payload(jws, "HS256", &checking).is_some());
            if holds != (test.result == TestResult::Valid) {
                differs.insert(test.tc_id);
            }
            judged += 1;
        }
    }
    assert_eq!(judged, 40);
    assert_eq!(differs, BTreeSet::from([367, 370, 372, 373]));
}

/// T29: RFC 7515, appendix A.1.
#[test]
fn the_hs256_example_of_rfc_7515_holds() {
    let checking = secret(
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
    );
    let jws = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9\
        .eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
        .dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    let read = payload(jws, "HS256", &checking).expect("the example holds");
    assert_eq!(
        read,
        b"{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
    );
    assert_eq!(
        payload(&jws.replace(".dB", ".eB"), "HS256", &checking),
        None
    );
}

/// T29: RFC 8037, appendix A.4.
#[test]
fn the_ed25519_example_of_rfc_8037_holds() {
    let key = decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
    let checking = Checking::Ed25519(VerifyingKey::try_from(&key[..]).unwrap());
    let jws = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc\
        .hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    let read = payload(jws, "EdDSA", &checking);
    assert_eq!(read.as_deref(), Some(&b"Example of Ed25519 signing"[..]));
    assert_eq!(
        payload(&jws.replace(".hg", ".ig"), "EdDSA", &checking),
        None
    );
}
