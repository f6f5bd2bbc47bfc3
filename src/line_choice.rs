//! Which line a join is for, and by what right: an invitation names its line, else a code does, else the join itself, else
//! it is the first line for everyone. Nobody is asked; what is spent, is spent at the home of the key.

use anteroom_config::Access;
use anteroom_queue::shard::command::Refused;
use anteroom_queue::units::{KeyHash, LineIndex, ShardIndex};
use anteroom_token::member_key_hash;
use serde_json::json;

use crate::deployment::Room;
use crate::problem::{self, Problem};
use crate::standing::Stand;

/// What is allowed in the field `code`.
const A_CODE: &str = "a code of this queue";
/// What is allowed in the field `enqueue_token`.
const AN_INVITATION: &str = "an invitation to a line of this queue";

/// What a join says of the line, as it came.
#[derive(Debug, Clone, Copy, Default)]
pub struct Said<'a> {
    /// The line's id.
    pub line: Option<&'a str>,
    /// A code; what has two dots is an invitation.
    pub code: Option<&'a str>,
    /// An invitation.
    pub enqueue_token: Option<&'a str>,
    /// The visitor's address, as the platform tells it.
    pub ip: Option<&'a str>,
}

impl Said<'_> {
    /// Whether somebody in `line` has what is asked for: no other line is named, and nothing is brought that would open one.
    pub fn suits(&self, room: Room, line: u8) -> bool {
        let brings_none = [self.code, self.enqueue_token].map(given) == [None, None];
        let position = |id| room.event.line(id).map(|(position, _)| position);
        brings_none && given(self.line).is_none_or(|id| position(id) == Some(usize::from(line)))
    }
}

/// A line, and what opens it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Right {
    /// The line.
    pub line: LineIndex,
    /// The visitor named it, in whatever way.
    pub is_named: bool,
    /// The code or member key that opens it; none: everyone may join.
    pub key: Option<Key>,
}

/// A member key or a code, as its home knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its hash.
    pub hash: KeyHash,
    /// How many places may have it at the same time.
    pub uses: u16,
    /// It is a code: who was let in with it has used it up.
    pub is_code: bool,
}

impl Key {
    /// The shard that keeps its record, of `homes`.
    pub fn home(&self, homes: u16) -> ShardIndex {
        let [a, b, c, d, ..] = self.hash.0;
        let number = u32::from_be_bytes([a, b, c, d]) % u32::from(homes.max(1));
        ShardIndex(number as u16)
    }
}

/// Reads what a join says. `now` in Unix seconds.
pub fn read(room: Room, said: Said<'_>, now: u64) -> Result<Right, Problem> {
    let code = given(said.code);
    let invitation = code.filter(|code| code.bytes().filter(|byte| *byte == b'.').count() == 2);
    if let Some(token) = given(said.enqueue_token).or(invitation) {
        return by_invitation(room, token, now, said.ip);
    }
    if let Some(code) = code {
        return by_code(room, code);
    }
    match given(said.line) {
        Some(id) => by_name(room, id),
        None => for_everyone(room),
    }
}

/// A field that is there and says something; a form sends its empty ones too.
fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn by_invitation(room: Room, token: &str, now: u64, ip: Option<&str>) -> Result<Right, Problem> {
    let refused = |reason: &str| {
        Problem::unusable("enqueue_token", AN_INVITATION).and("reason", json!(reason))
    };
    let token = room
        .tokens
        .open_enqueue(token, now, ip)
        .map_err(|refusal| refused(refusal.code()))?;
    let (position, line) = room
        .event
        .line(&token.line)
        .ok_or_else(|| refused("no-such-line"))?;
    if line.access != Access::EnqueueToken {
        return Err(refused("line-takes-none"));
    }
    Ok(Right {
        line: LineIndex(position as u8),
        is_named: true,
        key: Some(Key {
            hash: KeyHash(member_key_hash(&token.key)),
            uses: 1,
            is_code: false,
        }),
    })
}

fn by_code(room: Room, typed: &str) -> Result<Right, Problem> {
    let coded = room
        .event
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.access == Access::Code)
        .map(|(position, line)| (position, line.id.as_str()));
    let (position, code) = room
        .tokens
        .open_code(typed, coded)
        .ok_or_else(|| Problem::unusable("code", A_CODE))?;
    Ok(Right {
        line: LineIndex(position as u8),
        is_named: true,
        key: Some(Key {
            hash: KeyHash(code.hash(&room.event.lines[position].id)),
            uses: code.uses(),
            is_code: true,
        }),
    })
}

fn by_name(room: Room, id: &str) -> Result<Right, Problem> {
    let Some((position, line)) = room.event.line(id) else {
        let ids: Vec<&str> = room
            .event
            .lines
            .iter()
            .map(|line| line.id.as_str())
            .collect();
        return Err(problem::of_refusal(Refused::NoSuchLine, Stand::None)
            .and("field", json!("line"))
            .and("allowed", json!(ids)));
    };
    let needed = match line.access {
        Access::Everyone => {
            return Ok(Right {
                line: LineIndex(position as u8),
                is_named: true,
                key: None,
            });
        }
        Access::Code => "a line for everyone; this one takes a code, in the field code",
        Access::EnqueueToken => {
            "a line for everyone; this one takes an invitation, in the field enqueue_token"
        }
    };
    Err(Problem::unusable("line", needed).and("needs", json!(line.access.name())))
}

fn for_everyone(room: Room) -> Result<Right, Problem> {
    let line = room.event.line_for_everyone().ok_or_else(|| {
        let needed = "given with a code or an invitation; this queue has no line for everyone";
        Problem::unusable("line", needed)
    })?;
    Ok(Right {
        line: LineIndex(line),
        is_named: false,
        key: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use anteroom_token::{EnqueueToken, MAX_CODE_USES};

    const NOW: u64 = 1_800_000_000;

    fn room() -> Room {
        samples::room(json!([
            { "id": "fans", "access": "code" },
            { "id": "general" },
            { "id": "members", "access": "enqueue_token" },
            { "id": "later" },
        ]))
    }

    fn token(change: impl FnOnce(&mut EnqueueToken)) -> String {
        let mut token = EnqueueToken {
            organizer: "club".to_owned(),
            line: "members".to_owned(),
            key: "member-7".to_owned(),
            id: "1".to_owned(),
            issued_at: NOW,
            expires_at: NOW + 600,
            ip: None,
        };
        change(&mut token);
        room().tokens.seal_enqueue(&token)
    }

    fn line_of(said: Said<'_>) -> (u8, bool, Option<u16>) {
        let right = read(room(), said, NOW).unwrap();
        let uses = right.key.map(|key| key.uses);
        (right.line.0, right.is_named, uses)
    }

    #[test]
    fn an_invitation_names_the_line_before_a_code_a_code_before_the_join_else_it_is_everyones() {
        let code = room().tokens.seal_code("fans", 7, 3).to_string();
        let invitation = token(|_| {});
        let all = Said {
            line: Some("later"),
            code: Some(&code),
            enqueue_token: Some(&invitation),
            ip: None,
        };
        assert_eq!(line_of(all), (2, true, Some(1)));
        let coded = Said {
            enqueue_token: Some(" "),
            ..all
        };
        assert_eq!(line_of(coded), (0, true, Some(3)));
        let in_one_field = Said {
            code: Some(&invitation),
            enqueue_token: None,
            ..all
        };
        assert_eq!(line_of(in_one_field), (2, true, Some(1)));
        let named = Said {
            code: Some(""),
            ..coded
        };
        assert_eq!(line_of(named), (3, true, None));
        assert_eq!(line_of(Said::default()), (1, false, None));
    }

    #[test]
    fn what_opens_no_line_is_refused_with_the_field_and_what_is_needed() {
        let foreign = room().tokens.seal_code("general", 7, 1).to_string();
        let elsewhere = samples::room(json!([{ "id": "members", "access": "enqueue_token" }]));
        assert!(for_everyone(elsewhere).is_err());
        let late = token(|token| token.issued_at = NOW - 1_000);
        let over = token(|token| {
            token.issued_at = NOW - 1_000;
            token.expires_at = NOW;
        });
        let (lost, open) = (
            token(|token| token.line = "lost".to_owned()),
            token(|token| token.line = "general".to_owned()),
        );
        let bound = token(|token| token.ip = "192.0.2.7".parse().ok());
        let named = |line| Said {
            line: Some(line),
            ..Said::default()
        };
        let coded = |code| Said {
            code: Some(code),
            ..Said::default()
        };
        let invited = |token| Said {
            enqueue_token: Some(token),
            ..Said::default()
        };
        let unusable = |said| (said, 422, "unusable-field");
        let rows = [
            (named("nowhere"), 400, "no-such-line"),
            unusable(named("fans")),
            unusable(named("members")),
            unusable(coded("ABCDE")),
            unusable(coded(&foreign)),
            unusable(invited("a.b.c")),
            unusable(invited(&over)),
            unusable(invited(&lost)),
            unusable(invited(&open)),
            unusable(invited(&bound)),
        ];
        for (said, status, kind) in rows {
            let problem = read(room(), said, NOW).unwrap_err();
            assert_eq!(
                (problem.status(), problem.kind()),
                (status, kind),
                "{said:?}"
            );
        }
        assert!(read(room(), invited(&late), NOW).is_ok());
        let at_home = Said {
            ip: Some("::ffff:192.0.2.7"),
            ..invited(&bound)
        };
        assert!(read(room(), at_home, NOW).is_ok());
    }

    #[test]
    fn whoever_names_no_line_or_the_own_one_needs_no_code_for_it() {
        let named = |line| Said {
            line: Some(line),
            ..Said::default()
        };
        let coded = Said {
            code: Some("ABCDE"),
            ..Said::default()
        };
        for (said, line, suits) in [
            (Said::default(), 0, true),
            (named(" "), 2, true),
            (named("fans"), 0, true),
            (named("fans"), 1, false),
            (named("nowhere"), 0, false),
            (coded, 0, false),
        ] {
            assert_eq!(said.suits(room(), line), suits, "{said:?} {line}");
        }
    }

    #[test]
    fn the_home_of_a_key_is_one_of_those_that_the_run_has_for_keys() {
        for id in 0..64 {
            let code = room().tokens.seal_code("fans", id, MAX_CODE_USES);
            let key = Key {
                hash: KeyHash(code.hash("fans")),
                uses: code.uses(),
                is_code: true,
            };
            assert!(key.home(5).0 < 5);
            assert_eq!(key.home(1).0, 0);
            assert_eq!(key.home(0).0, 0);
        }
    }
}
