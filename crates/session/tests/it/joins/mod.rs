//! Joins and derived keys, against naive implementations of their definitions.

mod doubt;
mod identity;
mod laws;
mod readings;
