//! Joins and derived keys, against naive implementations of their definitions.

mod laws;
mod readings;
