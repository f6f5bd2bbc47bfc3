//! How a shard's instance ends: at any moment, with writes under way, or while another one has begun.

use super::Room;
use crate::message::{Answer, Letter};

impl Room {
    /// The shard loses its memory; writes under way may or may not have become durable.
    pub(super) fn crash_shard(&mut self, shard: u16, now: u64) {
        let writes = self.shards[usize::from(shard)].store.writes();
        let survivors = self.network.survivors(writes);
        self.end_shard(shard, survivors, now);
    }

    /// The shard loses its memory right after a step, or not.
    pub(super) fn may_crash_shard(&mut self, shard: u16, now: u64) -> bool {
        let crashes = self.network.crashes_in_step();
        if crashes {
            self.crash_shard(shard, now);
        }
        crashes
    }

    /// The shard loses its memory; so many of the writes under way are durable all the same.
    pub(super) fn end_shard(&mut self, shard: u16, survivors: usize, now: u64) {
        let lost = self.shards[usize::from(shard)].store.fail(survivors);
        let waited = lost.into_iter().flat_map(|after| after.answers);
        self.forget_shard(shard, waited.map(|(letter, _)| letter).collect(), now);
    }

    /// Another instance of the shard begins while this one still has answers and reports in hand: what is durable
    /// leaves late, and everything else of the old instance finds its storage closed.
    pub(super) fn double_shard(&mut self, shard: u16, late_ms: u64, now: u64) {
        let shell = &mut self.shards[usize::from(shard)];
        let survivors = self.network.survivors(shell.store.writes());
        let epoch = shell.epoch;
        let board = shell
            .aged_board(now)
            .map(|(board, age)| (board, age + late_ms));
        let mut unanswered = Vec::new();
        for (position, after) in shell.store.fail(survivors).into_iter().enumerate() {
            if position >= survivors {
                unanswered.extend(after.answers.into_iter().map(|(letter, _)| letter));
                continue;
            }
            if let Some((number, report)) = after.report {
                self.send_report(shard, epoch, number, report, now + late_ms);
            }
            for (letter, reply) in after.answers {
                let board = board.clone();
                if !letter.copy {
                    self.send_answer(
                        Answer {
                            letter,
                            reply: Some(reply),
                            board,
                        },
                        now + late_ms,
                    );
                }
            }
        }
        self.forget_shard(shard, unanswered, now);
    }

    fn forget_shard(&mut self, shard: u16, mut unanswered: Vec<Letter>, now: u64) {
        let shell = &mut self.shards[usize::from(shard)];
        let answers = std::mem::take(&mut shell.answers);
        unanswered.extend(answers.into_iter().map(|(letter, _)| letter));
        let undecided = std::mem::take(&mut shell.undecided);
        unanswered.extend(undecided.into_iter().map(|request| request.letter));
        unanswered.extend(std::mem::take(&mut shell.board_readers));
        shell.core = None;
        shell.board = None;
        shell.epoch += 1;
        shell.gathers_until = None;
        shell.syncing = None;
        shell.sync_due = None;
        for letter in unanswered {
            self.answer_later(letter, None, now);
        }
    }
}
