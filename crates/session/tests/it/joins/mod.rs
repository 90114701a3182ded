//! Joins and derived keys, against naive implementations of their definitions.

mod doubt;
mod identity;
mod jobs;
mod laws;
mod readings;
