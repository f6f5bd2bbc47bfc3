//! Passes for comparing this crate with other software, sealed with the sample keys of the documentation.
//!
//! `passes mint COUNT hs256|ed25519` seals so many different ones as the edge does and prints them, one a line, all of
//! them good at [`NOW`]. `passes verify hs256|ed25519` is an origin: for each line of standard input,
//! `<now> <pass in hexadecimal>`, it prints 1 or 0.

use std::io::{self, BufRead, Write};

use anteroom_token::{
    Keyring, Pass, PassAlgorithm, PassScope, PassVerifier, RootKey, SAMPLE_KEY_CURRENT,
    SAMPLE_KEY_PREVIOUS, Scope, SessionId, Tokens, origin_keys,
};

/// In Unix seconds, as in the vectors.
const NOW: u64 = 1_800_000_000;
const SCOPE: Scope<'static> = Scope {
    issuer: "live",
    event: "world-tour",
    run: 3,
    audience: "tickets.example.com",
};
const USAGE: &str = "usage: passes mint COUNT hs256|ed25519, or passes verify hs256|ed25519";

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["mint", count, name] => mint(count.parse().map_err(io::Error::other)?, algorithm(name)?),
        ["verify", name] => verify(algorithm(name)?),
        _ => Err(io::Error::other(USAGE)),
    }
}

fn algorithm(name: &str) -> io::Result<PassAlgorithm> {
    match name {
        "hs256" => Ok(PassAlgorithm::Hs256),
        "ed25519" => Ok(PassAlgorithm::Ed25519),
        _ => Err(io::Error::other(USAGE)),
    }
}

fn keyring() -> Keyring {
    let root = |id, bytes| RootKey::from_bytes(id, bytes).expect("a well-formed id");
    Keyring::from_root_keys(
        root("k2", SAMPLE_KEY_CURRENT),
        Some(root("k1", SAMPLE_KEY_PREVIOUS)),
    )
    .expect("two ids")
}

fn mint(count: u32, algorithm: PassAlgorithm) -> io::Result<()> {
    let tokens = Tokens::with_algorithm(&keyring(), SCOPE, algorithm);
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
    for generation in 0..count {
        let issued_at = NOW + 30 - draws.below(3600);
        let expires_at = NOW + 1 + draws.below(300);
        let pass = Pass {
            session: SessionId {
                home: draws.below(1 << 16) as u16,
                index: draws.below(1 << 32) as u32,
                generation,
            },
            issued_at,
            expires_at,
            // Now and then it is the last pass of a session.
            session_ends_at: (expires_at + draws.below(3600)).max(660) - 60,
        };
        writeln!(output, "{}", tokens.seal_pass(&pass))?;
    }
    output.flush()
}

/// Xorshift: the same passes on every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn verify(algorithm: PassAlgorithm) -> io::Result<()> {
    let verifier = verifier(algorithm);
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (now, pass) = line.split_once(' ').ok_or(io::Error::other(USAGE))?;
        let now = now.parse().map_err(io::Error::other)?;
        let taken =
            String::from_utf8(bytes(pass)?).is_ok_and(|pass| verifier.verify(&pass, now).is_ok());
        writeln!(output, "{}", u8::from(taken))?;
    }
    Ok(())
}

fn verifier(algorithm: PassAlgorithm) -> PassVerifier {
    let scope = PassScope {
        audience: SCOPE.audience.to_owned(),
        issuer: SCOPE.issuer.to_owned(),
        event: Some(SCOPE.event.to_owned()),
    };
    let keys = origin_keys(&keyring(), SCOPE.issuer, SCOPE.audience, algorithm);
    let (first, second) = (&keys[0], &keys[1]);
    let verifier = match algorithm {
        PassAlgorithm::Hs256 => PassVerifier::hs256(&first.key, &first.key_id, scope)
            .and_then(|verifier| verifier.and_hs256(&second.key, &second.key_id)),
        PassAlgorithm::Ed25519 => PassVerifier::ed25519(&first.key, &first.key_id, scope)
            .and_then(|verifier| verifier.and_ed25519(&second.key, &second.key_id)),
    };
    verifier.expect("sample keys of the right form")
}

fn bytes(hexadecimal: &str) -> io::Result<Vec<u8>> {
    let digits = hexadecimal.as_bytes().chunks(2);
    digits
        .map(|pair| {
            let pair = std::str::from_utf8(pair).map_err(io::Error::other)?;
            u8::from_str_radix(pair, 16).map_err(io::Error::other)
        })
        .collect()
}
