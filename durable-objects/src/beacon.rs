//! The public beacon as a coordinator fetches it: one round of drand's `quicknet`, over HTTP.
//!
//! The address is `{DRAND_URL}/{chain hash}/public/{round}`
//! (<https://docs.drand.love/developer/http-api/>). The variable may name several servers,
//! separated by spaces: they are tried in turn, so that no single one can hold up a draw. Only the
//! form of an answer is checked here (the round, the length, and that the randomness is the
//! signature's hash); that the signature is the beacon's is for everybody to check, from what the
//! draw publishes.

use anteroom_queue::draw::beacon::{QUICKNET, SIGNATURE_BYTES};
use anteroom_queue::draw::{hex, randomness};
use anteroom_queue::units::Millis;
use serde::Deserialize;

/// The variable with the servers' addresses.
pub const DRAND_URL: &str = "DRAND_URL";

/// The servers when the variable is not set: public relays of quicknet by two organizations, in
/// turn (<https://docs.drand.love/developer/http-api/>).
pub const DEFAULT_SERVERS: &str = "https://api.drand.sh https://drand.cloudflare.com \
                                   https://api2.drand.sh https://api3.drand.sh";

/// Servers that are asked, however many the variable names: twice the default ones.
pub const MAX_SERVERS: usize = 8;

/// A server that has not answered within this time is given up: a round is a few hundred bytes.
pub const FETCH_TIMEOUT: Millis = Millis(3_000);

/// A try of which nothing was heard for this long was dropped by the platform: every server has had
/// its time.
pub const TRY_LOST_AFTER: Millis = Millis(FETCH_TIMEOUT.0 * (MAX_SERVERS as u64 + 1));

/// A round that could not be fetched is asked for again after this time at least.
pub const RETRY_AFTER: Millis = Millis(1_000);

/// And at most after this time: waiting coordinators spread over a quarter of a second.
pub const LONGEST_RETRY: Millis = Millis(1_250);

/// The longest answer that is read: ten times a round.
pub const MAX_ANSWER_BYTES: usize = 4_096;

/// A round as drand publishes it, beside what is not needed.
#[derive(Deserialize)]
struct Round {
    round: u64,
    randomness: String,
    signature: String,
}

/// Where a round is to be had, in the order in which to ask.
pub fn addresses(servers: &str, round: u64) -> Vec<String> {
    let chain = hex::text(&QUICKNET.hash);
    let servers = servers.split_whitespace();
    servers
        .take(MAX_SERVERS)
        .map(|server| {
            let server = server.trim_end_matches('/');
            format!("{server}/{chain}/public/{round}")
        })
        .collect()
}

/// The signature in the answer of a server that was asked for `round`.
///
/// # Errors
/// The field that is wrong, and what was wanted.
pub fn signature(answer: &[u8], round: u64) -> Result<Vec<u8>, String> {
    if answer.len() > MAX_ANSWER_BYTES {
        return Err(format!(
            "{} bytes, allowed up to {MAX_ANSWER_BYTES}",
            answer.len()
        ));
    }
    let found: Round = serde_json::from_slice(answer).map_err(|error| error.to_string())?;
    if found.round != round {
        return Err(format!("round: {}, asked for {round}", found.round));
    }
    let signature = hex::bytes(&found.signature)
        .filter(|bytes| bytes.len() == SIGNATURE_BYTES)
        .ok_or_else(|| format!("signature: not {SIGNATURE_BYTES} bytes in hexadecimal"))?;
    if hex::hash(&found.randomness) != Some(randomness(&signature)) {
        return Err("randomness: not the hash of the signature".into());
    }
    Ok(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(round: u64, randomness: &str, signature: &str) -> String {
        format!(
            r#"{{"round":{round},"randomness":"{randomness}","signature":"{signature}","more":[]}}"#
        )
    }

    fn good() -> (String, String) {
        let bytes = [7; SIGNATURE_BYTES];
        (hex::text(&randomness(&bytes)), hex::text(&bytes))
    }

    #[test]
    fn the_servers_are_asked_in_turn_for_a_round_of_quicknet() {
        let chain = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
        assert_eq!(
            addresses(" https://a.example  http://127.0.0.1:9/x/ ", 12),
            [
                format!("https://a.example/{chain}/public/12"),
                format!("http://127.0.0.1:9/x/{chain}/public/12"),
            ]
        );
    }

    #[test]
    fn without_the_variable_several_servers_are_asked_and_never_more_than_a_try_has_time_for() {
        let default = addresses(DEFAULT_SERVERS, 1);
        assert_eq!(default.len(), 4);
        for address in default {
            let (server, _) = address.split_once("/52db9ba7").unwrap();
            let name = server.strip_prefix("https://").unwrap();
            assert!(!name.contains(['/', ':', ' ']), "{server}");
        }
        let many = addresses(&"https://a.example ".repeat(20), 1);
        assert_eq!(many.len(), MAX_SERVERS);
        assert!(FETCH_TIMEOUT.0 * many.len() as u64 + LONGEST_RETRY.0 < TRY_LOST_AFTER.0);
    }

    #[test]
    fn a_round_is_taken_by_its_signature() {
        let (randomness, text) = good();
        let taken = signature(answer(12, &randomness, &text).as_bytes(), 12);
        assert_eq!(taken, Ok(vec![7; SIGNATURE_BYTES]));
    }

    #[test]
    fn what_is_not_the_round_is_refused_with_the_field() {
        let (hash, text) = good();
        let rows = [
            (answer(13, &hash, &text), "round: 13, asked for 12"),
            (answer(12, &hash, &text[2..]), "signature: not 48 bytes"),
            (
                answer(12, &hash, &text.replace('7', "G")),
                "signature: not 48 bytes",
            ),
            (answer(12, &text[..64], &text), "randomness: not the hash"),
            (answer(12, "", &text), "randomness: not the hash"),
            ("{}".to_owned(), "missing field"),
            (String::new(), "EOF"),
            (" ".repeat(5_000), "5000 bytes, allowed up to 4096"),
        ];
        for (body, why) in rows {
            let refused = signature(body.as_bytes(), 12).unwrap_err();
            assert!(refused.contains(why), "{body}: {refused}");
        }
    }
}
