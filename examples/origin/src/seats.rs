//! The seats of an event and who has them. One store, one question: may this seat be sold to this holder now?
//!
//! A seat is free, reserved until a second, or sold. A reservation ends by itself: whoever asks later compares the
//! second, nothing sweeps. A sold seat is a row in `sold`, whose primary key is the seat: SQLite itself refuses to sell it
//! again, whatever this code believes. Every change is one immediate transaction, so two shops on one file agree.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

/// How long a reservation lasts.
pub const RESERVATION_SECONDS: u64 = 10 * 60;
/// The most seats that one visitor may have reserved at a time.
pub const MAX_SEATS_EACH: usize = 4;
/// The hall: rows A to L of ten seats. Ten fit beside one another on a phone with room to tap.
pub const ROWS: [char; 12] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L'];
/// Seats in a row.
pub const SEATS_PER_ROW: usize = 10;
/// Rows at the front that cost more.
const FRONT_ROWS: usize = 4;
/// The price in front.
pub const FRONT_CENTS: u32 = 8_900;
/// The price behind.
pub const BACK_CENTS: u32 = 5_900;
/// How long a writer waits for another process on the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS seats (
    event TEXT NOT NULL, seat TEXT NOT NULL, place INTEGER NOT NULL, cents INTEGER NOT NULL,
    holder TEXT, held_until INTEGER, PRIMARY KEY (event, seat)
) STRICT;
CREATE TABLE IF NOT EXISTS orders (
    key TEXT NOT NULL PRIMARY KEY, event TEXT NOT NULL, holder TEXT NOT NULL, state TEXT NOT NULL,
    cents INTEGER NOT NULL, payment TEXT UNIQUE, made_at INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS order_seats (
    order_key TEXT NOT NULL REFERENCES orders (key), seat TEXT NOT NULL, PRIMARY KEY (order_key, seat)
) STRICT;
CREATE TABLE IF NOT EXISTS sold (
    event TEXT NOT NULL, seat TEXT NOT NULL, order_key TEXT NOT NULL REFERENCES orders (key),
    PRIMARY KEY (event, seat)
) STRICT;
";

/// What a seat is to the visitor who looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatState {
    /// For sale.
    Free,
    /// Reserved by the visitor until this Unix second.
    Mine {
        /// Unix seconds.
        until: u64,
    },
    /// Reserved by somebody else.
    Held,
    /// Sold.
    Sold,
}

/// A seat as a visitor sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// Row and number, like `C7`.
    pub name: String,
    /// Its price.
    pub cents: u32,
    /// Whose it is.
    pub state: SeatState,
}

/// Why seats were not reserved. Nothing was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReserved {
    /// No seat was named.
    Nothing,
    /// There is no seat of that name.
    Unknown,
    /// Somebody else has it.
    Taken(String),
    /// More than [`MAX_SEATS_EACH`].
    TooMany,
}

/// The store. One connection; each call is short.
pub struct Seats {
    connection: Mutex<Connection>,
}

impl Seats {
    /// Opens the file, or a store in memory that is gone at the end.
    pub fn open(file: Option<&Path>) -> rusqlite::Result<Self> {
        let connection = match file {
            Some(file) => Connection::open(file)?,
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.execute_batch(SCHEMA)?;
        Ok(Seats {
            connection: Mutex::new(connection),
        })
    }

    /// All seats as `holder` sees them at `now`, in the order of the hall. An event's seats are made at its first visit.
    pub fn hall(&self, event: &str, holder: &str, now: u64) -> rusqlite::Result<Vec<Seat>> {
        self.change(|transaction| {
            furnish(transaction, event)?;
            read_seats(transaction, event, holder, now)
        })
    }

    /// Reserves all of `names` or none, for [`RESERVATION_SECONDS`]. What the holder had reserved before and does not
    /// name now is given back: the form shows all seats, and what is ticked is what is wanted.
    pub fn reserve(
        &self,
        event: &str,
        holder: &str,
        names: &[String],
        now: u64,
    ) -> rusqlite::Result<Result<(), NotReserved>> {
        self.change(|transaction| {
            furnish(transaction, event)?;
            let seats = read_seats(transaction, event, holder, now)?;
            if let Err(refusal) = may_reserve(&seats, names) {
                return Ok(Err(refusal));
            }
            release(transaction, event, holder)?;
            for name in names {
                transaction.execute(
                    "UPDATE seats SET holder = ?3, held_until = ?4 WHERE event = ?1 AND seat = ?2",
                    params![event, name, holder, now + RESERVATION_SECONDS],
                )?;
            }
            Ok(Ok(()))
        })
    }

    /// Gives back everything that the holder has reserved.
    pub fn give_back(&self, event: &str, holder: &str) -> rusqlite::Result<()> {
        self.change(|transaction| release(transaction, event, holder))
    }

    pub(crate) fn change<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let answer = work(&transaction)?;
        transaction.commit()?;
        Ok(answer)
    }

    /// A panic inside a transaction rolled it back: the connection is good.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn release(transaction: &Transaction<'_>, event: &str, holder: &str) -> rusqlite::Result<()> {
    transaction
        .execute(
            "UPDATE seats SET holder = NULL, held_until = NULL WHERE event = ?1 AND holder = ?2",
            params![event, holder],
        )
        .map(drop)
}

fn may_reserve(seats: &[Seat], names: &[String]) -> Result<(), NotReserved> {
    if names.is_empty() {
        return Err(NotReserved::Nothing);
    }
    let distinct: BTreeSet<&String> = names.iter().collect();
    if distinct.len() > MAX_SEATS_EACH {
        return Err(NotReserved::TooMany);
    }
    for name in distinct {
        let seat = seats
            .iter()
            .find(|seat| seat.name == *name)
            .ok_or(NotReserved::Unknown)?;
        if matches!(seat.state, SeatState::Held | SeatState::Sold) {
            return Err(NotReserved::Taken(name.clone()));
        }
    }
    Ok(())
}

fn furnish(transaction: &Transaction<'_>, event: &str) -> rusqlite::Result<()> {
    let furnished: Option<u8> = transaction
        .query_row(
            "SELECT 1 FROM seats WHERE event = ?1 LIMIT 1",
            [event],
            |row| row.get(0),
        )
        .optional()?;
    if furnished.is_some() {
        return Ok(());
    }
    let mut insert = transaction
        .prepare("INSERT INTO seats (event, seat, place, cents) VALUES (?1, ?2, ?3, ?4)")?;
    for (row, letter) in ROWS.iter().enumerate() {
        let cents = if row < FRONT_ROWS {
            FRONT_CENTS
        } else {
            BACK_CENTS
        };
        for number in 1..=SEATS_PER_ROW {
            insert.execute(params![
                event,
                format!("{letter}{number}"),
                row * SEATS_PER_ROW + number,
                cents
            ])?;
        }
    }
    Ok(())
}

pub(crate) fn read_seats(
    transaction: &Transaction<'_>,
    event: &str,
    holder: &str,
    now: u64,
) -> rusqlite::Result<Vec<Seat>> {
    let mut select = transaction.prepare(
        "SELECT seats.seat, cents, holder, held_until, sold.order_key IS NOT NULL
         FROM seats LEFT JOIN sold ON sold.event = seats.event AND sold.seat = seats.seat
         WHERE seats.event = ?1 ORDER BY place",
    )?;
    let seats = select.query_map([event], |row| {
        let (held_by, until): (Option<String>, Option<u64>) = (row.get(2)?, row.get(3)?);
        let state = match (row.get(4)?, held_by, until) {
            (true, _, _) => SeatState::Sold,
            (false, Some(by), Some(until)) if until > now && by == holder => {
                SeatState::Mine { until }
            }
            (false, Some(_), Some(until)) if until > now => SeatState::Held,
            _ => SeatState::Free,
        };
        Ok(Seat {
            name: row.get(0)?,
            cents: row.get(1)?,
            state,
        })
    })?;
    seats.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn state(seats: &Seats, holder: &str, name: &str, now: u64) -> SeatState {
        let hall = seats.hall("demo", holder, now).unwrap();
        hall.into_iter()
            .find(|seat| seat.name == name)
            .expect("a seat of the hall")
            .state
    }

    #[test]
    fn a_reserved_seat_is_kept_ten_minutes_and_then_free_again() {
        let seats = Seats::open(None).unwrap();
        assert_eq!(
            seats.reserve("demo", "anna", &names(&["C7"]), NOW).unwrap(),
            Ok(())
        );
        let until = NOW + RESERVATION_SECONDS;
        assert_eq!(state(&seats, "anna", "C7", NOW), SeatState::Mine { until });
        assert_eq!(state(&seats, "ben", "C7", until - 1), SeatState::Held);
        let taken = Err(NotReserved::Taken("C7".to_owned()));
        assert_eq!(
            seats
                .reserve("demo", "ben", &names(&["C7"]), until - 1)
                .unwrap(),
            taken
        );
        assert_eq!(state(&seats, "ben", "C7", until), SeatState::Free);
        assert_eq!(
            seats
                .reserve("demo", "ben", &names(&["C7"]), until)
                .unwrap(),
            Ok(())
        );
        assert_eq!(state(&seats, "anna", "C7", until), SeatState::Held);
    }

    #[test]
    fn several_seats_are_reserved_together_or_not_at_all() {
        let seats = Seats::open(None).unwrap();
        seats
            .reserve("demo", "anna", &names(&["A2"]), NOW)
            .unwrap()
            .unwrap();
        let refused = seats
            .reserve("demo", "ben", &names(&["A1", "A2"]), NOW)
            .unwrap();
        assert_eq!(refused, Err(NotReserved::Taken("A2".to_owned())));
        assert_eq!(state(&seats, "ben", "A1", NOW), SeatState::Free);
    }

    #[test]
    fn what_cannot_be_reserved_is_refused() {
        let seats = Seats::open(None).unwrap();
        let reserve = |wanted: &[&str]| seats.reserve("demo", "anna", &names(wanted), NOW).unwrap();
        assert_eq!(reserve(&[]), Err(NotReserved::Nothing));
        assert_eq!(reserve(&["Z99"]), Err(NotReserved::Unknown));
        assert_eq!(reserve(&["A1' OR 1=1 --"]), Err(NotReserved::Unknown));
        assert_eq!(
            reserve(&["A1", "A2", "A3", "A4", "A5"]),
            Err(NotReserved::TooMany)
        );
        assert_eq!(
            reserve(&["A1", "A1", "A2", "A3", "A4"]),
            Ok(()),
            "four, one of them named twice"
        );
        assert_eq!(reserve(&["Z99"]), Err(NotReserved::Unknown));
        assert!(
            matches!(state(&seats, "anna", "A4", NOW), SeatState::Mine { .. }),
            "a refusal changes nothing"
        );
    }

    #[test]
    fn what_is_not_named_any_more_is_given_back() {
        let seats = Seats::open(None).unwrap();
        seats
            .reserve("demo", "anna", &names(&["A1", "A2"]), NOW)
            .unwrap()
            .unwrap();
        seats
            .reserve("demo", "anna", &names(&["A2", "A3"]), NOW)
            .unwrap()
            .unwrap();
        let states = ["A1", "A2", "A3"].map(|name| state(&seats, "ben", name, NOW));
        assert_eq!(states, [SeatState::Free, SeatState::Held, SeatState::Held]);
    }

    #[test]
    fn seats_that_are_given_back_are_free_at_once() {
        let seats = Seats::open(None).unwrap();
        seats
            .reserve("demo", "anna", &names(&["A1", "A2"]), NOW)
            .unwrap()
            .unwrap();
        seats.give_back("demo", "anna").unwrap();
        assert_eq!(
            seats
                .reserve("demo", "ben", &names(&["A1", "A2"]), NOW)
                .unwrap(),
            Ok(())
        );
    }

    #[test]
    fn events_have_their_own_seats() {
        let seats = Seats::open(None).unwrap();
        seats
            .reserve("demo", "anna", &names(&["A1"]), NOW)
            .unwrap()
            .unwrap();
        assert_eq!(
            seats.reserve("other", "ben", &names(&["A1"]), NOW).unwrap(),
            Ok(())
        );
    }
}
