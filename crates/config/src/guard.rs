//! How an event looks at visitors who have a place: whom it checks again, and what their passes are bound to.

use crate::fields::Fields;

/// Who is checked before being let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// Whoever is suspected.
    Suspected,
    /// Everyone.
    Everyone,
}

/// What a pass is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Nothing: phones change networks.
    None,
    /// The network and the browser's name: from elsewhere, the home is asked first.
    Strict,
}

/// Both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Who is checked before being let in.
    pub recheck: Recheck,
    /// What a pass is bound to.
    pub binding: Binding,
}

/// Reads `recheck` and `binding`.
pub fn read(fields: &mut Fields<'_>) -> Guard {
    let recheck = fields.text(
        "recheck",
        "\"suspected\" or \"everyone\"",
        |text| match text {
            "suspected" => Some(Recheck::Suspected),
            "everyone" => Some(Recheck::Everyone),
            _ => None,
        },
    );
    let binding = fields.text("binding", "\"none\" or \"strict\"", |text| match text {
        "none" => Some(Binding::None),
        "strict" => Some(Binding::Strict),
        _ => None,
    });
    Guard {
        recheck: recheck.unwrap_or(Recheck::Suspected),
        binding: binding.unwrap_or(Binding::None),
    }
}
