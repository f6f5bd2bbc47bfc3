//! What was found, in sentences.

use std::fmt;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Recomputed and right.
    Holds,
    /// Recomputed and wrong, or not of the form that it must have.
    Fails,
    /// Nothing that was published allows to check it.
    Unchecked,
}

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How it came out.
    pub verdict: Verdict,
    /// The value it is about, as the document that has it names it.
    pub about: String,
    /// What was found.
    pub text: String,
}

/// Everything that was found, in the order of the checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    found: Vec<Finding>,
    cautions: Vec<String>,
}

impl Findings {
    /// Notes that something holds.
    pub fn holds(&mut self, about: impl Into<String>, text: impl Into<String>) {
        self.add(Verdict::Holds, about, text);
    }

    /// Notes that something does not hold.
    pub fn fails(&mut self, about: impl Into<String>, text: impl Into<String>) {
        self.add(Verdict::Fails, about, text);
    }

    /// Notes that something could not be checked.
    pub fn unchecked(&mut self, about: impl Into<String>, text: impl Into<String>) {
        self.add(Verdict::Unchecked, about, text);
    }

    /// Notes what whoever reads only the last line has to know.
    pub(crate) fn caution(&mut self, sentence: String) {
        self.cautions.push(sentence);
    }

    /// One or the other: the sentence that belongs to the outcome.
    pub(crate) fn expect(
        &mut self,
        is_right: bool,
        about: impl Into<String>,
        right: String,
        wrong: String,
    ) {
        let (verdict, text) = if is_right {
            (Verdict::Holds, right)
        } else {
            (Verdict::Fails, wrong)
        };
        self.add(verdict, about, text);
    }

    /// Says nothing when it is right: for checks that are many.
    pub(crate) fn require(
        &mut self,
        is_right: bool,
        about: impl Into<String>,
        wrong: impl FnOnce() -> String,
    ) {
        if !is_right {
            self.fails(about, wrong());
        }
    }

    fn add(&mut self, verdict: Verdict, about: impl Into<String>, text: impl Into<String>) {
        self.found.push(Finding {
            verdict,
            about: about.into(),
            text: text.into(),
        });
    }

    /// All of them.
    pub fn all(&self) -> &[Finding] {
        &self.found
    }

    /// How many came out so.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.found
            .iter()
            .filter(|each| each.verdict == verdict)
            .count()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Holds => "holds         ",
            Verdict::Fails => "DOES NOT HOLD ",
            Verdict::Unchecked => "not checked   ",
        };
        write!(to, "{verdict}{}: {}", self.about, self.text)
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.found {
            writeln!(to, "{finding}")?;
        }
        let holds = self.count(Verdict::Holds);
        let fails = self.count(Verdict::Fails);
        let unchecked = self.count(Verdict::Unchecked);
        writeln!(to)?;
        write!(
            to,
            "{holds} hold, {fails} do not, {unchecked} could not be checked."
        )?;
        self.cautions
            .iter()
            .try_for_each(|sentence| write!(to, " {sentence}"))
    }
}
