//! The draw of one line: from the published values to the order, each value against its proof.

use anteroom_queue::draw::beacon::BEACON_DELAY;
use anteroom_queue::draw::{Hash, MOST_ENTRANTS, Ranks, SeedFields, commitment, hex, randomness};
use anteroom_queue::units::UnixMillis;

use crate::Findings;
use crate::beacon::BeaconChain;
use crate::document::{DrawDocument, PublishedBeacon, PublishedDraw, PublishedLine, unix_millis};
use crate::history::History;

/// The order of a line, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    /// First come, first served.
    Arrival,
    /// A draw that is not decided.
    Undecided,
    /// A decided draw.
    Drawn(Ranks),
}

/// The values of the first step.
struct Fixed {
    entrants: u64,
    root: Hash,
    at: u64,
}

/// What is checked of one line, and where its findings belong.
struct Check<'a> {
    document: &'a DrawDocument,
    line: &'a PublishedLine,
    past: Option<&'a History>,
    findings: &'a mut Findings,
}

/// Checks the line at `position` and gives its order.
pub(crate) fn check(
    document: &DrawDocument,
    position: usize,
    past: Option<&History>,
    beacon: &BeaconChain,
    findings: &mut Findings,
) -> Order {
    let line = &document.lines[position];
    let mut check = Check {
        document,
        line,
        past,
        findings,
    };
    let Some(draw) = &line.draw else {
        let committed = past.is_some_and(|past| past.commitment.is_some());
        let about = check.about("");
        check.findings.expect(
            !committed,
            about,
            format!(
                "{} has no draw: first come, first served, the rank is the entry number",
                line.id
            ),
            format!(
                "{} is published without a draw, but the log has a commitment for one",
                line.id
            ),
        );
        return Order::Arrival;
    };
    check.commitment(draw);
    let fixed = check.fixed(draw);
    check.beacon(draw, fixed.as_ref(), beacon);
    check
        .decided(draw, fixed.as_ref())
        .map_or(Order::Undecided, Order::Drawn)
}

impl Check<'_> {
    /// A member of the line's draw, as the document names it.
    fn about(&self, member: &str) -> String {
        let dot = if member.is_empty() { "" } else { "." };
        format!("line {}, draw{dot}{member}", self.line.id)
    }

    fn require(&mut self, is_right: bool, member: &str, wrong: impl FnOnce() -> String) {
        let about = self.about(member);
        self.findings.require(is_right, about, wrong);
    }

    /// A value of the draw is the one that the log has.
    fn same_as_log<T: PartialEq>(&mut self, member: &str, n: u64, here: &T, log: &T) {
        self.require(here == log, member, || {
            format!("log line {n} has another value")
        });
    }

    fn commitment(&mut self, draw: &PublishedDraw) {
        let Some(past) = self.past else { return };
        let about = self.about("commitment");
        self.findings.expect(
            past.commitment == Some(draw.commitment),
            about,
            format!(
                "the log has the commitment to {}'s secret before its first entry number",
                self.line.id
            ),
            "the log has another commitment, or none".to_owned(),
        );
    }

    /// The first step: number of entrants, root and time, all or none.
    fn fixed(&mut self, draw: &PublishedDraw) -> Option<Fixed> {
        let (entrants, root, at) = match (draw.entrants, draw.log_root, draw.fixed_at.as_deref()) {
            (Some(entrants), Some(root), Some(at)) => (entrants, root, at),
            (None, None, None) => return None,
            _ => {
                self.require(false, "entrants, log_root, fixed_at", || {
                    "they are published together".to_owned()
                });
                return None;
            }
        };
        self.require(entrants <= MOST_ENTRANTS, "entrants", || {
            format!("{entrants} in the draw, but a draw has at most {MOST_ENTRANTS}")
        });
        let Some(at) = unix_millis(at) else {
            self.require(false, "fixed_at", || {
                format!("{at} is no time (RFC 3339 in UTC, to the millisecond)")
            });
            return None;
        };
        if let Some(past) = self.past {
            let Some(fixed) = past.fixed else {
                self.require(false, "entrants", || {
                    "the log does not have them: it ends before, or is another".to_owned()
                });
                return None;
            };
            self.same_as_log("entrants", fixed.n, &entrants, &fixed.entrants);
            self.same_as_log("log_root", fixed.n, &root, &fixed.root);
            self.same_as_log("fixed_at", fixed.n, &at, &fixed.at);
            let round = draw.beacon.as_ref().map(|beacon| beacon.round);
            self.same_as_log("beacon.round", fixed.n, &round, &fixed.round);
        }
        (entrants <= MOST_ENTRANTS).then_some(Fixed { entrants, root, at })
    }

    /// The second step: the secret belongs to the commitment, and the seed to everything.
    fn decided(&mut self, draw: &PublishedDraw, fixed: Option<&Fixed>) -> Option<Ranks> {
        let (Some(secret), Some(seed)) = (draw.secret, draw.seed) else {
            self.undecided(draw);
            return None;
        };
        let about = self.about("secret");
        self.findings.expect(
            commitment(&secret) == draw.commitment,
            about,
            "it is the one that was committed to before anybody joined".to_owned(),
            "it is not the one that was committed to: SHA-256(secret) is not the commitment"
                .to_owned(),
        );
        let Some(fixed) = fixed else {
            self.require(false, "secret", || {
                "it is published before it is fixed who is in the draw".to_owned()
            });
            return None;
        };
        if let Some(past) = self.past {
            let Some(drawn) = &past.drawn else {
                self.require(false, "secret", || {
                    "the log does not have it: it ends before, or is another".to_owned()
                });
                return None;
            };
            self.same_as_log("secret", drawn.n, &secret, &drawn.secret);
            self.same_as_log("seed", drawn.n, &seed, &drawn.seed);
            let signature = draw
                .beacon
                .as_ref()
                .and_then(|beacon| beacon.signature.as_ref());
            self.same_as_log(
                "beacon.signature",
                drawn.n,
                &signature,
                &drawn.beacon.as_ref(),
            );
        }
        let signature = draw
            .beacon
            .as_ref()
            .and_then(|beacon| beacon.signature.as_deref());
        let fields = SeedFields {
            event: &self.document.event,
            run: self.document.run,
            line: &self.line.id,
            entrants: fixed.entrants,
            root: fixed.root,
            secret,
            randomness: signature.map(randomness),
        };
        let about = self.about("seed");
        self.findings.expect(
            fields.seed() == seed,
            about,
            format!("it follows from event, run, line, {} entrants, log root, secret and beacon", fixed.entrants),
            "it does not follow from event, run, line, entrants, log_root, secret and beacon.signature: one of these \
             or the seed was altered"
                .to_owned(),
        );
        Some(Ranks::new(seed, fixed.entrants))
    }

    fn undecided(&mut self, draw: &PublishedDraw) {
        let neither = draw.secret.is_none() && draw.seed.is_none();
        self.require(neither, "secret, seed", || {
            "they are published together".to_owned()
        });
        let late = self.past.is_some_and(|past| past.drawn.is_some());
        let why = if late {
            "it was saved before the draw was decided; the log has more"
        } else {
            "it is not decided yet"
        };
        let about = self.about("");
        self.findings
            .unchecked(about, format!("the draw of {}: {why}", self.line.id));
    }

    fn beacon(&mut self, draw: &PublishedDraw, fixed: Option<&Fixed>, chain: &BeaconChain) {
        let is_fixed = draw.entrants.is_some() || draw.secret.is_some();
        if !is_fixed {
            return self.require(draw.beacon.is_none(), "beacon", || {
                "a round is named when it is fixed who is in the draw, not before".to_owned()
            });
        }
        let Some(beacon) = &draw.beacon else {
            let about = self.about("beacon");
            self.findings.unchecked(
                about,
                "a draw without a beacon: the operator, who knew the secret while people joined, could have influenced \
                 this draw",
            );
            self.influenced("no public random number takes part in it");
            return;
        };
        match chain.hash {
            Some(hash) => self.require(beacon.chain == hash, "beacon.chain", || {
                format!("the chain whose key is known is {}", hex::text(&hash))
            }),
            None => {
                let about = self.about("beacon.chain");
                self.findings.unchecked(
                    about,
                    "no name was given for the beacon whose key was given",
                );
            }
        }
        if let Some(fixed) = fixed {
            let earliest = UnixMillis(fixed.at).plus(BEACON_DELAY);
            let named = chain.rounds.round_after(earliest);
            let about = self.about("beacon.round");
            self.findings.expect(
                beacon.round == named,
                about,
                format!("{named} is the first at least 10 s after the entrants were fixed: nobody could know it then"),
                format!("the first round at least 10 s after the entrants were fixed is {named}"),
            );
        }
        self.signature(beacon, draw.secret.is_some(), chain);
    }

    /// What matters most of such a draw is said again at the very end.
    fn influenced(&mut self, why: &str) {
        let id = &self.line.id;
        self.findings.caution(format!(
            "But the operator could have influenced the draw of {id}: {why}."
        ));
    }

    fn signature(&mut self, beacon: &PublishedBeacon, is_drawn: bool, chain: &BeaconChain) {
        let Some(signature) = &beacon.signature else {
            self.require(beacon.randomness.is_none(), "beacon.randomness", || {
                "there is no signature for it".to_owned()
            });
            self.require(beacon.absent == is_drawn, "beacon.absent", || {
                "a round is absent when the draw was decided without it, and only then".to_owned()
            });
            if is_drawn {
                let about = self.about("beacon");
                self.findings.unchecked(
                    about,
                    "the round did not come in time, the draw was decided without: the operator, who knew the secret, \
                     could have influenced this draw",
                );
                self.influenced("its public random number did not come in time");
            }
            return;
        };
        self.require(!beacon.absent, "beacon.absent", || {
            "the round is called absent, but its signature is there".to_owned()
        });
        self.require(is_drawn, "beacon.signature", || {
            "it is published before the draw is decided".to_owned()
        });
        let round = beacon.round;
        let about = self.about("beacon.signature");
        self.findings.expect(
            chain.signed(round, signature),
            about,
            format!("round {round} is signed by the beacon's key"),
            format!("it is not the beacon's signature of round {round}"),
        );
        let about = self.about("beacon.randomness");
        self.findings.expect(
            beacon.randomness == Some(randomness(signature)),
            about,
            "it is SHA-256 of the signature".to_owned(),
            "it is not SHA-256 of the signature".to_owned(),
        );
    }
}
