//! What every parser that meets outside bytes has to keep, whatever the bytes are.
//!
//! One module for each parser, with one function: `check(bytes)` panics when something does not hold. A fuzz target calls
//! it with whatever libFuzzer finds (`npm run fuzz -- TARGET`); an ordinary test here replays what was kept in
//! `fuzz/corpus/` on stable Rust, so that a mended crash stays mended. That nothing panics is the least of it: what is
//! accepted has one form, reads back the same, and agrees with a second reading that is written here from the
//! documentation, independently of the parser.
//!
//! | module | outside bytes |
//! | --- | --- |
//! | `token` | tokens, invitations, codes and hand-over codes |
//! | `cookie_header` | `Cookie` and `Set-Cookie` |
//! | `path_rules` | rules of the configuration and paths of requests |
//! | `join_body` | JSON and forms |
//! | `solution` | the solution of a permit's puzzles |
//! | `configuration` | an event's variable, its face, the whole of a deployment's |
//! | `sync_message` | what edges and objects say to one another |
//! | `stored_rows` | what an object reads from its storage |

pub mod configuration;
pub mod cookie_header;
pub mod join_body;
pub mod path_rules;
pub mod solution;
pub mod stored_rows;
pub mod sync_message;
pub mod token;

#[cfg(test)]
mod replay;

/// The first byte, to choose what is done with the rest.
fn choice(bytes: &[u8]) -> (u8, &[u8]) {
    bytes
        .split_first()
        .map_or((0, bytes), |(first, rest)| (*first, rest))
}
