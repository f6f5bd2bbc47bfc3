//! Every run that once showed a fault goes well now.

use simulation::plan::Plan;
use simulation::run::run_alone;

const SEEDS: &str = include_str!("../seeds.txt");

fn plan(profile: &str, seed: u64, visitors: u32) -> Plan {
    match profile {
        "seeds" => Plan::new(seed, visitors),
        "faults" => Plan::faulty(seed, visitors),
        other => panic!("seeds.txt: {other} is no profile of single runs"),
    }
}

#[test]
fn every_run_that_once_showed_a_fault_keeps_every_promise() {
    let lines = SEEDS.lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let (run, sentence) = line.split_once(": ").expect("a run and a sentence");
        let words: Vec<&str> = run.split(' ').collect();
        let [profile, visitors, seed] = words[..] else {
            panic!("seeds.txt: {run} is not a profile, a number of visitors and a seed");
        };
        let number = |word: &str| word.parse().expect("a number");
        let course = run_alone(plan(profile, number(seed), number(visitors) as u32));
        assert_eq!(
            course.findings.total(),
            0,
            "{run} ({sentence}): {:?}",
            course.findings.first
        );
    }
}
