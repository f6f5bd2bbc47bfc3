//! Joins and nothing else: permits are made before the clock starts, then each join is sent when
//! it is due, whether or not the earlier ones have been answered. Its time counts from then.

use std::rc::Rc;

use tokio::task::JoinSet;
use tokio::time::sleep_until;

use crate::connections::NoAnswer;
use crate::history::{End, Join, Moment, VisitorHistory};
use crate::options::Options;
use crate::run::due;
use crate::visitor::Surroundings;

/// Permits asked for at the same time.
const PERMITS_AT_ONCE: u64 = 64;

/// Makes one permit for each visitor.
pub async fn permits(around: &Rc<Surroundings>, count: u64) -> Result<Vec<String>, String> {
    let mut makers = JoinSet::new();
    for maker in 0..PERMITS_AT_ONCE {
        let around = Rc::clone(around);
        let share = count / PERMITS_AT_ONCE + u64::from(maker < count % PERMITS_AT_ONCE);
        makers.spawn_local(async move {
            let mut made = Vec::new();
            for _ in 0..share {
                made.push(around.room.permit().await?);
            }
            Ok::<_, NoAnswer>(made)
        });
    }
    let mut permits = Vec::new();
    while let Some(made) = makers.join_next().await {
        let made = made.map_err(|error| error.to_string())?;
        permits.extend(made.map_err(|error| format!("no permits: {}", error.0))?);
    }
    Ok(permits)
}

/// Sends every join when it is due, from `start` on.
pub async fn run(
    around: &Rc<Surroundings>,
    options: &Options,
    permits: Vec<String>,
    start: Moment,
) -> Vec<VisitorHistory> {
    let mut visitors = Vec::new();
    for (number, permit) in permits.into_iter().enumerate() {
        let arrival = due(start, number as u64, options.arrivals_per_second);
        sleep_until(around.clock.instant(arrival).into()).await;
        let around = Rc::clone(around);
        visitors.push(tokio::task::spawn_local(async move {
            join(&around, &permit, arrival).await
        }));
    }
    let mut seen = Vec::with_capacity(visitors.len());
    for visitor in visitors {
        seen.push(visitor.await.unwrap_or_default());
    }
    seen
}

async fn join(around: &Surroundings, permit: &str, arrival: Moment) -> VisitorHistory {
    let mut seen = VisitorHistory::default();
    let began = around.clock.now();
    match around.room.browser().join(permit).await {
        Ok((place, answer)) if answer.status.is_success() => {
            seen.sightings.extend(place.sighting(&answer));
            seen.joins.push(Join {
                began,
                acknowledged: answer.received,
                entry: place.entry(),
            });
            seen.join_took = Some(answer.received.since(arrival));
            seen.end = End::Kept;
        }
        Ok(_) => seen.failures += 1,
        Err(_) => {
            seen.failures += 1;
            seen.unanswered_joins += 1;
        }
    }
    seen
}
