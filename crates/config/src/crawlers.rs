//! Which machines may look at the shop without a place: search engines, monitors, page previews.
//!
//! They are told by the network they come from, or by the platform's word that it has verified them; what they call
//! themselves alone lets nobody in, it only narrows a listed network.

use crate::fields::Fields;
use crate::keys;
use crate::texts;

/// Who counts as a crawler, and how many of their requests go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crawlers {
    /// The numbers of autonomous systems whose requests count as a crawler's.
    pub asns: Vec<u32>,
    /// Of these networks, what the name of a program has to contain; empty: whatever it is.
    pub agents: Vec<String>,
    /// Whether programs that the platform has verified count.
    pub verified: bool,
    /// Of the verified ones, the platform's categories that count; empty: all.
    pub categories: Vec<String>,
    /// So many requests go on in any minute, for the whole event.
    pub per_minute: u32,
}

/// Reads `crawlers`; absent or refused: `None`.
pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Crawlers> {
    let mut table = fields.table("crawlers", keys::CRAWLER_KEYS)?;
    let line = |text: &str| texts::line(text, keys::MAX_CRAWLER_CHARS);
    let form = texts::line_form(keys::MAX_CRAWLER_CHARS);
    let crawlers = Crawlers {
        asns: table
            .wholes("asns", keys::MAX_ASNS, keys::ASN)
            .unwrap_or_default(),
        agents: table
            .list("agents", keys::MAX_HOSTS, &form, line)
            .unwrap_or_default(),
        verified: table.flag("verified").unwrap_or(false),
        categories: table
            .list("categories", keys::MAX_HOSTS, &form, line)
            .unwrap_or_default(),
        per_minute: table.whole_or_default(keys::CRAWLERS_PER_MINUTE),
    };
    if table.value("asns").is_none() && !crawlers.verified {
        table.refuse(
            "asns",
            "a list of networks, or verified = true: a name alone lets nobody in",
        );
    }
    if crawlers.asns.is_empty() && !crawlers.agents.is_empty() {
        table.refuse("agents", "none without asns, which it narrows");
    }
    if !crawlers.verified && !crawlers.categories.is_empty() {
        table.refuse("categories", "none without verified, which it narrows");
    }
    Some(crawlers)
}
