//! What a coordinator or a relay keeps about one that reports to it: its counters, and what it has been given.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::draw::Hash;
use crate::limits::{LONGEST_UNCONFIRMED, MAX_CLAIM_BATCHES, PERMIT_TO_JOIN, PLANNED_PLACES};
use crate::load::Load;
use crate::sync::{Below, Counters, Cut, Entrants, LateJoins};
use crate::units::{EntryNumber, UnixMillis};

/// Claims that came in together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimBatch {
    /// When the coordinator heard of them.
    pub at: UnixMillis,
    /// How many still wait.
    pub count: u64,
}

/// One line of one shard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildLine {
    /// The highest counters reported.
    pub counters: Counters,
    /// Joins that have been given entry numbers.
    pub cut: u64,
    /// The cuts that the shard has not acknowledged.
    pub cuts: VecDeque<Cut>,
    /// Claims granted.
    pub granted: u64,
    /// Tries decided.
    pub tries_decided: u64,
    /// Tries granted.
    pub tries_granted: u64,
    /// The least that the shard's ends count.
    pub ended_floor: u64,
    /// Claims that wait for a grant, first come first.
    pub pending: VecDeque<ClaimBatch>,
}

/// One shard, or one relay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    /// Its lines, in the order of the configuration.
    pub lines: Vec<ChildLine>,
    /// When it was last granted anything.
    pub granted_at: UnixMillis,
    /// When it was last heard. Not stored: counts from the coordinator's start.
    #[serde(skip)]
    pub heard: UnixMillis,
    /// First visits granted in one step and not confirmed, as reported. Not stored: nobody knows before the first report.
    #[serde(skip)]
    pub unconfirmed: Option<u64>,
    /// Late joins that wait to be cut, of each line. Not stored: the shard reports them again.
    #[serde(skip)]
    pub late: Vec<Vec<LateJoins>>,
    /// Who joined before the opening, of each line. Not stored: the shard is asked again.
    #[serde(skip)]
    pub entrants: Vec<Option<Entrants>>,
    /// The reported joins and the chain over their permits, of each line. Not stored.
    #[serde(skip)]
    pub chains: Vec<(u64, Hash)>,
    /// What a relay says of its shards. Not stored.
    #[serde(skip)]
    pub below: Option<Below>,
    /// The version of the board that it was last told. Not stored.
    #[serde(skip)]
    pub told: u64,
    /// How many come a second. Not stored.
    #[serde(skip)]
    pub load: Load,
    /// Reports of the last seconds. Not stored.
    #[serde(skip)]
    pub reports: Load,
}

impl Child {
    /// Of a queue with so many lines; nothing is known of it yet.
    pub(crate) fn of_lines(lines: usize) -> Self {
        Self {
            lines: vec![ChildLine::default(); lines],
            ..Self::default()
        }
        .with_blank_reports()
    }

    /// Everybody who came so far: who joined, and who tried to be let in at once.
    pub(crate) fn came(&self) -> u64 {
        let lines = self.lines.iter();
        lines
            .map(|line| line.counters.joined + line.counters.tried)
            .sum()
    }

    /// Whether a shard has as many places as it is planned for once those are there who are on their way, at the rate of the
    /// last seconds.
    pub(crate) fn is_full_soon(&self, now: UnixMillis) -> bool {
        self.is_full_with(self.load.per_second(now))
    }

    /// The same, if so many a second are on their way. Visitors admitted in one step have places too, although they never
    /// joined.
    pub(crate) fn is_full_with(&self, per_second: u64) -> bool {
        let lines = self.lines.iter();
        let places = lines.map(|line| line.counters.joined + line.tries_granted);
        places.sum::<u64>() + per_second * PERMIT_TO_JOIN.0 / 1_000 >= PLANNED_PLACES
    }

    /// Whether joins or tries, which wait for the answer to a report, came in the last seconds.
    pub(crate) fn is_busy(&self, now: UnixMillis) -> bool {
        self.load.counted(now) > 0
    }

    /// First visits granted in one step that may be unconfirmed. Before the first report these are all that were granted,
    /// as long as the last of them may be unconfirmed.
    pub(crate) fn unconfirmed(&self, now: UnixMillis) -> u64 {
        let all = || match now.since(self.granted_at) <= LONGEST_UNCONFIRMED {
            true => self.lines.iter().map(ChildLine::direct_at_most).sum(),
            false => 0,
        };
        self.unconfirmed.unwrap_or_else(all)
    }

    /// So many first visits of a line are granted in one step.
    pub(crate) fn admit_directly(&mut self, position: usize, count: u64, now: UnixMillis) {
        self.lines[position].tries_granted += count;
        self.unconfirmed = self.unconfirmed.map(|known| known + count);
        self.granted_at = now;
    }

    /// Forgets what only reports say.
    pub(crate) fn with_blank_reports(mut self) -> Self {
        let lines = self.lines.len();
        self.unconfirmed = None;
        self.late = vec![Vec::new(); lines];
        self.entrants = vec![None; lines];
        self.chains = vec![(0, [0; 32]); lines];
        self
    }
}

impl ChildLine {
    /// Takes in reported counters: the maximum of each. Returns whether anything grew.
    pub(crate) fn hear(&mut self, reported: &Counters, now: UnixMillis) -> bool {
        let before = self.counters;
        let counters = &mut self.counters;
        counters.joined = counters.joined.max(reported.joined);
        counters.numbered = counters.numbered.max(reported.numbered);
        counters.claimed = counters.claimed.max(reported.claimed);
        counters.withdrawn = counters.withdrawn.max(reported.withdrawn);
        counters.ended = counters.ended.max(reported.ended);
        counters.absent = counters.absent.max(reported.absent);
        counters.tried = counters.tried.max(reported.tried);
        let numbered = counters.numbered;
        while self
            .cuts
            .front()
            .is_some_and(|cut| cut.first_join + cut.count <= numbered)
        {
            self.cuts.pop_front();
        }
        self.settle_pending(now);
        before != self.counters
    }

    /// Brings the batches of pending claims in line with the counters: new claims queue behind,
    /// claims taken back are the youngest. (Which claim of the shard gets a grant is the shard's
    /// business: it keeps their order.)
    fn settle_pending(&mut self, now: UnixMillis) {
        let demand = self.demand();
        let held: u64 = self.pending.iter().map(|batch| batch.count).sum();
        if demand > held {
            let new = demand - held;
            let full = self.pending.len() >= MAX_CLAIM_BATCHES;
            match self.pending.back_mut() {
                Some(last) if last.at == now || full => last.count += new,
                _ => self.pending.push_back(ClaimBatch {
                    at: now,
                    count: new,
                }),
            }
        }
        let mut surplus = held.saturating_sub(demand);
        while surplus > 0 {
            let last = self
                .pending
                .back_mut()
                .expect("surplus claims are held in batches");
            let taken = last.count.min(surplus);
            last.count -= taken;
            surplus -= taken;
            if last.count == 0 {
                self.pending.pop_back();
            }
        }
    }

    /// Claims that wait for a grant. A claim taken back while its grant was on the way makes the
    /// counters cross for a moment: then nothing waits.
    pub(crate) fn demand(&self) -> u64 {
        self.counters
            .claimed
            .saturating_sub(self.counters.withdrawn + self.granted)
    }

    /// Called visitors of whom nothing more is to be expected: they claimed, or are known to be gone.
    pub(crate) fn answered(&self) -> u64 {
        self.counters
            .claimed
            .saturating_sub(self.counters.withdrawn)
            + self.counters.absent
    }

    /// Sessions and grants that count against the limits.
    pub(crate) fn active(&self) -> u64 {
        let given = self.granted + self.tries_granted;
        given.saturating_sub(self.counters.ended.max(self.ended_floor))
    }

    /// The most of those that may have been admitted in one step.
    fn direct_at_most(&self) -> u64 {
        self.active().min(self.tries_granted)
    }

    /// Gives the next `count` joins the entry numbers from `first_entry` on.
    pub(crate) fn cut(&mut self, count: u64, first_entry: EntryNumber) {
        let first_join = self.cut;
        assert!(
            first_join + count <= self.counters.joined,
            "a cut beyond the joins"
        );
        self.cut += count;
        match self.cuts.back_mut() {
            Some(last) if last.first_entry.0 + last.count == first_entry.0 => last.count += count,
            _ => self.cuts.push_back(Cut {
                first_join,
                count,
                first_entry,
            }),
        }
    }

    /// Takes `count` claims off the oldest batches and counts them as granted.
    pub(crate) fn grant(&mut self, count: u64) {
        self.granted += count;
        let mut left = count;
        while left > 0 {
            let first = self
                .pending
                .front_mut()
                .expect("granted claims are held in batches");
            let taken = first.count.min(left);
            first.count -= taken;
            left -= taken;
            if first.count == 0 {
                self.pending.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(claimed: u64, withdrawn: u64) -> Counters {
        Counters {
            claimed,
            withdrawn,
            ..Counters::default()
        }
    }

    #[test]
    fn an_old_report_changes_nothing() {
        let mut line = ChildLine::default();
        line.hear(&counters(5, 1), UnixMillis(10));
        assert!(!line.hear(&counters(3, 0), UnixMillis(20)));
        assert_eq!(line.demand(), 4);
    }

    #[test]
    fn a_claim_taken_back_is_the_youngest() {
        let mut line = ChildLine::default();
        line.hear(&counters(2, 0), UnixMillis(10));
        line.hear(&counters(5, 0), UnixMillis(20));
        line.hear(&counters(5, 4), UnixMillis(30));
        assert_eq!(
            line.pending,
            [ClaimBatch {
                at: UnixMillis(10),
                count: 1
            }]
        );
    }

    #[test]
    fn a_grant_that_crosses_a_withdrawal_leaves_no_demand_and_its_return_neither() {
        let mut line = ChildLine::default();
        line.hear(&counters(1, 0), UnixMillis(10));
        line.grant(1);
        line.hear(&counters(1, 1), UnixMillis(20));
        assert_eq!((line.demand(), line.active()), (0, 1));
        line.hear(
            &Counters {
                claimed: 2,
                withdrawn: 1,
                ended: 1,
                ..Counters::default()
            },
            UnixMillis(30),
        );
        assert_eq!((line.demand(), line.active()), (0, 0));
    }

    #[test]
    fn neighbouring_cuts_are_one() {
        let mut line = ChildLine::default();
        line.hear(
            &Counters {
                joined: 9,
                ..Counters::default()
            },
            UnixMillis(10),
        );
        line.cut(3, EntryNumber(0));
        line.cut(2, EntryNumber(3));
        line.cut(4, EntryNumber(100));
        let cuts: Vec<(u64, u64, u64)> = line
            .cuts
            .iter()
            .map(|cut| (cut.first_join, cut.count, cut.first_entry.0))
            .collect();
        assert_eq!(cuts, [(0, 5, 0), (5, 4, 100)]);
    }
}
