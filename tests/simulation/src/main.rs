//! Runs the simulation from the command line; exit code 1 on any violation.

use std::process::ExitCode;
use std::time::Instant;

use mimalloc::MiMalloc;
use simulation::arguments::{Arguments, Profile, USAGE};
use simulation::flood::Told;
use simulation::megasale::{self, Mishap};
use simulation::plan::{Defence, Plan};
use simulation::raffle::{self, Raffle};
use simulation::report::{Report, told};
use simulation::run::{run, run_alone, run_with_a_neighbour, side_by_side};

/// Millions of small rows and boards come and go: with the system's allocator a third of a large run is spent there.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Up to this size the first seed also runs beside another event.
const NEIGHBOUR_VISITORS: u32 = 2_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::parse(words) {
        Ok(arguments) => arguments,
        Err(refused) => {
            eprintln!("{refused}");
            return ExitCode::from(2);
        }
    };
    if let Profile::Megasale(mishap) = arguments.profile {
        return megasales(mishap, &arguments);
    }
    let begun = Instant::now();
    let mut report = Report::default();
    let mut bots = Vec::new();
    let raffles = match arguments.profile {
        Profile::Seeds => {
            seeds(&arguments, &mut report);
            Vec::new()
        }
        Profile::Raffle => raffles(&arguments, &mut report),
        Profile::Bots => {
            bots = floods(&arguments, &mut report);
            Vec::new()
        }
        Profile::Faults => {
            faults(&arguments, &mut report);
            Vec::new()
        }
        Profile::Megasale(_) => unreachable!("it has a report of its own"),
    };
    let mut json = report.json(begun.elapsed().as_secs_f64(), peak_rss_mb());
    let kept = raffles.iter().all(Raffle::holds);
    if !raffles.is_empty() {
        json["raffles"] = raffles.iter().map(Raffle::json).collect();
    }
    if !bots.is_empty() {
        json["floods"] = bots.iter().map(Told::json).collect();
    }
    println!("{}", report.told(kept));
    println!("{}", report.told_of_faults());
    println!("{json}");
    if let Some(path) = arguments.json
        && let Err(error) = std::fs::write(&path, format!("{json}\n"))
    {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(2);
    }
    if report.violations() > 0 || !kept {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn seeds(arguments: &Arguments, report: &mut Report) {
    let visitors = arguments.visitors;
    for (position, seed) in (arguments.seed..=u64::MAX)
        .take(arguments.seeds as usize)
        .enumerate()
    {
        println!("seed {seed}: {visitors} visitors");
        let course = run(seed, visitors);
        report.add(&course, visitors);
        if course.findings.total() > 0 {
            println!("{}", told(&course, visitors, ""));
        }
        if position == 0 {
            let small = visitors.min(NEIGHBOUR_VISITORS);
            println!("seed {seed} again, with {small} visitors beside another event");
            let beside = run_with_a_neighbour(seed, small);
            report.add(&beside, small);
            if beside.findings.total() > 0 {
                println!("beside another event, {}", told(&beside, small, ""));
            }
        }
    }
}

fn raffles(arguments: &Arguments, report: &mut Report) -> Vec<Raffle> {
    let mut raffles = Vec::new();
    for seed in (arguments.seed..=u64::MAX).take(arguments.seeds as usize) {
        for (plan, visitors) in raffle::plans(seed, arguments.visitors) {
            let begun = Instant::now();
            let beacon = plan.beacon;
            println!(
                "seed {seed}: a draw of {visitors} visitors whose beacon {}",
                beacon.says()
            );
            let course = side_by_side(vec![plan]).remove(0);
            report.add(&course, visitors);
            if course.findings.total() > 0 {
                println!("{}", told(&course, visitors, " --profile raffle"));
            }
            let wall_s = begun.elapsed().as_secs_f64();
            raffles.push(Raffle::new(&course, visitors, beacon, wall_s));
        }
    }
    raffles
}

fn floods(arguments: &Arguments, report: &mut Report) -> Vec<Told> {
    let mut floods = Vec::new();
    for seed in (arguments.seed..=u64::MAX).take(arguments.seeds as usize) {
        for defence in Defence::ALL {
            println!(
                "seed {seed}: {} visitors, twenty bots to a person, against {}",
                arguments.visitors,
                defence.says()
            );
            let course = run_alone(Plan::flood(seed, arguments.visitors, defence));
            report.add(&course, arguments.visitors);
            if course.findings.total() > 0 {
                println!("{}", told(&course, arguments.visitors, " --profile bots"));
            }
            floods.push(Told::new(&course, arguments.visitors, defence));
        }
    }
    floods
}

fn faults(arguments: &Arguments, report: &mut Report) {
    let visitors = arguments.visitors;
    for seed in (arguments.seed..=u64::MAX).take(arguments.seeds as usize) {
        let course = run_alone(Plan::faulty(seed, visitors));
        report.add(&course, visitors);
        if course.findings.total() > 0 {
            println!("{}", told(&course, visitors, " --profile faults"));
        }
    }
}

/// Runs with a report of their own.
fn megasales(mishap: Mishap, arguments: &Arguments) -> ExitCode {
    let mut held = true;
    let mut reports = Vec::new();
    for seed in (arguments.seed..=u64::MAX).take(arguments.seeds as usize) {
        let begun = Instant::now();
        let told = megasale::run_beside(mishap, seed, arguments.visitors);
        println!("{}", told.text());
        held &= told.holds();
        reports.push(told.json(begun.elapsed().as_secs_f64(), peak_rss_mb()));
    }
    let json = match reports.len() {
        1 => reports.remove(0),
        _ => reports.into(),
    };
    println!("{json}");
    if let Some(path) = &arguments.json
        && let Err(error) = std::fs::write(path, format!("{json}\n"))
    {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(2);
    }
    match held {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// The most memory that this process ever held, from Linux's account of it; 0 elsewhere.
fn peak_rss_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|kilobytes| kilobytes.parse::<u64>().ok())
        .map_or(0, |kilobytes| kilobytes / 1_024)
}
