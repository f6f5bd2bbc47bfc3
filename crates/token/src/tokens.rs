//! What the edge seals and opens with: the keys of one event's run, derived once.

use crate::claims::{
    ClaimsReader, ClaimsWriter, MAX_CLAIM_TEXT_BYTES, MAX_NAME_BYTES, is_claim_text,
};
use crate::codes::CodeMaker;
use crate::derive::{PassAlgorithm, Purpose, derivation_info, derive, key_id};
use crate::enqueue::Invitations;
use crate::envelope::{Opener, Sealer, Signing, open};
use crate::handover::HANDOVER_MARK_BYTES;
use crate::marks::{MARK_BYTES, Marks};
use crate::validity::{self, FIND_AGAIN_SECONDS};
use crate::{
    Code, EnqueueToken, HANDOVER_RANDOM_BYTES, HandoverCode, Keyring, OperatorToken, Pass, Permit,
    Refusal, StaffToken, Ticket,
};

/// Where tokens are valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope<'a> {
    /// The deployment's name, so that what a staging deployment signs is refused in production.
    pub issuer: &'a str,
    /// The event's id.
    pub event: &'a str,
    /// The event's run.
    pub run: u32,
    /// Who passes are for: the first of the event's hosts, standing for all of them.
    pub audience: &'a str,
}

/// Seals and opens the tokens of one [`Scope`].
pub struct Tokens {
    issuer: String,
    event: String,
    run: u32,
    audience: String,
    permits: PurposeKeys,
    tickets: PurposeKeys,
    passes: PurposeKeys,
    operators: PurposeKeys,
    staff: PurposeKeys,
    invitations: Invitations,
    codes: CodeMaker,
    checks: PurposeKeys,
    marks: Marks,
}

impl Tokens {
    /// Derives the keys of `scope`, with HS256 passes.
    ///
    /// # Panics
    /// When a text of the scope cannot stand in a claim (see [`is_claim_text`]), or when issuer or event are longer than
    /// [`MAX_NAME_BYTES`]; configuration refuses these before.
    pub fn new(keyring: &Keyring, scope: Scope<'_>) -> Tokens {
        Tokens::with_algorithm(keyring, scope, PassAlgorithm::Hs256)
    }

    /// As [`Tokens::new`], with passes of the given algorithm.
    pub fn with_algorithm(keyring: &Keyring, scope: Scope<'_>, passes: PassAlgorithm) -> Tokens {
        for (field, text, longest) in [
            ("issuer", scope.issuer, MAX_NAME_BYTES),
            ("event", scope.event, MAX_NAME_BYTES),
            ("audience", scope.audience, MAX_CLAIM_TEXT_BYTES),
        ] {
            let fits = is_claim_text(text) && text.len() <= longest;
            assert!(
                fits,
                "{field} {text:?} must be 1 to {longest} bytes of plain ASCII"
            );
        }
        let internal =
            |purpose| PurposeKeys::new(keyring, purpose, PassAlgorithm::Hs256, scope.issuer, "");
        Tokens {
            issuer: scope.issuer.to_owned(),
            event: scope.event.to_owned(),
            run: scope.run,
            audience: scope.audience.to_owned(),
            permits: internal(Purpose::Permit),
            tickets: internal(Purpose::Ticket),
            passes: PurposeKeys::new(keyring, Purpose::Pass, passes, scope.issuer, scope.audience),
            operators: internal(Purpose::Operator),
            staff: internal(Purpose::Staff),
            invitations: Invitations::new(keyring, scope.issuer, scope.event),
            codes: CodeMaker::new(keyring, scope.issuer, scope.event, scope.run),
            checks: internal(Purpose::Check),
            marks: Marks::new(keyring, scope.issuer, scope.event, scope.run),
        }
    }

    /// What stands for `what` where it is counted: nobody without the root key finds out what it was.
    pub fn mark(&self, what: &[u8]) -> [u8; MARK_BYTES] {
        self.marks.of(what)
    }

    /// Signs a permit.
    pub fn seal_permit(&self, permit: &Permit) -> String {
        self.permits
            .sealer
            .seal(&permit.write(self.begin_run_claims()).finish())
    }

    /// Opens a permit that may still make a place. `now` in Unix seconds, as everywhere here.
    pub fn open_permit(&self, token: &str, now: u64) -> Result<Permit, Refusal> {
        self.open_permit_until(token, now, 0)
    }

    /// As [`Tokens::open_permit`], and up to a day after its `exp`: enough to find the place that was made with it,
    /// never to make one.
    pub fn open_expired_permit(&self, token: &str, now: u64) -> Result<Permit, Refusal> {
        self.open_permit_until(token, now, FIND_AGAIN_SECONDS)
    }

    fn open_permit_until(
        &self,
        token: &str,
        now: u64,
        after_expiry_seconds: u64,
    ) -> Result<Permit, Refusal> {
        let payload = open(&self.permits.openers, token)?;
        let permit = self.read_run_claims(&payload, Permit::read)?;
        validity::check(
            permit.issued_at,
            permit.expires_at,
            after_expiry_seconds,
            now,
        )?;
        Ok(permit)
    }

    /// Signs a check: it has the claims of a permit, and makes no place, since it is none.
    pub fn seal_check(&self, check: &Permit) -> String {
        self.checks
            .sealer
            .seal(&check.write(self.begin_run_claims()).finish())
    }

    /// Opens a check.
    pub fn open_check(&self, token: &str, now: u64) -> Result<Permit, Refusal> {
        let payload = open(&self.checks.openers, token)?;
        let check = self.read_run_claims(&payload, Permit::read)?;
        validity::check(check.issued_at, check.expires_at, 0, now)?;
        Ok(check)
    }

    /// As [`Tokens::mark`], of several things together.
    pub fn mark_of(&self, parts: &[&[u8]]) -> [u8; MARK_BYTES] {
        self.marks.of_all(parts)
    }

    /// A hand-over code for a place at `home`, from random bytes.
    pub fn handover_code(&self, home: u16, random: [u8; HANDOVER_RANDOM_BYTES]) -> HandoverCode {
        HandoverCode::marked(home, random, self.handover_mark(home, random))
    }

    /// Whether a hand-over code was made by [`Tokens::handover_code`] of this run, under the root keys of now. Only its
    /// home knows whether it still holds.
    pub fn made_handover_code(&self, code: &HandoverCode) -> bool {
        code.differs(self.handover_mark(code.home(), code.random())) == 0
    }

    fn handover_mark(
        &self,
        home: u16,
        random: [u8; HANDOVER_RANDOM_BYTES],
    ) -> [u8; HANDOVER_MARK_BYTES] {
        let mark = self.mark_of(&[b"handover", &home.to_be_bytes(), &random]);
        core::array::from_fn(|at| mark[at])
    }

    /// Signs a ticket.
    pub fn seal_ticket(&self, ticket: &Ticket) -> String {
        self.tickets
            .sealer
            .seal(&ticket.write(self.begin_run_claims()).finish())
    }

    /// Opens a ticket.
    pub fn open_ticket(&self, token: &str, now: u64) -> Result<Ticket, Refusal> {
        let payload = open(&self.tickets.openers, token)?;
        let ticket = self.read_run_claims(&payload, Ticket::read)?;
        validity::check(ticket.issued_at, ticket.expires_at, 0, now)?;
        Ok(ticket)
    }

    /// Signs a pass.
    pub fn seal_pass(&self, pass: &Pass) -> String {
        let claims = ClaimsWriter::new()
            .text("iss", &self.issuer)
            .text("aud", &self.audience);
        let claims = claims.text("evt", &self.event).number("run", self.run);
        self.passes.sealer.seal(&pass.write(claims).finish())
    }

    /// Opens a pass as the edge does: refused from `exp` on.
    pub fn open_pass(&self, token: &str, now: u64) -> Result<Pass, Refusal> {
        self.open_pass_until(token, now, 0)
    }

    /// As [`Tokens::open_pass`], and up to a day after its `exp`: enough to know whose session it was, to renew it
    /// while that still runs, and to say when it ended. It opens no gate.
    pub fn open_expired_pass(&self, token: &str, now: u64) -> Result<Pass, Refusal> {
        self.open_pass_until(token, now, FIND_AGAIN_SECONDS)
    }

    fn open_pass_until(
        &self,
        token: &str,
        now: u64,
        after_expiry_seconds: u64,
    ) -> Result<Pass, Refusal> {
        let payload = open(&self.passes.openers, token)?;
        let mut claims = ClaimsReader::new(&payload)?;
        let (issuer, audience, event) = (
            claims.text("iss")?,
            claims.text("aud")?,
            claims.text("evt")?,
        );
        let run: u32 = claims.number("run")?;
        let pass = Pass::read(&mut claims)?;
        claims.finish()?;
        self.check_issuer(issuer)?;
        if audience != self.audience {
            return Err(Refusal::WrongAudience);
        }
        self.check_event_and_run(event, run)?;
        validity::check(pass.issued_at, pass.expires_at, after_expiry_seconds, now)?;
        Ok(pass)
    }

    /// Signs an operator token for the events that it names.
    ///
    /// # Panics
    /// When the name or an event's id has a character or a length that it cannot have.
    pub fn seal_operator(&self, operator: &OperatorToken) -> String {
        let claims = ClaimsWriter::new().text("iss", &self.issuer);
        self.operators.sealer.seal(&operator.write(claims).finish())
    }

    /// Opens an operator token that holds for this event.
    pub fn open_operator(&self, token: &str, now: u64) -> Result<OperatorToken, Refusal> {
        let operator = self.read_operator(token)?;
        if !operator.events.include(&self.event) {
            return Err(Refusal::WrongEvent);
        }
        validity::check(operator.issued_at, operator.expires_at, 0, now)?;
        Ok(operator)
    }

    /// As [`Tokens::open_operator`], whatever event it holds for: enough to know whose it is, and to say no by name.
    pub fn open_operator_of_any(&self, token: &str, now: u64) -> Result<OperatorToken, Refusal> {
        let operator = self.read_operator(token)?;
        validity::check(operator.issued_at, operator.expires_at, 0, now)?;
        Ok(operator)
    }

    fn read_operator(&self, token: &str) -> Result<OperatorToken, Refusal> {
        let payload = open(&self.operators.openers, token)?;
        let mut claims = ClaimsReader::new(&payload)?;
        let issuer = claims.text("iss")?;
        let operator = OperatorToken::read(&mut claims)?;
        claims.finish()?;
        self.check_issuer(issuer)?;
        Ok(operator)
    }

    /// Signs a staff token.
    ///
    /// # Panics
    /// When the name has a character or a length that it cannot have.
    pub fn seal_staff(&self, staff: &StaffToken) -> String {
        self.staff
            .sealer
            .seal(&staff.write(self.begin_run_claims()).finish())
    }

    /// Opens a staff token.
    pub fn open_staff(&self, token: &str, now: u64) -> Result<StaffToken, Refusal> {
        let payload = open(&self.staff.openers, token)?;
        let staff = self.read_run_claims(&payload, StaffToken::read)?;
        validity::check(staff.issued_at, staff.expires_at, 0, now)?;
        Ok(staff)
    }

    /// Signs an enqueue token as an organizer would, with the current key.
    ///
    /// # Panics
    /// When a text has a character that it cannot have.
    pub fn seal_enqueue(&self, token: &EnqueueToken) -> String {
        self.invitations.seal(token)
    }

    /// Opens an organizer's enqueue token. `ip` is the visitor's address, none when it is not known: then a token that is
    /// bound to one is refused. Whether its line exists is the caller's question.
    pub fn open_enqueue(
        &self,
        token: &str,
        now: u64,
        ip: Option<&str>,
    ) -> Result<EnqueueToken, Refusal> {
        self.invitations.open(token, now, ip)
    }

    /// Makes an access code of `line` from a random id.
    ///
    /// # Panics
    /// When `id` has more than [`crate::CODE_ID_BITS`] bits, or `uses` is not 1 to [`crate::MAX_CODE_USES`].
    pub fn seal_code(&self, line: &str, id: u64, uses: u16) -> Code {
        self.codes.seal(line, id, uses)
    }

    /// The code that somebody typed, with the number that its line has in `lines`; none if we made no such code for one
    /// of these lines in this event and run.
    pub fn open_code<'l>(
        &self,
        typed: &str,
        lines: impl IntoIterator<Item = (usize, &'l str)>,
    ) -> Option<(usize, Code)> {
        self.codes.open(typed, lines)
    }

    fn begin_run_claims(&self) -> ClaimsWriter {
        ClaimsWriter::new()
            .text("iss", &self.issuer)
            .text("evt", &self.event)
            .number("run", self.run)
    }

    fn read_run_claims<T>(
        &self,
        payload: &[u8],
        read: impl FnOnce(&mut ClaimsReader<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut claims = ClaimsReader::new(payload)?;
        let (issuer, event) = (claims.text("iss")?, claims.text("evt")?);
        let run: u32 = claims.number("run")?;
        let token = read(&mut claims)?;
        claims.finish()?;
        self.check_issuer(issuer)?;
        self.check_event_and_run(event, run)?;
        Ok(token)
    }

    fn check_issuer(&self, issuer: &str) -> Result<(), Refusal> {
        if issuer == self.issuer {
            Ok(())
        } else {
            Err(Refusal::WrongIssuer)
        }
    }

    fn check_event_and_run(&self, event: &str, run: u32) -> Result<(), Refusal> {
        match (event == self.event, run == self.run) {
            (false, _) => Err(Refusal::WrongEvent),
            (true, false) => Err(Refusal::WrongRun),
            (true, true) => Ok(()),
        }
    }
}

/// The keys of one purpose: the current one seals, all open.
struct PurposeKeys {
    sealer: Sealer,
    openers: Vec<Opener>,
}

impl PurposeKeys {
    fn new(
        keyring: &Keyring,
        purpose: Purpose,
        algorithm: PassAlgorithm,
        issuer: &str,
        audience: &str,
    ) -> Self {
        let info = derivation_info(purpose, algorithm, issuer, audience);
        let key_id = |root: &crate::RootKey| key_id(purpose, root, &info);
        let signing = |root| Signing::new(algorithm, &derive(root, &info));
        let openers = keyring
            .all()
            .map(|root| Opener::of(purpose.typ(), &key_id(root), &signing(root)))
            .collect();
        let current = keyring.current();
        PurposeKeys {
            sealer: Sealer::new(purpose.typ(), &key_id(current), signing(current)),
            openers,
        }
    }
}
