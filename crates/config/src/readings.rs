//! All the ways in which a server may read a path.
//!
//! Every reading is in lower case, percent-decoded, with dot segments resolved, slashes merged and
//! none at the end (the root is empty). Where servers agree that two spellings are the same (case,
//! encoded letters, dot segments), there is one reading. Where they do not, there is one for each
//! habit known from real servers and proxies:
//!
//! - percent-encoding of `/`, `\`, `;`, `?`, `#` and `%` left alone, undone once, several times, or
//!   until nothing is left; also old forms (`%u002f`, overlong UTF-8);
//! - a backslash is a slash, or not;
//! - `;name=value` belongs to the segment, or not;
//! - `?` or `#` that appear by decoding end the path, or not;
//! - slashes are merged before dot segments are resolved, or after;
//! - dots and spaces at the end of a segment are dropped, or not;
//! - what follows two slashes at the beginning is a host, before dot segments are resolved or
//!   after, or not: servers that read the path as an address relative to their own find it so.
//!
//! A path with a control character has no reading: servers drop some of them, in some places, or
//! end the path there, and nobody means one.
//!
//! The work is bounded: at most [`MAX_READINGS`] passes over a path, whose length the platform
//! limits to 16 kB. An ordinary path has one reading and costs one pass.

use std::collections::BTreeSet;

/// One reading of a path: `/events/world-tour/seats`, without a slash at the end.
pub type Reading = Vec<u8>;

/// Decodings that are looked at one by one; what goes deeper is decoded until nothing is left.
const SINGLE_DECODINGS: usize = 4;

/// The careful decoding, the single ones, the full one and the old forms.
const MAX_DECODINGS: usize = 1 + SINGLE_DECODINGS + 2;

/// What a server does or does not do beyond decoding.
const HABITS: usize = 7;

/// Each decoding, times each combination of habits.
pub const MAX_READINGS: usize = MAX_DECODINGS << HABITS;

/// What a server does beyond decoding.
#[derive(Clone, Copy)]
struct Habits {
    backslash_is_slash: bool,
    parameters_dropped: bool,
    ended_early: bool,
    merged_first: bool,
    ends_trimmed: bool,
    host_before_dots: bool,
    host_after_dots: bool,
}

/// All readings of `path`, at least one, each once; `None` when a control character is in it, as
/// it is or encoded.
pub fn of(path: &str) -> Option<Vec<Reading>> {
    let raw = path.as_bytes();
    if is_ordinary(raw) {
        return Some(vec![finish(raw, Habits::from_bits(0))]);
    }
    let decodings = decodings(raw);
    if decodings.iter().flatten().any(u8::is_ascii_control) {
        return None;
    }
    let mut readings: BTreeSet<Reading> = BTreeSet::new();
    for decoded in decodings {
        let relevant = relevant(&decoded);
        let combinations = (0..1 << HABITS).filter(|bits| bits & !relevant == 0);
        readings.extend(combinations.map(|bits| finish(&decoded, Habits::from_bits(bits))));
    }
    assert!(readings.len() <= MAX_READINGS, "the work is bounded");
    Some(readings.into_iter().collect())
}

impl Habits {
    fn from_bits(bits: u8) -> Self {
        let has = |bit: u8| bits & (1 << bit) != 0;
        Self {
            backslash_is_slash: has(0),
            parameters_dropped: has(1),
            ended_early: has(2),
            merged_first: has(3),
            ends_trimmed: has(4),
            host_before_dots: has(5),
            host_after_dots: has(6),
        }
    }
}

/// The habits that can make a difference for this path, as bits of [`Habits::from_bits`].
fn relevant(path: &[u8]) -> u8 {
    let has = |wanted: &[u8]| path.iter().any(|byte| wanted.contains(byte));
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let ends = path
        .iter()
        .zip(path.iter().skip(1).chain([&b'/']))
        .any(|(byte, next)| {
            matches!(byte, b'.' | b' ') && matches!(next, b'/' | b'\\' | b';' | b'?' | b'#')
        });
    let doubled = path.windows(2).any(|pair| pair.iter().all(is_slash));
    let begins_doubled = path.len() > 1 && path[..2].iter().all(is_slash);
    u8::from(has(b"\\"))
        | u8::from(has(b";")) << 1
        | u8::from(has(b"?#")) << 2
        | u8::from(has(b".")) << 3
        | u8::from(ends) << 4
        | u8::from(begins_doubled) << 5
        | u8::from(doubled || ends || has(b";")) << 6
}

/// Whether nothing in the path can be read in two ways.
fn is_ordinary(path: &[u8]) -> bool {
    let plain = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'/' | b'-' | b'_' | b'~' | b'.' | b'+' | b':' | b'@' | b',' | b'='
            )
    };
    let dotted = |segment: &[u8]| segment.ends_with(b".");
    path.iter().all(plain)
        && !path.windows(2).any(|pair| pair == b"//")
        && !path.split(|byte| *byte == b'/').any(dotted)
}

/// The ways to undo percent-encoding, each once.
fn decodings(raw: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![decode_agreed(raw)];
    let mut add = |decoded: Vec<u8>| {
        if !all.contains(&decoded) {
            all.push(decoded);
        }
    };
    let mut once = raw.to_vec();
    for _ in 0..SINGLE_DECODINGS {
        once = decode_once(&once);
        add(once.clone());
    }
    let full = decode_fully(raw);
    add(decode_old_forms(&full));
    add(full);
    debug_assert!(all.len() <= MAX_DECODINGS);
    all
}

/// The byte that `%HH` at the start of `text` stands for.
fn encoded_byte(text: &[u8]) -> Option<u8> {
    let digit = |at: usize| text.get(at).and_then(|byte| (*byte as char).to_digit(16));
    match (text.first(), digit(1), digit(2)) {
        (Some(b'%'), Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
        _ => None,
    }
}

/// Undoes the encoding of everything that means the same when it is encoded.
fn decode_agreed(raw: &[u8]) -> Vec<u8> {
    decode_where(raw, |byte| {
        !matches!(byte, b'/' | b'\\' | b';' | b'?' | b'#' | b'%')
    })
}

fn decode_once(raw: &[u8]) -> Vec<u8> {
    decode_where(raw, |_| true)
}

fn decode_where(raw: &[u8], wanted: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        match encoded_byte(&raw[at..]) {
            Some(byte) if wanted(byte) => {
                decoded.push(byte);
                at += 3;
            }
            _ => {
                decoded.push(raw[at]);
                at += 1;
            }
        }
    }
    decoded
}

/// Decodes until nothing is left to decode, in one pass: two encoded bytes never overlap, so the
/// order makes no difference and looking back after each byte finds all of them.
fn decode_fully(raw: &[u8]) -> Vec<u8> {
    let mut decoded: Vec<u8> = Vec::with_capacity(raw.len());
    for byte in raw {
        decoded.push(*byte);
        while let Some(byte) = decoded
            .len()
            .checked_sub(3)
            .and_then(|from| encoded_byte(&decoded[from..]))
        {
            decoded.truncate(decoded.len() - 3);
            decoded.push(byte);
        }
    }
    decoded
}

/// Undoes what only old servers understand: `%uHHHH` of one byte, and ASCII in two or three bytes
/// of overlong UTF-8. Such bytes are also letters of other encodings: what would become a control
/// character is left out.
fn decode_old_forms(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (byte, length) = match text[at..] {
            [b'%', b'u' | b'U', b'0', b'0', high, low, ..] => {
                match encoded_byte(&[b'%', high, low]) {
                    Some(byte) => (byte, 6),
                    None => (b'%', 1),
                }
            }
            [first @ 0xc0..=0xc1, second, ..] => (first << 6 | second & 0x3f, 2),
            [0xe0, second @ 0x80..=0x81, third, ..] => (second << 6 | third & 0x3f, 3),
            [byte, ..] => (byte, 1),
            [] => break,
        };
        if length == 1 || !byte.is_ascii_control() {
            decoded.push(byte);
        }
        at += length;
    }
    decoded
}

/// Splits into segments, resolves and joins again, in lower case.
fn finish(decoded: &[u8], habits: Habits) -> Reading {
    let ended = |byte: &u8| habits.ended_early && matches!(byte, b'?' | b'#');
    let end = decoded.iter().position(ended).unwrap_or(decoded.len());
    let slash = |byte: &u8| *byte == b'/' || (habits.backslash_is_slash && *byte == b'\\');
    let from = decoded.first().map_or(0, |first| usize::from(slash(first)));
    let split: Vec<&[u8]> = decoded[from.min(end)..end].split(slash).collect();
    let mut segments = split.as_slice();
    if habits.host_before_dots {
        segments = behind_host(segments);
    }
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in segments {
        let segment = shortened(segment, habits);
        match segment {
            b"" if habits.merged_first => {}
            b"." => {}
            b".." => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    let mut segments = kept.as_slice();
    if habits.host_after_dots {
        segments = behind_host(segments);
    }
    let mut reading = Vec::with_capacity(end + 1);
    for segment in segments.iter().filter(|segment| !segment.is_empty()) {
        reading.push(b'/');
        reading.extend_from_slice(segment);
    }
    lower_case(reading)
}

/// The segments behind the host, of a path that begins with two slashes; else all of them.
fn behind_host<'a, 'b>(segments: &'b [&'a [u8]]) -> &'b [&'a [u8]] {
    if !segments.first().is_some_and(|first| first.is_empty()) {
        return segments;
    }
    let host = segments.iter().position(|segment| !segment.is_empty());
    host.map_or(&[], |host| &segments[host + 1..])
}

/// A segment without what a server drops from it.
fn shortened(segment: &[u8], habits: Habits) -> &[u8] {
    let mut segment = segment;
    if habits.parameters_dropped
        && let Some(cut) = segment.iter().position(|byte| *byte == b';')
    {
        segment = &segment[..cut];
    }
    if habits.ends_trimmed && segment != b"." && segment != b".." {
        let last = segment
            .iter()
            .rposition(|byte| !matches!(byte, b'.' | b' '));
        segment = &segment[..last.map_or(0, |last| last + 1)];
    }
    segment
}

fn lower_case(reading: Reading) -> Reading {
    match std::str::from_utf8(&reading) {
        Ok(text) if !text.is_ascii() => text
            .chars()
            .flat_map(char::to_lowercase)
            .collect::<String>()
            .into_bytes(),
        _ => reading.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: &[&str]) {
        let readings: Vec<String> = of(path)
            .expect("no control character")
            .iter()
            .map(|reading| String::from_utf8_lossy(reading).into_owned())
            .collect();
        for reading in expected {
            assert!(
                readings.iter().any(|found| found == reading),
                "{path}: {reading} is not in {readings:?}"
            );
        }
    }

    #[test]
    fn spellings_that_servers_agree_on_have_one_reading() {
        for (path, reading) in [
            ("/", ""),
            ("", ""),
            ("/a/b", "/a/b"),
            ("/A/B/", "/a/b"),
            ("/%61/%42", "/a/b"),
            ("/a/./b", "/a/b"),
            ("/x/../a/b", "/a/b"),
            ("/x/%2e%2E/a/b", "/a/b"),
            ("/../../a/b", "/a/b"),
            ("/a//b", "/a/b"),
            ("/caf%C3%89", "/café"),
        ] {
            assert_eq!(of(path).unwrap(), [reading.as_bytes()], "{path}");
        }
    }

    #[test]
    fn spellings_that_servers_disagree_on_have_all_readings() {
        check("/a%2fb", &["/a%2fb", "/a/b"]);
        check("/%2561", &["/%61", "/a"]);
        check("/%25252525252561", &["/a"]);
        check("/%%36%31", &["/a"]);
        check("/x/..%2fa", &["/a", "/x/..%2fa"]);
        check("/x\\..\\a", &["/a", "/x\\..\\a"]);
        check("/x/..;v=1/a", &["/a", "/x/..;v=1/a"]);
        check("/a;x/b", &["/a/b", "/a;x/b"]);
        check("/a%3fb", &["/a", "/a?b"]);
        check("/x//../a", &["/a", "/x/a"]);
        check("/%c0%ae%c0%ae/a%c0%afb", &["/a/b"]);
        check("/%u0061", &["/a"]);
        check("/a./b", &["/a./b", "/a/b"]);
        check("/a%20/b", &["/a /b", "/a/b"]);
    }

    #[test]
    fn two_slashes_at_the_beginning_may_stand_before_a_host() {
        for path in [
            "//host/a/b",
            "///host/a/b",
            "//host:80/x/../a/b",
            "//name@host//a/./b",
            "/\\host/a/b",
            "/%5chost/a/b",
            "/%2fhost/a/b",
            "/%252f/host%252fa/b",
            "/x/..%2f/host/a/b",
            "/;x/host/a/b",
            "/x/..;//host/a/b",
            "/%20/host/a/b",
            "//one/x/..%2f/two/a/b",
        ] {
            check(path, &["/a/b"]);
        }
        check("//host", &["/host", ""]);
        check("//a/b", &["/a/b", "/b"]);
        assert_eq!(of("/x//a/b").unwrap(), [b"/x/a/b"]);
    }

    #[test]
    fn a_path_with_a_control_character_has_no_reading() {
        let raw = "/a\tb /a\u{7f} /a%00b /a%09b /a%0a /a%0Db /%1f/a /a%7f /a%2509b /%%30%39";
        for path in raw.split(' ') {
            assert_eq!(of(path), None, "{path}");
        }
        check("/a%c0%89b%c0Ac", &["/abc"]);
        check("/a%u0009b", &["/ab"]);
        check("/caf%c3%a9%c2%85", &["/café\u{85}"]);
    }

    #[test]
    fn the_worst_path_is_read_in_bounded_work() {
        let worst = "//a.\\..;b%25252525253f//%2e./%c0%af".repeat(400);
        assert!(of(&worst).unwrap().len() <= MAX_READINGS);
    }
}
