//! The command line.

use std::path::PathBuf;

use anteroom_queue::limits::{MAX_SHARDS, PLANNED_PLACES};

use crate::megasale::Mishap;

/// Visitors that one run can hold: their numbers are 32 bits wide and memory is finite.
const MOST_VISITORS: u64 = 5_000_000;

/// The same of a megasale, of which little is remembered for each: what all shards are planned for.
const MOST_OF_A_MEGASALE: u64 = MAX_SHARDS as u64 * PLANNED_PLACES;

/// Seeds of one call.
const MOST_SEEDS: u64 = 100_000;

/// The text of `--help`.
pub const USAGE: &str = include_str!("usage.txt");

/// Where more is said about how the program is called.
const MORE: &str = "npm run simulate -- --help says what there is";

/// What kind of event is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Whatever each seed decides.
    Seeds,
    /// A raffle.
    Raffle,
    /// Twenty bots to a person.
    Bots,
    /// Whatever each seed decides, in a world in which everything fails that can.
    Faults,
    /// Millions of visitors in ten minutes, and what happens beside.
    Megasale(Mishap),
}

impl Profile {
    /// Visitors that one run can hold.
    const fn most_visitors(self) -> u64 {
        match self {
            Self::Megasale(_) => MOST_OF_A_MEGASALE,
            Self::Seeds | Self::Raffle | Self::Bots | Self::Faults => MOST_VISITORS,
        }
    }

    /// Visitors of one run, unless said otherwise.
    const fn visitors(self) -> u32 {
        match self {
            Self::Faults => 300,
            Self::Megasale(Mishap::None | Mishap::Surge) => 1_000_000,
            Self::Megasale(Mishap::RegionLost) => 2_000_000,
            // A million of them listen when everything breaks off.
            Self::Megasale(Mishap::Outage) => 1_300_000,
            Self::Seeds | Self::Raffle | Self::Bots => 10_000,
        }
    }
}

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// What kind of event.
    pub profile: Profile,
    /// How many visitors each run has.
    pub visitors: u32,
    /// The first seed.
    pub seed: u64,
    /// How many seeds, one after the other.
    pub seeds: u64,
    /// Where the result goes as JSON.
    pub json: Option<PathBuf>,
}

impl Arguments {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    /// Which argument was wrong, what it was, and what is allowed.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut visitors = None;
        let mut arguments = Self {
            profile: Profile::Seeds,
            visitors: 0,
            seed: 1,
            seeds: 1,
            json: None,
        };
        let mut words = words.into_iter();
        while let Some(name) = words.next() {
            let value = words
                .next()
                .ok_or_else(|| format!("{name}: a value is missing; {MORE}"))?;
            match name.as_str() {
                "--visitors" => visitors = Some(value),
                "--profile" => arguments.profile = profile(&value)?,
                "--seed" => arguments.seed = number(&name, &value, 0, u64::MAX)?,
                "--seeds" => arguments.seeds = number(&name, &value, 1, MOST_SEEDS)?,
                "--json" => arguments.json = Some(PathBuf::from(value)),
                _ => return Err(format!("{name} is not known; {MORE}")),
            }
        }
        let profile = arguments.profile;
        arguments.visitors = match visitors {
            Some(value) => number("--visitors", &value, 1, profile.most_visitors())? as u32,
            None => profile.visitors(),
        };
        Ok(arguments)
    }
}

fn profile(value: &str) -> Result<Profile, String> {
    match value {
        "seeds" => Ok(Profile::Seeds),
        "raffle" => Ok(Profile::Raffle),
        "bots" => Ok(Profile::Bots),
        "faults" => Ok(Profile::Faults),
        "megasale" => Ok(Profile::Megasale(Mishap::None)),
        "region-lost" => Ok(Profile::Megasale(Mishap::RegionLost)),
        "outage" => Ok(Profile::Megasale(Mishap::Outage)),
        "surge" => Ok(Profile::Megasale(Mishap::Surge)),
        _ => Err(format!(
            "--profile is {value:?}; seeds, raffle, bots, faults, megasale, region-lost, outage and surge are allowed"
        )),
    }
}

fn number(name: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    value
        .parse()
        .ok()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{name} is {value:?}; {least} to {most} are allowed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn every_argument_is_read() {
        let expected = Arguments {
            profile: Profile::Raffle,
            visitors: 5,
            seed: 7,
            seeds: 2,
            json: Some(PathBuf::from("out.json")),
        };
        assert_eq!(
            parse("--profile raffle --visitors 5 --seed 7 --seeds 2 --json out.json"),
            Ok(expected)
        );
    }

    #[test]
    fn a_wrong_argument_is_refused_with_its_name_value_and_range() {
        for (line, part) in [
            ("--visitors 0", "--visitors is \"0\"; 1 to 5000000"),
            ("--visitors x", "--visitors is \"x\""),
            ("--seeds 0", "1 to 100000"),
            ("--seed", "a value is missing"),
            (
                "--profile fast",
                "seeds, raffle, bots, faults, megasale, region-lost, outage and surge are allowed",
            ),
            ("--fast 1", "--fast is not known"),
        ] {
            let refused = parse(line).expect_err(line);
            assert!(refused.contains(part), "{refused}");
        }
    }
}
