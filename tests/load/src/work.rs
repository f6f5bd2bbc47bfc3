//! The work that a permit asks for before it may join, done as the page does it: beside everything else, on as many cores as
//! there are.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use anteroom_challenge::{Difficulty, PUZZLES, Seed, Solution, search};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// What of a permit's claims says how much it asks for.
#[derive(Deserialize)]
struct Asked {
    chl: String,
    #[serde(default)]
    bits: u8,
}

/// Permits that are worked for at the same time.
static CORES: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, usize::from)));

/// The solution of a permit's puzzles; `None` for one that asks for no work, or is none of ours.
pub async fn solution(permit: &str) -> Option<String> {
    let (seed, difficulty) = puzzles(permit)?;
    let _core = CORES.acquire().await.ok()?;
    let solved = spawn_blocking(move || solve(&seed, difficulty))
        .await
        .ok()?;
    solved.map(|solution| solution.to_string())
}

fn puzzles(permit: &str) -> Option<(Seed, Difficulty)> {
    let mut parts = permit.split('.').skip(1);
    let claims = Base64UrlUnpadded::decode_vec(parts.next()?).ok()?;
    let seed = Base64UrlUnpadded::decode_vec(parts.next()?).ok()?;
    let asked: Asked = serde_json::from_slice(&claims).ok()?;
    let works = asked.chl.contains("pow");
    let seed = Seed(seed.try_into().ok()?);
    works.then_some((seed, Difficulty::new(asked.bits)?))
}

fn solve(seed: &Seed, difficulty: Difficulty) -> Option<Solution> {
    let mut counters = [0; PUZZLES];
    for (index, counter) in (0..).zip(&mut counters) {
        *counter = search(seed, index, difficulty, 0, u32::MAX)?;
    }
    Some(Solution::new(counters))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permit(claims: &str) -> String {
        let part = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
        format!(
            "{}.{}.{}",
            part(b"{}"),
            part(claims.as_bytes()),
            part(&[7; 32])
        )
    }

    #[tokio::test]
    async fn a_permit_that_asks_for_work_gets_a_solution_that_holds() {
        for challenge in ["pow", "pow+turnstile"] {
            let solved = solution(&permit(&format!(r#"{{"chl":"{challenge}","bits":6}}"#))).await;
            let solved = Solution::read(&solved.unwrap()).unwrap();
            assert!(solved.holds(&Seed([7; 32]), Difficulty::new(6).unwrap()));
        }
    }

    #[tokio::test]
    async fn one_that_asks_for_none_gets_none() {
        for other in [permit(r#"{"chl":"none"}"#), "x".into(), permit("x")] {
            assert_eq!(solution(&other).await, None, "{other}");
        }
    }
}
