//! Path rules.

/// A protected or bypassed path: exact, or everything below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRule {
    segments: Vec<Vec<u8>>,
    below: bool,
}
