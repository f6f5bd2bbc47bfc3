//! What edges have heard and counted: what the origin has left to sell, requests beside the queue.
//!
//! A change to or from nothing is taken at once, since it stops or starts the sale. Between, the
//! stock is taken once a second, and counts are logged once a minute, however often edges report:
//! each is a line of the log and a new board for everybody.

use super::Coordinator;
use super::command::CoordinatorReply;
use crate::board::Stock;
use crate::limits::{EDGES_LOGGED, STOCK_STEP};
use crate::log::Record;
use crate::units::UnixMillis;

/// What has been heard and is not taken yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hearsay {
    stock: Option<Stock>,
    stock_taken: UnixMillis,
    bypassed: u64,
    staff: u64,
    logged: UnixMillis,
}

impl Stock {
    /// The later word wins; of two of one instant the smaller.
    pub fn is_later_than(&self, known: &Stock) -> bool {
        self.at > known.at || self.at == known.at && self.left < known.left
    }
}

impl Coordinator {
    pub(super) fn hear_edges(
        &mut self,
        bypassed: u64,
        staff: u64,
        stock: Option<Stock>,
        now: UnixMillis,
    ) -> CoordinatorReply {
        self.hearsay.bypassed += bypassed;
        self.hearsay.staff += staff;
        if let Some(stock) = stock {
            let waiting = self.hearsay.stock.as_ref();
            if waiting.is_none_or(|waiting| stock.is_later_than(waiting)) {
                self.hearsay.stock = Some(stock);
            }
        }
        self.proceed(now);
        self.state_reply()
    }

    /// Takes up what is due.
    pub(super) fn take_hearsay(&mut self, now: UnixMillis) {
        let known = self.life.stock;
        if let Some(stock) = self.hearsay.stock {
            let was_empty = known.is_some_and(|known| known.left == 0);
            let crosses = was_empty != (stock.left == 0);
            if crosses || now.since(self.hearsay.stock_taken) >= STOCK_STEP {
                self.hearsay.stock = None;
                self.hearsay.stock_taken = now;
                self.take_stock(stock, now);
            }
        }
        let counted = (self.hearsay.bypassed, self.hearsay.staff) != (0, 0);
        if counted && now.since(self.hearsay.logged) >= EDGES_LOGGED {
            self.hearsay.logged = now;
            self.life.bypassed += std::mem::take(&mut self.hearsay.bypassed);
            self.life.staff_requests += std::mem::take(&mut self.hearsay.staff);
            self.changed.life = true;
            let record = Record::Edges {
                bypassed: self.life.bypassed,
                staff: self.life.staff_requests,
            };
            self.log(&record, now);
        }
    }

    /// The word of an origin that was heard and not taken up: it will not be.
    pub(super) fn forget_waiting_stock(&mut self) -> Option<Stock> {
        self.hearsay.stock.take()
    }

    fn take_stock(&mut self, stock: Stock, now: UnixMillis) {
        let known = self.life.stock;
        if known.is_some_and(|known| !stock.is_later_than(&known)) {
            return;
        }
        self.life.stock = Some(stock);
        self.changed.life = true;
        if known.is_none_or(|known| known.left != stock.left) {
            let record = Record::Stock {
                left: stock.left,
                at_origin: stock.at,
            };
            self.log(&record, now);
        }
    }

    /// When something that was heard is taken up although nobody asks.
    pub(super) fn next_hearsay(&self) -> Option<UnixMillis> {
        let hearsay = &self.hearsay;
        let stock = hearsay.stock.map(|_| hearsay.stock_taken.plus(STOCK_STEP));
        let counted = (hearsay.bypassed, hearsay.staff) != (0, 0);
        let counts = counted.then(|| hearsay.logged.plus(EDGES_LOGGED));
        stock.into_iter().chain(counts).min()
    }
}
