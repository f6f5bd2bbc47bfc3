//! A history as lines of JSON, so that a program that took no part in the run can check it. Several
//! files make one history: what the visitors saw, and what was done to the room and reached the
//! shop. Times are microseconds since 1970, of one machine. A line that is not understood is an
//! error: a checker that skips what it does not know finds nothing.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::history::{
    Act, Arrival, BoardSighting, Clock, End, Fault, History, Join, Limits, Moment, Session,
    Sighting, State, VisitorHistory,
};

/// One line.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "saw", rename_all = "kebab-case", deny_unknown_fields)]
enum Line {
    /// What the room is held to.
    Run {
        alone: bool,
        max_active: Option<u64>,
        per_minute: Option<u64>,
        batch: Option<(u64, u64)>,
    },
    /// An acknowledged join.
    Join {
        visitor: u64,
        began_us: u64,
        acknowledged_us: u64,
        entry: Option<u64>,
    },
    /// An answer about a place.
    Answer(AnswerLine),
    /// The pass.
    Pass {
        visitor: u64,
        granted_after_us: u64,
        asked_us: u64,
        received_us: u64,
        sure_until_us: u64,
    },
    /// How it ended for a visitor; the last line of each.
    End {
        visitor: u64,
        end: End,
        join_took_us: Option<u64>,
        unanswered_joins: u32,
        failures: u32,
        served: u32,
        kept_back: u32,
    },
    /// The board, as anybody reads it. Its lines: id, called, lapsed, entries.
    Board {
        sent_us: u64,
        received_us: u64,
        version: u64,
        age_us: Option<u64>,
        lines: Vec<(String, u64, u64, u64)>,
    },
    /// What an operator did.
    Operator {
        did: String,
        sent_us: u64,
        acknowledged_us: u64,
    },
    /// What was done to the room.
    Fault {
        what: String,
        from_us: u64,
        until_us: u64,
    },
    /// A request at the shop.
    Shop {
        at_us: u64,
        pass_expires_us: Option<u64>,
    },
}

/// An answer about a place.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct AnswerLine {
    visitor: u64,
    sent_us: u64,
    received_us: u64,
    state: State,
    line: String,
    entry: Option<u64>,
    rank: Option<u64>,
    ahead: Option<u64>,
    called: Option<u64>,
    version: Option<u64>,
    board_age_us: Option<u64>,
}

impl From<AnswerLine> for Sighting {
    fn from(answer: AnswerLine) -> Self {
        Sighting {
            sent: Moment(answer.sent_us),
            received: Moment(answer.received_us),
            state: answer.state,
            line: answer.line,
            entry: answer.entry,
            rank: answer.rank,
            ahead: answer.ahead,
            called: answer.called,
            version: answer.version,
            board_age: answer.board_age_us.map(Duration::from_micros),
        }
    }
}

/// Writes what a crowd saw.
pub fn write(history: &History, clock: &Clock, to: &mut impl Write) -> Result<(), String> {
    let mut put = |line: &Line| -> Result<(), String> {
        serde_json::to_writer(&mut *to, line).map_err(|error| error.to_string())?;
        to.write_all(b"\n").map_err(|error| error.to_string())
    };
    put(&run_line(history))?;
    for board in &history.boards {
        put(&board_line(board, clock))?;
    }
    for (number, visitor) in (0..).zip(&history.visitors) {
        for line in visitor_lines(number, visitor, clock) {
            put(&line)?;
        }
    }
    Ok(())
}

fn run_line(history: &History) -> Line {
    let Limits {
        max_active,
        per_minute,
        batch,
    } = history.limits;
    Line::Run {
        alone: history.alone,
        max_active,
        per_minute,
        batch: batch.map(|(size, every)| (size, every.as_secs())),
    }
}

fn board_line(board: &BoardSighting, clock: &Clock) -> Line {
    Line::Board {
        sent_us: clock.unix_us(board.sent),
        received_us: clock.unix_us(board.received),
        version: board.version,
        age_us: board.age.map(micros),
        lines: board.lines.clone(),
    }
}

fn visitor_lines(visitor: u64, seen: &VisitorHistory, clock: &Clock) -> Vec<Line> {
    let joins = seen.joins.iter().map(|join| Line::Join {
        visitor,
        began_us: clock.unix_us(join.began),
        acknowledged_us: clock.unix_us(join.acknowledged),
        entry: join.entry,
    });
    let answers = seen.sightings.iter().map(|sighting| {
        Line::Answer(AnswerLine {
            visitor,
            sent_us: clock.unix_us(sighting.sent),
            received_us: clock.unix_us(sighting.received),
            state: sighting.state,
            line: sighting.line.clone(),
            entry: sighting.entry,
            rank: sighting.rank,
            ahead: sighting.ahead,
            called: sighting.called,
            version: sighting.version,
            board_age_us: sighting.board_age.map(micros),
        })
    });
    let pass = seen.session.map(|session| Line::Pass {
        visitor,
        granted_after_us: clock.unix_us(session.granted_after),
        asked_us: clock.unix_us(session.asked),
        received_us: clock.unix_us(session.received),
        sure_until_us: clock.unix_us(session.sure_until),
    });
    let end = Line::End {
        visitor,
        end: seen.end,
        join_took_us: seen.join_took.map(micros),
        unanswered_joins: seen.unanswered_joins,
        failures: seen.failures,
        served: seen.served,
        kept_back: seen.kept_back,
    };
    joins.chain(answers).chain(pass).chain([end]).collect()
}

/// Adds the lines of `from`, which is called `name` in errors, to a history.
pub fn read(name: &str, from: impl BufRead, history: &mut History) -> Result<(), String> {
    let mut visitors: BTreeMap<u64, VisitorHistory> = BTreeMap::new();
    for (number, text) in (1..).zip(from.lines()) {
        let at = |error: &dyn std::fmt::Display| format!("{name}, line {number}: {error}");
        let text = text.map_err(|error| at(&error))?;
        let line = serde_json::from_str(&text).map_err(|error| at(&error))?;
        take(line, history, &mut visitors);
    }
    history.visitors.extend(visitors.into_values());
    history.acts.sort_by_key(|act| act.sent);
    Ok(())
}

fn take(line: Line, history: &mut History, visitors: &mut BTreeMap<u64, VisitorHistory>) {
    match line {
        Line::Run {
            alone,
            max_active,
            per_minute,
            batch,
        } => {
            history.alone = alone;
            history.limits = Limits {
                max_active,
                per_minute,
                batch: batch.map(|(size, every)| (size, Duration::from_secs(every))),
            };
        }
        Line::Board {
            sent_us,
            received_us,
            version,
            age_us,
            lines,
        } => history.boards.push(BoardSighting {
            sent: Moment(sent_us),
            received: Moment(received_us),
            version,
            age: age_us.map(Duration::from_micros),
            lines,
        }),
        Line::Operator {
            did,
            sent_us,
            acknowledged_us,
        } => history.acts.push(Act {
            did,
            sent: Moment(sent_us),
            acknowledged: Moment(acknowledged_us),
        }),
        Line::Fault {
            what,
            from_us,
            until_us,
        } => history.faults.push(Fault {
            what,
            from: Moment(from_us),
            until: Moment(until_us),
        }),
        Line::Shop {
            at_us,
            pass_expires_us,
        } => history.arrivals.push(Arrival {
            at: Moment(at_us),
            pass_expires: pass_expires_us.map(Moment),
        }),
        of_visitor => take_of_visitor(of_visitor, visitors),
    }
}

fn take_of_visitor(line: Line, visitors: &mut BTreeMap<u64, VisitorHistory>) {
    match line {
        Line::Join {
            visitor,
            began_us,
            acknowledged_us,
            entry,
        } => visitors.entry(visitor).or_default().joins.push(Join {
            began: Moment(began_us),
            acknowledged: Moment(acknowledged_us),
            entry,
        }),
        Line::Answer(answer) => visitors
            .entry(answer.visitor)
            .or_default()
            .sightings
            .push(answer.into()),
        Line::Pass {
            visitor,
            granted_after_us,
            asked_us,
            received_us,
            sure_until_us,
        } => {
            visitors.entry(visitor).or_default().session = Some(Session {
                granted_after: Moment(granted_after_us),
                asked: Moment(asked_us),
                received: Moment(received_us),
                sure_until: Moment(sure_until_us),
            });
        }
        Line::End {
            visitor,
            end,
            join_took_us,
            unanswered_joins,
            failures,
            served,
            kept_back,
        } => {
            let seen = visitors.entry(visitor).or_default();
            seen.end = end;
            seen.join_took = join_took_us.map(Duration::from_micros);
            seen.unanswered_joins = unanswered_joins;
            seen.failures = failures;
            seen.served = served;
            seen.kept_back = kept_back;
        }
        _ => unreachable!("lines of visitors only"),
    }
}

fn micros(duration: Duration) -> u64 {
    duration.as_micros() as u64
}
