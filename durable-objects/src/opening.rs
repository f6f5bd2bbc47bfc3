//! How an instance starts: who the object is, its state from its rows, and the configuration as it
//! is now.
//!
//! At the first contact the caller says who the object is, and the object notes it, so that its
//! alarm works without a caller. From then on a caller that means another object is refused. A run
//! that the configuration has left behind is refused whole.
//!
//! The lines of a run are fixed: stored places and counters name them by their position. A
//! configuration with other lines is not applied at all, and the object goes on with the settings
//! that it has; only a new run has other lines.

use anteroom_queue::coordinator::command::{CoordinatorCommand, Entropy};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::limits::MAX_SHARDS;
use anteroom_queue::relay::command::RelayCommand;
use anteroom_queue::relay::rows::RelayRow;
use anteroom_queue::relay::{self, Relay};
use anteroom_queue::settings::{OtherLines, Settings};
use anteroom_queue::shard::command::ShardCommand;
use anteroom_queue::shard::rows::ShardRow;
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::units::{RelayIndex, ShardIndex, UnixMillis};
use anteroom_queue::{Corrupt, Outcome};

use crate::layout_1;
use crate::meta::{Meta, SCHEMA};
use crate::refusal::Refusal;
use crate::relay_wire::relay_name;
use crate::storage::{Changes, Row};
use crate::wire;

/// By this number and those behind it relays go where shards go by theirs: no run has so many shards.
pub const FIRST_RELAY: u16 = 0x8000;

const _: () = assert!(MAX_SHARDS < FIRST_RELAY);

/// Who an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Which event.
    pub event: String,
    /// Which run of it.
    pub run: u32,
    /// Which shard of the run, or from [`FIRST_RELAY`] on which relay; `None`: its coordinator.
    pub shard: Option<u16>,
}

impl Known {
    /// The object's name.
    pub fn name(&self) -> String {
        match self.shard {
            Some(number) if number >= FIRST_RELAY => {
                relay_name(&self.event, self.run, number - FIRST_RELAY)
            }
            Some(shard) => wire::shard_name(&self.event, self.run, shard),
            None => wire::coordinator_name(&self.event, self.run),
        }
    }

    /// Refuses a caller that means another object.
    pub fn expect(&self, meant: &Known) -> Result<(), Refusal> {
        if self == meant {
            return Ok(());
        }
        Err(Refusal::not_mine("object", meant.name(), self.name()))
    }

    /// The object that has this row.
    pub fn of(meta: &Meta) -> Self {
        Self {
            event: meta.event.clone(),
            run: meta.run,
            shard: meta.shard,
        }
    }

    /// The row of an object that has applied these settings.
    pub fn meta(&self, settings: Settings) -> Meta {
        Meta {
            schema: SCHEMA,
            event: self.event.clone(),
            run: self.run,
            shard: self.shard,
            settings,
            left_behind: None,
            forgotten: None,
        }
    }
}

/// A core that an object runs.
pub trait Core: Sized {
    /// Its rows.
    type Row: Row;
    /// At the beginning of the run.
    fn begin(
        known: &Known,
        settings: Settings,
        entropy: [u8; 16],
        now: UnixMillis,
    ) -> Outcome<Self, Self::Row>;
    /// From its rows.
    fn restore(
        known: &Known,
        settings: Settings,
        rows: Vec<Self::Row>,
        now: UnixMillis,
    ) -> Result<Self, Corrupt>;
    /// With a changed configuration.
    fn configure(
        &mut self,
        settings: Settings,
        entropy: [u8; 16],
        now: UnixMillis,
    ) -> Vec<Self::Row>;
    /// Rows of layout 1 as they are meant now; what is returned has to be stored.
    fn from_layout_1(rows: &mut [Self::Row]) -> Vec<Self::Row>;
}

/// A shard's identity as the core knows it.
pub fn shard_identity(known: &Known) -> Identity {
    Identity {
        run: known.run,
        shard: ShardIndex(known.shard.expect("a shard's name has an index")),
    }
}

fn relay_identity(known: &Known) -> relay::Identity {
    let number = known
        .shard
        .and_then(|number| number.checked_sub(FIRST_RELAY));
    relay::Identity {
        run: known.run,
        relay: RelayIndex(number.expect("a relay's name has an index")),
    }
}

fn run_name(known: &Known) -> RunName<'_> {
    RunName {
        event: &known.event,
        run: known.run,
    }
}

impl Core for Shard {
    type Row = ShardRow;

    fn begin(
        known: &Known,
        settings: Settings,
        _: [u8; 16],
        now: UnixMillis,
    ) -> Outcome<Self, ShardRow> {
        Shard::new(shard_identity(known), settings, now)
    }

    fn restore(
        known: &Known,
        settings: Settings,
        rows: Vec<ShardRow>,
        now: UnixMillis,
    ) -> Result<Self, Corrupt> {
        Shard::restore(shard_identity(known), settings, rows, now)
    }

    fn configure(&mut self, settings: Settings, _: [u8; 16], now: UnixMillis) -> Vec<ShardRow> {
        self.apply(ShardCommand::Configure { settings }, now).rows
    }

    fn from_layout_1(rows: &mut [ShardRow]) -> Vec<ShardRow> {
        layout_1::count_leavers_once(rows)
    }
}

impl Core for Relay {
    type Row = RelayRow;

    fn begin(
        known: &Known,
        settings: Settings,
        _: [u8; 16],
        now: UnixMillis,
    ) -> Outcome<Self, RelayRow> {
        Relay::new(relay_identity(known), settings, now)
    }

    fn restore(
        known: &Known,
        settings: Settings,
        rows: Vec<RelayRow>,
        now: UnixMillis,
    ) -> Result<Self, Corrupt> {
        Relay::restore(relay_identity(known), settings, rows, now)
    }

    fn configure(&mut self, settings: Settings, _: [u8; 16], now: UnixMillis) -> Vec<RelayRow> {
        self.apply(RelayCommand::Configure { settings }, now).rows
    }

    fn from_layout_1(_: &mut [RelayRow]) -> Vec<RelayRow> {
        Vec::new()
    }
}

impl Core for Coordinator {
    type Row = CoordinatorRow;

    fn begin(
        known: &Known,
        settings: Settings,
        entropy: [u8; 16],
        now: UnixMillis,
    ) -> Outcome<Self, CoordinatorRow> {
        Coordinator::new(run_name(known), settings, entropy, now)
    }

    fn restore(
        known: &Known,
        settings: Settings,
        rows: Vec<CoordinatorRow>,
        now: UnixMillis,
    ) -> Result<Self, Corrupt> {
        Coordinator::restore(run_name(known), settings, rows, now)
    }

    fn configure(
        &mut self,
        settings: Settings,
        entropy: [u8; 16],
        now: UnixMillis,
    ) -> Vec<CoordinatorRow> {
        let entropy = Entropy(entropy);
        self.apply(CoordinatorCommand::Configure { settings, entropy }, now)
            .rows
    }

    fn from_layout_1(_: &mut [CoordinatorRow]) -> Vec<CoordinatorRow> {
        Vec::new()
    }
}

/// Who the object is, from what is stored and what the caller (absent: an alarm) says. `None`: an
/// alarm of an object that was never called. One whose run ended long ago is nobody any more: what
/// it held is deleted, and only a new run starts anew.
pub fn who(meta: Option<&Meta>, caller: Option<&Known>) -> Result<Option<Known>, Refusal> {
    if let Some(meta) = meta
        && meta.forgotten.is_some()
    {
        return Err(Refusal::forgotten(meta.run));
    }
    match (meta.map(Known::of), caller) {
        (Some(known), Some(meant)) => known.expect(meant).map(|()| Some(known)),
        (Some(known), None) => Ok(Some(known)),
        (None, meant) => Ok(meant.cloned()),
    }
}

/// An object that is ready to be used once `changes` are stored.
#[derive(Debug)]
pub struct Started<C: Core> {
    /// The core.
    pub core: C,
    /// Its own row, as it is stored then.
    pub meta: Meta,
    /// What has to be stored.
    pub changes: Changes<C::Row>,
    /// The configuration that is not applied, if it is not.
    pub other_lines: Option<OtherLines>,
}

/// The core of object `known` with the configuration as it is now, and what has to be stored before
/// it is used. `entropy` is fresh: secrets of draws are made from it.
pub fn start<C: Core>(
    known: &Known,
    stored: Option<(Meta, Vec<C::Row>)>,
    settings: Settings,
    entropy: [u8; 16],
    now: UnixMillis,
) -> Result<Started<C>, Corrupt> {
    let mut changes = Changes::default();
    let Some((meta, mut rows)) = stored else {
        let begun = C::begin(known, settings.clone(), entropy, now);
        let meta = known.meta(settings);
        changes.extend(begun.rows);
        changes.set_meta(meta.clone());
        return Ok(Started {
            core: begun.reply,
            meta,
            changes,
            other_lines: None,
        });
    };
    let other_lines = settings.other_lines(&meta.settings);
    let settings = match other_lines {
        Some(_) => meta.settings.clone(),
        None => settings,
    };
    if meta.schema == 1 {
        changes.extend(C::from_layout_1(&mut rows));
    }
    // An older row lacks settings that the core has to be told of; one that was left behind is
    // configured again.
    let unchanged =
        meta.schema == SCHEMA && meta.settings == settings && meta.left_behind.is_none();
    let mut core = C::restore(known, meta.settings, rows, now)?;
    let meta = known.meta(settings);
    if !unchanged {
        changes.extend(core.configure(meta.settings.clone(), entropy, now));
        changes.set_meta(meta.clone());
    }
    Ok(Started {
        core,
        meta,
        changes,
        other_lines,
    })
}

#[cfg(test)]
#[path = "opening_tests.rs"]
mod tests;
