//! What applying a command gives: an answer, and the rows to store before it is given.

/// The result of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<Reply, Row> {
    /// The answer. It may leave only when `rows` are stored.
    pub reply: Reply,
    /// Every row that changed, whole. Storing them by key, all in one transaction, is the one
    /// effect there is; `restore` is its inverse.
    pub rows: Vec<Row>,
}

/// Stored rows that do not make a state: why, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupt(pub String);

impl std::fmt::Display for Corrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the stored rows do not make a state: {}", self.0)
    }
}

impl std::error::Error for Corrupt {}
