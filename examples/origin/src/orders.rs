//! From reserved seats to sold ones. An order is a fixed list of a holder's seats on its way through the bank.
//!
//! States: `open` (at the bank), `sold` (the seats are theirs, the money is to be collected), `paid` (collected), `void`
//! (seats gone, payment declined, or replaced by another order; nothing is collected). The seats are sold before the
//! money is collected and collecting can be repeated, so a crash between the two neither takes money for nothing nor sells
//! a seat again.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::seats::{SeatState, Seats, read_seats};

/// Where an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderState {
    /// At the bank.
    Open,
    /// The seats are sold, the money is not collected yet.
    Sold,
    /// Sold and collected.
    Paid,
    /// Came to nothing.
    Void,
}

impl OrderState {
    const ALL: [OrderState; 4] = [
        OrderState::Open,
        OrderState::Sold,
        OrderState::Paid,
        OrderState::Void,
    ];

    fn name(self) -> &'static str {
        match self {
            OrderState::Open => "open",
            OrderState::Sold => "sold",
            OrderState::Paid => "paid",
            OrderState::Void => "void",
        }
    }
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Random; the idempotency key of its payment, and the address of its tickets.
    pub key: String,
    /// The event.
    pub event: String,
    /// Who ordered.
    pub holder: String,
    /// Where it stands.
    pub state: OrderState,
    /// What it costs.
    pub cents: u32,
    /// The seats, in the order of their names.
    pub seats: Vec<String>,
}

impl Seats {
    /// The order for what the holder has reserved now: the open one if it is for the same seats, else a new one with
    /// `fresh_key`. None when nothing is reserved.
    pub fn order(
        &self,
        event: &str,
        holder: &str,
        fresh_key: &str,
        now: u64,
    ) -> rusqlite::Result<Option<Order>> {
        self.change(|transaction| {
            let mine = read_seats(transaction, event, holder, now)?;
            let mine: Vec<_> = mine
                .iter()
                .filter(|seat| matches!(seat.state, SeatState::Mine { .. }))
                .collect();
            if mine.is_empty() {
                return Ok(None);
            }
            let mut names: Vec<String> = mine.iter().map(|seat| seat.name.clone()).collect();
            names.sort_unstable();
            if let Some(open) = open_order(transaction, event, holder)? {
                if open.seats == names {
                    return Ok(Some(open));
                }
                set_state(transaction, &open.key, OrderState::Void)?;
            }
            let cents = mine.iter().map(|seat| seat.cents).sum();
            let (event, holder) = (event.to_owned(), holder.to_owned());
            let order = Order {
                key: fresh_key.to_owned(),
                event,
                holder,
                state: OrderState::Open,
                cents,
                seats: names,
            };
            insert(transaction, &order, now)?;
            Ok(Some(order))
        })
    }

    /// Notes under which name the bank knows the order's payment.
    pub fn note_payment(&self, order_key: &str, payment: &str) -> rusqlite::Result<()> {
        self.change(|transaction| {
            transaction
                .execute(
                    "UPDATE orders SET payment = ?2 WHERE key = ?1",
                    params![order_key, payment],
                )
                .map(drop)
        })
    }

    /// The order whose payment the bank knows by this name.
    pub fn order_of_payment(&self, payment: &str) -> rusqlite::Result<Option<Order>> {
        self.change(|transaction| find(transaction, "payment = ?1", &[payment]))
    }

    /// The order with this key.
    pub fn order_with_key(&self, key: &str) -> rusqlite::Result<Option<Order>> {
        self.change(|transaction| find(transaction, "key = ?1", &[key]))
    }

    /// The holder's latest order that went to the bank, with the payment's name there.
    pub fn latest_order(
        &self,
        event: &str,
        holder: &str,
    ) -> rusqlite::Result<Option<(Order, String)>> {
        self.change(|transaction| {
            let latest: Option<(String, String)> = transaction
                .query_row(
                    "SELECT key, payment FROM orders WHERE event = ?1 AND holder = ?2 AND payment IS NOT NULL
                     ORDER BY rowid DESC LIMIT 1",
                    [event, holder],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((key, payment)) = latest else { return Ok(None) };
            Ok(find(transaction, "key = ?1", &[&key])?.map(|order| (order, payment)))
        })
    }

    /// The bank will pay: sells the seats if the holder still has them all. The answer is where the order stands then;
    /// an order that is not open stays as it is.
    pub fn sell(&self, order_key: &str) -> rusqlite::Result<Option<OrderState>> {
        self.change(|transaction| {
            let Some(order) = find(transaction, "key = ?1", &[order_key])? else {
                return Ok(None);
            };
            if order.state != OrderState::Open {
                return Ok(Some(order.state));
            }
            let complete = order.seats.iter().try_fold(true, |complete, seat| {
                Ok::<_, rusqlite::Error>(complete && is_still_theirs(transaction, &order, seat)?)
            })?;
            if !complete {
                set_state(transaction, order_key, OrderState::Void)?;
                return Ok(Some(OrderState::Void));
            }
            for seat in &order.seats {
                transaction.execute(
                    "INSERT INTO sold (event, seat, order_key) VALUES (?1, ?2, ?3)",
                    params![order.event, seat, order_key],
                )?;
            }
            set_state(transaction, order_key, OrderState::Sold)?;
            Ok(Some(OrderState::Sold))
        })
    }

    /// The money of a sold order is collected.
    pub fn note_paid(&self, order_key: &str) -> rusqlite::Result<()> {
        self.change(|transaction| set_state(transaction, order_key, OrderState::Paid))
    }

    /// The bank declined an open order.
    pub fn note_declined(&self, order_key: &str) -> rusqlite::Result<()> {
        self.change(|transaction| {
            transaction
                .execute(
                    "UPDATE orders SET state = 'void' WHERE key = ?1 AND state = 'open'",
                    [order_key],
                )
                .map(drop)
        })
    }
}

/// Reserved by the one who ordered, even if the ten minutes are over, as long as nobody else took it since.
fn is_still_theirs(
    transaction: &Transaction<'_>,
    order: &Order,
    seat: &str,
) -> rusqlite::Result<bool> {
    let theirs: Option<u8> = transaction
        .query_row(
            "SELECT 1 FROM seats WHERE event = ?1 AND seat = ?2 AND holder = ?3
             AND NOT EXISTS (SELECT 1 FROM sold WHERE sold.event = ?1 AND sold.seat = ?2)",
            params![order.event, seat, order.holder],
            |row| row.get(0),
        )
        .optional()?;
    Ok(theirs.is_some())
}

fn open_order(
    transaction: &Transaction<'_>,
    event: &str,
    holder: &str,
) -> rusqlite::Result<Option<Order>> {
    find(
        transaction,
        "event = ?1 AND holder = ?2 AND state = 'open'",
        &[event, holder],
    )
}

fn insert(transaction: &Transaction<'_>, order: &Order, now: u64) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO orders (key, event, holder, state, cents, made_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![order.key, order.event, order.holder, order.state.name(), order.cents, now],
    )?;
    for seat in &order.seats {
        transaction.execute(
            "INSERT INTO order_seats (order_key, seat) VALUES (?1, ?2)",
            params![order.key, seat],
        )?;
    }
    Ok(())
}

fn set_state(transaction: &Transaction<'_>, key: &str, state: OrderState) -> rusqlite::Result<()> {
    transaction
        .execute(
            "UPDATE orders SET state = ?2 WHERE key = ?1",
            params![key, state.name()],
        )
        .map(drop)
}

/// `condition` is one of the constant texts above, never anything that came from outside.
fn find(
    transaction: &Transaction<'_>,
    condition: &'static str,
    values: &[&str],
) -> rusqlite::Result<Option<Order>> {
    let select = format!("SELECT key, event, holder, state, cents FROM orders WHERE {condition}");
    let order = transaction
        .query_row(&select, rusqlite::params_from_iter(values), read_order)
        .optional()?;
    let Some(mut order) = order else {
        return Ok(None);
    };
    let mut seats =
        transaction.prepare("SELECT seat FROM order_seats WHERE order_key = ?1 ORDER BY seat")?;
    order.seats = seats
        .query_map([&order.key], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Some(order))
}

fn read_order(row: &Row<'_>) -> rusqlite::Result<Order> {
    let name: String = row.get(3)?;
    let state = OrderState::ALL
        .into_iter()
        .find(|state| state.name() == name);
    let state = state.ok_or(rusqlite::Error::InvalidColumnName(name))?;
    Ok(Order {
        key: row.get(0)?,
        event: row.get(1)?,
        holder: row.get(2)?,
        state,
        cents: row.get(4)?,
        seats: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seats::RESERVATION_SECONDS;

    const NOW: u64 = 1_800_000_000;

    fn reserve(seats: &Seats, holder: &str, name: &str, now: u64) {
        seats
            .reserve("demo", holder, &[name.to_owned()], now)
            .unwrap()
            .unwrap();
    }

    fn order(seats: &Seats, holder: &str, key: &str, now: u64) -> Order {
        seats
            .order("demo", holder, key, now)
            .unwrap()
            .expect("something is reserved")
    }

    #[test]
    fn the_same_seats_make_one_order_and_other_seats_replace_it() {
        let seats = Seats::open(None).unwrap();
        assert_eq!(seats.order("demo", "anna", "none", NOW).unwrap(), None);
        reserve(&seats, "anna", "A1", NOW);
        let first = order(&seats, "anna", "one", NOW);
        assert_eq!((first.key.as_str(), first.cents), ("one", 8_900));
        assert_eq!(order(&seats, "anna", "two", NOW), first);
        reserve(&seats, "anna", "L1", NOW);
        let second = order(&seats, "anna", "three", NOW);
        assert_eq!((second.key.as_str(), second.cents), ("three", 5_900));
        assert_eq!(seats.sell("one").unwrap(), Some(OrderState::Void));
        assert_eq!(seats.sell("three").unwrap(), Some(OrderState::Sold));
    }

    #[test]
    fn a_sold_seat_is_never_for_sale_again() {
        let seats = Seats::open(None).unwrap();
        reserve(&seats, "anna", "A1", NOW);
        order(&seats, "anna", "one", NOW);
        assert_eq!(seats.sell("one").unwrap(), Some(OrderState::Sold));
        assert_eq!(
            seats.sell("one").unwrap(),
            Some(OrderState::Sold),
            "asked again: the same answer"
        );
        let later = NOW + 10 * RESERVATION_SECONDS;
        assert!(
            seats
                .reserve("demo", "ben", &["A1".to_owned()], later)
                .unwrap()
                .is_err()
        );
        seats.give_back("demo", "anna").unwrap();
        assert!(
            seats
                .reserve("demo", "anna", &["A1".to_owned()], later)
                .unwrap()
                .is_err()
        );
    }

    #[test]
    fn a_late_payment_gets_the_seats_only_if_nobody_took_them() {
        let seats = Seats::open(None).unwrap();
        for (seat, taken, expected) in [
            ("A1", false, OrderState::Sold),
            ("A2", true, OrderState::Void),
        ] {
            reserve(&seats, "anna", seat, NOW);
            order(&seats, "anna", seat, NOW);
            let late = NOW + RESERVATION_SECONDS;
            if taken {
                reserve(&seats, "ben", seat, late);
            }
            assert_eq!(seats.sell(seat).unwrap(), Some(expected), "{seat}");
        }
    }

    #[test]
    fn seats_that_were_given_back_or_declined_are_not_sold() {
        let seats = Seats::open(None).unwrap();
        reserve(&seats, "anna", "A1", NOW);
        order(&seats, "anna", "one", NOW);
        seats.give_back("demo", "anna").unwrap();
        assert_eq!(seats.sell("one").unwrap(), Some(OrderState::Void));
        reserve(&seats, "ben", "A1", NOW);
        order(&seats, "ben", "two", NOW);
        seats.note_declined("two").unwrap();
        assert_eq!(seats.sell("two").unwrap(), Some(OrderState::Void));
        assert_eq!(seats.sell("unknown").unwrap(), None);
    }
}
