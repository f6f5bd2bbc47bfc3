//! What is deployed: the edge and the objects as one WebAssembly module.
//!
//! A crate of its own, because a module is optimised across crates only if its crate is nothing else ([Cargo's
//! `lto`](https://doc.rust-lang.org/cargo/reference/profiles.html#lto) does nothing for a `cdylib` that is also an `rlib`),
//! and the edge's own is also a library for tests, previews and fuzzing. It is a twelfth smaller and a tenth faster so.

pub use anteroom::{CoordinatorObject, RelayObject, ShardObject};
