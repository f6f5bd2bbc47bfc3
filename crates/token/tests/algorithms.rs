//! T29: the algorithms below the tokens, as they are built here, against published vectors: HMAC-SHA256 (RFC 4231,
//! Wycheproof), HKDF-SHA256 (RFC 5869), Ed25519 with the strict equation (Wycheproof).

#![cfg(not(target_arch = "wasm32"))]

use ed25519_dalek::{Signature, VerifyingKey};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use wycheproof::TestResult;

type HmacSha256 = Hmac<Sha256>;

fn hex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn counted(from: u8, to: u8) -> Vec<u8> {
    (from..=to).collect()
}

/// RFC 4231, sections 4.2 to 4.8, without the truncated one.
#[test]
fn hmac_is_that_of_rfc_4231() {
    let long_key = vec![0xaa; 131];
    let rows = [
        (
            vec![0x0b; 20],
            b"Hi There".to_vec(),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        ),
        (
            b"Jefe".to_vec(),
            b"what do ya want for nothing?".to_vec(),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            vec![0xaa; 20],
            vec![0xdd; 50],
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        ),
        (
            counted(1, 25),
            vec![0xcd; 50],
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        ),
        (
            long_key.clone(),
            b"Test Using Larger Than Block-Size Key - Hash Key First".to_vec(),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (
            long_key,
            b"This is a test using a larger than block-size key and a larger than block-size data. \
              The key needs to be hashed before being used by the HMAC algorithm."
                .to_vec(),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ];
    for (key, data, mac) in rows {
        let made = HmacSha256::new_from_slice(&key)
            .unwrap()
            .chain_update(&data);
        assert_eq!(made.finalize().into_bytes().to_vec(), hex(mac));
    }
}

/// RFC 5869, appendices A.1 to A.3.
#[test]
fn hkdf_is_that_of_rfc_5869() {
    let rows = [
        (
            vec![0x0b; 22],
            counted(0x00, 0x0c),
            counted(0xf0, 0xf9),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            counted(0x00, 0x4f),
            counted(0x60, 0xaf),
            counted(0xb0, 0xff),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
             da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            vec![0x0b; 22],
            Vec::new(),
            Vec::new(),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ];
    for (input, salt, info, expected) in rows {
        let expected = hex(expected);
        let mut output = vec![0; expected.len()];
        Hkdf::<Sha256>::new(Some(&salt), &input)
            .expand(&info, &mut output)
            .unwrap();
        assert_eq!(output, expected);
    }
}

#[test]
fn every_wycheproof_mac_is_judged_as_it_is_labelled() {
    let set = wycheproof::mac::TestSet::load(wycheproof::mac::TestName::HmacSha256).unwrap();
    let mut judged = 0;
    for group in &set.test_groups {
        for test in &group.tests {
            let mac = HmacSha256::new_from_slice(&test.key)
                .unwrap()
                .chain_update(&test.msg);
            let holds = match group.tag_size {
                256 => mac.verify_slice(&test.tag).is_ok(),
                bits => mac.verify_truncated_left(&test.tag).is_ok() && test.tag.len() * 8 == bits,
            };
            assert_eq!(
                holds,
                test.result == TestResult::Valid,
                "test {}",
                test.tc_id
            );
            judged += 1;
        }
    }
    assert_eq!(judged, 174);
}

#[test]
fn every_wycheproof_signature_is_judged_as_it_is_labelled() {
    let set = wycheproof::eddsa::TestSet::load(wycheproof::eddsa::TestName::Ed25519).unwrap();
    let mut judged = 0;
    for group in &set.test_groups {
        let key: [u8; 32] = group.key.pk[..].try_into().unwrap();
        let key = VerifyingKey::from_bytes(&key).unwrap();
        for test in &group.tests {
            let holds = Signature::from_slice(&test.sig)
                .is_ok_and(|signature| key.verify_strict(&test.msg, &signature).is_ok());
            assert_eq!(
                holds,
                test.result == TestResult::Valid,
                "test {}",
                test.tc_id
            );
            judged += 1;
        }
    }
    assert!(judged >= 150, "{judged}");
}
