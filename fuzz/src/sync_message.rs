//! What edges and objects say to one another.
//!
//! Input: a byte that chooses the message, then its bytes.

use core::fmt::Debug;

use anteroom_durable_objects::wire::{
    CoordinatorAnswer, CoordinatorCall, EdgeCounts, EdgeTotals, FORMAT, LogLines,
    MAX_MESSAGE_BYTES, ShardAnswer, ShardCall, decode, encode,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::choice;

/// What is read as a message is written and read again as the same, no longer than it came.
pub fn check(bytes: &[u8]) {
    let (which, bytes) = choice(bytes);
    match which % 5 {
        0 => check_as::<ShardCall>(bytes),
        1 => check_as::<ShardAnswer>(bytes),
        2 => check_as::<CoordinatorCall>(bytes),
        3 => check_as::<CoordinatorAnswer>(bytes),
        _ => check_as::<LogLines>(bytes),
    }
    check_counts(bytes);
}

fn check_as<Message>(bytes: &[u8])
where
    Message: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let Ok(message) = decode::<Message>(bytes) else {
        return;
    };
    assert!(bytes.len() <= MAX_MESSAGE_BYTES && bytes[0] == FORMAT);
    let again = encode(&message);
    assert!(
        again.len() <= bytes.len(),
        "the present form is the shortest"
    );
    assert_eq!(decode::<Message>(&again), Ok(message));
    // No message can be taken for a longer or a shorter one.
    let longer: Vec<u8> = again.iter().copied().chain([0]).collect();
    assert!(decode::<Message>(&longer).is_err());
    assert!(decode::<Message>(&again[..again.len() - 1]).is_err());
}

/// Whatever edges say that they counted adds up.
fn check_counts(bytes: &[u8]) {
    let Ok(counts) = decode::<EdgeCounts>(bytes) else {
        return;
    };
    let (mut twice, mut totals) = (counts, EdgeTotals::default());
    twice.add(counts);
    assert!(twice.requests >= counts.requests && twice.stock == counts.stock);
    totals.add(counts);
    totals.add(twice);
    assert!(totals.requests >= u64::from(twice.requests));
}
