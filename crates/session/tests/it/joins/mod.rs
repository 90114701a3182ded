//! Joins and derived keys, against naive readings of their definitions.

mod laws;
mod readings;
