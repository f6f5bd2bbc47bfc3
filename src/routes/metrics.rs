//! `GET /_wr/metrics`: the counts of every event as Prometheus text. What each is, and how exact, stands beside its name in
//! [`families`]; [`samples`] says where its value comes from.

pub mod families;
pub mod samples;

use std::fmt::Write;

use anteroom_config::Event;
use anteroom_durable_objects::wire::CoordinatorAsk;
use anteroom_queue::coordinator::command::CoordinatorReply;
use futures_util::future::{join, join_all, join3, join5};
use worker::Env;

use crate::answer::Answer;
use crate::problem::Problem;
use crate::rooms::RoomError;
use crate::visit::Visit;
use crate::{board_reads, crawlers, operators, rooms};

use families::Family;
use samples::{Heard, Sample};

/// The text.
pub async fn answer(visit: &Visit) -> Result<Answer, Problem> {
    operators::check_every(visit, "metrics").await?;
    let events = visit
        .deployment
        .all()
        .map(|room| of_event(visit, &visit.env, room.event));
    let samples: Vec<Sample> = join_all(events).await.into_iter().flatten().collect();
    Ok(Answer::text(
        200,
        "text/plain; version=0.0.4; charset=utf-8",
        text(&samples),
    ))
}

async fn of_event(visit: &Visit, env: &Env, event: &'static Event) -> Vec<Sample> {
    let of_coordinator = join5(
        rooms::ask_coordinator(env, event, CoordinatorAsk::Observe),
        rooms::edge_totals(env, event),
        crawlers::counted(env, event),
        rooms::origin(env, event),
        rooms::turnstile(env, event),
    );
    let own = board_reads::current(env, &visit.context, event);
    let more = join3(rooms::vitals(env, event), rooms::silent(env, event), own);
    let ((reply, edge, crawlers, origin, widget), (vitals, silent, own)) =
        join(of_coordinator, more).await;
    let board_age = own.map(|in_use| in_use.age);
    match reply {
        Ok(CoordinatorReply::State { board, totals, .. }) => samples::of(
            &event.id,
            &Heard {
                board,
                totals,
                board_age,
                edge: edge.ok(),
                crawlers,
                origin: origin.ok(),
                widget,
                vitals: vitals.ok(),
                silent: silent.ok(),
            },
        ),
        // Nothing is wrong with it, and there is nothing left to count.
        Err(RoomError::Deleted) => Vec::new(),
        _ => samples::of_nobody(&event.id, board_age),
    }
}

/// All samples of one family stand together below its type and what it means, as the format asks.
fn text(samples: &[Sample]) -> String {
    let mut text = String::new();
    let mut done: Vec<&str> = Vec::new();
    let mut put = |line: std::fmt::Arguments<'_>| {
        text.write_fmt(line)
            .expect("writing to a String does not fail");
    };
    for Sample { family, .. } in samples {
        let Family { name, kind, help } = family;
        if done.contains(name) {
            continue;
        }
        done.push(name);
        put(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
        for sample in samples.iter().filter(|sample| sample.family.name == *name) {
            let Sample { event, part, .. } = sample;
            put(format_args!("{name}{part}{{event=\"{event}\""));
            if let Some((label, value)) = &sample.label {
                put(format_args!(",{label}=\"{value}\""));
            }
            put(format_args!("}} {}\n", sample.value));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::families::gauge;
    use super::samples::Value;
    use super::*;

    #[test]
    fn samples_of_one_family_stand_together_below_what_it_means() {
        let family = |name| gauge(name, "A number.");
        let sample = |name, event, value| Sample {
            label: (name == "b").then(|| ("line", "fans".to_owned())),
            ..Sample::new(event, (family(name), value))
        };
        let mut bucket = sample("b", "x", Value::Millis(1_234));
        bucket.part = "_sum";
        let samples = [
            sample("a", "x", Value::Whole(1)),
            bucket,
            sample("a", "y", Value::Whole(3)),
        ];
        let expected = "# HELP a A number.\n# TYPE a gauge\na{event=\"x\"} 1\na{event=\"y\"} 3\n\
            # HELP b A number.\n# TYPE b gauge\nb_sum{event=\"x\",line=\"fans\"} 1.234\n";
        assert_eq!(text(&samples), expected);
    }
}
