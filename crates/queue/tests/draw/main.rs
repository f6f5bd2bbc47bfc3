//! The draw's permutation: exact, and fair.

mod fairness;
mod vectors;
