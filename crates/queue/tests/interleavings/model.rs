//! The model: two visitors, what their homes know, what the coordinator has heard.

use anteroom_queue::sync::SyncReply;

/// How far one visitor has come, at the home.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    #[default]
    Away,
    Waiting,
    Claimed,
    Granted,
    Inside,
    Ended,
    Left,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Visitor {
    pub standing: Standing,
    /// Known at the home.
    pub entry: Option<u64>,
    /// Grants that the home has heard of.
    pub grants_heard: u64,
    pub claims: u64,
    pub withdrawn: u64,
    pub ended: u64,
    /// Whether the home knows of a pause.
    pub paused: bool,
}

/// What the coordinator knows of a visitor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heard {
    pub entry: Option<u64>,
    pub claims: u64,
    pub withdrawn: u64,
    pub ended: u64,
    pub grants: u64,
    /// Since when its claim is in, in order of hearing.
    pub claim_order: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub visitors: [Visitor; 2],
    pub heard: [Heard; 2],
    pub entries: u64,
    pub order: u64,
    pub paused: bool,
    pub last_reply: [Option<SyncReply>; 2],
}

impl Model {
    pub fn active(&self) -> u64 {
        self.heard
            .iter()
            .map(|heard| heard.grants - heard.ended)
            .sum()
    }

    pub fn wants(&self, who: usize) -> bool {
        let heard = &self.heard[who];
        heard.claims > heard.withdrawn + heard.grants
    }

    pub fn hear(&mut self, who: usize) {
        let visitor = self.visitors[who];
        let wanted = self.wants(who);
        let heard = &mut self.heard[who];
        if visitor.standing != Standing::Away && heard.entry.is_none() {
            heard.entry = Some(self.entries);
            self.entries += 1;
        }
        (heard.claims, heard.withdrawn, heard.ended) =
            (visitor.claims, visitor.withdrawn, visitor.ended);
        if !wanted && self.wants(who) {
            self.order += 1;
            self.heard[who].claim_order = self.order;
        }
        self.grant();
    }

    /// One may be inside; first come, first served.
    pub fn grant(&mut self) {
        while !self.paused && self.active() < 1 {
            let next = (0..2)
                .filter(|who| self.wants(*who))
                .min_by_key(|who| self.heard[*who].claim_order);
            let Some(next) = next else { return };
            self.heard[next].grants += 1;
        }
    }

    /// The home takes in an answer that was true when the coordinator had heard `heard`.
    pub fn learn(&mut self, who: usize, entry: Option<u64>, grants: u64, paused: bool) {
        let visitor = &mut self.visitors[who];
        visitor.entry = visitor.entry.or(entry);
        while visitor.grants_heard < grants {
            visitor.grants_heard += 1;
            if visitor.standing == Standing::Claimed {
                visitor.standing = Standing::Granted;
            } else {
                // Nobody waits for it: given back, demand stays what it was.
                visitor.ended += 1;
                visitor.claims += 1;
            }
        }
        visitor.paused = paused;
        if paused && visitor.standing == Standing::Granted {
            visitor.standing = Standing::Claimed;
            visitor.ended += 1;
            visitor.claims += 1;
        }
    }
}
