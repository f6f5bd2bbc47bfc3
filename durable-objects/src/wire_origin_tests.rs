//! How the origin answered, in messages of its own kind: an edge or a shard that speaks to an older object sends the same
//! without, and nothing that was said before it was counted has other bytes.

use anteroom_queue::coordinator::health::{Restraint, Verdict};
use anteroom_queue::units::{ShardIndex, UnixMillis};

use super::tests::{check, hex, to_coordinator, to_shard};
use super::*;

#[test]
fn how_the_origin_answered_stands_behind_what_was_said_before_it_was_counted() {
    let origin = OriginCounts {
        answers: 300,
        failed: 2,
        slow: 3,
    };
    let counts = EdgeCounts {
        requests: 1,
        ..EdgeCounts::default()
    };
    let watched = EdgeCounts { origin, ..counts };
    let ask = ShardAsk::board(watched);
    assert_eq!(
        hex(&encode(&to_shard(ask))),
        "03 0464656d6f 01 ac02 03 01 00 00 00 00 00 00 000000000000 ac02 02 03".replace(' ', "")
    );
    check(
        to_shard(ShardAsk::Watched { counts, origin }),
        "03 0464656d6f 01 ac02 03 01 00 00 00 00 00 00 000000000000 ac02 02 03",
    );
    let report = SyncRequest {
        run: 1,
        shard: ShardIndex(3),
        sent: UnixMillis(10),
        lines: Vec::new(),
        unconfirmed: 8,
        board_version: 9,
    };
    let plain = CoordinatorAsk::report(report.clone(), counts);
    assert_eq!(plain, CoordinatorAsk::Sync(report.clone(), counts));
    check(
        to_coordinator(CoordinatorAsk::Watched(report, counts, origin)),
        "03 0464656d6f 01 06 01 03 0a 00 08 09 01 00 00 00 00 00 00 000000000000 ac02 02 03",
    );
    check(
        to_coordinator(CoordinatorAsk::Origin),
        "03 0464656d6f 01 07",
    );
    let view = OriginView {
        verdict: Verdict::Down,
        judged_at: UnixMillis(4),
        judged: origin.into(),
        restraint: Restraint {
            before: 8,
            cap: Some(1),
            paused: true,
            hands_off_until: UnixMillis(5),
        },
        acts: true,
    };
    check(view, "03 03 04 ac02 02 03 08 01 01 01 05 01");
}
