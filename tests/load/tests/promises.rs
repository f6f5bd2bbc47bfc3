//! Whole runs against a small room that keeps all promises, or breaks one: the break is seen, under
//! its promise's name, and nothing else is.

mod fake_room;

use std::ffi::OsString;
use std::io::BufReader;
use std::path::PathBuf;

use anteroom_load::checks::Promise;
use anteroom_load::history::History;
use anteroom_load::lines;
use anteroom_load::options::Options;
use anteroom_load::report::Outcome;
use anteroom_load::run::run_here;
use anteroom_load::verdict::Verdict;
use fake_room::{Misbehaviour, Queue};
use tokio::task::LocalSet;

const VISITORS: u64 = 120;

async fn run_against(queue: Queue, more: &str) -> Outcome {
    let authority = fake_room::start(queue, None).await;
    run_at(&format!("http://{authority}"), more).await.unwrap()
}

async fn run_at(url: &str, more: &str) -> Result<Outcome, String> {
    let deadline = match more.contains("--deadline-seconds") {
        true => "",
        false => "--deadline-seconds 20",
    };
    let line = format!(
        "--url {url} --event demo --visitors {VISITORS} --arrivals-per-second 200 --alone {deadline} {more}"
    );
    let options = Options::parse(line.split_whitespace().map(OsString::from).collect()).unwrap();
    run_here(&options).await
}

fn within_one_thread<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, work)
}

fn broken(outcome: &Outcome) -> Vec<Promise> {
    let mut broken: Vec<Promise> = outcome
        .violations
        .iter()
        .map(|violation| violation.promise)
        .collect();
    broken.dedup();
    broken
}

#[test]
fn each_breach_is_seen_under_its_promise_and_no_other() {
    let table = [
        (Misbehaviour::None, 50, 3_000, None),
        (Misbehaviour::Awkward, 50, 3_000, None),
        (Misbehaviour::LosesPasses, 50, 3_000, None),
        (
            Misbehaviour::SameNumberTwice,
            50,
            3_000,
            Some(Promise::UniquePlace),
        ),
        (
            Misbehaviour::NumberChanges,
            50,
            3_000,
            Some(Promise::UniquePlace),
        ),
        (
            Misbehaviour::LeavesGaps,
            50,
            3_000,
            Some(Promise::UniquePlace),
        ),
        (Misbehaviour::LaterFirst, 50, 3_000, Some(Promise::Order)),
        (
            Misbehaviour::CallsTheUncalled,
            50,
            3_000,
            Some(Promise::Order),
        ),
        (Misbehaviour::TooManyAtOnce, 3, 3_000, Some(Promise::Cap)),
        (Misbehaviour::TooFast, 200, 600, Some(Promise::Cap)),
        (Misbehaviour::AheadRises, 50, 3_000, Some(Promise::Monotone)),
        (
            Misbehaviour::VersionFalls,
            50,
            3_000,
            Some(Promise::Monotone),
        ),
        (
            Misbehaviour::ForgetsAPlace,
            50,
            3_000,
            Some(Promise::NoLostPlace),
        ),
        (Misbehaviour::KeepsOut, 50, 3_000, Some(Promise::OpenDoor)),
    ];
    within_one_thread(async {
        let run = |(wrong, max_active, per_minute, promise)| {
            let queue = Queue::new(wrong, max_active, per_minute);
            let visit = tokio::task::spawn_local(run_against(queue, "--session-seconds 0"));
            (wrong, promise, visit)
        };
        for (wrong, promise, visit) in table.map(run) {
            let outcome = visit.await.unwrap();
            let seen = broken(&outcome);
            assert_eq!(
                seen,
                promise.into_iter().collect::<Vec<_>>(),
                "{wrong:?}: {:?}",
                &outcome.violations
            );
            assert_eq!(
                outcome.passed(),
                promise.is_none(),
                "{wrong:?}: {outcome:?}"
            );
        }
    });
}

#[test]
fn what_a_run_writes_is_judged_alike_by_the_program_that_only_reads() {
    for (wrong, promise) in [
        (Misbehaviour::None, None),
        (Misbehaviour::SameNumberTwice, Some("unique-place")),
    ] {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{wrong:?}.jsonl"));
        let more = format!("--session-seconds 0 --history {}", file.display());
        let outcome = within_one_thread(run_against(Queue::new(wrong, 50, 3_000), &more));
        let mut history = History::default();
        let lines = BufReader::new(std::fs::File::open(&file).unwrap());
        lines::read("history", lines, &mut history).unwrap();
        assert!(history.boards.len() > 1 && history.alone);
        let verdict = Verdict::of(history);
        assert_eq!(verdict.visitors, VISITORS);
        assert_eq!(verdict.acknowledged, outcome.figures.joins.acknowledged);
        assert_eq!(verdict.admitted, outcome.figures.admitted);
        assert_eq!(verdict.active_max, outcome.figures.active_max);
        assert_eq!(verdict.passed(), promise.is_none(), "{}", verdict.text());
        for (name, count) in &outcome.figures.violations {
            assert_eq!(verdict.broken[name], *count, "{name}");
        }
        let broken = verdict.broken.iter().find(|(_, count)| **count > 0);
        assert_eq!(broken.map(|(name, _)| *name), promise);
    }
}

#[test]
fn the_figures_of_a_good_run_add_up() {
    let outcome = within_one_thread(run_against(
        Queue::new(Misbehaviour::None, 50, 6_000),
        "--session-seconds 1",
    ));
    let figures = &outcome.figures;
    assert_eq!(figures.joins.acknowledged, VISITORS);
    assert_eq!(
        outcome.ends.iter().map(|(_, count)| count).sum::<u64>(),
        VISITORS
    );
    assert!(
        figures.admitted > VISITORS / 2 && figures.left > 0 && figures.lost == 0,
        "{outcome:?}"
    );
    assert!((1..=50).contains(&figures.active_max), "{outcome:?}");
    assert!(
        figures.joins.p50_ms <= figures.joins.p95_ms
            && figures.joins.p95_ms <= figures.joins.p99_ms
    );
    let json = serde_json::to_value(figures).unwrap();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "active_max",
            "admitted",
            "joins",
            "left",
            "lost",
            "violations"
        ]
    );
    assert_eq!(json["violations"]["cap"], 0);
    assert_eq!(
        json["violations"].as_object().unwrap().len(),
        Promise::OF_A_CROWD.len()
    );
}

#[test]
fn joins_alone_are_acknowledged_at_the_rate_at_which_they_arrive() {
    let outcome = within_one_thread(run_against(
        Queue::new(Misbehaviour::None, 50, 6_000),
        "--joins-only",
    ));
    let joins = &outcome.figures.joins;
    assert!(outcome.passed(), "{outcome:?}");
    assert_eq!(
        (joins.acknowledged, outcome.figures.admitted),
        (VISITORS, 0)
    );
    assert!((150.0..=260.0).contains(&joins.per_second), "{joins:?}");
}

#[test]
fn visitors_come_over_tls_to_a_room_whose_certificate_is_trusted() {
    let (tls, certificate) = fake_room::self_signed("DNS:localhost");
    let outcome = within_one_thread(async {
        let queue = Queue::new(Misbehaviour::None, 50, 3_000);
        let authority = fake_room::start(queue, Some(tls)).await;
        let more = format!("--session-seconds 0 --trust {}", certificate.display());
        let url = format!("https://{}", authority.replace("127.0.0.1", "localhost"));
        run_at(&url, &more).await
    })
    .unwrap();
    assert!(outcome.passed(), "{outcome:?}");
    assert_eq!(outcome.figures.joins.acknowledged, VISITORS);
}

#[test]
fn a_room_is_not_asked_when_its_certificate_is_nobodys_or_anothers() {
    let (own, _) = fake_room::self_signed("IP:127.0.0.1");
    let (of_another, others) = fake_room::self_signed("DNS:tickets.example.com");
    let key = others.with_file_name("key.pem");
    for (tls, trust, problem) in [
        (Some(own.clone()), None, "UnknownIssuer|trusts nobody"),
        (Some(own.clone()), Some(&others), "UnknownIssuer"),
        (Some(of_another), Some(&others), "not valid for name"),
        (Some(own), Some(&key), "holds no certificate"),
        (None, Some(&others), "cannot connect"),
    ] {
        let more = trust.map_or(String::new(), |file| format!("--trust {}", file.display()));
        let said = within_one_thread(async {
            let queue = Queue::new(Misbehaviour::None, 50, 3_000);
            let authority = fake_room::start(queue, tls).await;
            run_at(&format!("https://{authority}"), &more).await
        });
        let said = said.map(|outcome| outcome.passed()).unwrap_err();
        let is_said = problem.split('|').any(|words| said.contains(words));
        assert!(is_said, "{problem}: {said}");
    }
}

#[test]
fn a_room_that_goes_away_and_stays_away_is_the_verdict() {
    let (is_there, there) = std::sync::mpsc::channel();
    let (ends, mut end) = tokio::sync::oneshot::channel::<()>();
    // All that it serves ends with its thread, as when a server is killed.
    let room = std::thread::spawn(move || {
        within_one_thread(async {
            let queue = Queue::new(Misbehaviour::None, 5, 600);
            is_there.send(fake_room::start(queue, None).await).unwrap();
            let _ = (&mut end).await;
        })
    });
    let url = format!("http://{}", there.recv().unwrap());
    let outcome = within_one_thread(async {
        tokio::task::spawn_local(async move {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            ends.send(()).unwrap();
        });
        run_at(&url, "--deadline-seconds 2 --session-seconds 0").await
    })
    .unwrap();
    room.join().unwrap();
    assert!(!outcome.passed());
    let verdict = anteroom_load::report::verdict(&outcome);
    assert!(
        verdict.starts_with("FAILED: the room did not answer when the run was over: "),
        "{verdict}"
    );
    assert!(
        outcome.unfinished > 0 && outcome.not_joined > 0,
        "{verdict}"
    );
}

#[test]
fn a_room_that_is_not_there_is_a_problem_and_not_a_result() {
    let line = "--url http://127.0.0.1:1 --event demo --visitors 1 --arrivals-per-second 1";
    let options = Options::parse(line.split_whitespace().map(OsString::from).collect()).unwrap();
    let problem = within_one_thread(run_here(&options)).unwrap_err();
    assert!(
        problem.starts_with("--url: cannot connect to 127.0.0.1:1"),
        "{problem}"
    );
}
