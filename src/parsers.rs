//! What of the edge reads outside bytes, for the fuzz targets in `fuzz/`. No Worker is built with it.

pub use crate::cookies::{
    Jar, KEPT_SECONDS, Kind, MAX_OF_ONE_NAME, is_ours, ours, sets_ours, without_ours,
};
pub use crate::fields::{Fields, parse as parse_body};
pub use crate::incoming::{Incoming, Method};
pub use crate::json::read as read_json;
pub use crate::local_path::MAX_PATH_BYTES;
pub use crate::routes::join::FIELDS as FIELDS_OF_JOIN;
