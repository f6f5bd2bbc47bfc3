//! Prints ranks for comparison with other implementations. Each line of standard input is `SEED N`
//! (every rank in the order of the entry numbers, computed as a whole list) or `SEED N ENTRY ENTRY…`
//! (these ranks, each computed alone); each line of output has the ranks with spaces between them.

use std::io::{self, BufRead, Write as _};

use anteroom_queue::draw::{Ranks, all_ranks, hex};
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
        let printed: Vec<String> = if entries.is_empty() {
            all_ranks(seed, *entrants)
                .iter()
                .map(u64::to_string)
                .collect()
        } else {
            let ranks = Ranks::new(seed, *entrants);
            let alone = entries.iter().map(|entry| ranks.rank(EntryNumber(*entry)));
            alone.map(|rank| rank.0.to_string()).collect()
        };
        writeln!(output, "{}", printed.join(" "))?;
    }
    Ok(())
}

fn wrong(line: &str) -> io::Error {
    io::Error::other(format!("not SEED N [ENTRY…]: {line}"))
}
