//! A small sale, published whole: three lines, one drawn with a round of drand's quicknet, one
//! without a draw, one whose draw is still to come.

use anteroom_queue::draw::{
    Hash, SeedFields, all_ranks, chain, commitment, hex, randomness, round_after,
};
use anteroom_queue::log::{BegunLine, Log, Record};
use anteroom_queue::units::{EntryNumber, Nonce, Rank, ShardIndex, UnixMillis};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde_json::{Value, json};
use verify_draw::beacon::BeaconChain;
use verify_draw::{Evidence, Findings, Verdict, check};

pub const EVENT: &str = "world-tour";
pub const RUN: u32 = 3;
const SECRET: Hash = [0x5e; 32];
const LATER_SECRET: Hash = [0x1a; 32];
/// quicknet's round 123, from the documentation of the crate drand-verify 0.6.2.
pub const ROUND: u64 = 123;
pub const SIGNATURE: &str = "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92";
/// 12.5 s before that round's time: the entrants are fixed, the round does not exist.
const FIXED_AT: u64 = 1_692_803_720_500;
pub const FIXED_AT_TEXT: &str = "2023-08-23T15:15:20.500Z";
pub const ENTRANTS: u64 = 125;
pub const ENTRIES: u64 = 135;

/// A record and when it was written, in milliseconds after the run began.
pub type Step = (u64, Record);

fn signature() -> Vec<u8> {
    hex::bytes(SIGNATURE).expect("digits")
}

fn permits(joins: u8) -> Hash {
    (0..joins).fold([0; 32], |link, join| chain(&link, &Nonce([join; 16])))
}

fn cut(line: &str, shard: u16, (first_join, count): (u64, u64), first_entry: u64) -> Record {
    let joined = first_join + count;
    Record::Cut {
        line: line.to_owned(),
        shard: ShardIndex(shard),
        first_join,
        count,
        first_entry: EntryNumber(first_entry),
        joined,
        chain: permits(joined as u8),
    }
}

fn call(line: &str, called: u64) -> Record {
    let line = line.to_owned();
    Record::Call {
        line,
        called: Rank(called),
    }
}

fn grant(line: &str, shard: u16, count: u64, granted: u64) -> Record {
    let line = line.to_owned();
    Record::Grant {
        line,
        shard: ShardIndex(shard),
        count,
        granted,
    }
}

pub fn seed(root: Hash, signature: Option<&[u8]>) -> Hash {
    let fields = SeedFields {
        event: EVENT,
        run: RUN,
        line: "general",
        entrants: ENTRANTS,
        root,
        secret: SECRET,
        randomness: signature.map(randomness),
    };
    fields.seed()
}

/// What happened, in order. Roots and seeds of the draw are filled in by [`written`].
pub fn steps() -> Vec<Step> {
    let begun = |id: &str, secret: Option<Hash>| BegunLine {
        id: id.to_owned(),
        commitment: secret.map(|secret| commitment(&secret)),
    };
    let general = "general".to_owned();
    vec![
        (
            0,
            Record::Begin {
                event: EVENT.to_owned(),
                run: RUN,
                lines: vec![
                    begun("general", Some(SECRET)),
                    begun("fans", None),
                    begun("vip", None),
                ],
            },
        ),
        (
            10,
            Record::Line {
                line: "vip".to_owned(),
                commitment: commitment(&LATER_SECRET),
            },
        ),
        (1_000, cut("general", 0, (0, 40), 0)),
        (1_000, cut("general", 1, (0, 25), 40)),
        (2_000, cut("fans", 0, (0, 12), 0)),
        (2_100, call("fans", 12)),
        (2_200, grant("fans", 0, 5, 5)),
        (
            2_300,
            Record::Admit {
                line: "fans".to_owned(),
                shard: ShardIndex(1),
                count: 2,
            },
        ),
        (3_000, cut("general", 0, (40, 60), 65)),
        (3_500, cut("vip", 1, (0, 9), 0)),
        (
            FIXED_AFTER,
            Record::Fixed {
                line: general.clone(),
                entrants: ENTRANTS,
                root: [0; 32],
                round: Some(ROUND),
            },
        ),
        (
            5_000,
            Record::Operator {
                by: "kim".to_owned(),
                action: json!({ "action": "message", "text": "soon" }),
            },
        ),
        (
            20_000,
            Record::Drawn {
                line: general,
                secret: SECRET,
                beacon: Some(signature()),
                seed: [0; 32],
            },
        ),
        (21_000, cut("general", 1, (25, 10), 125)),
        (21_000, call("general", 30)),
        (22_000, grant("general", 0, 7, 11)),
        (22_000, grant("general", 1, 4, 11)),
        (23_000, grant("general", 1, 3, 14)),
        (
            24_000,
            Record::Stock {
                left: 480,
                at_origin: UnixMillis(FIXED_AT),
            },
        ),
        (
            25_000,
            Record::Edges {
                bypassed: 17,
                staff: 2,
            },
        ),
    ]
}

const FIXED_AFTER: u64 = 4_000;

/// The log's text, with the right root and seed unless a step has others, and the root.
pub fn written(steps: &[Step]) -> (String, Hash) {
    let mut log = Log::begin(EVENT, RUN);
    let mut fixed_root = [0; 32];
    let mut text = String::new();
    for (after, record) in steps {
        let mut record = record.clone();
        match &mut record {
            Record::Fixed { root, .. } if *root == [0; 32] => {
                fixed_root = log.head;
                *root = fixed_root;
            }
            Record::Drawn {
                beacon,
                seed: value,
                ..
            } if *value == [0; 32] => *value = seed(fixed_root, beacon.as_deref()),
            _ => {}
        }
        let at = FIXED_AT - FIXED_AFTER + after;
        text.push_str(&log.append(UnixMillis(at), &record));
        text.push('\n');
    }
    (text, fixed_root)
}

/// The published draw.
pub fn document(root: Hash) -> Value {
    json!({
        "event": EVENT,
        "run": RUN,
        "algorithm": "swap-or-not-90/sha-256",
        "label": "anteroom/draw/v1",
        "lines": [
            { "id": "general", "draw": {
                "commitment": hex::text(&commitment(&SECRET)),
                "entrants": ENTRANTS,
                "log_root": hex::text(&root),
                "fixed_at": FIXED_AT_TEXT,
                "beacon": {
                    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
                    "round": ROUND,
                    "signature": SIGNATURE,
                    "randomness": hex::text(&randomness(&signature())),
                    "absent": false,
                },
                "secret": hex::text(&SECRET),
                "seed": hex::text(&seed(root, Some(&signature()))),
            } },
            { "id": "fans", "draw": null },
            { "id": "vip", "draw": {
                "commitment": hex::text(&commitment(&LATER_SECRET)),
                "entrants": null, "log_root": null, "fixed_at": null, "beacon": null, "secret": null, "seed": null,
            } },
        ],
    })
}

/// The claims of the ticket of entry number 50: the tenth join of shard 1.
pub fn claims(root: Hash) -> Value {
    let rank = all_ranks(seed(root, Some(&signature())), ENTRANTS)[50];
    json!({
        "v": 1, "iss": "live", "evt": EVENT, "run": RUN, "jti": "AAECAwQFBgcICQoLDA0ODw", "home": 1, "idx": 11,
        "line": 0, "ent": 50, "rank": rank, "arr": 1_692_803_717, "iat": 1_692_803_750, "exp": 1_692_890_150,
    })
}

/// The claims in the order in which a room writes them.
pub fn claims_text(claims: &Value) -> String {
    let names = [
        "v", "iss", "evt", "run", "jti", "home", "idx", "line", "ent", "rank", "arr", "iat", "exp",
    ];
    let members = names
        .iter()
        .filter_map(|name| claims.get(name).map(|value| format!("\"{name}\":{value}")));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

pub const HEADER: &str = r#"{"alg":"HS256","typ":"wr-ticket+jwt","kid":"k1"}"#;

pub fn ticket(header: &str, claims: &str) -> String {
    let encoded = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
    format!(
        "{}.{}.{}",
        encoded(header.as_bytes()),
        encoded(claims.as_bytes()),
        encoded(&[7; 32])
    )
}

/// Everything as it was published.
pub struct Published {
    pub document: Value,
    pub log: String,
    pub ticket: String,
    pub root: Hash,
}

pub fn published() -> Published {
    let (log, root) = written(&steps());
    Published {
        document: document(root),
        log,
        ticket: ticket(HEADER, &claims_text(&claims(root))),
        root,
    }
}

pub fn checked(draw: &str, log: Option<&str>, ticket: Option<&str>) -> Findings {
    let beacon = BeaconChain::quicknet();
    check(&Evidence {
        draw,
        log,
        ticket,
        line: None,
        beacon: &beacon,
    })
}

/// The sentences that say what does not hold.
pub fn failures(findings: &Findings) -> Vec<String> {
    let failed = findings
        .all()
        .iter()
        .filter(|finding| finding.verdict == Verdict::Fails);
    failed
        .map(|finding| format!("{}: {}", finding.about, finding.text))
        .collect()
}

/// Another character of the same class: still a digit, a letter of its case, a mark.
pub fn another(letter: char) -> char {
    let turned = |first: u8, size: u8| char::from(first + (letter as u8 - first + 1) % size);
    match letter {
        '0'..='9' => turned(b'0', 10),
        'a'..='f' => turned(b'a', 6),
        'g'..='z' => turned(b'g', 20),
        'A'..='Z' => turned(b'A', 26),
        ':' => ';',
        '"' => '\'',
        _ => ':',
    }
}

/// `text` with another character of the same class at `at`.
pub fn with_another(text: &str, at: usize) -> String {
    let altered = text
        .char_indices()
        .map(|(index, letter)| if index == at { another(letter) } else { letter });
    altered.collect()
}

#[test]
fn the_sale_was_published_right_and_says_what_could_not_be_checked() {
    assert_eq!(round_after(UnixMillis(FIXED_AT + 10_000)), ROUND);
    let Published {
        document,
        log,
        ticket,
        ..
    } = published();
    let findings = checked(&document.to_string(), Some(&log), Some(&ticket));
    assert_eq!(failures(&findings), [""; 0]);
    let told = findings.to_string();
    for sentence in [
        "20 lines, each chained to the one before it",
        "135 entry numbers from 0 on, in 4 cuts for 2 shards, without gap or overlap",
        "30 turns offered in the order of the ranks, 14 granted, 0 first visits",
        "operators did: message by kim; 17 requests passed without a pass, 2 with a staff pass",
        "round 123 is signed by the beacon's key",
        "it is the one that was committed to before anybody joined",
        "fans has no draw: first come, first served",
        "the draw of vip: it is not decided yet",
        "log line 4 gave entry number 50 to shard 1, where this place is",
        "only the room can check it",
    ] {
        assert!(told.contains(sentence), "{sentence}\n{told}");
    }
}
