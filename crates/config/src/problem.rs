//! What is wrong with a configuration, in words that name the field, the value and the range.

use std::fmt;

/// The longest part of a found value that a message repeats, in characters.
const MAX_SHOWN_CHARS: usize = 80;

/// One reason why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field's path, for example `EVENT_WORLD_TOUR.admission.per_minute`.
    pub path: String,
    /// What was there, as JSON and shortened; `nothing` when it is missing.
    pub found: String,
    /// What is allowed there.
    pub allowed: String,
}

impl Problem {
    /// A problem at `path`.
    pub fn new(
        path: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        let found: String = found.into();
        let found = match found.char_indices().nth(MAX_SHOWN_CHARS) {
            Some((cut, _)) => format!("{}…", &found[..cut]),
            None => found,
        };
        Self {
            path: path.into(),
            found,
            allowed: allowed.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: found {}, allowed: {}",
            self.path, self.found, self.allowed
        )
    }
}

impl std::error::Error for Problem {}
