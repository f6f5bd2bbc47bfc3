//! The shell's own row: who the object is, the settings it applied last, and how near it is to
//! being deleted.
//!
//! The row's first field is the layout's number, [`SCHEMA`]. Layout 1 had settings without a draw
//! and without a time to keep; it is read with what the configuration has when it says nothing of
//! them, and written as layout 2 when the object is next opened.

use anteroom_queue::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::units::{Millis, UnixMillis};
use serde::{Deserialize, Serialize};

/// The layout of the table and of this row.
pub const SCHEMA: u16 = 2;

/// The key of the shell's own row.
pub const META_KEY: &str = "meta";

/// A day.
pub const DAY: Millis = Millis::from_minutes(24 * 60);

/// The draws of a run from before there were any, as the configuration has them unless it says
/// otherwise.
const DRAW_OF_1: DrawSettings = DrawSettings {
    grace: Millis::from_seconds(60),
    beacon: true,
    beacon_wait: Millis::from_minutes(10),
};

/// How long a run is kept unless the configuration says otherwise.
const KEEP_OF_1: Millis = Millis(30 * DAY.0);

/// Written at the first contact so that the object's alarm works without a caller, and when a
/// changed configuration was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The layout when the row was written.
    pub schema: u16,
    /// Which event.
    pub event: String,
    /// Which run of it.
    pub run: u32,
    /// Which shard of the run; `None`: its coordinator.
    pub shard: Option<u16>,
    /// The settings applied last.
    pub settings: Settings,
    /// Since when this object knows that the configuration has left its run behind.
    pub left_behind: Option<UnixMillis>,
    /// When everything else was deleted because the run had ended long ago. The row stays as long
    /// as the run is configured, so that a sale that is over does not begin again by itself.
    pub forgotten: Option<UnixMillis>,
}

/// What to do about a run that the configuration has left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftBehind {
    /// It is seen for the first time, which is to be stored ([`Meta::noticed`]).
    Notice,
    /// It is kept until its time is over.
    Keep,
    /// Its time is over: everything is to be deleted.
    Delete,
}

impl Meta {
    /// The configuration has left the run behind, as is seen at `now`.
    pub fn left_behind(&self, now: UnixMillis) -> LeftBehind {
        match self.left_behind {
            None => LeftBehind::Notice,
            Some(since) if now < since.plus(self.settings.keep) => LeftBehind::Keep,
            Some(_) => LeftBehind::Delete,
        }
    }

    /// The row of a run that is seen to be left behind.
    pub fn noticed(&self, now: UnixMillis) -> Self {
        Self {
            schema: SCHEMA,
            left_behind: Some(now),
            ..self.clone()
        }
    }

    /// What stays of a run that ended long ago.
    pub fn forgotten(&self, now: UnixMillis) -> Self {
        Self {
            forgotten: Some(now),
            ..self.clone()
        }
    }
}

/// Why bytes are not such a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotMeta {
    /// They have a layout that this version does not know.
    Schema(u16),
    /// They do not fit their layout.
    Malformed,
}

/// The row in the bytes behind the format byte.
///
/// # Errors
/// [`NotMeta`].
pub fn read_meta(bytes: &[u8]) -> Result<Meta, NotMeta> {
    let (schema, _) = postcard::take_from_bytes::<u16>(bytes).map_err(|_| NotMeta::Malformed)?;
    match schema {
        1 => whole::<MetaOf1>(bytes).map(Meta::from),
        SCHEMA => whole(bytes),
        other => Err(NotMeta::Schema(other)),
    }
}

fn whole<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, NotMeta> {
    match postcard::take_from_bytes(bytes) {
        Ok((row, [])) => Ok(row),
        _ => Err(NotMeta::Malformed),
    }
}

/// Layout 1.
#[derive(Deserialize)]
struct MetaOf1 {
    schema: u16,
    event: String,
    run: u32,
    shard: Option<u16>,
    settings: SettingsOf1,
}

#[derive(Deserialize)]
struct SettingsOf1 {
    mode: Mode,
    prequeue_at: Option<UnixMillis>,
    lines: Vec<LineSettings>,
    limits: Limits,
    hold: Millis,
    session: Millis,
    idle: Millis,
    pass: Millis,
    max_extension: Millis,
    expected_visitors: u64,
}

impl From<MetaOf1> for Meta {
    fn from(old: MetaOf1) -> Self {
        let settings = old.settings;
        Meta {
            schema: old.schema,
            event: old.event,
            run: old.run,
            shard: old.shard,
            settings: Settings {
                mode: settings.mode,
                prequeue_at: settings.prequeue_at,
                lines: settings.lines,
                limits: settings.limits,
                hold: settings.hold,
                session: settings.session,
                idle: settings.idle,
                pass: settings.pass,
                max_extension: settings.max_extension,
                expected_visitors: settings.expected_visitors,
                draw: DRAW_OF_1,
                keep: KEEP_OF_1,
            },
            left_behind: None,
            forgotten: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{T, settings, shard_known};

    #[test]
    fn a_run_left_behind_is_noticed_once_kept_and_then_deleted_however_often_that_is_asked() {
        let keep = settings().keep;
        let meta = shard_known().meta(settings());
        assert_eq!(meta.left_behind(T), LeftBehind::Notice);
        let noticed = meta.noticed(T);
        let before = UnixMillis(T.plus(keep).0 - 1);
        for (now, then) in [
            (T, LeftBehind::Keep),
            (UnixMillis(T.0 - 5_000), LeftBehind::Keep),
            (before, LeftBehind::Keep),
            (T.plus(keep), LeftBehind::Delete),
            (T.plus(keep).plus(DAY), LeftBehind::Delete),
        ] {
            assert_eq!(noticed.left_behind(now), then, "{now:?}");
        }
    }

    #[test]
    fn what_stays_of_a_forgotten_run_is_who_it_was() {
        let meta = shard_known().meta(settings());
        let forgotten = meta.forgotten(T);
        assert_eq!(forgotten.forgotten, Some(T));
        assert_eq!((forgotten.event, forgotten.run), (meta.event, meta.run));
    }

    #[test]
    fn bytes_of_another_layout_are_not_guessed_at() {
        assert_eq!(read_meta(&[3, 0]), Err(NotMeta::Schema(3)));
        for malformed in [&[][..], &[1][..], &[2, 4, b'd'][..]] {
            assert_eq!(read_meta(malformed), Err(NotMeta::Malformed));
        }
    }
}
