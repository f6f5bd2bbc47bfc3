//! What is measured: how long things take, and how much each object has to do in a second.

use serde_json::{Value, json};

/// Numbers from 0 to a most, each counted; what is above counts as the most.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    max: u64,
}

impl Histogram {
    /// Nothing is counted yet; numbers up to `most` are told apart.
    pub fn up_to(most: usize) -> Self {
        Self {
            counts: vec![0; most + 1],
            total: 0,
            max: 0,
        }
    }

    /// Counts one.
    pub fn add(&mut self, number: u64) {
        let last = self.counts.len() - 1;
        self.counts[(number as usize).min(last)] += 1;
        self.total += 1;
        self.max = self.max.max(number);
    }

    /// How many were counted.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The largest.
    pub const fn max(&self) -> u64 {
        self.max
    }

    /// The least number that so many of a thousand do not exceed.
    pub fn permille(&self, share: u64) -> u64 {
        let wanted = (self.total * share).div_ceil(1_000).max(1);
        let mut seen = 0;
        for (number, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return number as u64;
            }
        }
        self.max
    }

    /// Half, 99 of a hundred, the most.
    pub fn json(&self) -> Value {
        json!({"p50": self.permille(500), "p99": self.permille(990), "max": self.max})
    }
}

/// What one object has to do in the present second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Second {
    /// Requests that came in.
    pub requests: u32,
    /// Rows that were written.
    pub rows: u32,
}

/// What the objects of one role have to do, each second of each of them counted.
#[derive(Clone, Debug)]
pub struct Role {
    /// Its name in the report.
    pub name: &'static str,
    requests: Histogram,
    rows: Histogram,
    /// The second with the most requests of one object: when, which.
    pub busiest: (u64, u16),
}

impl Role {
    /// Nothing is counted yet.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            requests: Histogram::up_to(4_000),
            rows: Histogram::up_to(4_000),
            busiest: (0, 0),
        }
    }

    /// A second of one object is over.
    pub fn over(&mut self, object: u16, second: &mut Second, now: u64) {
        let Second { requests, rows } = std::mem::take(second);
        if u64::from(requests) > self.requests.max() {
            self.busiest = (now, object);
        }
        self.requests.add(u64::from(requests));
        self.rows.add(u64::from(rows));
    }

    /// The most requests of one object in a second.
    pub const fn most_requests(&self) -> u64 {
        self.requests.max()
    }

    /// For the report.
    pub fn json(&self, objects: usize, bytes: u64) -> Value {
        json!({
            "objects": objects,
            "requests_per_s": self.requests.json(),
            "rows_per_s": self.rows.json(),
            "busiest_second": {"at_s": self.busiest.0 / 1_000, "object": self.busiest.1},
            "bytes_max": bytes,
        })
    }

    /// For people.
    pub fn told(&self, objects: usize, bytes: u64) -> String {
        let line = |numbers: &Histogram| {
            format!(
                "{} / {} / {}",
                numbers.permille(500),
                numbers.permille(990),
                numbers.max()
            )
        };
        format!(
            "{:<15} {objects:>6}   requests/s {:<18} rows/s {:<18} memory {:.2} MB",
            self.name,
            line(&self.requests),
            line(&self.rows),
            bytes as f64 / 1e6
        )
    }
}

/// An object's processor: one thing after the other.
///
/// Something long is done in slices. Whatever has come in by the end of one is looked after, one thing after the other, and
/// then the next begins: with slices of 70 ms workerd served 12, 34 and 73 requests between two when 200, 500 and 1,000 came
/// in a second, which is all of them. Whatever comes in while others are looked after waits for one slice more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Server {
    free_at_us: u64,
    slices: Option<Slices>,
}

/// What is left of something long.
#[derive(Clone, Copy, Debug)]
struct Slices {
    each_us: u64,
    /// When the present one ends, and how much there is beyond it.
    end_us: u64,
    left_us: u64,
}

impl Server {
    /// Something comes in at `now_ms` and takes `service_us`: the millisecond in which it is done.
    pub fn serve(&mut self, now_ms: u64, service_us: u64) -> u64 {
        let now_us = now_ms * 1_000;
        while let Some(slices) = self.slices.filter(|slices| slices.end_us <= now_us) {
            let begins = slices.end_us.max(self.free_at_us);
            let each = slices.each_us.min(slices.left_us);
            self.slices = (each > 0).then_some(Slices {
                end_us: begins + each,
                left_us: slices.left_us - each,
                ..slices
            });
        }
        let sliced = self.slices.map_or(0, |slices| slices.end_us);
        self.free_at_us = self.free_at_us.max(now_us).max(sliced) + service_us;
        self.free_at_us / 1_000
    }

    /// Something that takes `whole_us` begins at `now_ms`; what comes in meanwhile is looked after between two slices of it.
    pub fn interrupt(&mut self, now_ms: u64, whole_us: u64, slice_us: u64) {
        let begins = self.free_at_us.max(now_ms * 1_000);
        let first = slice_us.min(whole_us);
        self.slices = Some(Slices {
            each_us: slice_us,
            end_us: begins + first,
            left_us: whole_us - first,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_a_histogram_are_counted_not_guessed() {
        let mut numbers = Histogram::up_to(200);
        (1..=100).for_each(|number| numbers.add(number));
        assert_eq!((numbers.permille(500), numbers.permille(990)), (50, 99));
        numbers.add(5_000);
        assert_eq!((numbers.permille(1_000), numbers.max()), (200, 5_000));
    }

    #[test]
    fn a_busy_object_makes_wait_and_an_idle_one_does_not() {
        let mut server = Server::default();
        let done: Vec<u64> = (0..4).map(|_| server.serve(10, 500)).collect();
        assert_eq!(done, [10, 11, 11, 12]);
        assert_eq!(server.serve(50, 500), 50);
    }

    #[test]
    fn what_comes_in_while_all_are_told_waits_for_the_end_of_a_slice() {
        let mut server = Server::default();
        server.interrupt(100, 40_000, 16_000);
        let done: Vec<u64> = [100, 101, 103, 118, 120, 139, 150]
            .map(|at| server.serve(at, 500))
            .to_vec();
        assert_eq!(done, [116, 117, 117, 134, 134, 143, 150]);
    }
}
