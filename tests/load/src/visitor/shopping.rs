//! From the pass to the end of the session.

use tokio::time::sleep;

use super::{USUAL_POLL, Visitor};
use crate::connections::Answer;
use crate::habits::Habit;
use crate::history::{End, Moment};
use crate::room::{Page, is_stopped};

/// How often a visitor tries to give the session back.
const TRIES_TO_GIVE_BACK: u32 = 3;

impl Visitor<'_> {
    /// Admitted without a place: the page was the shop's at once.
    pub(super) async fn go_in_at_once(&mut self, answer: &Answer) -> End {
        if !self.browser.has_pass() {
            self.seen.failures += 1;
            return End::NotJoined;
        }
        self.seen.session = Some(self.session_from(answer.received));
        self.shop().await
    }

    /// Requests the shop a few times, then gives the session back or does not.
    pub(super) async fn shop(&mut self) -> End {
        let Some(mut session) = self.seen.session else {
            return End::Lost;
        };
        let requests = self.dice.shop_requests();
        let shopping = self.around.session.unwrap_or_else(|| self.dice.shopping());
        let ends = self.session_ends.unwrap_or(Moment(u64::MAX));
        let mut last = session.received;
        for _ in 0..requests {
            match self.browser.open_page().await {
                Ok((Page::Behind(status), answer)) if !status.is_server_error() => {
                    self.seen.served += 1;
                    last = answer.sent;
                }
                Ok((Page::Queue(_), answer)) if answer.received < ends && !is_stopped(&answer) => {
                    self.seen.kept_back += 1
                }
                Ok(_) | Err(_) => self.seen.failures += 1,
            }
            sleep(shopping / requests as u32).await;
        }
        session.sure_until = last.plus(self.around.idle).min(ends);
        if self.habit != Habit::Keeper {
            let giving_back = self.around.clock.now();
            session.sure_until = session.sure_until.min(giving_back);
            for _ in 0..TRIES_TO_GIVE_BACK {
                match self.browser.give_back().await {
                    Ok(answer) if answer.status.is_success() => break,
                    Ok(_) | Err(_) => self.seen.failures += 1,
                }
                sleep(self.dice.around(USUAL_POLL)).await;
            }
        }
        self.seen.session = Some(session);
        End::Admitted
    }
}
