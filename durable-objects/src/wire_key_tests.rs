//! The bytes of what edges and homes of keys and codes say to one another.

use anteroom_queue::units::{KeyHash, Millis, Nonce, ShardIndex};

use super::tests::{check, to_shard};
use super::*;

const KEY: KeyHash = KeyHash([8; 16]);
const NONCE: Nonce = Nonce([7; 16]);

#[test]
fn an_edge_of_another_version_can_still_ask_for_a_key() {
    let (key, nonce) = ("08".repeat(16), "07".repeat(16));
    let reserve = ShardCommand::Reserve {
        key: KEY,
        nonce: NONCE,
        home: ShardIndex(300),
        uses: 2,
        replaces: None,
    };
    let found = ShardCommand::HolderFound {
        key: KEY,
        nonce: NONCE,
        made: true,
    };
    for (command, pinned) in [
        (reserve, format!("06 {key} {nonce} ac02 02 00")),
        (found, format!("11 {key} {nonce} 01")),
    ] {
        let asked = to_shard(ShardAsk::Place(command));
        check(asked, &format!("02 0464656d6f 01 ac02 01 {pinned}"));
    }
}

#[test]
fn a_home_of_another_version_can_still_say_who_has_a_key() {
    let (nonce, home) = (NONCE, ShardIndex(300));
    for (reply, pinned) in [
        (ShardReply::Reserved { nonce, home }, "05"),
        (ShardReply::Unsure { nonce, home }, "09"),
    ] {
        let answer = ShardAnswer {
            board: None,
            board_age_ms: None,
            body: ShardBody::Reply(reply),
        };
        let permit = "07".repeat(16);
        check(answer, &format!("02 00 00 01 {pinned} {permit} ac02"));
    }
}

#[test]
fn an_edge_of_another_version_can_still_ask_for_a_crawler() {
    let crawl = ShardCommand::Crawl {
        per_minute: 300,
        turned_away: 2,
    };
    for (command, pinned) in [(crawl, "12 ac02 02"), (ShardCommand::CountCrawlers, "13")] {
        let asked = to_shard(ShardAsk::Place(command));
        check(asked, &format!("02 0464656d6f 01 ac02 01 {pinned}"));
    }
    let crawled = ShardReply::Crawled {
        went_on: false,
        retry_in: Millis(300),
    };
    let counts = ShardReply::CrawlerCounts {
        in_last_minute: 1,
        let_through: 300,
        turned_away: 2,
    };
    for (reply, pinned) in [(crawled, "0a 00 ac02"), (counts, "0b 01 ac02 02")] {
        let answer = ShardAnswer {
            board: None,
            board_age_ms: None,
            body: ShardBody::Reply(reply),
        };
        check(answer, &format!("02 00 00 01 {pinned}"));
    }
}
