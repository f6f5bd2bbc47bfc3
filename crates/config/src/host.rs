//! Hosts.

/// Stands for every loopback host, on any port.
pub const LOOPBACK: &str = "*loopback";
