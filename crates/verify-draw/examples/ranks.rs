//! Prints ranks for comparison with other implementations. Each line of standard input is
//! `SEED N` (every rank in the order of the entry numbers) or `SEED N ENTRY ENTRY…` (these ranks);
//! each line of output has the ranks with spaces between them.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write as _};

use anteroom_queue::draw::{Ranks, hex};
use anteroom_queue::units::EntryNumber;

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let seed = words
            .next()
            .and_then(hex::hash)
            .ok_or_else(|| wrong(&line))?;
        let numbers: Result<Vec<u64>, _> = words.map(str::parse).collect();
        let numbers = numbers.map_err(|_| wrong(&line))?;
        let (entrants, entries) = numbers.split_first().ok_or_else(|| wrong(&line))?;
        let ranks = Ranks::new(seed, *entrants);
        let all: Vec<u64> = if entries.is_empty() {
            (0..*entrants).collect()
        } else {
            entries.to_vec()
        };
        let mut printed = String::new();
        for entry in all {
            let _ = write!(printed, "{} ", ranks.rank(EntryNumber(entry)).0);
        }
        writeln!(output, "{}", printed.trim_end())?;
    }
    Ok(())
}

fn wrong(line: &str) -> io::Error {
    io::Error::other(format!("not SEED N [ENTRY…]: {line}"))
}
